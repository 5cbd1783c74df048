"""Pools of blocks as in the paper's experiment, where validity depends on the level, or a threshold selects.

The experiment draws every page with the same chance. Here a dial goes from there to full dependence: at 100 %
the valid pages of a block fill one level after another. Blocks may lean the same way, their valid pages on
slow levels, or half of them the other way. Of each pool a quarter is collected, by weight or by another rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable
from reclaim.papers.measured import Figure, interval_of
from reclaim.papers.paper import Level

from .experimental import STEPS
from .readings import LEVELS, READINGS, Floats

Counts = NDArray[np.int64]
"""Valid pages of each block by level."""

PAGES = 4096
BLOCKS: dict[Level, int] = {"quick": 4_000, "default": 20_000, "full": 100_000}
BATCHES = 6
DIALS = (0, 1, 2, 5, 10, 20, 50, 100)
"""Per cent of full dependence."""
VALID = (25, 50, 75)
"""Per cent of the pages of a pool."""
LEANS = {"same": "all blocks alike", "halves": "half the blocks the other way"}
PASSING = (25, 30, 50, 75, 100)
"""Per cent of the blocks that a threshold lets pass; a quarter of all blocks is collected."""
COSTS = READINGS["table-1-erase"]


def chances(valid: float, dial: float, *, slow: bool) -> Floats:
    """Give the chance of a page to be valid, by level.

    Args:
        valid: share of all pages.
        dial: 0 where the level does not matter, 1 where valid pages fill one level after another.
        slow: whether they begin with the slowest level.

    >>> chances(0.5, 0.5, slow=True).tolist()
    [0.25, 0.25, 0.75, 0.75]
    """
    levels = len(LEVELS)
    full = np.clip(valid * levels - np.arange(levels), 0, 1)
    return np.asarray((1 - dial) * valid + dial * (full[::-1] if slow else full))


def draw(random: np.random.Generator, blocks: int, valid: float, dial: float, lean: str) -> Counts:
    """Draw a pool; of `halves`, every second block leans to the fast levels."""
    of_block = np.tile(chances(valid, dial, slow=True), (blocks, 1))
    if lean == "halves":
        of_block[1::2] = chances(valid, dial, slow=False)
    return random.binomial(PAGES // len(LEVELS), of_block)


def time_us(counts: Counts, victims: NDArray[np.int64]) -> float:
    """Give what it takes to relocate what victims hold, and to erase them."""
    return float((counts[victims] @ COSTS.page_us).sum() + victims.size * COSTS.erase_us)


def lightest(counts: Counts) -> NDArray[np.int64]:
    """Take the quarter with the least weight."""
    return np.argsort(counts @ COSTS.page_us, kind="stable")[: len(counts) // 4]


def in_order(counts: Counts, passing: int) -> NDArray[np.int64]:
    """Take a quarter in order of those that have the fewest valid pages, of which so many per cent pass."""
    pass_it = np.argsort(counts.sum(axis=1), kind="stable")[: len(counts) * passing // 100]
    return np.sort(pass_it)[: len(counts) // 4]


def saved(counts: Counts, passing: int = 25) -> float:
    """Give the per cent that the lightest quarter saves beside a threshold in order.

    If just as many blocks pass as are collected, these are the blocks with the fewest valid pages.

    >>> saved(np.array([[2, 0, 0, 0], [0, 0, 0, 2], [3, 0, 0, 0], [3, 0, 0, 0]]))
    0.0
    """
    return 100 * (1 - time_us(counts, lightest(counts)) / time_us(counts, in_order(counts, passing)))


def _over_batches(compute: Callable[[np.random.Generator], float]) -> Figure:
    return interval_of([compute(np.random.default_rng(batch)) for batch in range(BATCHES)])


@lru_cache(maxsize=4)
def of_level(level: Level) -> dict[str, Custom]:
    """Every figure of the map, and those of thresholds."""
    return {name: Custom(figure) for name, figure in (*_map(BLOCKS[level]), *_thresholds(BLOCKS[level]))}


def _map(blocks: int) -> Iterator[tuple[str, Figure]]:
    for lean in LEANS:
        for valid in VALID:
            for dial in DIALS:
                yield (
                    _named(lean, dial, valid),
                    _over_batches(
                        lambda random, v=valid, d=dial, of=lean: saved(  # type: ignore[misc]
                            draw(random, blocks, v / 100, d / 100, of)
                        )
                    ),
                )


def _named(lean: str, dial: int, valid: int) -> str:
    return f"pools, {lean}, {dial} % dependent, {valid} % valid"


def _thresholds(blocks: int) -> Iterator[tuple[str, Figure]]:
    found: dict[int, list[list[float]]] = {passing: [] for passing in PASSING}
    for batch in range(BATCHES):
        random = np.random.default_rng(batch)
        pools = [draw(random, blocks, step / 100, 0, "same") for step in STEPS]
        for passing in PASSING:
            found[passing].append([saved(pool, passing) for pool in pools])
    for passing, batches in found.items():
        yield f"pools, {passing} % pass, largest", interval_of([max(each) for each in batches])
        yield f"pools, {passing} % pass, mean", interval_of([float(np.mean(each)) for each in batches])


def tables(level: Level) -> list[PageTable]:
    """The map, and what thresholds let the baseline take."""
    found = of_level(level)

    def cell(name: str) -> str:
        figure = found[name].figure
        return "" if figure is None else told(figure, " %")

    columns = [(lean, valid) for lean in LEANS for valid in VALID]
    rows = [(f"{dial} %", *(cell(_named(lean, dial, valid)) for lean, valid in columns)) for dial in DIALS]
    of_map = PageTable(
        "pools",
        ("dependence", *(f"{LEANS[lean]}, {valid} % valid" for lean, valid in columns)),
        tuple(rows),
    )
    passing = [
        (f"{each} %", cell(f"pools, {each} % pass, largest"), cell(f"pools, {each} % pass, mean"))
        for each in PASSING
    ]
    head = ("blocks above the threshold", "largest saving of WLA-GC", "mean saving")
    return [of_map, PageTable("thresholds", head, tuple(passing))]
