"""What the collector's buffer risks: power cuts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from reclaim.paper.toolkit import Cells, Figure, LevelRuns, PageTable

POWER_CUTS = "power-cuts"
HEAD = (
    "scheme",
    "power cuts",
    "that lose pages",
    "share",
    "pages lost at a cut, mean",
    "most from the buffer",
)


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """The shares of power cuts at which pages are lost, in percent."""
    for scheme, sums, _ in _cuts(runs):
        yield f"losing cuts, {scheme}", Figure(100 * sums["losing_cuts"] / sums["cuts"])


def tables(runs: LevelRuns) -> list[PageTable]:
    """Losses at power cuts by scheme."""
    rows = []
    for scheme, sums, most in _cuts(runs):
        cuts, losing = sums["cuts"], sums["losing_cuts"]
        lost = (sums["collector_pages"] + sums["replaced_pages"]) / cuts
        share = f"{100 * losing / cuts:.0f} %"
        rows.append((scheme, f"{cuts:,}", f"{losing:,}", share, f"{lost:.1f}", str(most)))
    return [PageTable("power cuts", HEAD, tuple(rows))] if rows else []


def _cuts(runs: LevelRuns) -> Iterator[tuple[str, Counter[str], int]]:
    """What all runs of a scheme say of their power cuts, and the most pages that one took from the buffer."""
    cells = Cells.of(runs, POWER_CUTS)
    for scheme in cells.schemes:
        rows = (cells.row(name, scheme, repeat) for name in cells.workloads for repeat in cells.repeats)
        told = [cells.result(row)["power_cuts"] for row in rows]
        sums: Counter[str] = Counter()
        for each in told:
            sums.update({key: int(value) for key, value in each.items()})
        yield scheme, sums, max(int(each["max_collector_pages"]) for each in told)
