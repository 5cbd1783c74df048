"""A small set of results: what a sweep writes of runs that take a moment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

import reclaim
from conftest import DEVICE

AXIS = "gc.pages_in_flight"


def trace_named(name: str) -> dict[str, Any]:
    """A trace of a moment: `busy` writes more and faster than `quiet`."""
    busy = name != "quiet"
    generate = {
        "requests": 2000,
        "size": "4KiB",
        "operations": {"write": 0.7 if busy else 0.6},
        "address": {"kind": "uniform", "footprint": "24MiB"},
        "arrivals": {"kind": "poisson", "interval": "150us" if busy else "400us"},
    }
    return {"name": name, "generate": generate}


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
    made = {
        "name": "victims",
        "about": "Two victim policies, and reads that suspend programs, on a small drive",
        "devices": [DEVICE],
        "traces": [trace_named(each) for each in traces],
        "schemes": list(schemes),
        "set": {"warmup.kind": "overwrite", "warmup.overwrites": 1}
        if random_repeats
        else {"warmup.kind": "filled"},
        "axes": {AXIS: [int(each) for each in axis]},
        "repeats": {"count": repeats},
        "record": {"timeline": True, "gc": True},
    }
    found = reclaim.sweep(made, folder)
    # Points that may be changed: with numbers for names, and no checksums.
    numbers = {name: f"{number:016x}" for number, name in enumerate(found.points["point"])}
    for name, number in numbers.items():
        (folder / "points" / name).rename(folder / "points" / number)
    for table in folder.glob("*.parquet"):
        pl.read_parquet(table).with_columns(pl.col("point").replace(numbers)).write_parquet(table)
    for kept in ("log.jsonl", "manifest.json"):
        (folder / kept).unlink()
    return folder


def add_failure(folder: Path) -> None:
    """Note a point that failed."""
    failure = {
        "device": DEVICE,
        "trace": "busy",
        "scheme": "fifo",
        "repeat": 2,
        "error": "the drive has no room for the trace",
        "command": f"reclaim run busy --device {DEVICE} --scheme fifo",
    }
    (folder / "failures").mkdir(exist_ok=True)
    (folder / "failures" / "00000000000000ff.json").write_text(json.dumps(failure))
