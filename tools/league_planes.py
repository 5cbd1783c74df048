"""Figures of the first screen of the league: the tail of reads by size of plane.

    reclaim sweep papers/league/planes.toml -o out/planes
    reclaim sweep papers/league/planes-late.toml -o out/planes-late
    python tools/league_planes.py out/planes out/planes-late

writes them to papers/league/planes.json. Figures are medians of six repeats with their 95 % intervals.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import polars as pl

import league_page
from reclaim.paper.measured import Figure
from reclaim.paper.page_data import FORMAT, as_text, commit
from reclaim.result.sets import ResultSet
from reclaim.statistics.intervals import median_interval, ratio_interval

METRICS = {"read p99.9": "read_p99_9_ns", "write p99.9": "write_p99_9_ns"}
AMPLIFICATION = "gc_nand_write_amplification"
BLOCKS, HARD = "geometry.blocks_per_plane", "gc.trigger.hard"
MILLI = 1e6
PLAIN = "greedy"
"""What others are compared with, as it is."""


def figures(points: pl.DataFrame) -> dict[str, Figure]:
    """Give figures by name: scheme, blocks a plane, what comes first, workload, metric."""
    made: dict[str, Figure] = {}
    keys = ["scheme", BLOCKS, HARD, "trace"]
    cells = {key: part.sort("repeat") for key, part in points.group_by(keys, maintain_order=True)}
    for (scheme, blocks, hard, trace), part in cells.items():
        name = f"{scheme}, {blocks}, {hard}, {trace}"
        for metric, column in METRICS.items():
            made[f"{name}, {metric}"] = _figure(median_interval([v / MILLI for v in part[column]]))
        made[f"{name}, write amplification"] = _figure(median_interval(part[AMPLIFICATION].to_list()))
        doubted = (part["verdict"] != "trustworthy").sum()
        made[f"{name}, doubted"] = Figure(float(doubted), exact=True)
        base = cells.get((PLAIN, blocks, "1 block", trace))
        if base is None:
            continue
        writes = METRICS["write p99.9"]
        beside = ratio_interval(part[writes].to_list(), base[writes].to_list())
        if beside.value is not None:
            made[f"{name}, write p99.9 beside as it is"] = _figure(beside)
    # Over all workloads: the geometric mean of each repeat beside the scheme as it is.
    settings = dict.fromkeys(key[:3] for key in cells)
    for scheme, blocks, hard in settings:
        plain = (PLAIN, blocks, "1 block")
        if plain not in settings:
            continue
        for metric, column in (("read p99.9", METRICS["read p99.9"]), ("write amplification", AMPLIFICATION)):
            ours, theirs = (_means(cells, key, column) for key in ((scheme, blocks, hard), plain))
            made[f"{scheme}, {blocks}, {hard}, all, {metric}"] = _figure(ratio_interval(ours, theirs))
    return made


def _means(
    cells: dict[tuple[object, ...], pl.DataFrame], key: tuple[object, ...], column: str
) -> list[float]:
    """Geometric means over workloads, by repeat."""
    parts = [part[column].log().to_list() for other, part in cells.items() if other[:3] == key]
    return [math.exp(sum(logs) / len(logs)) for logs in zip(*parts, strict=True)]


def _figure(found: tuple[float | None, float | None, float | None, int]) -> Figure:
    value, low, high, count = found
    if value is None:
        raise SystemExit("a cell has no figure")
    return Figure(value, low, high, count)


def main() -> None:
    """Write them."""
    found: dict[str, Figure] = {}
    for folder in sys.argv[1:]:
        found |= figures(ResultSet.load(Path(folder)).points)
    whole = {
        "format": FORMAT,
        "command": "reclaim sweep papers/league/planes.toml; reclaim sweep papers/league/planes-late.toml",
        "commit": commit(),
        "figures": {name: vars(each) for name, each in found.items()},
        "claims": [],
        "tables": [],
    }
    league_page.PLANES.write_text(as_text(whole), encoding="utf-8")


if __name__ == "__main__":
    main()
