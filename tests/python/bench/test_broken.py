"""Experiment files with mistakes: every mistake is named, with its line, its key and what would be valid.

RECLAIM_UPDATE_DOCS=1 writes what is answered into the files. A list of policies stands there as `…`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import reclaim
from reclaim.bench import Experiment

BROKEN = Path(__file__).parent / "broken"
EXPECTED = "#= "
"""Lines at the end of each file: what has to be answered."""
LISTED = re.compile(r"(?<=; valid: greedy, fifo, )[^;]*")
"""Policies and schemes are many, and become more."""


def answers(path: Path) -> list[str]:
    lines = path.read_text().splitlines()
    return [line.removeprefix(EXPECTED) for line in lines if line.startswith(EXPECTED)]


def written(messages: list[str], path: Path) -> list[str]:
    """Messages as the files have them."""
    named = (each.replace(str(path), "FILE").replace(str(BROKEN), "FOLDER") for each in messages)
    return [LISTED.sub("…", each) for each in named]


@pytest.mark.parametrize("path", sorted(BROKEN.glob("*.toml")), ids=lambda path: path.stem)
def test_every_mistake_is_answered(path: Path) -> None:
    experiment, mistakes = Experiment.read(path)
    experiment.build(mistakes)
    said = written(mistakes.messages(), path)
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        kept = [line for line in path.read_text().splitlines() if not line.startswith(EXPECTED)]
        path.write_text("\n".join([*kept, *(EXPECTED + each for each in said)]) + "\n")
    assert said == answers(path)
    assert said


@pytest.mark.parametrize("path", sorted(BROKEN.glob("*.toml")), ids=lambda path: path.stem)
def test_nothing_is_run_of_a_broken_file(path: Path) -> None:
    with pytest.raises(reclaim.InputError, match=r"mistakes|:"):
        Experiment.load(path).points()


def test_there_are_twenty() -> None:
    assert len(list(BROKEN.glob("*.toml"))) >= 20
