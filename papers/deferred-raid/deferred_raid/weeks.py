"""Whole weeks from several starts, DGC in parts, and the gain of writes as one line of arithmetic."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable, Ran
from reclaim.papers.measured import Figure

from .gains import DGC, GROUP, RAID5, WORKLOADS, Cells

SLICES, FULL, PLAYED = "slices", "full", "one play"
STARTS: Mapping[str, str] = {
    SLICES: "slice, played four times before",
    FULL: "week, full and never collected",
    PLAYED: "week, played once before",
}
GAINS: Mapping[tuple[str, str], str] = {
    ("mean", "total"): "mean, all",
    ("mean", "write"): "mean, writes",
    ("mean", "read"): "mean, reads",
    ("p99", "write"): "p99, writes",
    ("p99", "read"): "p99, reads",
}
ALONE, IDLE = "redirection alone", "idle collection alone"
ALL_IDLE = "dgc, all idle chips"
LOWEST = "dgc, lowest"
ANY = ", any"
"""Ends the name of a scheme under which reads, too, make a chip collect."""
PARTS: Mapping[str, str] = {
    ALONE: "redirection alone",
    IDLE: "collection of all idle chips alone (control)",
    DGC: "both: DGC, which collects warned chips when idle",
    ALL_IDLE: "both, and all chips are collected when idle",
    f"{IDLE}, eight blocks": "collection of all idle chips alone, to eight blocks above the trigger",
    f"{DGC}, eight blocks": "DGC, to eight blocks above the trigger",
}
CHOICES = ("400 MT/s", "64 pages a block")


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

    def gain(self, name: str) -> Figure:
        """What DGC takes off the mean write, per cent."""
        return self.reduction("mean", "write", [name])


def starts(ran: Ran) -> dict[str, Weeks]:
    """The points of each start that the run has, whole sets of workloads alone."""
    found = {
        SLICES: Weeks.at(ran.cells("cells"), ran.sweeps / "cells"),
        FULL: Weeks.at(ran.cells("weeks"), ran.sweeps / "weeks"),
        PLAYED: Weeks.at(ran.cells("collecting"), ran.sweeps / "collecting"),
    }
    return {name: cells for name, cells in found.items() if cells.has_all(RAID5, DGC) and _is_whole(cells)}


def _is_whole(cells: Weeks) -> bool:
    return set(WORKLOADS) <= set(cells.workloads) and bool(cells.repeats)


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Figures of whole weeks, of parts and of the arithmetic; nothing where they did not run."""
    found: dict[str, Figure] = {}
    for start, cells in starts(ran).items():
        found |= _of_start(start, cells)
    found |= dict(_of_parts(ran)) | dict(_of_ties(ran)) | dict(_of_choices(ran))
    return {name: Custom(each) for name, each in found.items()}


def _of_start(start: str, cells: Weeks) -> dict[str, Figure]:
    found = {f"{start}: {kind} {of}": cells.reduction(kind, of, WORKLOADS) for kind, of in GAINS}
    for name in WORKLOADS:
        found[f"{start}: mean total, {name}"] = cells.reduction("mean", "total", [name])
        found[f"{start}: mean write, {name}"] = cells.gain(name)
        amplification = cells.beside("gc_write_amplification", DGC, RAID5)
        found[f"{start}: amplification, {name}"] = cells.figure(_at(amplification, [name]))
    for pages, words in ((1, "one page"), (4, "four pages")):
        found[f"{start}: by hand, writes of {words}"] = cells.figure(_of_sizes(cells, pages))
    found[f"{start}: ranked as printed"] = cells.figure(lambda r: float(_ranked(cells, r)))
    found[f"{start}: by hand, farthest off"] = cells.figure(
        lambda r: max(abs(_off(cells, name, r)) for name in WORKLOADS)
    )
    return found


def _ranked(cells: Weeks, repeat: int) -> bool:
    """Whether hm_0 gains most and wdev_0 least."""
    gains = [1 - cells.ratio("mean", "total", name, repeat) for name in WORKLOADS]
    return max(gains) == gains[0] and min(gains) == gains[-1]


def _off(cells: Weeks, name: str, repeat: int) -> float:
    """Points of per cent by which the arithmetic is above the run."""
    simulated = 100 * (1 - cells.ratio("mean", "write", name, repeat))
    return cells.hand(name, repeat).gain - simulated


def tables(ran: Ran) -> list[PageTable]:
    """Those that the run has."""
    there = starts(ran)
    found = []
    if len(there) > 1:
        head = ("start", "taken off", *WORKLOADS, "mean")
        found.append(PageTable("weeks", head, tuple(_gains(there))))
        found.append(PageTable("chips", CHIPS, tuple(_chips(there))))
    if there:
        rows = [*_by_hand(there), *_choices(ran)]
        found.append(PageTable("by-hand", BY_HAND, tuple(rows)))
    if parts := tuple(_parts(ran)):
        found.append(PageTable("parts", PARTS_HEAD, parts))
    return found


def _gains(there: Mapping[str, Weeks]) -> Iterator[tuple[str, ...]]:
    for start, cells in there.items():
        for (kind, of), words in GAINS.items():
            each = (told(cells.reduction(kind, of, [name]), " %") for name in WORKLOADS)
            yield STARTS[start], words, *each, told(cells.reduction(kind, of, WORKLOADS), " %")


CHIPS = (
    "start",
    "workload",
    "amplification, RAID-5",
    "DGC over RAID-5",
    "valid pages of a victim",
    "jobs of a chip, RAID-5",
    "DGC",
    "erases of the most worn block, RAID-5",
    "DGC",
    "pages redirected, of a hundred",
)


def _chips(there: Mapping[str, Weeks]) -> Iterator[tuple[str, ...]]:
    """What collection costs, and how it is spread over chips: median and largest."""
    for start, cells in there.items():
        for name in WORKLOADS:
            yield (STARTS[start], name, *_row_of_chips(cells, name))


def _of_sizes(cells: Weeks, pages: int) -> Callable[[int], float]:
    """The gain by hand of writes of so many pages of one stripe, and its parity, with empty victims."""

    def compute(repeat: int) -> float:
        name = WORKLOADS[0]
        hand = cells.hand(name, repeat, counted=False)
        return replace(hand, share=cells.erases_a_write(name, repeat, pages + 1)).gain

    return compute


def _row_of_chips(cells: Weeks, name: str) -> Iterator[str]:
    def value(metric: str, scheme: str) -> Figure:
        return cells.figure(lambda repeat: cells.value(metric, name, scheme, repeat))

    yield f"{value('gc_write_amplification', RAID5).value:.3f}"
    amplification = cells.beside("gc_write_amplification", DGC, RAID5)
    yield f"{cells.figure(lambda repeat: amplification(name, repeat)).value:.4f}"
    yield f"{value('gc_valid_pages_per_victim', RAID5).value:.2f}"
    for scheme in (RAID5, DGC):
        yield _spread(cells, name, scheme)
    for scheme in (RAID5, DGC):
        yield f"{value('wear_max_erases', scheme).value:.0f}"
    yield f"{cells.figure(lambda repeat: redirected(cells, name, DGC, repeat)).value:.1f}"


def _spread(cells: Weeks, name: str, scheme: str) -> str:
    """Jobs of a typical chip and of that with most."""
    typical = cells.figure(lambda r: statistics.median(cells.jobs(name, scheme, r)))
    most = cells.figure(lambda r: cells.jobs(name, scheme, r)[-1])
    return f"{typical.value:.0f}, most {most.value:.0f}"


def redirected(cells: Weeks, name: str, scheme: str, repeat: int) -> float:
    """Of a hundred pages of the host and of parity, those that went to another chip."""
    row = cells.row(name, scheme, repeat)
    return float(
        100 * row["gc_deferral_redirects"] / (row["flash_host_programs"] + row["flash_parity_programs"])
    )


BY_HAND = (
    "start",
    "workload",
    "jobs for a write",
    "time of a job",
    "unhindered write",
    "by hand",
    "simulated",
    "by hand, of sizes alone",
)


def _by_hand(there: Mapping[str, Weeks]) -> Iterator[tuple[str, ...]]:
    for start, cells in there.items():
        for name in WORKLOADS:
            yield (STARTS[start], name, *_arithmetic(cells, name))


def _arithmetic(cells: Weeks, name: str) -> Iterator[str]:
    def of(compute: Callable[[int], float]) -> float:
        return cells.figure(compute).value

    yield f"{of(lambda r: cells.hand(name, r).share):.3f}"
    yield f"{of(lambda r: cells.hand(name, r).job_ns) / 1000:.0f} us"
    yield f"{of(lambda r: cells.hand(name, r).unhindered_ns) / 1000:.1f} us"
    yield f"{of(lambda r: cells.hand(name, r).gain):.1f} %"
    yield told(cells.gain(name), " %")
    yield f"{of(lambda r: cells.hand(name, r, counted=False).gain):.1f} %"


def choices(ran: Ran) -> dict[str, Weeks]:
    """Slices with another channel or other blocks."""
    points = ran.cells("choices")
    if points.is_empty():
        return {}
    parts = {each: points.filter(pl.col("choice") == each) for each in CHOICES}
    return {
        each: Weeks.at(part, ran.sweeps / "choices") for each, part in parts.items() if not part.is_empty()
    }


def _choices(ran: Ran) -> Iterator[tuple[str, ...]]:
    for choice, cells in choices(ran).items():
        for name in cells.workloads:
            yield (f"{STARTS[SLICES]}; {choice}", name, *_arithmetic(cells, name))


def _hand(cells: Weeks, name: str) -> Callable[[int], float]:
    return lambda repeat: cells.hand(name, repeat).gain


def _of_choices(ran: Ran) -> Iterator[tuple[str, Figure]]:
    for choice, cells in choices(ran).items():
        for name in cells.workloads:
            yield f"{choice}: mean write, {name}", cells.gain(name)
            yield f"{choice}: by hand, {name}", cells.figure(_hand(cells, name))


def parts_of(ran: Ran) -> Weeks | None:
    """The points of the parts, with RAID-5 and DGC of the whole weeks, which played the same traces."""
    parts, weeks = ran.cells("parts"), ran.cells("weeks")
    if parts.is_empty() or weeks.is_empty():
        return None
    kept = parts["trace"].unique().to_list()
    points = pl.concat([weeks.filter(pl.col("trace").is_in(kept)), parts], how="diagonal_relaxed")
    if not _same_traces(points):
        return None
    return Weeks.at(points, ran.sweeps / "parts")


def _same_traces(points: pl.DataFrame) -> bool:
    """Whether every scheme played the same requests."""
    return points.group_by("trace", "repeat").agg(pl.col("trace_hash").n_unique())["trace_hash"].max() == 1


PARTS_HEAD = (
    "a chip collects for",
    "what is done",
    "mean",
    "mean write",
    "p99 of writes",
    "mean read",
    "p99.9 of reads",
    "pages redirected, of a hundred",
)
IN_SLICES = {
    "control": "writes; slices",
    "loaded": "writes; slices, the host alone uses dies a tenth of the time",
}
"""Experiments that run the parts in slices."""
PARTS_METRICS = ("mean_latency_ns", "write_mean_ns", "write_p99_ns", "read_mean_ns", "read_p99_9_ns")


def _parts(ran: Ran) -> Iterator[tuple[str, ...]]:
    """Beside RAID-5 whose chips collect for the same requests."""
    groups = (
        (parts_of(ran), "", "writes"),
        (parts_of(ran), ANY, "any request"),
        *((parts_in_slices(ran, name), "", words) for name, words in IN_SLICES.items()),
    )
    for cells, end, words in groups:
        for scheme, what in PARTS.items():
            if cells is not None and cells.has_all(scheme + end, RAID5 + end):
                yield (words, what, *_row_of_parts(cells, scheme + end, RAID5 + end))


def parts_in_slices(ran: Ran, experiment: str) -> Weeks | None:
    """The parts in slices, at the pace of the trace or at a load."""
    points = ran.cells(experiment)
    return None if points.is_empty() else Weeks.at(points, ran.sweeps / experiment)


def _row_of_parts(cells: Weeks, scheme: str, base: str) -> Iterator[str]:
    for metric in PARTS_METRICS:
        yield told(cells.geometric(cells.beside(metric, scheme, base)))
    shares = cells.figure(
        lambda r: statistics.fmean(redirected(cells, name, scheme, r) for name in cells.workloads)
    )
    yield f"{shares.value:.2f}"


OF_PARTS = {"mean_latency_ns": "mean", "write_mean_ns": "writes", "read_mean_ns": "reads"}


def _of_parts(ran: Ran) -> Iterator[tuple[str, Figure]]:
    groups = ((parts_of(ran), "parts"), *((parts_in_slices(ran, name), name) for name in IN_SLICES))
    for cells, kind in groups:
        if cells is not None:
            yield from ((f"{kind}: {name}", found) for name, found in _of_all(cells))


def _of_all(cells: Weeks) -> Iterator[tuple[str, Figure]]:
    """Of every part that is there, beside RAID-5 with the same trigger."""
    for end in ("", ANY):
        for scheme in PARTS:
            if cells.has_all(scheme + end, RAID5 + end):
                yield from _of_part(cells, scheme + end, RAID5 + end)


def _of_part(cells: Weeks, scheme: str, base: str) -> Iterator[tuple[str, Figure]]:
    for metric, words in OF_PARTS.items():
        beside = _at(cells.beside(metric, scheme, base), cells.workloads)
        yield f"{scheme}, {words}", cells.figure(_taken_off(beside))
        for name in cells.workloads:
            beside = _at(cells.beside(metric, scheme, base), [name])
            yield f"{scheme}, {words}, {name}", cells.figure(_taken_off(beside))


def _at(compute: Callable[[str, int], float], names: Sequence[str]) -> Callable[[int], float]:
    """The mean over workloads of what is computed of each."""
    return lambda repeat: statistics.fmean(compute(name, repeat) for name in names)


def _taken_off(beside: Callable[[int], float]) -> Callable[[int], float]:
    return lambda repeat: 100 * (1 - beside(repeat))


def _of_ties(ran: Ran) -> Iterator[tuple[str, Figure]]:
    """Redirection to the lowest number of equals, beside taking turns."""
    points = ran.cells("ties")
    weeks = starts(ran).get(FULL)
    if points.is_empty() or weeks is None:
        return
    cells = Weeks.at(points, ran.sweeps / "ties")
    for name in cells.workloads:
        for scheme, those in ((LOWEST, cells), (DGC, weeks)):
            head = f"ties: {scheme}, {name}"
            yield f"{head}, most jobs", those.figure(_most(those, name, scheme, -1))
            yield f"{head}, typical jobs", those.figure(_most(those, name, scheme, None))
            for metric in ("wear_max_erases", "gc_write_amplification", "read_p99_9_ns", "write_mean_ns"):
                yield f"{head}, {metric}", those.figure(_value(those, metric, name, scheme))


def _value(cells: Weeks, metric: str, name: str, scheme: str) -> Callable[[int], float]:
    return lambda repeat: cells.value(metric, name, scheme, repeat)


def _most(cells: Weeks, name: str, scheme: str, place: int | None) -> Callable[[int], float]:
    def compute(repeat: int) -> float:
        jobs = cells.jobs(name, scheme, repeat)
        return statistics.median(jobs) if place is None else jobs[place]

    return compute
