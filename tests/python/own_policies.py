"""Policies that tests/python/test_own_policies.py names, each the twin of a built-in."""

from __future__ import annotations

import math
from ast import literal_eval
from typing import Any

import numpy as np
from numpy.typing import NDArray

import reclaim
from reclaim.policy import Drive, Jobs, Pages, Placement, Plane, Space, Victim


@reclaim.victim_policy
def fewest_valid(plane: Plane) -> np.int64:
    """As `greedy` with `ties = "lowest-number"`."""
    return plane.blocks[plane.valid.argmin()]


@reclaim.victim_policy
def lightest(plane: Plane) -> np.int64:
    """As `word-line` with weights of 1 for each level: ties by valid pages, then by number."""
    return plane.blocks[plane.of_level.sum(axis=0).argmin()]


@reclaim.victim_policy
def sealed_first(plane: Plane) -> np.int64:
    """As `score` with `-since_sealed`."""
    return plane.blocks[plane.since_sealed.argmax()]


@reclaim.trigger_policy
def when_few_are_free(space: Space) -> bool:
    """As `free-blocks` with `start = "4 blocks"`, which stops where it starts."""
    return space.free_blocks <= 4


@reclaim.concurrency_policy
def any_number(jobs: Jobs) -> bool:
    """As `all`."""
    return bool(len(jobs.per_channel) == jobs.drive.channels)


@reclaim.concurrency_policy
class OneChannel:
    """As `channels` with `share = "1%"`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive

    def may_start(self, jobs: Jobs) -> np.bool_:
        others = np.delete(jobs.per_channel, jobs.channel)
        return others.sum() == 0


@reclaim.allocation_policy
def by_number(page: Placement) -> int:
    """As `striping` by logical page, on a drive of one plane per channel."""
    return page.logical_page % page.drive.planes


@reclaim.victim_policy
class InTurn:
    """A hand that goes round the blocks of each plane."""

    def __init__(self, drive: Drive) -> None:
        self.hand = np.zeros(drive.planes, dtype=np.int64)

    def select(self, plane: Plane) -> int:
        later = plane.blocks[plane.blocks >= self.hand[plane.number]]
        block = int(later[0] if len(later) else plane.blocks[0])
        self.hand[plane.number] = block + 1
        return block

    def save(self) -> bytes:
        return self.hand.tobytes()

    def load(self, state: bytes) -> None:
        self.hand = np.frombuffer(state, dtype=np.int64).copy()


@reclaim.concurrency_policy
def never(jobs: Jobs) -> bool:  # noqa: ARG001 - whatever it is shown
    return False


@reclaim.separation_policy
def by_stream(pages: Pages) -> Any:
    """As `by-stream` with `relocated = "by-class"`."""
    return np.where(pages.age < 0, 0, pages.last_class) if pages.collected else pages.stream


@reclaim.separation_policy
def two_streams(pages: Pages) -> bool:
    """The first stream apart from all others."""
    return pages.stream != 0


@reclaim.separation_policy
class Dac:
    """As `dac`."""

    def __init__(self, drive: Drive) -> None:
        self.above = np.zeros(drive.logical_pages, dtype=np.int8)

    def classify(self, pages: Pages) -> NDArray[np.int8]:
        above = self.above[pages.logical_pages]
        moved = np.maximum(above - 1, 1) if pages.collected else np.minimum(above + 1, pages.classes)
        self.above[pages.logical_pages] = moved
        return moved - 1

    def save(self) -> bytes:
        return self.above.tobytes()

    def load(self, state: bytes) -> None:
        self.above = np.frombuffer(state, dtype=np.int8).copy()


@reclaim.separation_policy
class SepBit:
    """As `sepbit`: `mean` is l, `remembered` the length of the queue."""

    def __init__(self, drive: Drive, lifespans: int = 16) -> None:  # noqa: ARG002
        self.lifespans = lifespans
        self.mean = math.inf
        self.remembered = 0
        self.seen: list[int] = []

    def classify(self, pages: Pages) -> Any:
        if pages.collected:
            if pages.block_class == 0:
                return 0
            age = np.where(pages.age < 0, 2**32 - 1, pages.age)
            return 1 + (age >= 4 * self.mean) + (age >= 16 * self.mean)
        assert pages.valid_pages is not None
        age = pages.age[0]
        short = 0 < age < self.remembered and age < self.mean
        self.remembered += 1
        if self.remembered > min(pages.valid_pages, self.mean):
            self.remembered -= 1
            self.remembered -= self.remembered > self.mean
        return 0 if short else 1

    def note(self, victim: Victim) -> None:
        if victim.block_class == 0:
            self.seen.append(victim.lifespan)
        if len(self.seen) == self.lifespans:
            self.mean = sum(self.seen) / self.lifespans
            self.seen = []

    def save(self) -> bytes:
        return repr((self.mean, self.remembered, self.seen)).replace("inf", "1e999").encode()

    def load(self, state: bytes) -> None:
        self.mean, self.remembered, self.seen = literal_eval(state.decode())
