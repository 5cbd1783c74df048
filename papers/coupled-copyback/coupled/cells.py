"""Points of the paper's experiments: what is counted of a point, and how schemes stand beside one another."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from reclaim.paper import toolkit
from reclaim.paper.toolkit import Figure, OfWorkload, Row

TP, BASELINE, OSPADA, PCGC, COUPLED = "copyback-tp", "copyback-fsp", "ospada", "pcgc", "coupledcb"
FREE = "no rule"
"""Copyback without the odd/even rule: nothing is wasted, whatever is left to win."""
BESIDE = "beside the victim"
"""CoupledCB that fills units with a page of the victim alone."""
OTHERS = (BASELINE, OSPADA, PCGC)
WASTED, MOVED, WRITTEN = "flash_wasted_pages", "flash_gc_programs", "gc_write_amplification"
PADDED, FILLED = "gc_padded_pages_per_host_page", "gc_relocation_filled_pages"
TAIL = "write_p99_99_ns"
"""Most requests write, and no percentile of all together is kept."""
WORKLOADS = ("ali2", "stg_0", "proj_0", "ali77", "prxy_0", "ali181")


class CoupledCells(toolkit.Cells):
    """Points of one experiment under the load and the readings that verdicts rest on."""

    ORDER = WORKLOADS

    @staticmethod
    def average(values: Iterable[float]) -> float:
        """The arithmetic mean."""
        return statistics.fmean(values)

    def accuracy(self, scheme: str = COUPLED) -> OfWorkload:
        """Pages relocated ahead that the host left alone until their block was collected, %."""
        return self.metric(_left_alone, scheme)

    def in_vain(self, scheme: str = COUPLED) -> OfWorkload:
        """Pages relocated ahead that the host changed before their block was collected, %."""
        return self.metric(lambda row: 100 - _left_alone(row), scheme)

    def of_victims(self, scheme: str, base: str) -> OfWorkload:
        """One scheme's pages moved over another's, without pages that only fill a unit."""
        return self.ratio(_of_victims, scheme, base)

    def all_have(self, metric: str, scheme: str) -> bool:
        """Whether a scheme has some of a metric everywhere, so that one may divide by it."""
        return self.everywhere(lambda name, repeat: self.value(metric, name, scheme, repeat) > 0)

    def known(self, of: OfWorkload, metric: str, scheme: str) -> Figure | None:
        """The mean of a figure; none where the scheme that it is beside has nothing of the metric."""
        return self.mean(of) if self.all_have(metric, scheme) else None


def _left_alone(row: Row) -> float:
    filled, changed = (row[each] or 0 for each in (FILLED, "gc_relocation_filled_pages_changed"))
    return 100 * (1 - changed / filled) if filled else 100.0


def _of_victims(row: Row) -> float:
    return float((row[MOVED] or 0) - (row[FILLED] or 0))
