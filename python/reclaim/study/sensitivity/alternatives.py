"""The choices that a model makes: keys of a configuration and what else they could be, as they declare it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Literal, get_args

from reclaim import _core
from reclaim.experiment.parts import value_text
from reclaim.units import BYTES, quantity, with_unit

Kind = Literal["reading", "unprinted", "scope"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class AlternativeKey:
    """A key of one drive that could be something else."""

    key: str
    kind: Kind
    why: str
    present: str | None
    """Its value here, as `--set` takes it; None where it is absent."""
    values: tuple[str, ...]
    """What it could be instead, as declared; `×` and a number is a factor."""
    raw: Any = None
    """Its value as the configuration has it."""

    def others(self) -> dict[str, str]:
        """Give every alternative to the present value: how it is declared, and what sets it."""
        found: dict[str, str] = {}
        for value in self.values:
            moved = scaled(self.raw, value) if is_factor(value) else value
            if moved is not None and moved != self.present and moved not in found.values():
                found[value] = moved
        return found


@cache
def _catalogue() -> dict[str, Any]:
    """Policy kinds by their keys."""
    return {kind["key"]: kind for kind in json.loads(_core.catalogue())}


@cache
def _schema() -> dict[str, Any]:
    return dict(json.loads(_core.schema()))


def choices(config: Mapping[str, Any]) -> dict[str, AlternativeKey]:
    """Give every choice of a drive, by its key, in the order of the configuration's documentation.

    A key that is exempt is none, nor is one below a section that the drive does not have.

    Args:
        config: a resolved configuration.
    """
    return {each.key: each for each in _of_section(_schema(), config, "")}


def _target(node: Mapping[str, Any]) -> dict[str, Any]:
    """The definition that a property refers to; itself where it refers to none."""
    for part in (node, *node.get("allOf", []), *node.get("anyOf", [])):
        if "$ref" in part:
            found: dict[str, Any] = _schema()["$defs"][part["$ref"].rpartition("/")[2]]
            return found
    return dict(node)


def _of_section(
    section: Mapping[str, Any], config: Mapping[str, Any], above: str
) -> Iterator[AlternativeKey]:
    for name, node in section.get("properties", {}).items():
        key = f"{above}.{name}" if above else name
        declared = node.get("x-alternatives", {})
        value = config.get(name)
        if key in _catalogue():
            # A kind that few drives have is left out where it is the first.
            yield from _of_policy(key, config.get(name) or {"kind": _catalogue()[key]["policies"][0]["name"]})
        elif "exempt" in declared:
            continue
        elif "properties" in _target(node) and isinstance(value, Mapping):
            yield from _of_section(_target(node), value, key)
        elif declared:
            yield _choice(key, declared, value)


def _of_policy(key: str, given: Mapping[str, Any]) -> Iterator[AlternativeKey]:
    """The kind of a policy, where it is among those that stand in for each other, and its parameters."""
    kind = _catalogue()[key]
    declared, present = kind["alternatives"], str(given["kind"])
    if any(kind_of(value) == present for value in declared["values"]):
        yield AlternativeKey(
            key, declared["kind"], declared["why"], present, tuple(declared["values"]), present
        )
    policy = next(each for each in kind["policies"] if each["name"] == present)
    for name, node in policy["parameters"].get("properties", {}).items():
        of_parameter = node.get("x-alternatives", {})
        if "values" in of_parameter:
            yield _choice(f"{key}.{name}", of_parameter, given.get(name, node.get("default")))


def kind_of(value: str) -> str:
    """Name the policy that an alternative of a policy kind stands for.

    >>> kind_of("fcfs"), kind_of('{ kind = "type-first", gc_first = "always" }')
    ('fcfs', 'type-first')
    """
    return value.split('"')[1] if value.startswith("{") else value


def _choice(key: str, declared: Mapping[str, Any], value: Any) -> AlternativeKey:
    present = None if value is None else value_text(value)
    return AlternativeKey(key, declared["kind"], declared["why"], present, tuple(declared["values"]), value)


SIGN = "×"
PAGE_BYTES = 4096
WHOLE = {"ns", "block"}
"""Units of which there are no parts."""


def is_factor(value: str) -> bool:
    """Whether an alternative is a factor for the value at hand.

    >>> is_factor("×0.5"), is_factor("5%")
    (True, False)
    """
    return value.startswith(SIGN)


def scaled(value: Any, factor: str) -> str | None:
    """Multiply a value of a configuration, as `--set` takes it; None where that changes nothing or cannot be.

    >>> scaled("75us", "×0.5"), scaled(4, "×0.25"), scaled(1, "×0.5"), scaled("5%", "×2")
    ('37.5us', '1', None, '10%')
    >>> scaled(["40us", "60us"], "×2"), scaled("1 block", "×2"), scaled("unlimited", "×2")
    ('["80us", "120us"]', '2 blocks', None)
    >>> scaled("64GiB", "×0.9")
    '61847527424B'
    """
    by = float(factor.removeprefix(SIGN))
    found = _scaled(value, by)
    return None if found is None or found == value else value_text(found)


def _scaled(value: Any, by: float) -> Any:
    match value:
        case bool() | None:
            return None
        case int():
            return max(1, round(value * by)) if value else None
        case float():
            return float(f"{value * by:.12g}")
        case list():
            parts = [_scaled(each, by) for each in value]
            return None if None in parts else parts
        case str():
            return _quantity(value, by)
    return None


def _quantity(text: str, by: float) -> str | None:
    known = quantity(text)
    if known is None or not known[1]:
        return None
    number, unit = float(known[0]) * by, known[1]
    size = BYTES.get(unit.strip())
    if size is not None:
        total = number * size
        step = PAGE_BYTES if total >= PAGE_BYTES else 1
        return f"{max(step, round(total / step) * step)}B"
    if unit.strip() in WHOLE:
        return with_unit(Decimal(max(1, round(number))), unit)
    return f"{number:.10g}{unit}"
