"""The examples of docs/bench.md and the experiments that ship are what the program takes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Command, environment
from reclaim.bench.check import check
from reclaim.bench.experiment import Experiment

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "bench.md").read_text()
SHIPPED = sorted((ROOT / "examples" / "experiments").glob("*.toml"))


def blocks(language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [code for kind, code in found if kind == language]


def test_the_files_on_the_page_are_sound(tmp_path: Path) -> None:
    whole, text = blocks("toml")
    points = Experiment.parse(whole).points()
    assert len(points) == (3 * 4 * 2 * 2 + 4) * 2
    assert not [each for each in points if each.refused]
    (tmp_path / "cells.toml").write_text(
        'name = "cells"\ndevices = ["channel-aware-mini"]\n'
        'traces = ["app-like/rocksdb", { name = "mysql", source = "app-like/mysql" }, '
        '{ name = "sqlite", source = "app-like/sqlite" }]\n'
        '[set]\n"trace.remap" = "compact"\n"trace.max_requests" = 9\n[record]\ntimeline = true\n'
    )
    found = Experiment.parse(text, base=tmp_path)
    assert [each.name for each in found.parts.traces] == ["mysql", "sqlite", "varmail"]
    assert list(found.parts.settings) == ["trace.max_requests", "gc.pages_in_flight"]
    assert not found.parts.record.timeline


def test_the_python_on_the_page_runs(tmp_path: Path) -> None:
    (code,) = blocks("python")
    printed = subprocess.check_output(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), text=True
    )
    assert printed.startswith("6\n")


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_shipped_experiments_are_sound(file: Path) -> None:
    checked = check(file)
    assert (checked.mistakes, checked.warnings, checked.refusals) == ([], [], [])
    assert checked.estimate.seconds < 40


@pytest.mark.slow
def test_a_shipped_experiment_runs(tmp_path: Path, command: Command) -> None:
    ran = command("sweep", ROOT / "examples/experiments/loads.toml", "-o", "out")
    assert ran.returncode in (0, 1, 3), ran.stderr
    assert "Ratios to greedy" in ran.stdout
    assert not (tmp_path / "out/failures").exists()
