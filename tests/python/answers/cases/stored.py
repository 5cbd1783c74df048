"""What was stored and is read back: sweeps, points, tables and states that somebody changed since."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl

from answers.case import DRIVE, RUN, SAVED, TRACE, Case, Moment, Thing
from reclaim.result.sets.remarks_table import TABLE as REMARKS

EXPERIMENT = """name = "e"
devices = ["d.toml"]
traces = ["t.csv"]
schemes = ["greedy", "fifo"]
[axes]
"gc.pages_in_flight" = [1, 2]
[record]
gc = true
"""
FOREVER = "SELECT count(*) FROM range(100000000000) a, points"
HUGE = "SELECT string_agg(repeat('x', 1000000)) FROM range(100000)"
AGAIN = "run the sweep again"


@cache
def _swept() -> Path:
    """A sweep of four points, made once for all cases."""
    import reclaim

    top = Path(tempfile.mkdtemp(prefix="answers-"))
    for name, text in (("d.toml", DRIVE), ("t.csv", TRACE), ("e.toml", EXPERIMENT)):
        (top / name).write_text(text)
    reclaim.sweep(top / "e.toml", top / "out")
    return top / "out"


def point_of() -> Path:
    """One of the points of that sweep."""
    return min((_swept() / "points").iterdir())


def a_state(path: Path) -> None:
    """The state of that sweep's drive after a warm-up."""
    import reclaim

    top = _swept().parent
    drive, trace = reclaim.Device.load(top / "d.toml"), reclaim.open_trace(top / "t.csv")
    reclaim.simulate(drive, trace, warmup="filled", save_state=path, warn=False)


def sweep(change: Callable[[Path], object] = lambda _: None) -> Callable[[Path], None]:
    """The folder of a sweep, with something done to it."""

    def make(path: Path) -> None:
        shutil.copytree(_swept(), path)
        change(path)

    return make


def changed(name: str, how: Callable[[Path], object], *, kept: bool = False) -> Callable[[Path], object]:
    """A file that is another since; the manifest, which would notice, is removed or kept."""

    def change(folder: Path) -> None:
        how(folder / name)
        if not kept:
            (folder / "manifest.json").unlink()

    return change


def table(name: str, column: pl.Expr, *, kept: bool = False) -> Callable[[Path], object]:
    """Another column in a table."""
    return changed(name, lambda at: pl.read_parquet(at).with_columns(column).write_parquet(at), kept=kept)


def garbage(name: str) -> Callable[[Path], object]:
    """A file that holds something else."""
    return changed(name, lambda at: at.write_bytes(b"\xff\xfe damaged"))


def without_column(at: Path) -> None:
    """Points that lack a column."""
    pl.read_parquet(at).drop("vary").write_parquet(at)


def cut(at: Path) -> None:
    """Zeros in place of all but the head and the description of a table."""
    data = bytearray(at.read_bytes())
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    data[4:end] = bytes(end - 4)
    at.write_bytes(data)


def results(**values: object) -> Callable[[Path], None]:
    """Results of a run with other values at some paths."""

    def make(path: Path) -> None:
        point = point_of()
        data = json.loads((point / "results.json").read_text())
        for place, value in values.items():
            *above, last = place.split("__")
            inner = data
            for key in above:
                inner = inner[key]
            inner[last] = value
        path.write_text(json.dumps(data))

    return make


def set_of(
    name: str, command: str, change: Callable[[Path], object] | None, *says: str, **how: object
) -> Case:
    """A case of a sweep's folder."""
    made = sweep() if change is None else sweep(change)
    return Case(name, f"results {command}", says, files={"out": made}, **how)  # type: ignore[arg-type]


def asked(source: str, *says: str) -> Case:
    """A call of a set of results that is refused."""
    call = f"import polars as pl\nfound = reclaim.ResultSet.load('out')\n{source}"
    return Case(source.splitlines()[-1], call=call, says=says, files={"out": sweep()})


def damaged(says: str, **values: object) -> Case:
    """Results that are not what they should be."""
    told = "r.json: was changed, or is damaged: ", says, "run the simulation again"
    files = {"r.json": results(**values)}
    return Case(f"results: {says}", call="reclaim.Result.load('r.json')", says=told, files=files)


TEXT = pl.lit("many")
POINTS_FILE, HISTOGRAMS = "points.parquet", "histograms.parquet"
CHANGED = "was changed since the sweep wrote it"
AMPLIFIED = pl.lit(99.0).alias("gc_write_amplification")
QUERY, COUNTED = "query 'SELECT 1' out", "query 'SELECT sum(count) FROM histograms' out"
DOUBLED = (pl.col("count") * 2).alias("count")


def point_changed(folder: Path) -> None:
    """Another figure of one point."""
    results(gc__write_amplification=99)(min((folder / "points").iterdir()) / "results.json")


SETS = [
    Case("a folder without a set", "results show kept", "no points.parquet"),
    set_of("no points", "show out", lambda at: (at / POINTS_FILE).unlink(), AGAIN),
    set_of("damaged points", "show out", garbage(POINTS_FILE), "out/points.parquet: cannot be"),
    set_of("points changed", "show out", table(POINTS_FILE, AMPLIFIED, kept=True), CHANGED, AGAIN),
    set_of(
        "points without a column", "show out", changed(POINTS_FILE, without_column), "no column vary in it"
    ),
    *(
        set_of(
            f"points whose {column} is of another kind",
            "show out",
            table(POINTS_FILE, value.alias(column)),
            f'"{column}"',
            "out/points.parquet: is not the table it should be",
        )
        for column, value in (("repeat", TEXT), ("trace", pl.lit(5)), ("read_mean_ns", TEXT))
    ),
    set_of(
        "histograms changed",
        COUNTED,
        table(HISTOGRAMS, DOUBLED, kept=True),
        f"out/histograms.parquet: {CHANGED}",
    ),
    set_of(
        "no histograms", QUERY, lambda at: (at / HISTOGRAMS).unlink(), "parquet: cannot be read: No", AGAIN
    ),
    set_of("damaged histograms", COUNTED, garbage(HISTOGRAMS), "out/histograms.parquet"),
    set_of(
        "histograms of text", "report out", table(HISTOGRAMS, TEXT.alias("upper_ns")), "String, and should"
    ),
    set_of("a distribution without its end", COUNTED, changed(HISTOGRAMS, cut), "out/histograms.parquet"),
    set_of(
        "a point changed", "show out", point_changed, "results.json was changed; run the sweep again", code=0
    ),
    set_of(
        "no table of what points say",
        "show out",
        lambda at: (at / REMARKS).unlink(),
        "remarks.parquet",
        AGAIN,
    ),
]
"""Sets that were changed."""

SQL = [
    set_of("SQL beyond its time", f'query "{FOREVER}" out --time-limit 0.3', None, "0.3 s"),
    set_of("a time limit of nothing", f"{QUERY} --time-limit 0", None, "above 0"),
    set_of(
        "Ctrl-C in SQL",
        f'query "{FOREVER}" out',
        None,
        "stopped",
        moment=Moment("SIGINT", after_seconds=1.0),
        code=130,
        lines=2,
    ),
    set_of("one step", f'query "{HUGE}" out --time-limit 1 --memory 8GiB', None, "not answered within 1 s"),
    set_of("SQL beyond its memory", f'query "{HUGE}" out --memory 200MiB', None, "memory than the 200 MiB"),
    set_of(
        "memory that is no size", f"{QUERY} --memory lots", None, '"lots": expected a size such as "16GiB"'
    ),
]
"""Queries that take long."""

CALLS = [
    asked("found.results('../..')", 'no point "../.."'),
    asked("found.report('')", "path is empty"),
    asked("found.save_figures('f', 'pdf')", "formats must be a list of text, not 'pdf'; write [\"pdf\"]"),
    asked("found.intervals({'read_p99_ns': 1})", "metrics must be a list of text"),
    asked(
        "reclaim.ResultSet(found.folder, found.points.with_columns(trace=pl.lit('scheme')))"
        ".pivot('scheme', 'trace', 'read_mean_ns')",
        '"scheme" is a trace and a column of the index',
    ),
    asked("found.filter(repeat='x')", "column repeat has numbers"),
    asked("found.plot.cdf('read')", "classes must be a list of text"),
    asked("found.plot.cdf(['raed'])", "did you mean read"),
    asked("found.plot.bars(5)", "metrics must be a list of text"),
    asked("found.plot.lines(5)", "axis must be text"),
    asked("found.plot.timeline(5)", "trace must be text"),
    asked("found.plot.timeline('x')", 'no trace "x"'),
    *(
        Case(call, call=call, says=says)
        for call, says in (
            ("reclaim.compare('t.csv', 'd.toml', 'greedy')", '["greedy"]'),
            ("reclaim.compare('t.csv', 'd.toml', ['greedy'], set=['a'])", "set must be a mapping"),
            ("reclaim.sweep(5, 'out')", "experiment must be a reclaim.Experiment or a path"),
            ("reclaim.sweep({}, 'out', workers=0.5)", "workers must be"),
        )
    ),
]
"""Calls."""


def histograms(path: Path) -> None:
    """A distribution of text."""
    pl.DataFrame({"class": ["read"], "upper_ns": ["x"], "count": [1]}).write_parquet(path)


def of_run(call: str, *says: str, **files: Thing) -> Case:
    """A case of a run's folder with these files of it damaged."""
    inside = {f"in/{name.replace('_', '.')}": each for name, each in files.items()}
    return Case(f"{call}: {says[0]}", call=call, says=says, files={"in/results.json": results()} | inside)


POINTS = [
    damaged("gc is 5, and should be a table", gc=5),
    damaged('gc.write_amplification is "99"', gc__write_amplification="99"),
    damaged("requests.read.p99_ns is a list", requests__read__p99_ns=[{}]),
    damaged("requests.read.count is missing", requests__read__count=None),
    damaged("requests is a list", requests=[]),
    damaged("trace.name is 5", trace__name=5),
    damaged("verdict.doubts is missing", verdict__doubts=None),
    damaged("verdict.notes[1]", verdict__notes=["all is well"]),
    damaged('policies is "none"', policies="none"),
    damaged("latency_cdf.read", latency_cdf__read=["x"]),
    of_run("reclaim.Result.load('in')", "in/config.toml: no UTF-8 text", config_toml=b"\xff\xfe"),
    of_run(
        "reclaim.Result.load('in').histograms", "in/histograms.parquet: cannot", histograms_parquet=b"PAR1"
    ),
    of_run(
        "reclaim.Result.load('in').requests", "in/requests.parquet: cannot be read", requests_parquet=b"PAR1"
    ),
    of_run(
        "reclaim.Result.load('in').read.latency.percentile(99.5)",
        "in/histograms.parquet",
        "should be number",
        histograms_parquet=histograms,
    ),
]
"""Results of one run that were changed."""

TWICE = """reclaim.simulate(drive, trace, warmup='filled', save_state='a.state', warn=False)
os.truncate('a.state', 5000)
reclaim.simulate(drive, trace, warmup='filled', load_state='a.state')"""
SAVED_STATE = {"s": a_state}
LOAD = f"{RUN} --json --load-state s --warmup"
STATES = [
    Case(
        "a damaged state",
        call=TWICE,
        says=("a.state: the saved state is damaged", "--save-state"),
        writes=("a.state",),
    ),
    Case("another warm-up", f"{LOAD} empty", "saved after another warm-up (filled", files=SAVED_STATE),
    Case("a state, whatever its warm-up", f"{RUN} --json --load-state s", files=SAVED_STATE, code=SAVED),
    Case("a state of this warm-up", f"{LOAD} filled", files=SAVED_STATE, code=SAVED),
    Case("no state", f"{RUN} --load-state notes.txt", ("notes.txt: not a drive state", "--save-state")),
]
"""States."""

FEW = {"RLIMIT_NOFILE": 9}
LIMITS = [
    Case(
        "9 open files and a sweep",
        "sweep e.toml -o out",
        "out: cannot write a sweep here: this process may open only 9 files",
        limits=FEW,
        fresh=True,
        files={"e.toml": EXPERIMENT},
    ),
    Case("9 open files and a page", "trace info t.csv --html p.html", "only 9 files", limits=FEW, fresh=True),
    set_of("9 open files and SQL", QUERY, None, "out: results cannot be read", "only 9 files", limits=FEW),
]
"""Few open files."""

DISKS = [
    Case(
        "a table on a disk that is almost full",
        call="import polars as pl\nfrom reclaim import table_file\n"
        "table_file.write(pl.DataFrame({'a': range(1000)}), Path('out.parquet'))",
        limits={"RLIMIT_FSIZE": 1000},
        says="out.parquet: cannot be written: File too large",
        writes=("out.parquet",),
    )
]
"""Disks that are almost full."""

CASES = [*SETS, *SQL, *CALLS, *POINTS, *STATES, *LIMITS, *DISKS]
