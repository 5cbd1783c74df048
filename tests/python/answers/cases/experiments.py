"""Experiments, papers and what else is read before many runs: counts, nesting, mistakes, code of others."""

from __future__ import annotations

from answers.case import SAVED, TRACE, Case, link
from small_paper import CELLS, CLAIM, DEVICE, PAPER

PLAIN = 'name = "x"\ndevices = ["d.toml"]\ntraces = ["t.csv"]\n'
NESTED = "[" * 3000
DEEP = "nested more than 64 deep"
BY_TRACE = 'schemes = [{ name = "a", for_traces = "n.toml" }]\n'
THOUSAND = f"[{', '.join(map(str, range(1, 1001)))}]"
MILLION = f'[axes]\nseed = {THOUSAND}\n"gc.pages_in_flight" = {THOUSAND}\n'
BOM = b"\xef\xbb\xbf"
REQUESTS = """requests = 1000000000000000000
size = "4KiB"
operations = { write = 0.8 }
address = { kind = "uniform", footprint = "16MiB" }
arrivals = { kind = "constant", interval = "300us" }
"""


GENERATED = f"{PLAIN.partition('traces')[0]}[[traces]]\nname = 'u'\n[traces.generate]\n{REQUESTS}"
TOO_MANY = "requests: is 1000000000000000000; the most"


def of_check(name: str, text: str, *says: str, command: str = "check x.toml", **further: object) -> Case:
    """A case of an experiment with this text behind what every one needs."""
    files = {"x.toml": PLAIN + text, **further.pop("files", {})}  # type: ignore[dict-item]
    return Case(name, command, says, files=files, **further)  # type: ignore[arg-type]


def of_paper(
    name: str,
    *says: str,
    paper: str = PAPER,
    expected: str = CLAIM,
    cells: str = CELLS,
    options: str = "",
    **further: object,
) -> Case:
    """A case of a small paper."""
    texts = {"paper.toml": paper, "expected.toml": expected, "cells.toml": cells, "one.toml": DEVICE}
    files = {f"small/{file}": text for file, text in texts.items()}
    files |= further.pop("files", {})  # type: ignore[arg-type]
    command = f"reproduce small --quick {options}".strip()
    return Case(name, command, says, files=files, seconds=20, **further)  # type: ignore[arg-type]


def of_claim(old: str, new: str, *says: str) -> Case:
    """A case of a mistake in the claims of a small paper."""
    assert old in CLAIM
    return of_paper(f"a claim: {says[0]}", "expected.toml", *says, expected=CLAIM.replace(old, new, 1))


def of_module(name: str, module: str, *says: str, options: str = "--allow-code", **further: object) -> Case:
    """A case of a small paper with a module."""
    paper = PAPER.replace("[schemes]", f'module = "{module}"\n[schemes]', 1)
    return of_paper(name, *says, paper=paper, options=options, **further)


COUNTS = [
    of_check("a million points", MILLION, "1,000,000 points (1000 of seed × 1000 of gc.pages", "100,000"),
    of_check("a million points to run", MILLION, "1,000,000 points", command="sweep x.toml -o o"),
    of_check(
        "a million by repeats", f"[axes]\nseed = {THOUSAND}\n[repeats]\ncount = 1000\n", "1,000,000 points"
    ),
    of_check("endless repeats", "[repeats]\ncount = 1000000000000\n", "repeats.count", "1 to 10000"),
    Case("10^18 requests of one", "check x.toml", ("traces[1]", TOO_MANY), files={"x.toml": GENERATED}),
    Case("10^18 requests", "trace info g.toml", TOO_MANY, files={"g.toml": f"generator = 1\n{REQUESTS}"}),
    Case(
        "points from Python",
        call=f"reclaim.Experiment.parse({PLAIN + MILLION!r}).points()",
        says="1,000,000 points",
    ),
    Case(
        "repeats", call="reclaim.compare('t.csv', 'd.toml', ['greedy'], repeats=10**12)", says="repeats.count"
    ),
]
"""What is counted before it is expanded."""

STORED = {"o/experiment.toml": f"a = {NESTED}"}
LISTED = {"o/manifest.json": NESTED + "]" * 3000, "o/results.json": "{}"}
PUBLISHED = {"n.toml": f"published = 1\na = {NESTED}"}
NESTING = [
    of_check("3000 brackets in an experiment", f"set = {NESTED}", DEEP),
    of_check("3000 brackets in settings by trace", BY_TRACE, DEEP, files={"n.toml": f"a = {NESTED}"}),
    of_check("3000 brackets in a device", "", "devices[1]", "TOML", files={"d.toml": f"a = {NESTED}"}),
    of_check(
        "3000 brackets in a stored one", "", "is no experiment", command="sweep x.toml -o o", files=STORED
    ),
    of_paper("3000 brackets in paper.toml", "paper.toml: no TOML", DEEP, paper=f"a = {NESTED}"),
    of_paper("3000 brackets in claims", "expected.toml: no TOML", DEEP, expected=f"a = {NESTED}"),
    of_paper("3000 brackets in an experiment of a paper", "cells.toml", DEEP, cells=f"a = {NESTED}"),
    *(
        Case(
            f"results that are {says}",
            call="reclaim.Result.load('r.json')",
            says=("r.json: not a results file", says),
            files={"r.json": text},
        )
        for text, says in ((NESTED + "]" * 3000, DEEP), ("1" * 5000, "digits"))
    ),
    Case("3000 brackets in a manifest", "run t.csv -d d.toml -o o", "--force", files=LISTED),
    Case("3000 brackets in figures", "trace synthesize n.toml out.toml", DEEP, files=PUBLISHED),
    *(
        Case(
            f"itself in {call}",
            call=f"loop = {{}}\nloop['name'] = loop['set'] = loop\nl = [loop]\n{call}",
            says=says,
        )
        for call, says in (
            ("reclaim.Experiment.from_dict(loop)", "contains itself"),
            ("reclaim.sweep({'name': 'x', 'devices': l}, 'o')", "contains itself"),
            ("drive.set('seed', l)", "contains itself"),
            ("reclaim.generate_trace(requests=1, address=loop)", "address"),
            ("trace.transformed(merge=l)", "merge"),
        )
    ),
    Case("an experiment that is a list", call="reclaim.Experiment.from_dict([1])", says="mapping"),
]
"""Text and mappings that no walk through them may end the program with."""

WINDOWS = [
    Case(
        "a mark in an experiment", "check x.toml", "points: 1", files={"x.toml": BOM + PLAIN.encode()}, code=0
    ),
    Case("a mark in a device", "device check b.toml", files={"b.toml": BOM + DEVICE.encode()}, code=0),
    of_paper("a mark in a paper", "title", paper="\ufeff" + PAPER.replace("title", "titel", 1)),
    of_check(
        "a mark in settings", BY_TRACE, "points: 1", files={"n.toml": BOM + b'["t.csv"]\nseed = 5\n'}, code=0
    ),
    Case("an experiment in UTF-16", "check x.toml", "UTF-8", files={"x.toml": PLAIN.encode("utf-16")}),
]
"""Files as editors on Windows write them, with a byte order mark."""

BAD_TRACE = TRACE + "soon,write,0,4096\n"
WRONG = '[axes]\n"gc.victim" = [\n' + "".join(f'  "v{each}",\n' for each in range(300)) + "]\n"
BASE = 'base = "coupled-copyback-mini"\n'
TYPO = 'schemes = ["greedy", "fifo"]\n[axes]\n"gc.victim.dd" = [1, 2]\n'
AXIS = '[set]\n"trace.merge" = ["m.csv"]\n[axes]\nseed = [1, 2]\n'
MERGING = {"m.csv": BAD_TRACE, "d.toml": f'{BASE}[trace]\nmerge = [{{ file = "m.csv" }}]\n'}
MISTAKES = [
    of_check(
        "a typo in an axis", '[axes]\n"gc.vicim" = ["fifo", "no"]\n', 'axes."gc.vicim": unknown', lines=1
    ),
    of_check(
        "a policy of one's own as a scheme",
        'schemes = ["greedy", "own.py:fewest"]\n',
        'schemes[2]: "own.py:fewest": a policy of your own is a setting of its kind here: { name = "mine", ',
        lines=1,
    ),
    of_check("a typo under several schemes", TYPO, 'axes."gc.victim.dd": unknown', lines=1),
    # One more line where checking takes so long that it says how far it came.
    of_check(
        "an option of a trace as its key",
        "",
        'traces[1].columns: unknown key; a setting is written set = { "trace.columns" = "time:us,op" }',
        files={"x.toml": PLAIN.replace('"t.csv"', '{ source = "t.csv", columns = "time:us,op" }')},
        lines=1,
    ),
    of_check(
        "a section of a drive",
        "[gc.trigger]\nstart = 4\n",
        'gc: unknown key; a setting is written "gc.trigger.start" = 4 under [set]',
        lines=1,
    ),
    of_check(
        "a table whose columns nobody knows",
        "",
        'here: set = { "trace.columns" = "When=time:us,Kind=op,Lba=offset:',
        files={"t.csv": "When,Kind,Lba,Bytes\n1,W,0,4096\n2,R,8,4096\n"},
    ),
    of_check("hundreds of wrong values", WRONG, "x.toml:6: axes", "and 275 more mistakes", lines=27),
    of_check(
        "an axis of tables", '[axes]\n"gc.victim" = [{ a = 1 }]\n', "true or false, not a table", lines=1
    ),
    of_check("an axis without values", "[axes.load]\n", "not an empty table"),
    of_check("a list of tables for axes", "[[axes]]\n", "must be a table, written [axes], not a list with"),
    Case("no traces", "check x.toml", "not an empty list", files={"x.toml": PLAIN.replace('"t.csv"', "")}),
    of_check("the hundredth line", "\n" * 95 + "[set]\nsed = 1\n", "x.toml:100: set.sed: unknown key"),
    of_check(
        "a merged trace that is gone", '[set]\n"trace.merge" = ["gone.csv"]\n', "trace.merge", "gone.csv"
    ),
    of_check("a damaged trace", AXIS, 'set."trace.merge": m.csv:302', files={"m.csv": BAD_TRACE}),
    of_check("a damaged trace of a device", "", "devices[1]", "m.csv:302", files=MERGING),
    of_check(
        "a value of a device", "", "devices[1]: d.toml:2", files={"d.toml": f"{BASE}geometry.channels = 0\n"}
    ),
    of_check(
        "a scheme that overrides another",
        'schemes = ["copyback-odd-even+copyback"]\n',
        'note: "copyback-odd-even+copyback": scheme copyback-odd-even: its gc.relocation',
        code=0,
    ),
    Case(
        "a scheme over another",
        "run t.csv -d d.toml --scheme fifo --scheme greedy",
        "scheme fifo: its gc.victim (fifo) does nothing",
        code=SAVED,
    ),
    Case(
        "a setting that overrides a scheme",
        "compare t.csv -d d.toml --schemes greedy,copyback --set gc.relocation=controller",
        ("note: scheme copyback: its gc.relocation (copyback)", "--set gc.relocation sets controller"),
        code=SAVED,
    ),
]
"""Experiments that cannot be meant."""

FAMILY = '[[family]]\nid = "f"\ngroup = "f"\nwhat = "f"\nwhere = "f"\ncount = {}\n'
GROUP = '[[group]]\nname = "g"\ntitle = "G"\ntolerence = 1\n'
CONTRADICTION = "contradiction = {{ of = 'sum', printed = ['{}'], must = '>= 1', says = 's' }}\n"
CLAIMS = [
    of_claim("value = 1.05", "value = nan", "claim[1].value: must be a number"),
    of_claim('printed = "1.05"', 'printed = ""', "claim[1].printed"),
    of_claim('printed = "1.05"', 'printed = "one"', "has no digits"),
    of_claim("tolerance = 0.1", "tolerance = nan", "claim[1].tolerance: must be a number from 0"),
    of_claim("gc_write_amplification", "gc_write_amp", '"gc_write_amplification"?'),
    of_claim("gc_write_amplification", "verdict", 'metric "verdict" is no figure'),
    of_claim('form = "ratio"', 'form = "ratio", where = { load = "1" }', 'axis "load"'),
    of_claim('form = "ratio"', 'form = "ratio", vary = "pag=four"', 'did you mean "pages"'),
    of_claim("[[claim]]", "[[claim]]\ngroup = [1]", "group"),
    of_paper("a key of a group", "group[1].tolerence: unknown key", '"tolerance"?', expected=GROUP + CLAIM),
    of_paper("an endless family", "family[1].count: must be a whole number", expected=FAMILY.format("inf")),
    of_paper("half a family", "family[1].count: must be a whole number", expected=FAMILY.format("1.5")),
    of_paper("a contradiction", "does not hold: sum of 1 = 1", expected=CLAIM + CONTRADICTION.format(1)),
    of_paper("one of no number", '"nan" is not a number', expected=CLAIM + CONTRADICTION.format("nan")),
    of_paper(
        "a reading", "reading pages=four: cells", "unknown key", paper=PAPER.replace("in_flight", "in_fligth")
    ),
    of_paper(
        "a scheme",
        'schemes.Proposed: scheme "lifo" is not there',
        paper=PAPER.replace('= "fifo"', '= "lifo"'),
    ),
    of_paper("no traces in a paper", "cells.toml", "traces", cells='name = "c"\ndevices = ["one.toml"]\n'),
]
"""Papers that cannot be meant: found before anything runs."""

MODULE = 'open("ran", "w").write("x")\n'
NOBODY = "~nosuchuser/x"
LINKED = {"pwn.py": MODULE, "small/figures.py": link("../pwn.py")}
FAILS, CACHED = {"small/figures.py": "1 / 0\n"}, ("small/__pycache__",)
CODE = [
    of_module("a foreign module", "figures", "--allow-code", options="", files={"small/figures.py": MODULE}),
    of_module("a module of the present folder", "pwn", "no small/pwn.py", files={"pwn.py": MODULE}),
    of_module("a module of Python", "os", "there is no small/os.py"),
    of_module("a module of the command line", "reclaim.__main__", "is not the name"),
    of_module("a link elsewhere", "figures", "is a link out of the folder", files=LINKED),
    of_module(
        "a module that fails", "figures", "small/figures.py:1: ZeroDivision", files=FAILS, writes=CACHED
    ),
    Case("a paper of nobody", "reproduce x", "RECLAIM_PAPERS", env={"RECLAIM_PAPERS": NOBODY}),
    Case("traces of nobody", "trace list", "RECLAIM_TRACES", env={"RECLAIM_TRACES": NOBODY}),
]
"""Code that a file names, and folders that the surroundings name."""

CASES = [*COUNTS, *NESTING, *WINDOWS, *MISTAKES, *CLAIMS, *CODE]
