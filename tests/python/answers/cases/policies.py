"""Policies in Python that fail, in every way that one was thought of, and what must be said of each."""

from __future__ import annotations

from answers.case import RUN, Case

VICTIM = "import os, sys, reclaim\n\n\n@reclaim.victim_policy\ndef p(plane):\n"
CLASS = "import reclaim\n\n\n@reclaim.victim_policy\nclass p:\n"
PLACES = "import reclaim\n\n\n@reclaim.allocation_policy\ndef p(page):\n"
WARM = f"{RUN} --warmup overwrite:1"
LEAVES = "a policy gives its answer, and leaves the process alone"


def policy(
    name: str, text: str, *says: str, key: str = "gc.victim", command: str = WARM, **how: object
) -> Case:
    """A case of a run with this file of a policy."""
    words = [*command.split(), "--set", f'{key}={{ kind = "python", function = "p.py:p" }}']
    files = {"p.py": text, **how.pop("files", {})}  # type: ignore[dict-item]
    # What is known of the drive is printed before it runs.
    return Case(name, words, prints=True, files=files, says=("p.py", *says), **how)  # type: ignore[arg-type]


def victim(name: str, body: str, *says: str) -> Case:
    """A case of a victim policy whose function does this."""
    return policy(name, f"{VICTIM}    {body}\n", "p.py:6: ", *says)


def places(name: str, body: str, *says: str, command: str = WARM) -> Case:
    """A case of an allocation policy whose function does this."""
    return policy(name, f"{PLACES}    {body}\n", *says, key="ftl.allocation", command=command)


CASES = [
    victim("leaves", "sys.exit(0)", "SystemExit: 0", LEAVES),
    victim("leaves without a code", "sys.exit()", "SystemExit, as of sys.exit", LEAVES),
    victim("ends the process", "os._exit(0)", "os._exit(0) would end the whole process", LEAVES),
    victim("becomes another program", "os.execv('/bin/true', ['true'])", LEAVES),
    victim("interrupts itself", "raise KeyboardInterrupt", "KeyboardInterrupt"),
    victim("no Exception", "raise GeneratorExit('closed')", "GeneratorExit: closed"),
    victim("an empty message", "raise ValueError", "p.py:6: ValueError"),
    victim("a long message", "raise ValueError('x' * 10**6)", "… (1,000,000 characters)"),
    victim("calls itself", "return p(plane)", "RecursionError"),
    victim("asserts", "assert len(plane.blocks) == 0", "AssertionError"),
    victim("imports nothing that is", "import nowhere_at_all", "ModuleNotFoundError"),
    policy(
        "takes modules away",
        f"{VICTIM}    sys.modules.clear()\n    return plane.blocks[0]\n",
        "out of sys.modules",
    ),
    policy(
        "cannot be made",
        f"{CLASS}    def __init__(self, drive):\n        raise SystemExit(3)\n",
        "p.py:7: SystemExit: 3",
    ),
    policy(
        "takes no drive",
        f"{CLASS}    def select(self, plane):\n        return 0\n",
        "TypeError: p() takes no arg",
    ),
    policy("no text of Python", "import reclaim\nx = (\n", "p.py:2: SyntaxError"),
    policy("leaves while it is imported", "raise SystemExit(0)\n", "p.py:1: SystemExit: 0"),
    policy("interrupts while it is imported", "raise KeyboardInterrupt\n", "p.py:1: KeyboardInterrupt"),
    policy("ends the process while it is imported", "import os\nos._exit(0)\n", "p.py:2: os._exit(0)"),
    policy("imports from above", "from .. import x\n", "p.py:1: ImportError", "alone can be imported so"),
    policy(
        "a helper that fails",
        f"import helper\n{VICTIM}    return plane.blocks[0]\n",
        "p.py:1: ZeroDivisionError",
        "helper.py:2)",
        files={"helper.py": "\n1 / 0\n"},
    ),
    policy(
        "opens too late",
        f"{VICTIM}    open('w.json')\n    return plane.blocks[0]\n",
        "p.py:6: opens w.json of its folder while it runs",
        files={"w.json": "1"},
    ),
    policy(
        "saves no state",
        f"{VICTIM}    p.n = 1\n    return plane.blocks[0]\n",
        "may remember something, and has no save() and load(bytes)",
        command=f"{RUN} --save-state s",
    ),
    places("raises", "raise ValueError('v')", "p.py:6: ValueError: v"),
    places(
        "raises where the drive is checked",
        "raise ValueError('v')",
        "p.py:6: ValueError: v",
        command="device check d.toml",
    ),
    places(
        "always the first",
        "return 0",
        "p.py:4: p returned 0, which is full of valid data and cannot be collected",
    ),
]
