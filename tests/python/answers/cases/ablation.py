"""Ablations: sections that say nothing or too much, schemes that cannot be taken apart, folders of others."""

from __future__ import annotations

from answers.case import Case
from answers.cases.experiments import PLAIN

SCHEMES = 'schemes = ["greedy", "fifo+gc.pages_in_flight=4"]\n'
TO = '"fifo+gc.pages_in_flight=4"'
METRICS = 'metrics = ["write_mean_ns"]\n'
SECTION = f'[ablate]\nfrom = "greedy"\nto = {TO}\n'
MOVED = (
    '"gc.trigger.start" = "2 blocks", "gc.pages_in_flight" = 4, "flash.t_read" = "95us", '
    '"channel.command_cycle" = "2ns", "controller.lookup" = "1us"'
)
SIX = f'schemes = ["greedy", {{ name = "six", schemes = ["fifo"], set = {{ {MOVED} }} }}]\n'
MANY = f'[ablate]\nfrom = "greedy"\nto = "six"\n{METRICS}'
"""All that six parts make."""
WHOLE = f'[set]\n"warmup.kind" = "filled"\n{SECTION}{METRICS}'


def of(
    name: str,
    text: str,
    *says: str,
    command: str = "ablate x.toml -o o",
    schemes: str = SCHEMES,
    **further: object,
) -> Case:
    """A case of an experiment with two schemes and this text behind what every one needs."""
    files = {"x.toml": PLAIN + schemes + text, **further.pop("files", {})}  # type: ignore[dict-item]
    return Case(name, command, says=says, files=files, **further)  # type: ignore[arg-type]


SECTIONS = [
    of("no section", "", "x.toml: [ablate] is missing", "[ablate] from = "),
    of("a section that is a number", "ablate = 3\n", "x.toml:5: ablate: must be a table, written [ablate]"),
    of(
        "an unknown key", f"{SECTION}{METRICS}scheme = 1\n", "x.toml:9: ablate.scheme: unknown key", "valid: "
    ),
    of("no scheme to start from", f"[ablate]\nto = {TO}\n{METRICS}", "x.toml:5: ablate: from is missing"),
    of(
        "schemes with other requests",
        f'[ablate]\nfrom = "greedy"\nto = "short"\n{METRICS}',
        "x.toml:5: ablate:",
        "differ in seed: part of the work",
        "[axes]",
        schemes='schemes = ["greedy", { name = "short", schemes = ["fifo"], set = { "seed" = 2 } }]\n',
    ),
    of(
        "an unknown scheme",
        f'[ablate]\nfrom = "gredy"\nto = {TO}\n{METRICS}',
        "x.toml:6: ablate.from",
        'did you mean "greedy"?',
    ),
    of("a scheme that is a number", f"[ablate]\nfrom = 1\nto = {TO}\n{METRICS}", "x.toml:6: ablate.from"),
    of(
        "from a scheme to itself",
        f'[ablate]\nfrom = "greedy"\nto = "greedy"\n{METRICS}',
        'x.toml:7: ablate.to: is "greedy", as from is; name another scheme: ',
    ),
    of(
        "the only scheme to itself",
        f'[ablate]\nfrom = "greedy"\nto = "greedy"\n{METRICS}',
        "the experiment has no other; list it in schemes",
        schemes='schemes = ["greedy"]\n',
    ),
    of("no metrics", SECTION, "x.toml:5: ablate: metrics is missing", 'metrics = ["read_p99_ns"]'),
    of("an empty list of metrics", f"{SECTION}metrics = []\n", "x.toml:8: ablate.metrics: must be a list"),
    of(
        "an unknown metric",
        f'{SECTION}metrics = ["write_mean"]\n',
        "x.toml:8: ablate.metrics[1]",
        'did you mean "write_mean_ns"?',
    ),
    of(
        "a metric like none",
        f'{SECTION}metrics = ["speed of light"]\n',
        "ablate.metrics[1]",
        "the columns of points.parquet are metrics",
    ),
    of("an odd number of orders", f"{SECTION}{METRICS}orderings = 7\n", "ablate.orderings", "even", "give 8"),
    of(
        "orders in words",
        f'{SECTION}{METRICS}orderings = "all"\n',
        "x.toml:9: ablate.orderings",
        "2 to 10000",
    ),
    of("a seed below 0", f"{SECTION}{METRICS}seed = -1\n", "x.toml:9: ablate.seed", "from 0 to"),
    of(
        "parts that are a list", f"{SECTION}{METRICS}parts = [1]\n", "x.toml:9: ablate.parts: must be a table"
    ),
    of(
        "a part that is no list",
        f'{SECTION}{METRICS}[ablate.parts]\na = "gc.victim"\n',
        "x.toml:10: ablate.parts.a: must be a list of keys",
    ),
    of(
        "a key in two parts",
        f'{SECTION}{METRICS}[ablate.parts]\na = ["gc.victim"]\nb = ["gc.victim"]\n',
        "x.toml:11: ablate.parts.b[1]",
        'in the part "a" already',
    ),
]
"""What the section itself shows to be wrong."""

DRIVES = [
    of(
        "a part of an unknown key",
        f'{WHOLE}[ablate.parts]\na = ["gc.victm"]\n',
        'x.toml:12: ablate.parts.a[1]: "gc.victm" is no key of these drives',
        'did you mean "gc.victim"?',
    ),
    of(
        "a part of a key that is the same in both",
        f'{WHOLE}[ablate.parts]\na = ["gc.trigger"]\n',
        'the schemes do not differ in "gc.trigger"; they differ in: gc.victim.kind, gc.pages_in_flight',
    ),
    of(
        "a part that others leave nothing of",
        f'{WHOLE}[ablate.parts]\na = ["gc.victim"]\nb = ["gc.victim.kind"]\n',
        "x.toml:12: ablate.parts.a[1]",
        "other parts name all that is below it",
    ),
    of(
        "the same mistake told by check",
        f'{WHOLE}[ablate.parts]\na = ["gc.victm"]\n',
        "x.toml:12: ablate.parts.a[1]",
        command="check x.toml",
    ),
    of(
        "two names of one drive",
        f'[ablate]\nfrom = "greedy"\nto = "same"\n{METRICS}',
        'x.toml:7: ablate.to: "greedy" and "same" are the same drive',
        schemes='schemes = ["greedy", { name = "same", schemes = ["greedy"] }]\n',
    ),
    of(
        "a scheme that the drive does not take",
        f'[ablate]\nfrom = "greedy"\nto = "dgc"\n{METRICS}',
        "x.toml: no workload takes both schemes: d.toml, t.csv, dgc, repeat 0: scheme dgc: gc.deferral: ",
        schemes='schemes = ["greedy", "dgc"]\n',
    ),
    of(
        "an ablation of many points",
        f"{MANY}[axes]\nseed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n[repeats]\ncount = 200\n",
        "[ablate] makes 128,000 points (64 subsets × 10 workloads × 200 repeats); the most is 100,000",
        schemes=SIX,
        lines=5,
        seconds=30,
    ),
]
"""What only the drives of both schemes show to be wrong."""

FOLDERS = [
    Case("an experiment that is not there", "ablate gone.toml -o o", says="gone.toml"),
    of("no folder", WHOLE, "--output", command="ablate x.toml"),
    of("a folder with other things", WHOLE, "kept", "--force", command="ablate x.toml -o kept"),
    of("the trace as folder", WHOLE, "t.csv", command="ablate x.toml -o t.csv"),
    of("no workers", WHOLE, "--workers", command="ablate x.toml -o o --workers 0"),
    of("memory in words", WHOLE, "memory", command="ablate x.toml -o o --memory lots"),
    of("an address that is none", WHOLE, "dask", command="ablate x.toml -o o --dask here", writes=("o",)),
    of(
        "a folder of another experiment",
        WHOLE,
        'o: has the points of another experiment, "y"',
        files={"o/experiment.toml": PLAIN.replace('"x"', '"y"')},
    ),
    of(
        "a page that somebody else wrote",
        WHOLE,
        "o/ablation/report.html",
        "no page that Reclaim drew",
        files={"o/experiment.toml": PLAIN + SCHEMES + WHOLE, "o/ablation/report.html": "mine\n"},
        writes=("o/points",),
    ),
]
"""Where it would be written."""

API = [
    Case("a number as experiment", call="reclaim.ablate(5, 'o')", says="a path (text or pathlib.Path)"),
    Case(
        "a sweep's experiment in Python",
        call="reclaim.ablate({'name': 'x', 'devices': ['d.toml'], 'traces': ['t.csv']}, 'o')",
        says="[ablate] is missing",
    ),
    Case("no workers in Python", call="reclaim.ablate('x.toml', 'o', workers=0)", says="workers"),
    Case(
        "a progress that cannot be called", call="reclaim.ablate('x.toml', 'o', progress=5)", says="progress"
    ),
]
"""The same from Python."""

CASES = [*SECTIONS, *DRIVES, *FOLDERS, *API]
