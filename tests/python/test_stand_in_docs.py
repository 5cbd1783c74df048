"""docs/traces.md has what the code makes of stand-ins. RECLAIM_UPDATE_DOCS=1 writes it anew."""

from __future__ import annotations

import os
import re

import pytest

import reclaim
from conftest import Command
from reclaim.paper import collecting
from reclaim.paper.collecting import SideBySide
from reclaim.report.forms import markdown_of
from reclaim.trace.synthesis import TargetRow, compare, document, from_trace, synthesize, worst
from test_synthesis import FAST, NAMES, REPOSITORY

DOCUMENT = REPOSITORY / "docs" / "traces.md"
BEGIN, END = (
    f"<!-- made by tests/python/test_stand_in_docs.py with RECLAIM_UPDATE_DOCS=1: {which} -->\n"
    for which in ("begin", "end")
)
RECORDINGS = ("dbench", "mysql", "rocksdb", "sqlite", "varmail")


def made() -> str:
    """The part of the page that is made."""
    return DOCUMENT.read_text().partition(BEGIN)[2].partition(END)[0]


def synthesized(name: str) -> tuple[list[TargetRow], list[SideBySide]]:
    path = REPOSITORY / "examples" / "traces" / f"{name}.blkparse.txt.zst"
    trace = reclaim.open_trace(path)
    found = synthesize(from_trace(trace, name=f"{name}-like", of=name, terms="", date=""))
    return found.rows, collecting.side_by_side(trace, found.trace)


@pytest.mark.skipif(not os.environ.get("RECLAIM_UPDATE_DOCS"), reason="only on request: takes minutes")
def test_write_the_document() -> None:
    recorded = {f"{name}-like": synthesized(name) for name in RECORDINGS}
    shipped = {name: compare(reclaim.open_trace(name)) for name in NAMES}
    text = document.INTRODUCTION + "\n"
    text += markdown_of(document.summary(document.furthest_of_families(shipped))) + document.RECORDINGS
    of_recorded = document.summary({name: rows for name, (rows, _) in recorded.items()})
    text += "\n" + markdown_of(of_recorded) + document.COLLECTION
    cells = {name: cells for name, (_, cells) in recorded.items()}
    before, _, after = DOCUMENT.read_text().partition(made())
    DOCUMENT.write_text(f"{before}{text}\n{collecting.document(cells)}{after}")


def test_the_document_has_all_stand_ins_and_recordings() -> None:
    text = made()
    assert text.startswith(document.INTRODUCTION)
    recorded = [f"{name}-like" for name in RECORDINGS]
    compared, collection = (
        re.findall(r"^\| `(.*?)` \|", part, re.MULTILINE) for part in text.split(document.COLLECTION)
    )
    assert [each.partition("/")[0] for each in compared] == [
        "alibaba-like",
        "app-like",
        "msr-like",
        *recorded,
    ]
    assert set(compared) <= {*NAMES, *recorded}
    assert set(collection) == set(recorded)


@pytest.mark.parametrize("name", FAST)
def test_the_document_says_how_far_off_the_stand_in_is(name: str) -> None:
    rows = compare(reclaim.open_trace(name))
    assert all(row.met for row in rows)
    family = name.partition("/")[0]
    told = re.findall(rf"^\| `({family}/\S+)` .*? ([-+]?[0-9.]+) % \|", made(), re.MULTILINE)
    (furthest, percent), *others = told
    assert not others
    if furthest == name:
        assert markdown_of(document.summary({name: rows})).splitlines()[-1] in made()
    assert 100 * worst(rows).distance < abs(float(percent)) + 0.05


@pytest.mark.slow
def test_the_document_says_what_collection_costs() -> None:
    _, cells = synthesized("varmail")
    rows = collecting.document({"varmail-like": cells}).splitlines()[2:]
    assert len(rows) == 1
    assert {cell.victim for cell in cells if cell.collected} == {"greedy", "fifo", "cost-benefit"}
    assert rows[0] in made()


def test_the_command_prints_all_of_a_pattern(command: Command) -> None:
    done = command("trace", "list", "--figures", "app-like/mysql")
    assert done.returncode == 0, done.stderr
    told = ("app-like/mysql", "worst deviation", "chosen: ")
    assert [each for each in told if each not in done.stdout] == []
    done = command("trace", "info", "app-like/mysql", "--max-requests", "1000")
    assert "synthetic stand-in" in done.stdout
