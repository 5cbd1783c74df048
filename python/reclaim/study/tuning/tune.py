"""`reclaim.tune`: the best parameters of a scheme for some runs, judged on others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from reclaim.arguments import checked
from reclaim.device import Device
from reclaim.experiment.build import Tell
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.task import cores
from reclaim.report.document import Document
from reclaim.study.failures import by_reason
from reclaim.study.runs import Runs, VariantStudy
from reclaim.study.study import StudyOptions, carry_out
from reclaim.study.sweep import experiment_of
from reclaim.study.tuning.plan import Prepared
from reclaim.study.tuning.report import NAME, device_of, files_of
from reclaim.study.tuning.report import result as result_of
from reclaim.study.tuning.space import SearchedKey
from reclaim.study.tuning.study import Tuned, TuningPhases
from reclaim.study.tuning.words import conclusion, notes, reason, verdict
from reclaim.units import duration

MOST_VALUES = 8
"""Values of a parameter that are listed."""


@dataclass(frozen=True)
class Tuning:
    """What came of a tuning, and where it is."""

    tuned: Tuned
    folder: Path
    """Where result, report and device files are, in the folder that has the points."""

    @property
    def conclusion(self) -> str:
        """What was found, in some sentences."""
        return conclusion(self.tuned)

    @property
    def notes(self) -> list[str]:
        """What must be known beside that."""
        return notes(self.tuned)

    @property
    def values(self) -> dict[str, str] | None:
        """Keys in which what was found differs from the scheme as it is; None where nothing was found."""
        return None if self.tuned.found is None else dict(self.tuned.found.values)

    @property
    def device(self) -> Device | None:
        """The drive that was found; None where nothing was.

        Raises:
            InputError: for a drive that only the settings of a trace make possible.
        """
        return None if self.tuned.found is None else device_of(self.tuned, self.tuned.found)


class TuningStudy(VariantStudy[Tuning]):
    """A search of the parameters of a scheme on some runs, judged on others."""

    place = "tune"
    drawn = (NAME, "trial-*.toml", "search.png", "traded.png", "judged.png", "around.png")
    """With the drives that an earlier budget found: they are no longer what was found."""

    def __init__(self, experiment: Experiment, tell: Tell | None = None) -> None:
        """Find what is searched.

        Raises:
            InputError: as `Prepared`.
        """
        self.plan = Prepared(experiment, tell)
        self.experiment = experiment
        self.points = self.plan.points

    def cost(self, folder: Path | None = None) -> list[str]:
        """Say what is searched, and what that takes."""
        del folder
        plan, known = self.plan, self.plan.cost()
        text = f"{known.trials} trials of {known.combinations:,} combinations, "
        text += f"{known.runs_of_a_trial} runs each; up to {known.around} runs around what is found, "
        text += f"up to {known.judging} to judge it"
        return [
            f"{plan.scheme.name}: " + "; ".join(map(_values_of, plan.space.parameters)),
            f"{text}: {known.points} at most, about {duration(known.seconds)} on {cores()} cores",
        ]

    def judge(self, points: Runs) -> Tuning:
        """Run the trials, what is around the best of them, and what that is judged on.

        Raises:
            InputError: if the scheme itself cannot be run.
        """
        return Tuning(TuningPhases(self.plan, points).go(), points.place)

    def document(self, result: Tuning) -> Document:
        """Tell the conclusion first, then what it is drawn from."""
        from reclaim.study.tuning.report import document

        return document(result.tuned)

    def files(self, result: Tuning) -> dict[str, str]:
        """Give the drives that were found, and every figure as JSON."""
        return {**files_of(result.tuned), self.result: result_of(result.tuned)}

    def complaints(self, result: Tuning) -> list[str]:
        """Say which stored points were damaged, and which runs failed."""
        return [f"warning: {each}" for each in result.tuned.damaged] + [
            f"could not be run: {each}" for each in by_reason(result.tuned.failures.items())
        ]

    def outcome(self, result: Tuning) -> tuple[int, str]:
        """Give 0 where something better is shown where it was judged, and why not elsewhere."""
        return verdict(result.tuned), reason(result.tuned)


def _values_of(each: SearchedKey) -> str:
    values = [value or "left out" for value in each.values]
    shown = values if len(values) <= MOST_VALUES else [*values[: MOST_VALUES - 2], "…", values[-1]]
    return f"{each.key} {', '.join(shown)}"


@checked
def tune(
    experiment: Experiment | str | Path | Mapping[str, Any],
    output: str | Path,
    **options: Unpack[StudyOptions],
) -> Tuning:
    """Search the parameters of a scheme on some runs of an experiment, and judge what is found on others.

    The experiment has a section `[tune]`; docs/tune.md has the rules.

    Args:
        experiment: an experiment file, its content as a mapping, or an `Experiment`.
        output: the folder where points are stored, that of the experiment's sweep if there is one; called
            again with the same one, it goes on.
        workers: points at the same time; one a core if not given. What is found does not depend on it.
        dask: address of a Dask scheduler (`tcp://…`) whose workers run the points.
        worker_timeout: after how many seconds without a word a worker of it is given up; 60 if not given.
        memory: what all runs may take together, as in `8GiB`; what is available if not given.
        progress: called about five times a second.
        force: use a folder that has other things.
        report: draw `tune/report.html` and the charts in the folder, as the command does.
        accept_build: other builds whose points count and whose workers may run some, as messages name them.
        retry: run points again that have ended a process, as out of memory.

    Raises:
        InputError: for mistakes of the experiment, all of them; for a folder that cannot be used; if the
            scheme itself cannot be run; without the extra `tune`, where the sampler needs Optuna.
        KeyboardInterrupt: with Ctrl-C; what had ended is stored.
    """
    return carry_out(lambda: TuningStudy(experiment_of(experiment)), output, options)
