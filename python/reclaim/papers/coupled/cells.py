"""Points of an experiment: one figure of one point, and figures over workloads, repeat by repeat."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from reclaim.papers.custom import Custom
from reclaim.papers.measured import Figure, interval_of

TP, BASELINE, OSPADA, PCGC, COUPLED = "copyback-tp", "copyback-fsp", "ospada", "pcgc", "coupledcb"
FREE = "no rule"
"""Copyback without the odd/even rule: nothing is wasted, whatever is left to win."""
OTHERS = (BASELINE, OSPADA, PCGC)
WASTED, MOVED = "flash_wasted_pages", "flash_gc_programs"
WORKLOADS = ("ali2", "stg_0", "proj_0", "ali77", "prxy_0", "ali181")
Of = Callable[[str, int], float]
"""A figure of a workload and a repeat."""


@dataclass(frozen=True)
class Cells:
    """Points of one experiment under the load and the readings that verdicts rest on."""

    points: pl.DataFrame

    @property
    def repeats(self) -> list[int]:
        """Numbers of the repeats."""
        return sorted(self.points["repeat"].unique().to_list())

    @property
    def workloads(self) -> list[str]:
        """Those that are there, in the paper's order."""
        there = set(self.points["trace"].to_list())
        return [name for name in WORKLOADS if name in there]

    def has(self, *schemes: str) -> bool:
        """Whether there are points of all these schemes."""
        return not self.points.is_empty() and set(schemes) <= set(self.points["scheme"].to_list())

    def value(self, metric: str, workload: str, scheme: str, repeat: int) -> float:
        """One figure of one point."""
        chosen = (pl.col("trace") == workload) & (pl.col("scheme") == scheme) & (pl.col("repeat") == repeat)
        return float(self.points.filter(chosen)[metric].item() or 0)

    def latency(self, workload: str, scheme: str, repeat: int) -> float:
        """Mean latency over reads and writes, ns."""
        counts = {kind: self.value(f"{kind}_count", workload, scheme, repeat) for kind in ("read", "write")}
        means = {kind: self.value(f"{kind}_mean_ns", workload, scheme, repeat) for kind in counts}
        return sum(means[kind] * counts[kind] for kind in counts) / sum(counts.values())

    def accuracy(self, workload: str, repeat: int, scheme: str = COUPLED) -> float:
        """Pages relocated ahead that the host left alone until their block was collected, %."""
        filled = self.value("gc_relocation_filled_pages", workload, scheme, repeat)
        changed = self.value("gc_relocation_filled_pages_changed", workload, scheme, repeat)
        return 100 * (1 - changed / filled) if filled else 100.0

    def ratio(self, metric: str, scheme: str, base: str) -> Of:
        """One scheme's figure over another's; 1 where there is nothing of either."""

        def of(workload: str, repeat: int) -> float:
            ours = self.value(metric, workload, scheme, repeat)
            theirs = self.value(metric, workload, base, repeat)
            return 1.0 if ours == theirs == 0 else ours / max(theirs, 1e-9)

        return of

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

    def parts(self, of: Of) -> tuple[tuple[str, Figure], ...]:
        """Of each workload."""
        return tuple((name, self.one(of, name)) for name in self.workloads)

    def all_hold(self, holds: Callable[[str, int], bool]) -> bool:
        """Whether something is so in every workload and repeat."""
        return all(holds(name, repeat) for name in self.workloads for repeat in self.repeats)


def reduction(ratio: Of) -> Of:
    """Ratio to reduction in percent."""
    return lambda workload, repeat: 100 * (1 - ratio(workload, repeat))


def percent(ratio: Of) -> Of:
    """Ratio in percent."""
    return lambda workload, repeat: 100 * ratio(workload, repeat)


def ratio_of(cells: Cells, of: Of) -> Custom:
    """A ratio over workloads and of each."""
    return Custom(cells.mean(of), parts=cells.parts(of))
