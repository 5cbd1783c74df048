"""Figures of the cells of an experiment, and how schemes stand beside one another."""

from __future__ import annotations

from reclaim.paper import latencies, toolkit
from reclaim.paper.toolkit import OfWorkload, Row

BASELINE, VENICE, VENICE_FIVE, BYPASS = "baseline", "venice", "venice-five", "gc-bypass"
SCHEMES = (BASELINE, VENICE, VENICE_FIVE, BYPASS)
MSR = ("hm_0", "hm_1", "prn_0", "prxy_0", "rsrch", "stg_0", "usr_0", "wdev_0")
ALIBABA = ("ali0", "ali1", "ali2", "ali3", "ali4")
WORKLOADS = (*MSR, *ALIBABA)
OVERHEAD = ("ali0", "ali1", "ali2", "hm_0", "prn_0", "prxy_0")
"""Workloads of Figure 16."""
TAIL = 0.9999
READ_NS, PROGRAM_NS, ERASE_NS = 75_000, 750_000, 3_800_000
"""Of the paper's drive, Table 3."""
PAGES = 256
"""Of a block, and of the collector's buffer for one batch."""
DIES_OF_CHIP = 2
BOUND_PAGES_PER_S = DIES_OF_CHIP * 1e9 / PROGRAM_NS
"""Pages that can be written back in a second over a circuit that is kept while its chip programs, one plane
of a die at a time; with both planes of a die together twice as many."""


class BypassCells(toolkit.Cells):
    """The points of an experiment, with percentiles of reads and writes together."""

    ORDER = WORKLOADS

    def has(self, workload: str, scheme: str) -> bool:
        """Whether there is such a cell."""
        return (workload, scheme, self.repeats[0]) in self._rows

    def tail(self, row: Row) -> float:
        """99.99th percentile of reads and writes together, ns."""
        return self.percentile(row, TAIL)

    def median(self, of: OfWorkload, workload: str) -> float:
        """Median over the repeats of what is computed of a workload."""
        return self.one(of, workload).value


def stalled(row: Row) -> float:
    """Host writes that waited for a free page."""
    return float(row["gc_stalled_writes"])


def waiting(row: Row) -> float:
    """Mean time that a request waits for others and for collection, ns."""
    return latencies.time_of(row, "queue", "gc")


def waiting_for_collection(row: Row) -> float:
    """Mean time that a request waits for collection, ns."""
    return latencies.time_of(row, "gc")


def bandwidth(row: Row) -> float:
    """Bytes read and written per second of simulated time."""
    return float((row["read_bytes"] + row["write_bytes"]) * 1e9 / row["simulated_ns"])


def collection_time(row: Row) -> float:
    """Time that dies spend for collection: reads, programs and erases, ns."""
    return float(
        row["flash_gc_reads"] * READ_NS
        + row["flash_gc_programs"] * PROGRAM_NS
        + row["flash_erases"] * ERASE_NS
    )


def job_time(row: Row) -> float:
    """Time of all jobs, each from its begin until the erase is done and its pages are in flash, ns."""
    return float((row.get("gc_job_written_back_mean_ns") or 0.0) * row["gc_jobs"])


def unevenness(row: Row) -> float:
    """Standard deviation of the erases of blocks over their mean."""
    return float(row["wear_stddev_erases"] / row["wear_mean_erases"]) if row["wear_mean_erases"] else 0.0
