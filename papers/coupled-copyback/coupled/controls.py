"""CoupledCB beside PcGC and simpler controls: order of replay, units to a block, other choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from reclaim.papers.custom import Custom, PageTable, Ran

from .cells import BASELINE, COUPLED, FILLED, MOVED, PCGC, TAIL, WASTED, Cells, Of, percent, reduction
from .rows import Measured, Row, as_figures, as_table, fewer, known, left

ALL = "all admitted"
CONTROLS: Mapping[str, str] = {
    COUPLED: "CoupledCB",
    ALL: "without the gate",
    "filling": "filling without pointers",
    "controller": "controller",
}
"""Beside PcGC, and what a page calls them. Through the controller there is no parity, and no waste."""
EXPERIMENTS = ("shuffled", "recorded", "units", "settings", "planes")
SIZES = {
    f"planes of {blocks} blocks": f"planes of {40 * times} to {60 * times} blocks"
    for times in (1, 2, 4)
    for blocks in (40 * times, 60 * times)
}
"""What is averaged over: mysql touches half as much again as the other recordings."""
FIGURE_3 = "figure-3"
LENDERS = {BASELINE: "0", **{f"{each} blocks": str(each) for each in range(1, 5)}, PCGC: "PcGC"}


def tables(ran: Ran) -> list[PageTable]:
    """A row for each workload of an experiment; none if it did not run."""
    return [
        each
        for name, of in ((FIGURE_3, _lenders), *((name, _rows) for name in EXPERIMENTS))
        for each in as_table(name, ("workload",), list(of(ran.cells(name))))
    ]


def of_page(ran: Ran) -> dict[str, Custom]:
    """The same figures by name: experiment, workload (or the mean), what is measured."""
    found = as_figures(((FIGURE_3, *where), row) for where, row in _lenders(ran.cells(FIGURE_3)))
    for name in EXPERIMENTS:
        found |= as_figures(((name, *where), row) for where, row in _rows(ran.cells(name)))
    return found


def _lenders(points: pl.DataFrame) -> Iterator[Row]:
    """Waste of that of the baseline, by how many further blocks lend pages."""
    for name in Cells(points).workloads:
        here = Cells(points.filter(pl.col("trace") == name))
        yield (name,), [left(here, scheme, words) for scheme, words in LENDERS.items()]


def _rows(points: pl.DataFrame) -> Iterator[Row]:
    """Of each workload, and of the mean over those on blocks or planes of one size."""
    names = Cells(points).workloads
    groups = {name: [name] for name in names}
    sizes = {name: SIZES.get(size, size) for name in names for size in [name.partition(", ")[2]]}
    for size in dict.fromkeys(sizes.values()):
        groups[f"mean, {size}" if size else "mean"] = [name for name in names if sizes[name] == size]
    for name, its in groups.items():
        if len(its) > 1 or name in names:
            yield (name,), list(_measured(Cells(points.filter(pl.col("trace").is_in(its)))))


def _measured(here: Cells) -> Iterator[Measured]:
    def plain(metric: str, scheme: str = PCGC) -> Of:
        return lambda name, repeat: here.value(metric, name, scheme, repeat)

    def part(metric: str, whole: str) -> Of:
        """A share under CoupledCB."""
        of, base = plain(metric, COUPLED), plain(whole, COUPLED)
        return lambda name, repeat: of(name, repeat) / base(name, repeat)

    yield "write amplification", here.mean(plain("gc_write_amplification")), ""
    yield "die utilization", here.mean(percent(plain("utilisation_die"))), " %"
    yield "padded for each host page", here.mean(plain("gc_padded_pages_per_host_page")), ""
    yield "valid pages of a victim", here.mean(plain("gc_valid_pages_per_victim")), ""
    empty = known(here, reduction(part("gc_victim_empty_victims", "gc_jobs")), "gc_jobs", COUPLED)
    yield "jobs that move pages", empty, " %"
    yield "of the moved pages, lent", known(here, percent(part(FILLED, MOVED)), MOVED, COUPLED), " %"
    if BASELINE in here.schemes:
        yield left(here, PCGC)
        yield left(here, COUPLED)
    for scheme, words in CONTROLS.items():
        if scheme in here.schemes:
            yield f"{words}, fewer moved", fewer(here, MOVED, scheme, PCGC), " %"
            of = reduction(here.of_victims(scheme, PCGC))
            yield f"{words}, fewer of victims", known(here, of, MOVED, PCGC), " %"
            written = fewer(here, "gc_nand_write_amplification", scheme, PCGC)
            yield f"{words}, fewer bytes programmed", written, " %"
            waits = here.mean(reduction(here.ratio("mean_latency_ns", scheme, PCGC)))
            yield f"{words}, lower mean latency", waits, " %"
            yield f"{words}, lower p99.99 of writes", fewer(here, TAIL, scheme, PCGC), " %"
    yield "the gate, fewer moved", fewer(here, MOVED, COUPLED, ALL), " %"
    yield "the gate, fewer wasted", fewer(here, WASTED, COUPLED, ALL), " %"
    yield (
        "the gate, lower mean latency",
        here.mean(reduction(here.ratio("mean_latency_ns", COUPLED, ALL))),
        " %",
    )
