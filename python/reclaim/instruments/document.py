"""The result of a study as JSON: the conclusion first, then every key and every variation."""

from __future__ import annotations

import math
from statistics import median
from typing import Any

from reclaim.instruments.conclusion import Names, counts, sentence
from reclaim.instruments.judging import Key, Measured, Variation, state_of
from reclaim.instruments.load import Kept
from reclaim.instruments.study import Study, Together
from reclaim.report.forms import result_json

FORMAT = 2


def of_measured(found: Measured | None) -> dict[str, Any] | None:
    """Give a comparison: its log ratio with the interval, and the ratio of each workload."""
    if found is None:
        return None
    sample = found.sample
    if sample is None:
        return {"fault": found.fault, "codes": sorted(found.codes)}
    low, high = sample.interval() or (None, None)
    return {
        "repeats": sample.count,
        "log_ratio": sample.median,
        "low": low,
        "high": high,
        "deviation": sample.deviation,
        "ratio": math.exp(sample.median),
        "by_workload": {trace: math.exp(median(logs)) for trace, logs in found.by_trace.items()},
        "codes": sorted(found.codes),
    }


def _of_variation(each: Variation, study: Study) -> dict[str, Any]:
    return {
        "value": each.value,
        "set": dict((each.pairing.baseline if each.pairing.baseline.keys else each.pairing.candidate).keys),
        "moved_for": each.move,
        "says": state_of(each, study.side, study.expected, study.base),
        "p": each.p,
        "screen": of_measured(each.screened),
        "all_repeats": of_measured(each.full),
        "fresh_repeats": of_measured(each.confirmed),
    }


def _of_key(key: Key, study: Study) -> dict[str, Any]:
    return {
        "key": key.name,
        "kind": key.kind,
        "why": key.why,
        "present": key.present,
        "status": key.status,
        "p": key.p,
        "p_corrected": key.corrected,
        "turned_by": [each.text for each in key.turning],
        "left_open_by": [each.text for each in key.opening],
        "variations": [_of_variation(each, study) for each in key.variations],
    }


def _of_together(each: Together) -> dict[str, Any]:
    return {
        "moved": dict(each.parts),
        "for": each.move,
        "turns": each.turns,
        "p_corrected": each.corrected,
        "found": of_measured(each.found),
        "fresh_repeats": of_measured(each.confirmed),
    }


def of_study(names: Names, study: Study, kept: Kept) -> dict[str, Any]:
    """Give one study."""
    return {
        "conclusion": sentence(names, study, kept),
        "kept": kept,
        "side": study.side,
        "base": of_measured(study.base),
        "counts": {status: len(keys) for status, keys in counts(study).items()},
        "keys": [_of_key(key, study) for key in study.keys],
        "pairs": [_of_together(each) for each in study.pairs],
        "combinations": [_of_together(each) for each in study.combinations],
        "combinations_refused": study.refused_draws,
        "over_budget": study.over_budget,
        "compared": study.listed.compared,
        "without_effect": study.listed.vain,
        "left_out": study.listed.left_out,
        "alternatives_of_the_experiment": study.listed.changed,
    }


def result(experiment: str, names: Names, studies: list[tuple[Study, Kept]], runs: int) -> str:
    """Write all that came of it; the same bytes for the same figures."""
    return result_json(
        {
            "sensitivity": FORMAT,
            "conclusion": " ".join(sentence(names, study, kept) for study, kept in studies),
            "experiment": experiment,
            "baseline": names.baseline,
            "candidate": names.candidate,
            "objective": names.objective,
            "runs": runs,
            "studies": [of_study(names, study, kept) for study, kept in studies],
        }
    )
