"""Where GC bypass can act at all: victims with valid pages, write amplification and how busy dies are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reclaim.paper.toolkit import Figure, LevelRuns, Metric, Row

from .orders import sets

EXPERIMENTS: Mapping[str, str] = {
    "orders-drive": "own pace, drive",
    "orders-drive-fast": "hundredfold pace, drive",
    "same-start": "own pace, same start, drive",
    "longer": "longer, drive",
    "recordings-orders-drive": "recordings, drive",
    "recordings-orders-drive-light": "recordings, light, drive",
}
SCHEMES = ("venice, urgent", "gc-bypass, urgent")


def acted(row: Row) -> float:
    """Share of the victims that hold a valid page, and so have something to buffer and to write back, %."""
    jobs = row["gc_jobs"]
    return float(100 * (1 - (row["gc_victim_empty_victims"] or 0) / jobs)) if jobs else 0.0


def gave_way(row: Row) -> float:
    """Pages written back whose circuit was taken by somebody who matters more, of a hundred."""
    pages = row["gc_pages_moved"]
    return float(100 * (row.get("interconnect_preemptions") or 0) / pages) if pages else 0.0


MEASURES: Mapping[str, Metric] = {
    "GC jobs": "gc_jobs",
    "jobs with valid pages": acted,
    "write-backs that gave way": gave_way,
    "write amplification": "gc_write_amplification",
    "free space gained": lambda row: 100 * (row["drift_free_pages_gained_share"] or 0.0),
    "die utilization": lambda row: 100 * float(row["utilisation_die"]),
}


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Each measure by workload and scheme."""
    for words, cells in sets(runs, EXPERIMENTS).items():
        for name in cells.workloads:
            for scheme in SCHEMES:
                for measure, metric in MEASURES.items():
                    figure = cells.one(cells.metric(metric, scheme), name)
                    yield f"{measure}, {scheme}, {name}, {words}", figure
