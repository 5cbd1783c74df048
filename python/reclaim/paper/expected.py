"""Reading `expected.toml`: the claims of a paper, what groups and others give them, and their classes."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, create_model

from reclaim.mistakes import Mistakes, parse_toml, valid
from reclaim.paper.claims import (
    CLASSES,
    WAYS,
    Claim,
    ClaimClass,
    Contradiction,
    Expected,
    Family,
    PrintedClaim,
    half_unit,
)
from reclaim.paper.contradictions import RELATIONS, Numbers, prove
from reclaim.paper.entries import finite
from reclaim.parsing import text_of
from reclaim.sections import Section, Words, Wrong, listed, named_twice, read

SHARED: dict[str, Any] = {
    name: (Any, None) for name in PrintedClaim.model_fields if name not in ("id", "group")
}
"""What a group or the defaults may say for claims, which their types check where they take it."""


class Shared(create_model("Shared", __base__=Section, **SHARED)):  # type: ignore[misc]
    """What all claims of a file have, if they do not say otherwise."""


class ClaimGroup(Shared):
    """A table or figure of the paper, and what its claims have."""

    name: Words
    title: Words


class ExpectedFile(Section):
    """Everything a paper prints, as the file has it."""

    defaults: Shared | None = None
    groups: Annotated[tuple[ClaimGroup, ...], named_twice("group", "name")] = Field((), alias="group")
    families: Annotated[tuple[Family, ...], named_twice("family", "id")] = Field((), alias="family")
    claims: Annotated[tuple[PrintedClaim, ...], named_twice("claim", "id")] = Field((), alias="claim")
    classes: tuple[ClaimClass, ...] = Field((), alias="class")

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that there is something, and that names of groups lead to one."""
        groups = [str(each.get("name")) for each in _tables(table, "group")]
        if not table.get("claim") and not table.get("family"):
            yield Wrong((), "has neither a [[claim]] nor a [[family]]")
        for number, each in enumerate(_tables(table, "claim")):
            name = each.get("group")
            if name is not None and str(name) not in groups:
                yield Wrong(("claim", number, "group"), f'no [[group]] "{name}"; {valid(str(name), groups)}')
        for number, each in enumerate(_tables(table, "family")):
            if each.get("id") in groups:
                yield Wrong(("family", number, "id"), f'there is a [[group]] "{each["id"]}" already')


def _tables(table: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    tables = listed(table.get(key))
    return tables if all(isinstance(each, Mapping) for each in tables) else []


def load_expected(path: Path) -> Expected:
    """Read the claims of a paper.

    Raises:
        InputError: with every mistake, a line each.
    """
    mistakes = Mistakes(str(path), text_of(path))
    table = parse_toml(mistakes.source, mistakes)
    mistakes.refuse()
    file, _ = read(ExpectedFile, _merged(table), mistakes)
    mistakes.refuse()
    assert file is not None  # noqa: S101 - a mistake says why
    titles = {each.name: each.title for each in file.groups}
    claims = [Claim.model_construct(**dict(claim)) for claim in file.claims]
    claims = classified(_linked(_proved(claims, mistakes), mistakes), file.classes, titles, mistakes)
    mistakes.refuse()
    return Expected(tuple(claims), file.families, titles)


def _merged(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """The file with all that a claim takes from its group and from the defaults, in the claim."""
    defaults = table.get("defaults")
    groups = {each.get("name"): each for each in _tables(table, "group")}
    if not _tables(table, "claim") or not isinstance(defaults, Mapping | None):
        return table
    return {**table, "claim": [_with(each, defaults or {}, groups) for each in _tables(table, "claim")]}


def _with(
    claim: Mapping[str, Any], defaults: Mapping[str, Any], groups: Mapping[object, Mapping[str, Any]]
) -> dict[str, Any]:
    """A claim with what its group and the file give to all; of `measure`, key by key."""
    name = claim.get("group")
    group = groups.get(name, {}) if isinstance(name, str) else {}
    layers = (defaults, {key: value for key, value in group.items() if key in SHARED}, claim)
    merged = {key: value for layer in layers for key, value in layer.items()}
    if any(way in claim for way in WAYS):
        # A claim of its own way takes none of its group's.
        merged = {key: value for key, value in merged.items() if key not in WAYS or key in claim}
    if isinstance(merged.get("measure"), Mapping):
        given = [layer["measure"] for layer in layers if isinstance(layer.get("measure"), Mapping)]
        merged["measure"] = {key: value for layer in given for key, value in layer.items()}
    if (number := finite(merged.get("value"))) is not None:
        merged.setdefault("printed", f"{number:g}")
    return merged


def _proved(claims: Sequence[Claim], mistakes: Mistakes) -> list[Claim]:
    """Claims with the proofs of their contradictions: one that does not follow is a mistake of ours."""
    proved = []
    for number, claim in enumerate(claims):
        place, update = ("claim", number, "contradiction"), {}
        if claim.contradiction is not None:
            numbers, wrong = _numbers(claim, claim.contradiction, claims)
            for text in wrong:
                mistakes.add(place, text)
            if not wrong:
                update["proof"] = proof = prove(claim, claim.contradiction, numbers)
                if not proof.holds:
                    mistakes.add(place, f"does not hold: {proof.shown}")
        proved.append(claim.model_copy(update=update))
    return proved


def _numbers(
    claim: Claim, contradiction: Contradiction, claims: Sequence[Claim]
) -> tuple[Numbers, list[str]]:
    """The numbers of a contradiction, and what is wrong with it."""
    wrong = []
    chosen = [
        other
        for pattern in contradiction.claims
        for other in claims
        if fnmatch.fnmatchcase(other.id, pattern) and other.id not in (*contradiction.without, claim.id)
    ]
    if contradiction.claims and not chosen:
        wrong.append(f"no claim is called {' or '.join(contradiction.claims)}")
    wrong += [f'the value of "{each.id}" is no number' for each in chosen if isinstance(each.value, str)]
    if not contradiction.claims and not contradiction.printed:
        wrong.append("names no numbers: claims = [ids] or printed = [numbers as printed]")
    sign, _, bound = contradiction.must.partition(" ")
    if contradiction.must and sign not in RELATIONS:
        example = f'{", ".join(RELATIONS)} and a number, as in ">= 1"'
        wrong.append(f'must = "{contradiction.must}"; write one of {example}')
    elif not contradiction.must and isinstance(claim.value, str):
        wrong.append('a claim in words needs must, as in must = ">= 1"')
    texts = [*contradiction.printed, *([bound] if contradiction.must else [])]
    wrong += [f'"{text}" is not a number' for text in texts if number_of(text) is None]
    if wrong:
        return [], wrong
    numbers = [(float(each.value), each.half_unit) for each in chosen]
    return numbers + [(number_of(text) or 0.0, half_unit(text)) for text in contradiction.printed], []


def number_of(text: str) -> float | None:
    """A number as papers print it; None if it is none.

    >>> number_of("21,374"), number_of("x")
    (21374.0, None)
    """
    try:
        return finite(float(text.replace(",", "")))
    except ValueError:
        return None


def _linked(claims: Sequence[Claim], mistakes: Mistakes) -> list[Claim]:
    """Claims with what they take from those that they repeat: how they are judged, what contradicts them.

    One number has one rule: where both print one, kind, side and tolerance are those of the other, too.
    """
    by_id = {claim.id: claim for claim in claims}
    linked = []
    for number, claim in enumerate(claims):
        other = by_id.get(claim.repeats)
        taken = ["measure", "figure", "outside", "missing", "contradiction", "proof", "open", "artefact"]
        if claim.repeats and (other is None or other.repeats):
            text = f'"{claim.repeats}" is no claim that stands for itself'
            mistakes.add(("claim", number, "repeats"), text)
        elif other is not None and isinstance(claim.value, float) and isinstance(other.value, float):
            if claim.kind != other.kind:
                of = f'kind = "{claim.kind}", but "{other.id}", which it repeats, is a {other.kind}'
                mistakes.add(("claim", number), of)
            taken += ["better", "tolerance"]
        update = {} if other is None else {key: getattr(other, key) for key in taken}
        linked.append(claim.model_copy(update=update))
    return linked


OF_OTHERS = "whose expected figure is none that a paper prints"
BY_KIND = "by its kind alone: the file has no [[class]]"


def classified(
    claims: Sequence[Claim], listed: Sequence[ClaimClass], groups: Mapping[str, str], mistakes: Mistakes
) -> list[Claim]:
    """Give each claim its class; a claim that no entry fits is a mistake, and an entry that fits none."""
    used: set[int] = set()
    found = []
    for number, claim in enumerate(claims):
        if claim.origin != "paper" or not listed:
            found.append(_by_kind(claim))
            continue
        at = next((at for at, each in enumerate(listed) if each.fits(claim)), None)
        if at is None:
            mistakes.add(("claim", number), f"no [[class]] fits it; classes: {', '.join(CLASSES)}")
            continue
        used.add(at)
        keys = ("of_class", "relative", "error_of", "rests_on")
        update = {key: getattr(listed[at], key) for key in keys}
        found.append(claim.model_copy(update={**update, "why_class": listed[at].why}))
    for at, each in enumerate(listed):
        for name in each.groups:
            if name not in groups:
                mistakes.add(("class", at, "groups"), f'"{name}" is no group; {valid(name, groups)}')
        if at not in used:
            mistakes.add(("class", at), "no claim is of it")
    return found


def _by_kind(claim: Claim) -> Claim:
    """Give a claim the class that it has where the file gives none."""
    if claim.origin != "paper":
        return claim.model_copy(update={"of_class": "own", "why_class": OF_OTHERS})
    of_class = "performance" if claim.kind in ("value", "ratio") else "comparison"
    return claim.model_copy(update={"of_class": of_class, "why_class": BY_KIND})
