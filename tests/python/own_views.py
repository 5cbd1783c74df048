"""Policies that keep what they were shown last."""

from __future__ import annotations

from typing import Any

import numpy as np

import reclaim
from reclaim.policy import Activity, Drive, Jobs, Pages, Placement, Plane, Space
from reclaim.policy import Victim as Collected


class Keeps:
    def __init__(self, _drive: Drive) -> None:
        self.shown: Any = None


def told(adapter: Any) -> Any:
    """What the policy behind an adapter was shown last."""
    return adapter._made.shown  # noqa: SLF001 - what it keeps is nobody else's business


@reclaim.victim_policy
class Victim(Keeps):
    # Is told all: valid, erases, age, since_sealed and of_level.
    def select(self, plane: Plane) -> np.int64:
        self.shown = plane
        return plane.blocks[0]


@reclaim.trigger_policy
class Trigger(Keeps):
    def wants(self, space: Space) -> bool:
        self.shown = space
        return True


@reclaim.concurrency_policy
class Concurrency(Keeps):
    def may_start(self, jobs: Jobs) -> bool:
        self.shown = jobs
        return True

    def limit(self, activity: Activity) -> int:
        self.shown = activity
        return 1

    def note(self, activity: Activity) -> None:
        self.shown = activity


@reclaim.allocation_policy
class Allocation(Keeps):
    def place(self, page: Placement) -> int:
        self.shown = page
        return 0


@reclaim.separation_policy
class Separation(Keeps):
    def classify(self, pages: Pages) -> int:
        self.shown = pages
        return 0

    def note(self, victim: Collected) -> None:
        self.shown = victim
