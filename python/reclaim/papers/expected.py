"""Reading `expected.toml`: the claims of a paper, checked key by key."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from reclaim.papers import claims as kinds
from reclaim.papers.claims import Claim, Contradiction, Expected, Family, Measure, half_unit
from reclaim.papers.contradictions import STATISTICS
from reclaim.papers.fields import Fields, load

RELATIONS = (">=", "<=", ">", "<")
WAYS = ("measure", "figure", "outside", "missing", "repeats")
"""How a claim can be judged: exactly one of these, or by a contradiction alone."""


def load_expected(path: Path) -> Expected:
    """Read the claims of a paper.

    Raises:
        InputError: for anything that is wrong in the file, with the claim and the key.
    """
    whole = Fields(path, "the file", load(path))
    defaults = whole.table("defaults") or {}
    groups: dict[str, dict[str, Any]] = {}
    headings: dict[str, str] = {}
    for index, table in enumerate(whole.tables("group"), 1):
        fields = Fields(path, f"group {index}", table)
        name = fields.text("name")
        if name in groups:
            raise fields.fault(f'the name "{name}" is taken')
        headings[name] = fields.text("title")
        groups[name] = {key: value for key, value in table.items() if key not in ("name", "title")}
    families = tuple(_family(path, index, table) for index, table in enumerate(whole.tables("family"), 1))
    tables = whole.tables("claim")
    whole.done()
    found: dict[str, Claim] = {}
    for index, table in enumerate(tables, 1):
        merged = _merged(path, index, table, defaults, groups)
        claim = _claim(path, index, merged)
        if claim.id in found:
            raise Fields(path, f"claim {index}", table).fault(f'the id "{claim.id}" is taken')
        found[claim.id] = claim
    if not found and not families:
        raise whole.fault("has neither a [[claim]] nor a [[family]]")
    for claim, table in zip(list(found.values()), tables, strict=True):
        if "contradiction" in table:
            raw = table["contradiction"]
            found[claim.id] = replace(claim, contradiction=_contradiction(path, claim, raw, found))
    whole_claims = tuple(_linked(path, claim, found) for claim in found.values())
    return Expected(whole_claims, families, headings)


def _merged(
    path: Path, index: int, table: dict[str, Any], defaults: dict[str, Any], groups: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """A claim with what its group and the file give to all; of `measure`, key by key."""
    name = table.get("group", "")
    if name and name not in groups:
        raise Fields(path, _place(index, table), {}).fault(f'group = "{name}"; groups: {", ".join(groups)}')
    layers = (defaults, groups.get(name, {}), table)
    merged = {key: value for layer in layers for key, value in layer.items()}
    if any(way in table for way in WAYS):
        # A claim of its own way takes none of its group's.
        merged = {key: value for key, value in merged.items() if key not in WAYS or key in table}
    if isinstance(merged.get("measure"), dict):
        given = [layer["measure"] for layer in layers if isinstance(layer.get("measure"), dict)]
        merged["measure"] = {key: value for layer in given for key, value in layer.items()}
    return merged


def _place(index: int, table: Mapping[str, Any]) -> str:
    return f'claim "{table["id"]}"' if isinstance(table.get("id"), str) else f"claim {index}"


def _family(path: Path, index: int, table: dict[str, Any]) -> Family:
    fields = Fields(path, f"family {index}", table)
    family = Family(
        id=fields.text("id"),
        group=fields.text("group"),
        what=fields.text("what"),
        where=fields.text("where"),
        count=int(fields.number("count", least=1) or 1),
    )
    fields.done()
    return family


def _claim(path: Path, index: int, table: dict[str, Any]) -> Claim:
    fields = Fields(path, _place(index, table), table)
    kind = cast(kinds.Kind, fields.choice("kind", kinds.KINDS))
    value = fields.any("value")
    if kind in ("value", "ratio"):
        readable = isinstance(value, int | float) and not isinstance(value, bool)
        if not readable and not (isinstance(value, str) and "outside" in table):
            raise fields.fault(f'value = {value!r} is not a number, as kind = "{kind}" needs')
        value = float(value) if readable else value
    elif not isinstance(value, str):
        raise fields.fault(f"value = {value!r} is not a text: say in words what is claimed")
    printed = fields.text("printed", "")
    if isinstance(value, float) and not printed:
        printed = f"{value:g}"
    measure = fields.table("measure")
    contradiction = fields.table("contradiction")
    claim = Claim(
        id=fields.text("id"),
        what=fields.text("what"),
        where=fields.text("where"),
        kind=kind,
        value=value,
        printed=printed,
        unit=fields.text("unit", ""),
        better=cast(kinds.Better, fields.choice("better", kinds.BETTER, "")),
        tolerance=fields.number("tolerance", least=0) or 0.0,
        reading_error=fields.number("reading_error", least=0),
        group=fields.text("group", ""),
        measure=None if measure is None else _measure(path, fields.place, kind, measure),
        figure=fields.text("figure", ""),
        outside=fields.text("outside", ""),
        missing=fields.text("missing", ""),
        contradiction=None,
        repeats=fields.text("repeats", ""),
        remark=fields.text("remark", ""),
    )
    fields.done()
    ways = [name for name in WAYS if getattr(claim, name)]
    if len(ways) != 1 and not (contradiction and not ways):
        said = " and ".join(ways) or "nothing"
        raise fields.fault(
            f"says {said} of how it is judged; it needs one of measure, figure, repeats, outside (why no run "
            "can decide it), missing (what Reclaim lacks)"
        )
    return claim


def _measure(path: Path, place: str, kind: str, table: dict[str, Any]) -> Measure:
    fields = Fields(path, f"{place}, measure", table)
    where = fields.table("where") or {}
    found = Measure(
        experiment=fields.text("experiment"),
        metric=fields.text("metric"),
        scheme=fields.text("scheme"),
        baseline=fields.texts("baseline"),
        form=cast(kinds.Form, fields.choice("form", kinds.FORMS, "value")),
        over=cast(kinds.Over, fields.choice("over", kinds.OVER, "mean")),
        workloads=fields.texts("workloads"),
        where={key: str(value) for key, value in where.items()},
        vary=fields.text("vary", ""),
        along=fields.text("along", ""),
        holds=cast(kinds.Holds, fields.choice("holds", kinds.HOLDS, "all")),
        shape=cast(kinds.Shape, fields.choice("shape", kinds.SHAPES, "flat")),
    )
    fields.done()
    if (found.form != "value" or kind == "order") and not found.baseline:
        raise fields.fault(f'form = "{found.form}" of a claim of kind "{kind}" needs a baseline')
    if kind == "ratio" and found.form == "value":
        raise fields.fault('a claim of kind "ratio" needs a form: ratio, speed-up, reduction or increase')
    if found.over == "geomean" and found.form in ("reduction", "increase"):
        raise fields.fault(f'over = "geomean": form = "{found.form}" may be negative; use mean or median')
    if kind == "shape" and not found.along:
        raise fields.fault("a shape is claimed along an axis: along = …")
    return found


def _linked(path: Path, claim: Claim, found: Mapping[str, Claim]) -> Claim:
    """The claim with what it takes from the one that it repeats: how it is judged, what contradicts it."""
    if not claim.repeats:
        return claim
    other = found.get(claim.repeats)
    if other is None or other.repeats:
        fields = Fields(path, f'claim "{claim.id}"', {})
        raise fields.fault(f'repeats = "{claim.repeats}" is no claim that stands for itself')
    own = {key: getattr(other, key) for key in ("measure", "figure", "outside", "missing", "contradiction")}
    return replace(claim, **own)


def _contradiction(
    path: Path, claim: Claim, table: dict[str, Any], found: Mapping[str, Claim]
) -> Contradiction:
    fields = Fields(path, f'claim "{claim.id}", contradiction', table)
    of = fields.choice("of", STATISTICS)
    patterns, without = fields.texts("claims"), fields.texts("without")
    chosen = [
        other
        for pattern in patterns
        for other in found.values()
        if fnmatch.fnmatchcase(other.id, pattern) and other.id not in without and other.id != claim.id
    ]
    if patterns and not chosen:
        raise fields.fault(f"no claim is called {' or '.join(patterns)}")
    words = [other.id for other in chosen if not isinstance(other.value, float)]
    if words:
        raise fields.fault(f'the value of "{words[0]}" is no number')
    values = [(other.id, float(other.value), other.half_unit) for other in chosen]
    values += [
        (f"printed {text}", _number(fields, text), half_unit(text)) for text in fields.texts("printed")
    ]
    if not values:
        raise fields.fault("names no numbers: claims = [ids] or printed = [numbers as printed]")
    must = fields.text("must", "")
    relation: tuple[str, float] | None = None
    if must:
        sign, _, number = must.partition(" ")
        if sign not in RELATIONS:
            raise fields.fault(
                f'must = "{must}"; write one of {", ".join(RELATIONS)} and a number, as in ">= 1"'
            )
        relation = (sign, _number(fields, number))
    elif not isinstance(claim.value, float):
        raise fields.fault('a claim in words needs must, as in must = ">= 1"')
    says = fields.text("says")
    fields.done()
    return Contradiction(of, tuple(values), says, relation)


def _number(fields: Fields, text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        raise fields.fault(f'"{text}" is not a number') from None
