"""What the paper prints and says about its runs, as figures: claims of `expected.toml` take them by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping

from reclaim.paper import latencies
from reclaim.paper.toolkit import Brought, Figure, LevelRuns, OfWorkload, PaperFigure, Row, Shapes

from . import weeks
from .gains import DGC, RAID5, SIZES, USUAL, WORKLOADS, RaidCells, cells_of, of_sizes, rank_correlation, taken

LARGEST, SMALLEST = "hm_0", "wdev_0"
CLASSES = ("total", "write", "read")
MORE = 1.001
"""Write amplification beside RAID-5 that still counts as none."""
HALF = 0.5
"""Of the response time: a part that is more than this is a main part."""
CORRELATED = 0.5
"""Rank correlation above which one figure follows another."""
REFUSED = 0.01
"""Share of warnings without a chip that still counts as none."""
FALLS = "with 4 chips more than with 8, and with 8 more than with 16"
SHAPES: Shapes[RaidCells] = Shapes()
Figures = Iterator[tuple[str, Figure | PaperFigure]]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has."""
    found: dict[str, Figure | PaperFigure] = dict(weeks.of_runs(runs))
    if cells := cells_of(runs):
        found |= dict(_gains(cells)) | SHAPES.of(cells)
        if sizes := of_sizes(runs):
            found |= dict(_sizes(sizes))
    return found


def _gains(cells: RaidCells) -> Figures:
    for kind in ("mean", "p99"):
        for of in CLASSES:
            yield f"{kind}-{of}-average", cells.reduction(kind, of)
            yield f"{kind}-{of}-hm0", cells.reduction(kind, of, [LARGEST])
            yield f"{kind}-{of}-wdev", cells.reduction(kind, of, [SMALLEST])
            yield f"{kind}-{of}-order", cells.figure(_ranking(cells.beside_raid5(kind, of)))
    yield "avg-lower", cells.order(cells.beside_raid5("mean", "total"))
    yield "p99-lower", cells.order(cells.beside_raid5("p99", "total"))
    share, ratio = cells.metric(taken("gc"), RAID5), cells.beside_raid5("mean", "total")
    yield "gc-share", cells.figure(lambda repeat: share(LARGEST, repeat) / share(SMALLEST, repeat))
    yield "hm0-over-wdev", cells.figure(lambda repeat: ratio(SMALLEST, repeat) / ratio(LARGEST, repeat))


def _ranking(ratio: OfWorkload) -> Callable[[int], float]:
    """By how much the largest workload gains most, and the smallest least, whichever is less."""

    def ranking(repeat: int) -> float:
        ratios = {each: ratio(each, repeat) for each in WORKLOADS}
        largest, smallest = ratios.pop(LARGEST), ratios.pop(SMALLEST)
        return min(min(*ratios.values(), smallest) / largest, smallest / max(*ratios.values(), largest))

    return ranking


def _rows(cells: RaidCells, scheme: str, repeat: int) -> dict[str, Row]:
    return {name: cells.row(name, scheme, repeat) for name in WORKLOADS}


@SHAPES("no-extra-wa", f"write amplification is less than {MORE} times that of RAID-5 in each workload")
def _no_more_is_written(cells: RaidCells, repeat: int) -> bool:
    ratio = cells.ratio("gc_write_amplification", DGC, RAID5)
    return all(ratio(name, repeat) < MORE for name in WORKLOADS)


def _waiting(cells: RaidCells, name: str, repeat: int) -> float:
    """Share of the time that requests wait; the lookup, a microsecond, is no waiting."""
    return taken("gc", "queue")(cells.row(name, RAID5, repeat))


@SHAPES(
    "waiting-dominates", f"waiting and collection are more than {HALF:.0%} of the time, in all but wdev_0"
)
def _others_wait(cells: RaidCells, repeat: int) -> bool:
    return all(_waiting(cells, name, repeat) > HALF for name in WORKLOADS if name != SMALLEST)


@SHAPES("wdev-is-other", f"the same, and less than {HALF:.0%} in wdev_0")
def _only_the_smallest_does_not(cells: RaidCells, repeat: int) -> bool:
    return bool(_others_wait(cells, repeat)) and _waiting(cells, SMALLEST, repeat) < HALF


@SHAPES("more-deferred-better", f"deferred jobs and gains correlate by more than {CORRELATED} in rank")
def _more_deferred_is_better(cells: RaidCells, repeat: int) -> bool:
    jobs = [float(row["gc_deferral_deferred_jobs"]) for row in _rows(cells, DGC, repeat).values()]
    ratio = cells.beside_raid5("mean", "total")
    return rank_correlation(jobs, [1 - ratio(name, repeat) for name in WORKLOADS]) > CORRELATED


@SHAPES("valid-pages-follow-space", "victims hold most in hm_0 and least in wdev_0")
def _more_valid_is_longer(cells: RaidCells, repeat: int) -> bool:
    """Of the workloads hm_0 has the largest unique write space, and wdev_0 the least."""
    rows = _rows(cells, RAID5, repeat)
    valid = {name: row["gc_valid_pages_per_victim"] for name, row in rows.items()}
    most, least = max(valid.values()), min(valid.values())
    return bool(most > least and valid[LARGEST] == most and valid[SMALLEST] == least)


@SHAPES(
    "tail-follows-waiting", f"gains of p99 and collection saved correlate by more than {CORRELATED} in rank"
)
def _tail_depends_on_waiting(cells: RaidCells, repeat: int) -> bool:
    ratio = cells.beside_raid5("p99", "total")
    base, ours = (_rows(cells, scheme, repeat) for scheme in (RAID5, DGC))
    saved = [latencies.time_of(base[name], "gc") - latencies.time_of(ours[name], "gc") for name in WORKLOADS]
    return rank_correlation([1 - ratio(name, repeat) for name in WORKLOADS], saved) > CORRELATED


@SHAPES("steady-state", f"fewer than {REFUSED:.0%} of the warnings find no chip")
def _warned_to_balance(cells: RaidCells, repeat: int) -> bool:
    """After redirection no more writes wait than fit: every warning is answered."""
    rows = _rows(cells, DGC, repeat).values()
    refused = sum(row["gc_deferral_refused_redirects"] for row in rows)
    return bool(refused < REFUSED * sum(row["gc_deferral_warnings"] for row in rows))


def _sizes(sizes: Mapping[int, RaidCells]) -> Figures:
    """Figures 10 and 11: other numbers of chips in a parity group."""
    usual, first, last = sizes[USUAL], sizes[SIZES[0]], sizes[SIZES[-1]]

    def mean(chips: int, repeat: int) -> float:
        return statistics.fmean(map(latencies.mean, _rows(sizes[chips], DGC, repeat).values()))

    def fall(repeat: int) -> float:
        few, many = (_rows(each, DGC, repeat) for each in (first, last))
        ratios = [latencies.mean(many[name]) / latencies.mean(few[name]) for name in WORKLOADS]
        return 100 * (1 - statistics.fmean(ratios))

    def gain(chips: int, repeat: int) -> float:
        ratio = sizes[chips].beside_raid5("mean", "total")
        return 100 * statistics.fmean(1 - ratio(name, repeat) for name in WORKLOADS)

    def operations(chips: int, repeat: int) -> float:
        rows = _rows(sizes[chips], DGC, repeat).values()
        return float(sum(row["flash_parity_programs"] + row["redundancy_stripe_reads"] for row in rows))

    for name, value in (
        ("faster-in-large-groups", mean),
        ("fewer-operations", operations),
        ("gain-falls", gain),
    ):
        yield name, usual.shape(lambda r, of=value: of(4, r) > of(8, r) > of(16, r), FALLS)  # type: ignore[misc]
    yield "fall-of-response", usual.figure(fall)
    yield "fall-of-gain", usual.figure(lambda repeat: gain(4, repeat) - gain(16, repeat))
