"""Which block is collected: `gc.victim` (docs/model.md, 5.8 to 5.11).

A policy is told what happens to blocks (5.8) and chooses among the candidates of a plane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reference_model.randomness import Stream
from reference_model.space import Block
from reference_model.victims.cost_benefit import CostBenefit
from reference_model.victims.d_choices import DChoices
from reference_model.victims.fifo import Fifo
from reference_model.victims.greedy import Greedy
from reference_model.victims.random_block import RandomBlock
from reference_model.victims.windowed_greedy import WindowedGreedy

if TYPE_CHECKING:
    from reference_model.drive import Drive

KINDS = ("greedy", "fifo", "random", "d-choices", "windowed-greedy", "cost-benefit")


class Victims(Protocol):
    """What the rest of the model tells and asks a policy."""

    def sealed(self, block: Block) -> None:
        """Hear of a new candidate."""

    def lost_page(self, block: Block) -> None:
        """Hear that a candidate has lost a valid page."""

    def taken(self, block: Block) -> None:
        """Hear that a candidate is none any more."""

    def choose(self, plane: int) -> int | None:
        """Return the candidate to collect, or none if the plane has no candidate."""


def make(drive: Drive) -> Victims:
    """Return the policy that the configuration names."""
    policy, geometry = drive.config.victim, drive.geometry
    kind = policy.choice("kind", KINDS)
    stream = Stream(drive.config.seed, "victim")
    if kind == "greedy":
        return Greedy(policy, geometry.planes)
    if kind == "fifo":
        return Fifo(geometry.planes)
    if kind == "random":
        return RandomBlock(geometry.planes, stream)
    if kind == "d-choices":
        return DChoices(policy, geometry, stream)
    if kind == "windowed-greedy":
        return WindowedGreedy(policy, geometry)
    return CostBenefit(drive)
