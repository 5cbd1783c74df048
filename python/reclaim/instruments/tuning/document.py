"""The result of a tuning as JSON: the conclusion first, then what was found, every trial, every judging."""

from __future__ import annotations

from typing import Any

from reclaim.bench.tune_section import Extent
from reclaim.instruments.document import of_measured
from reclaim.instruments.tuning.study import Judged, Neighbour, Tuned
from reclaim.instruments.tuning.trials import Trial
from reclaim.instruments.tuning.words import conclusion, notes, shown
from reclaim.report.forms import result_json

FORMAT = 1


def of_trial(trial: Trial) -> dict[str, Any]:
    """Give a trial, without what combination it is."""
    return {
        "trial": trial.number,
        "set": dict(trial.values),
        "log_ratios": dict(trial.logs),
        "reached": dict(trial.reached),
        "excess": trial.excess,
        "fits": trial.fits,
        "fault": trial.fault,
    }


def _of_judged(each: Judged, found: Tuned) -> dict[str, Any]:
    return {
        "trial": each.trial.number,
        "set": dict(each.trial.values),
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
        "reached": dict(each.reached),
        "broken": list(each.broken),
        "fault": each.fault,
    }


def _of_neighbour(each: Neighbour) -> dict[str, Any]:
    return {
        "key": each.key,
        "found": each.present,
        "moved_to": each.value,
        "log_ratios_to_found": dict(each.logs),
        "excess": each.trial.excess,
        "fault": each.trial.fault,
    }


def _of_extent(extent: Extent) -> dict[str, Any]:
    return {"traces": list(extent.traces), "repeats": list(extent.repeats)}


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
            "tune_on": _of_extent(entry.tune_on),
            "judge_on": _of_extent(entry.judge_on),
            "sampler": entry.sampler,
            "seed": entry.seed,
            "batch": entry.batch,
            "budget": prepared.trials,
            "combinations": space.size,
            "runs": found.runs,
            "found": None if found.found is None else of_trial(found.found),
            "front": [each.number for each in found.front],
            "judged": [_of_judged(each, found) for each in found.judged],
            "values_as_it_is": found.base_values,
            "reached_as_it_is": dict(found.base_reached),
            "around": [_of_neighbour(each) for each in found.around],
            "parameters": [
                {
                    "key": each.key,
                    "as_it_is": each.present,
                    "values": list(each.values),
                    "ordered": each.ordered,
                    "declared": each.declared,
                }
                for each in space.parameters
            ],
            "not_searched": prepared.left_out,
            "as_it_is": of_trial(found.base),
            "trials": [of_trial(each) for each in found.trials],
            "refused": [{"set": dict(each.values), "why": each.fault} for each in found.refused],
        }
    )
