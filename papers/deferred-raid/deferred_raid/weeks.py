"""Jobs of chips, and the gain of writes as one line of arithmetic, from the whole results of runs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reclaim.paper.toolkit import Cells, Figure, LevelRuns

from .gains import DGC, RAID5, WORKLOADS, of_size

STARTS: Mapping[str, str] = {
    "cells": "slices",
    "weeks": "full",
    "collecting": "one play",
    "overwritten": "overwritten",
}
"""Experiments, and how figures call the start of their runs."""
FULL, LOWEST = "weeks", "dgc, lowest"
CHOICES = ("400 MT/s", "64 pages a block")
"""Of slices: another channel, other blocks."""


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


def hand(cells: Cells, name: str, repeat: int) -> Hand:
    """The arithmetic of a run, with the jobs that it counted."""
    row = cells.row(name, RAID5, repeat)
    result = cells.result(row)
    facts, flash = result["facts"], result["config"]["flash"]
    page = 1000 * sum(float(flash[each].removesuffix("us")) for each in ("t_read", "t_program"))
    job = facts["erase_ns"] + row["gc_valid_pages_per_victim"] * page
    return Hand(row["gc_jobs"] / row["write_count"], job, float(facts["unloaded_write_ns"]))


def of_sizes(cells: Cells, name: str, repeat: int, pages: float | None = None) -> Hand:
    """The arithmetic of writes of so many pages of one stripe and its parity, with empty victims.

    Every chip collects, and one page at least of a write ends a block. Each is taken to be on a chip of its
    own, where every page has the same chance. Without a number of pages it is the run's mean.
    """
    row = cells.row(name, RAID5, repeat)
    result = cells.result(row)
    written = (row["flash_host_programs"] + row["flash_parity_programs"]) / row["write_count"]
    block = result["config"]["geometry"]["pages_per_block"]
    share = 1 - (1 - 1 / block) ** (written if pages is None else pages + 1)
    facts = result["facts"]
    return Hand(float(share), float(facts["erase_ns"]), float(facts["unloaded_write_ns"]))


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Figures of starts, of other choices and of ties; nothing where they did not run."""
    for experiment, start in STARTS.items():
        cells = of_size(Cells.of(runs, experiment))
        if cells is not None and cells.has_all(RAID5, DGC):
            yield from ((f"{start}: {name}", figure) for name, figure in _of_start(cells))
            for name in WORKLOADS:
                yield from _by_hand(cells, name, experiment)
                for scheme in (RAID5, DGC):
                    yield from _jobs(cells, f"{experiment}: {scheme}", scheme, name)
    for choice, cells in Cells.of(runs, "choices").by_value("choice"):
        for name in cells.workloads if choice in CHOICES else ():
            yield from _by_hand(cells, name, choice)
    ties, weeks = Cells.of(runs, "ties"), of_size(Cells.of(runs, FULL))
    if weeks is None:
        return
    for name in ties.workloads:
        for scheme, those in ((LOWEST, ties), (DGC, weeks)):
            yield from (
                (_of_tie(each), figure) for each, figure in _jobs(those, f"ties: {scheme}", scheme, name)
            )


def _of_start(cells: Cells) -> Iterator[tuple[str, Figure]]:
    for pages, words in ((1, "one page"), (4, "four pages")):
        yield (
            f"by hand, writes of {words}",
            cells.figure(lambda repeat, of=pages: of_sizes(cells, WORKLOADS[0], repeat, of).gain),  # type: ignore[misc]
        )
    yield "ranked as printed", cells.figure(lambda repeat: float(_ranked(cells, repeat)))
    yield (
        "by hand, farthest off",
        cells.over(max, lambda name, repeat: abs(_off(cells, name, repeat)), WORKLOADS),
    )


def _ranked(cells: Cells, repeat: int) -> bool:
    """Whether hm_0 gains most and wdev_0 least."""
    ratio = cells.ratio("latency_ns", DGC, RAID5)
    gains = [1 - ratio(name, repeat) for name in WORKLOADS]
    return max(gains) == gains[0] and min(gains) == gains[-1]


def _off(cells: Cells, name: str, repeat: int) -> float:
    """Points of per cent by which the arithmetic is above the run."""
    return hand(cells, name, repeat).gain - 100 * (1 - cells.ratio("write_mean_ns", DGC, RAID5)(name, repeat))


OF_HAND: Mapping[str, Callable[[Hand], float]] = {
    "by hand, share": lambda of: of.share,
    "by hand, job": lambda of: of.job_ns / 1000,
    "by hand, unhindered": lambda of: of.unhindered_ns / 1000,
    "by hand": lambda of: of.gain,
}
"""Figures of the arithmetic; times in us, gains in per cent."""


def _by_hand(cells: Cells, name: str, setting: str) -> Iterator[tuple[str, Figure]]:
    for words, of in OF_HAND.items():
        figure = cells.figure(lambda repeat, each=of: each(hand(cells, name, repeat)))  # type: ignore[misc]
        yield f"{setting}: {words}, {name}", figure
    sizes = cells.figure(lambda repeat: of_sizes(cells, name, repeat).gain)
    yield f"{setting}: by hand, of sizes, {name}", sizes


def _jobs(cells: Cells, head: str, scheme: str, name: str) -> Iterator[tuple[str, Figure]]:
    """Jobs of a typical chip, and of that with most."""
    for words, of in (("most jobs", max), ("typical jobs", statistics.median)):
        yield (
            f"{head}, {words}, {name}",
            cells.figure(
                lambda repeat, each=of: float(
                    each(cells.result(cells.row(name, scheme, repeat))["planes"]["jobs"])
                )  # type: ignore[misc]
            ),
        )


def _of_tie(name: str) -> str:
    """Name a figure of ties: the workload stands before what is counted."""
    head, words, workload = name.rsplit(", ", 2)
    return f"{head}, {workload}, {words}"
