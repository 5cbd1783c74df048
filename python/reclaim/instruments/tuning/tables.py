"""What a tuning found, as cells of text: for a terminal and for the page."""

from __future__ import annotations

from reclaim.instruments.tuning.study import Neighbour, Tuned
from reclaim.instruments.tuning.trials import Trial
from reclaim.instruments.tuning.words import factor, named, ratio, shown, tuned
from reclaim.results.sets.metrics import describe
from reclaim.results.verdict import legend_of
from reclaim.units import MISSING, written


def _tuned(trial: Trial, metric: str) -> str:
    """The ratio of a trial where it was tuned, with its mark."""
    if metric not in trial.logs:
        return MISSING
    return tuned(trial, metric)


def _around(each: Neighbour, metric: str) -> str:
    if metric not in each.logs:
        return MISSING
    return f"{factor(each.logs[metric])} {each.trial.marks.get(metric, '')}".rstrip()


def legend(found: Tuned) -> str:
    """What the marks in the tables mean, as far as there are any."""
    marks = [mark for each in (found.base, *found.trials) for mark in each.marks.values()]
    return legend_of([*marks, *(each.mark for judged in found.judged for each in judged.metrics.values())])


HEAD = ("metric", "tuned / as it is", "", "where it was tuned")
"""Of the table of judgements."""


def found_rows(found: Tuned) -> list[tuple[str, str, str]]:
    """Give every parameter: as it is, and as it was found; those that changed first."""
    if found.found is None:
        return []
    values = found.found.values
    rows = [
        (each.key, each.present or "left out", values.get(each.key, "") if each.key in values else "as it is")
        for each in found.prepared.space.parameters
    ]
    return sorted(rows, key=lambda row: row[0] not in values)


def judged_rows(found: Tuned) -> list[tuple[str, str, str, str]]:
    """Give the cells below `HEAD` for what was found, objectives first, then each constraint."""
    judged = found.of_found()
    if judged is None:
        return []
    rows = [
        (
            describe(metric).label,
            ratio(measured),
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


def front_rows(found: Tuned) -> list[tuple[str, ...]]:
    """Give what is judged of the front: trial, settings, each objective where tuned and where judged."""
    objectives = found.prepared.entry.objectives
    if len(objectives) < 2:
        return []
    rows: list[tuple[str, ...]] = []
    for each in found.judged:
        cells = [f"{_tuned(each.trial, metric)}; {ratio(each.metrics.get(metric))}" for metric in objectives]
        broken = ", ".join(each.broken) or "kept"
        mark = " (found)" if each.trial == found.found else ""
        rows.append((f"{each.trial.number}{mark}", named(each.trial.values), *cells, broken))
    return rows


def around_rows(found: Tuned) -> list[tuple[str, ...]]:
    """Give what is around the best: key, found value, other value, each objective to what was found."""
    objectives = found.prepared.entry.objectives
    return [
        (
            each.key,
            each.present or "left out",
            each.value or "left out",
            *(_around(each, metric) for metric in objectives),
            _says(each.trial),
        )
        for each in found.around
    ]


def trial_rows(found: Tuned) -> list[tuple[str, ...]]:
    """Give every trial: number, settings, ratios, whether it fits."""
    objectives = found.prepared.entry.objectives
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
