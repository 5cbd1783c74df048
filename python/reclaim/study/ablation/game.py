"""Shares of parts in what all of them do together: Shapley's value, also where not every subset has a value.

A subset of n parts is a number whose bit i says whether part i is in it. The share of a part is what it adds,
averaged over the orders in which parts can be added one by one (Shapley, A value for n-person games, 1953).
Where some subsets have no value, the average is over the orders that meet none of these, all equally likely:
Shapley's value of a game with restricted coalitions. In each order the additions telescope, so shares sum to
the total.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import factorial, fsum, sqrt
from random import Random
from statistics import stdev

Order = tuple[int, ...]
"""Parts in the order in which they are added."""


@dataclass(frozen=True)
class Steps:
    """How often a part is added to a subset, as a share of all orders."""

    weights: Mapping[tuple[int, int], float]
    """By the subset and the part that is added to it."""
    used: int
    """Orders in which every subset on the way has a value."""
    of: int
    """Orders in all: n!, or those that were drawn."""


def all_orders(count: int, known: Collection[int]) -> Steps | None:
    """Average over all orders of `count` parts that meet only subsets with a value; None if there are none.

    >>> all_orders(2, {0, 1, 2, 3}).used, all_orders(2, {0, 1, 3}).weights, all_orders(2, {0, 3})
    (2, {(0, 0): 1.0, (1, 1): 1.0}, None)
    """
    whole = (1 << count) - 1
    ways_to, ways_from = [0] * (whole + 1), [0] * (whole + 1)
    ways_to[0], ways_from[whole] = int(0 in known), int(whole in known)
    for subset in sorted(known):
        ways_to[subset] += sum(ways_to[subset ^ bit] for bit in _bits(subset))
    for subset in sorted(known, reverse=True):
        ways_from[subset] += sum(ways_from[subset | bit] for bit in _bits(whole ^ subset))
    used = ways_to[whole] if count else 0
    if not used:
        return None
    weights = {}
    for subset in sorted(known):
        for part in range(count):
            ways = 0 if subset >> part & 1 else ways_to[subset] * ways_from[subset | 1 << part]
            if ways:
                weights[subset, part] = ways / used
    return Steps(weights, used, factorial(count))


def drawn_orders(orders: Sequence[Order], known: Collection[int]) -> Steps | None:
    """Average over those of some orders that meet only subsets with a value; None if there are none."""
    usable = [each for each in orders if all(subset in known for subset in prefixes(each))]
    if not usable:
        return None
    counts: dict[tuple[int, int], int] = {}
    for order in usable:
        for subset, part in zip(prefixes(order), order, strict=False):
            counts[subset, part] = counts.get((subset, part), 0) + 1
    return Steps({step: number / len(usable) for step, number in counts.items()}, len(usable), len(orders))


def draw(count: int, orders: int, seed: int) -> list[Order]:
    """Draw orders of `count` parts; each is taken backwards, too, so that B to A meets the subsets of A to B.

    The stream is called `reclaim.ablation.orders`; the same on every machine.

    >>> draw(3, 2, 1)[1] == draw(3, 2, 1)[0][::-1]
    True
    """
    stream = Random(f"reclaim.ablation.orders:{seed}")  # noqa: S311 - not in secret
    found: list[Order] = []
    while len(found) < orders:
        places = [stream.random() for _ in range(count)]
        order = tuple(sorted(range(count), key=places.__getitem__))
        found += [order, order[::-1]]
    return found[:orders]


def drawn_errors(orders: Sequence[Order], values: Mapping[int, float]) -> list[float] | None:
    """Give the standard error of each share from having drawn orders; None of fewer than two draws.

    An order and the same backwards are one draw; those that meet a subset without a value are left out.
    """
    draws: list[list[list[float]]] = []
    for at in range(0, len(orders), 2):
        usable = [each for each in orders[at : at + 2] if all(one in values for one in prefixes(each))]
        if usable:
            added = [_added(each, values) for each in usable]
            draws.append(added)
    if len(draws) < 2:
        return None
    means = [[fsum(each) / len(each) for each in zip(*draw, strict=True)] for draw in draws]
    return [stdev(each) / sqrt(len(each)) for each in zip(*means, strict=True)]


def _added(order: Order, values: Mapping[int, float]) -> list[float]:
    """What each part adds in one order."""
    found = [0.0] * len(order)
    for subset, part in zip(prefixes(order), order, strict=False):
        found[part] = values[subset | 1 << part] - values[subset]
    return found


def prefixes(order: Order) -> list[int]:
    """Give the subsets that an order meets, from none of the parts to all.

    >>> prefixes((1, 0))
    [0, 2, 3]
    """
    found = [0]
    for part in order:
        found.append(found[-1] | 1 << part)
    return found


def shares(count: int, values: Mapping[int, float], steps: Steps) -> list[float]:
    """Give the share of each part.

    Args:
        count: of the parts.
        values: by subset.
        steps: over which orders to average.
    """
    added: list[list[float]] = [[] for _ in range(count)]
    for (subset, part), weight in steps.weights.items():
        added[part].append(weight * (values[subset | 1 << part] - values[subset]))
    return [fsum(each) for each in added]


def finest(count: int, known: Iterable[int]) -> list[int] | None:
    """Give the blocks in which parts must be added for a way from none to all to meet only known subsets.

    They are those of the ways with the most steps; None if these do not agree, or there is no way. Each block
    is a subset; they are in the order of the parts.

    >>> finest(3, [0, 1, 7]), finest(3, [0, 1, 2, 7]), finest(2, [0, 1, 3])
    ([1, 6], None, [1, 2])
    """
    ways: dict[int, set[frozenset[int]]] = {0: {frozenset()}}
    for subset in sorted(set(known) - {0}):
        below = [
            way | {subset ^ smaller}
            for smaller in ways
            if smaller & subset == smaller
            for way in ways[smaller]
        ]
        steps = max(map(len, below), default=0)
        ways[subset] = {frozenset(way) for way in below if len(way) == steps}
    found = ways.get((1 << count) - 1, set())
    return sorted(next(iter(found)), key=_first_part) if len(found) == 1 else None


def joined(count: int, partitions: Iterable[Sequence[int]]) -> list[int]:
    """Give the finest blocks of which every block of every partition is a part.

    >>> joined(4, [[1, 2, 12], [3, 4, 8]])
    [3, 12]
    """
    blocks = [1 << part for part in range(count)]
    for other in (block for partition in partitions for block in partition):
        touched = [block for block in blocks if block & other]
        merged = sum(touched)
        blocks = [merged if block == touched[0] else block for block in blocks if block not in touched[1:]]
    return sorted(blocks, key=_first_part)


def of_blocks(blocks: Sequence[int], values: Mapping[int, float]) -> dict[int, float]:
    """Give the game whose parts are blocks of parts: only subsets that take blocks as a whole remain."""
    names = {}
    for subset in values:
        if all(subset & block in (0, block) for block in blocks):
            names[sum(1 << at for at, block in enumerate(blocks) if subset & block)] = values[subset]
    return names


@dataclass(frozen=True)
class Interaction:
    """What two parts do together beyond what each does without the other."""

    first: int
    second: int
    value: float
    used: int
    """Subsets of the other parts beside which both, each and none of the two have a value."""
    of: int


def interactions(count: int, values: Mapping[int, float]) -> list[Interaction]:
    """Give the interaction of each pair: Shapley's index (Grabisch and Roubens 1999) over known subsets.

    Pairs beside which no subset has all four values have none.
    """
    found = []
    for second in range(count):
        for first in range(second):
            one, other = 1 << first, 1 << second
            terms = [
                (_weight(count, subset), _beyond(values, subset, one, other))
                for subset in sorted(values)
                if not subset & (one | other)
                and all(subset | more in values for more in (one, other, one | other))
            ]
            if terms:
                whole = fsum(weight for weight, _ in terms)
                value = fsum(weight * term for weight, term in terms) / whole
                found.append(Interaction(first, second, value, len(terms), 1 << count - 2))
    return found


def _weight(count: int, subset: int) -> float:
    inside = subset.bit_count()
    return factorial(inside) * factorial(count - inside - 2) / factorial(count - 1)


def _beyond(values: Mapping[int, float], subset: int, one: int, other: int) -> float:
    together = values[subset | one | other] - values[subset]
    return together - (values[subset | one] - values[subset]) - (values[subset | other] - values[subset])


def _first_part(block: int) -> int:
    return block & -block


def _bits(subset: int) -> list[int]:
    return [1 << part for part in range(subset.bit_length()) if subset >> part & 1]
