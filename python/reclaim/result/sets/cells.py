"""Which points repeat one another, and which are compared in pairs: medians and ratios with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from reclaim.result.sets.tables import axes_of, figures_of
from reclaim.statistics.intervals import median_interval

RUN = "_run"
"""Equal for runs that measured the same numbers."""
KIND_OF_INTERVAL = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "count": pl.UInt32}


def cell_keys(points: pl.DataFrame) -> list[str]:
    """Columns by which two points are repeats of one another if they agree in all."""
    return ["device", "trace", "scheme", "vary", *axes_of(points)]


def marked(points: pl.DataFrame) -> pl.DataFrame:
    """Add the column that tells runs with other numbers apart."""
    return points.with_columns(points.select(figures_of(points)).hash_rows(seed=0).alias(RUN))


def identical_repeats(points: pl.DataFrame) -> pl.DataFrame:
    """Cells of several repeats which all measured the same: their keys and how many `repeats` they have."""
    keys = cell_keys(points)
    cells = marked(points).group_by(keys, maintain_order=True)
    counted = cells.agg(pl.len().alias("repeats"), pl.col(RUN).n_unique().alias("runs"))
    return counted.filter((pl.col("repeats") > 1) & (pl.col("runs") == 1)).drop("runs")


def _numbers(values: pl.Series) -> list[float | None]:
    return [
        None if value is None or math.isnan(value) else value for value in values.cast(pl.Float64).to_list()
    ]


def _tabled(
    keys: Sequence[str],
    schema: pl.Schema,
    rows: Sequence[tuple[tuple[object, ...], str, Sequence[float | None]]],
) -> pl.DataFrame:
    """A row for each cell and metric, with the interval of its values."""
    columns = {key: schema[key] for key in keys} | {"metric": pl.String} | KIND_OF_INTERVAL
    filled = [(*cell, metric, *median_interval(values)) for cell, metric, values in rows]
    return pl.DataFrame(filled, schema=columns, orient="row")


def intervals(points: pl.DataFrame, metrics: Sequence[str]) -> pl.DataFrame:
    """Median over the repeats of every cell, with its interval; identical repeats count once."""
    keys = cell_keys(points)
    distinct = marked(points).unique([*keys, RUN], keep="first", maintain_order=True)
    rows = [
        (cell, metric, _numbers(repeats[metric]))
        for cell, repeats in distinct.group_by(keys, maintain_order=True)
        for metric in metrics
    ]
    return _tabled(keys, points.schema, rows)


def _pairs(points: pl.DataFrame, by: str, to: str, metrics: Sequence[str]) -> pl.DataFrame:
    """Every point beside its partner: `to` in column `by`, and the same in all else, the repeat included.

    A point that varies `by` alone has its partner among those that vary nothing.
    """
    keys = cell_keys(points)
    alone = pl.col("vary").str.starts_with(f"{by}=")
    partner_vary = pl.when(alone).then(pl.lit("")).otherwise(pl.col("vary")).alias("_vary")
    shared = [key for key in keys if key not in (by, "vary")]
    with_runs = marked(points)
    ours = with_runs.select(*keys, "repeat", RUN, *metrics, partner_vary)
    theirs = with_runs.filter(pl.col(by) == to).select(
        *shared,
        "repeat",
        pl.col("vary").alias("_vary"),
        pl.col(RUN).alias("_their_run"),
        *(pl.col(metric).alias(f"_{metric}") for metric in metrics),
    )
    pairs = ours.join(
        theirs, on=[*shared, "repeat", "_vary"], how="inner", nulls_equal=True, maintain_order="left"
    )
    ratios = [
        pl.when(pl.col(f"_{metric}") != 0)
        .then(pl.col(metric).cast(pl.Float64) / pl.col(f"_{metric}"))
        .alias(metric)
        for metric in metrics
    ]
    return pairs.select(*keys, "repeat", RUN, "_their_run", *ratios)


def ratios(
    points: pl.DataFrame, by: str, to: str, metrics: Sequence[str], over: str | None = None
) -> pl.DataFrame:
    """Median over the repeats of the ratio to the partner, with its interval, for every cell and metric.

    With `over`, the geometric mean over the values of that column is taken within each repeat first, of those
    for which the partner has a figure; a repeat in which one of them is missing is left out.
    """
    keys = cell_keys(points)
    pairs = _pairs(points, by, to, metrics)
    distinct = pairs.unique([*keys, RUN, "_their_run"], keep="first", maintain_order=True)
    if over is None:
        rows = [
            (cell, metric, _numbers(repeats[metric]))
            for cell, repeats in distinct.group_by(keys, maintain_order=True)
            for metric in metrics
        ]
        return _tabled(keys, points.schema, rows)
    kept = [key for key in keys if key != over]
    rows = []
    for cell, members in pairs.group_by(kept, maintain_order=True):
        same = members.group_by(over).agg(pl.struct(RUN, "_their_run").n_unique().alias("runs"))
        # Where nothing differs between repeats, they are one.
        only_first = same["runs"].max() == 1
        for metric in metrics:
            rows.append((cell, metric, _means(members, over, metric, only_first=only_first)))
    return _tabled(kept, points.schema, rows)


def _means(members: pl.DataFrame, over: str, metric: str, *, only_first: bool) -> list[float | None]:
    """Geometric mean over `over` of one metric, for every repeat that has all that any has."""
    known = members.drop_nulls(metric)
    wanted = known[over].n_unique()
    found: list[float | None] = []
    for _, repeat in known.group_by("repeat", maintain_order=True):
        if repeat.height < wanted:
            continue
        logarithms = [math.log(ratio) if ratio > 0 else -math.inf for ratio in repeat[metric].to_list()]
        found.append(math.exp(math.fsum(logarithms) / wanted))
    return found[:1] if only_first else found
