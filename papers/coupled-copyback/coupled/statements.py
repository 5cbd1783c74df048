"""What the paper says, as figures of our runs: claims of `expected.toml` take them by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from itertools import pairwise

from reclaim.papers.custom import Custom, Ran, told
from reclaim.papers.measured import Figure, interval_of
from reclaim.papers.paper import load_paper

from . import past
from .cells import (
    BASELINE,
    COUPLED,
    FREE,
    MOVED,
    OSPADA,
    OTHERS,
    PCGC,
    TAIL,
    TP,
    WASTED,
    Cells,
    Of,
    percent,
    ratio_of,
    reduction,
)

KEY = "coupled-copyback"
PLANES, BLOCKS, WORD_BYTES = 8, 4096, 4
"""Of the paper's drive."""
INPUTS = 8
"""Of the regression, which has a bias besides (section III-C)."""
SIMILAR = 0.2
"""Wastes that are nearer to each other than this share of PcGC's count as similar."""
PLATEAU = 0.05
"""A step that wins less than this share of what no block at all wastes is none."""
NOT_HERE = "this level does not run it"


def names() -> list[str]:
    """What claims ask for."""
    return [each.figure for each in load_paper(KEY).expected.claims if each.figure]


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Every figure; those that the level does not have say so."""
    found = {name: Custom(None, reason=NOT_HERE) for name in names()}
    found |= _memory()
    found |= of_variations(ran)
    blocks = Cells(ran.cells("blocks"))
    if blocks.has_all(*(f"{each} blocks" for each in range(1, 5)), BASELINE, PCGC):
        found |= _more_blocks(blocks)
    return found | past.of_runs(Cells(ran.cells("gates")), Cells(ran.cells("qlc")))


def of_variations(ran: Ran) -> dict[str, Custom]:
    """Figures 2 and 5 to 8 and Table III, whatever the load or the reading."""
    cells = Cells(ran.cells("cells"))
    if not cells.has_all(TP, BASELINE, OSPADA, PCGC, COUPLED, FREE):
        return {}
    return _gains(cells) | _accuracy(cells) | _statements(cells)


def _memory() -> dict[str, Custom]:
    """Section IV-D: what the inputs and weights take."""
    weights = float((INPUTS + 1) * WORD_BYTES)
    inputs = (4 + 2 * PLANES + 2 * BLOCKS) * WORD_BYTES / 1024
    return {
        "input-memory": Custom(Figure(inputs, inputs, inputs, exact=True)),
        "weight-memory": Custom(Figure(weights, weights, weights, exact=True)),
    }


def _gains(cells: Cells) -> dict[str, Custom]:
    found: dict[str, Custom] = {}

    def keep(name: str, ratios: dict[str, Of]) -> None:
        for base, ratio in ratios.items():
            of = reduction(ratio)
            found[f"{name}-{base}"] = Custom(cells.mean(of), parts=cells.parts(of))
        every = [reduction(each) for each in ratios.values()]
        found[f"{name}-mean"] = Custom(
            cells.mean(lambda workload, repeat: statistics.fmean(of(workload, repeat) for of in every))
        )

    keep("waste", {base: cells.ratio(WASTED, COUPLED, base) for base in OTHERS})
    keep("moves", {base: cells.ratio(MOVED, COUPLED, base) for base in OTHERS})
    keep("latency", {base: cells.latency_ratio(COUPLED, base) for base in OTHERS})
    keep("tail", {base: cells.ratio(TAIL, COUPLED, base) for base in OTHERS})
    best = [
        max(
            100 * (1 - cells.latency_ratio(COUPLED, base)(name, repeat))
            for name in cells.workloads
            for base in OTHERS
        )
        for repeat in cells.repeats
    ]
    found["latency-best"] = Custom(interval_of(best))
    for name, scheme in (("pcgc-left", PCGC), ("coupled-left", COUPLED)):
        left = percent(cells.ratio(WASTED, scheme, BASELINE))
        found[name] = Custom(cells.mean(left), parts=cells.parts(left))
    fsp = cells.ratio(WASTED, BASELINE, TP)
    found["fsp-by-tp"] = Custom(cells.mean(fsp), parts=cells.parts(fsp))
    return found


def _accuracy(cells: Cells) -> dict[str, Custom]:
    found = {f"accuracy-{name}": Custom(cells.one(cells.accuracy, name)) for name in cells.workloads}
    found["accuracy-mean"] = Custom(cells.mean(cells.accuracy))
    return found


def _chain(cells: Cells, metric: str, schemes: Sequence[str]) -> Custom:
    """Each scheme beside the next, which is claimed to be larger."""
    pairs = list(pairwise(schemes))
    parts = tuple((f"{one} / {other}", cells.mean(cells.ratio(metric, one, other))) for one, other in pairs)
    whole = interval_of(
        [
            statistics.fmean(
                cells.ratio(metric, one, other)(name, repeat)
                for one, other in pairs
                for name in cells.workloads
            )
            for repeat in cells.repeats
        ]
    )
    return Custom(whole, parts=parts)


def _statements(cells: Cells) -> dict[str, Custom]:
    repeats = len(cells.repeats)

    def value(metric: str, scheme: str) -> Of:
        return lambda name, repeat: cells.value(metric, name, scheme, repeat)

    def reads_per_fill(name: str, repeat: int) -> float:
        """Copybacks and reads beyond those of the victims' own pages."""
        filled = cells.value("gc_relocation_filled_pages", name, COUPLED, repeat)
        reads = sum(cells.value(f"flash_{each}", name, COUPLED, repeat) for each in ("copybacks", "gc_reads"))
        return (reads - cells.value(MOVED, name, COUPLED, repeat) + filled) / filled

    def follows(name: str, repeat: int) -> bool:
        """Whether schemes with fewer pages moved have the lower latency."""
        moved = [value(MOVED, each)(name, repeat) for each in (COUPLED, PCGC, BASELINE)]
        waits = [cells.latency(name, each, repeat) for each in (COUPLED, PCGC, BASELINE)]
        return sorted(moved) == moved and sorted(waits) == waits

    def used_up(name: str, repeat: int) -> bool:
        """Whether schemes that waste fewer pages write fewer in all."""
        wasted = [value(WASTED, each)(name, repeat) for each in (COUPLED, PCGC, BASELINE)]
        written = [value("gc_write_amplification", each)(name, repeat) for each in (COUPLED, PCGC, BASELINE)]
        return sorted(wasted) == wasted and sorted(written) == written

    tails = tuple(
        (
            base,
            interval_of(
                [
                    statistics.fmean(
                        cells.latency_ratio(COUPLED, base)(name, repeat)
                        / cells.ratio(TAIL, COUPLED, base)(name, repeat)
                        for name in cells.workloads
                    )
                    for repeat in cells.repeats
                ]
            ),
        )
        for base in OTHERS
    )
    return {
        "wa-by-baseline": ratio_of(cells, cells.ratio("gc_write_amplification", COUPLED, BASELINE)),
        "latency-by-baseline": ratio_of(cells, cells.latency_ratio(COUPLED, BASELINE)),
        "rule-costs": ratio_of(cells, cells.ratio("gc_write_amplification", FREE, BASELINE)),
        "tp-by-fsp": ratio_of(cells, cells.ratio(WASTED, TP, BASELINE)),
        "pcgc-by-baseline": ratio_of(cells, cells.ratio(WASTED, PCGC, BASELINE)),
        "waste-by-pcgc": ratio_of(cells, cells.ratio(WASTED, COUPLED, PCGC)),
        "baseline-by-ospada": ratio_of(cells, cells.ratio(WASTED, BASELINE, OSPADA)),
        "waste-order": _chain(cells, WASTED, (COUPLED, PCGC, BASELINE, OSPADA)),
        "moves-order": _chain(cells, MOVED, (COUPLED, PCGC, BASELINE, OSPADA)),
        "moves-by-baseline": ratio_of(cells, cells.ratio(MOVED, COUPLED, BASELINE)),
        "waste-decides": told(
            cells.all_hold(used_up), repeats, "waste and pages written rise in one order, in each workload"
        ),
        "latency-follows-moves": told(
            cells.all_hold(follows), repeats, "moves and mean latency rise in one order, in each workload"
        ),
        "reads-per-fill": Custom(cells.mean(reads_per_fill)),
        "fills-of-all-moves": Custom(
            cells.mean(
                lambda *at: value("gc_relocation_filled_pages", COUPLED)(*at) / value(MOVED, COUPLED)(*at)
            )
        ),
        "tail-gains-more": Custom(
            interval_of(
                [
                    statistics.fmean(
                        cells.latency_ratio(COUPLED, base)(name, repeat)
                        / cells.ratio(TAIL, COUPLED, base)(name, repeat)
                        for name in cells.workloads
                        for base in OTHERS
                    )
                    for repeat in cells.repeats
                ]
            ),
            parts=tails,
        ),
        "left-to-win": ratio_of(cells, cells.ratio(MOVED, FREE, COUPLED)),
    }


def _more_blocks(cells: Cells) -> dict[str, Custom]:
    """Figure 3: additional blocks that all are admitted, pages of the victim in their order."""

    def of(scheme: str, repeat: int) -> float:
        """Waste beside the baseline, the mean over workloads."""
        ratio = cells.ratio(WASTED, scheme, BASELINE)
        return statistics.fmean(ratio(name, repeat) for name in cells.workloads)

    def wastes(repeat: int) -> list[float]:
        return [of(f"{blocks} blocks" if blocks else BASELINE, repeat) for blocks in range(5)]

    def in_all(holds: Callable[[int], bool], rule: str) -> Custom:
        return told(all(holds(repeat) for repeat in cells.repeats), len(cells.repeats), rule)

    def plateau(repeat: int) -> bool:
        waste = wastes(repeat)
        return waste[2] - waste[3] > PLATEAU >= waste[3] - waste[4]

    return {
        "one-block-like-pcgc": in_all(
            lambda repeat: abs(wastes(repeat)[1] / max(of(PCGC, repeat), 1e-9) - 1) <= SIMILAR,
            f"within {SIMILAR:.0%} of PcGC's waste",
        ),
        "waste-falls-with-blocks": in_all(
            lambda repeat: all(after < before for before, after in pairwise(wastes(repeat))),
            "each further block leaves less waste",
        ),
        "plateau-at-three": in_all(
            plateau, f"the third block wins more than {PLATEAU:.0%} of the baseline's waste, the fourth not"
        ),
        "one-block-waste": Custom(cells.mean(percent(cells.ratio(WASTED, "1 blocks", BASELINE)))),
        "three-blocks-waste": Custom(cells.mean(percent(cells.ratio(WASTED, "3 blocks", BASELINE)))),
    }
