"""Points of an experiment: one figure of one point, and figures over workloads, repeat by repeat."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from reclaim.papers import cells
from reclaim.papers.custom import Custom
from reclaim.papers.measured import Figure, interval_of

TP, BASELINE, OSPADA, PCGC, COUPLED = "copyback-tp", "copyback-fsp", "ospada", "pcgc", "coupledcb"
FREE = "no rule"
"""Copyback without the odd/even rule: nothing is wasted, whatever is left to win."""
BESIDE = "beside the victim"
"""CoupledCB that fills units with a page of the victim alone."""
OTHERS = (BASELINE, OSPADA, PCGC)
WASTED, MOVED = "flash_wasted_pages", "flash_gc_programs"
PADDED, FILLED = "gc_padded_pages_per_host_page", "gc_relocation_filled_pages"
TAIL = "write_p99_99_ns"
"""Most requests write, and no percentile of all together is kept."""
WORKLOADS = ("ali2", "stg_0", "proj_0", "ali77", "prxy_0", "ali181")
Of = Callable[[str, int], float]
"""A figure of a workload and a repeat."""


class Cells(cells.Cells):
    """Points of one experiment under the load and the readings that verdicts rest on."""

    ORDER = WORKLOADS

    def latency(self, workload: str, scheme: str, repeat: int) -> float:
        """Mean latency over reads and writes, ns."""
        counts = {kind: self.value(f"{kind}_count", workload, scheme, repeat) for kind in ("read", "write")}
        means = {kind: self.value(f"{kind}_mean_ns", workload, scheme, repeat) for kind in counts}
        return sum(means[kind] * counts[kind] for kind in counts) / sum(counts.values())

    def accuracy(self, workload: str, repeat: int, scheme: str = COUPLED) -> float:
        """Pages relocated ahead that the host left alone until their block was collected, %."""
        filled = self.value(FILLED, workload, scheme, repeat)
        changed = self.value("gc_relocation_filled_pages_changed", workload, scheme, repeat)
        return 100 * (1 - changed / filled) if filled else 100.0

    def ratio(self, metric: str, scheme: str, base: str) -> Of:
        """One scheme's figure over another's; 1 where there is nothing of either."""

        def of(workload: str, repeat: int) -> float:
            ours = self.value(metric, workload, scheme, repeat)
            theirs = self.value(metric, workload, base, repeat)
            return 1.0 if ours == theirs == 0 else ours / max(theirs, 1e-9)

        return of

    def of_victims(self, scheme: str, base: str) -> Of:
        """One scheme's pages moved over another's, without pages that only fill a unit."""

        def moved(workload: str, each: str, repeat: int) -> float:
            return self.value(MOVED, workload, each, repeat) - self.value(FILLED, workload, each, repeat)

        return lambda workload, repeat: moved(workload, scheme, repeat) / moved(workload, base, repeat)

    def latency_ratio(self, scheme: str, base: str) -> Of:
        """The same of mean latencies."""
        return lambda workload, repeat: (
            self.latency(workload, scheme, repeat) / self.latency(workload, base, repeat)
        )

    def mean(self, of: Of, workloads: Sequence[str] = ()) -> Figure:
        """The mean over workloads, with its interval over repeats."""
        names = workloads or self.workloads
        return interval_of([statistics.fmean(of(name, repeat) for name in names) for repeat in self.repeats])

    def one(self, of: Of, workload: str) -> Figure:
        """Of one workload."""
        return interval_of([of(workload, repeat) for repeat in self.repeats])

    def all_hold(self, holds: Callable[[str, int], bool]) -> bool:
        """Whether something is so in every workload and repeat."""
        return all(holds(name, repeat) for name in self.workloads for repeat in self.repeats)

    def all_have(self, metric: str, scheme: str) -> bool:
        """Whether a scheme has some of a metric everywhere, so that one may divide by it."""
        return self.all_hold(lambda name, repeat: self.value(metric, name, scheme, repeat) > 0)


def reduction(ratio: Of) -> Of:
    """Ratio to reduction in percent."""
    return lambda workload, repeat: 100 * (1 - ratio(workload, repeat))


def percent(ratio: Of) -> Of:
    """Ratio in percent."""
    return lambda workload, repeat: 100 * ratio(workload, repeat)


def ratio_of(here: Cells, of: Of) -> Custom:
    """A ratio over workloads and of each."""
    return Custom(here.mean(of), parts=here.parts(of))
