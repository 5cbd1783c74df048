"""Policies that tests/python/test_own_policies.py names, each the twin of a built-in."""

from __future__ import annotations

import numpy as np

import reclaim
from reclaim.policy import Drive, Jobs, Placement, Plane, Space


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
