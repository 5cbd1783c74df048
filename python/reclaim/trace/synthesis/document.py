"""What docs/traces.md shows of stand-ins, beside their targets: shipped ones, and some for the recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reclaim.report.document import Column, Table
from reclaim.trace.synthesis import TargetRow, worst

INTRODUCTION = """### Shipped stand-ins and their figures

`reclaim trace list --figures NAME` prints every figure beside its target, and what was chosen where the paper
is silent. The figure that is furthest off, relative to its target:
"""
RECORDINGS = """
### Stand-ins for the bundled recordings

`reclaim trace synthesize bundled/NAME OUT.toml` makes these. All figures are known and compared.
"""
"""What stands before the table of those."""
COLLECTION = """
### What collection costs under them

How far write amplification under the stand-in is from that under its recording, on small drives with three
spare factors and three load rules (`--check`). The figures do not say when a page dies and what lies beside
it, so GC costs something else. Runs in which GC moves nothing are left out.
"""
"""What stands before the table of what collection costs."""


def summary(found: Mapping[str, Sequence[TargetRow]]) -> Table:
    """A row for each stand-in: how many figures, how many missed, and the worst."""
    rows, bad = [], []
    for name, figures in found.items():
        furthest, missed = worst(figures), sum(not row.met for row in figures)
        rows.append([name, str(len(figures)), str(missed), furthest.texts()[3], furthest.label])
        bad += [len(rows) - 1] if missed else []
    counts = [Column(name, right=True) for name in ("figures", "beyond 5 %", "worst deviation")]
    return Table([Column("stand-in", code=True), *counts, "of"], rows, bad=bad)
