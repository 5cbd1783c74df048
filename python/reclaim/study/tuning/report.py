"""A tuning as a document: what was found, how it was judged, the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.report.document import Cell, Chart, Document, Fold, Table, Text, Title, again
from reclaim.report.forms import chosen, result_json
from reclaim.report.ratios import Compared, Ratio, answer, beginning
from reclaim.result.sets.metrics import describe
from reclaim.study.sensitivity.judging import PairedRatios
from reclaim.study.sensitivity.report import of_measured
from reclaim.study.tuning import plots
from reclaim.study.tuning.study import JudgedTrial, Neighbour, Tuned
from reclaim.study.tuning.trials import Trial
from reclaim.study.tuning.words import (
    conclusion,
    factor,
    interval,
    named,
    notes,
    places,
    shown,
    trial_text,
    verdict,
)
from reclaim.units import MISSING, written

Rows = Sequence[Sequence[str | Cell]]


def _tuned(trial: Trial, metric: str) -> Cell:
    """The ratio of a trial where it was tuned, with its mark."""
    return Cell(MISSING) if metric not in trial.logs else _marked(trial.logs[metric], trial, metric)


def _marked(log: float, trial: Trial, metric: str) -> Cell:
    return Cell(factor(log), trial.marks.get(metric, ""))


def _judged(measured: PairedRatios | None) -> Cell:
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
        (describe(metric).label, _judged(measured), shown(metric, judged), _tuned(judged.trial, metric))
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
        (str(each.number), named(each.values), *(_tuned(each, metric) for metric in objectives), _says(each))
        for each in (found.base, *found.trials)
    ]


def _says(trial: Trial) -> str:
    if trial.fault:
        return trial.fault
    return "keeps" if trial.fits else f"breaks by {trial.excess:.1%}".replace("%", " %")


FORMAT = 1


def of_trial(trial: Trial) -> dict[str, Any]:
    """Give a trial, without what combination it is."""
    return {
        "trial": trial.number,
        "set": trial.values,
        "log_ratios": trial.logs,
        **chosen(trial, "reached", "excess", "fits", "fault"),
    }


def _of_judged(each: JudgedTrial, found: Tuned) -> dict[str, Any]:
    return {
        "trial": each.trial.number,
        "set": each.trial.values,
        "is_found": each.trial == found.found,
        "metrics": {
            metric: {
                "says": shown(metric, each),
                "p_corrected": each.corrected.get(metric),
                **(of_measured(measured) or {}),
                "values": each.values.get(metric, {}),
            }
            for metric, measured in each.metrics.items()
        },
        **chosen(each, "reached", "broken", "fault"),
    }


def _of_neighbour(each: Neighbour) -> dict[str, Any]:
    return {
        "key": each.key,
        "found": each.present,
        "moved_to": each.value,
        "log_ratios_to_found": each.logs,
        **chosen(each.trial, "excess", "fault"),
    }


def result(found: Tuned) -> str:
    """Write all that came of it; the same bytes for the same figures."""
    prepared = found.prepared
    entry, space = prepared.entry, prepared.space
    return result_json(
        {
            "tune": FORMAT,
            "conclusion": conclusion(found),
            "notes": notes(found),
            "experiment": prepared.experiment.name,
            "scheme": prepared.scheme.name,
            "objectives": list(entry.objective),
            "constraints": [each.text for each in entry.constraints],
            "tune_on": chosen(entry.tune_on, "traces", "repeats"),
            "judge_on": chosen(entry.judge_on, "traces", "repeats"),
            **chosen(entry, "sampler", "seed", "batch"),
            "budget": prepared.trials,
            "combinations": space.size,
            "runs": found.runs,
            "found": None if found.found is None else of_trial(found.found),
            "front": [each.number for each in found.front],
            "judged": [_of_judged(each, found) for each in found.judged],
            "values_as_it_is": found.base_values,
            "reached_as_it_is": found.base_reached,
            "around": [_of_neighbour(each) for each in found.around],
            "parameters": [
                {"as_it_is": each.present, **chosen(each, "key", "values", "ordered", "declared")}
                for each in space.parameters
            ],
            "not_searched": prepared.left_out,
            "as_it_is": of_trial(found.base),
            "trials": [of_trial(each) for each in found.trials],
            "refused": [{"set": dict(each.values), "why": each.fault} for each in found.refused],
        }
    )


WHY = "what runs say of the metric; the notes have it"


def compared(found: Tuned) -> list[Compared]:
    """What was found beside the scheme as it is, where it was judged."""
    judged, name = found.of_found(), found.prepared.scheme.name
    if judged is None:
        return []
    ratios = [
        Ratio.of_logs(describe(metric).label, each.sample.median, each.sample.interval(), each.mark)
        for metric, each in judged.metrics.items()
        if each.sample is not None
    ]
    return [Compared(f"{name} as tuned", f"{name} as it is", ratios)]


JUDGED = ("metric", "tuned / as it is", "", "where it was tuned")


def document(found: Tuned) -> Document:
    """Give the conclusion first, then what it is drawn from."""
    prepared = found.prepared
    entry, name, scheme = prepared.entry, prepared.experiment.name, prepared.scheme.name
    judged, files = found.of_found(), [f"`{each}`" for each in files_of(found)]
    tuned_on, judged_on = (places(found, judged=of_judging) for of_judging in (False, True))
    measured = (*entry.objective, "constraints")
    around = Table(
        ("parameter", "found", "moved to", *measured),
        around_rows(found),
        "Around it: ratios to what was found, where it was tuned",
        "neighbours",
        why=WHY,
    )
    kept = f" that keeps {', '.join(limit.text for limit in entry.constraints)}" if entry.constraints else ""
    takes = "is a device file" if len(files) == 1 else "are device files"
    ratios, told = compared(found), conclusion(found)
    blocks = [
        *beginning(
            prepared.experiment.parts.about,
            answer([replace(each, ratios=each.ratios[: len(entry.objective)]) for each in ratios])
            if ratios
            else told,
            notes(found),
            level="not-established" if verdict(found) else "",
            compared=ratios,
            caption=f"Judged on {judged_on}; lines are 95 % intervals.",
        ),
        Title("What was found"),
        Text(told if ratios else ""),
        Table(("parameter", "as it is", "found"), found_rows(found), name="found"),
        f"{', '.join(files)} beside this page {takes} that `reclaim run TRACE --device` takes.",
        Title(f"Judged on {judged_on}"),
        (
            f"Ratios to {scheme} as it is, paired by repeat, mean over workloads; in brackets the 95 % "
            f"interval. The last column is of {tuned_on}, which it was chosen by: chance has its share "
            "there."
        ),
        Chart("judged", lambda: None if judged is None else plots.judging(found, judged)),
        Table(JUDGED, judged_rows(found), name="judgements", why=WHY),
        Title("The front"),
        (
            "Trials that no other beats in one objective without losing in another. Each cell: the ratio "
            "where it was tuned; below it where it was judged, with its interval."
        ),
        Chart("traded", lambda: plots.traded(found)),
        Table(("trial", "settings", *measured), front_rows(found), name="front", why=WHY),
        Title("The search"),
        (
            f"{len(found.trials)} trials of {prepared.space.size} combinations on {tuned_on}; the line is "
            f"the best so far{kept}. {found.runs} runs in all. {len(found.refused)} combinations were "
            "refused."
        ),
        Chart("search", lambda: plots.progress(found)),
        Fold("Every trial", [Table(("trial", "settings", *measured), trial_rows(found), name="trials")]),
        Title("What it hangs on"),
        (
            "What was found with one parameter moved and all others as they were found. A parameter whose "
            "marks lie on the dashed line does not matter there."
        ),
        Chart("around", lambda: plots.around(found)),
        Fold("Every one of them", [around], page=False),
        *again(f"reclaim tune experiment.toml -o {name}", prepared.experiment.text),
    ]
    return Document(f"{name}, tuned", blocks, heading=f"{name}: {scheme}, tuned")


NAME = "found.toml"


def device_of(found: Tuned, trial: Trial) -> Device:
    """Make the drive of a trial: the device, the scheme and the experiment's settings, of no trace.

    What the experiment sets for single traces is not in it.

    Raises:
        InputError: where it is refused without the settings of a trace.
    """
    prepared = found.prepared
    parts, scheme = prepared.experiment.parts, prepared.scheme
    moved = {} if trial.at is None else prepared.space.settings(trial.at)
    layers = (scheme.settings, parts.settings, moved)
    settings = {key: each.text for layer in layers for key, each in layer.items()}
    own = [key for key in settings if key in scheme.settings or key in moved]
    return Device.made(parts.devices[0].source, scheme.schemes, settings, own)


def text_of(found: Tuned, trial: Trial) -> str:
    """Write it, with what was tuned on top.

    Raises:
        InputError: as `device_of`.
    """
    prepared = found.prepared
    name, entry = prepared.scheme.name, prepared.entry
    lines = [
        f"{name}, tuned by `reclaim tune` ({prepared.experiment.name}), trial {trial.number}:",
        *(
            f"  {each.key}: {each.present or 'left out'} -> {trial.values[each.key]}"
            for each in prepared.space.parameters
            if each.key in trial.values
        ),
        f"To {name} as it is, where it was tuned: {trial_text(trial, entry.objective)}.",
    ]
    head = "".join(f"# {' '.join(line.split()) if not line.startswith('  ') else line}\n" for line in lines)
    return f"{head}\n{device_of(found, trial).to_toml()}"


def files_of(found: Tuned) -> dict[str, str]:
    """Give the device files by name: what was found, and of several objectives every trial that was judged.

    A drive that only the settings of a trace make possible has no file.
    """
    wanted = {} if found.found is None else {NAME: found.found}
    if len(found.prepared.entry.objective) > 1:
        wanted |= {f"trial-{each.trial.number}.toml": each.trial for each in found.judged}
    made = {}
    for name, trial in wanted.items():
        try:
            made[name] = text_of(found, trial)
        except InputError:
            continue
    return made
