"""Runs of weeks and of slices with their whole results, and the gain of writes as one line of arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reclaim.paper.toolkit import Figure

from .gains import RAID5, RaidCells


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


class Weeks(RaidCells):
    """Points of one start, with their whole results."""

    def whole(self, name: str, scheme: str, repeat: int) -> dict[str, Any]:
        """The whole result of one point."""
        return self.result(self.row(name, scheme, repeat))

    def jobs(self, name: str, scheme: str, repeat: int) -> list[int]:
        """Jobs of each chip, least first."""
        return sorted(self.whole(name, scheme, repeat)["planes"]["jobs"])

    def erases_a_write(self, name: str, repeat: int, pages: float | None = None) -> float:
        """What P is where every chip collects: one page at least of a write, or its parity, ends a block.

        Each is taken to be on a chip of its own, where every page has the same chance. Without a number of
        pages it is the run's mean, parity included.
        """
        row = self.row(name, RAID5, repeat)
        if pages is None:
            pages = (row["flash_host_programs"] + row["flash_parity_programs"]) / row["write_count"]
        block = self.whole(name, RAID5, repeat)["config"]["geometry"]["pages_per_block"]
        return float(1 - (1 - 1 / block) ** pages)

    def hand(self, name: str, repeat: int, *, counted: bool = True) -> Hand:
        """The arithmetic of a run: with the jobs that it counted, or with its sizes and empty victims."""
        row, result = self.row(name, RAID5, repeat), self.whole(name, RAID5, repeat)
        facts, flash = result["facts"], result["config"]["flash"]
        erase, unhindered = float(facts["erase_ns"]), float(facts["unloaded_write_ns"])
        if not counted:
            return Hand(self.erases_a_write(name, repeat), erase, unhindered)
        page = 1000 * sum(float(flash[each].removesuffix("us")) for each in ("t_read", "t_program"))
        job = erase + row["gc_valid_pages_per_victim"] * page
        return Hand(row["gc_jobs"] / row["write_count"], job, unhindered)

    def by_hand(self, name: str, of: Callable[[Hand], float], *, counted: bool = True) -> Figure:
        """A figure of the arithmetic of a workload."""
        return self.figure(lambda repeat: of(self.hand(name, repeat, counted=counted)))

    def gain(self, name: str) -> Figure:
        """What DGC takes off the mean write, per cent."""
        return self.reduction("mean", "write", [name])
