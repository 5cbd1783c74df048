"""What the collector's buffer bounds and what it risks: write-back under load, and power cuts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable, Ran
from reclaim.papers.measured import Figure

from .cells import Cells, stalled

WRITE_BACK, POWER_CUTS = "write-back", "power-cuts"
VENICE, AS_PRINTED = "venice", "1 block, batch"


def tables(ran: Ran) -> list[PageTable]:
    """Write-back by buffer, circuits and batches; losses at power cuts by scheme."""
    found = []
    points = ran.cells(WRITE_BACK)
    if not points.is_empty():
        found.append(_write_back(Cells.of(points, ran.sweeps / WRITE_BACK)))
    points = ran.cells(POWER_CUTS)
    if not points.is_empty():
        found.append(_power_cuts(Cells.of(points, ran.sweeps / POWER_CUTS), ran.sweeps / POWER_CUTS))
    return found


def of_runs(ran: Ran) -> dict[str, Custom]:
    """The shares of power cuts at which pages are lost, in percent."""
    points = ran.cells(POWER_CUTS)
    if points.is_empty():
        return {}
    folder = ran.sweeps / POWER_CUTS
    cells = Cells.of(points, folder)
    return {
        f"losing cuts, {scheme}": Custom(Figure(100 * _sum_of(rows, "losing_cuts") / _sum_of(rows, "cuts")))
        for scheme, rows in _cuts(cells, folder).items()
    }


def _write_back(cells: Cells) -> PageTable:
    names = cells.workloads

    def beside(metric: str, scheme: str) -> str:
        return told(cells.geometric(cells.beside(metric, scheme, VENICE)))

    def waited(scheme: str) -> str:
        return ", ".join(f"{cells.median(stalled, name, scheme):,.0f}" for name in names)

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


def _cuts(cells: Cells, folder: Path) -> dict[str, list[Mapping[str, Any]]]:
    """What each run says of its power cuts, by scheme."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for scheme in cells.schemes:
        for name in cells.workloads:
            for repeat in cells.repeats:
                point = str(cells.row(name, scheme, repeat)["point"])
                text = (folder / "points" / point / "results.json").read_text(encoding="utf-8")
                found.setdefault(scheme, []).append(json.loads(text)["power_cuts"])
    return found


def _sum_of(rows: Sequence[Mapping[str, Any]], key: str) -> int:
    """A count over all runs."""
    return sum(int(row[key]) for row in rows)


def _power_cuts(cells: Cells, folder: Path) -> PageTable:
    rows = []
    for scheme, runs in _cuts(cells, folder).items():
        cuts, losing = _sum_of(runs, "cuts"), _sum_of(runs, "losing_cuts")
        lost = _sum_of(runs, "collector_pages") + _sum_of(runs, "replaced_pages")
        most = max(int(each["max_collector_pages"]) for each in runs)
        rows.append(
            (
                scheme,
                f"{cuts:,}",
                f"{losing:,}",
                f"{100 * losing / cuts:.0f} %",
                f"{lost / cuts:.1f}",
                str(most),
            )
        )
    head = (
        "scheme",
        "power cuts",
        "that lose pages",
        "share",
        "pages lost at a cut, mean",
        "most from the buffer",
    )
    return PageTable("power cuts", head, tuple(rows))
