"""Loads that are made from seeds: those on which published programs were run."""

from __future__ import annotations

import bisect
import itertools
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import reclaim

PAGES, WRITES = 65_536, 1_000_000
"""Of the loads that the program of SepBIT was run on."""
Writes = Iterator[tuple[int, int]]


def _dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - reproducible, not secret


def _weights(count: int, alpha: float) -> list[float]:
    return list(itertools.accumulate((rank + 1) ** -alpha for rank in range(count)))


def _zipf(alpha: float, seed: int, pages: int, writes: int) -> Writes:
    """Single pages by Zipf's law over a shuffled space; 0 is uniform."""
    dice, places, weights = _dice(seed), list(range(pages)), _weights(pages, alpha)
    dice.shuffle(places)
    for _ in range(writes):
        rank = bisect.bisect_left(weights, dice.random() * weights[-1])
        yield places[min(rank, pages - 1)], 1


def _moving(seed: int, pages: int, writes: int) -> Writes:
    """Nine of ten writes go to a tenth of the space, which moves on ten times."""
    dice, tenth = _dice(seed), pages // 10
    for number in range(writes):
        start = (number * 10 // writes) * tenth
        hot = dice.random() < 0.9
        yield (start + dice.randrange(tenth)) % pages if hot else dice.randrange(pages), 1


def _mixed(seed: int, pages: int, writes: int) -> Writes:
    """A log of 16 pages a request in one half, single pages by Zipf's law in the other."""
    dice, half, head = _dice(seed), pages // 2, 0
    weights = _weights(half, 1.0)
    for _ in range(writes // 2):
        if dice.random() < 0.1:
            yield head, 16
            head = (head + 16) % (half - half % 16)
        else:
            yield half + bisect.bisect_left(weights, dice.random() * weights[-1]) % half, 1


LOADS: dict[str, tuple[Callable[[int, int, int], Writes], int]] = {
    "uniform": (partial(_zipf, 0.0), 10),
    "zipf-0.9": (partial(_zipf, 0.9), 12),
    "zipf-1.2": (partial(_zipf, 1.2), 13),
    "moving": (_moving, 14),
    "mixed": (_mixed, 15),
}
"""How each is made, and the seed that published programs were given."""


def load(
    name: str, folder: Path, pages: int = PAGES, writes: int = WRITES, addressed: int = 0, further: int = 0
) -> reclaim.Trace:
    """Write a load of 4 KiB pages to a file, 100 µs apart, and open it.

    Args:
        name: of the load.
        folder: where the file goes.
        pages: of its space.
        writes: pages that it writes, about.
        addressed: pages that a read addresses, where the space is to be larger.
        further: what is added to its seed.
    """
    file, (made, seed) = folder / f"{name}.csv", LOADS[name]
    with file.open("w") as lines:
        lines.write("time_us,op,offset_bytes,size_bytes\n")
        if addressed:
            lines.write(f"0,read,{4096 * (addressed - 1)},4096\n")
        for number, (page, count) in enumerate(made(seed + further, pages, writes)):
            lines.write(f"{100 * number},write,{4096 * page},{4096 * count}\n")
    return reclaim.open_trace(file)


MIDAS_WRITES, MIDAS_SPARE = 4_000_000, 0.0737
"""Of the loads that the program of MiDAS was run on, and the share of spare pages of its smallest drive."""
MIDAS_PAGES = 244_140
"""Of that drive. Its last page is left alone: that program counts its updates beyond its table."""


def midas_load(name: str, folder: Path, writes: int = MIDAS_WRITES) -> reclaim.Trace:
    """Like `load`, for that drive."""
    return load(name, folder, 240_000, writes, MIDAS_PAGES)
