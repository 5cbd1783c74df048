"""What was stored and is read back: sweeps, points, tables and states that somebody changed since."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl

from answers.case import DRIVE, RUN, TRACE, Case, Moment

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


def sweep(change: Callable[[Path], object] = lambda _: None) -> Callable[[Path], None]:
    """The folder of a sweep, with something done to it."""

    def make(path: Path) -> None:
        shutil.copytree(_swept(), path)
        change(path)

    return make


def table(name: str, *columns: pl.Expr, kept: bool = False) -> Callable[[Path], object]:
    """Other columns in a table; the manifest, which would notice, is removed or kept."""

    def change(folder: Path) -> None:
        frame = pl.read_parquet(folder / name)
        frame.with_columns(*columns).write_parquet(folder / name)
        if not kept:
            (folder / "manifest.json").unlink()

    return change


def garbage(name: str) -> Callable[[Path], object]:
    """A file that holds something else, which no manifest has a checksum of."""

    def change(folder: Path) -> None:
        (folder / name).write_bytes(b"\xff\xfe damaged")
        (folder / "manifest.json").unlink()

    return change


def cut(name: str) -> Callable[[Path], object]:
    """Zeros in place of all but the head and the description of a table."""

    def change(folder: Path) -> None:
        data = bytearray((folder / name).read_bytes())
        end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        data[4:end] = bytes(end - 4)
        (folder / name).write_bytes(data)
        (folder / "manifest.json").unlink()

    return change


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


def set_of(name: str, command: str, change: Callable[[Path], object], *says: str, **how: object) -> Case:
    """A case of a sweep's folder."""
    return Case(name, command, says=says, files={"out": sweep(change)}, **how)  # type: ignore[arg-type]


def asked(source: str, *says: str, name: str = "") -> Case:
    """A call of a set of results that is refused."""
    source = f"import polars as pl\nfound = reclaim.ResultSet.load('out')\n{source}"
    return Case(name or source.splitlines()[-1], call=source, says=says, files={"out": sweep()})


def damaged(name: str, says: str, **values: object) -> Case:
    """Results that are not what they should be."""
    return Case(
        f"results: {name}",
        call="reclaim.Result.load('r.json')",
        says=("r.json: was changed, or is damaged: ", says, "run the simulation again"),
        files={"r.json": results(**values)},
    )


TEXT = pl.lit("many")
SETS = [
    set_of("no points", "results show out", lambda at: (at / "points.parquet").unlink(), AGAIN),
    set_of("damaged points", "results show out", garbage("points.parquet"), "out/points.parquet: cannot be"),
    set_of(
        "points changed",
        "results show out",
        table("points.parquet", pl.lit(99.0).alias("gc_write_amplification"), kept=True),
        "out/points.parquet: was changed since the sweep wrote it",
        AGAIN,
    ),
    set_of(
        "points without a column",
        "results show out",
        lambda at: (
            table("points.parquet", pl.col("vary").alias("v"))(at)
            or pl.read_parquet(at / "points.parquet").drop("vary").write_parquet(at / "points.parquet")
        ),
        "no column vary in it",
    ),
    *(
        set_of(
            f"points whose {column} is of another kind",
            "results show out",
            table("points.parquet", value.alias(column)),
            f'"{column}"',
            "out/points.parquet: is not the table it should be",
        )
        for column, value in (
            ("repeat", TEXT),
            ("point", pl.lit(5)),
            ("trace", pl.lit(5)),
            ("verdict", pl.lit(5)),
            ("read_mean_ns", TEXT),
            ("gc_write_amplification", TEXT),
        )
    ),
    set_of(
        "histograms changed",
        "results report out",
        table("histograms.parquet", (pl.col("count") * 2).alias("count"), kept=True),
        "out/histograms.parquet: was changed since the sweep wrote it",
    ),
    set_of(
        "histograms gone",
        "results query 'SELECT 1' out",
        lambda at: (at / "histograms.parquet").unlink(),
        "out/histograms.parquet: cannot be read: No such file",
        AGAIN,
    ),
    set_of(
        "damaged histograms", "results report out", garbage("histograms.parquet"), "out/histograms.parquet"
    ),
    set_of(
        "damaged histograms and SQL",
        "results query 'SELECT * FROM histograms' out",
        garbage("histograms.parquet"),
        "out/histograms.parquet: cannot be read",
    ),
    set_of(
        "histograms of text",
        "results report out",
        table("histograms.parquet", TEXT.alias("upper_ns")),
        'column "upper_ns" is String, and should be number',
    ),
    set_of(
        "a distribution without its end",
        "results query 'SELECT sum(count) FROM histograms' out",
        cut("histograms.parquet"),
        "out/histograms.parquet",
    ),
    set_of(
        "a point changed",
        "results show out",
        lambda at: results(gc__write_amplification=99)(min((at / "points").iterdir()) / "results.json"),
        "results.json was changed; run the sweep again",
        code=0,
    ),
    Case("a point that is no name", call="reclaim.ResultSet.load(5)", says="folder must be a path"),
    Case("a folder with a null", call="reclaim.ResultSet.load('a\\0b')", says="zero character"),
]
"""Sets that were changed."""

SQL = [
    set_of("SQL beyond its time", f'results query "{FOREVER}" out --time-limit 0.3', lambda _: None, "0.3 s"),
    set_of(
        "a time limit of nothing", "results query 'SELECT 1' out --time-limit 0", lambda _: None, "above 0"
    ),
    set_of(
        "a time limit of text", "results query 'SELECT 1' out --time-limit 5s", lambda _: None, "--time-limit"
    ),
    set_of(
        "Ctrl-C in SQL",
        f'results query "{FOREVER}" out',
        lambda _: None,
        "stopped",
        moment=Moment("SIGINT", after_seconds=1.0),
        code=130,
        lines=2,
    ),
    set_of(
        "SQL beyond its time in one step",
        f'results query "{HUGE}" out --time-limit 1 --memory 8GiB',
        lambda _: None,
        "not answered within 1 s",
    ),
    set_of(
        "SQL beyond its memory",
        f'results query "{HUGE}" out --memory 200MiB',
        lambda _: None,
        "needs more memory than the 200 MiB",
        "--memory (memory)",
    ),
    set_of(
        "memory that is no size",
        "results query 'SELECT 1' out --memory lots",
        lambda _: None,
        '--memory (memory)="lots": expected a size such as "16GiB"',
    ),
    asked("found.query('SELECT 1', memory=5)", "memory must be text"),
    asked(f"found.query('{FOREVER}', time_limit_s=0.2)", "not answered within 0.2 s"),
    asked("found.query('SELECT 1', time_limit_s=-1)", "above 0 seconds"),
    asked("found.query('SELECT 1', time_limit_s='5s')", "time_limit_s must be a number"),
    asked("found.query(5)", "sql must be text, not 5"),
]
"""Queries that take long."""

CALLS = [
    asked("found.results(5)", "point must be text"),
    asked("found.results('../..')", 'no point "../.."'),
    asked("found.report('a\\0b')", "no path has a zero character in it", name="found.report('a, null, b')"),
    asked("found.report(5)", "path must be a path"),
    asked("found.report('')", "path is empty"),
    asked("found.save_figures('f', 'pdf')", "formats must be a list of text, not 'pdf'; write [\"pdf\"]"),
    asked("found.save_figures(5)", "folder must be a path"),
    asked("found.save_figures('f', [5])", "formats must be a list of text"),
    asked("found.normalize(to=5)", "to must be text"),
    asked("found.normalize(by=5)", "by must be text"),
    asked("found.normalize(over=5)", "over must be text"),
    asked("found.normalize(metrics=5)", "metrics must be a list of text"),
    asked("found.intervals([5])", "metrics must be a list of text"),
    asked("found.intervals({'read_p99_ns': 1})", "metrics must be a list of text"),
    asked("found.pivot(5, 'scheme', 'read_mean_ns')", "index must be text or a list of text"),
    asked("found.pivot('trace', 5, 'read_mean_ns')", "columns must be text"),
    asked("found.pivot('trace', 'scheme', 5)", "metric must be text"),
    asked(
        "reclaim.ResultSet(found.folder, found.points.with_columns(trace=pl.lit('scheme')))"
        ".pivot('scheme', 'trace', 'read_mean_ns')",
        '"scheme" is a trace and a column of the index',
        name="pivot of a trace called scheme",
    ),
    asked("found.filter(repeat='x')", "column repeat has numbers"),
    asked("found.filter(repeat=object)", "column repeat has numbers"),
    asked("found.plot.cdf('read')", "classes must be a list of names"),
    asked("found.plot.cdf(['raed'])", "did you mean read"),
    asked("found.plot.bars(5)", "metrics must be a list of text"),
    asked("found.plot.lines(5)", "axis must be the name of one"),
    asked("found.plot.timeline(5)", "trace must be the name of one"),
    asked("found.plot.timeline('x')", 'no trace "x"'),
    Case("compare, one scheme", call="reclaim.compare('t.csv', 'd.toml', 'greedy')", says='["greedy"]'),
    Case(
        "compare, a number",
        call="reclaim.compare('t.csv', 'd.toml', [5])",
        says="schemes must be a list of text",
    ),
    Case("compare, no trace", call="reclaim.compare(5, 'd.toml', ['greedy'])", says="trace must be a path"),
    Case(
        "compare, settings",
        call="reclaim.compare('t.csv', 'd.toml', ['greedy'], set=['a'])",
        says="set must be a mapping",
    ),
    Case(
        "sweep of a number",
        call="reclaim.sweep(5, 'out')",
        says="experiment must be a reclaim.Experiment or a path",
    ),
    Case("sweep into a number", call="reclaim.sweep({}, 5)", says="output must be a path"),
    Case("sweep into a null", call="reclaim.sweep({}, 'a\\0b')", says="zero character"),
    Case("sweep by half a worker", call="reclaim.sweep({}, 'out', workers=0.5)", says="workers must be"),
    Case("sweep, memory", call="reclaim.sweep({}, 'out', memory=5)", says="memory must be text"),
    Case("sweep, progress", call="reclaim.sweep({}, 'out', progress=5)", says="progress must be a function"),
]
"""Calls."""

POINTS = [
    damaged("a section is a number", "gc is 5, and should be a table", gc=5),
    damaged("a figure is text", 'gc.write_amplification is "99"', gc__write_amplification="99"),
    damaged("a figure is a list", "requests.read.p99_ns is a list", requests__read__p99_ns=[{}]),
    damaged("a count is missing", "requests.read.count is missing", requests__read__count=None),
    damaged("requests are a list", "requests is a list", requests=[]),
    damaged("a name is a number", "trace.name is 5", trace__name=5),
    damaged("a verdict without reasons", "verdict.doubts is missing", verdict__doubts=None),
    damaged("a remark of text", "verdict.notes[1]", verdict__notes=["all is well"]),
    damaged("policies are text", 'policies is "none"', policies="none"),
    damaged("a distribution of text", "latency_cdf.read", latency_cdf__read=["x"]),
    Case(
        "a configuration that is no text",
        call="reclaim.Result.load('in')",
        says=("in/config.toml: no UTF-8 text",),
        files={"in/results.json": results(), "in/config.toml": b"\xff\xfe"},
    ),
    Case(
        "a table of text",
        call="reclaim.Result.load('in').read.latency.percentile(99.5)",
        says=("in/histograms.parquet", "should be number"),
        files={
            "in/results.json": results(),
            "in/histograms.parquet": lambda path: pl.DataFrame(
                {"class": ["read"], "upper_ns": ["x"], "count": [1]}
            ).write_parquet(path),
        },
    ),
    Case(
        "a damaged table",
        call="reclaim.Result.load('in').histograms",
        says="in/histograms.parquet: cannot be read",
        files={"in/results.json": results(), "in/histograms.parquet": b"PAR1 and no more"},
    ),
]
"""Results of one run that were changed."""

STATES = [
    Case(
        "a damaged state says what to do",
        call="reclaim.simulate(drive, trace, warmup='overwrite:1', save_state='disk.state', warn=False)\n"
        "os.truncate('disk.state', 5000)\n"
        "reclaim.simulate(drive, trace, warmup='overwrite:1', load_state='disk.state')",
        says=("disk.state: the saved state is damaged", "--save-state"),
        writes=("disk.state",),
    ),
    Case(
        "a state that is none says what to do",
        f"{RUN} --load-state notes.txt",
        says=("notes.txt: not a drive state", "leave out --load-state", "--save-state"),
    ),
]
"""States."""

FEW = {"RLIMIT_NOFILE": 9}
LIMITS = [
    Case(
        "9 open files and a sweep",
        "sweep e.toml -o out",
        limits=FEW,
        fresh=True,
        says="out: cannot write a sweep here: this process may open only 9 files",
        files={"e.toml": EXPERIMENT},
    ),
    set_of(
        "9 open files and a report",
        "results report out",
        lambda _: None,
        "only 9 files",
        limits=FEW,
        fresh=True,
    ),
    set_of(
        "9 open files and figures",
        "results report out -o p.html --figures pdf",
        lambda _: None,
        "only 9 files",
        limits=FEW,
        fresh=True,
    ),
    Case(
        "9 open files and a page",
        "trace info t.csv --html p.html",
        limits=FEW,
        fresh=True,
        says="only 9 files",
    ),
    set_of(
        "9 open files and SQL",
        "results query 'SELECT 1' out",
        lambda _: None,
        "out: results cannot be read",
        "only 9 files",
        limits=FEW,
    ),
]
"""Few open files."""

DISKS = [
    Case(
        f"a table where {left} bytes may be written",
        call="import polars as pl\nfrom reclaim import table_file\n"
        "frame = pl.DataFrame({'a': range(1000)})\n"
        "table_file.write(frame, Path('out.parquet'))",
        limits={"RLIMIT_FSIZE": left},
        says="out.parquet: cannot be written: File too large",
        writes=("out.parquet",),
    )
    for left in (100, 1000)
]
"""Disks that are almost full."""

CASES = [*SETS, *SQL, *CALLS, *POINTS, *STATES, *LIMITS, *DISKS]
