"""The report of a study: one HTML file that opens anywhere, offline."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from reclaim import output_file
from reclaim.instruments.conclusion import LOADS, Names, ratio_of, sentence
from reclaim.instruments.judging import STATUSES, Key, Status, Variation, state_of
from reclaim.instruments.load import Kept
from reclaim.instruments.study import Study, Together
from reclaim.units import MISSING

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


class Row(NamedTuple):
    """A line of the table."""

    key: str
    kind: str
    present: str
    status: str
    corrected: str
    variations: list[tuple[str, str, str]]
    """Value and for whom, what it says, and the ratio or why there is none."""
    why: str
    strongest: str
    """What is farthest against the conclusion."""


def _figure(each: Variation) -> str:
    found = each.last
    if found is None:
        return MISSING
    if found.sample is None:
        # The key and its value stand beside it.
        return found.fault.rpartition(f"{each.key}: ")[2]
    text = ratio_of(found)
    return text if each.full is not None else f"{text.split(',')[0]} of two repeats"


def rows(study: Study) -> Iterator[Row]:
    """Give the table: what turns the conclusion first, what agrees last."""
    order = {status: number for number, status in enumerate(STATUSES)}
    for key in sorted(study.keys, key=lambda key: (order[key.status], key.corrected)):
        variations = [
            (
                each.whose,
                _says(each, key, study),
                _figure(each),
            )
            for each in key.variations
        ]
        present = ", ".join(dict.fromkeys(value or MISSING for value in key.present.values()))
        status = SAYS[key.status] if study.side or key.status != "turns" else "gives it a direction"
        yield Row(
            key.name,
            key.kind,
            present,
            status,
            f"{key.corrected:.2g}",
            variations,
            key.why,
            strongest(key, study),
        )


def strongest(key: Key, study: Study) -> str:
    """Name the variation that is farthest against the conclusion, with its ratio; or why there is none."""
    ran = [(each.last.sample, each) for each in key.variations if each.last is not None]
    known = [(sample.mean, each) for sample, each in ran if sample is not None]
    base = study.base.sample
    if not known or base is None:
        return next((_figure(each) for _, each in ran), MISSING)
    side = study.side
    _, each = min(known, key=lambda pull: pull[0] * side if side else -abs(pull[0] - base.mean))
    return f"{each.whose}: {_figure(each)}"


def _says(each: Variation, key: Key, study: Study) -> str:
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
            + ("" if each.move == "both" else f"; for {each.move} alone"),
            "turns it" if each.turns else "",
            MISSING
            if each.found is None
            else each.found.fault
            if each.found.sample is None
            else ratio_of(each.found)
            if each.found.sample.count >= FEWEST
            else f"{ratio_of(each.found).split(',')[0]} of two repeats",
        )
        for each in sorted(found, key=lambda each: (not each.turns, each.corrected))
    ]


FEWEST = 6
"""Repeats of which an interval is given."""


def render(name: str, about: str, names: Names, studies: list[tuple[Study, Kept]], runs: int) -> str:
    """HTML of the report."""
    from reclaim.charts import panels_of
    from reclaim.html import inline_json, render_page, with_code
    from reclaim.instruments.tornado import specification

    parts: list[dict[str, Any]] = []
    specs: dict[str, Any] = {}
    for study, kept in studies:
        spec = specification(names, study)
        if spec is not None:
            specs[f"tornado-{kept}"] = panels_of(json.loads(json.dumps(spec)))
        parts.append(
            {
                "kept": kept,
                "load": LOADS[kept],
                "in_doubt": study.side == 0 or any(key.status in ("turns", "open") for key in study.keys),
                "told": with_code(sentence(names, study, kept)),
                "figure": f"tornado-{kept}" if spec is not None else "",
                "rows": list(rows(study)),
                "pairs": together_rows(study.pairs),
                "combinations": together_rows(study.combinations),
                "refused": study.refused_draws,
                "over_budget": ", ".join(study.over_budget),
                "compared": study.listed.compared,
                "vain": study.listed.vain,
                "left_out": study.listed.left_out,
                "changed": study.listed.changed,
            }
        )
    return render_page(
        "sensitivity.html.j2",
        name=name,
        about=about,
        a=names.a,
        b=names.b,
        studies=parts,
        runs=runs,
        specs=inline_json(specs),
    )


def write(path: Path, text: str) -> None:
    """Write the page.

    Raises:
        InputError: if it cannot be written, or is there and Reclaim did not draw it.
    """
    output_file.check_page(path)
    output_file.write_text(path, text)
