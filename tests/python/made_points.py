"""Points of sweeps that are made up for the tests of papers' figures, and the figures that come of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from reclaim.paper import measures
from reclaim.paper.figures import Brought, LevelRuns, by_name
from reclaim.paper.measures import OfRuns
from reclaim.paper.paper import load_paper
from reclaim.shipped import PAPERS


def points(
    schemes: Mapping[str, Mapping[str, Any]],
    traces: Iterable[str] = ("stg_0",),
    repeats: int = 2,
    **same: Any,
) -> pl.DataFrame:
    """A point for each workload, scheme and repeat, alike in all repeats; `same` is of all points."""
    rows = [
        {"experiment_key": "cells", "load": "own", "vary": ""}
        | {"point": f"{scheme} {trace} {repeat}", "trace": trace, "scheme": scheme, "repeat": repeat}
        | same
        | dict(figures)
        for trace in traces
        for scheme, figures in schemes.items()
        for repeat in range(repeats)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def columns(names: str, schemes: Mapping[str, tuple[float, ...]]) -> dict[str, dict[str, float]]:
    """Figures of schemes by name, from a row of numbers for each."""
    return {scheme: dict(zip(names.split(), row, strict=True)) for scheme, row in schemes.items()}


def values(found: Brought) -> dict[str, float]:
    """What figures there are, without their intervals."""
    return {name: each.figure.value for name, each in by_name(found).items() if each.figure is not None}


@cache
def _workloads(key: str) -> tuple[str, ...]:
    return load_paper(key).workload_names


def told(key: str, runs: LevelRuns, module: ModuleType | None = None) -> OfRuns:
    """What the folder of a paper declares of runs, with what a module of it brings."""
    return measures.of_runs(PAPERS / key, module, replace(runs, workloads=_workloads(key)))


def tables(
    key: str, runs: LevelRuns, module: ModuleType | None = None
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Rows of the tables that the folder of a paper declares."""
    return {each.name: each.rows for each in told(key, runs, module).tables}


def write_histograms(
    folder: Path, points: pl.DataFrame, mean: str, buckets: Iterable[tuple[str, int, int]], unit: int = 1
) -> None:
    """Of each point: class of requests, so many times its mean (in `unit` ns), and how many took so long."""
    kinds = pl.DataFrame(list(buckets), schema=["class", "times", "count"], orient="row")
    upper = (unit * pl.col("times") * pl.col(mean)).cast(pl.Int64).alias("upper_ns")
    folder.mkdir()
    found = points.join(kinds, how="cross").select("point", "class", upper, "count")
    found.write_parquet(folder / "histograms.parquet")
