"""What differs between points: `[axes]`, crossed with everything, and `[vary]`, each varied alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reclaim.bench.parts import Axis, Choice
from reclaim.bench.values import read_setting, read_settings, value_text
from reclaim.layers import is_same
from reclaim.mistakes import KeyPath, Mistakes, dotted


def read_axes(tables: Mapping[str, Mapping[str, Any]], base: Path, mistakes: Mistakes) -> tuple[Axis, ...]:
    """Read the tables `axes` and `vary`, axes before what is varied."""
    axes: list[Axis] = []
    for section, table in tables.items():
        for name, value in table.items():
            path: KeyPath = (section, name)
            if isinstance(value, Mapping):
                groups = value.items()
                choices = [
                    Choice(group, read_settings(each, (*path, group), base, mistakes))
                    for group, each in groups
                ]
            else:
                choices = _values(value, path, base, mistakes)
            axes.append(Axis(name, tuple(choices), section == "axes"))
    _set_once(axes, mistakes)
    return tuple(axes)


def _values(values: Sequence[Any], path: KeyPath, base: Path, mistakes: Mistakes) -> list[Choice]:
    choices: dict[str, Choice] = {}
    for number, value in enumerate(values):
        setting = read_setting(str(path[-1]), value, (*path, number), base, mistakes)
        if setting is not None and value_text(value) in choices:
            mistakes.add((*path, number), f'"{value_text(value)}" is listed twice')
        elif setting is not None:
            choices[value_text(value)] = Choice(value_text(value), {str(path[-1]): setting})
    return list(choices.values())


def _set_once(axes: list[Axis], mistakes: Mistakes) -> None:
    """Refuse two axes that change the same setting: one of them would be in vain."""
    owner: dict[str, Axis] = {}
    names: dict[str, str] = {}
    for axis in axes:
        path = _path(axis)
        for key in dict.fromkeys(key for choice in axis.choices for key in choice.settings):
            said, other = next(
                ((known, of) for known, of in owner.items() if is_same(key, known)), (key, axis)
            )
            owner.setdefault(key, axis)
            if other is axis:
                continue
            does = "so does" if said == key else f"{said}, which says the same, is set by"
            mistakes.add(path, f"sets {key}, and {does} {dotted(_path(other))}; only one of them can")
        other_name = names.setdefault(axis.name.lower(), axis.name)
        if other_name != axis.name:
            mistakes.add(path, f'is "{other_name}" to SQL; give it another name')
        elif any(each is not axis and each.name == axis.name for each in axes[: axes.index(axis)]):
            mistakes.add(path, "is an axis already; give it another name")


def _path(axis: Axis) -> KeyPath:
    return ("axes" if axis.crossed else "vary", axis.name)
