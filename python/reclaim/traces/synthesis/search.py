"""The stand-in of a trace that is to preserve what collection costs: which history, and how it is played.

What a history leaves to chance moves the cost of collection, and a few knobs say how much is left to it. They
are first turned by rule, in a few numbers of slots; then the best is changed a little at random, again and
again.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from reclaim.traces.synthesis.calibrate import FULL_DEVIATION, Measure, deviation, missed, turn
from reclaim.traces.synthesis.history import LONGEST, told_by, turned
from reclaim.traces.synthesis.knobs import Knobs, clamped
from reclaim.traces.synthesis.model import Model
from reclaim.traces.synthesis.targets import Targets
from reclaim.traces.trace import Trace

SLOTS = (4, 16, 64, 256)
"""Slots of time that are begun with."""
MOST_SLOTS = 256
ROUNDS = 5
"""Of turning knobs by rule, in each of them."""
CHANGES = 40
"""How often the best is changed at random."""
REACH = {"slots": 1.0, "run": 1.0, "in_turn": 0.4, "in_order": 0.3, "adjacent": 0.3, "favour": 0.4}
"""What is changed, and how far at most, up or down; slots and runs by a factor, of which this is the log."""
FINEST = 0.2
"""Width of the last change, where that of the first is 1."""
AGAIN = 4
"""Of what came nearest by rule, how many are played on all drives."""
NEAR = 1.1
"""A score up to so many times the best is worth playing on all drives."""
COST_WEIGHT = 100.0
"""Weight of what collection costs among the figures."""


@dataclass(frozen=True)
class Costs:
    """What collection costs under a stand-in beside what it costs under its source."""

    times: float
    """Write amplification under `greedy` as a multiple of that of the source, mean of several drives."""
    off: float
    """How far write amplification is off under all policies compared, as a share: root of the mean square."""
    worst: float
    """The same of the policy and spare factor furthest off."""


class Cost(Protocol):
    """Plays a stand-in; `reclaim.papers.collecting.cost_of` gives one."""

    def __call__(self, stand_in: Trace, *, roughly: bool = False) -> Costs:
        """What collection costs under it: `roughly` on drives of one size only."""


@dataclass(frozen=True)
class Tried:
    """A history that was played."""

    score: float
    trace: Trace
    found: dict[str, Any]
    """Its characteristics."""
    knobs: Knobs
    slots: int
    costs: Costs


class Search:
    """Plays histories of one trace."""

    def __init__(
        self, targets: Targets, trace: Trace, measured: Callable[[Model], Measure], cost: Cost
    ) -> None:
        """Take the trace, what generates and measures a stand-in of it, and what plays that."""
        self._targets = targets
        self._trace = trace
        self._measured = measured
        self._cost = cost
        self._models: dict[int, Model] = {}

    def best(self) -> Tried | None:
        """The one that comes nearest; None if nothing is written.

        Raises:
            InputError: if the trace cannot be read.
        """
        first = told_by(self._targets, self._trace, SLOTS[0])
        if first is None:
            return None
        self._models[SLOTS[0]] = first
        by_rule = [each for slots in SLOTS for each in self._turned(slots)]
        by_rule.sort(key=lambda each: each.score)
        best = min((self._exactly(each) for each in by_rule[:AGAIN]), key=lambda each: each.score)
        chance = random.Random(1)  # noqa: S311 - the same search every time
        for change in range(CHANGES):
            width = FINEST ** (change / (CHANGES - 1))
            slots, knobs = changed(best, chance, width, change + 1)
            tried = self._tried(slots, knobs)
            if tried.score < NEAR * best.score:
                best = min(best, self._exactly(tried), key=lambda each: each.score)
        return best

    def _model(self, slots: int) -> Model:
        """Of a trace that writes."""
        if slots not in self._models:
            model = told_by(self._targets, self._trace, slots)
            assert model is not None  # noqa: S101 - something is written
            self._models[slots] = model
        return self._models[slots]

    def _turned(self, slots: int) -> list[Tried]:
        """A few rounds of turning the knobs by rule."""
        rounds: list[Tried] = []
        knobs = Knobs()
        model = self._model(slots)
        for _ in range(ROUNDS):
            tried = self._tried(slots, knobs)
            rounds.append(tried)
            knobs = turned(turn(model, knobs, tried.found), model, tried.found, tried.costs.times)
        return rounds

    def _tried(self, slots: int, knobs: Knobs) -> Tried:
        model = self._model(slots)
        trace, found = self._measured(model)(knobs)
        costs = self._cost(trace, roughly=True)
        return Tried(score_of(model, found, costs), trace, found, knobs, slots, costs)

    def _exactly(self, tried: Tried) -> Tried:
        """The same, played on drives of all sizes."""
        costs = self._cost(tried.trace)
        return replace(tried, score=score_of(self._model(tried.slots), tried.found, costs), costs=costs)


def score_of(model: Model, found: dict[str, Any], costs: Costs) -> float:
    """How bad a stand-in is."""
    # How full the drive is decides what collection costs, on drives other than those looked at, too.
    path = "space.footprint_bytes"
    off = deviation(model, found, path) if path in model.targets.figures else 0.0
    full = min(off, FULL_DEVIATION)
    return missed(model, found)[0] + COST_WEIGHT * ((costs.off + costs.worst) / 2 + full)


def changed(tried: Tried, chance: random.Random, width: float, draw: int) -> tuple[int, Knobs]:
    """Slots and knobs of a stand-in, two of them a little off, and another draw of what is left to chance."""
    knobs, slots = replace(tried.knobs, draw=draw), tried.slots
    for name in chance.sample(sorted(REACH), 2):
        off = width * chance.uniform(-REACH[name], REACH[name])
        if name == "slots":
            slots = round(clamped(slots * math.exp(off), 1, MOST_SLOTS))
        elif name == "run":
            knobs.run = clamped(knobs.run * math.exp(off), 1.0, LONGEST)
        else:
            least = -1.0 if name == "favour" else 0.0
            setattr(knobs, name, clamped(getattr(knobs, name) + off, least, 1.0))
    return slots, knobs
