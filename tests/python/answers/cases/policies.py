"""Policies in Python that fail, in every way that one was thought of, and what must be said of each."""

from __future__ import annotations

from answers.case import RUN, Case

VICTIM = "import os, sys, reclaim\n\n\n@reclaim.victim_policy\ndef p(plane):\n"
CLASS = "import reclaim\n\n\n@reclaim.victim_policy\nclass p:\n"
PLACES = "import reclaim\n\n\n@reclaim.allocation_policy\ndef p(page):\n"
WARM = f"{RUN} --warmup overwrite:1"
LEAVES = "a policy gives its answer, and leaves the process alone"


def policy(
    name: str, text: str, *says: str, key: str = "gc.victim", command: str = WARM, **files: str
) -> Case:
    """A case of a run with this file of a policy."""
    words = [*command.split(), "--set", f'{key}={{ kind = "python", function = "p.py:p" }}']
    beside = {each.replace("_", "."): text for each, text in files.items()}
    # What is known of the drive is printed before it runs.
    return Case(name, words, ("p.py", *says), prints=True, files={"p.py": text} | beside)


def victim(name: str, body: str, *says: str, **how: str) -> Case:
    """A case of a victim policy whose function does this."""
    return policy(name, f"{VICTIM}    {body}\n", *says, **how)


def places(name: str, body: str, *says: str, command: str = WARM) -> Case:
    """A case of an allocation policy whose function does this."""
    return policy(name, f"{PLACES}    {body}\n", *says, key="ftl.allocation", command=command)


CASES = [
    victim("leaves", "sys.exit(0)", "p.py:6: SystemExit: 0", LEAVES),
    victim("leaves without a code", "sys.exit()", "p.py:6: SystemExit, as of sys.exit", LEAVES),
    victim("ends the process", "os._exit(0)", "p.py:6: os._exit(0) would end the whole process", LEAVES),
    victim("becomes another program", "os.execv('/bin/true', ['true'])", "p.py:6: ", LEAVES),
    victim("interrupts itself", "raise KeyboardInterrupt", "p.py:6: KeyboardInterrupt"),
    victim("no Exception", "raise GeneratorExit('closed')", "p.py:6: GeneratorExit: closed"),
    victim("an empty message", "raise ValueError", "p.py:6: ValueError"),
    victim("a long message", "raise ValueError('x' * 10**6)", "… (1,000,000 characters)"),
    victim("calls itself", "return p(plane)", "p.py:6: RecursionError"),
    victim("takes modules away", "sys.modules.clear()\n    return plane.blocks[0]", "out of sys.modules"),
    victim("opens too late", "open('w.json')", "p.py:6: opens w.json of its folder while it", w_json="1"),
    victim(
        "saves no state",
        "p.n = 1\n    return plane.blocks[0]",
        "may remember something, and has no save() and load(bytes)",
        command=f"{RUN} --save-state s",
    ),
    policy(
        "cannot be made",
        f"{CLASS}    def __init__(self, drive):\n        raise SystemExit(3)\n",
        "p.py:7: SystemExit: 3",
    ),
    policy("takes no drive", f"{CLASS}    def select(self, plane):\n        pass\n", "p() takes no arg"),
    policy("no text of Python", "import reclaim\nx = (\n", "p.py:2: SyntaxError"),
    policy("leaves while it is imported", "raise SystemExit(0)\n", "p.py:1: SystemExit: 0"),
    policy("interrupts while it is imported", "raise KeyboardInterrupt\n", "p.py:1: KeyboardInterrupt"),
    policy("ends the process while it is imported", "import os\nos._exit(0)\n", "p.py:2: os._exit(0)"),
    policy("imports from above", "from .. import x\n", "p.py:1: ImportError", "alone can be imported so"),
    policy("a helper that fails", "import h\n", "p.py:1: ZeroDivisionError", "h.py:2)", h_py="\n1 / 0\n"),
    places("raises", "raise ValueError('v')", "p.py:6: ValueError: v"),
    places(
        "fails where it is checked",
        "raise ValueError('v')",
        "p.py:6: ValueError: v",
        command="device check d.toml",
    ),
    places("always the first", "return 0", "p.py:4: p returned 0, which is full of valid data"),
]
