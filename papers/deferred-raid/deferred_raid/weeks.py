"""Figures and tables of whole weeks from several starts, of ties, and of the arithmetic."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import polars as pl

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable, Ran
from reclaim.papers.measured import Figure

from . import parts, printed_figures
from .gains import DGC, RAID5, WORKLOADS
from .week_runs import Weeks, over, redirected

SLICES, FULL, PLAYED, OVERWRITTEN = "slices", "full", "one play", "overwritten"
STARTS: Mapping[str, str] = {
    SLICES: "slice, played four times before",
    FULL: "week, full and never collected",
    PLAYED: "week, played once before",
    OVERWRITTEN: "week, random writes before",
}
GAINS: Mapping[tuple[str, str], str] = {
    ("mean", "total"): "mean, all",
    ("mean", "write"): "mean, writes",
    ("mean", "read"): "mean, reads",
    ("p99", "write"): "p99, writes",
    ("p99", "read"): "p99, reads",
}
LOWEST = "dgc, lowest"
CHOICES = ("400 MT/s", "64 pages a block")


def starts(ran: Ran) -> dict[str, Weeks]:
    """The points of each start that the run has, whole sets of workloads alone."""
    found = {
        SLICES: Weeks.at(ran.cells("cells"), ran.sweeps / "cells"),
        FULL: Weeks.at(ran.cells("weeks"), ran.sweeps / "weeks"),
        PLAYED: Weeks.at(ran.cells("collecting"), ran.sweeps / "collecting"),
        OVERWRITTEN: Weeks.at(ran.cells("overwritten"), ran.sweeps / "overwritten"),
    }
    return {name: cells for name, cells in found.items() if cells.has_all(RAID5, DGC) and _is_whole(cells)}


def _is_whole(cells: Weeks) -> bool:
    return set(WORKLOADS) <= set(cells.workloads) and bool(cells.repeats)


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Figures of whole weeks, of parts and of the arithmetic; nothing where they did not run."""
    found: dict[str, Figure] = {}
    for start, cells in starts(ran).items():
        found |= _of_start(start, cells)
    found |= dict(parts.of_runs(ran)) | dict(printed_figures.of_runs(ran))
    found |= dict(_of_ties(ran)) | dict(_of_choices(ran))
    return {name: Custom(each) for name, each in found.items()}


def _of_start(start: str, cells: Weeks) -> dict[str, Figure]:
    found = {f"{start}: {kind} {of}": cells.reduction(kind, of, WORKLOADS) for kind, of in GAINS}
    for name in WORKLOADS:
        found[f"{start}: mean total, {name}"] = cells.reduction("mean", "total", [name])
        found[f"{start}: mean write, {name}"] = cells.gain(name)
        amplification = cells.beside("gc_write_amplification", DGC, RAID5)
        found[f"{start}: amplification, {name}"] = cells.figure(over(amplification, [name]))
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
    return [*found, *parts.tables(ran)]


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
