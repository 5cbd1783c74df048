"""docs/stand-ins.md: shipped stand-ins, and some for the bundled recordings, beside their targets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from reclaim.report.document import Column, Table, figures_of
from reclaim.report.forms import markdown_of
from reclaim.trace.synthesis import Row, worst

INTRODUCTION = """# Synthetic stand-ins beside their targets

Made by `RECLAIM_UPDATE_DOCS=1 .venv/bin/pytest tests/python/test_stand_in_docs.py`.
[Traces](traces.md#synthetic-stand-ins) says what stand-ins are good for. None holds a request of the trace
that it stands in for.

`reclaim trace stand-ins NAME` prints every figure beside its target, and what was [chosen](#what-is-chosen);
the [table](../python/reclaim/data/published-figures) that a stand-in is made from names its source. Here is
the figure that is furthest off, relative to its target. A figure counts as met within 5 %. Only what a paper
publishes can be compared.
"""
CHOSEN = """
## What is chosen

What a paper does not publish, where that is the same for several of the shipped stand-ins:

"""
"""What stands before the table of what is chosen."""
COLLECTION = """
## What collection costs under them

How far the write amplification of the stand-in is from that of its recording, by
`reclaim trace synthesize bundled/NAME OUT.toml --check`. Both are played on the same small drives until write
amplification is steady, at three spare factors (7, 15 and 28 % beyond what the recording touches) and under
three load rules. The figures above do not say when a page dies and what lies beside it, so stand-ins that
meet them all still cost the collector something else. Runs in which collection has nothing to move are left
out.
"""
"""What stands before the table of what collection costs."""
RECORDINGS = """
## Stand-ins for the bundled recordings

`reclaim trace synthesize bundled/NAME OUT.toml` makes these and prints every figure. All figures
of a recording are known and compared.
"""


def summary(found: Mapping[str, Sequence[Row]]) -> Table:
    """A row for each stand-in: how many figures, how many missed, and the worst."""
    rows, bad = [], []
    for name, figures in found.items():
        furthest, missed = worst(figures), sum(not row.met for row in figures)
        rows.append([name, str(len(figures)), str(missed), furthest.texts()[3], furthest.label])
        bad += [len(rows) - 1] if missed else []
    counts = [Column(name, right=True) for name in ("figures", "beyond 5 %", "worst deviation")]
    return Table([Column("stand-in", code=True), *counts, "of"], rows, bad=bad)


def choices(notes: Iterable[str]) -> str:
    """What is chosen for several stand-ins, the commonest first, of the notes of all."""
    counted = sorted(Counter(notes).items(), key=lambda each: (-each[1], each[0]))
    rows = [(note.replace("not published; ", ""), str(count)) for note, count in counted if count > 1]
    return CHOSEN + markdown_of(Table(figures_of("chosen", ["for so many"]), rows))
