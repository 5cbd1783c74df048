"""What the papers leave open: every question has a key that there is, or a reason to have none."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ambiguities
import reclaim

ROOT = Path(__file__).resolve().parents[3]
NOTES = ROOT.parent / "shared" / "design" / "expected"


def keys_of(section: dict[str, Any], definitions: dict[str, Any], above: str = "") -> Iterator[str]:
    for name, node in section.get("properties", {}).items():
        key = f"{above}.{name}" if above else name
        yield key
        for part in (node, *node.get("allOf", []), *node.get("anyOf", [])):
            if "$ref" in part:
                yield from keys_of(definitions[part["$ref"].rpartition("/")[2]], definitions, key)


def known() -> set[str]:
    """Every key of a configuration, parameters of every policy included."""
    schema = reclaim.schema()
    found = set(keys_of(schema, schema["$defs"]))
    for kind in reclaim.catalogue():
        for policy in kind["policies"]:
            found |= {f"{kind['key']}.{name}" for name in policy["parameters"].get("properties", {})}
    return found


def test_the_page_is_made_of_the_table() -> None:
    assert ambiguities.PAGE.read_text() == ambiguities.page(), "run python tools/ambiguities.py"


def test_every_key_is_one() -> None:
    there = known()
    for paper, questions in ambiguities.read().items():
        for name, entry in questions.items():
            assert ("keys" in entry) != ("unmodelled" in entry), (paper, name)
            strange = set(entry.get("keys", ())) - there
            assert not strange, (paper, name, strange)


def test_every_question_of_the_notes_is_answered() -> None:
    if not NOTES.is_dir():
        pytest.skip("the notes on the papers are not beside the repository")
    answered = {(paper, name) for paper, questions in ambiguities.read().items() for name in questions}
    asked = {
        (file.stem, each["id"])
        for file in sorted(NOTES.glob("*.toml"))
        for each in tomllib.loads(file.read_text())["ambiguity"]
    }
    assert len(asked) > 100
    assert asked - answered == set()
    assert answered - asked == set()


def test_no_words_of_the_notes_are_copied() -> None:
    if not NOTES.is_dir():
        pytest.skip("the notes on the papers are not beside the repository")
    ours = json.dumps(ambiguities.read(), ensure_ascii=False).lower()
    for file in sorted(NOTES.glob("*.toml")):
        for each in tomllib.loads(file.read_text())["ambiguity"]:
            words = str(each["what"]).lower().split()
            runs = {" ".join(words[at : at + 7]) for at in range(len(words) - 6)}
            assert not [run for run in runs if run in ours], each["id"]
