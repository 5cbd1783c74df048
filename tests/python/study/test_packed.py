"""Sweeps of many points, which share a file: the same tables as with folders, whatever ends them."""

from __future__ import annotations

import base64
import gzip
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command
from reclaim import InputError, ResultSet
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.names import FILE, Names
from reclaim.result.sets import packed
from reclaim.result.sets.log import LOG
from reclaim.study import sweep
from reclaim.study.merge import merge
from reclaim.study.store import Store
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep
from study import small


def experiment(**sections: Any) -> dict[str, Any]:
    """Eight points that record no tables but their histograms."""
    return small.experiment(**{"record": {}, **sections})


MADE = Experiment.from_dict(experiment())
TABLES = ("points.parquet", "histograms.parquet", "remarks.parquet")
FILES = "points/*.jsonl.gz"
HISTOGRAMS = "histograms.parquet"


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "MANY", 2)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sweep with a folder for each point; not to be changed."""
    folder = tmp_path_factory.mktemp("folders") / "set"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "MANY", 500)
        Sweep(MADE).run(folder, RunOptions(workers=1))
    return folder


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with one file for all; not to be changed."""
    folder = tmp_path_factory.mktemp("many") / "set"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "MANY", 2)
        Sweep(MADE).run(folder, RunOptions(workers=1))
    return folder


def same(folder: Path, other: Path) -> bool:
    return all((folder / name).read_bytes() == (other / name).read_bytes() for name in TABLES)


def lines(folder: Path) -> list[str]:
    return (folder / LOG).read_text().splitlines(keepends=True)


def test_tables_and_points_are_those_of_folders(folders: Path, many: Path) -> None:
    assert [each.name for each in (many / "points").iterdir()] == ["1.jsonl.gz"]
    assert same(many, folders)
    sets = [ResultSet.load(each) for each in (folders, many)]
    for point in sets[0].points["point"]:
        alone, among = (each.results(point) for each in sets)
        assert among.to_json() == alone.to_json()
        assert among.config_toml == alone.config_toml
        assert among.latency.percentile(99) == alone.latency.percentile(99)


def test_the_file_can_be_read_without_reclaim(folders: Path, many: Path) -> None:
    read = subprocess.run(["zcat", *many.glob(FILES)], check=True, capture_output=True).stdout
    told = {each["point"]: each["files"] for each in map(json.loads, read.splitlines())}
    assert told.keys() == {each.name for each in (folders / "points").iterdir()}
    for point, files in told.items():
        for name in ("results.json", "config.toml"):
            assert files[name] == (folders / "points" / point / name).read_text()


def test_a_set_of_many_is_shown_without_its_points(
    many: Path, folders: Path, tmp_path: Path, command: Command
) -> None:
    shutil.copytree(many, tmp_path / "set")
    shutil.rmtree(tmp_path / "set" / "points")
    shown = command("results", "show", tmp_path / "set", "--json").stdout
    assert shown == command("results", "show", folders, "--json").stdout


def test_going_on_makes_nothing_anew(many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(many, tmp_path / "set")
    tables = {name: (tmp_path / "set" / name).stat().st_mtime_ns for name in TABLES}
    monkeypatch.setattr(sweep, "consolidate", lambda *_: pytest.fail("tables are made anew"))
    monkeypatch.setattr(Experiment, "points", lambda *_: pytest.fail("drives are built"))
    swept = Sweep(MADE, folder=tmp_path / "set").run(tmp_path / "set")
    assert (swept.total, swept.before, swept.failures) == (8, 8, [])
    assert tables == {name: (tmp_path / "set" / name).stat().st_mtime_ns for name in TABLES}


def test_going_on_reads_each_point_once(many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(many, tmp_path / "set")
    read: list[int] = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda *given: (read.append(given[2]), pread(*given))[1])
    again = Sweep(MADE, folder=tmp_path / "set")
    swept = again.run(tmp_path / "set")
    again.brief(swept)
    again.outcome(swept)
    # The two schemes of the first workload are looked at once more: can they differ at all?
    assert (len(set(read)), len(read)) == (8, 10)


def test_tables_as_an_earlier_version_kept_them_are_read(folders: Path, many: Path, tmp_path: Path) -> None:
    there = tmp_path / "set"
    shutil.copytree(many, there)
    (file,) = there.glob(FILES)
    old, log = b"", ""
    for line in map(json.loads, lines(there)):
        if packed.KEY in line:
            files = {each.name: each.read_bytes() for each in (folders / "points" / line["point"]).iterdir()}
            table = base64.b64encode(files.pop(HISTOGRAMS)).decode()
            told = {name: data.decode() for name, data in files.items()} | {HISTOGRAMS: table}
            data = gzip.compress(json.dumps({"point": line["point"], "files": told}).encode())
            place = packed.Place(file.name, len(old), len(data), packed.checksum(data))
            line[packed.KEY] = place._asdict() | {"rows": 3}
            old += data
        log += json.dumps(line) + "\n"
    file.write_bytes(old)
    (there / LOG).write_text(log)
    for table in TABLES:
        (there / table).unlink()
    assert Sweep(MADE, folder=there).run(there).before == 8
    assert same(there, many)
    point = ResultSet.load(there).points["point"].item(0)
    loaded = [ResultSet.load(each).results(point).latency.percentile(99) for each in (there, folders)]
    assert loaded[0] == loaded[1]


def test_a_log_that_is_gone_is_begun_anew(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        store.log({"point": "a"})
        (tmp_path / LOG).unlink()
        store.log({"point": "b"})
    assert json.loads((tmp_path / LOG).read_text()) == {"point": "b"}


@pytest.mark.parametrize("kept", [1, 6, 11])
def test_what_a_killed_sweep_left_is_taken_up(many: Path, tmp_path: Path, kept: int) -> None:
    there = tmp_path / "set"
    shutil.copytree(many, there)
    (there / LOG).write_text("".join(lines(there)[:kept]) + '{"point": "cut')
    (file,) = there.glob(FILES)
    last = [json.loads(each).get(packed.KEY) for each in lines(there)[:kept]]
    ends = [each["at"] + each["size"] for each in last if each] or [0]
    # Half a line of a point that no log speaks of.
    file.write_bytes(file.read_bytes()[: max(ends) + 100])
    for table in TABLES:
        (there / table).unlink()
    swept = Sweep(MADE, folder=there).run(there)
    assert (swept.before, swept.failures, swept.damaged) == (sum(map(bool, last)), [], [])
    assert same(there, many)


def test_a_sweep_that_is_killed(many: Path, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(MADE.text)
    begun = "from reclaim.study import sweep; sweep.MANY = 2; from reclaim.cli import main; main()"
    words = ["sweep", "small.toml", "-o", "set", "--workers", "1", "--no-report"]
    with subprocess.Popen(
        [sys.executable, "-c", begun, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        deadline = time.monotonic() + 60
        while "stored" not in "".join(lines(tmp_path / "set") if (tmp_path / "set" / LOG).is_file() else []):
            assert time.monotonic() < deadline
            time.sleep(0.005)
        process.kill()
    swept = Sweep(MADE, folder=tmp_path / "set").run(tmp_path / "set")
    assert 1 <= swept.before <= 8
    assert (swept.failures, swept.damaged) == ([], [])
    assert same(tmp_path / "set", many)
    assert not [each for each in (tmp_path / "set" / "points").iterdir() if each.is_dir()]


def flipped(file: Path, at: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize(
    ("harm", "count"),
    [
        (lambda file: flipped(file, 50), 1),
        (lambda file: file.write_bytes(file.read_bytes()[:-10]), 0),
        (lambda file: file.unlink(), 0),
    ],
    ids=["changed", "cut", "gone"],
)
def test_points_that_are_not_as_they_were_run_again(
    many: Path, tmp_path: Path, harm: Callable[[Path], object], count: int
) -> None:
    there = tmp_path / "set"
    shutil.copytree(many, there)
    harm(*there.glob(FILES))
    swept = Sweep(MADE, folder=there).run(there)
    assert len(swept.damaged) == count
    assert all("1.jsonl.gz was changed; it is kept in set/damaged/" in each for each in swept.damaged)
    assert len(list(there.glob("damaged/*.jsonl.gz"))) == count
    assert same(there, many)
    assert Sweep(MADE, folder=there).run(there).before == 8


def test_a_result_of_a_changed_file_is_refused(many: Path, tmp_path: Path) -> None:
    there = tmp_path / "set"
    shutil.copytree(many, there)
    flipped(*there.glob(FILES), 50)
    point = json.loads(next(each for each in lines(there) if packed.KEY in each))["point"]
    with pytest.raises(InputError, match=r"1\.jsonl\.gz.* was changed; run the sweep again"):
        ResultSet.load(there).results(point)


def test_parts_of_many_are_put_together(many: Path, folders: Path, tmp_path: Path) -> None:
    parts = [tmp_path / str(part) for part in (1, 2, 3)]
    for part, folder in enumerate(parts, 1):
        Sweep(MADE).run(folder, RunOptions(workers=1, shard=(part, 3)))
    assert merge(parts, tmp_path / "all") == (8, 0)
    assert merge([many], tmp_path / "all") == (0, 8)
    assert merge([folders], tmp_path / "all") == (0, 8)
    assert Sweep(MADE, folder=tmp_path / "all").run(tmp_path / "all").before == 8
    assert same(tmp_path / "all", many)
    flipped(parts[0] / "points" / "1.jsonl.gz", 50)
    with pytest.raises(InputError, match="was changed since it was written"):
        merge(parts, tmp_path / "other")


def test_points_that_had_folders_stay_in_them(
    folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, more = tmp_path / "set", Experiment.from_dict(experiment(repeats={"count": 3}))
    shutil.copytree(folders, there)
    assert Sweep(more).run(there).before == 8
    assert len(list(there.glob("points/*/results.json"))) == 8
    assert len(list(there.glob(FILES))) == 1
    monkeypatch.setattr(sweep, "MANY", 500)
    Sweep(more).run(tmp_path / "folders")
    assert same(there, tmp_path / "folders")


def test_names_hold_while_nothing_changes(tmp_path: Path) -> None:
    drive = tmp_path / "drive.toml"
    drive.write_text('base = "gc-bypass-mini"\n')
    made = Experiment.from_dict(experiment(devices=["drive.toml"]), base=tmp_path)
    first = made.points()
    Names.keep(tmp_path, made, first)
    known = Names.read(tmp_path, made)
    assert known is not None
    later = made.named(known.points)
    assert [each.id for each in later] == [each.id for each in first]
    assert [each.row() for each in later] == [each.row() for each in first]
    assert all(each.drive is None for each in later)
    assert [each.built().id for each in later] == [each.id for each in first]
    other = Experiment.from_dict(experiment(devices=["drive.toml"], name="other"), base=tmp_path)
    assert Names.read(tmp_path, other) is None
    drive.write_text('base = "gc-bypass-mini"\nflash.t_read = "60us"\n')
    assert Names.read(tmp_path, made) is None
    assert Names.read(tmp_path / "nowhere", made) is None
    with pytest.raises(InputError, match="has changed meanwhile"):
        later[0].built()


def test_names_that_were_damaged_count_for_nothing(many: Path, tmp_path: Path) -> None:
    for text in ("", "[]", "{}", (many / FILE).read_text()[:200]):
        (tmp_path / FILE).write_text(text)
        assert Names.read(tmp_path, MADE) is None


def test_points_that_record_tables_have_folders(tmp_path: Path) -> None:
    made = experiment(record={"gc": True}, repeats={})
    reclaim.sweep(made, tmp_path / "set", workers=1)
    assert not list((tmp_path / "set").glob(FILES))
    assert len(list((tmp_path / "set").glob("points/*/gc_log.parquet"))) == 4
