"""Experiment files with mistakes: every mistake is named, with its line, its key and what would be valid."""

from __future__ import annotations

from pathlib import Path

import pytest

import reclaim
from reclaim.bench import Experiment

BROKEN = Path(__file__).parent / "broken"
EXPECTED = "#= "
"""Lines at the end of each file: what has to be answered."""


def answers(path: Path) -> list[str]:
    lines = path.read_text().splitlines()
    expected = [line.removeprefix(EXPECTED) for line in lines if line.startswith(EXPECTED)]
    return [line.replace("FILE", str(path)).replace("FOLDER", str(BROKEN)) for line in expected]


@pytest.mark.parametrize("path", sorted(BROKEN.glob("*.toml")), ids=lambda path: path.stem)
def test_every_mistake_is_answered(path: Path) -> None:
    experiment, mistakes = Experiment.read(path)
    experiment.build(mistakes)
    assert mistakes.messages() == answers(path)
    assert answers(path)


@pytest.mark.parametrize("path", sorted(BROKEN.glob("*.toml")), ids=lambda path: path.stem)
def test_nothing_is_run_of_a_broken_file(path: Path) -> None:
    with pytest.raises(reclaim.InputError, match=r"mistakes|:"):
        Experiment.load(path).points()


def test_there_are_twenty() -> None:
    assert len(list(BROKEN.glob("*.toml"))) >= 20
