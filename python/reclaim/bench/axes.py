"""Reads what differs between points: `[axes]`, crossed with everything, and `[vary]`, each varied alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reclaim import _core
from reclaim.bench.fields import fits, kind_of, table_of
from reclaim.bench.lines import KeyPath
from reclaim.bench.mistakes import Mistakes, dotted
from reclaim.bench.parts import Axis, Choice, Settings
from reclaim.bench.values import read_setting, read_settings, value_text
from reclaim.layers import is_same
from reclaim.results.sets.names import taken


def _sections() -> set[str]:
    """Sections of a configuration: an axis of that name is a key without its quotes."""
    import json

    return set(json.loads(_core.schema())["properties"]) - {"seed", "name"}


def read_axes(table: Mapping[str, Any], base: Path, mistakes: Mistakes) -> tuple[Axis, ...]:
    """Read both tables, axes before what is varied."""
    sections = _sections()
    found: list[Axis] = []
    for section in ("axes", "vary"):
        for name, value in table_of(table, section, mistakes).items():
            path: KeyPath = (section, name)
            if name in sections:
                inner = next(iter(value), "key") if isinstance(value, Mapping) else "key"
                mistakes.add(
                    path, f'is a section; write the whole key in quotes, as in "{name}.{inner}" = […]'
                )
                continue
            reason = None if _is_key(name, value) else taken(name)
            if reason is not None:
                other = f"my-{name.strip()}".replace("=", "-")
                mistakes.add(path, f'{reason}; give the axis another name, as in "{other}"')
                continue
            axis = _axis(name, value, path, base, mistakes)
            found += [axis] if axis else []
    _set_once(found, mistakes)
    return tuple(found)


def _is_key(name: str, value: Any) -> bool:
    """Whether it is the key `seed`: an axis of its values has no other name, and is in the column `seed`."""
    return name == "seed" and not isinstance(value, Mapping)


def _axis(name: str, value: Any, path: KeyPath, base: Path, mistakes: Mistakes) -> Axis | None:
    if isinstance(value, list) and value:
        choices = _values(name, value, path, base, mistakes)
    elif isinstance(value, Mapping) and value:
        choices = [
            Choice(group, read_settings(settings, (*path, group), base, mistakes))
            for group, settings in value.items()
            if fits(group, (*path, group), mistakes)
        ]
    else:
        mistakes.add(
            path,
            'must be a list of values, as in "gc.pages_in_flight" = [1, 2], or a table of named groups of '
            f"settings, not {kind_of(value)}",
        )
        return None
    return Axis(name, tuple(choices), path[0] == "axes")


def _values(name: str, values: list[Any], path: KeyPath, base: Path, mistakes: Mistakes) -> list[Choice]:
    choices: dict[str, Choice] = {}
    for number, value in enumerate(values):
        setting = read_setting(name, value, (*path, number), base, mistakes)
        if setting is None:
            continue
        text = value_text(value)
        if text in choices:
            mistakes.add((*path, number), f'"{text}" is listed twice')
            continue
        choices[text] = Choice(text, {name: setting})
    return list(choices.values())


def _keys(axis: Axis) -> Settings:
    return {key: setting for choice in axis.choices for key, setting in choice.settings.items()}


def _set_once(axes: list[Axis], mistakes: Mistakes) -> None:
    """Refuse two axes that change the same setting: one of them would be in vain."""
    owner: dict[str, Axis] = {}
    names: dict[str, str] = {}
    for axis in axes:
        section = "axes" if axis.crossed else "vary"
        for key in _keys(axis):
            said, other = next(
                ((known, of) for known, of in owner.items() if is_same(key, known)), (key, axis)
            )
            owner.setdefault(key, axis)
            if other is axis:
                continue
            there = dotted(("axes" if other.crossed else "vary", other.name))
            does = "so does" if said == key else f"{said}, which says the same, is set by"
            mistakes.add((section, axis.name), f"sets {key}, and {does} {there}; only one of them can")
        other_name = names.get(axis.name.lower())
        if other_name is not None:
            same = "is an axis already" if other_name == axis.name else f'is "{other_name}" to SQL'
            mistakes.add((section, axis.name), f"{same}; give it another name")
        names[axis.name.lower()] = axis.name
