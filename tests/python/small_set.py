"""A small set of results, written the way a sweep writes it, from runs that take a moment."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

import reclaim
from conftest import DEVICE

EXPERIMENT = """name = "victims"
about = "Two victim policies, and reads that suspend programs, on a small drive"
devices = ["coupled-copyback-mini"]
schemes = ["greedy", "fifo", "suspend"]
[axes]
"gc.pages_in_flight" = ["1", "4"]
[repeats]
count = 3
"""
AXIS = "gc.pages_in_flight"
CLASSES = {"read": 0, "write": 1, "trim": 2}


def trace_named(name: str) -> reclaim.Trace:
    """A trace of a moment: `busy` writes more and faster than `quiet`."""
    busy = name != "quiet"
    return reclaim.uniform_trace(
        footprint_bytes=24 << 20,
        count=2000,
        write_fraction=0.7 if busy else 0.6,
        mean_interarrival_ns=150_000 if busy else 400_000,
        seed=len(name),
    )


def _histogram(point: str, result: reclaim.Result) -> pl.DataFrame:
    """Requests by latency, in buckets of two digits as a full histogram has finer ones."""
    requests = pl.DataFrame(result.requests).select(
        "op", (pl.col("completion_ns") - pl.col("arrival_ns")).alias("ns")
    )
    frames = []
    for name, op in CLASSES.items():
        of_class = requests.filter(pl.col("op") == op)
        upper = pl.col("ns").cast(pl.Float64).round_sig_figs(3).cast(pl.UInt64).alias("upper_ns")
        counted = of_class.group_by(upper).agg(pl.len().cast(pl.UInt64).alias("count")).sort("upper_ns")
        frames.append(counted.select(pl.lit(name).alias("class"), "upper_ns", "count"))
    return pl.concat(frames).select(pl.lit(point).alias("point"), "class", "upper_ns", "count")


def write_set(
    folder: Path,
    *,
    traces: Sequence[str] = ("quiet", "busy"),
    schemes: Sequence[str] = ("greedy", "fifo", "suspend"),
    axis: Sequence[str] = ("1", "4"),
    repeats: int = 3,
    random_repeats: bool = True,
) -> Path:
    """Run every point and write the set; without `random_repeats`, repeats are all the same."""
    rows: list[dict[str, Any]] = []
    tables: dict[str, list[pl.DataFrame]] = {"histograms": [], "timelines": [], "gc_logs": []}
    drive = reclaim.Device.preset(DEVICE)
    opened = {name: trace_named(name) for name in traces}
    for number, (trace, scheme, value, repeat) in enumerate(
        itertools.product(traces, schemes, axis, range(repeats))
    ):
        point = f"{number:016x}"
        seed = drive.config["seed"] + (repeat if random_repeats else 0)
        result = reclaim.simulate(
            drive.set(AXIS, value),
            opened[trace],
            scheme=scheme,
            warmup="overwrite:1",
            seed=seed,
            record_requests=True,
            record_timeline=True,
            record_gc=True,
            warn=False,
        )
        (folder / "points").mkdir(parents=True, exist_ok=True)
        result.write_into(folder / "points" / point, report=False)
        (folder / "points" / point / "requests.parquet").unlink()
        histogram = _histogram(point, result)
        histogram.drop("point").write_parquet(folder / "points" / point / "histograms.parquet")
        tables["histograms"].append(histogram)
        for name, recorded in (("timelines", result.timeline), ("gc_logs", result.gc_log)):
            frame = pl.DataFrame(recorded)
            tables[name].append(frame.select(pl.lit(point).alias("point"), pl.all()))
        identity = {
            "point": point,
            "experiment": "victims",
            "device": DEVICE,
            "trace": trace,
            "scheme": scheme,
            "repeat": repeat,
            "perturbation": f"seed {seed}" if repeat and random_repeats else "",
            "vary": "",
            AXIS: value,
        }
        summary = result.summary()
        renamed = {f"result_{key}" if key in identity else key: figure for key, figure in summary.items()}
        rows.append(identity | renamed)
    # What a run says of its own device, scheme and trace stands behind the format.
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(folder / "points.parquet")
    for name, frames in tables.items():
        pl.concat(frames).write_parquet(folder / f"{name}.parquet")
    (folder / "experiment.toml").write_text(EXPERIMENT)
    return folder


def add_failure(folder: Path) -> None:
    """Note a point that failed."""
    (folder / "failures").mkdir(exist_ok=True)
    failure = {
        "device": DEVICE,
        "trace": "busy",
        "scheme": "fifo",
        "repeat": 2,
        "error": "the drive has no room for the trace",
        "command": "reclaim run busy --device coupled-copyback-mini --scheme fifo",
    }
    (folder / "failures" / "00000000000000ff.json").write_text(json.dumps(failure))
