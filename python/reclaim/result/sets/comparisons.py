"""Comparisons that an experiment names: each of a scheme with the one that it is meant to improve on.

A set of many schemes is then shown one comparison after the other, and no table has all schemes side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from reclaim.errors import InputError
from reclaim.layers import in_words
from reclaim.mistakes import with_present_keys
from reclaim.parsing import UnreadableError, text_of, toml
from reclaim.report.ratios import Compared, Ratio, Shown, percent
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.metrics import AMPLIFICATION, amplification, describe
from reclaim.result.sets.opening import doubts_of, told_metrics
from reclaim.result.sets.selection import base

EXPERIMENT = "experiment.toml"
"""What a set's folder calls the file of its experiment."""


@dataclass(frozen=True)
class MetricRatio:
    """What a comparison found of one metric: the median ratio of scheme to baseline, paired by repeat."""

    metric: str
    value: float | None
    low: float | None
    """Least of the 95 % interval; None where there is none."""
    high: float | None
    doubted: bool = False
    """Whether a verdict speaks against the figure of either scheme."""
    why: str = ""
    """What does, in brackets; docs/verdicts.md has the limits and what settles each."""
    of: str = ""
    """The scheme."""

    @property
    def label(self) -> str:
        """What the metric is called."""
        return describe(self.metric).label

    @property
    def ends(self) -> tuple[float, float]:
        """The interval; where there is none, the ratio itself twice.

        >>> MetricRatio("read_mean_ns", 0.5, 0.4, 0.6).ends, MetricRatio("read_mean_ns", 0.5, None, None).ends
        ((0.4, 0.6), (0.5, 0.5))
        """
        value = self.value or 0.0
        return (value if self.low is None else self.low, value if self.high is None else self.high)

    @property
    def way(self) -> Shown:
        """Which way the scheme differs, as far as that is known."""
        return "inconclusive" if self.value is None else self.drawn().shown

    def drawn(self, name: str = "", beside: str = "", control: MetricRatio | None = None) -> Ratio:
        """It in the first picture, under another name than that of the metric where one is given."""
        beyond = None if control is None or not control.value else control.drawn(control.of)
        mark = "?" if self.doubted else ""
        return Ratio(name or self.label, self.value or 0.0, self.low, self.high, mark, beside, beyond)

    @property
    def ratio(self) -> str:
        """The ratio with its interval, as text."""
        if self.value is None:
            return "–"
        return f"{self.value:.2f}" + (f" [{self.low:.2f}, {self.high:.2f}]" if self.low is not None else "")


@dataclass(frozen=True)
class PairedComparison:
    """One scheme beside the one that it is meant to improve on."""

    name: str
    candidate: str
    baseline: str
    about: str
    results: MeasuredSet
    """The points of both, those of the baseline first."""
    figures: tuple[MetricRatio, ...]
    metric: str = ""
    """What the scheme is meant to improve; empty where the experiment does not say."""
    controls: tuple[MetricRatio, ...] = ()
    """Of a simpler scheme over the same baseline."""
    plain: str = ""
    """Write amplification under the scheme, under its baseline and under the first scheme of all."""

    def panel(self) -> Compared:
        """It in the first picture: what it is meant to improve, and write amplification."""
        controls = {each.metric: each for each in self.controls}
        wanted = (self.metric, amplification(self.results.points)) if self.metric else ()
        shown = [each for each in self.figures if each.value and (not wanted or each.metric in wanted)]
        ratios = [
            each.drawn(beside=self.plain)
            if each.metric in AMPLIFICATION
            else each.drawn(control=controls.get(each.metric))
            for each in sorted(shown, key=lambda each: each.metric != self.metric)
        ]
        return Compared(
            self.candidate, self.baseline, ratios, self.name if self.name != self.candidate else ""
        )

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


def experiment_file(results: MeasuredSet) -> tuple[str, dict[str, Any]]:
    """The file of the experiment, as text and as a table; both empty where there is none."""
    file = results.there() / EXPERIMENT
    try:
        text = text_of(file)
        return text, with_present_keys(toml(text))[0]
    except (InputError, UnreadableError):
        return "", {}


def names_of(experiment: Mapping[str, Any], schemes: Sequence[str]) -> list[tuple[str, str]]:
    """Say what every scheme of an experiment is: built-in schemes that are joined, and its settings."""
    entries = {each["name"]: each for each in experiment.get("schemes", []) if isinstance(each, Mapping)}
    told = []
    for name in schemes:
        entry = entries.get(name, {})
        joined = entry.get("schemes", [entry["scheme"]] if "scheme" in entry else [name])
        settings = ", ".join(f"{key} = {value}" for key, value in entry.get("set", {}).items())
        of = f"{', '.join(joined)}: " if [*joined] != [name] else ""
        told.append((name, "; ".join(filter(None, [f"{of}{in_words(joined)}", settings]))))
    return told


def comparisons_of(results: MeasuredSet) -> list[PairedComparison]:
    """Those that the experiment of a set names; none where it names none, or its file is gone."""
    return comparisons(results, experiment_file(results)[1])


def comparisons(results: MeasuredSet, experiment: Mapping[str, Any]) -> list[PairedComparison]:
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


def as_table(compared: Sequence[PairedComparison]) -> pl.DataFrame:
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


def _compared(chosen: MeasuredSet, entry: Mapping[str, str]) -> PairedComparison:
    scheme, to, metric = entry["candidate"], entry["baseline"], entry.get("metric", "")
    pair = _pair(chosen, scheme, to)
    further = [metric] if metric in pair.points.columns else []
    metrics = list(dict.fromkeys([*further, *told_metrics(pair)]))
    controls: tuple[MetricRatio, ...] = ()
    if (control := entry.get("control")) in chosen.points["scheme"]:
        controls = _figures(_pair(chosen, str(control), to), str(control), to, metrics)
    return PairedComparison(
        entry.get("name", scheme),
        scheme,
        to,
        entry.get("about", ""),
        pair,
        _figures(pair, scheme, to, metrics),
        metric,
        controls,
        _plain(chosen, scheme, to),
    )


def _pair(chosen: MeasuredSet, scheme: str, to: str) -> MeasuredSet:
    """The points of a baseline, then those of a scheme."""
    return chosen.only(pl.concat([chosen.points.filter(pl.col("scheme") == name) for name in (to, scheme)]))


def _plain(chosen: MeasuredSet, scheme: str, to: str) -> str:
    """Say how much is written in all: a ratio to a baseline that writes much tells nothing of that."""
    column, points = amplification(chosen.points), chosen.points
    known = dict(points.group_by("scheme").agg(pl.col(column).median()).iter_rows())
    first = points["scheme"].item(0)
    named = {scheme: "", to: "baseline "} | ({} if first in (scheme, to) else {first: f"{first} "})
    return "; ".join(
        f"{name}{known[each]:.1f}" for each, name in named.items() if known.get(each) is not None
    )


def _figures(pair: MeasuredSet, scheme: str, to: str, metrics: list[str]) -> tuple[MetricRatio, ...]:
    doubts = doubts_of(pair, metrics, to)
    over = "trace" if pair.points["trace"].n_unique() > 1 else None
    rows = {
        row["metric"]: row
        for row in pair.normalize(baseline=to, metrics=metrics, over=over).iter_rows(named=True)
        if row["scheme"] == scheme
    }
    return tuple(
        MetricRatio(
            metric,
            rows[metric]["value"],
            rows[metric]["low"],
            rows[metric]["high"],
            bool(doubts.distrusted or doubts.of_metric[metric]),
            doubts.why(metric) or doubts.why(),
            scheme,
        )
        for metric in metrics
        if metric in rows
    )
