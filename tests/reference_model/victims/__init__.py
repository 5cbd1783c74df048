"""Which block is collected: `gc.victim` (docs/model.md, 5.8 to 5.13).

A policy is told what happens to blocks (5.8) and chooses among the candidates of a plane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reference_model.randomness import Stream
from reference_model.space import Block
from reference_model.superblocks import candidates
from reference_model.victims.age_threshold import AgeThreshold
from reference_model.victims.cost_benefit import CostBenefit
from reference_model.victims.d_choices import DChoices
from reference_model.victims.fifo import Fifo
from reference_model.victims.greedy import Greedy
from reference_model.victims.own import Own
from reference_model.victims.random_block import RandomBlock
from reference_model.victims.random_threshold import RandomThreshold
from reference_model.victims.score import Score
from reference_model.victims.windowed_greedy import WindowedGreedy
from reference_model.victims.word_line import WordLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from reference_model.drive import Drive


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
    policy, geometry = drive.config.victim, candidates(drive)
    stream = Stream(drive.config.seed, "victim")
    kinds: dict[str, Callable[[], Victims]] = {
        "greedy": lambda: Greedy(policy, geometry.planes),
        "fifo": lambda: Fifo(geometry.planes),
        "random": lambda: RandomBlock(geometry.planes, stream),
        "d-choices": lambda: DChoices(policy, geometry, stream),
        "random-threshold": lambda: RandomThreshold(policy, geometry, stream),
        "windowed-greedy": lambda: WindowedGreedy(policy, geometry),
        "age-threshold": lambda: AgeThreshold(drive, policy, geometry),
        "cost-benefit": lambda: CostBenefit(drive, geometry),
        "word-line": lambda: WordLine(drive, policy),
        "score": lambda: Score(drive, policy),
        "python": lambda: Own(drive, policy),
    }
    return kinds[policy.choice("kind", kinds)]()
