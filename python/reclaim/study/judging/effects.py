"""What a candidate reaches beside each rival: the workload is the unit of all statistics.

The interval is that of all tables, of the median: of ten workloads a 95 % bootstrap of the mean covers 86 to
92 %, as their differences are spread, and this one 97 to 98 %.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median
from typing import TYPE_CHECKING, Literal

from reclaim.report.ratios import SAME_WITHIN, change, way
from reclaim.statistics.intervals import fewest
from reclaim.statistics.samples import ALPHA, Sample, holm
from reclaim.study.judging.suite import AMPLIFICATION, BOUND, KEY, METRICS, mark_of

if TYPE_CHECKING:
    import polars as pl

Shown = Literal["lower", "higher", "equal", "no measurable difference", "overloaded", "inconclusive"]
EQUAL = math.log1p(SAME_WITHIN)


@dataclass(frozen=True)
class Effect:
    """A figure of a candidate over that of a rival: the median over workloads, with its 95 % interval."""

    by_workload: Mapping[str, float]
    """Logarithm of the ratio, the mean over drives and repeats."""
    p: float = 1.0
    """Of no difference, corrected for the number of rivals by Holm."""
    conclusive: bool = True
    """Whether it is of runs whose verdict lets the figure stand."""
    overloaded: bool = False
    """Where it is not: whether most of these runs are not to be trusted, as where queues grew without end."""
    by_drive: Mapping[str, float] = field(default_factory=dict)
    """Logarithm of the ratio on each drive: the median over workloads of the mean over repeats."""

    @property
    def sample(self) -> Sample:
        """The workloads: repeats and drives are nested in them."""
        return Sample.of([*self.by_workload.values()])

    @property
    def value(self) -> float:
        """The ratio on the median workload."""
        return math.exp(self.sample.median)

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval of that; None where there are too few workloads, or all have one ratio."""
        found = self.sample.interval()
        return None if found is None else (math.exp(found[0]), math.exp(found[1]))

    @property
    def shown(self) -> Shown:
        """What it shows: *equal* is an interval inside 1 % either way, not a difference that is not seen."""
        if not self.conclusive:
            return "overloaded" if self.overloaded else "inconclusive"
        if self.is_equal_everywhere:
            return "equal"
        low, high = self.ends or (None, None)
        if low is not None and high is not None and -EQUAL < math.log(low) <= math.log(high) < EQUAL:
            return "equal"
        found = way(self.value, low, high)
        return found if found is not None and self.p <= ALPHA else "no measurable difference"

    @property
    def is_equal_everywhere(self) -> bool:
        """Whether it is inside 1 % on every workload."""
        return all(abs(each) < EQUAL for each in self.by_workload.values())

    @property
    def text(self) -> str:
        """The ratio, with its interval; nothing where it is inconclusive."""
        if not self.conclusive:
            return ""
        ends = f" [{self.ends[0]:.2f}, {self.ends[1]:.2f}]" if self.ends else ""
        return f"×{self.value:.2f}{ends}"

    @property
    def said(self) -> str:
        """What it shows, in words.

        >>> Effect({str(each): -0.2 - each / 100 for each in range(6)}, 0.001).said
        '20 % lower'
        """
        if self.shown == "equal" and not self.is_equal_everywhere:
            return "equal on the median"
        return change(self.value) if self.shown in ("lower", "higher") else self.shown


def turned(effect: Effect) -> Effect:
    """Give the rival beside the candidate: one question, asked the other way round."""
    logs = {name: -log for name, log in effect.by_workload.items()}
    return replace(effect, by_workload=logs, by_drive={name: -log for name, log in effect.by_drive.items()})


Against = Mapping[str, Mapping[str, Effect]]
"""Of each metric: the rivals with which it can be compared."""


def against(
    candidate: pl.DataFrame, baselines: pl.DataFrame, rivals: Iterable[str], devices: Sequence[str]
) -> Against:
    """Compare a candidate with each rival.

    Args:
        candidate: its runs, as `figures_of` gives them.
        baselines: those of the rivals.
        rivals: all of the suite: each p is corrected for their number.
        devices: the drives of the suite; the first has no time, and is what amplification is taken from
            where both ran there.
    """
    found: dict[str, dict[str, Effect]] = {}
    for metric in METRICS:
        of_rivals: dict[str, Effect] = {}
        for rival in rivals:
            theirs = baselines.filter(scheme=rival)
            known = _compared(
                candidate, theirs, metric, devices[:1] if metric == AMPLIFICATION else devices[1:]
            )
            if known is None and metric == AMPLIFICATION:
                known = _compared(candidate, theirs, metric, devices[1:])
            if known is not None:
                of_rivals[rival] = known
        # Who knows the trace, and what is inconclusive, is no question that is asked.
        asked = {rival: each for rival, each in of_rivals.items() if rival != BOUND and each.conclusive}
        ps = holm({rival: each.sample.p() for rival, each in asked.items()})
        found[metric] = {
            rival: replace(each, p=ps.get(rival, each.sample.p())) for rival, each in of_rivals.items()
        }
    return found


def _compared(ours: pl.DataFrame, theirs: pl.DataFrame, metric: str, devices: Sequence[str]) -> Effect | None:
    """Compare over those drives and repeats that both ran.

    Inconclusive runs are left out. Where too few workloads are left for an interval, all count, and the
    comparison is inconclusive itself.
    """
    key = [each for each in KEY if each != "scheme"]
    both = ours.join(theirs, on=key, suffix="_theirs", maintain_order="left")
    every: list[tuple[str, str, float, str]] = []
    mark = mark_of(metric)
    for row in both.iter_rows(named=True):
        mine, other = row[metric], row[f"{metric}_theirs"]
        if row["device"] in devices and mine and other:
            marks = row[mark] + row[f"{mark}_theirs"]
            every.append((row["device"].removesuffix(".toml"), row["trace"], math.log(mine / other), marks))
    if not every:
        return None
    sound = [each for each in every if not each[-1]]
    conclusive = len({trace for _, trace, *_ in sound}) >= min(fewest(), len({each[1] for each in every}))
    used = sound if conclusive else every
    drives = dict.fromkeys(drive for drive, *_ in used)
    return Effect(
        _means(used),
        conclusive=conclusive,
        overloaded=2 * sum("!" in marks for *_, marks in every) > len(every),
        by_drive={name: median(_means(each for each in used if each[0] == name).values()) for name in drives},
    )


def _means(runs: Iterable[tuple[str, str, float, str]]) -> dict[str, float]:
    """Give the mean log of every workload."""
    logs: dict[str, list[float]] = defaultdict(list)
    for _, trace, log, _ in runs:
        logs[trace].append(log)
    return {trace: fmean(each) for trace, each in logs.items()}


def by_workload(runs: pl.DataFrame, devices: Sequence[str]) -> dict[str, dict[str, float]]:
    """Give the mean write amplification by scheme and workload, on some drives."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in runs.iter_rows(named=True):
        if row["device"] in devices and row[AMPLIFICATION]:
            found[row["scheme"]][row["trace"]].append(row[AMPLIFICATION])
    return {scheme: {trace: fmean(each) for trace, each in of.items()} for scheme, of in found.items()}
