"""What a tuning found, in words: for a terminal, for the page and for the file of results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from reclaim.result.sets.metrics import describe
from reclaim.result.verdict import in_words
from reclaim.statistics.intervals import fewest
from reclaim.statistics.samples import ALPHA, Sample
from reclaim.study.sensitivity.judging import PairedRatios
from reclaim.study.tuning.section import Limit
from reclaim.study.tuning.study import JudgedTrial, Neighbour, Tuned
from reclaim.study.tuning.trials import Trial, sign
from reclaim.units import MISSING, written

MOST_LISTED = 3
SMALL = 0.01
"""Log ratio from which on a setting beside what was found is told to be better."""


def factor(log: float) -> str:
    """Write a log ratio as a factor.

    >>> factor(0.0), factor(-0.5)
    ('×1.000', '×0.607')
    """
    return f"×{math.exp(log):.3f}"


def interval(sample: Sample) -> str:
    """Write the interval of a ratio in brackets; nothing where there are too few repeats for one."""
    span = sample.interval()
    return "" if span is None else f"({math.exp(span[0]):.3f} to {math.exp(span[1]):.3f})"


def ratio(found: PairedRatios | None) -> str:
    """Write a ratio with its interval, where there are repeats enough for one."""
    if found is None or found.sample is None:
        return MISSING
    return " ".join(filter(None, (factor(found.sample.median), found.mark, interval(found.sample))))


def tuned(trial: Trial, metric: str) -> str:
    """Write the ratio of a trial where it was tuned, with its mark."""
    return f"{factor(trial.logs[metric])} {trial.marks.get(metric, '')}".rstrip()


def better(metric: str, found: PairedRatios | None) -> int:
    """Say on which side of no difference a whole interval is: 1 better, -1 worse, 0 neither, or none."""
    sample = None if found is None else found.sample
    if sample is None:
        return 0
    side = sign(metric)
    if sample.excludes_none(-side):
        return 1
    return -1 if sample.excludes_none(side) else 0


def named(values: Mapping[str, str]) -> str:
    """Write settings.

    >>> named({"gc.victim": "fifo"}), named({})
    ('gc.victim = fifo', 'as it is')
    """
    return ", ".join(f"{key} = {value}" for key, value in values.items()) or "as it is"


def places(found: Tuned, *, judged: bool) -> str:
    """Name the traces and repeats of a part of the experiment."""
    extent = found.prepared.entry.judge_on if judged else found.prepared.entry.tune_on
    first, *_, last = extent.repeats if len(extent.repeats) > 1 else extent.repeats * 2
    several = len(extent.repeats) > MOST_LISTED
    listed = f"{first} to {last}" if several else ", ".join(map(str, extent.repeats))
    many = "s" if len(extent.repeats) > 1 else ""
    return f"{' and '.join(extent.traces)} (repeat{many} {listed})"


def _change(metric: str, sample: Sample, found: PairedRatios) -> str:
    """Say what became of an objective."""
    label = describe(metric).label
    side = better(metric, found)
    if side == 0:
        why = "" if sample.count >= fewest() else f"; {sample.count} repeats have no 95 % interval"
        why = "; all repeats measured the same, so that there is no interval" if not sample.varies else why
        return f"no change of {label} is shown ({ratio(found)}{why})"
    word = "lower" if (side > 0) == (sign(metric) > 0) else "higher"
    return f"{label} is {word} ({ratio(found)})"


def _judging(found: Tuned, judged: JudgedTrial) -> str:
    """Say how a trial did on what it was not tuned on, and how it did on what it was."""
    parts = []
    for metric in found.prepared.entry.objective:
        each = judged.metrics.get(metric)
        if each is None or each.sample is None:
            parts.append(f"{describe(metric).label} was not measured ({judged.fault})")
            continue
        text = _change(metric, each.sample, each)
        parts.append(f"{text}, against {tuned(judged.trial, metric)} where it was tuned")
    return "; ".join(parts)


def limits_told(limits: Sequence[Limit], judged: JudgedTrial) -> str:
    """Say which constraints hold on what was not tuned on, and which do not."""
    if not limits:
        return ""
    if not judged.broken:
        return "It keeps the constraint there." if len(limits) == 1 else "It keeps all constraints there."
    kinds = {limit.text: describe(limit.metric).kind for limit in limits}
    told = [
        f"{text} ({written(judged.reached[text], kinds[text]) if text in judged.reached else 'not measured'})"
        for text in judged.broken
    ]
    return f"It breaks there: {', '.join(told)}."


def conclusion(found: Tuned) -> str:
    """Write what was found, in some sentences."""
    prepared = found.prepared
    name, entry = prepared.scheme.name, prepared.entry
    tried = f"{len(found.trials)} trials of {prepared.space.size:,} combinations"
    if found.found is None:
        nearest = min([found.base, *found.trials], key=lambda each: (each.excess, each.number))
        share = f"{nearest.excess:.1%}".replace("%", " %")
        why = nearest.fault or f"the nearest, {named(nearest.values)}, breaks them by {share}"
        return f"No trial keeps the constraints, nor does {name} as it is: {why} ({tried})."
    if not found.is_new and len(found.front) == 1:
        return f"Nothing better than {name} as it is was found ({tried})."
    judged = found.of_found()
    seen = "which it was also tuned on" if entry.overlap else "which it was not tuned on"
    several = len(entry.objective) > 1
    ahead = (
        f"Of {len(found.front)} trials that no other beats, the one that gains most together: "
        if several
        else ""
    )
    if judged is None:
        return f"{ahead}{name} as it is ({tried}); the others of the front are in the table."
    text = f"{ahead}{name} with {named(found.found.values)}. On {places(found, judged=True)}, {seen}, "
    text += f"{_judging(found, judged)}. {limits_told(entry.constraints, judged)}".rstrip()
    hangs = hangs_on(found)
    return f"{text} {hangs}{' ' if hangs else ''}{tried[0].upper()}{tried[1:]}."


def hangs_on(found: Tuned) -> str:
    """Say which parameter changes the first objective most where it was tuned, and which change nothing."""
    metric = found.prepared.entry.objective[0]
    known = [each for each in found.around if metric in each.logs and not each.trial.fault]
    if not known:
        return ""
    most = max(known, key=lambda each: abs(each.logs[metric]))
    reach = {each.key: 0.0 for each in known}
    for each in known:
        reach[each.key] = max(reach[each.key], abs(each.logs[metric]))
    idle = [key for key, far in reach.items() if far == 0]
    there = f"{most.value or 'left out'}: {factor(most.logs[metric])}"
    text = f"Where it was tuned it hangs most on {most.key} ({there})"
    verb = "change" if len(idle) > 1 else "changes"
    return f"{text}; {', '.join(idle)} {verb} nothing there." if idle else f"{text}."


def notes(found: Tuned) -> list[str]:
    """Give what must be known beside the conclusion."""
    prepared = found.prepared
    told = []
    for metric, (count, needed) in found.few.items():
        label = describe(metric).label
        told.append(
            f"{label} takes {needed:,} requests, and a run has {count:,}: it is chance of few of them; take "
            "a longer trace (trace.repeat), or a lower percentile"
        )
    if found.same:
        told.append(
            f"{found.same} of {len(prepared.judged)} runs judged on measured the same as another repeat, in "
            'every number, and say nothing of their own; repeat with by = "rotate", "workload" or "jitter"'
        )
    entry = prepared.entry
    shared = sorted(set(entry.tune_on.traces) & set(entry.judge_on.traces))
    if shared and prepared.experiment.parts.repeats.by in ("rotate", "jitter") and not entry.overlap:
        told.append(
            f"it is judged on requests that it was tuned on, in another order or at other moments "
            f"({', '.join(shared)}): this says nothing of other traces"
        )
    return [
        *told,
        *_of_trials(found),
        *(f"not searched: {key}: {why}" for key, why in prepared.left_out.items()),
    ]


def _many(count: int, what: str) -> str:
    """Count things, with their verb.

    >>> _many(1, "trial"), _many(2, "trial")
    ('1 trial was', '2 trials were')
    """
    return f"{count} {what} was" if count == 1 else f"{count} {what}s were"


def _of_trials(found: Tuned) -> Iterator[str]:
    """What must be known of trials that say nothing, and of what was found."""
    if found.refused:
        first = found.refused[0]
        example = f"{named(first.values)}: {first.fault}"
        yield f"{_many(len(found.refused), 'combination')} refused, at the cost of no run, such as {example}"
    faulty = [each for each in found.trials if each.fault]
    if faulty:
        example = f"{named(faulty[0].values)}: {faulty[0].fault}"
        yield f"{_many(len(faulty), 'trial')} without figures to go by, such as {example}"
    of_runs = 2 * len(found.prepared.judged)
    for metric, counted in found.remarks.items():
        for (severity, code), many in counted.items():
            told = f"{many} of the {of_runs} runs that it is judged by have the {severity} {in_words(code)}"
            yield f"{told} about {describe(metric).label}"
    judged = found.of_found()
    if judged is not None and judged.fault:
        yield f"what was found ran unsteadily where it was judged, {judged.fault}"
    ahead = ahead_of(found)
    if ahead:
        count = "a setting" if len(ahead) == 1 else f"{len(ahead)} settings"
        verb = "is" if len(ahead) == 1 else "are"
        yield (
            f"the search ended before the best: {count} beside it {verb} better where it was tuned, such as "
            f"{ahead[0].key} = {ahead[0].value or 'left out'}; a larger budget goes on from here"
        )


def ahead_of(found: Tuned) -> list[Neighbour]:
    """Give the neighbours that beat what was found where it was tuned, with one objective; the best first."""
    objectives = found.prepared.entry.objective
    if len(objectives) > 1 or found.found is None:
        return []
    (metric,) = objectives
    ahead = [each for each in found.around if each.trial.fits and sign(metric) * each.logs[metric] < -SMALL]
    return sorted(ahead, key=lambda each: sign(metric) * each.logs[metric])


def shown(metric: str, judged: JudgedTrial) -> str:
    """Say of a metric whether it is better, worse, or neither is shown."""
    side = better(metric, judged.metrics.get(metric))
    corrected = judged.corrected.get(metric)
    if side and corrected is not None and corrected > ALPHA:
        return "not shown after correction"
    return {1: "better", -1: "worse", 0: "not shown"}[side]


def verdict(found: Tuned) -> int:
    """Give the exit code: 0 if something better is shown where it was judged, else 3.

    1 if a run failed, or one that what was found is judged by warns of an objective.
    """
    if found.failures or any(
        severity == "warning" for each in found.remarks.values() for severity, _ in each
    ):
        return 1
    if any(found.remarks.values()):
        return 3
    judged = found.of_found()
    if judged is None or judged.broken or judged.fault or found.few or found.same:
        return 3
    sides = [shown(metric, judged) for metric in found.prepared.entry.objective]
    return 0 if "better" in sides and "worse" not in sides else 3


def reason(found: Tuned) -> str:
    """Say why the exit code is not 0, in the order in which it is decided."""
    if found.failures:
        return f"{len(found.failures)} runs failed"
    notes_of_runs = list(_of_trials(found)) if any(found.remarks.values()) else []
    told = next((each for each in notes_of_runs if "runs that it is judged by" in each), "")
    judged = found.of_found()
    if told or judged is None:
        return told or "nothing better was found"
    if judged.broken:
        return limits_told(found.prepared.entry.constraints, judged)
    if judged.fault:
        return f"what was found ran unsteadily where it was judged, {judged.fault}"
    if found.few or found.same:
        return notes(found)[0]
    return "that what was found is better is not shown where it was judged"


def trial_text(trial: Trial, objectives: Sequence[str]) -> str:
    """Write the figures of a trial in a line."""
    if trial.fault:
        return trial.fault
    return ", ".join(f"{describe(metric).label} {tuned(trial, metric)}" for metric in objectives)
