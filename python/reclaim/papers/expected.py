"""Reading `expected.toml`: the claims of a paper, checked key by key."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from reclaim.papers import claims as kinds
from reclaim.papers.claims import Claim, Contradiction, Expected, Family, Measure, half_unit
from reclaim.papers.classes import classified, entries
from reclaim.papers.contradictions import STATISTICS, prove
from reclaim.papers.fields import Fields, finite, shown
from reclaim.parsing import toml_file
from reclaim.suggestions import near

OF_CLASS = ("of_class", "why_class", "relative", "error_of", "rests_on")
"""What a claim has of its `[[class]]`."""
SHARED = (
    "name",
    "title",
    *(each.name for each in dataclass_fields(Claim) if each.name not in ("id", "group", *OF_CLASS)),
)
"""Keys of a group, and all but its name and title also of the defaults."""
RELATIONS = (">=", "<=", ">", "<")
WAYS = ("measure", "figure", "outside", "missing", "repeats")
"""How a claim can be judged: exactly one of these, or by a contradiction alone."""


def load_expected(path: Path) -> Expected:
    """Read the claims of a paper.

    Raises:
        InputError: for anything that is wrong in the file, with the claim and the key.
    """
    whole = Fields(path, "the file", toml_file(path))
    defaults = whole.table("defaults") or {}
    _check_shared(Fields(path, "defaults", {}), defaults)
    groups, headings = _groups(path, whole.tables("group"))
    families = tuple(_family(path, index, table) for index, table in enumerate(whole.tables("family"), 1))
    tables = whole.tables("claim")
    listed = entries(path, whole.tables("class"))
    whole.done()
    for family in families:
        if [each.id for each in families].count(family.id) > 1 or family.id in groups:
            raise whole.fault(f'family "{family.id}": the name is taken')
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
    _check_proofs(path, found.values())
    linked = [_linked(path, claim, found) for claim in found.values()]
    return Expected(tuple(classified(path, linked, listed, headings)), families, headings)


def _groups(path: Path, tables: list[dict[str, Any]]) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """What each group gives to its claims, and the heading of each."""
    groups: dict[str, dict[str, Any]] = {}
    headings: dict[str, str] = {}
    for index, table in enumerate(tables, 1):
        fields = Fields(path, f"group {index}", table)
        name = fields.text("name")
        if name in groups:
            raise fields.fault(f'the name "{name}" is taken')
        headings[name] = fields.text("title")
        _check_shared(fields, table)
        groups[name] = {key: value for key, value in table.items() if key not in ("name", "title")}
    return groups, headings


def _check_proofs(path: Path, found: Iterable[Claim]) -> None:
    """Refuse a contradiction that does not follow from what is printed: it is a mistake of ours."""
    for claim in found:
        proof = None if claim.contradiction is None else prove(claim, claim.contradiction)
        if proof is not None and not proof.holds:
            fields = Fields(path, f'claim "{claim.id}"', {})
            raise fields.fault(f"the contradiction does not hold: {proof.shown}")


def _check_shared(fields: Fields, table: Mapping[str, Any]) -> None:
    """Refuse keys that no claim has, also where no claim takes them."""
    for key in table:
        if key not in SHARED:
            raise fields.fault(f"unknown key {key}; valid: {', '.join(SHARED)}{near(key, SHARED)}")


def _merged(
    path: Path, index: int, table: dict[str, Any], defaults: dict[str, Any], groups: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """A claim with what its group and the file give to all; of `measure`, key by key."""
    name = table.get("group", "")
    if name and (not isinstance(name, str) or name not in groups):
        there = ", ".join(groups) or "none"
        fields = Fields(path, _place(index, table), {})
        raise fields.fault(f'group = "{name}"; groups: {there}')
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
        count=fields.whole("count", least=1),
        origin=cast(kinds.Origin, fields.choice("origin", tuple(kinds.ORIGINS), "formula")),
    )
    fields.done()
    return family


def _claim(path: Path, index: int, table: dict[str, Any]) -> Claim:
    fields = Fields(path, _place(index, table), table)
    kind = cast(kinds.Kind, fields.choice("kind", kinds.KINDS))
    value = fields.any("value")
    if kind in ("value", "ratio"):
        readable = finite(value)
        if readable is None and not (isinstance(value, str) and "outside" in table):
            raise fields.fault(f'value = {shown(value)} is not a number, as kind = "{kind}" needs')
        value = value if readable is None else readable
    elif not isinstance(value, str) or not value.strip():
        raise fields.fault(f"value = {shown(value)} is not a text: say in words what is claimed")
    printed = fields.text("printed") if "printed" in table else ""
    if isinstance(value, float):
        printed = printed or f"{value:g}"
        if not any(each.isdigit() for each in printed):
            raise fields.fault(f'printed = "{printed}" has no digits, and they are its precision')
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
        origin=cast(kinds.Origin, fields.choice("origin", tuple(kinds.ORIGINS), "paper")),
        open=fields.text("open", ""),
        artefact=fields.text("artefact", ""),
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
    for key, value in where.items():
        if not isinstance(value, str | int | float):
            raise fields.fault(f"where.{key} = {shown(value)} is not a value of an axis")
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
    """The claim with what it takes from the one that it repeats: how it is judged, what contradicts it.

    One number has one rule: where both print one, kind, side and tolerance are those of the other, too.
    """
    if not claim.repeats:
        return claim
    other = found.get(claim.repeats)
    fields = Fields(path, f'claim "{claim.id}"', {})
    if other is None or other.repeats:
        raise fields.fault(f'repeats = "{claim.repeats}" is no claim that stands for itself')
    taken = ["measure", "figure", "outside", "missing", "contradiction", "open", "artefact"]
    if isinstance(claim.value, float) and isinstance(other.value, float):
        if claim.kind != other.kind:
            raise fields.fault(
                f'kind = "{claim.kind}", but "{other.id}", which it repeats, is a {other.kind}'
            )
        taken += ["better", "tolerance"]
    own = {key: getattr(other, key) for key in taken}
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
        found = finite(float(text.replace(",", "")))
    except ValueError:
        found = None
    if found is None:
        raise fields.fault(f'"{text}" is not a number')
    return found
