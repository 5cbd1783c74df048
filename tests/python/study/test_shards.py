"""Parts of a sweep, run apart: together they are the sweep."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import reclaim
from conftest import Command, refusal
from reclaim import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.task import start_of
from reclaim.result.sets.log import LOG
from reclaim.study.merge import merge
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep, shard_of
from study.small import contents, experiment

PARTS = 3
ALL = Experiment.from_dict(experiment())


def swept(folder: Path, part: int, of: Experiment = ALL) -> Path:
    Sweep(of).run(folder, RunOptions(workers=1, shard=(part, PARTS)))
    return folder


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    top = tmp_path_factory.mktemp("parts")
    return [swept(top / str(part), part) for part in range(1, PARTS + 1)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sweep") / "whole"
    reclaim.sweep(experiment(), folder, workers=1)
    return folder


def script() -> str:
    page = (Path(__file__).parents[3] / "docs" / "bench.md").read_text()
    found = re.search(r"```sh\n(#!/bin/sh\n.*?)```", page, re.DOTALL)
    assert found
    return found[1]


def test_the_jobs_of_an_array_make_the_sweep(whole: Path, tmp_path: Path, command: Command) -> None:
    (tmp_path / "small.toml").write_text(ALL.text)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "reclaim").write_text(f'#!/bin/sh\nexec {sys.executable} -m reclaim "$@"\n')
    (tmp_path / "bin" / "reclaim").chmod(0o755)
    (tmp_path / "sweep.sh").write_text(script())
    for task in range(1, PARTS + 1):
        # As sbatch --array does.
        asked = {
            "EXPERIMENT": "small.toml",
            "SLURM_ARRAY_TASK_ID": f"{task}",
            "SLURM_ARRAY_TASK_COUNT": f"{PARTS}",
        }
        there = {**os.environ, **asked, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
        subprocess.run(["sh", "sweep.sh"], cwd=tmp_path, env=there, check=True, capture_output=True)
    told = command("results", "merge", *sorted((tmp_path / "parts").iterdir()), "-o", "all").stdout
    assert told.startswith("8 points taken; ")
    told = command("sweep", "small.toml", "-o", "all", "--no-report").stderr
    assert "8 of 8 points stored in all, 8 of them before" in told
    assert contents(tmp_path / "all") == contents(whole)


def test_every_point_is_in_one_part_and_warm_ups_stay_together() -> None:
    points = ALL.points()
    for count in range(1, len(points) + 3):
        parts = [shard_of(points, part, count) for part in range(1, count + 1)]
        assert sorted(each.id for part in parts for each in part) == sorted(each.id for each in points)
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
        starts = [
            start_of(each.drive, each.opened) for part in parts for each in part if each.drive and each.opened
        ]
        assert sum(one != other for one, other in pairwise(starts)) == len(set(starts)) - 1


def test_parts_may_write_into_one_folder(whole: Path, tmp_path: Path) -> None:
    for part in range(1, PARTS + 1):
        swept(tmp_path / "one", part)
        assert not (tmp_path / "one" / "points.parquet").exists()
    reclaim.sweep(experiment(), tmp_path / "one")
    assert contents(tmp_path / "one") == contents(whole)


def test_merging_again_takes_nothing(parts: list[Path], tmp_path: Path) -> None:
    assert merge(parts, tmp_path / "all") == (8, 0)
    assert merge([*parts, tmp_path / "all"][:2], tmp_path / "all") == (0, 5)


def test_what_does_not_go_together_is_refused_and_nothing_is_lost(parts: list[Path], tmp_path: Path) -> None:
    other = swept(tmp_path / "other", 1, Experiment.from_dict(experiment(name="other")))
    edited = swept(tmp_path / "edited", 1, Experiment.from_dict(experiment(repeats={"count": 1})))
    changed, differs = tmp_path / "changed", tmp_path / "differs"
    for folder in (changed, differs):
        shutil.copytree(parts[0], folder)
        (point, *_) = sorted((folder / "points").iterdir())
        with (point / "results.json").open("a") as results:
            results.write(" ")
    lines = [json.loads(line) for line in (differs / LOG).read_text().splitlines()]
    (differs / LOG).write_text("".join(json.dumps(line | {"files": None}) + "\n" for line in lines))
    for folders, message in (
        ([parts[0], other], 'points of "other", not "small"'),
        ([parts[0], edited], 'another version of "small"'),
        ([changed], "results.json was changed since it was written"),
        ([parts[0], differs], "is not the same as"),
        ([parts[0], tmp_path], "no sweep has written points there"),
    ):
        with pytest.raises(InputError, match=message):
            merge(folders, tmp_path / "all", force=True)
    with pytest.raises(InputError, match="has the points of another experiment"):
        merge([parts[0]], other)
    assert merge(parts, tmp_path / "all", force=True).there == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--shard", "0/3"), "must be from 1/3 to 3/3"),
        (("--shard", "4/3"), "must be from 1/3 to 3/3"),
        (("--shard", "first"), "as in 3/8"),
        (("--shard", "1/3", "--only", "x"), "give one of the two"),
        (("--shard", "1/3", "--emit"), "give one of these"),
    ],
)
def test_a_part_that_is_none_is_refused(
    words: tuple[str, ...], message: str, tmp_path: Path, command: Command
) -> None:
    (tmp_path / "small.toml").write_text(ALL.text)
    assert message in refusal(command("sweep", "small.toml", "-o", "out", *words))
    assert not (tmp_path / "out").exists()
