"""Experiments, papers and what else is read before many runs: counts, nesting, mistakes, code of others."""

from __future__ import annotations

from answers.case import SAVED, TRACE, Case, link
from small_paper import CELLS, CLAIM, DEVICE, PAPER

PLAIN = 'name = "x"\ndevices = ["d.toml"]\ntraces = ["t.csv"]\n'
NESTED = "[" * 3000
DEEP = "nested more than 64 deep"
THOUSAND = f"[{', '.join(map(str, range(1, 1001)))}]"
BOM = b"\xef\xbb\xbf"
MADE = """{ requests = 1000000000000000000, size = "4KiB", operations = { write = 0.8 }, \
address = { kind = "uniform", footprint = "16MiB" }, arrivals = { kind = "constant", interval = "300us" } }"""
MANY_REQUESTS = """generator = 1
requests = 1000000000000000000
size = "4KiB"
operations = { write = 0.8 }
address = { kind = "uniform", footprint = "16MiB" }
arrivals = { kind = "constant", interval = "300us" }
"""
BAD_TRACE = TRACE + "soon,write,0,4096\n"
MODULE = 'open("ran", "w").write("x")\n'


def of_check(name: str, text: str, *says: str, command: str = "check x.toml", **further: object) -> Case:
    """A case of an experiment with this text behind what every one needs."""
    files = {"x.toml": PLAIN + text, **further.pop("files", {})}  # type: ignore[dict-item]
    return Case(name, command, says=says, files=files, **further)  # type: ignore[arg-type]


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
    return Case(name, command, says=says, files=files, seconds=20, **further)  # type: ignore[arg-type]


def of_claim(name: str, old: str, new: str, *says: str) -> Case:
    """A case of a mistake in the claims of a small paper."""
    assert old in CLAIM
    return of_paper(name, "expected.toml", *says, expected=CLAIM.replace(old, new, 1))


def of_module(name: str, module: str, *says: str, options: str = "", **further: object) -> Case:
    """A case of a small paper with a module."""
    paper = PAPER.replace("[schemes]", f'module = "{module}"\n[schemes]', 1)
    return of_paper(name, *says, paper=paper, options=options, **further)


COUNTS = [
    of_check(
        "a million points",
        f'[axes]\nseed = {THOUSAND}\n"gc.pages_in_flight" = {THOUSAND}\n',
        "1,000,000 points (1000 of seed × 1000 of gc.pages_in_flight)",
        "100,000",
    ),
    of_check(
        "a thousand million points",
        f'[axes]\nseed = {THOUSAND}\n"gc.pages_in_flight" = {THOUSAND}\n"trace.max_requests" = {THOUSAND}\n',
        "1,000,000,000 points",
    ),
    of_check(
        "a million points to run",
        f'[axes]\nseed = {THOUSAND}\n"gc.pages_in_flight" = {THOUSAND}\n',
        "1,000,000 points",
        command="sweep x.toml -o o",
    ),
    of_check(
        "a million points by repeats",
        f"[axes]\nseed = {THOUSAND}\n[repeats]\ncount = 1000\n",
        "1,000,000 points (1000 of seed × 1000 repeats by seed)",
    ),
    of_check("endless repeats", "[repeats]\ncount = 1000000000000\n", "repeats.count", "1 to 10000"),
    Case(
        "a trace of 10^18 requests in an experiment",
        "check x.toml",
        says=("traces[1]", "requests: is 1000000000000000000; the most"),
        files={
            "x.toml": f'name = "x"\ndevices = ["d.toml"]\ntraces = [{{ name = "u", generate = {MADE} }}]\n'
        },
    ),
    Case(
        "a trace of 10^18 requests",
        "trace info g.toml",
        says="requests: is 1000000000000000000",
        files={"g.toml": MANY_REQUESTS},
    ),
    Case(
        "a trace of 10^18 requests to write",
        "trace generate g.toml out.csv",
        says="requests: is 1000000000000000000",
        files={"g.toml": MANY_REQUESTS},
    ),
    Case(
        "points from Python",
        call="reclaim.Experiment.from_dict({'name': 'x', 'devices': ['d.toml'], 'traces': ['t.csv'], "
        "'axes': {'seed': list(range(1000)), 'gc.pages_in_flight': list(range(1, 1001))}}).points()",
        says="1,000,000 points",
    ),
    Case(
        "repeats from Python",
        call="reclaim.compare('t.csv', 'd.toml', ['greedy'], repeats=10**12)",
        says="repeats.count",
    ),
]
"""What is counted before it is expanded."""

NESTING = [
    of_check("3000 brackets in an experiment", f"set = {NESTED}", DEEP),
    of_check("a key of 3000 parts in an experiment", f"set.{'a.' * 3000}b = 1\n", DEEP),
    of_check("a number of 5000 digits", f"[set]\nseed = {'1' * 5000}\n", "digits"),
    of_check(
        "3000 brackets in settings by trace",
        'schemes = [{ name = "a", for_traces = "n.toml" }]\n',
        DEEP,
        files={"n.toml": f"a = {NESTED}"},
    ),
    of_check(
        "3000 brackets in a device of an experiment",
        'schemes = ["greedy"]\n',
        "devices[1]",
        "not valid TOML",
        files={"d.toml": f"a = {NESTED}"},
    ),
    of_check(
        "3000 brackets in a stored experiment",
        "",
        "is no experiment",
        command="sweep x.toml -o o",
        files={"o/experiment.toml": f"a = {NESTED}"},
    ),
    of_paper("3000 brackets in paper.toml", "paper.toml: not a TOML file", DEEP, paper=f"a = {NESTED}"),
    of_paper(
        "3000 brackets in expected.toml", "expected.toml: not a TOML file", DEEP, expected=f"a = {NESTED}"
    ),
    of_paper("3000 brackets in an experiment of a paper", "cells.toml", DEEP, cells=f"a = {NESTED}"),
    Case(
        "3000 brackets in results",
        call="reclaim.Result.load('r.json')",
        says=("r.json: not a results file", DEEP),
        files={"r.json": NESTED + "]" * 3000},
    ),
    Case(
        "a number of 5000 digits in results",
        call="reclaim.Result.load('r.json')",
        says=("r.json: not a results file", "digits"),
        files={"r.json": "1" * 5000},
    ),
    Case(
        "3000 brackets in a manifest",
        "run t.csv -d d.toml -o o",
        says="--force",
        files={"o/manifest.json": NESTED + "]" * 3000, "o/results.json": "{}"},
    ),
    Case(
        "3000 brackets in published figures",
        "trace synthesize n.toml out.toml",
        says=DEEP,
        files={"n.toml": f"published = 1\na = {NESTED}"},
    ),
    Case(
        "an experiment that contains itself",
        call="loop = {'name': 'x'}\nloop['set'] = loop\nreclaim.Experiment.from_dict(loop)",
        says="contains itself",
    ),
    Case(
        "an experiment with a list that contains itself",
        call="loop = []\nloop.append(loop)\nreclaim.sweep({'name': 'x', 'devices': loop}, 'o')",
        says="contains itself",
    ),
    Case(
        "a setting that contains itself",
        call="loop = []\nloop.append(loop)\ndrive.set('seed', loop)",
        says="contains itself",
    ),
    Case(
        "a description that contains itself",
        call="loop = {}\nloop['a'] = loop\nreclaim.generate_trace(requests=1, address=loop)",
        says="address",
    ),
    Case(
        "a merge that contains itself",
        call="loop = []\nloop.append(loop)\ntrace.transformed(merge=loop)",
        says="merge",
    ),
    Case(
        "an experiment that is a number",
        call="reclaim.sweep(5, 'o')",
        says="must be a reclaim.Experiment or a path",
    ),
    Case("an experiment that is a list", call="reclaim.Experiment.from_dict([1])", says="mapping"),
]
"""Text and mappings that no walk through them may end the program with."""

WINDOWS = [
    Case(
        "a byte order mark before an experiment",
        "check x.toml",
        says="points: 1",
        code=0,
        files={"x.toml": BOM + PLAIN.encode()},
    ),
    Case(
        "a byte order mark before a device",
        "device check b.toml",
        code=0,
        files={"b.toml": BOM + DEVICE.encode()},
    ),
    Case(
        "a byte order mark before paper.toml",
        "reproduce small --quick",
        says="unknown key gredy",
        files={
            "small/paper.toml": BOM + PAPER.replace("baseline", "gredy = 1\nbaseline", 1).encode(),
            "small/expected.toml": BOM + CLAIM.encode(),
            "small/cells.toml": BOM + CELLS.encode(),
            "small/one.toml": BOM + DEVICE.encode(),
        },
    ),
    Case("an experiment in UTF-16", "check x.toml", says="UTF-8", files={"x.toml": PLAIN.encode("utf-16")}),
    of_check(
        "a byte order mark before settings by trace",
        'schemes = [{ name = "a", for_traces = "n.toml" }]\n',
        "points: 1",
        code=0,
        files={"n.toml": BOM + b'["t.csv"]\nseed = 5\n'},
    ),
]
"""Files as editors on Windows write them."""

MISTAKES = [
    of_check(
        "a typo in an axis", '[axes]\n"gc.vicim" = ["greedy", "fifo"]\n', 'axes."gc.vicim": unknown', lines=1
    ),
    of_check(
        "a typo in an axis under several schemes",
        'schemes = ["greedy", "fifo"]\n[axes]\n"gc.victim.dd" = [1, 2]\n',
        'axes."gc.victim.dd": unknown',
        lines=1,
    ),
    of_check(
        "thousands of wrong values",
        '[axes]\n"gc.victim" = [\n' + "".join(f'  "v{each}",\n' for each in range(3000)) + "]\n",
        "x.toml:6: axes",
        "and 2,975 more mistakes",
        # One more where checking takes so long that it says how far it came.
        lines=27,
    ),
    of_check(
        "an axis of tables", '[axes]\n"gc.victim" = [{ a = 1 }]\n', "true or false, not a table", lines=1
    ),
    of_check("an axis without values", "[axes.load]\n", "not an empty table"),
    of_check("a list of tables for axes", "[[axes]]\n", "must be a table, written [axes], not a list with"),
    of_check(
        "no traces",
        "",
        "something in it",
        "not an empty list",
        files={"x.toml": PLAIN.replace('"t.csv"', "")},
    ),
    of_check(
        "the hundredth line",
        "\n" * 95 + "[set]\nsed = 1\n",
        "x.toml:100: set.sed: unknown key",
    ),
    of_check(
        "a merged trace that is not there", '[set]\n"trace.merge" = ["gone.csv"]\n', "trace.merge", "gone.csv"
    ),
    of_check(
        "a merged trace that is damaged",
        '[set]\n"trace.merge" = ["m.csv"]\n[axes]\nseed = [1, 2]\n',
        'set."trace.merge": m.csv:302',
        files={"m.csv": BAD_TRACE},
    ),
    of_check(
        "a merged trace of a device that is damaged",
        "",
        "devices[1]",
        "m.csv:302",
        files={
            "m.csv": BAD_TRACE,
            "d.toml": 'base = "coupled-copyback-mini"\n[trace]\nmerge = [{ file = "m.csv" }]\n',
        },
    ),
    of_check("a device that is no TOML", 'schemes = ["greedy"]\n', "devices[1]", files={"d.toml": "a = ["}),
    of_check(
        "a device with a value that cannot be",
        'schemes = ["greedy"]\n[set]\nseed = 5\n',
        "devices[1]: d.toml:2",
        files={"d.toml": 'base = "coupled-copyback-mini"\ngeometry.channels = 0\n'},
    ),
    of_check(
        "a scheme that overrides another",
        'schemes = ["copyback-odd-even+copyback"]\n',
        'note: "copyback-odd-even+copyback": scheme copyback-odd-even: its gc.relocation',
        code=0,
    ),
    Case(
        "two schemes of which one overrides the other",
        "run t.csv -d d.toml --scheme fifo --scheme greedy",
        says="note: scheme fifo: its gc.victim (fifo) does nothing: scheme greedy sets greedy",
        code=SAVED,
    ),
    Case(
        "a setting that overrides a scheme",
        "compare t.csv -d d.toml --schemes greedy,copyback --set gc.relocation=controller",
        says=("note: scheme copyback: its gc.relocation (copyback)", "--set gc.relocation sets controller"),
        code=SAVED,
    ),
]
"""Experiments that cannot be meant."""

FAMILY = '[[family]]\nid = "f"\ngroup = "f"\nwhat = "f"\nwhere = "f"\ncount = {}\n'
CLAIMS = [
    of_claim("a claim of no number", "value = 1.05", "value = nan", "value = nan is not a number"),
    of_claim("a claim without end", "value = 1.05", "value = inf", "value = inf is not a number"),
    of_claim("a claim printed as nothing", 'printed = "1.05"', 'printed = ""', "printed is empty"),
    of_claim("a claim printed without digits", 'printed = "1.05"', 'printed = "one"', "has no digits"),
    of_claim(
        "a tolerance of no number", "tolerance = 0.1", "tolerance = nan", "tolerance = nan is not a number"
    ),
    of_claim(
        "a metric that there is not", "gc_write_amplification", "gc_write_amp", '"gc_write_amplification"?'
    ),
    of_claim(
        "a metric that is no number", "gc_write_amplification", "verdict", 'metric "verdict" is no figure'
    ),
    of_claim(
        "an axis that there is not", 'form = "ratio"', 'form = "ratio", where = { load = "1" }', 'axis "load"'
    ),
    of_claim(
        "a variation that there is not",
        'form = "ratio"',
        'form = "ratio", vary = "pag=four"',
        'did you mean "pages"',
    ),
    of_claim(
        "a scheme that there is not", 'scheme = "fifo"', 'scheme = "fofi"', 'scheme "fofi" is not there'
    ),
    of_claim("an experiment that there is not", '"cells"', '"cell"', 'experiment "cell" is not there'),
    of_claim(
        "a workload that there is not", 'form = "ratio"', 'form = "ratio", workloads = "u"', 'workload "u"'
    ),
    of_claim("a group that is a list", "[[claim]]", "[[claim]]\ngroup = [1]", "group"),
    of_paper("two claims of one name", 'the id "wa" is taken', expected=CLAIM + CLAIM),
    of_paper(
        "an unknown key of a group that nobody is in",
        "group 1: unknown key tolerence",
        '"tolerance"?',
        expected='[[group]]\nname = "g"\ntitle = "G"\ntolerence = 1\n' + CLAIM,
    ),
    of_paper("a family without end", "count = inf is not a whole number", expected=FAMILY.format("inf")),
    of_paper("half a family", "count = 1.5 is not a whole number", expected=FAMILY.format("1.5")),
    of_paper(
        "a contradiction that does not hold",
        "the contradiction does not hold: sum of 1 = 1",
        expected=CLAIM + "contradiction = { of = 'sum', printed = ['1'], must = '>= 1', says = 's' }\n",
    ),
    of_paper(
        "a contradiction of no number",
        '"nan" is not a number',
        expected=CLAIM + "contradiction = { of = 'sum', printed = ['nan'], says = 's' }\n",
    ),
    of_paper(
        "a reading that no drive takes",
        "reading pages=four: cells",
        "unknown key",
        paper=PAPER.replace("gc.pages_in_flight", "gc.pages_in_fligth"),
        lines=3,
    ),
    of_paper(
        "a scheme of the paper that there is not",
        'schemes: "Proposed" "lifo" is not there',
        paper=PAPER.replace('"Proposed" = "fifo"', '"Proposed" = "lifo"'),
    ),
    of_paper(
        "an experiment of a paper without traces",
        "cells.toml",
        "traces",
        cells='name = "c"\ndevices = ["one.toml"]\n',
    ),
    of_paper(
        "quick judges nothing",
        "1 claims, none of them judged: the quick level judges nothing",
        code=0,
    ),
]
"""Papers that cannot be meant: found before anything runs."""

CODE = [
    of_module("a module of a foreign paper", "figures", "--allow-code", files={"small/figures.py": MODULE}),
    of_module(
        "a module of the present folder",
        "pwn",
        "there is no small/pwn.py",
        options="--allow-code",
        files={"pwn.py": MODULE},
    ),
    of_module("a module with a dot before it", ".pwn", 'module = ".pwn"', options="--allow-code"),
    of_module("a module of Python", "os", "there is no small/os.py", options="--allow-code"),
    of_module("a module inside another", "json.tool", "is not the name", options="--allow-code"),
    of_module("a module of the command line", "reclaim.__main__", "is not the name", options="--allow-code"),
    of_module(
        "a module that is a link elsewhere",
        "figures",
        "is a link out of the folder",
        options="--allow-code",
        files={"pwn.py": MODULE, "small/figures.py": link("../pwn.py")},
    ),
    of_module(
        "a module that fails",
        "figures",
        "small/figures.py:1: ZeroDivisionError",
        options="--allow-code",
        files={"small/figures.py": "1 / 0\n"},
        writes=("small/__pycache__",),
    ),
    Case(
        "papers of nobody", "reproduce --list", says="RECLAIM_PAPERS", env={"RECLAIM_PAPERS": "~nosuchuser/x"}
    ),
    Case("a paper of nobody", "reproduce x", says="RECLAIM_PAPERS", env={"RECLAIM_PAPERS": "~nosuchuser/x"}),
    Case("traces of nobody", "trace list", says="RECLAIM_TRACES", env={"RECLAIM_TRACES": "~nosuchuser/x"}),
]
"""Code that a file names, and folders that the surroundings name."""

CASES = [*COUNTS, *NESTING, *WINDOWS, *MISTAKES, *CLAIMS, *CODE]
