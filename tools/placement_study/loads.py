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


def _two_kinds(seed: int) -> Writes:
    """Eight of ten writes go to a fifth of the space, evenly."""
    dice, fifth = _dice(seed), PAGES // 5
    for _ in range(WRITES):
        hot = dice.random() < 0.8
        yield dice.randrange(fifth) if hot else fifth + dice.randrange(PAGES - fifth), 1


LOADS: dict[str, Callable[[int], Writes]] = {
    "uniform": lambda more: _zipf(10 + more, 0.0),
    "zipf-0.6": lambda more: _zipf(11 + more, 0.6),
    "zipf-0.9": lambda more: _zipf(12 + more, 0.9),
    "zipf-1.2": lambda more: _zipf(13 + more, 1.2),
    "moving": lambda more: _moving(14 + more),
    "mixed": lambda more: _mixed(15 + more),
    "80-20": lambda more: _two_kinds(16 + more),
}
"""Loads by name; what is given is added to the seed."""
WITNESSED = ("uniform", "zipf-0.9", "zipf-1.2", "moving", "mixed")
"""Those that the published program was run on, with nothing added."""


def load(
    name: str, folder: Path, *, repeat: int = 0, streams: int = 1, requests: int | None = None
) -> reclaim.Trace:
    """Write a load, or its first requests, to a file, and open it.

    Pages are of 4 KiB, requests 100 µs apart, each of a stream that is drawn by chance.
    """
    file, dice = folder / f"{name}.csv", _dice(1000 + repeat)
    with file.open("w") as lines:
        lines.write("time_us,op,offset_bytes,size_bytes,stream\n")
        for number, (page, count) in enumerate(itertools.islice(LOADS[name](100 * repeat), requests)):
            stream = dice.randrange(streams)
            lines.write(f"{100 * number},write,{4096 * page},{4096 * count},{stream}\n")
    return reclaim.open_trace(file)
