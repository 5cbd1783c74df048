"""Runs of weeks and of slices with their whole results, and the gain of writes as one line of arithmetic."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from reclaim.papers.measured import Figure

from .gains import GROUP, RAID5, Cells


@dataclass(frozen=True)
class Hand:
    """What one line of arithmetic says of a run under RAID-5 in which nothing waits but for collection.

    A write that sets off an erase waits for one job: the erase, and a read and a program for each valid page
    of the victim. The mean write is an unhindered one and that share of a job.
    """

    share: float
    """Of writes: those that set off a job."""
    job_ns: float
    unhindered_ns: float

    @property
    def gain(self) -> float:
        """What never waiting for a job takes off the mean write, per cent.

        >>> round(Hand(share=0.1, job_ns=1_500_000, unhindered_ns=450_000).gain, 6)
        25.0
        """
        waited = self.share * self.job_ns
        return 100 * waited / (self.unhindered_ns + waited)


@cache
def result_of(folder: Path, point: str) -> dict[str, Any]:
    """The whole result of a point of a sweep."""
    return dict(json.loads((folder / "points" / point / "results.json").read_text(encoding="utf-8")))


class Weeks(Cells):
    """Points of one start, with the folder that has the whole results."""

    folder: Path = Path()

    @classmethod
    def at(cls, points: pl.DataFrame, folder: Path) -> Weeks:
        """Those of a start; without the chips of a parity group where the experiment has one size of it."""
        if GROUP in points.columns and points[GROUP].null_count() == points.height:
            points = points.drop(GROUP)
        found = cls(points, pl.DataFrame())
        object.__setattr__(found, "folder", folder)
        return found

    def result(self, name: str, scheme: str, repeat: int) -> dict[str, Any]:
        """The whole result of one point."""
        return result_of(self.folder, str(self.row(name, scheme, repeat)["point"]))

    def jobs(self, name: str, scheme: str, repeat: int) -> list[int]:
        """Jobs of each chip, least first."""
        return sorted(self.result(name, scheme, repeat)["planes"]["jobs"])

    def erases_a_write(self, name: str, repeat: int, pages: float | None = None) -> float:
        """What P is where every chip collects: one page at least of a write, or its parity, ends a block.

        Each is taken to be on a chip of its own, where every page has the same chance. Without a number of
        pages it is the run's mean, parity included.
        """
        row = self.row(name, RAID5, repeat)
        if pages is None:
            pages = (row["flash_host_programs"] + row["flash_parity_programs"]) / row["write_count"]
        block = self.result(name, RAID5, repeat)["config"]["geometry"]["pages_per_block"]
        return float(1 - (1 - 1 / block) ** pages)

    def hand(self, name: str, repeat: int, *, counted: bool = True) -> Hand:
        """The arithmetic of a run: with the jobs that it counted, or with its sizes and empty victims."""
        row, result = self.row(name, RAID5, repeat), self.result(name, RAID5, repeat)
        facts, flash = result["facts"], result["config"]["flash"]
        erase, unhindered = float(facts["erase_ns"]), float(facts["unloaded_write_ns"])
        if not counted:
            return Hand(self.erases_a_write(name, repeat), erase, unhindered)
        page = 1000 * sum(float(flash[each].removesuffix("us")) for each in ("t_read", "t_program"))
        return Hand(
            row["gc_jobs"] / row["write_count"],
            erase + row["gc_valid_pages_per_victim"] * page,
            unhindered,
        )

    def beside_itself(self, metric: str, of: str, name: str, scheme: str) -> Callable[[int], float]:
        """A metric of a point over another one of the same point."""
        return lambda r: self.value(metric, name, scheme, r) / self.value(of, name, scheme, r)

    def gain(self, name: str) -> Figure:
        """What DGC takes off the mean write, per cent."""
        return self.reduction("mean", "write", [name])


def redirected(cells: Weeks, name: str, scheme: str, repeat: int) -> float:
    """Of a hundred pages of the host and of parity, those that went to another chip."""
    row = cells.row(name, scheme, repeat)
    return float(
        100
        * (row["gc_deferral_redirects"] or 0)
        / (row["flash_host_programs"] + row["flash_parity_programs"])
    )


def over(compute: Callable[[str, int], float], names: Sequence[str]) -> Callable[[int], float]:
    """The mean over workloads of what is computed of each."""
    return lambda repeat: statistics.fmean(compute(name, repeat) for name in names)
