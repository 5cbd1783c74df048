"""What the paper says about its runs beyond ratios: claims of `expected.toml` take these figures by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping

from reclaim.paper.toolkit import Brought, Cells, Figure, LevelRuns, OfWorkload, PaperFigure, Row, Shapes

from .gains import DGC, RAID5, SIZES, USUAL, WORKLOADS, of_size, rank_correlation

LARGEST, SMALLEST = "hm_0", "wdev_0"
RANKED: Mapping[str, str] = {
    "mean-total": "latency_ns",
    "mean-write": "write_mean_ns",
    "mean-read": "read_mean_ns",
    "p99-total": "all_p99_ns",
    "p99-write": "write_p99_ns",
    "p99-read": "read_p99_ns",
}
"""Metrics by which the paper ranks workloads."""
MORE = 1.001
"""Write amplification beside RAID-5 that still counts as none."""
HALF = 0.5
"""Of the response time: a part that is more than this is a main part."""
CORRELATED = 0.5
"""Rank correlation above which one figure follows another."""
REFUSED = 0.01
"""Share of warnings without a chip that still counts as none."""
FALLS = "with 4 chips more than with 8, and with 8 more than with 16"
SHAPES: Shapes[Cells] = Shapes()
Figures = Iterator[tuple[str, Figure | PaperFigure]]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has, beside those of measures.toml."""
    found: dict[str, Figure | PaperFigure] = {}
    if (cells := of_size(Cells.of(runs, "cells"))) is not None:
        every = Cells.of(runs, "cells", "groups")
        sizes = {size: here for size in SIZES if (here := of_size(every, size)) is not None}
        found |= dict(_gains(cells)) | SHAPES.of(cells)
        found |= dict(_sizes(sizes)) if runs.cells("groups").height and len(sizes) == len(SIZES) else {}
    return found | dict(_fall(runs))


def _gains(cells: Cells) -> Figures:
    for name, metric in RANKED.items():
        yield f"{name}-order", cells.figure(_ranking(cells.ratio(metric, DGC, RAID5)))
    share, ratio = cells.metric("gc_share", RAID5), cells.ratio("latency_ns", DGC, RAID5)
    yield "gc-share", cells.figure(lambda repeat: share(LARGEST, repeat) / share(SMALLEST, repeat))
    yield "hm0-over-wdev", cells.figure(lambda repeat: ratio(SMALLEST, repeat) / ratio(LARGEST, repeat))


def _ranking(ratio: OfWorkload) -> Callable[[int], float]:
    """By how much the largest workload gains most, and the smallest least, whichever is less."""

    def ranking(repeat: int) -> float:
        ratios = {each: ratio(each, repeat) for each in WORKLOADS}
        largest, smallest = ratios.pop(LARGEST), ratios.pop(SMALLEST)
        return min(min(*ratios.values(), smallest) / largest, smallest / max(*ratios.values(), largest))

    return ranking


def _rows(cells: Cells, scheme: str, repeat: int) -> dict[str, Row]:
    return {name: cells.row(name, scheme, repeat) for name in WORKLOADS}


@SHAPES("no-extra-wa", f"write amplification is less than {MORE} times that of RAID-5 in each workload")
def _no_more_is_written(cells: Cells, repeat: int) -> bool:
    ratio = cells.ratio("gc_write_amplification", DGC, RAID5)
    return all(ratio(name, repeat) < MORE for name in WORKLOADS)


def _waiting(cells: Cells, name: str, repeat: int) -> float:
    """Share of the time that requests wait; the lookup, a microsecond, is no waiting."""
    row = cells.row(name, RAID5, repeat)
    return float((row["latency_gc_ns"] + row["latency_queue_ns"]) / row["latency_ns"])


@SHAPES(
    "waiting-dominates", f"waiting and collection are more than {HALF:.0%} of the time, in all but wdev_0"
)
def _others_wait(cells: Cells, repeat: int) -> bool:
    return all(_waiting(cells, name, repeat) > HALF for name in WORKLOADS if name != SMALLEST)


@SHAPES("wdev-is-other", f"the same, and less than {HALF:.0%} in wdev_0")
def _only_the_smallest_does_not(cells: Cells, repeat: int) -> bool:
    return bool(_others_wait(cells, repeat)) and _waiting(cells, SMALLEST, repeat) < HALF


@SHAPES("more-deferred-better", f"deferred jobs and gains correlate by more than {CORRELATED} in rank")
def _more_deferred_is_better(cells: Cells, repeat: int) -> bool:
    jobs = [float(row["gc_deferral_deferred_jobs"]) for row in _rows(cells, DGC, repeat).values()]
    ratio = cells.ratio("latency_ns", DGC, RAID5)
    return rank_correlation(jobs, [1 - ratio(name, repeat) for name in WORKLOADS]) > CORRELATED


@SHAPES("valid-pages-follow-space", "victims hold most in hm_0 and least in wdev_0")
def _more_valid_is_longer(cells: Cells, repeat: int) -> bool:
    """Of the workloads hm_0 has the largest unique write space, and wdev_0 the least."""
    rows = _rows(cells, RAID5, repeat)
    valid = {name: row["gc_valid_pages_per_victim"] for name, row in rows.items()}
    most, least = max(valid.values()), min(valid.values())
    return bool(most > least and valid[LARGEST] == most and valid[SMALLEST] == least)


@SHAPES(
    "tail-follows-waiting", f"gains of p99 and collection saved correlate by more than {CORRELATED} in rank"
)
def _tail_depends_on_waiting(cells: Cells, repeat: int) -> bool:
    ratio = cells.ratio("all_p99_ns", DGC, RAID5)
    base, ours = (_rows(cells, scheme, repeat) for scheme in (RAID5, DGC))
    saved = [base[name]["latency_gc_ns"] - ours[name]["latency_gc_ns"] for name in WORKLOADS]
    return rank_correlation([1 - ratio(name, repeat) for name in WORKLOADS], saved) > CORRELATED


@SHAPES("steady-state", f"fewer than {REFUSED:.0%} of the warnings find no chip")
def _warned_to_balance(cells: Cells, repeat: int) -> bool:
    """After redirection no more writes wait than fit: every warning is answered."""
    rows = _rows(cells, DGC, repeat).values()
    refused = sum(row["gc_deferral_refused_redirects"] for row in rows)
    return bool(refused < REFUSED * sum(row["gc_deferral_warnings"] for row in rows))


def _sizes(sizes: Mapping[int, Cells]) -> Figures:
    """Figures 10 and 11: other numbers of chips in a parity group."""
    usual = sizes[USUAL]

    def mean(chips: int, repeat: int) -> float:
        return statistics.fmean(row["latency_ns"] for row in _rows(sizes[chips], DGC, repeat).values())

    def operations(chips: int, repeat: int) -> float:
        rows = _rows(sizes[chips], DGC, repeat).values()
        return float(sum(row["flash_parity_programs"] + row["redundancy_stripe_reads"] for row in rows))

    for name, value in (
        ("faster-in-large-groups", mean),
        ("fewer-operations", operations),
        ("gain-falls", lambda chips, repeat: _gain(sizes[chips], repeat)),
    ):
        yield name, usual.shape(lambda r, of=value: of(4, r) > of(8, r) > of(16, r), FALLS)  # type: ignore[misc]
    yield "fall-of-gain", usual.figure(lambda repeat: _gain(sizes[4], repeat) - _gain(sizes[16], repeat))


def _gain(cells: Cells, repeat: int) -> float:
    """What DGC takes off the mean response time, the mean over workloads, %."""
    ratio = cells.ratio("latency_ns", DGC, RAID5)
    return 100 * (1 - statistics.fmean(ratio(name, repeat) for name in cells.workloads))


def _fall(runs: LevelRuns) -> Figures:
    """Figure 11 on an overwritten drive: what a group of 16 gains less than one of 4."""
    if sizes := Cells.of(runs, "sizes"):
        few, many = (sizes.where("redundancy.stripe_chips", each) for each in ("4", "16"))
        yield "figure 11: fall", few.figure(lambda repeat: _gain(few, repeat) - _gain(many, repeat))
