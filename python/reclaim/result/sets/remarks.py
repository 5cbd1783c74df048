"""What must be known before the figures of a set are believed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from reclaim.errors import InputError
from reclaim.report.document import Note
from reclaim.result.sets import cells
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import SAME, describe
from reclaim.result.sets.opening import told_metrics
from reclaim.result.sets.orders import AXIS, turned
from reclaim.result.sets.selection import base
from reclaim.result.verdict import LEVELS, SEVERITIES, Level, Remark, Severity

NAMED = 4
"""More schemes or traces than this are counted, not named."""


@dataclass(frozen=True)
class SetRemark(Note):
    """One thing to know of some points of a set; the command of a failed one runs it again."""

    points: int = 1
    """How many points it is about."""


def level_of(results: MeasuredSet) -> Level:
    """The level of all points together: that of the one least to be trusted, or of their comparison."""
    found = set(results.points["verdict"].to_list())
    if turned(results):
        found.add("not-established")
    return max((level for level in LEVELS if level in found), key=LEVELS.index, default="trustworthy")


def level_counts(results: MeasuredSet) -> dict[str, int]:
    """How many points have each level, the least to be trusted first."""
    levels = results.points["verdict"].to_list()
    return {level: levels.count(level) for level in reversed(LEVELS) if level in levels}


def named(values: Iterable[str], what: str, known: int) -> str:
    """Name a few values, or count many; nothing if they are all that there are.

    >>> named(["greedy"], "scheme", 3), named("abcde", "trace", 9), named(["a"], "trace", 1)
    ('greedy', '5 traces', '')
    """
    found = list(dict.fromkeys(values))
    if len(found) == known:
        return ""
    return ", ".join(found) if len(found) <= NAMED else f"{len(found)} {what}s"


def _where(results: MeasuredSet, points: pl.DataFrame) -> str:
    """Which points these are, in as few words as tell it."""
    everything = results.points
    columns = [name for name in ("device", "trace", "scheme", *results.axes) if points[name].n_unique()]
    parts = [
        f"{name} = {text}" if name in results.axes else text
        for name in columns
        if (
            text := named(points[name].drop_nulls().to_list(), name, everything[name].drop_nulls().n_unique())
        )
    ]
    share = f"{points.height} of {everything.height} points"
    if points.height == everything.height:
        return "all points"
    return f"{', '.join(parts)} ({share})" if parts else share


def remarks(results: MeasuredSet) -> list[SetRemark]:
    """Failures, repeats that repeat nothing, and the reasons in the verdicts of the points, each once."""
    found = [
        SetRemark(f"did not succeed: {each.error}", each.label, "failure", each.command)
        for each in results.failures
    ]
    same = cells.identical_repeats(results.points)
    if same.height:
        # A cell is what its repeats have in common.
        of_same = results.points.join(
            same, on=cells.cell_keys(results.points), how="semi", nulls_equal=True, maintain_order="left"
        )
        found.append(
            SetRemark(
                f"{of_same.height} runs are repeats that measured the same, where an interval takes six that "
                'differ: nothing in these runs is random. Repeat with by = "rotate" or by = "jitter".',
                _where(results, of_same),
                "warning",
            )
        )
    return _sorted([*found, *of_orders(results), *of_traces(results), *_of_verdicts(results)])


def top_reason(results: MeasuredSet) -> str:
    """The reason of the worst kind that most points have, and how many more there are; empty if none."""
    grave = [each for each in remarks(results) if each.severity in ("warning", "doubt")]
    if not grave:
        return ""
    worst = [each for each in grave if each.severity == grave[0].severity]
    first = max(worst, key=lambda each: each.points)
    more = len(grave) - 1
    further = f" ({more} more: reclaim results show {results.folder})" if more else ""
    return f"{first.severity}: {first.where}: {first.text}{further}"


def of_orders(results: MeasuredSet, metrics: Sequence[str] | None = None) -> list[SetRemark]:
    """Comparisons that hang on the order of requests: one for each pair of schemes and what it turns."""
    told: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for each in turned(results, metrics):
        lower = "; ".join(f"{order}: {scheme}" for order, scheme in each.lower.items())
        by_metric = told.setdefault((each.first, each.second, lower), {})
        by_metric.setdefault(each.metric, []).extend(each.points)
    found = []
    for (first, second, lower), by_metric in told.items():
        ids = {point for points in by_metric.values() for point in points}
        labels = ", ".join(describe(metric).label for metric in by_metric)
        found.append(
            SetRemark(
                f"{first} against {second} is inconclusive for {labels}: which of the two is lower "
                f"changes with the order in which requests come again ({AXIS} = {lower}).",
                _where(results, results.points.filter(pl.col("point").is_in(ids))),
                "doubt",
                points=len(ids),
            )
        )
    return found


def of_traces(results: MeasuredSet) -> list[SetRemark]:
    """Means over traces of which one trace makes most: without it they are less than half as far from 1."""
    chosen, _ = base(results)
    traces = chosen.points["trace"].n_unique()
    if traces < 2 or chosen.points["scheme"].n_unique() < 2:
        return []
    logs: dict[tuple[str, str], dict[str, float]] = {}
    for row in chosen.normalize(metrics=list(told_metrics(chosen))).iter_rows(named=True):
        if row["value"]:
            logs.setdefault((row["scheme"], row["metric"]), {})[row["trace"]] = math.log(row["value"])
    found = []
    for (scheme, metric), by_trace in logs.items():
        total, count = math.fsum(by_trace.values()), len(by_trace)
        most = max(by_trace, key=lambda trace: by_trace[trace] * total)
        rest = (total - by_trace[most]) / max(count - 1, 1)
        if count == traces and abs(total / count) > math.log(1 + SAME) and abs(rest) < abs(total / count) / 2:
            text = (
                f"the {describe(metric).label} of {scheme} is ×{math.exp(total / count):.2f} on the mean of "
            )
            text += f"{count} traces mostly because of {most} (×{math.exp(by_trace[most]):.2f}); "
            text += f"on the mean of the others it is ×{math.exp(rest):.2f}."
            found.append(SetRemark(text, points=chosen.points.filter(trace=most).height))
    return found


def _of_verdicts(results: MeasuredSet) -> list[SetRemark]:
    """The reasons in the points' verdicts; one that many have is told once, in the words of the first."""
    reasons: dict[tuple[Severity, str], tuple[Remark, list[str]]] = {}
    stand_ins: dict[str, list[str]] = {}
    damaged: list[SetRemark] = []

    def points_of(ids: list[str]) -> pl.DataFrame:
        return results.points.filter(pl.col("point").is_in(ids))

    for point in results.points["point"].to_list():
        try:
            said = results.said(point)
        except InputError as error:
            # The level is in the table; without the folder of the point nobody knows why.
            if results.has(point):
                damaged.append(SetRemark(f"{error}.", _where(results, points_of([point])), "warning"))
            continue
        if said.stand_in:
            stand_ins.setdefault(said.stand_in, []).append(point)
        for severity in SEVERITIES:
            for remark in said.verdict.remarks(severity):
                reasons.setdefault((severity, remark.code), (remark, []))[1].append(point)
    found = damaged + [
        SetRemark(f"the trace is a {text}.", _where(results, points_of(ids)))
        for text, ids in stand_ins.items()
    ]
    for (severity, _), (remark, ids) in sorted(
        reasons.items(), key=lambda each: SEVERITIES.index(each[0][0])
    ):
        example = "" if len(ids) == 1 else "for example: "
        where = _where(results, points_of(ids))
        found.append(SetRemark(f"{example}{remark.text}", where, severity, points=len(ids)))
    return found


def _sorted(found: list[SetRemark]) -> list[SetRemark]:
    order = ("failure", *SEVERITIES)
    return sorted(found, key=lambda each: order.index(each.severity))
