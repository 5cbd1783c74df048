"""Figures and tables of whole weeks from several starts, of ties, and of the arithmetic."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import replace

from reclaim.paper.toolkit import Figure, LevelRuns, OfWorkload, PageTable, in_words

from . import parts, printed_figures
from .gains import DGC, RAID5, USUAL, WORKLOADS, redirected
from .week_runs import Weeks

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


def starts(runs: LevelRuns) -> dict[str, Weeks]:
    """The points of each start that the run has, whole sets of workloads alone."""
    experiments = {SLICES: "cells", FULL: "weeks", PLAYED: "collecting", OVERWRITTEN: "overwritten"}
    found = {name: Weeks.of(runs, each).of_size(USUAL) for name, each in experiments.items()}
    return {name: cells for name, cells in found.items() if cells.has_all(RAID5, DGC) and cells.is_whole}


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Figures of whole weeks, of parts and of the arithmetic; nothing where they did not run."""
    for start, cells in starts(runs).items():
        yield from ((f"{start}: {name}", figure) for name, figure in _of_start(cells))
    yield from parts.of_runs(runs)
    yield from printed_figures.of_runs(runs)
    yield from _of_ties(runs)
    for choice, name, cells in _choices(runs):
        yield f"{choice}: mean write, {name}", cells.gain(name)
        yield f"{choice}: by hand, {name}", cells.by_hand(name, lambda hand: hand.gain)


def _of_start(cells: Weeks) -> Iterator[tuple[str, Figure]]:
    for kind, of in GAINS:
        yield f"{kind} {of}", cells.reduction(kind, of)
    for name in WORKLOADS:
        yield f"mean total, {name}", cells.reduction("mean", "total", [name])
        yield f"mean write, {name}", cells.gain(name)
        yield f"amplification, {name}", cells.one(cells.ratio("gc_write_amplification", DGC, RAID5), name)
    for pages, words in ((1, "one page"), (4, "four pages")):
        yield f"by hand, writes of {words}", cells.one(_of_sizes(cells, pages), WORKLOADS[0])
    yield "ranked as printed", cells.figure(lambda r: float(_ranked(cells, r)))
    yield "by hand, farthest off", cells.over(max, lambda name, r: abs(_off(cells, name, r)), WORKLOADS)


def _ranked(cells: Weeks, repeat: int) -> bool:
    """Whether hm_0 gains most and wdev_0 least."""
    ratio = cells.beside_raid5("mean", "total")
    gains = [1 - ratio(name, repeat) for name in WORKLOADS]
    return max(gains) == gains[0] and min(gains) == gains[-1]


def _off(cells: Weeks, name: str, repeat: int) -> float:
    """Points of per cent by which the arithmetic is above the run."""
    simulated = 100 * (1 - cells.beside_raid5("mean", "write")(name, repeat))
    return cells.hand(name, repeat).gain - simulated


def tables(runs: LevelRuns) -> list[PageTable]:
    """Those that the run has."""
    there = starts(runs)
    found = []
    if len(there) > 1:
        head = ("start", "taken off", *WORKLOADS, "mean")
        found.append(PageTable("weeks", head, tuple(_gains(there))))
        chips = (
            (STARTS[start], name, *_row_of_chips(cells, name))
            for start, cells in there.items()
            for name in WORKLOADS
        )
        found.append(PageTable("chips", CHIPS, tuple(chips)))
    if there:
        cells = [(STARTS[start], name, each) for start, each in there.items() for name in WORKLOADS]
        cells += [(f"{STARTS[SLICES]}; {choice}", name, each) for choice, name, each in _choices(runs)]
        rows = ((words, name, *_arithmetic(each, name)) for words, name, each in cells)
        found.append(PageTable("by-hand", BY_HAND, tuple(rows)))
    return [*found, *parts.tables(runs)]


def _gains(there: Mapping[str, Weeks]) -> Iterator[tuple[str, ...]]:
    for start, cells in there.items():
        for (kind, of), words in GAINS.items():
            figures = (
                cells.reduction(kind, of, names) for names in (*([each] for each in WORKLOADS), WORKLOADS)
            )
            yield STARTS[start], words, *(in_words(figure, " %") for figure in figures)


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


def _of_sizes(cells: Weeks, pages: int) -> OfWorkload:
    """The gain by hand of writes of so many pages of one stripe, and its parity, with empty victims."""

    def gain(name: str, repeat: int) -> float:
        hand = cells.hand(name, repeat, counted=False)
        return replace(hand, share=cells.erases_a_write(name, repeat, pages + 1)).gain

    return gain


def _row_of_chips(cells: Weeks, name: str) -> Iterator[str]:
    """What collection costs, and how it is spread over chips: median and largest."""

    def value(of: OfWorkload) -> float:
        return cells.one(of, name).value

    yield f"{value(cells.metric('gc_write_amplification', RAID5)):.3f}"
    yield f"{value(cells.ratio('gc_write_amplification', DGC, RAID5)):.4f}"
    yield f"{value(cells.metric('gc_valid_pages_per_victim', RAID5)):.2f}"
    for scheme in (RAID5, DGC):
        yield f"{value(_jobs(cells, scheme)):.0f}, most {value(_jobs(cells, scheme, most=True)):.0f}"
    for scheme in (RAID5, DGC):
        yield f"{value(cells.metric('wear_max_erases', scheme)):.0f}"
    yield f"{value(cells.metric(redirected, DGC)):.1f}"


def _jobs(cells: Weeks, scheme: str, *, most: bool = False) -> OfWorkload:
    """Jobs of a typical chip, or of that with most."""

    def jobs(name: str, repeat: int) -> float:
        of_chips = cells.jobs(name, scheme, repeat)
        return of_chips[-1] if most else statistics.median(of_chips)

    return jobs


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


def _arithmetic(cells: Weeks, name: str) -> Iterator[str]:
    yield f"{cells.by_hand(name, lambda hand: hand.share).value:.3f}"
    yield f"{cells.by_hand(name, lambda hand: hand.job_ns).value / 1000:.0f} us"
    yield f"{cells.by_hand(name, lambda hand: hand.unhindered_ns).value / 1000:.1f} us"
    yield f"{cells.by_hand(name, lambda hand: hand.gain).value:.1f} %"
    yield in_words(cells.gain(name), " %")
    yield f"{cells.by_hand(name, lambda hand: hand.gain, counted=False).value:.1f} %"


def _choices(runs: LevelRuns) -> Iterator[tuple[str, str, Weeks]]:
    """Slices with another channel or other blocks: the choice, workload by workload."""
    for choice, cells in Weeks.of(runs, "choices").by_value("choice"):
        for name in cells.workloads if choice in CHOICES else ():
            yield choice, name, cells


def _of_ties(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Redirection to the lowest number of equals, beside taking turns."""
    cells, weeks = Weeks.of(runs, "ties"), starts(runs).get(FULL)
    if not cells or weeks is None:
        return
    for name in cells.workloads:
        for scheme, those in ((LOWEST, cells), (DGC, weeks)):
            head = f"ties: {scheme}, {name}"
            yield f"{head}, most jobs", those.one(_jobs(those, scheme, most=True), name)
            yield f"{head}, typical jobs", those.one(_jobs(those, scheme), name)
            for metric in ("wear_max_erases", "gc_write_amplification", "read_p99_9_ns", "write_mean_ns"):
                yield f"{head}, {metric}", those.one(those.metric(metric, scheme), name)
