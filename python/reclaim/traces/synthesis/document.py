"""docs/stand-ins.md: shipped stand-ins, and some for the bundled recordings, beside their targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reclaim.traces.synthesis import Row, worst

INTRODUCTION = """# Synthetic stand-ins beside their targets

Made by `RECLAIM_UPDATE_DOCS=1 .venv/bin/pytest tests/python/test_stand_in_docs.py`;
`reclaim trace stand-ins` prints the same for the shipped ones. What stand-ins are and what they are good for
is in [traces.md](traces.md#synthetic-stand-ins). They are generated: none holds a request of the trace that
it stands in for.

The deviation is relative to the target. A figure counts as met within 5 %. Only what a paper publishes can be
compared; what it does not publish was chosen, and is listed below each table.
"""
COLLECTION = """
## What collection costs under them

`reclaim trace synthesize bundled/NAME OUT.toml --check`: recording and stand-in are played on the same small
drives until write amplification is steady, at three spare factors (7, 15 and 28 % beyond what the recording
touches) and under three load rules. How far write amplification is off: the stand-ins meet all figures above,
and still do not cost the collector what their sources cost, because these figures do not say when a page dies
and what lies beside it. Where collection has nothing to move under the recording there is nothing to compare.
"""
"""What stands before the table of what collection costs."""
RECORDINGS = """
## Stand-ins for the bundled recordings

`reclaim trace synthesize bundled/NAME OUT.toml`: here everything is known of the trace, so
everything is compared.
"""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def summary(found: Mapping[str, Sequence[Row]]) -> str:
    """A line for each stand-in: how many figures, how many missed, and the worst."""
    text = _row(("stand-in", "figures", "beyond 5 %", "worst deviation", "of")) + "|---|--:|--:|--:|---|\n"
    for name, rows in found.items():
        furthest = worst(rows)
        missed = sum(not row.met for row in rows)
        text += _row((f"`{name}`", str(len(rows)), str(missed), furthest.texts()[3], furthest.label))
    return text


def section(name: str, stated: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """One stand-in: what it stands in for, after which source, the table, and what was chosen.

    `stated` is what its description says of it.
    """
    text = f"\n### `{name}`\n\nIn place of {stated['of']}, after {stated['source']}.\n\n"
    text += _row(("", "target", "stand-in", "deviation", "")) + "|---|--:|--:|--:|---|\n"
    text += "".join(_row(row.texts()) for row in rows)
    if stated.get("chosen"):
        text += "\nNot known, and chosen:\n\n" + "".join(f"* {note}\n" for note in stated["chosen"])
    return text
