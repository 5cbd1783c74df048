"""What sweeps measured, as it is stored: ratios paired by repeat, with their intervals."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import polars as pl

import reclaim
from network_study.study import FOLDER
from reclaim.statistics.intervals import ratio_interval

FIGURES = FOLDER / "figures"
METRICS = {"mean": "read_mean_ns", "write": "write_mean_ns"}
TAIL = "read_p99_99_ns"
TAIL_READS = 100_000
"""Reads of a run from which its p99.99 is quoted: ten are slower."""
DIGITS = 5
MARKS = {"trustworthy": "", "not-established": "?", "not-trustworthy": "!"}
"""What marks a figure, by the verdict of the worst run that it rests on; reports have the same."""

Rows = list[dict[str, Any]]


class Sweeps:
    """Where points are kept."""

    def __init__(self, folder: Path, workers: int | None) -> None:
        self.folder, self.workers = folder, workers

    def __call__(self, mapping: dict[str, Any]) -> pl.DataFrame:
        """Run what is not stored of an experiment; give its points."""
        place = self.folder / mapping["name"].replace("/", "-")
        return reclaim.sweep(mapping, place, workers=self.workers, force=True).points


def rounded(value: float | None) -> float | None:
    """A figure as it is stored."""
    return None if value is None else float(f"{value:.{DIGITS}g}")


def rows(points: pl.DataFrame, beside: str) -> Rows:
    """Every network beside another one, cell by cell."""
    made = []
    for cell, group in points.group_by("cell", maintain_order=True):
        parts = {
            str(key[0]): part for key, part in group.sort("repeat").group_by("scheme", maintain_order=True)
        }
        for name, ours in parts.items():
            made.append({"cell": cell[0], "network": name, **_row(ours, parts[beside])})
    return made


def _row(ours: pl.DataFrame, theirs: pl.DataFrame) -> dict[str, Any]:
    row: dict[str, Any] = {"repeats": ours.height}
    enough = all(count >= TAIL_READS for count in ours["read_count"])
    metrics = METRICS | ({"tail": TAIL} if enough else {})
    for metric, column in metrics.items():
        if ours[column].null_count():
            continue
        found = ratio_interval(ours[column].to_list(), theirs[column].to_list())
        row[metric] = [rounded(each) for each in (found.value, found.low, found.high)]
        row[f"{metric}_us"] = rounded(statistics.median(ours[column]) / 1000)
    row["channel"] = rounded(statistics.mean(ours["utilisation_channel"]))
    row["die"] = rounded(statistics.mean(ours["utilisation_die"]))
    row["stalled"] = rounded(statistics.median(ours["gc_stalled_writes"]))
    if not ours["gc_write_amplification"].null_count():
        row["amplification"] = rounded(statistics.median(ours["gc_write_amplification"]))
    scouts = "interconnect_scouts_sent"
    if scouts in ours.columns and not ours[scouts].null_count():
        row["turned"] = rounded(sum(ours["interconnect_scouts_turned"]) / sum(ours[scouts]))
    # Of ours and of theirs: a ratio is as good as the worst run of the two.
    levels = {*ours["verdict"], *theirs["verdict"]}
    row["verdict"] = max(levels, key=list(MARKS).index)
    return row


def store(name: str, found: Any) -> None:
    """Write the figures of a step, a row a line."""
    FIGURES.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(each) for each in found)
    (FIGURES / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def stored(name: str) -> Rows:
    """The figures of a step; none if it was not run."""
    path = FIGURES / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
