"""The study of one comparison: base, screen, full repeats, fresh repeats, pairs, random combinations."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import TypeVar

from reclaim.statistics.samples import ALPHA, Sample, holm
from reclaim.study.sensitivity.judging import (
    BASE,
    Key,
    Move,
    Moved,
    PairedRatios,
    Pairing,
    RunFigure,
    Side,
    SideRun,
    Variation,
    judge,
    measured,
    settle,
    side_of,
    side_runs,
)
from reclaim.study.sensitivity.keys import KeyList

SCREEN_REPEATS = 2
SCREEN_TRACES = 3
SCREEN_SHARE = 0.6
"""Of the budget past the base that the screen may take."""
NEAR_DEVIATIONS = 3.0
"""A variation is run in full if it is nearer to no difference than so many deviations of a repeat …"""
NEAR_SHARE = 0.25
"""… or than this share of the base's log ratio."""
STRONGEST = 5
"""Keys of which all pairs are run."""
MOVED_KEYS = 4
"""Keys that a random combination moves, on the average."""
MOVES: tuple[Move, ...] = ("both", "baseline", "candidate")
DRAWN_MOVES: tuple[Move, ...] = ("both", "both", "baseline", "candidate")
"""For whom a random combination is moved, each as likely as the others."""
DRAWS = 40
"""How often a combination is drawn anew because the configuration refuses it."""

Run = Callable[[Sequence[SideRun]], Mapping[SideRun, RunFigure]]
"""Runs side_runs and gives their figures."""
CostOf = Callable[[Sequence[SideRun]], int]
Extent = tuple[tuple[str, ...], range]
"""Workloads and repeats."""


@dataclass
class Together:
    """Several keys moved at once, for both schemes or for one of them alone."""

    parts: tuple[tuple[str, str], ...]
    """Keys and values, as declared."""
    pairing: Pairing
    move: Move = "both"
    """For which of the schemes."""
    found: PairedRatios | None = None
    confirmed: PairedRatios | None = None
    p: float = 1.0
    corrected: float = 1.0
    turns: bool = False


Paired = TypeVar("Paired", Variation, Together)


@dataclass
class Findings:
    """What came of it."""

    listed: KeyList
    base: PairedRatios
    side: int = 0
    expected: frozenset[str] = frozenset()
    """Codes that speak against the base itself."""
    pairs: list[Together] = field(default_factory=list)
    combinations: list[Together] = field(default_factory=list)
    refused_draws: int = 0
    """Combinations that the configuration refused; others were drawn for them."""
    over_budget: list[str] = field(default_factory=list)
    """Phases that the budget cut short."""

    @property
    def keys(self) -> list[Key]:
        """Every key that was to be moved."""
        return self.listed.keys


@dataclass(frozen=True)
class SensitivityPlan:
    """How far a study goes."""

    traces: tuple[str, ...]
    repeats: int
    seed: int
    combinations: int
    budget: int | None
    """Runs at most."""

    @property
    def screen(self) -> Extent:
        """Workloads and repeats of the screen."""
        return self.traces[:SCREEN_TRACES], range(SCREEN_REPEATS)

    @property
    def full(self) -> Extent:
        """Workloads and repeats of a figure with an interval."""
        return self.traces, range(self.repeats)

    @property
    def fresh(self) -> Extent:
        """Repeats that nothing was chosen by."""
        return self.traces, range(self.repeats, 2 * self.repeats)


class PhaseRunner:
    """Runs the phases of a study, each chosen by the figures of those before."""

    def __init__(
        self, plan: SensitivityPlan, run: Run, cost: CostOf, base: PairedRatios, listed: KeyList, spent: int
    ) -> None:
        self._plan = plan
        self._run = run
        self._cost = cost
        self._spent = spent
        self.study = Findings(listed, base, side_of(base), base.codes)

    def go(self) -> Findings:
        """Run all phases."""
        self._screen()
        self._fully([each for key in self.study.keys for each in key.variations if self._is_near(each)])
        seeming = judge(self.study.keys, self.study.base, self.study.side, self.study.expected)
        self._confirm(seeming)
        settle(self.study.keys, self.study.base, self.study.side, self.study.expected)
        self._pairs()
        self._combine()
        return self.study

    def _left(self, share: float = 1.0, since: int = 0) -> float:
        if self._plan.budget is None:
            return float("inf")
        return since + (self._plan.budget - since) * share - self._spent

    def _affordable(self, wanted: Sequence[list[SideRun]], left: float, phase: str) -> int:
        """How many of these groups of runs the budget has room for, from the first on."""
        if left == float("inf"):
            return len(wanted)
        taken: set[SideRun] = set()
        for number, group in enumerate(wanted):
            new = [cell for cell in group if cell not in taken]
            left -= self._cost(new)
            if left < 0:
                self.study.over_budget.append(phase)
                return number
            taken.update(new)
        return len(wanted)

    def _reached(
        self, wanted: Sequence[Paired], extent: Extent, phase: str
    ) -> list[tuple[Paired, PairedRatios]]:
        """Run these, from the first on, as far as the budget goes; give each with what came of it."""
        groups = [side_runs(each.pairing, *extent) for each in wanted]
        chosen = wanted[: self._affordable(groups, self._left(), phase)]
        found = self._measure([each.pairing for each in chosen], *extent)
        return list(zip(chosen, found, strict=True))

    def _measure(
        self, pairings: Sequence[Pairing], traces: tuple[str, ...], repeats: range
    ) -> list[PairedRatios]:
        wanted = list(dict.fromkeys(cell for each in pairings for cell in side_runs(each, traces, repeats)))
        self._spent += self._cost(wanted)
        figures = self._run(wanted)
        return [measured(each, traces, repeats, figures) for each in pairings]

    def _screen(self) -> None:
        """Run every variation twice on some workloads."""
        traces, repeats = self._plan.screen
        keys = self.study.keys
        groups = [
            [cell for each in key.variations for cell in side_runs(each.pairing, traces, repeats)]
            for key in keys
        ]
        count = self._affordable(groups, self._left(SCREEN_SHARE, self._spent), "the screen")
        for key in keys[count:]:
            for each in key.variations:
                each.over_budget = True
        chosen = [each for key in keys[:count] for each in key.variations]
        found = self._measure([each.pairing for each in chosen], traces, repeats)
        for each, result in zip(chosen, found, strict=True):
            each.screened = result

    def _is_near(self, each: Variation) -> bool:
        """Whether two repeats do not settle on which side of no difference a variation is."""
        sample = each.screened.sample if each.screened is not None else None
        base = self.study.base.sample
        if sample is None or base is None:
            return False
        deviation = max(base.deviation, sample.deviation)
        if self.study.side == 0:
            return abs(sample.mean) > deviation
        far = max(NEAR_DEVIATIONS * deviation, NEAR_SHARE * abs(base.mean))
        return sample.mean * self.study.side < far

    def _fully(self, near: Sequence[Variation]) -> None:
        """Run what is near in all repeats, the nearest first."""
        ordered = sorted(near, key=self._distance)
        reached = self._reached(ordered, self._plan.full, "full repeats")
        for each, result in reached:
            each.full = result
        for each in ordered[len(reached) :]:
            each.over_budget = True
            each.screened = None

    def _distance(self, each: Variation) -> float:
        sample = each.screened.sample if each.screened is not None else None
        if sample is None:
            return 0.0
        return sample.mean * self.study.side if self.study.side else -abs(sample.mean)

    def _confirm(self, seeming: Sequence[Key]) -> None:
        """Run what seems to turn the conclusion on fresh repeats: of each key, the variation of least p."""
        chosen = [min(key.variations, key=lambda each: each.p) for key in seeming]
        for each, result in self._reached(chosen, self._plan.fresh, "fresh repeats"):
            each.confirmed = result

    def _pairs(self) -> None:
        """Run every pair of the keys that move the ratio most, in all repeats."""
        strongest = self._strongest()[:STRONGEST]
        found = [_together(pair) for pair in combinations(strongest, 2)]
        self.study.pairs = self._judged(found, "pairs", self._plan.full)

    def _strongest(self) -> list[Variation]:
        """Of each key the move for both schemes that pulls the ratio farthest from the base, or beyond it."""
        base = self.study.base.sample
        best: list[tuple[float, Variation]] = []
        for key in self.study.keys:
            pulls = [
                (self._pull(each, base), each)
                for each in key.variations
                if each.move == "both" and each.last is not None and each.last.sample is not None
            ]
            if pulls:
                best.append(max(pulls, key=lambda pull: pull[0]))
        ordered = sorted(best, key=lambda pull: -pull[0])
        return [each for pull, each in ordered if pull > 0]

    def _pull(self, each: Variation, base: Sample | None) -> float:
        """How far a variation moves the log ratio against the base's conclusion."""
        sample = each.last.sample if each.last is not None else None
        if sample is None or base is None:
            return 0.0
        shift = base.mean - sample.mean
        return shift * self.study.side if self.study.side else abs(shift)

    def _judged(self, wanted: list[Together], phase: str, extent: Extent) -> list[Together]:
        """Run what is moved together, correct for how many there are, and confirm what turns."""
        reached = self._reached(wanted, extent, phase)
        for each, result in reached:
            each.found = result
        chosen = [each for each, _ in reached]
        if len(extent[1]) < self._plan.repeats:
            self._complete(chosen, phase)
        for each in chosen:
            sample = each.found.sample if each.found is not None else None
            each.p = (
                sample.p(-self.study.side) if sample is not None and sample.count > SCREEN_REPEATS else 1.0
            )
        corrected = holm({str(number): each.p for number, each in enumerate(chosen)})
        for number, each in enumerate(chosen):
            each.corrected = corrected[str(number)]
        self._confirm_together([each for each in chosen if each.corrected <= ALPHA], phase)
        return chosen

    def _complete(self, screened: Sequence[Together], phase: str) -> None:
        """Run in all repeats what was not on the side of the base in the first."""
        side = self.study.side
        beyond = [
            each
            for each in screened
            if each.found is not None
            and (sample := each.found.sample) is not None
            and (sample.mean * side <= 0 if side else self._differs(sample))
        ]
        for each, result in self._reached(beyond, self._plan.full, phase):
            each.found = result

    def _differs(self, sample: Sample) -> bool:
        base = self.study.base.sample
        return base is not None and abs(sample.mean) > max(base.deviation, sample.deviation)

    def _confirm_together(self, seeming: Sequence[Together], phase: str) -> None:
        for each, result in self._reached(seeming, self._plan.fresh, phase):
            each.confirmed = result
            first, again = each.found, result.sample
            if first is not None and first.sample is not None and again is not None:
                wanted = 1 if first.sample.mean > 0 else -1
                each.turns = again.p(wanted) * len(seeming) <= ALPHA

    def _combine(self) -> None:
        """Draw combinations of alternatives and run them as the screen does.

        One in two is moved for both schemes, the others for one alone: what a paper grants to one side
        may be several keys that do nothing each by itself.
        """
        choices = {move: self._movable(move) for move in MOVES}
        if len(choices["both"]) < 2:
            return
        draw = random.Random(f"combinations {self._plan.seed}")  # noqa: S311 - reproducible, not secret
        drawn: dict[Pairing, Together] = {}
        traces, repeats = self._plan.screen
        for _, _ in product(range(self._plan.combinations), range(DRAWS)):
            if len(drawn) == self._plan.combinations:
                break
            move = draw.choice(DRAWN_MOVES)
            chance = min(0.5, MOVED_KEYS / max(1, len(choices[move])))
            moved = [draw.choice(each) for each in choices[move] if draw.random() < chance]
            if len(moved) < 2:
                continue
            each = _together(moved, move)
            if each.pairing in drawn:
                continue
            if self._is_refused(each.pairing):
                self.study.refused_draws += 1
                continue
            drawn[each.pairing] = each
        self.study.combinations = self._judged(list(drawn.values()), "combinations", (traces, repeats))

    def _movable(self, move: Move) -> list[list[Variation]]:
        """Of each key what it can be moved to, for these schemes."""
        found = (
            [each for each in key.variations if each.move == move and _runs(each)] for key in self.study.keys
        )
        return [each for each in found if each]

    def _is_refused(self, pairing: Pairing) -> bool:
        """Whether the configuration refuses a combination: it costs no run."""
        first = side_runs(pairing, self._plan.traces[:1], range(1))
        return any(self._cost([cell]) == 0 and self._run([cell])[cell].fault for cell in first)


def _runs(each: Variation) -> bool:
    return each.last is not None and not each.last.fault


def _together(moved: Sequence[Variation], move: Move = "both") -> Together:
    of_side: Side = "candidate" if move == "candidate" else "baseline"
    variant = Moved(tuple(part for each in moved for part in each.pairing.of(of_side).keys))
    pairing = Pairing(BASE if move == "candidate" else variant, BASE if move == "baseline" else variant)
    return Together(tuple((each.key, each.value) for each in moved), pairing, move)
