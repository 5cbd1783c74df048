"""Sizes of requests: a trace's own, in few steps, or chosen to meet a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

Sizes = list[tuple[int, float]]
"""Size in bytes and weight."""

STEPS = 48
PAGE = 4096
SECTOR = 512


def mean(sizes: Sequence[tuple[int, float]]) -> float:
    """Mean size in bytes.

    >>> mean([(4096, 3.0), (8192, 1.0)])
    5120.0
    """
    return sum(size * weight for size, weight in sizes) / sum(weight for _, weight in sizes)


def compressed(counts: Sequence[tuple[int, int]], steps: int = STEPS) -> Sizes:
    """At most `steps` sizes: the most frequent as they are, the others in groups at the mean of each."""
    if len(counts) <= steps:
        return [(size, float(count)) for size, count in counts]
    frequent = {size for size, _ in sorted(counts, key=lambda each: (-each[1], each[0]))[: steps // 2]}
    kept = [(size, float(count)) for size, count in counts if size in frequent]
    rest = [(size, count) for size, count in counts if size not in frequent]
    # Groups of equal bytes and requests: the few large ones carry the mean, the many small ones the
    # percentiles.
    total_bytes = sum(size * count for size, count in rest)
    total = sum(count for _, count in rest)
    group: list[tuple[int, int]] = []
    done = 0.0
    for size, count in rest:
        group.append((size, count))
        done += (size * count / total_bytes + count / total) / 2
        if done * (steps - len(frequent)) >= len(kept) - len(frequent) + 1 - 1e-9:
            kept.append(_joined(group))
            group = []
    if group:
        kept.append(_joined(group))
    return sorted(kept)


def _joined(group: Sequence[tuple[int, int]]) -> tuple[int, float]:
    count = sum(each for _, each in group)
    exact = sum(size * each for size, each in group) / count
    step = PAGE if exact >= 4 * PAGE else SECTOR
    return max(SECTOR, round(exact / step) * step), float(count)


def chosen(target: float) -> Sizes:
    """Multiples of 4 KiB, falling by powers of two, with this mean, which is at least 4 KiB.

    >>> round(mean(chosen(11_469)))
    11469
    """
    if target <= PAGE:
        return [(PAGE, 1.0)]
    sizes = [PAGE]
    while sizes[-1] < 4 * target:
        sizes.append(sizes[-1] * 2)
    # Weights proportional to size^-a: the exponent that meets the mean.
    low, high = -4.0, 60.0
    for _ in range(200):
        middle = (low + high) / 2
        if mean([(size, (size / PAGE) ** -middle) for size in sizes]) > target:
            low = middle
        else:
            high = middle
    weights = [(size, (size / PAGE) ** -high) for size in sizes]
    whole = sum(weight for _, weight in weights)
    return [(size, round(weight / whole, 9)) for size, weight in weights if weight / whole > 1e-9]


def divided(sizes: Sizes, share: float, streaming_mean: float) -> tuple[Sizes, Sizes]:
    """Divide sizes among (random, streaming) requests, so that `share` of them stream with this mean size.

    Whether a request streams depends on its size by a logistic law; its two parameters meet share and mean.
    """
    total = sum(weight for _, weight in sizes)
    if share <= 0 or share >= 1:
        return sizes, sizes

    def probabilities(slope: float) -> list[float]:
        logs = [slope * math.log(size / PAGE) for size, _ in sizes]
        low, high = -60.0 - max(logs), 60.0 - min(logs)
        for _ in range(100):
            middle = (low + high) / 2
            found = (
                sum(w * _logistic(middle + each) for (_, w), each in zip(sizes, logs, strict=True)) / total
            )
            if found < share:
                low = middle
            else:
                high = middle
        return [_logistic(low + each) for each in logs]

    def streaming(slope: float) -> Sizes:
        return [(size, weight * p) for (size, weight), p in zip(sizes, probabilities(slope), strict=True)]

    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        if mean(streaming(middle)) < streaming_mean:
            low = middle
        else:
            high = middle
    parts = streaming((low + high) / 2)
    rest = [(size, weight - part) for (size, weight), (_, part) in zip(sizes, parts, strict=True)]
    return _cleaned(rest, total), _cleaned(parts, total)


def _cleaned(sizes: Sizes, total: float) -> Sizes:
    kept = [(size, weight) for size, weight in sizes if weight > 1e-7 * total]
    return kept or sizes


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
