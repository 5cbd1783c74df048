"""Reads an experiment file into its parts, and notes every mistake on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reclaim.experiment.experiment_file import ExperimentFile, SchemeTable, TraceTable, file_with
from reclaim.experiment.fields import Named
from reclaim.experiment.parts import (
    Axis,
    Choice,
    DeviceEntry,
    Parts,
    Record,
    SchemeEntry,
    Setting,
    Settings,
    TraceEntry,
)
from reclaim.experiment.studies import OF_EXPERIMENTS
from reclaim.experiment.values import read_setting, read_settings, value_text
from reclaim.layers import is_same
from reclaim.mistakes import KeyPath, Mistakes, dotted
from reclaim.result.sets.names import ALL_TRACES
from reclaim.sections import keys_of, listed, missing, read

AS_CONFIGURED = "as configured"
"""What the scheme is called where none is named: the drive as its file has it."""
REQUIRED = ("name", "devices", "traces")


def read_parts(table: Mapping[str, Any], base: Path, mistakes: Mistakes) -> Parts:
    """Read a whole file; what is wrong is left out and noted."""
    for key in REQUIRED:
        if key not in table:
            mistakes.add((), missing(key, keys_of(ExperimentFile)[key]))
    asked = OF_EXPERIMENTS.keys() & table.keys()
    file, left_out = read(file_with(frozenset(asked)), table, mistakes, _named(table, base))
    assert file is not None  # noqa: S101 - all of its keys can be left out

    def numbered(key: str, entries: Sequence[Any]) -> Iterator[tuple[KeyPath, Any]]:
        """Entries of a list with their places in the file: some may have been left out."""
        places = (number for number in range(len(listed(table.get(key)))) if (key, number) not in left_out)
        return (((key, number), entry) for number, entry in zip(places, entries, strict=False))

    devices = (_device(name, base, path, mistakes) for path, name in numbered("devices", file.devices))
    traces = [_trace(each, base, path, mistakes) for path, each in numbered("traces", file.traces)]
    schemes = [
        _scheme(each, base, path, isinstance(table["schemes"][path[1]], str), mistakes)
        for path, each in numbered("schemes", file.schemes)
    ]
    parts = Parts(
        name=file.name,
        about=file.about,
        devices=tuple(each for each in devices if each is not None),
        traces=tuple(traces),
        schemes=tuple(schemes) if "schemes" in table else (SchemeEntry(AS_CONFIGURED, (), {}, ("schemes",)),),
        settings=read_settings(file.set, ("set",), base, mistakes),
        axes=_axes({"axes": file.axes, "vary": file.vary}, base, mistakes),
        repeats=file.repeats,
        record=Record(**dict(file.record)),
        comparisons=file.comparisons,
        sections={name: each for name in asked if (each := getattr(file, name)) is not None},
    )
    for entries in (parts.devices, parts.traces, parts.schemes):
        _named_once(entries, mistakes)
    for trace in traces:
        if trace.name == ALL_TRACES:
            mistakes.add(trace.path, f'"{ALL_TRACES}" is what figures have beside the traces; rename it')
    for name in OF_EXPERIMENTS:
        if name in asked:
            OF_EXPERIMENTS[name].model().check(parts.sections.get(name), parts, mistakes)
    return parts


def _named(table: Mapping[str, Any], base: Path) -> Named:
    """What sections of a table may refer to, as far as it can be told."""

    def names(key: str) -> tuple[str, ...]:
        entries = (each if isinstance(each, Mapping) else {"name": each} for each in listed(table.get(key)))
        given = (each.get("name", each.get("source")) for each in entries)
        return tuple(each for each in given if isinstance(each, str))

    repeats = table.get("repeats")
    count = repeats.get("count", 1) if isinstance(repeats, Mapping) else 1
    return Named(
        base,
        names("schemes") or (AS_CONFIGURED,),
        names("traces"),
        count if isinstance(count, int) else 1,
    )


def _named_once(entries: Sequence[DeviceEntry | TraceEntry | SchemeEntry], mistakes: Mistakes) -> None:
    known: set[str] = set()
    for entry in entries:
        if entry.name in known:
            mistakes.add(entry.path, f'"{entry.name}" is listed twice; give one of them another name')
        known.add(entry.name)


def _device(name: str, base: Path, path: KeyPath, mistakes: Mistakes) -> DeviceEntry | None:
    """A preset, or a file relative to the experiment."""
    is_file = name.endswith(".toml") or "/" in name
    if is_file and not (base / name).exists():
        mistakes.add(path, f'"{name}": no such file; it would be {base / name}')
        return None
    source = str(base / name) if is_file else name
    # Without a slash it would be the name of a preset.
    beside = is_file and not source.endswith(".toml") and "/" not in source
    return DeviceEntry(name, f"./{source}" if beside else source, path)


def _trace(entry: TraceTable, base: Path, path: KeyPath, mistakes: Mistakes) -> TraceEntry:
    settings = read_settings(entry.set, (*path, "set"), base, mistakes)
    return TraceEntry(entry.name or entry.source, entry.source, entry.generate, settings, path)


def _scheme(entry: SchemeTable, base: Path, path: KeyPath, is_text: bool, mistakes: Mistakes) -> SchemeEntry:
    settings: Settings = read_settings(entry.set, path if is_text else (*path, "set"), base, mistakes)
    if is_text:
        settings = {key: Setting(each.text, path) for key, each in settings.items()}
    for_traces = {
        name: read_settings(table, (*path, "for_traces", name), base, mistakes)
        for name, table in entry.for_traces.items()
    }
    return SchemeEntry(entry.name, entry.schemes, settings, path, for_traces)


def _axes(tables: Mapping[str, Mapping[str, Any]], base: Path, mistakes: Mistakes) -> tuple[Axis, ...]:
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
