"""Ablations: sections that say nothing or too much, schemes that cannot be taken apart, folders of others."""

from __future__ import annotations

from answers.case import Case
from answers.cases.experiments import PLAIN

SCHEMES = 'schemes = ["greedy", "fifo+gc.pages_in_flight=4"]\n'
FROM = '[ablate]\nbaseline = "greedy"\n'
TO = 'candidate = "fifo+gc.pages_in_flight=4"\n'
METRICS = 'metrics = ["write_mean_ns"]\n'
SECTION = FROM + TO + METRICS
MOVED = (
    '"gc.trigger.start" = "2 blocks", "gc.pages_in_flight" = 4, "flash.t_read" = "95us", '
    '"channel.command_cycle" = "2ns", "controller.lookup" = "1us"'
)
WHOLE = f'[set]\n"warmup.kind" = "filled"\n{SECTION}'
RUN = "ablate x.toml -o o"


def of(
    name: str, text: str, *says: str, command: str = RUN, schemes: str = SCHEMES, **further: object
) -> Case:
    """A case of an experiment with two schemes and this text behind what every one needs."""
    files = {"x.toml": PLAIN + schemes + text, **further.pop("files", {})}  # type: ignore[dict-item]
    return Case(name, command, says, files=files, **further)  # type: ignore[arg-type]


def to(name: str, scheme: str, *says: str, told: str, more: str = "", **further: object) -> Case:
    """A case of another scheme to end at, which is listed so."""
    text = f'{FROM}candidate = "{scheme}"\n{METRICS}{more}'
    schemes = f'schemes = ["greedy", {{ name = "{scheme}", {told} }}]\n'
    return of(name, text, *says, schemes=schemes, **further)


ITSELF = f'{FROM}candidate = "greedy"\n{METRICS}'
PARTS = "[ablate.parts]\n"
SECTIONS = [
    of("no section", "", "x.toml: [ablate] is missing"),
    of("a section that is a number", "ablate = 3\n", "x.toml:5: ablate", "[ablate]"),
    of("an unknown key", f"{SECTION}scheme = 1\n", "x.toml:9: ablate.scheme", "valid: "),
    of("no scheme to start from", f"[ablate]\n{TO}{METRICS}", "x.toml:5: ablate: baseline is missing"),
    of(
        "an unknown scheme",
        SECTION.replace("gr", "gp"),
        "x.toml:6: ablate.baseline",
        'did you mean "greedy"?',
    ),
    of("a scheme that is a number", f"[ablate]\nbaseline = 1\n{TO}{METRICS}", "x.toml:6: ablate.baseline"),
    of(
        "from a scheme to itself",
        ITSELF,
        'x.toml:7: ablate.candidate: is "greedy", as baseline is; name another',
    ),
    of("the only scheme to itself", ITSELF, "list it in schemes", schemes='schemes = ["greedy"]\n'),
    to(
        "other requests",
        "b",
        "x.toml:5: ablate:",
        "differ in seed",
        "[axes]",
        told='schemes = ["fifo"], set = { "seed" = 2 }',
    ),
    of("no metrics", FROM + TO, "x.toml:5: ablate: metrics is missing"),
    of("an empty list of metrics", f"{FROM}{TO}metrics = []\n", "x.toml:8: ablate.metrics: must be a list"),
    of(
        "an unknown metric",
        SECTION.replace("_ns", ""),
        "x.toml:8: ablate.metrics[1]",
        'mean "write_mean_ns"?',
    ),
    of(
        "a metric like none", SECTION.replace("write_mean_ns", "speed"), "ablate.metrics[1]", "points.parquet"
    ),
    of("an odd number of orders", f"{SECTION}orderings = 7\n", "ablate.orderings", "even", "give 8"),
    of("orders in words", f'{SECTION}orderings = "all"\n', "x.toml:9: ablate.orderings", "2 to 10000"),
    of("a seed below 0", f"{SECTION}seed = -1\n", "x.toml:9: ablate.seed", "from 0 to"),
    of("parts that are a list", f"{SECTION}parts = [1]\n", "x.toml:9: ablate.parts: must be a table"),
    of("a part that is no list", f'{SECTION}{PARTS}a = "gc.victim"\n', "x.toml:10: ablate.parts.a", "list"),
    of(
        "a key in two parts",
        f'{SECTION}{PARTS}a = ["gc.victim"]\nb = ["gc.victim"]\n',
        'x.toml:11: ablate.parts.b[1]: "gc.victim" is in the part "a"',
    ),
]
"""What the section itself shows to be wrong."""

NO_KEY = f'{WHOLE}{PARTS}a = ["gc.victm"]\n'
NOTHING = f'{WHOLE}{PARTS}a = ["gc.victim"]\nb = ["gc.victim.kind"]\n'
DRIVES = [
    of("a part of an unknown key", NO_KEY, "x.toml:12: ablate.parts.a[1]", 'did you mean "gc.victim"?'),
    of("the same told by check", NO_KEY, "x.toml:12: ablate.parts.a[1]", command="check x.toml"),
    of(
        "a key of no part",
        f'{WHOLE}{PARTS}a = ["gc.trigger"]\n',
        "differ in: gc.victim.kind, gc.pages_in_flight",
    ),
    of("a part without keys", NOTHING, "x.toml:12: ablate.parts.a[1]", "other parts name all that is below"),
    to(
        "two names of one drive",
        "b",
        'x.toml:7: ablate.candidate: "greedy" and "b"',
        told='schemes = ["greedy"]',
    ),
    to("no drive", "b", "d.toml, t.csv, b, repeat 0: scheme dgc: gc.deferral: ", told='schemes = ["dgc"]'),
    to(
        "an ablation of many points",
        "b",
        "[ablate] makes 128 points (64 subsets × 1 workloads × 2 repeats); the most is 100",
        told=f'schemes = ["fifo"], set = {{ {MOVED} }}',
        more="[repeats]\ncount = 2\n",
        command="",
        call="from reclaim.study.ablation import plan\nplan.MOST_POINTS = 100\nreclaim.ablate('x.toml', 'o')",
    ),
]
"""What only the drives of both schemes show to be wrong."""

PAGE = "o/ablation/report.html"
OTHERS = {"o/experiment.toml": PLAIN.replace('"x"', '"y"')}
DRAWN = {"o/experiment.toml": PLAIN + SCHEMES + WHOLE, PAGE: "mine\n"}
CASES = [
    *SECTIONS,
    *DRIVES,
    of("no folder", WHOLE, "--output", command="ablate x.toml"),
    of("a folder with other things", WHOLE, "kept", "--force", command="ablate x.toml -o kept"),
    of("no workers", WHOLE, "--workers", command=f"{RUN} --workers 0"),
    of("memory in words", WHOLE, "memory", command=f"{RUN} --memory lots"),
    of("an address that is none", WHOLE, "dask", command=f"{RUN} --dask here", writes=("o",)),
    of("a folder of another experiment", WHOLE, 'o: has the points of another experiment, "y"', files=OTHERS),
    of("a page of somebody", WHOLE, PAGE, "no page that Reclaim drew", files=DRAWN, writes=("o/points",)),
]
