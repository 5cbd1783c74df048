"""What a tuning found, as rows of tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reclaim.instruments.judging import Measured
from reclaim.instruments.tuning.study import Tuned
from reclaim.instruments.tuning.trials import Trial
from reclaim.instruments.tuning.words import factor, interval, named, shown
from reclaim.report.document import Cell
from reclaim.results.sets.metrics import describe
from reclaim.units import MISSING, written

Rows = Sequence[Sequence[str | Cell]]


def _tuned(trial: Trial, metric: str) -> Cell:
    """The ratio of a trial where it was tuned, with its mark."""
    return Cell(MISSING) if metric not in trial.logs else _marked(trial.logs[metric], trial, metric)


def _marked(log: float, trial: Trial, metric: str) -> Cell:
    return Cell(factor(log), trial.marks.get(metric, ""))


def _judged(measured: Measured | None) -> Cell:
    """A ratio where it was judged, with its interval."""
    if measured is None or measured.sample is None:
        return Cell(MISSING)
    return Cell(factor(measured.sample.median), measured.mark, beside=interval(measured.sample))


def found_rows(found: Tuned) -> Rows:
    """Give every parameter: as it is, and as it was found; those that changed first."""
    if found.found is None:
        return []
    values = found.found.values
    rows = [
        (each.key, each.present or "left out", values.get(each.key, "") if each.key in values else "as it is")
        for each in found.prepared.space.parameters
    ]
    return sorted(rows, key=lambda row: row[0] not in values)


def judged_rows(found: Tuned) -> Rows:
    """Give the judgement of what was found, objectives first, then each constraint."""
    judged = found.of_found()
    if judged is None:
        return []
    rows: list[Sequence[str | Cell]] = [
        (
            describe(metric).label,
            _judged(measured),
            shown(metric, judged),
            _tuned(judged.trial, metric),
        )
        for metric, measured in judged.metrics.items()
    ]
    for limit in found.prepared.entry.constraints:
        kind = describe(limit.metric).kind
        here, there = judged.reached.get(limit.text), judged.trial.reached.get(limit.text)
        before = found.base_reached.get(limit.text)
        text = f"{written(here, kind)} (as it is {written(before, kind)})"
        says = "broken" if limit.text in judged.broken else "kept"
        rows.append((limit.text, text, says, written(there, kind)))
    return rows


def front_rows(found: Tuned) -> Rows:
    """Give what is judged of the front: trial, settings, each objective where tuned and where judged."""
    objectives = found.prepared.entry.objective
    if len(objectives) < 2:
        return []
    rows: list[Sequence[str | Cell]] = []
    for each in found.judged:
        cells = [
            replace(_tuned(each.trial, metric), below=(_judged(each.metrics.get(metric)),))
            for metric in objectives
        ]
        broken = ", ".join(each.broken) or "kept"
        mark = " (found)" if each.trial == found.found else ""
        rows.append((f"{each.trial.number}{mark}", named(each.trial.values), *cells, broken))
    return rows


def around_rows(found: Tuned) -> Rows:
    """Give what is around the best: key, found value, other value, each objective to what was found."""
    objectives = found.prepared.entry.objective
    return [
        (
            each.key,
            each.present or "left out",
            each.value or "left out",
            *(
                _marked(each.logs[metric], each.trial, metric) if metric in each.logs else MISSING
                for metric in objectives
            ),
            _says(each.trial),
        )
        for each in found.around
    ]


def trial_rows(found: Tuned) -> Rows:
    """Give every trial: number, settings, ratios, whether it fits."""
    objectives = found.prepared.entry.objective
    return [
        (
            str(each.number),
            named(each.values),
            *(_tuned(each, metric) for metric in objectives),
            _says(each),
        )
        for each in (found.base, *found.trials)
    ]


def _says(trial: Trial) -> str:
    if trial.fault:
        return trial.fault
    return "keeps" if trial.fits else f"breaks by {trial.excess:.1%}".replace("%", " %")
