"""Comparisons that an experiment names: each of a scheme with the one that it is meant to improve on.

A set of many schemes is then shown one comparison after the other, and no table has all schemes side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from reclaim.errors import InputError
from reclaim.old_keys import with_present_keys
from reclaim.parsing import UnreadableError, text_of, toml
from reclaim.result.opening import percent
from reclaim.result.opening import way as way_of
from reclaim.result.sets.measured import Measured
from reclaim.result.sets.metrics import amplification, describe
from reclaim.result.sets.opening import doubts_of, farthest_tail
from reclaim.result.sets.selection import base

EXPERIMENT = "experiment.toml"
"""What a set's folder calls the file of its experiment."""
LEAST_NS = 1000
"""A latency below a microsecond under both schemes is not compared."""
Way = Literal["lower", "higher", "no difference known", "not established"]


@dataclass(frozen=True)
class Figure:
    """What a comparison found of one metric: the median ratio of scheme to baseline, paired by repeat."""

    metric: str
    value: float | None
    low: float | None
    """Least of the 95 % interval; None where there is none."""
    high: float | None
    doubted: bool = False
    """Whether a verdict speaks against the figure of either scheme."""
    why: str = ""
    """What does, in brackets: codes, of which docs/verdicts.md has the limits and what settles each."""

    @property
    def label(self) -> str:
        """What the metric is called."""
        return describe(self.metric).label

    @property
    def ends(self) -> tuple[float, float]:
        """The interval; where there is none, the ratio itself twice.

        >>> Figure("read_mean_ns", 0.5, 0.4, 0.6).ends, Figure("read_mean_ns", 0.5, None, None).ends
        ((0.4, 0.6), (0.5, 0.5))
        """
        value = self.value or 0.0
        return (value if self.low is None else self.low, value if self.high is None else self.high)

    @property
    def way(self) -> Way:
        """Which way the scheme differs, as far as that is known."""
        if self.doubted or self.value is None:
            return "not established"
        return way_of(self.value, self.low, self.high, alone=True) or "no difference known"

    @property
    def ratio(self) -> str:
        """The ratio with its interval, as text."""
        if self.value is None:
            return "–"
        return f"{self.value:.2f}" + (f" [{self.low:.2f}, {self.high:.2f}]" if self.low is not None else "")


@dataclass(frozen=True)
class Comparison:
    """One scheme beside the one that it is meant to improve on."""

    name: str
    candidate: str
    baseline: str
    about: str
    results: Measured
    """The points of both, those of the baseline first."""
    figures: tuple[Figure, ...]

    def sentence(self) -> str:
        """What differs, which way and by how much; what is not known; and how busy the drive was."""
        parts = []
        for way in ("lower", "higher"):
            told = [
                f"{each.label} by {percent(abs(1 - each.value))} ({each.ratio})"
                for each in self.figures
                if each.way == way and each.value is not None
            ]
            if told:
                parts.append(f"{way}: {', '.join(told)}")
        for way in ("no difference known", "not established"):
            # What speaks against several figures is named once.
            reasons: dict[str, list[str]] = {}
            for each in (each for each in self.figures if each.way == way):
                told_so = each.label if each.doubted else f"{each.label} ({each.ratio})"
                reasons.setdefault(each.why if each.doubted else "", []).append(told_so)
            parts += [f"{way}: {', '.join(labels)}{why}" for why, labels in reasons.items()]
        return f"{self.candidate} beside {self.baseline}; {'; '.join(parts)}. {self.busy()}"

    def busy(self) -> str:
        """How busy dies and channels are under the baseline, so that one sees what there is to gain."""
        of_base = self.results.points.filter(pl.col("scheme") == self.baseline)
        told = [
            f"{what} are busy {percent(float(share))} of the time"  # type: ignore[arg-type]
            for what in ("dies", "channels")
            if (column := f"utilisation_{what[:-1]}") in of_base.columns
            and (share := of_base[column].mean()) is not None
        ]
        return f"Under {self.baseline} {' and '.join(told)}." if told else ""


def experiment_file(results: Measured) -> tuple[str, dict[str, Any]]:
    """The file of the experiment, as text and as a table; both empty where there is none."""
    file = results.there() / EXPERIMENT
    try:
        text = text_of(file)
        return text, with_present_keys(toml(text))[0]
    except (InputError, UnreadableError):
        return "", {}


def comparisons_of(results: Measured) -> list[Comparison]:
    """Those that the experiment of a set names; none where it names none, or its file is gone."""
    return comparisons(results, experiment_file(results)[1])


def comparisons(results: Measured, experiment: Mapping[str, Any]) -> list[Comparison]:
    """Those that an experiment names and both schemes of which were measured.

    Args:
        results: the set; the first device and the first value of every axis are compared.
        experiment: its file, as a table.
    """
    chosen, _ = base(results)
    measured = set(chosen.points["scheme"].to_list())
    return [
        _compared(chosen, each)
        for each in experiment.get("comparisons", [])
        if {each["candidate"], each["baseline"]} <= measured
    ]


def as_table(compared: Sequence[Comparison]) -> pl.DataFrame:
    """A row for each comparison and metric: the ratio, its 95 % interval, which way the scheme differs."""
    rows = [
        (
            each.name,
            each.candidate,
            each.baseline,
            figure.metric,
            figure.value,
            figure.low,
            figure.high,
            figure.way,
        )
        for each in compared
        for figure in each.figures
    ]
    text = ("comparison", "candidate", "baseline", "metric")
    columns = dict.fromkeys(text, pl.String) | dict.fromkeys(("value", "low", "high"), pl.Float64)
    return pl.DataFrame(rows, schema=columns | {"way": pl.String}, orient="row")


def _compared(chosen: Measured, entry: dict[str, str]) -> Comparison:
    scheme, to = entry["candidate"], entry["baseline"]
    of_scheme, of_base = (chosen.points.filter(pl.col("scheme") == name) for name in (scheme, to))
    pair = chosen.only(pl.concat([of_base, of_scheme]))
    metrics = [
        metric
        for request_class in ("read", "write")
        for metric in (f"{request_class}_mean_ns", farthest_tail(pair, request_class))
        if metric and _is_asked(pair, metric)
    ]
    if _is_asked(pair, found := amplification(pair.points)):
        metrics.append(found)
    metrics = list(dict.fromkeys(metrics))
    doubts = doubts_of(pair, metrics, to)
    over = "trace" if pair.points["trace"].n_unique() > 1 else None
    rows = {
        row["metric"]: row
        for row in pair.normalize(baseline=to, metrics=metrics, over=over).iter_rows(named=True)
        if row["scheme"] == scheme
    }
    figures = tuple(
        Figure(
            metric,
            rows[metric]["value"],
            rows[metric]["low"],
            rows[metric]["high"],
            bool(doubts.distrusted or doubts.of_metric[metric]),
            doubts.why(metric) or doubts.why(),
        )
        for metric in metrics
        if metric in rows
    )
    return Comparison(entry.get("name", scheme), scheme, to, entry.get("about", ""), pair, figures)


def _is_asked(pair: Measured, metric: str) -> bool:
    """Whether a metric was measured, and is no latency too short to matter, as that of staged writes."""
    if metric not in pair.points.columns:
        return False
    largest = pair.points[metric].drop_nulls().max()
    least = LEAST_NS if describe(metric).kind == "time" else 0
    return largest is not None and float(largest) > least  # type: ignore[arg-type]
