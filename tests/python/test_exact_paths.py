"""Folders whose names are patterns, homes, addresses or columns to a library, beside what they match."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import reclaim
from conftest import ran
from reclaim import table_file
from reclaim.experiment.experiment import Experiment
from reclaim.paper.figures import LevelRuns
from reclaim.paper.latencies import distributions_of, with_job_times
from reclaim.study.sweep import Sweep, Swept
from small_set import write_set
from study.small import experiment

QUICK = {"[!x]": "y", "scheme=fifo": "scheme=greedy"}
"""Names, each with a neighbour that it matches as a pattern or becomes as something else."""
MORE = dict(
    pair.split(" → ")
    for line in (
        "zz[1] → zz1 | r? → rr | ** → deep | {a,b} → a | ~root → root | trace=1 → x | it's → its | a\"b → ab",
        "o* → other | ~ → home | a\\b → ab | http: → http | s3: → s3",
        "a b%20c → a b c | $HOME → HOME | - → minus | .hidden → hidden | ä€\u202e → a",
    )
    for pair in line.split(" | ")
)
NAMES = QUICK | MORE
SWEEP = Sweep(Experiment.from_dict(experiment()))


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two sets: one of two points, one of a single point."""
    top = tmp_path_factory.mktemp("exact")
    small = {"traces": ["busy"], "schemes": ["greedy"], "axis": ["1"]}
    return write_set(top / "two", repeats=2, **small), write_set(top / "one", repeats=1, **small)


@pytest.fixture(scope="module")
def expected(sets: tuple[Path, Path]) -> dict[str, object]:
    return {name: frame(reader(sets[0])) for name, reader in READERS.items()}


@pytest.fixture(
    params=[*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE)],
    ids=lambda name: name.encode("ascii", "backslashreplace").decode(),
)
def named(request: pytest.FixtureRequest, sets: tuple[Path, Path], tmp_path: Path) -> Path:
    """The set of two points under the name, beside one of a point under a name that it matches."""
    shutil.copytree(sets[1], tmp_path / NAMES[request.param])
    return Path(shutil.copytree(sets[0], tmp_path / request.param))


def requests_of(point: Path) -> tuple[int | None, int]:
    result = reclaim.Result.load(point)
    return result.latency.percentile(50), pl.DataFrame(result.timeline).height


READERS: dict[str, Callable[[Path], object]] = {
    "points": lambda at: reclaim.ResultSet.load(at).points,
    "histograms": lambda at: reclaim.ResultSet.load(at).histograms.collect(),  # type: ignore[union-attr]
    "timelines": lambda at: reclaim.ResultSet.load(at).timelines.collect(),  # type: ignore[union-attr]
    "gc_logs": lambda at: reclaim.ResultSet.load(at).gc_logs.collect(),  # type: ignore[union-attr]
    "SQL of points": lambda at: reclaim.ResultSet.load(at).query("SELECT point, scheme, trace FROM points"),
    "SQL of histograms": lambda at: reclaim.ResultSet.load(at).query("SELECT sum(count) FROM histograms"),
    "SQL of some points": lambda at: (
        reclaim.ResultSet.load(at).filter(repeat=0).query("SELECT count(*) FROM timelines")
    ),
    "the levels at the end of a sweep": lambda at: SWEEP.outcome(Swept(at, 2, 0))[0],
    "a result": lambda at: requests_of(at / "points" / f"{0:016x}"),
    "distributions of a paper": lambda at: distributions_of(at, reclaim.ResultSet.load(at).points),
    "times of jobs": lambda at: with_job_times(reclaim.ResultSet.load(at).points, at),
    "timelines of a paper": lambda at: LevelRuns("quick", "own", pl.DataFrame(), at.parent).timelines(
        at.name
    ),
    "tables of files": lambda at: table_file.read_all([at / "histograms.parquet"], "file").drop("file"),
}
"""What reads tables, all of it."""


def frame(found: object) -> object:
    return found.rows() if isinstance(found, pl.DataFrame) else found


def test_a_folder_is_taken_by_its_name(
    named: Path, expected: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(named.parent)
    for at in (named, Path(named.name)):
        assert {name: frame(reader(at)) for name, reader in READERS.items()} == expected


def test_tables_are_written_where_they_are_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    rows = pl.DataFrame({"a": [1]})
    for name in NAMES:
        folder = Path(name)
        folder.mkdir()
        table_file.write(rows, folder / "t.parquet")
        assert [each.name for each in folder.iterdir()] == ["t.parquet"]
        assert table_file.read(folder / "t.parquet", {"a": "number"}).equals(rows)


def test_a_sweep_and_its_commands_use_their_own_folder(tmp_path: Path) -> None:
    """`sweep -o 'zz[1]'` and `results show 'o*'`, once through: what they print is of that folder."""
    for name, more in (("two", {}), ("one", {"schemes": ["greedy"], "repeats": {"count": 1}})):
        (tmp_path / f"{name}.toml").write_text(Experiment.from_dict(experiment(axes={}, **more)).text)

    def run(*words: str) -> str:
        done = ran(tmp_path, *words)
        assert done.returncode in (0, 1, 3), done.stderr
        return done.stdout

    plain = run("sweep", "two.toml", "-o", "plain", "--no-report")
    run("sweep", "one.toml", "-o", "zz1", "--no-report")
    assert run("sweep", "two.toml", "-o", "zz[1]", "--no-report").replace("zz[1]", "plain") == plain
    (tmp_path / "zz[1]").rename(tmp_path / "z*")
    for words in (("show",), ("query", "SELECT count(*) FROM points")):
        assert run("results", *words, "z*") == run("results", *words, "plain")
