"""What the report of a set begins with: ratios to the first scheme, which the sentence above them is of.

Figures that a verdict speaks against, and comparisons that hang on the order of requests, are marked in the
picture and claimed by no sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from reclaim.errors import InputError
from reclaim.report.ratios import Compared, Ratio, answer
from reclaim.result.sets.axis_scale import name_of
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import amplification, describe
from reclaim.result.sets.orders import AXIS, turned
from reclaim.result.sets.selection import base, established, values
from reclaim.result.verdict import SEVERITIES, Verdict, column, in_words

TAILS = ("p99_9_ns", "p99_ns", "mean_ns")
MOST_VALUES = 20
"""Values of an axis of which a sentence knows."""
LEAST_NS = 1000
"""A latency below a microsecond under all schemes is not compared."""


@dataclass(frozen=True)
class Doubts:
    """Schemes whose figures do not count."""

    distrusted: set[str]
    """Those with a point that is not trustworthy."""
    of_metric: Mapping[str, set[str]]
    """Those with a point whose verdict speaks against the metric, or whose order against the first turns."""
    codes: Mapping[str, set[str]] = field(default_factory=dict)
    """Of what speaks against each metric, and under the empty name against runs as a whole."""

    def why(self, metric: str = "") -> str:
        """Name in brackets what speaks against a metric, or against runs."""
        codes = sorted(self.codes.get(metric, ()))
        return f" ({', '.join(map(in_words, codes))})" if codes else ""

    def mark(self, metric: str, *schemes: str) -> str:
        """What stands behind a ratio of schemes."""
        if self.distrusted & {*schemes}:
            return "!"
        return "?" if self.of_metric[metric] & {*schemes} else ""


def compared(results: MeasuredSet) -> list[Compared]:
    """Every scheme beside the first, at the first device and the first value of every axis."""
    chosen, _ = base(results)
    schemes = values(chosen.points, "scheme")
    metrics = list(told_metrics(chosen))
    if len(schemes) < 2 or not metrics:
        return []
    doubts = doubts_of(chosen, metrics, schemes[0])
    over = "trace" if chosen.points["trace"].n_unique() > 1 else None
    found: dict[str, list[Ratio]] = {each: [] for each in schemes[1:]}
    for row in chosen.normalize(metrics=metrics, over=over).iter_rows(named=True):
        if row["value"] and row["scheme"] in found:
            mark = doubts.mark(row["metric"], schemes[0], row["scheme"])
            label = describe(row["metric"]).label
            found[row["scheme"]].append(Ratio(label, row["value"], row["low"], row["high"], mark=mark))
    return [Compared(each, schemes[0], ratios) for each, ratios in found.items()]


def opening(results: MeasuredSet) -> str:
    """The sentence on the points at the first device and the first value of every axis."""
    found = compared(results)
    if not found:
        return "One scheme was measured: nothing is compared."
    return answer(found, where=_where(results), elsewhere=_elsewhere(results))


def _elsewhere(results: MeasuredSet) -> Iterator[tuple[str, list[Compared]]]:
    """The same comparison on every other device, and at every other value of an axis, one at a time."""
    for name in ("device", *results.axes):
        for value in values(results.points, name)[1:MOST_VALUES]:
            there = results.only(results.points.filter(pl.col(name).cast(pl.String) == value))
            place = f"on {value}" if name == "device" else f"at {name_of(name)} = {value}"
            yield place, compared(there)


def _where(results: MeasuredSet) -> str:
    """Which points are compared, and what of."""
    points = base(results)[0].points
    repeats, traces = points["repeat"].n_unique(), points["trace"].n_unique()
    at = [
        f"at {axis} = {values(points, axis)[0]}"
        for axis in results.axes
        if len(values(results.points, axis)) > 1
    ]
    if results.points["device"].n_unique() > 1:
        at.insert(0, f"on {values(points, 'device')[0]}")
    over = [f"over {traces} traces"] if traces > 1 else []
    return " ".join([*at, *over, *([f"in {repeats} repeats"] if repeats > 1 else [])])


def told_metrics(chosen: MeasuredSet) -> Iterator[str]:
    """Mean and farthest tail of reads and of writes that are established, and write amplification."""
    for request_class in ("read", "write"):
        yield from told_latencies(chosen, request_class)
    if is_asked(chosen, found := amplification(chosen.points)):
        yield found


def told_latencies(chosen: MeasuredSet, request_class: str) -> list[str]:
    """Mean and farthest established tail of a class of requests."""
    both = (f"{request_class}_mean_ns", farthest_tail(chosen, request_class))
    return [metric for metric in dict.fromkeys(both) if metric and is_asked(chosen, metric)]


def is_asked(chosen: MeasuredSet, metric: str) -> bool:
    """Whether a metric was measured, and is no latency too short to matter, as that of staged writes."""
    if metric not in chosen.points.columns:
        return False
    largest = chosen.points[metric].drop_nulls().max()
    least = LEAST_NS if describe(metric).kind == "time" else 0
    return largest is not None and float(largest) > least  # type: ignore[arg-type]


def farthest_tail(chosen: MeasuredSet, request_class: str) -> str:
    """The farthest tail of a class of requests that is established in all points; empty if none is."""
    tails = [f"{request_class}_{tail}" for tail in TAILS]
    known = chosen.points.columns
    measured = [each for each in tails if each in known and chosen.points[each].drop_nulls().len()]
    return next((each for each in measured if established(chosen.points, each)), "")


def doubts_of(chosen: MeasuredSet, metrics: list[str], first: str) -> Doubts:
    """Which schemes' figures do not count, of those that are compared with `first`."""
    of_metric: dict[str, set[str]] = {metric: set() for metric in metrics}
    distrusted: set[str] = set()
    codes: dict[str, set[str]] = {}
    for point, scheme, level in chosen.points.select("point", "scheme", "verdict").iter_rows():
        if level == "not-trustworthy":
            distrusted.add(scheme)
        verdict = _verdict(chosen, point)
        if verdict is None:
            continue
        codes.setdefault("", set()).update(each.code for each in verdict.warnings)
        for metric in metrics:
            against = [
                each.code
                for severity in SEVERITIES
                for each in verdict.remarks(severity)
                if metric in map(column, each.figures)
            ]
            if against:
                of_metric[metric].add(scheme)
                codes.setdefault(metric, set()).update(against)
    for each in turned(chosen, metrics):
        if each.first == first:
            of_metric[each.metric].add(each.second)
            codes.setdefault(each.metric, set()).add(AXIS)
    return Doubts(distrusted, of_metric, codes)


def _verdict(chosen: MeasuredSet, point: str) -> Verdict | None:
    try:
        return chosen.said(point).verdict
    except InputError:
        # The folder of the point is gone.
        return None
