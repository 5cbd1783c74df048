"""Pools of blocks as in the paper's experiment, where validity depends on the level, or a threshold selects.

The experiment draws every page with the same chance. Here a dial goes from there to full dependence: at 100 %
the valid pages of a block fill one level after another. Blocks may lean the same way, their valid pages on
slow levels, or half of them the other way. Of each pool a quarter is collected, by weight or by another rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reclaim.paper.toolkit import Figure, Level, interval_of

from .experimental import STEPS
from .readings import LEVELS, READINGS, Floats, Reading

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
COLLECTED = {
    "a quarter": (20_000, 5_000, 1),
    "one block of 256": (256, 1, 300),
    "one block of 20,000": (20_000, 1, 40),
}
"""Blocks of a pool, how many are collected, and over how many pools a batch goes."""
SPARSE = 5
"""Per cent of the pages that are valid where the share collected is varied: there the saving is largest."""
PASSING = (25, 30, 50, 75, 100)
"""Per cent of the blocks that a threshold lets pass; a quarter of all blocks is collected."""
COSTS = READINGS["table-1-erase"]
EVERY = {"halves": 2, "tenth": 10}
"""Of how many blocks one leans the other way."""
OTHERWISE_AT = (10, 50)
"""Dial and share of valid pages at which choices are varied."""


class Otherwise(NamedTuple):
    """A choice of ours in the map, made otherwise."""

    lean: str = "halves"
    pages: int = PAGES
    costs: Reading = COSTS


OTHERWISE = {
    "nothing": Otherwise(),
    "a tenth of the blocks the other way": Otherwise(lean="tenth"),
    "each block either way, by any share of the dial": Otherwise(lean="any"),
    "blocks of 256 pages": Otherwise(pages=256),
    "blocks of 16,384 pages": Otherwise(pages=16384),
    "costs of the published program": Otherwise(costs=READINGS["program"]),
    "reads by level, writes all alike": Otherwise(costs=READINGS["constant-program"]),
}
"""`same` in place of `halves` is the other half of the map."""


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


def draw(
    random: np.random.Generator, blocks: int, valid: float, dial: float, lean: str, pages: int = PAGES
) -> Counts:
    """Draw a pool; of `halves`, every second block leans to the fast levels, of `tenth` every tenth.

    Of `any`, each leans to one side or the other by any share of the dial.
    """
    slow, fast = chances(valid, dial, slow=True), chances(valid, dial, slow=False)
    of_block = np.tile(slow, (blocks, 1))
    if lean == "any":
        side = random.uniform(-1, 1, (blocks, 1))
        of_block = valid + np.abs(side) * (np.where(side > 0, slow, fast) - valid)
    elif lean in EVERY:
        of_block[1 :: EVERY[lean]] = fast
    return random.binomial(pages // len(LEVELS), of_block)


def time_us(counts: Counts, victims: NDArray[np.int64], costs: Reading = COSTS) -> float:
    """Give what it takes to relocate what victims hold, and to erase them."""
    return float((counts[victims] @ costs.page_us).sum() + victims.size * costs.erase_us)


def lightest(counts: Counts, costs: Reading = COSTS, victims: int = 0) -> NDArray[np.int64]:
    """Take so many with the least weight; a quarter, if not said."""
    return np.argsort(counts @ costs.page_us, kind="stable")[: victims or len(counts) // 4]


def in_order(counts: Counts, passing: int) -> NDArray[np.int64]:
    """Take a quarter in order of those that have the fewest valid pages, of which so many per cent pass."""
    pass_it = np.argsort(counts.sum(axis=1), kind="stable")[: len(counts) * passing // 100]
    return np.sort(pass_it)[: len(counts) // 4]


def saved(counts: Counts, passing: int = 25, costs: Reading = COSTS) -> float:
    """Give the per cent that the lightest quarter saves beside a threshold in order.

    If just as many blocks pass as are collected, these are the blocks with the fewest valid pages.

    >>> saved(np.array([[2, 0, 0, 0], [0, 0, 0, 2], [3, 0, 0, 0], [3, 0, 0, 0]]))
    0.0
    """
    light, ordered = lightest(counts, costs), in_order(counts, passing)
    return 100 * (1 - time_us(counts, light, costs) / time_us(counts, ordered, costs))


def _over_batches(compute: Callable[[np.random.Generator], float]) -> Figure:
    return interval_of([compute(np.random.default_rng(batch)) for batch in range(BATCHES)])


@lru_cache(maxsize=4)
def of_level(level: Level) -> dict[str, Figure]:
    """Every figure of the map, and those of thresholds."""
    blocks = BLOCKS[level]
    parts = (_map(blocks), _thresholds(blocks), _otherwise(blocks))
    return {name: figure for part in parts for name, figure in part}


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


def _otherwise(blocks: int) -> Iterator[tuple[str, Figure]]:
    dial, valid = OTHERWISE_AT

    def of(random: np.random.Generator, choice: Otherwise, share: int) -> float:
        pool = draw(random, blocks, valid / 100, share / 100, choice.lean, choice.pages)
        return saved(pool, costs=choice.costs)

    for words, choice in OTHERWISE.items():
        for share in (0, dial):
            yield (
                f"pools, {words}, {share} % dependent",
                _over_batches(lambda random, c=choice, s=share: of(random, c, s)),  # type: ignore[misc]
            )


@lru_cache(maxsize=4)
def of_shares(level: Level) -> dict[str, Figure]:
    """Give what the weight saves beside the fewest valid pages, by how few of the blocks are collected."""
    part = 10 if level == "quick" else 1

    def of(blocks: int, victims: int, pools: int) -> Figure:
        return _over_batches(lambda random: _of_share(random, blocks, victims, -(-pools // part)))

    return {f"pools, {words} collected": of(*sizes) for words, sizes in COLLECTED.items()}


def _of_share(random: np.random.Generator, blocks: int, victims: int, pools: int) -> float:
    light = few = 0.0
    for _ in range(pools):
        counts = draw(random, blocks, SPARSE / 100, 0, "same")
        light += time_us(counts, lightest(counts, victims=victims))
        few += time_us(counts, np.argsort(counts.sum(axis=1), kind="stable")[:victims])
    return 100 * (1 - light / few)


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
