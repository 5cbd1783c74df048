"""Loads that are made from seeds: those on which the program that SepBIT was published with was run."""

from __future__ import annotations

import bisect
import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import reclaim

PAGES, WRITES = 65_536, 1_000_000
Writes = Iterator[tuple[int, int]]


def _dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - reproducible, not secret


def _weights(count: int, alpha: float) -> list[float]:
    return list(itertools.accumulate((rank + 1) ** -alpha for rank in range(count)))


def _zipf(seed: int, alpha: float) -> Writes:
    """Single pages by Zipf's law over a shuffled space; 0 is uniform."""
    dice, places, weights = _dice(seed), list(range(PAGES)), _weights(PAGES, alpha)
    dice.shuffle(places)
    for _ in range(WRITES):
        rank = bisect.bisect_left(weights, dice.random() * weights[-1])
        yield places[min(rank, PAGES - 1)], 1


def _moving(seed: int) -> Writes:
    """Nine of ten writes go to a tenth of the space, which moves on ten times."""
    dice, tenth = _dice(seed), PAGES // 10
    for number in range(WRITES):
        start = (number * 10 // WRITES) * tenth
        hot = dice.random() < 0.9
        yield (start + dice.randrange(tenth)) % PAGES if hot else dice.randrange(PAGES), 1


def _mixed(seed: int) -> Writes:
    """A log of 16 pages a request in one half, single pages by Zipf's law in the other."""
    dice, half, head = _dice(seed), PAGES // 2, 0
    weights = _weights(half, 1.0)
    for _ in range(WRITES // 2):
        if dice.random() < 0.1:
            yield head, 16
            head = (head + 16) % (half - half % 16)
        else:
            yield half + bisect.bisect_left(weights, dice.random() * weights[-1]) % half, 1


LOADS: dict[str, Callable[[], Writes]] = {
    "uniform": lambda: _zipf(10, 0.0),
    "zipf-0.9": lambda: _zipf(12, 0.9),
    "zipf-1.2": lambda: _zipf(13, 1.2),
    "moving": lambda: _moving(14),
    "mixed": lambda: _mixed(15),
}


def load(name: str, folder: Path) -> reclaim.Trace:
    """Write a load of 4 KiB pages to a file, 100 µs apart, and open it."""
    file = folder / f"{name}.csv"
    with file.open("w") as lines:
        lines.write("time_us,op,offset_bytes,size_bytes\n")
        for number, (page, count) in enumerate(LOADS[name]()):
            lines.write(f"{100 * number},write,{4096 * page},{4096 * count}\n")
    return reclaim.open_trace(file)
