"""A tuning whose runs take a hundredth of a second, and figures that are drawn instead of run."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reclaim.experiment.experiment import Experiment
from reclaim.result.verdict import Verdict
from reclaim.study.runs import Outcome, Run
from reclaim.study.tuning.plan import Prepared
from reclaim.study.tuning.study import Tuned, TuningPhases
from study.small import TINY, experiment, slowed

SOUND = Verdict("trustworthy", (), (), ())


def small(section: Mapping[str, Any] | None = None, **further: Any) -> dict[str, Any]:
    """Greedy victims on two chips: tuned on two draws of a trace, judged on six others."""
    made = slowed(experiment(schemes=["greedy"], record={}, repeats={"count": 8, "by": "workload"}))
    made["set"] |= TINY
    del made["axes"]
    asked = {
        "objective": ["write_mean_ns"],
        "budget": "12 trials",
        "tune_on": {"repeats": [0, 1]},
        "judge_on": {"repeats": [2, 3, 4, 5, 6, 7]},
        "search": {
            "gc.pages_in_flight": {"from": 1, "to": 16, "factor": 2},
            "gc.trigger.start": {"from": "4%", "to": "10%", "step": "1%"},
            "gc.victim": ["greedy", "fifo", "random", "cost-benefit"],
        },
    }
    return made | {"tune": asked | dict(section or {})} | further


Formula = Callable[[Mapping[str, str]], Mapping[str, float]]
"""Figures of a run by the settings that were tuned."""


@dataclass
class Drawn:
    """What stands for runs: figures of a formula, with chance for every repeat."""

    formula: Formula
    noise: float = 0.0
    codes: Callable[[Mapping[str, str]], Verdict] = lambda _: SOUND
    asked: set[str] = field(default_factory=set)
    damaged: list[str] = field(default_factory=list)

    def run(self, runs: Iterable[Run]) -> dict[Run, Outcome]:
        """Give the figures."""
        return {run: self._outcome(run) for run in runs}

    def _outcome(self, run: Run) -> Outcome:
        moved = {key: setting.text for key, setting in run.variant.over}
        name = f"{run.workload.label()} {sorted(moved.items())} {run.repeat}"
        self.asked.add(name)
        draw = random.Random(name)  # noqa: S311 - reproducible, not secret
        chance = math.exp(draw.gauss(0, self.noise))
        figures = {key: value * chance for key, value in self.formula(moved).items()}
        return Outcome(name, verdict=self.codes(moved), figures=figures)


def tuned(section: Mapping[str, Any], drawn: Drawn, **further: Any) -> Tuned:
    """Tune by drawn figures."""
    prepared = Prepared(Experiment.from_dict(small(section, **further)))
    return TuningPhases(prepared, drawn).go()  # type: ignore[arg-type]
