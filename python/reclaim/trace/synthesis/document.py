"""What docs/traces.md shows of stand-ins, beside their targets: shipped ones, and some for the recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reclaim.report.document import Column, Table
from reclaim.trace.synthesis import TargetRow, worst

INTRODUCTION = """### Shipped stand-ins and their figures

`reclaim trace list --figures NAME` prints every figure beside its target, and what was chosen where a paper
is silent. No figure is off by more than 5 %. Of each family the one that is furthest off, and its figure:
"""
RECORDINGS = """
### Stand-ins for the bundled recordings

`reclaim trace synthesize bundled/NAME OUT.toml` makes these. All figures are known and compared.
"""
"""What stands before the table of those."""
COLLECTION = """
### What collection costs under them

How far write amplification under the stand-in is from that under its recording, on small drives with three
spare factors and three load rules (`--check`). The figures do not say when a page dies and beside what,
so GC costs something else. Median of up to nine runs and the largest; those without relocation are left out.
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


def furthest_of_families(found: Mapping[str, Sequence[TargetRow]]) -> dict[str, Sequence[TargetRow]]:
    """Of the stand-ins of each folder the one with the figure that is furthest off."""
    families: dict[str, list[str]] = {}
    for name in found:
        families.setdefault(name.partition("/")[0], []).append(name)
    furthest = (max(names, key=lambda name: worst(found[name]).distance) for names in families.values())
    return {name: found[name] for name in furthest}
