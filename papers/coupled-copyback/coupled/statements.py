"""What the paper says beyond ratios, as figures of our runs: claims of `expected.toml` take them by name."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from reclaim.paper.toolkit import (
    Brought,
    Cells,
    Figure,
    LevelRuns,
    OfWorkload,
    PaperFigure,
    exact,
    reduction,
    shape,
)

from .cells import BASELINE, COUPLED, FREE, MOVED, OSPADA, OTHERS, PCGC, TAIL, TP, WASTED, WRITTEN, cells_of

PLANES, BLOCKS, WORD_BYTES = 8, 4096, 4
"""Of the paper's drive."""
INPUTS = 8
"""Of the regression, which has a bias besides (section III-C)."""
SIMILAR = 0.2
"""Wastes that are nearer to each other than this share of PcGC's count as similar."""
PLATEAU = 0.05
"""A step that wins less than this share of what no block at all wastes is none."""
COMPARED = (COUPLED, PCGC, BASELINE, OSPADA)
GATES = ("all admitted", "plain rule", "pseudocode")
ORACLE = "oracle"
"""Every candidate is admitted, and lends the pages whose data lives longest, as the trace will have it."""
COIN = "coin"
RULES: Mapping[str, str] = {
    "regression": "regression",
    "label: until collected": "regression, label until collected",
    "trained until collected": "regression, label until collected, trained with it",
    "trained beforehand alone": "the same, not trained again",
    "label: share": "regression on the share lost",
    "all admitted": "all admitted",
    "half invalid": "those half invalid",
    "future": "future, 3 blocks",
    "future, all blocks": "future, all blocks",
}
"""What is beside the coin, and what a page calls it."""
Figures = Iterator[tuple[str, Figure | PaperFigure]]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has."""
    found = {
        "input-memory": _memory((4 + 2 * PLANES + 2 * BLOCKS) * WORD_BYTES / 1024),
        "weight-memory": _memory(float((INPUTS + 1) * WORD_BYTES)),
        **dict(of_variations(runs)),
    }
    if cells := cells_of(runs, "cells", COUPLED, FREE, TP, *OTHERS):
        found |= dict(_extremes(cells))
    if cells := cells_of(runs, "blocks", *(f"{each} blocks" for each in range(1, 5)), BASELINE, PCGC):
        found |= dict(_more_blocks(cells))
    if cells := cells_of(runs, "gates", COUPLED, ORACLE, FREE, *GATES):
        found |= dict(_errors(cells))
    if cells := cells_of(runs, "learning", COIN, *RULES):
        found |= dict(_over_settings(cells))
    return found


def of_variations(runs: LevelRuns) -> Figures:
    """What the text says of schemes, whatever the load or the reading."""
    if cells := cells_of(runs, "cells", *COMPARED, TP, FREE):
        yield from _statements(cells)


def _memory(value: float) -> Figure:
    """Section IV-D: what inputs or weights take."""
    return Figure(value, value, value, exact=True)


def _chain(cells: Cells, metric: str, schemes: Sequence[str]) -> PaperFigure:
    """Each scheme beside the next, which is claimed to be larger."""
    return _each(cells, {f"{one} / {two}": cells.ratio(metric, one, two) for one, two in pairwise(schemes)})


def _each(cells: Cells, ratios: Mapping[str, OfWorkload]) -> PaperFigure:
    """The mean of several ratios over all workloads, and of each."""
    pairs = [(of, workload) for of in ratios.values() for workload in cells.workloads]
    whole = cells.mean(lambda pair, repeat: pair[0](pair[1], repeat), pairs)
    return PaperFigure(whole, parts=tuple((name, cells.mean(of)) for name, of in ratios.items()))


def _statements(cells: Cells) -> Figures:
    def rise(metric: str, name: str, repeat: int) -> bool:
        """Whether a figure rises in the order of schemes."""
        values = [cells.value(metric, name, each, repeat) for each in COMPARED[:3]]
        return values == sorted(values)

    def tail_beside_mean(base: str) -> OfWorkload:
        latency, tail = cells.ratio("latency_ns", COUPLED, base), cells.ratio(TAIL, COUPLED, base)
        return lambda *cell: latency(*cell) / tail(*cell)

    yield "waste-order", _chain(cells, WASTED, COMPARED)
    yield "moves-order", _chain(cells, MOVED, COMPARED)
    for name, words, metrics in (
        ("waste-decides", "waste and pages written", (WASTED, WRITTEN)),
        ("latency-follows-moves", "moves and mean latency", (MOVED, "latency_ns")),
    ):
        together = cells.everywhere(lambda *cell, of=metrics: all(rise(each, *cell) for each in of))
        yield name, shape(together, len(cells.repeats), f"{words} rise in one order, in each workload")
    yield "tail-gains-more", _each(cells, {base: tail_beside_mean(base) for base in OTHERS})


def _extremes(cells: Cells) -> Figures:
    """Among workloads."""
    padded = "gc_padded_pages_per_host_page"
    named = {"waste of FSP over TP": cells.ratio(WASTED, BASELINE, TP)}
    named |= {"padding": cells.metric(padded, BASELINE)} if cells.values(padded) else {}
    for name, of in named.items():
        figures = sorted((figure for _, figure in cells.parts(of)), key=lambda figure: figure.value)
        yield f"least {name}", figures[0]
        yield f"most {name}", figures[-1]


def _more_blocks(cells: Cells) -> Figures:
    """Figure 3: additional blocks that all are admitted, pages of the victim in their order."""

    def of(scheme: str, repeat: int) -> float:
        """Waste beside the baseline, the mean over workloads."""
        ratio = cells.ratio(WASTED, scheme, BASELINE)
        return statistics.fmean(ratio(name, repeat) for name in cells.workloads)

    def wastes(repeat: int) -> list[float]:
        return [of(f"{blocks} blocks" if blocks else BASELINE, repeat) for blocks in range(5)]

    def like_pcgc(repeat: int) -> bool:
        return abs(wastes(repeat)[1] / max(of(PCGC, repeat), 1e-9) - 1) <= SIMILAR

    def falls(repeat: int) -> bool:
        return all(after < before for before, after in pairwise(wastes(repeat)))

    def plateau(repeat: int) -> bool:
        waste = wastes(repeat)
        return waste[2] - waste[3] > PLATEAU >= waste[3] - waste[4]

    yield "one-block-like-pcgc", cells.shape(like_pcgc, f"within {SIMILAR:.0%} of PcGC's waste")
    yield "waste-falls-with-blocks", cells.shape(falls, "each further block leaves less waste")
    rule = f"the third block wins more than {PLATEAU:.0%} of the baseline's waste, the fourth not"
    yield "plateau-at-three", cells.shape(plateau, rule)


def _errors(cells: Cells) -> Figures:
    """Changed pages for each page filled by one gate over those by another."""

    def errors(scheme: str, other: str) -> OfWorkload:
        def of(name: str, repeat: int) -> float:
            ours, theirs = (cells.value("in_vain", name, each, repeat) for each in (scheme, other))
            # A gate that admits next to nothing has nothing to be wrong about.
            return ours / theirs if theirs > 0 else 1.0

        return of

    for name in GATES:
        yield (
            f"errors-by-{name.replace(' ', '-')}",
            cells.order(errors(COUPLED, name), statistic=statistics.fmean),
        )
    learned = cells.mean(errors(COUPLED, "all admitted"))
    rule = "fewer pages are moved ahead in vain than with every candidate admitted, by the interval"
    yield "accuracy-is-learned", shape(learned.interval[1] < 1, len(cells.repeats), rule)
    yield "oracle-errors", cells.order(errors(ORACLE, COUPLED), statistic=statistics.fmean)


def _over_settings(cells: Cells) -> Figures:
    """Of each rule: in how many settings it moves fewer pages than the coin and more, and the extremes."""
    settings = [
        (name, here)
        for name in cells.workloads
        for _, padded in cells.by_value("flash.flush_after")
        for _, here in padded.by_value("warmup.valid_share")
        if all(here.value(MOVED, name, COIN, repeat) > 0 for repeat in here.repeats)
    ]
    for rule, words in RULES.items():
        shown = [here.one(reduction(here.ratio(MOVED, rule, COIN)), name) for name, here in settings]
        if shown:
            yield f"learning, {words}, fewer in", exact(sum(each.interval[0] > 0 for each in shown))
            yield f"learning, {words}, more in", exact(sum(each.interval[1] < 0 for each in shown))
            yield f"learning, {words}, least", exact(min(each.value for each in shown))
            yield f"learning, {words}, most", exact(max(each.value for each in shown))
            yield "learning, settings", exact(len(shown))
