"""Experiment files with mistakes: every mistake has its line, its key and what would be valid.

RECLAIM_UPDATE_DOCS=1 writes what is answered into the files, without the words between. A list of policies
stands there as `…`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import reclaim
from reclaim.experiment.experiment import Experiment
from reclaim.mistakes import Mistakes

BROKEN = Path(__file__).parent / "broken"
EXPECTED = "#= "
"""Lines at the end of each file: what has to be answered."""
LISTED = re.compile(r"(?<=valid: greedy, fifo, )[^;]*")
"""Policies and schemes are many, and become more."""
PLACE = re.compile(r"(?:FILE|FOLDER/[\w/.]+)(?::\d+)?: (?:[\w.\[\]]|\"[^\"]*\")+(?=[: ])")
NAMED = re.compile(r"\"[^\"]*\"|(?:FILE|FOLDER)[\w/.]*|(?:valid: |did you mean )[^;]*")


def kept(message: str, path: Path) -> str:
    """The place of a message and the names and choices in it."""
    named = message.replace(str(path), "FILE").replace(str(BROKEN), "FOLDER")
    place = PLACE.match(named)
    rest = named[place.end() :] if place else named
    found = [LISTED.sub("…", each) for each in NAMED.findall(rest)]
    return " | ".join([place[0] if place else "", *found])


@pytest.mark.parametrize("path", sorted(BROKEN.glob("*.toml")), ids=lambda path: path.stem)
def test_every_mistake_is_answered(path: Path) -> None:
    experiment, mistakes = Experiment.read(path)
    experiment.build(mistakes)
    said = [kept(each, path) for each in mistakes.messages()]
    lines = path.read_text().splitlines()
    if os.environ.get("RECLAIM_UPDATE_DOCS"):
        own = [line for line in lines if not line.startswith(EXPECTED)]
        path.write_text("\n".join([*own, *(EXPECTED + each for each in said)]) + "\n")
        return
    assert said == [line.removeprefix(EXPECTED) for line in lines if line.startswith(EXPECTED)]
    assert said
    with pytest.raises(reclaim.InputError):
        Experiment.load(path).points()


def test_all_mistakes_are_counted_once_and_25_told() -> None:
    mistakes = Mistakes("x.toml", "")
    for number in (*range(300), 0, 299):
        mistakes.add((f"key{number}",), "is wrong")
    with pytest.raises(reclaim.InputError) as told:
        mistakes.refuse()
    first, *lines, last = str(told.value).splitlines()
    assert (first, len(lines)) == ("300 mistakes", 25)
    assert last == "x.toml: and 275 more mistakes"
