"""Figures of the paper that no sweep measures: its analytical model, and its experiment.

Every claim says in `expected.toml` from which reading its figure comes; `tests` hold the two together. The
curves of Figures 5 and 6 are families: each point beside what another way of computing it gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from reclaim.paper.toolkit import Brought, Figure, Level, PaperFigure, Tell, exact, interval_of

from . import analytical
from .experimental import (
    BASELINES,
    STEPS,
    as_printed,
    experiment,
    half_interval,
    published,
    reductions,
)
from .normal import reduction
from .readings import LEVELS, READINGS, Floats, Reading

if TYPE_CHECKING:
    import polars as pl

TABLE_1, ERASE = READINGS["table-1"], READINGS["table-1-erase"]
PROGRAM = READINGS["program"]
PAGES = 4096
LOG = (
    *(55.016, 40.513, 32.913, 27.709, 24.018, 21.470, 19.894, 18.600, 16.969, 15.593),
    *(14.210, 12.581, 11.907, 10.238, 9.114, 7.686, 6.389, 5.437, 3.892, 0.0),
)
"""Improvements in percent that the authors published with their program, for 500,000 blocks."""
LOG_ROOM = 0.08
"""Share by which a point may be off: each is of a single block, and varies from seed to seed by 2 to 3 %."""
NORMAL_ROOM = {"arbitrary": 0.02, "random": 0.02, "worst": 0.02, "greedy": 0.15}
"""How good the normal approximation is; beside greedy the difference is small, and counts often tie."""


class Size(NamedTuple):
    """How much of the experiment a level runs."""

    blocks: int
    batches: int
    seeds: int
    """Of the published program's experiment."""


SIZES: dict[Level, Size] = {
    "quick": Size(100_000, 3, 1),
    "default": Size(1_000_000, 10, 3),
    "full": Size(1_000_000, 10, 10),
}


def figures(level: Level, tell: Tell) -> Brought:
    """Compute the analytical model, and run the experiment as the level sizes it."""
    size = SIZES[level]
    table = experiment(
        blocks=size.blocks,
        batches=size.batches,
        progress=lambda done, total: tell("experiment", done, total),
    )
    replicas = [
        published(
            batches=10,
            seed=seed,
            progress=lambda done, total: tell("the published program's experiment", done, total),
        )
        for seed in range(1, size.seeds + 1)
    ]
    return {
        **_analytical(),
        **_curves(),
        **_experiment(table, "4096 pages", ERASE, PAGES),
        **_experiment(replicas[0], "1024 pages, published", PROGRAM, 1024, np.array(PROGRAM.read_us)),
        **_figure_6(table),
        **_replica(replicas),
    }


def controls() -> dict[str, Figure]:
    """Give what simpler choices save by the paper's own measure and beside its own baseline.

    Of Figure 6 the fewest valid pages, beside arbitrary victims; of Figure 5 the mean placement.
    """
    table = experiment(blocks=SIZES["quick"].blocks)
    saved = reductions(table, "greedy")
    values, halves = 100 * saved["arbitrary"], 100 * saved["arbitrary ±"]
    at = int(values.arg_max() or 0)
    sweep = analytical.sweep(TABLE_1)
    return {
        "fewest valid pages: largest gain": _around(values[at], halves[at]),
        "fewest valid pages: mean gain": _mean_over_shares(table, "arbitrary", "greedy"),
        "figure 5: reduction beside the mean placement": exact(
            100 * (1 - sweep.mean_least_us / float(sweep.mean_us.mean()))
        ),
    }


def _holds(there: bool) -> Figure:
    """A statement: 1 where it is so."""
    return exact(float(there))


def _analytical() -> dict[str, Figure]:
    sweep = analytical.sweep(TABLE_1)
    block_1, block_0 = analytical.figure_4()
    shares = {name: 100 * share for name, share in analytical.shares_equal(TABLE_1).items()}
    alone = shares["distributions of a cell"]
    lower, equal = sweep.least_us < sweep.most_us, sweep.least_us == sweep.most_us
    return {
        "figure 4: block 1": exact(block_1),
        "figure 4: block 0": exact(block_0),
        "figure 4: slower": exact(100 * (block_0 / block_1 - 1)),
        "figure 4: the lighter is block 1": _holds(block_1 < block_0),
        "figure 4: equal counts, first in order": _holds(_first_of_equals() == 0),
        "equal counts, unequal latencies": _holds(block_1 != block_0),
        "figure 5: mean least": exact(sweep.mean_least_us),
        "figure 5: mean most": exact(sweep.mean_most_us),
        "figure 5: reduction of means": exact(100 * sweep.reduction_of_means),
        "figure 5: largest slowdown": exact(100 * sweep.largest_slowdown),
        "figure 5: largest reduction": exact(100 * sweep.largest_reduction),
        "figure 5: share equal": exact(alone),
        "figure 5: share lower": exact(100 - alone),
        "figure 5: share equal, counts 0 to 16": exact(shares["counts 0 to 16"]),
        "figure 5: share equal, counts 1 to 16": exact(shares["counts 1 to 16"]),
        "figure 5: share dearer, of a cell": exact(
            100 - shares["distributions of a cell, least of their count"]
        ),
        "figure 5: lower at most counts": _holds(2 * int(lower.sum()) > lower.size),
        "figure 5: equal at the last count": _holds(bool(equal[-1])),
    }


def _first_of_equals() -> int:
    """Which block of Figure 4 a collector by count takes that goes through them in order."""
    counts = [2, 2]
    return min(range(len(counts)), key=lambda block: (counts[block], block))


def _curves() -> dict[str, PaperFigure]:
    """Figure 5: filling the cheapest or the dearest level first, beside all placements of k pages tried."""
    sweep = analytical.sweep(TABLE_1)
    least, most = _all_placements(TABLE_1)
    found = {}
    for k, ours, tried in _points(sweep.least_us, least):
        found[f"least {k}"] = _row("fig5-least", f"least cost of {k} valid pages", ours, tried)
    for k, ours, tried in _points(sweep.most_us, most):
        found[f"most {k}"] = _row("fig5-most", f"greatest cost of {k} valid pages", ours, tried)
    return found


def _points(ours: Floats, tried: Floats) -> Iterator[tuple[int, float, float]]:
    return zip(range(1, ours.size + 1), ours.tolist(), tried.tolist(), strict=True)


def _row(family: str, what: str, ours: float, tried: float) -> PaperFigure:
    return PaperFigure(exact(ours), family=family, expected=tried, unit="us", what=what)


def _all_placements(reading: Reading) -> tuple[Floats, Floats]:
    """Least and greatest cost of k pages, from every number of pages on each of the four levels."""
    full = analytical.COLUMNS
    by_level = np.array(list(product(range(full + 1), repeat=len(LEVELS))))
    counts, costs = by_level.sum(axis=1), by_level @ reading.page_us + reading.erase_us
    wanted = range(1, full * len(LEVELS) + 1)
    least = [float(costs[counts == k].min()) for k in wanted]
    return np.array(least), np.array([float(costs[counts == k].max()) for k in wanted])


def _experiment(
    table: pl.DataFrame, of: str, reading: Reading, pages: int, weights: Floats | None = None
) -> dict[str, PaperFigure]:
    """Largest and mean reduction beside each baseline, of blocks of a size, beside the closed form."""
    ours = reductions(table)
    found = {}
    for base in BASELINES:
        formula = [100 * reduction(reading, pages, step / 100, base, weights) for step in STEPS]
        values, halves = ours[base] * 100, ours[f"{base} ±"] * 100
        largest = int(values.arg_max() or 0)
        for kind, figure, expected in (
            ("largest", _around(values[largest], halves[largest]), max(formula)),
            ("mean", _mean_over_shares(table, base), fmean(formula)),
        ):
            what = f"{kind}, beside {base}, {of}"
            found[what] = PaperFigure(figure, "correct", expected, NORMAL_ROOM[base], "%", what)
    return found


def _around(value: float, half: float | None) -> Figure:
    return Figure(value) if half is None else Figure(value, value - half, value + half)


def _mean_over_shares(table: pl.DataFrame, base: str, scheme: str = "word-line") -> Figure:
    """The mean over all shares of valid pages, with its interval over batches."""
    wide = table.pivot(on="policy", index=["valid_percent", "batch"], values="latency_us")
    saved = wide.with_columns(saved=100 * (1 - wide[scheme] / wide[base]))
    by_batch = saved.group_by("batch", maintain_order=True).mean()["saved"].to_list()
    return _around(fmean(by_batch), half_interval(by_batch))


def _figure_6(table: pl.DataFrame) -> dict[str, Figure | PaperFigure]:
    """The curve of Figure 6 by the correct policy, beside each baseline, and what the text says of it."""
    ours = reductions(table)
    found: dict[str, Figure | PaperFigure] = {}
    for base in BASELINES:
        values, halves = (100 * ours[base]).to_list(), (100 * ours[f"{base} ±"]).to_list()
        for step, value, half in zip(STEPS, values, halves, strict=True):
            what = f"reduction at {step} % valid, beside {base}"
            expected = 100 * reduction(ERASE, PAGES, step / 100, base)
            found[what] = PaperFigure(
                _around(value, half), f"fig6-{base}", expected, NORMAL_ROOM[base], "%", what
            )
    gains = (100 * ours["arbitrary"]).to_list()
    least = ours["arbitrary"] - ours["arbitrary ±"]
    largest = int(np.argmax(gains))
    found |= {
        "figure 6: largest gain": _around(gains[largest], 100 * ours["arbitrary ±"][largest]),
        "figure 6: mean gain": _mean_over_shares(table, "arbitrary"),
        "figure 6: better from 5 to 95 %": _holds(bool((least[:-1] > 0).all())),
        "figure 6: better in most cases": _holds(2 * int((least > 0).sum()) > len(STEPS)),
        "figure 6: equal at 100 %": _holds(gains[-1] == 0),
        "figure 6: falls with valid pages": _holds(all(np.diff(gains) < 0)),
    }
    return found


def _replica(tables: list[pl.DataFrame]) -> dict[str, Figure | PaperFigure]:
    """What the published program prints, by our repetition of what it does."""
    printed = [(100 * as_printed(table)["improvement"]).to_list() for table in tables]
    found: dict[str, Figure | PaperFigure] = {
        "published program: largest": interval_of([max(each) for each in printed]),
        "published program: mean": interval_of([fmean(each) for each in printed]),
    }
    for step, logged, values in zip(STEPS, LOG, zip(*printed, strict=True), strict=True):
        what = f"improvement at {step} % valid, published program"
        found[what] = PaperFigure(interval_of(list(values)), "fig6-log", logged, LOG_ROOM, "%", what)
    return found
