"""The sentence that the report of a set begins with: who is below the first scheme in what, and what is open.

A scheme is below another where the 95 % interval of their paired ratio is; where there is none, the sentence
says so. Percentiles of too few requests, figures that a verdict speaks against, and comparisons that hang on
the order of requests take no part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reclaim.errors import InputError
from reclaim.result.opening import SAME_WITHIN, listed, percent, way
from reclaim.result.sets.measured import Measured
from reclaim.result.sets.metrics import amplification, describe
from reclaim.result.sets.orders import AXIS, turned
from reclaim.result.sets.selection import base, established, values
from reclaim.result.verdict import SEVERITIES, Verdict, column

TAILS = ("p99_9_ns", "p99_ns", "mean_ns")


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
        """Name in brackets what speaks against a metric, or against runs: codes of `docs/verdicts.md`."""
        return f" ({', '.join(sorted(codes))})" if (codes := self.codes.get(metric)) else ""


def opening(results: Measured) -> str:
    """The sentence on the points at the first device and the first value of every axis."""
    chosen, _ = base(results)
    points = chosen.points
    schemes = values(points, "scheme")
    if len(schemes) < 2:
        return "One scheme was measured, so that nothing is compared."
    metrics = list(told_metrics(chosen))
    doubts = doubts_of(chosen, metrics, schemes[0])
    if schemes[0] in doubts.distrusted:
        return (
            f"Nothing is compared: {schemes[0]}, the first scheme, has runs that are not "
            f"trustworthy{doubts.why()}."
        )
    over = "trace" if points["trace"].n_unique() > 1 else None
    ratios = {
        (row["metric"], row["scheme"]): row
        for row in chosen.normalize(metrics=metrics, over=over).iter_rows(named=True)
    }
    parts = [_compared(metric, schemes, ratios, doubts) for metric in metrics]
    told = "; ".join(part for part in parts if part) or "nothing is established"
    return f"Against {schemes[0]}, {_where(results, chosen)}, {told}{_left_out(metrics, schemes, doubts)}."


def _where(results: Measured, chosen: Measured) -> str:
    """Which points are compared, and what of."""
    points, repeats = chosen.points, chosen.points["repeat"].n_unique()
    traces = points["trace"].n_unique()
    at = [
        f"at {axis} = {values(points, axis)[0]}"
        for axis in results.axes
        if len(values(results.points, axis)) > 1
    ]
    if results.points["device"].n_unique() > 1:
        at.insert(0, f"on {values(points, 'device')[0]}")
    over = [f"geometric mean over {traces} traces"] if traces > 1 else []
    return ", ".join([*at, *over, f"median of {repeats} repeats" if repeats > 1 else "in one run of each"])


def told_metrics(chosen: Measured) -> Iterator[str]:
    """The farthest tails of reads and of writes that are established, and write amplification."""
    known = chosen.points.columns
    for request_class in ("read", "write"):
        if found := farthest_tail(chosen, request_class):
            yield found
    if (found := amplification(chosen.points)) in known and chosen.points[found].drop_nulls().len():
        yield found


def farthest_tail(chosen: Measured, request_class: str) -> str:
    """The farthest tail of a class of requests that is established in all points; empty if none is."""
    tails = [f"{request_class}_{tail}" for tail in TAILS]
    known = chosen.points.columns
    measured = [each for each in tails if each in known and chosen.points[each].drop_nulls().len()]
    return next((each for each in measured if established(chosen.points, each)), "")


def doubts_of(chosen: Measured, metrics: list[str], first: str) -> Doubts:
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


def _verdict(chosen: Measured, point: str) -> Verdict | None:
    try:
        return chosen.results(point).verdict
    except InputError:
        # The folder of the point is gone.
        return None


def _compared(
    metric: str, schemes: list[str], ratios: Mapping[tuple[str, str], Mapping[str, Any]], doubts: Doubts
) -> str:
    """Which scheme is farthest below the first in a metric of which less is better."""
    first, *others = schemes
    if first in doubts.of_metric[metric]:
        return ""
    out = doubts.distrusted | doubts.of_metric[metric]
    known = [ratios[metric, each] for each in others if each not in out and (metric, each) in ratios]
    known = [row for row in known if row["value"] is not None]
    if not known:
        return ""
    label = describe(metric).label
    below = [row for row in known if way(row["value"], row["low"], row["high"], alone=True) == "lower"]
    if not below:
        return f"no scheme is known to be lower in {label} ({_nearest(known)})"
    best = min(below, key=lambda row: row["value"])
    spread = (
        "no interval"
        if best["low"] is None
        else f"95 % interval of the ratio {best['low']:.3f} to {best['high']:.3f}"
    )
    return f"{best['scheme']} is {percent(1 - best['value'])} lower in {label} ({spread})"


def _nearest(known: list[Mapping[str, Any]]) -> str:
    """Say how near the lowest scheme comes to being known to be lower, and what it takes."""
    best = min(known, key=lambda row: row["value"])
    told = f"nearest: {best['scheme']}, ratio {best['value']:.3f}"
    if best["low"] is None:
        return f"{told} without an interval, where it takes less than {1 - SAME_WITHIN:.2f}; repeats give one"
    return (
        f"{told}, 95 % interval {best['low']:.3f} to {best['high']:.3f}, where it takes a ratio below "
        f"{1 - SAME_WITHIN:.2f} and an interval below 1; more repeats narrow it"
    )


def _left_out(metrics: list[str], schemes: list[str], doubts: Doubts) -> str:
    parts = []
    distrusted = [each for each in schemes if each in doubts.distrusted]
    if distrusted:
        parts.append(f"not trustworthy: {listed(distrusted)}{doubts.why()}")
    doubted = []
    for metric in metrics:
        found = [each for each in schemes if each in doubts.of_metric[metric] | doubts.distrusted]
        if doubts.of_metric[metric]:
            whose = "" if len(found) == len(schemes) else f" of {listed(found)}"
            doubted.append(f"{describe(metric).label}{whose}{doubts.why(metric)}")
    if doubted:
        parts.append(f"not established: {', '.join(doubted)}")
    return "".join(f"; {part}" for part in parts)
