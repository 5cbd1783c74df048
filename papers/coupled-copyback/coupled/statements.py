"""What the paper says, as figures of our runs: claims of `expected.toml` take them by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from reclaim.paper.latencies import mean
from reclaim.paper.toolkit import (
    Brought,
    Figure,
    LevelRuns,
    Metric,
    OfWorkload,
    PaperFigure,
    Row,
    percent,
    reduction,
    shape,
)

from . import past
from .cells import (
    BASELINE,
    COUPLED,
    FILLED,
    FREE,
    MOVED,
    OSPADA,
    OTHERS,
    PCGC,
    TAIL,
    TP,
    WASTED,
    WRITTEN,
    CoupledCells,
)

PLANES, BLOCKS, WORD_BYTES = 8, 4096, 4
"""Of the paper's drive."""
INPUTS = 8
"""Of the regression, which has a bias besides (section III-C)."""
SIMILAR = 0.2
"""Wastes that are nearer to each other than this share of PcGC's count as similar."""
PLATEAU = 0.05
"""A step that wins less than this share of what no block at all wastes is none."""
COMPARED = (COUPLED, PCGC, BASELINE, OSPADA)
Figures = Iterator[tuple[str, Figure | PaperFigure]]


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure that the level has."""
    found: dict[str, Figure | PaperFigure] = {
        "input-memory": _memory((4 + 2 * PLANES + 2 * BLOCKS) * WORD_BYTES / 1024),
        "weight-memory": _memory(float((INPUTS + 1) * WORD_BYTES)),
    }
    found |= dict(of_variations(runs))
    blocks = CoupledCells.of(runs, "blocks")
    if blocks.has_all(*(f"{each} blocks" for each in range(1, 5)), BASELINE, PCGC):
        found |= dict(_more_blocks(blocks))
    return found | dict(past.of_runs(runs))


def of_variations(runs: LevelRuns) -> Figures:
    """Figures 2 and 5 to 8 and Table III, whatever the load or the reading."""
    cells = CoupledCells.of(runs, "cells")
    if cells.has_all(*COMPARED, TP, FREE):
        yield from _gains(cells)
        yield from _statements(cells)


def _memory(value: float) -> Figure:
    """Section IV-D: what inputs or weights take."""
    return Figure(value, value, value, exact=True)


def _gains(cells: CoupledCells) -> Figures:
    gains = {
        "waste": {base: cells.ratio(WASTED, COUPLED, base) for base in OTHERS},
        "moves": {base: cells.ratio(MOVED, COUPLED, base) for base in OTHERS},
        "latency": {base: cells.ratio(mean, COUPLED, base) for base in OTHERS},
        "tail": {base: cells.ratio(TAIL, COUPLED, base) for base in OTHERS},
    }
    for name, ratios in gains.items():
        for base, ratio in ratios.items():
            yield f"{name}-{base}", cells.order(reduction(ratio))
        yield f"{name}-mean", cells.mean(_over_bases(statistics.fmean, ratios.values()))
    yield "latency-best", cells.over(max, _over_bases(max, gains["latency"].values()))
    for name, scheme in (("pcgc-left", PCGC), ("coupled-left", COUPLED)):
        yield name, cells.order(percent(cells.ratio(WASTED, scheme, BASELINE)))
    yield "fsp-by-tp", cells.order(cells.ratio(WASTED, BASELINE, TP))
    for name in cells.workloads:
        yield f"accuracy-{name}", cells.one(cells.accuracy(), name)
    yield "accuracy-mean", cells.mean(cells.accuracy())


def _over_bases(statistic: Callable[[Iterable[float]], float], ratios: Iterable[OfWorkload]) -> OfWorkload:
    """A statistic of the reductions beside each baseline."""
    every = [reduction(each) for each in ratios]
    return lambda workload, repeat: statistic(of(workload, repeat) for of in every)


def _chain(cells: CoupledCells, metric: str, schemes: Sequence[str]) -> PaperFigure:
    """Each scheme beside the next, which is claimed to be larger."""
    ratios = {f"{one} / {other}": cells.ratio(metric, one, other) for one, other in pairwise(schemes)}
    return _each(cells, ratios)


def _each(cells: CoupledCells, ratios: Mapping[str, OfWorkload]) -> PaperFigure:
    """The mean of several ratios over all workloads, and of each."""
    places = [(of, workload) for of in ratios.values() for workload in cells.workloads]
    whole = cells.mean(lambda place, repeat: place[0](place[1], repeat), places)
    return PaperFigure(whole, parts=tuple((name, cells.mean(of)) for name, of in ratios.items()))


def _statements(cells: CoupledCells) -> Figures:
    def rise_together(one: Metric, other: Metric) -> bool:
        """Whether two figures rise in one order of schemes, in each workload."""
        schemes = COMPARED[:3]

        def rise(metric: Metric, name: str, repeat: int) -> bool:
            values = [cells.value(metric, name, each, repeat) for each in schemes]
            return values == sorted(values)

        return cells.everywhere(lambda *cell: rise(one, *cell) and rise(other, *cell))

    def reads_per_fill(row: Row) -> float:
        """Copybacks and reads beyond those of the victims' own pages."""
        reads = float(row["flash_copybacks"] + row["flash_gc_reads"])
        return float((reads - row[MOVED] + row[FILLED]) / row[FILLED])

    def tail_beside_mean(base: str) -> OfWorkload:
        latency, tail = cells.ratio(mean, COUPLED, base), cells.ratio(TAIL, COUPLED, base)
        return lambda *cell: latency(*cell) / tail(*cell)

    orders: dict[str, tuple[Metric, str, str]] = {
        "wa-by-baseline": (WRITTEN, COUPLED, BASELINE),
        "latency-by-baseline": (mean, COUPLED, BASELINE),
        "rule-costs": (WRITTEN, FREE, BASELINE),
        "tp-by-fsp": (WASTED, TP, BASELINE),
        "pcgc-by-baseline": (WASTED, PCGC, BASELINE),
        "waste-by-pcgc": (WASTED, COUPLED, PCGC),
        "baseline-by-ospada": (WASTED, BASELINE, OSPADA),
        "moves-by-baseline": (MOVED, COUPLED, BASELINE),
        "left-to-win": (MOVED, FREE, COUPLED),
    }
    for name, compared in orders.items():
        yield name, cells.order(cells.ratio(*compared))
    yield "waste-order", _chain(cells, WASTED, COMPARED)
    yield "moves-order", _chain(cells, MOVED, COMPARED)
    repeats = len(cells.repeats)
    rule = "waste and pages written rise in one order, in each workload"
    yield "waste-decides", shape(rise_together(WASTED, WRITTEN), repeats, rule)
    rule = "moves and mean latency rise in one order, in each workload"
    yield "latency-follows-moves", shape(rise_together(MOVED, mean), repeats, rule)
    yield "reads-per-fill", cells.mean(cells.metric(reads_per_fill, COUPLED))
    yield "fills-of-all-moves", cells.mean(cells.metric(lambda row: row[FILLED] / row[MOVED], COUPLED))
    yield "tail-gains-more", _each(cells, {base: tail_beside_mean(base) for base in OTHERS})


def _more_blocks(cells: CoupledCells) -> Figures:
    """Figure 3: additional blocks that all are admitted, pages of the victim in their order."""

    def of(scheme: str, repeat: int) -> float:
        """Waste beside the baseline, the mean over workloads."""
        ratio = cells.ratio(WASTED, scheme, BASELINE)
        return statistics.fmean(ratio(name, repeat) for name in cells.workloads)

    def wastes(repeat: int) -> list[float]:
        return [of(f"{blocks} blocks" if blocks else BASELINE, repeat) for blocks in range(5)]

    def plateau(repeat: int) -> bool:
        waste = wastes(repeat)
        return waste[2] - waste[3] > PLATEAU >= waste[3] - waste[4]

    yield (
        "one-block-like-pcgc",
        cells.shape(
            lambda repeat: abs(wastes(repeat)[1] / max(of(PCGC, repeat), 1e-9) - 1) <= SIMILAR,
            f"within {SIMILAR:.0%} of PcGC's waste",
        ),
    )
    yield (
        "waste-falls-with-blocks",
        cells.shape(
            lambda repeat: all(after < before for before, after in pairwise(wastes(repeat))),
            "each further block leaves less waste",
        ),
    )
    rule = f"the third block wins more than {PLATEAU:.0%} of the baseline's waste, the fourth not"
    yield "plateau-at-three", cells.shape(plateau, rule)
    yield "one-block-waste", cells.mean(percent(cells.ratio(WASTED, "1 blocks", BASELINE)))
    yield "three-blocks-waste", cells.mean(percent(cells.ratio(WASTED, "3 blocks", BASELINE)))
