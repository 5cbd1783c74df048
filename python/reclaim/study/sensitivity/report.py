"""A study of sensitivity as a document: its conclusions, and every key."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

from reclaim.layers import named
from reclaim.report.document import Block, Cell, Chart, Column, Document, Fold, Table, Text, Title
from reclaim.report.forms import chosen, result_json
from reclaim.report.ratios import beginning
from reclaim.statistics.intervals import fewest
from reclaim.study.sensitivity.comparison import Kept
from reclaim.study.sensitivity.conclusion import LOADS, ComparedNames, counts, ratio_of, sentence
from reclaim.study.sensitivity.judging import STATUSES, Key, PairedRatios, Status, Variation, state_of
from reclaim.study.sensitivity.phases import Findings, Together
from reclaim.units import MISSING

FORMAT = 2


def of_measured(found: PairedRatios | None) -> dict[str, Any] | None:
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


def _of_variation(each: Variation, study: Findings) -> dict[str, Any]:
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


def _of_key(key: Key, study: Findings) -> dict[str, Any]:
    return {
        "key": key.name,
        **chosen(key, "kind", "why", "present", "status", "p"),
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


def of_study(names: ComparedNames, study: Findings, kept: Kept) -> dict[str, Any]:
    """Give one study."""
    return {
        "conclusion": sentence(names, study, kept),
        "kept": kept,
        **chosen(study, "side", "over_budget"),
        "base": of_measured(study.base),
        "counts": {status: len(keys) for status, keys in counts(study).items()},
        "keys": [_of_key(key, study) for key in study.keys],
        "pairs": [_of_together(each) for each in study.pairs],
        "combinations": [_of_together(each) for each in study.combinations],
        "combinations_refused": study.refused_draws,
        **chosen(study.listed, "compared", "left_out"),
        "without_effect": study.listed.vain,
        "alternatives_of_the_experiment": study.listed.changed,
    }


def result(experiment: str, names: ComparedNames, studies: list[tuple[Findings, Kept]], runs: int) -> str:
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


SAYS: Mapping[Status, str] = {
    "turns": "turns it",
    "open": "leaves it open",
    "holds": "holds",
    "nothing": "changes nothing",
    "unsteady": "unsteady",
    "uncollected": "collected nothing",
    "refused": "could not be run",
    "not-run": "beyond the budget",
}


def _figure(each: Variation) -> str:
    found = each.last
    if found is None:
        return MISSING
    if found.sample is None:
        # The key and its value stand beside it.
        return found.fault.rpartition(f"{each.key}: ")[2]
    text = ratio_of(found)
    return text if each.full is not None else f"{text.split(',')[0]} of two repeats"


def rows(study: Findings) -> Iterator[list[str | Cell]]:
    """Give a row for each key: what turns the conclusion first, what agrees last."""
    order = {status: number for number, status in enumerate(STATUSES)}
    for key in sorted(study.keys, key=lambda key: (order[key.status], key.corrected)):
        variations = (f"`{each.whose}` {_says(each, key, study)} {_figure(each)}" for each in key.variations)
        present = ", ".join(dict.fromkeys(value or MISSING for value in key.present.values()))
        status = SAYS[key.status] if study.side or key.status != "turns" else "gives it a direction"
        pulls = Cell(strongest(key, study), more=(key.why, *variations))
        yield [key.name, key.kind, present, status, f"{key.corrected:.2g}", pulls]


def strongest(key: Key, study: Findings) -> str:
    """Name the variation that is farthest against the conclusion, with its ratio; or why there is none."""
    ran = [(each.last.sample, each) for each in key.variations if each.last is not None]
    known = [(sample.mean, each) for sample, each in ran if sample is not None]
    base = study.base.sample
    if not known or base is None:
        return next((_figure(each) for _, each in ran), MISSING)
    side = study.side
    _, each = min(known, key=lambda pull: pull[0] * side if side else -abs(pull[0] - base.mean))
    return f"{each.whose}: {_figure(each)}"


def _says(each: Variation, key: Key, study: Findings) -> str:
    if each in key.turning:
        return SAYS["turns"]
    status = state_of(each, study.side, study.expected, study.base)
    if status == "open" and each.is_beyond(study.side):
        return "on the other side" if study.side else "has a direction"
    return MISSING if status == "open" and study.side == 0 else SAYS[status]


def together_rows(found: list[Together]) -> list[tuple[str, str, str]]:
    """Give what was moved together: the keys, whether it turns the conclusion, the ratio."""
    return [
        (
            ", ".join(f"{key} = {value}" for key, value in each.parts)
            + ("" if each.move == "both" else f"; for the {each.move} alone"),
            "turns it" if each.turns else "",
            MISSING
            if each.found is None
            else each.found.fault
            if each.found.sample is None
            else ratio_of(each.found)
            if each.found.sample.count >= fewest()
            else f"{ratio_of(each.found).split(',')[0]} of two repeats",
        )
        for each in sorted(found, key=lambda each: (not each.turns, each.corrected))
    ]


SHOWN = 20
"""Rows of the table that a terminal shows; the page has all."""
HEAD = (
    Column("key", code=True),
    "kind",
    Column("here", code=True, most=20),
    "conclusion",
    "p, corrected",
    Column("farthest against it", most=70),
)


def document(
    name: str, about: str, names: ComparedNames, studies: Sequence[tuple[Findings, Kept]], runs: int
) -> Document:
    """Give the conclusions first, then each study."""
    blocks: list[Block | None] = []
    schemes = (names.baseline, names.candidate)
    for number, (study, kept) in enumerate(studies):
        open_keys = any(key.status in ("turns", "open") for key in study.keys)
        first, dot, rest = sentence(names, study, kept).partition(". ")
        blocks += [Title(LOADS[kept])] if number else []
        blocks += beginning(
            "" if number else about,
            f"{first}{dot.strip()}",
            (),
            level="not-established" if open_keys or not study.side or study.base.mark else "",
            said=rest,
            chart=Chart(f"tornado-{kept}", partial(_tornado, names, study)),
            caption=PICTURE,
            names=[] if number else named(schemes),
        )
    blocks.append(
        "Each key of the model is moved to its declared alternatives, for both schemes and for each alone. A "
        f"count of keys is no probability: alternatives are no sample of anything. {runs} runs."
    )
    rank = 2 if len(studies) == 1 else 3
    for study, kept in studies:
        blocks += [Title(LOADS[kept])] if rank > 2 else []
        blocks += _blocks(names, study, rank)
    return Document(f"{name}, sensitivity", blocks, heading=f"{name}: what would turn it")


PICTURE = (
    "Each row is a choice of the model: how far its alternatives move the ratio. Dashed: the comparison "
    "as it is; black: no difference. Lines are 95 % intervals; marks without one are of two repeats."
)


def _tornado(names: ComparedNames, study: Findings) -> object:
    from reclaim.study.sensitivity.tornado import tornado

    return tornado(names, study)


def _blocks(names: ComparedNames, study: Findings, rank: int) -> list[Block]:
    listed = study.listed
    marks = [each.last.mark for key in study.keys for each in key.variations if each.last]
    unmoved = {
        "compared itself": ", ".join(listed.compared) or "nothing",
        "without effect on this drive": ", ".join(listed.vain) or "nothing",
        "left out by the experiment": ", ".join(listed.left_out),
        "alternatives of the experiment": ", ".join(listed.changed),
        "combinations refused": str(study.refused_draws),
    }
    together = {
        f"Pairs of the keys that pull most ({len(study.pairs)})": study.pairs,
        f"Random combinations of alternatives ({len(study.combinations)})": study.combinations,
    }
    cut = f"The budget cut short: {', '.join(study.over_budget)}." if study.over_budget else ""
    return [
        Title("Every key", rank=rank),
        (
            "The alternative that is farthest against the conclusion is in sight; open it for all. "
            f"The baseline is {names.baseline}, the candidate {names.candidate}."
        ),
        Text(cut),
        Table(HEAD, list(rows(study)), most=SHOWN, marks=marks, why="what runs say of the metric"),
        *(
            Fold(summary, [Table((Column("", code=True), "", ""), together_rows(moved), kind="entries")])
            for summary, moved in together.items()
        ),
        Title("What was not moved", page=True, rank=rank),
        Table(("", ""), [each for each in unmoved.items() if each[1]], kind="entries"),
    ]
