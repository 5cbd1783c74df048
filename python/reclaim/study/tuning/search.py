"""What proposes combinations: all of them, at random, or Optuna's tree of Parzen estimators."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from reclaim.errors import InputError
from reclaim.study.tuning.section import SECTION, Sampler
from reclaim.study.tuning.space import At, SearchSpace
from reclaim.study.tuning.trials import REFUSED, Trial, sign

MISSING = 'the extra "tune" is not installed; pip install "reclaim[tune]", or set sampler = "random"'
STARTUP = 10
"""Trials that are drawn at random before the sampler proposes any; as many whatever the budget, so that a
search with a larger one begins as that with the smaller did."""
SAME = 50
"""Proposals of combinations that were tried already, one after the other, before one is drawn instead."""
MOST_REFUSED = 100
"""Refused combinations for every one of a batch, after which there is no batch."""

Refuses = Callable[[At], str]
"""Says why the configuration refuses a combination; nothing where it does not."""


class Proposer(Protocol):
    """Proposes combinations and hears what came of them."""

    def begin(self, trial: Trial) -> None:
        """Hear of the scheme as it is: that is not proposed."""
        ...

    def ask(self, count: int, refuses: Refuses) -> list[At]:
        """Give so many combinations that can run, none twice; fewer where there are no more."""
        ...

    def tell(self, trials: Sequence[Trial]) -> None:
        """Hear what came of the last ones, in their order."""
        ...


class CombinationDraws:
    """Draws combinations, each as likely as the others; none twice."""

    def __init__(self, space: SearchSpace, seed: int) -> None:
        self._space = space
        self._draw = random.Random(f"tune {seed}")  # noqa: S311 - reproducible, not secret
        self.known: set[At] = set()

    def one(self) -> At | None:
        """Draw one that is not known; None where there is none."""
        if len(self.known) >= self._space.size:
            return None
        while (at := self._space.drawn(self._draw)) in self.known:
            pass
        return at


class AtRandom:
    """Proposes what is drawn."""

    def __init__(self, space: SearchSpace, seed: int) -> None:
        self._drawing = CombinationDraws(space, seed)

    def begin(self, trial: Trial) -> None:
        """Note that it is known."""
        self._drawing.known |= set() if trial.at is None else {trial.at}

    def ask(self, count: int, refuses: Refuses) -> list[At]:
        """Give so many."""
        found: list[At] = []
        for _ in range(count * MOST_REFUSED):
            at = self._drawing.one() if len(found) < count else None
            if at is None:
                break
            self._drawing.known.add(at)
            found += [] if refuses(at) else [at]
        return found

    def tell(self, trials: Sequence[Trial]) -> None:
        """Hear nothing: what came before decides nothing."""


class Everything:
    """Proposes all combinations, one after the other."""

    def __init__(self, space: SearchSpace) -> None:
        self._left: Iterator[At] = space.every()
        self._known: At | None = None

    def begin(self, trial: Trial) -> None:
        """Note that it is known."""
        self._known = trial.at

    def ask(self, count: int, refuses: Refuses) -> list[At]:
        """Give so many."""
        found: list[At] = []
        while len(found) < count and (at := next(self._left, None)) is not None:
            found += [] if at == self._known or refuses(at) else [at]
        return found

    def tell(self, trials: Sequence[Trial]) -> None:
        """Hear nothing: all are run."""


class Tpe:
    """Optuna's sampler: values that were better than others are proposed more often, together.

    A parameter is told as the place of its value: an integer where the values have an order, a category where
    they have none. Objectives are log ratios to the scheme as it is.
    """

    def __init__(self, space: SearchSpace, objectives: Sequence[str], seed: int) -> None:
        """Begin a study in memory: a search that goes on is replayed from the points that are stored.

        Raises:
            InputError: where Optuna is not installed.
        """
        try:
            import optuna
        except ImportError:
            raise InputError(f"[{SECTION}]: {MISSING}") from None
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._space = space
        self._objectives = objectives
        self._drawing = CombinationDraws(space, seed)
        self._distributions: dict[str, Any] = {
            each.key: optuna.distributions.IntDistribution(0, len(each.values) - 1)
            if each.ordered
            else optuna.distributions.CategoricalDistribution(range(len(each.values)))
            for each in space.parameters
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sampler = optuna.samplers.TPESampler(seed=seed % 2**32, n_startup_trials=STARTUP)
        self._study: Any = optuna.create_study(directions=["minimize"] * len(objectives), sampler=sampler)
        self._create: Any = optuna.trial.create_trial
        self._complete = optuna.trial.TrialState.COMPLETE
        self._failed = optuna.trial.TrialState.FAIL
        self._asked: dict[At, Any] = {}

    def begin(self, trial: Trial) -> None:
        """Hear of the scheme as it is, where that is one of the combinations."""
        if trial.at is None:
            return
        self._drawing.known.add(trial.at)
        values, told = self._told(trial)
        self._study.add_trial(
            self._create(
                state=self._complete,
                values=values,
                params=dict(zip(self._distributions, trial.at, strict=True)),
                distributions=self._distributions,
                constraints={"excess": told},
            )
        )

    def ask(self, count: int, refuses: Refuses) -> list[At]:
        """Give so many: each is proposed with those before it in mind as if they were no good."""
        found: list[At] = []
        same = 0
        for _ in range(count * MOST_REFUSED):
            if len(found) == count or len(self._drawing.known) >= self._space.size:
                break
            trial = self._proposed(drawn=same >= SAME)
            at = tuple(trial.params[key] for key in self._distributions)
            if at in self._drawing.known and same < SAME:
                self._study.tell(trial, state=self._failed)
                same += 1
                continue
            same = 0
            self._drawing.known.add(at)
            if refuses(at):
                trial.set_constraint("excess", REFUSED)
                self._study.tell(trial, [0.0] * len(self._objectives))
                continue
            self._asked[at] = trial
            found.append(at)
        return found

    def _proposed(self, *, drawn: bool) -> Any:
        """A trial of the sampler, or one that is drawn at random and not known."""
        at = self._drawing.one() if drawn else None
        if at is not None:
            self._study.enqueue_trial(dict(zip(self._distributions, at, strict=True)))
        return self._study.ask(self._distributions)

    def tell(self, trials: Sequence[Trial]) -> None:
        """Hear what came of the last ones."""
        for each in trials:
            assert each.at is not None  # noqa: S101 - it was asked for
            values, excess = self._told(each)
            trial = self._asked.pop(each.at)
            trial.set_constraint("excess", excess)
            self._study.tell(trial, values)
        # Those of the batch that the budget had no room for.
        self._asked.clear()

    def _told(self, trial: Trial) -> tuple[list[float], float]:
        if trial.fault:
            return [0.0] * len(self._objectives), trial.excess
        return [sign(metric) * trial.logs[metric] for metric in self._objectives], trial.excess


def proposer(
    space: SearchSpace, sampler: Sampler, objectives: Sequence[str], seed: int, most: int
) -> Proposer:
    """Give what proposes; where the budget has room for all combinations, all are run.

    Raises:
        InputError: where Optuna is wanted and not installed.
    """
    if space.size <= most:
        return Everything(space)
    return AtRandom(space, seed) if sampler == "random" else Tpe(space, objectives, seed)
