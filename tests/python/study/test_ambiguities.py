"""What the papers leave open: every question has a key that there is, or a reason to have none."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import ambiguities
import reclaim
from test_work import keys

ROOT = Path(__file__).resolve().parents[3]
NOTES = ROOT.parent / "shared" / "design" / "expected"


def known() -> set[str]:
    """Every key of a configuration, parameters of every policy included."""
    found = set(keys(reclaim.schema()))
    for kind in reclaim.catalogue():
        for policy in kind["policies"]:
            found |= {f"{kind['key']}.{name}" for name in policy["parameters"].get("properties", {})}
    return found


def questions() -> dict[tuple[str, str], str]:
    """Every question of the notes, and its words."""
    if not NOTES.is_dir():
        pytest.skip("the notes on the papers are not beside the repository")
    return {
        (file.stem, each["id"]): str(each["what"])
        for file in sorted(NOTES.glob("*.toml"))
        for each in tomllib.loads(file.read_text())["ambiguity"]
    }


def test_the_page_is_made_of_the_table() -> None:
    assert ambiguities.PAGE.read_text() == ambiguities.page(), "run python tools/ambiguities.py"


def test_every_key_is_one() -> None:
    there = known()
    for paper, questions in ambiguities.read().items():
        for name, entry in questions.items():
            assert ("keys" in entry) != ("unmodelled" in entry), (paper, name)
            strange = set(entry.get("keys", ())) - there
            assert not strange, (paper, name, strange)


def test_every_question_of_the_notes_is_answered_in_other_words() -> None:
    asked, table = questions(), ambiguities.read()
    assert len(asked) > 100
    assert set(asked) == {(paper, name) for paper, answers in table.items() for name in answers}
    ours = json.dumps(table, ensure_ascii=False).lower()
    for place, what in asked.items():
        words = what.lower().split()
        runs = {" ".join(words[at : at + 7]) for at in range(len(words) - 6)}
        assert not [run for run in runs if run in ours], place
