"""docs/stand-ins.md is what the code makes of the shipped stand-ins. RECLAIM_UPDATE_DOCS=1 writes it anew."""

from __future__ import annotations

import os
import re

import pytest

import reclaim
from conftest import Command
from reclaim.papers import collecting
from reclaim.papers.collecting import Cell
from reclaim.traces.synthesis import Row, compare, document, from_trace, stated, synthesize
from test_synthesis import FAST, NAMES, REPOSITORY

DOCUMENT = REPOSITORY / "docs" / "stand-ins.md"
RECORDINGS = ("dbench", "mysql", "rocksdb", "sqlite", "varmail")


def section_of(name: str) -> tuple[str, list[Row]]:
    trace = reclaim.open_trace(name)
    rows = compare(trace)
    return document.section(name, stated(trace), rows), rows


def synthesized(name: str) -> tuple[str, list[Row], list[Cell]]:
    path = REPOSITORY / "examples" / "traces" / f"{name}.blkparse.txt.zst"
    trace = reclaim.open_trace(path)
    found = synthesize(from_trace(trace, name=f"{name}-like", of=name, terms="", date=""))
    part = document.section(f"{name}-like", stated(found.trace), found.rows)
    return part, found.rows, collecting.side_by_side(trace, found.trace)


@pytest.mark.skipif(not os.environ.get("RECLAIM_UPDATE_DOCS"), reason="only on request: takes minutes")
def test_write_the_document() -> None:
    shipped = {name: section_of(name) for name in NAMES}
    recorded = {f"{name}-like": synthesized(name) for name in RECORDINGS}
    text = (
        document.INTRODUCTION + "\n" + document.summary({name: rows for name, (_, rows) in shipped.items()})
    )
    text += document.choices() + "".join(part for part, _ in shipped.values()) + document.RECORDINGS + "\n"
    text += document.summary({name: rows for name, (_, rows, _) in recorded.items()})
    text += "".join(part for part, _, _ in recorded.values()) + document.COLLECTION + "\n"
    DOCUMENT.write_text(text + collecting.document({name: cells for name, (_, _, cells) in recorded.items()}))


def test_the_document_has_all_stand_ins_and_recordings() -> None:
    text = DOCUMENT.read_text()
    assert text.startswith(document.INTRODUCTION)
    recorded = [f"{name}-like" for name in RECORDINGS]
    assert re.findall(r"^### `(.*)`$", text, re.MULTILINE) == [*NAMES, *recorded]
    compared, collection = text.split(document.COLLECTION)
    assert re.findall(r"^\| `(.*?)` \|", compared, re.MULTILINE) == [*NAMES, *recorded]
    assert set(re.findall(r"^\| `(.*?)` \|", collection, re.MULTILINE)) == set(recorded)


def test_the_document_explains_what_is_chosen_for_several() -> None:
    chosen = [note for name in NAMES for note in stated(reclaim.open_trace(name))["chosen"]]
    assert all(chosen.count(note) > 1 for note in document.SHARED)
    always = [note for note, words in document.SHARED.items() if words in document.ALWAYS]
    assert [chosen.count(note) for note in always] == [len(NAMES)] * 3
    assert document.choices() in DOCUMENT.read_text()


@pytest.mark.parametrize("name", FAST)
def test_the_document_says_what_the_stand_in_gives(name: str) -> None:
    part, rows = section_of(name)
    text = DOCUMENT.read_text()
    assert part in text
    assert document.summary({name: rows}).splitlines()[2] in text


def test_the_document_says_what_collection_costs() -> None:
    _, _, cells = synthesized("varmail")
    rows = collecting.document({"varmail-like": cells}).splitlines()[2:]
    assert len(rows) == len({cell.victim for cell in cells if cell.collected})
    assert "\n".join(rows) in DOCUMENT.read_text()


def test_the_command_prints_all_of_a_pattern(command: Command) -> None:
    done = command("trace", "stand-ins", "app-like/mysql")
    assert done.returncode == 0, done.stderr
    assert "app-like/mysql, a synthetic stand-in" in done.stdout
    assert "worst deviation" in done.stdout
    done = command("trace", "stand-ins", "nothing-like/*")
    assert done.returncode == 2
    assert "app-like/mysql" in done.stderr


def test_info_says_that_a_stand_in_is_one(command: Command) -> None:
    done = command("trace", "info", "app-like/mysql", "--max-requests", "1000")
    assert "synthetic stand-in, not a recording" in done.stdout
