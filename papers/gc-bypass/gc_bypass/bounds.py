"""What the collector's buffer bounds and what it risks: write-back under load, and power cuts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reclaim.paper.toolkit import Figure, LevelRuns, PageTable, in_words

from .cells import BypassCells, stalled

WRITE_BACK, POWER_CUTS = "write-back", "power-cuts"
VENICE, AS_PRINTED = "venice", "1 block, batch"


def tables(runs: LevelRuns) -> Iterator[PageTable]:
    """Write-back by buffer, circuits and batches; losses at power cuts by scheme."""
    if cells := BypassCells.of(runs, WRITE_BACK):
        yield _write_back(cells)
    if cells := BypassCells.of(runs, POWER_CUTS):
        yield _power_cuts(cells)


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """The shares of power cuts at which pages are lost, in percent."""
    for scheme, rows in _cuts(BypassCells.of(runs, POWER_CUTS)).items():
        yield f"losing cuts, {scheme}", Figure(100 * _sum_of(rows, "losing_cuts") / _sum_of(rows, "cuts"))


def _write_back(cells: BypassCells) -> PageTable:
    names = cells.workloads

    def beside(metric: str, scheme: str) -> str:
        return in_words(cells.geometric(cells.ratio(metric, scheme, VENICE)))

    def waited(scheme: str) -> str:
        return ", ".join(f"{cells.median(cells.metric(stalled, scheme), name):,.0f}" for name in names)

    rows = [
        (scheme, beside("mean_latency_ns", scheme), beside("read_p99_9_ns", scheme), waited(scheme))
        for scheme in cells.schemes
    ]
    head = (
        "scheme",
        "mean beside Venice",
        "p99.9 of reads beside Venice",
        f"stalled writes, {', '.join(names)}",
    )
    return PageTable("write-back", head, tuple(rows))


def _cuts(cells: BypassCells) -> dict[str, list[Mapping[str, Any]]]:
    """What each run says of its power cuts, by scheme."""
    return {
        scheme: [
            cells.result(cells.row(name, scheme, repeat))["power_cuts"]
            for name in cells.workloads
            for repeat in cells.repeats
        ]
        for scheme in (cells.schemes if cells else ())
    }


def _sum_of(rows: Sequence[Mapping[str, Any]], key: str) -> int:
    """A count over all runs."""
    return sum(int(row[key]) for row in rows)


def _power_cuts(cells: BypassCells) -> PageTable:
    rows = []
    for scheme, runs in _cuts(cells).items():
        cuts, losing = _sum_of(runs, "cuts"), _sum_of(runs, "losing_cuts")
        lost = _sum_of(runs, "collector_pages") + _sum_of(runs, "replaced_pages")
        most = max(int(each["max_collector_pages"]) for each in runs)
        share, at_a_cut = f"{100 * losing / cuts:.0f} %", f"{lost / cuts:.1f}"
        rows.append((scheme, f"{cuts:,}", f"{losing:,}", share, at_a_cut, str(most)))
    head = (
        "scheme",
        "power cuts",
        "that lose pages",
        "share",
        "pages lost at a cut, mean",
        "most from the buffer",
    )
    return PageTable("power cuts", head, tuple(rows))
