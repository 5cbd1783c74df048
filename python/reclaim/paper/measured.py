"""Our figures: what a claim says about the points of a sweep, with an interval, and as text."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from reclaim.paper.claims import Claim, Form, Measure
from reclaim.paper.decisions import Trust
from reclaim.paper.trust import of_points
from reclaim.suggestions import near
from reclaim.units import NANOSECONDS, Kind, written

NO_INTERVAL = "no interval: fewer than six repeats"
"""What an agreement says then."""
GAIN = 1.02
"""A ratio above this is counted as a gain."""
OWN = ("experiment_key", "load")
"""Columns of where points come from, added to those of points.parquet."""


def geometric_mean(values: Iterable[float]) -> float:
    """Geometric mean; 0 where one of the values is."""
    listed = list(values)
    return statistics.geometric_mean(listed) if min(listed) > 0 else 0.0


STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "geomean": geometric_mean,
    "median": statistics.median,
    "min": min,
    "max": max,
    "sum": math.fsum,
    "gains": lambda values: float(sum(value > GAIN for value in values)),
    "deviation": statistics.stdev,
    "variation": lambda values: statistics.pstdev(values) / statistics.fmean(values),
}
"""Over workloads; `gains` counts those above `GAIN`, `variation` is their deviation over their mean."""


@dataclass(frozen=True)
class Figure:
    """A number with its interval over repeats."""

    value: float
    low: float | None = None
    high: float | None = None
    count: int = 1
    """Different values among the repeats."""
    exact: bool = False
    """Computed, not simulated: there is nothing random in it, and its interval is itself."""

    @property
    def has_interval(self) -> bool:
        """Whether repeats say how far it can be trusted."""
        return self.exact or (self.low is not None and self.high is not None)

    def text(self, write: Callable[[float], str], unit: str = "") -> str:
        """Write it with its unit, and its interval where there is one."""
        ends = "" if self.low is None or self.high is None else f" [{write(self.low)}, {write(self.high)}]"
        return f"{write(self.value)}{unit}{ends}"

    @property
    def interval(self) -> tuple[float, float]:
        """Least and largest value; the value itself without an interval."""
        if self.low is None or self.high is None:
            return self.value, self.value
        return self.low, self.high


@dataclass(frozen=True)
class OurFigure:
    """Our figure beside a claim, or why there is none."""

    figure: Figure | None = None
    parts: tuple[tuple[str, Figure], ...] = ()
    """By workload, or by the value of the axis along which a shape is claimed."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Cells that are not used: name to reason."""
    absent: tuple[str, ...] = ()
    """Workloads that this level does not run."""
    reason: str = ""
    """Why there is no figure."""
    rule: str = ""
    """Of a shape that a module has looked at: when it counts as there."""
    not_run: bool = False
    """The level has no such points, which is no fault."""
    trust: Trust = "trustworthy"
    """How far the runs themselves establish the figure, the worst of them."""
    why_trust: str = ""


def interval_of(values: Sequence[float]) -> Figure:
    """The median of repeats with its interval, of rank; without one where fewer than six are there.

    Repeats that are alike have an interval, too: what they vary does not move the figure.
    """
    from reclaim.result.sets import median_interval
    from reclaim.statistics.intervals import fewest

    found = median_interval(values)
    different = len({round(value, 12) for value in values})
    middle = statistics.median(values)
    if different == 1 and len(values) >= fewest():
        return Figure(middle, middle, middle, different)
    return Figure(middle, found.low, found.high, different)


def of_experiment(points: pl.DataFrame, experiment: str, load: str, vary: str = "") -> pl.DataFrame:
    """The points of an experiment under a load rule, and a reading or variation if it is no default cell."""
    asked = (pl.col("experiment_key") == experiment) & (pl.col("load") == load) & (pl.col("vary") == vary)
    return points.filter(asked)


def measure(
    claim: Claim, points: pl.DataFrame, workloads: Sequence[str], *, load: str, vary: str = ""
) -> OurFigure:
    """Compute our figure for a claim.

    Args:
        claim: with a measure.
        points: all points that were run, with the columns `experiment_key` and `load` in front.
        workloads: those of the paper.
        load: name of the load rule.
        vary: `axis=value` of a reading or variation; empty for the default cell.
    """
    wanted = claim.measure
    if wanted is None:
        return OurFigure(reason="no measure")
    cells = _cells(wanted, points, load, vary or wanted.vary)
    if isinstance(cells, OurFigure):
        return cells
    asked = list(wanted.workloads or workloads)
    found = _along(claim, wanted, cells) if wanted.along else _over(claim, wanted, cells, asked)
    schemes = [wanted.scheme, *wanted.baseline]
    rests_on = cells.filter(pl.col("scheme").is_in(schemes))
    if not wanted.along:
        rests_on = rests_on.filter(pl.col("trace").is_in([name for name, _ in found.parts]))
    trust, why = of_points(rests_on, wanted.metric.__eq__)
    return replace(found, trust=trust, why_trust=why)


def _cells(wanted: Measure, points: pl.DataFrame, load: str, vary: str) -> pl.DataFrame | OurFigure:
    """The points that a measure is about, or why there are none."""
    if points.is_empty():
        return OurFigure(reason="no experiment is run at this level", not_run=True)
    cells = points.filter(pl.col("experiment_key") == wanted.experiment)
    if not cells.is_empty() and wanted.metric not in cells.columns:
        meant = near(wanted.metric, cells.columns)
        return OurFigure(reason=f"results have no figure {wanted.metric}{meant}")
    lacking = [axis for axis in wanted.where if axis not in cells.columns]
    cells = of_experiment(cells, wanted.experiment, load, vary)
    for axis, value in wanted.where.items():
        if axis not in lacking:
            cells = cells.filter(pl.col(axis) == value)
    if cells.is_empty() or lacking:
        return OurFigure(
            reason=f"this level runs no such cell of experiment {wanted.experiment}", not_run=True
        )
    return cells


def _refusal(cells: pl.DataFrame) -> str:
    """Why a cell says nothing of collection: none of its schemes collected in any repeat."""
    if "gc_jobs" in cells.columns and not cells["gc_jobs"].sum():
        return "garbage collection never ran: no scheme collected a block"
    return ""


def _over(claim: Claim, wanted: Measure, cells: pl.DataFrame, asked: Sequence[str]) -> OurFigure:
    """Statistic over workloads, repeat by repeat."""
    present = [each for each in asked if each in cells["trace"].to_list()]
    absent = tuple(each for each in asked if each not in present)
    refused: dict[str, str] = {}
    found: dict[str, dict[int, float]] = {}
    for workload in present:
        cell = cells.filter(pl.col("trace") == workload)
        by_repeat = _by_repeat(claim, wanted, cell)
        why = _refusal(cell) or ("" if by_repeat else _missing(wanted, cell))
        if why:
            refused[workload] = why
        else:
            found[workload] = by_repeat
    if not found:
        why = "; ".join(f"{name}: {text}" for name, text in refused.items())
        return OurFigure(
            refused=refused,
            absent=absent,
            reason=why or "none of its workloads is run at this level",
            not_run=not refused,
        )
    parts = tuple((name, interval_of(list(values.values()))) for name, values in found.items())
    common = sorted(set.intersection(*(set(values) for values in found.values())))
    statistic = STATISTICS[wanted.over]
    whole = interval_of([statistic([values[repeat] for values in found.values()]) for repeat in common])
    return OurFigure(whole, parts, refused, absent)


def _missing(wanted: Measure, cell: pl.DataFrame) -> str:
    schemes = sorted(set(cell["scheme"].to_list()))
    lacking = [each for each in (wanted.scheme, *wanted.baseline) if each not in schemes]
    return f"no points of {', '.join(lacking)}" if lacking else f"{wanted.metric} has no value"


def _along(claim: Claim, wanted: Measure, cells: pl.DataFrame) -> OurFigure:
    """One figure for each value of an axis, in the order of the experiment."""
    if wanted.along not in cells.columns:
        return OurFigure(reason=f"the experiment has no axis {wanted.along} at this level", not_run=True)
    parts, refused = [], {}
    for value in cells[wanted.along].unique(maintain_order=True).to_list():
        here = cells.filter(pl.col(wanted.along) == value)
        by_repeat = _by_repeat(claim, wanted, here)
        why = _refusal(here) or ("" if by_repeat else _missing(wanted, here))
        if why:
            refused[str(value)] = why
        else:
            parts.append((str(value), interval_of(list(by_repeat.values()))))
    if len(parts) < 2:
        return OurFigure(refused=refused, reason="fewer than two values of the axis", not_run=not refused)
    return OurFigure(parts[-1][1], tuple(parts), refused)


def _by_repeat(claim: Claim, wanted: Measure, cell: pl.DataFrame) -> dict[int, float]:
    """The claim's figure of one workload, by repeat; repeats in which something is missing are left out."""
    table: dict[int, dict[str, float]] = {}
    for row in cell.select("repeat", "scheme", wanted.metric).iter_rows(named=True):
        value = _number(row[wanted.metric])
        if value is not None:
            table.setdefault(int(row["repeat"]), {})[row["scheme"]] = value
    found = {}
    best = max if claim.better == "higher" and wanted.form in ("value", "ratio", "increase") else min
    for repeat, values in sorted(table.items()):
        if wanted.scheme not in values or not all(each in values for each in wanted.baseline):
            continue
        base = best(values[each] for each in wanted.baseline) if wanted.baseline else None
        figure = _form(claim, wanted, values[wanted.scheme], base)
        if figure is not None:
            found[repeat] = figure
    return found


def _form(claim: Claim, wanted: Measure, ours: float, base: float | None) -> float | None:
    if base is None or (wanted.form == "value" and claim.kind != "order"):
        return ours * (1 / NANOSECONDS.get(claim.unit, 1)) if wanted.metric.endswith("_ns") else ours
    under = ours if wanted.form == "speed-up" else base
    form = "ratio" if wanted.form == "value" else wanted.form
    percent = claim.unit == "%" and form in ("reduction", "increase")
    return None if under == 0 else relative(form, ours, base, percent=percent)


def relative(form: Form, ours: float, base: float | None, *, percent: bool = False) -> float:
    """Put a figure beside another one, as a `Measure` says; a ratio in percent is a share.

    It is 1 where both have nothing, and infinite where only the other one has nothing.

    >>> relative("reduction", 1.0, 4.0, percent=True), relative("speed-up", 1.0, 4.0)
    (75.0, 4.0)
    """
    if base is None or form == "value":
        return ours
    over, under = (base, ours) if form == "speed-up" else (ours, base)
    ratio = over / under if under else 1.0 if over == 0 else math.inf
    share = {"reduction": 1 - ratio, "increase": ratio - 1}.get(form, ratio)
    return 100 * share if percent and form != "speed-up" else share


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


SCALED: dict[str, Kind] = {"ns": "time", "B/s": "bandwidth"}
"""Units of our own tables, whose figures are written in larger ones."""


def number(value: float) -> str:
    """Four significant digits, without an exponent below a hundred million.

    >>> number(0.2749), number(31391.2), number(4.8), number(1.0e9)
    ('0.2749', '31,391', '4.8', '1e+09')
    """
    if value == 0 or not 1e-4 <= abs(value) < 1e8:
        return f"{value:.4g}"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def scaled(value: float, unit: str) -> str:
    """A figure, with its unit only where that is not the one in which it is given.

    >>> scaled(79_100, "ns"), scaled(0.5, "ratio")
    ('79.10 µs', '0.5')
    """
    return written(value, SCALED[unit]) if unit in SCALED else number(value)


def rounded(value: float, digits: int = 2) -> str:
    """A figure for prose.

    >>> rounded(19.71), rounded(0.8996), rounded(1234.0), rounded(5.0), rounded(0.0)
    ('20', '0.9', '1,200', '5', '0')
    """
    if value == 0:
        return "0"
    near = float(f"{value:.{digits}g}")
    return f"{near:,.0f}" if abs(near) >= 10 ** (digits - 1) else f"{near:.10g}"


def with_error(value: float, half: float) -> str:
    """A figure for a table: three digits, and half the width of its interval where that is to be seen.

    >>> with_error(0.8996, 0.0125), with_error(24.74, 0.05), with_error(2.0, 0.0), with_error(0.0975, 1e-4)
    ('0.90 ± 0.01', '24.7', '2', '0.0975 ± 0.0001')
    >>> with_error(-0.08, 3.5)
    '0 ± 4'
    """
    size = abs(value) or half
    shown = rounded(value, 3)
    if not size or not half or float(f"{half:.1g}") < 10 ** (math.floor(math.log10(size)) - 2):
        return shown
    places = max(0, -math.floor(math.log10(half)))
    return f"{round(value, places) + 0:,.{places}f} ± {half:.{places}f}"
