"""Reads the lists of an experiment file: drives, traces and schemes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reclaim.bench.fields import check_keys, fits, kind_of, list_of, name_of, text_of
from reclaim.bench.lines import KeyPath
from reclaim.bench.mistakes import Mistakes
from reclaim.bench.parts import DeviceEntry, SchemeEntry, Setting, Settings, TraceEntry
from reclaim.bench.schemes import parse_scheme
from reclaim.bench.values import beside, policy_moved, read_settings
from reclaim.errors import InputError
from reclaim.parsing import toml_file
from reclaim.results.sets.names import ALL_TRACES, LONGEST_PATH
from reclaim.suggestions import near

AS_CONFIGURED = "as configured"
"""What the scheme is called where none is named: the drive as its file has it."""


def _named_once(entries: list[Any], mistakes: Mistakes) -> None:
    known: set[str] = set()
    for entry in entries:
        if entry.name in known:
            mistakes.add(entry.path, f'"{entry.name}" is listed twice; give one of them another name')
        known.add(entry.name)


def read_devices(table: Mapping[str, Any], base: Path, mistakes: Mistakes) -> tuple[DeviceEntry, ...]:
    """Read `devices`: presets, and files relative to the experiment."""
    found: list[DeviceEntry] = []
    for number, value in enumerate(list_of(table, "devices", '["gc-bypass-mini"]', mistakes)):
        path: KeyPath = ("devices", number)
        if not isinstance(value, str) or not value.strip():
            mistakes.add(path, f"must be the name of a preset or a .toml file, not {kind_of(value)}")
            continue
        if not fits(value, path, mistakes, LONGEST_PATH):
            continue
        is_file = value.endswith(".toml") or "/" in value
        if is_file and not (base / value).exists():
            mistakes.add(path, f'"{value}": no such file; it would be {base / value}')
            continue
        place = str(base / value) if is_file else value
        if is_file and not place.endswith(".toml") and "/" not in place:
            # Without a slash it would be the name of a preset.
            place = f"./{place}"
        found.append(DeviceEntry(value, place, path))
    _named_once(found, mistakes)
    return tuple(found)


def read_traces(table: Mapping[str, Any], base: Path, mistakes: Mistakes) -> tuple[TraceEntry, ...]:
    """Read `traces`: files beside the experiment, names of the catalogue, descriptions."""
    found: list[TraceEntry] = []
    for number, value in enumerate(list_of(table, "traces", '["bundled/varmail"]', mistakes)):
        path: KeyPath = ("traces", number)
        if isinstance(value, str) and value.strip():
            if fits(value, path, mistakes, LONGEST_PATH):
                found.append(TraceEntry(value, value, None, {}, path))
        elif isinstance(value, Mapping):
            entry = _trace_table(value, base, path, mistakes)
            found += [entry] if entry else []
        else:
            mistakes.add(
                path, f"must be a file, a name, or a table with source or generate, not {kind_of(value)}"
            )
    _named_once(found, mistakes)
    for entry in found:
        if entry.name == ALL_TRACES:
            mistakes.add(entry.path, f'"{ALL_TRACES}" is what figures have beside the traces; rename it')
    return tuple(found)


def _trace_table(
    table: Mapping[str, Any], base: Path, path: KeyPath, mistakes: Mistakes
) -> TraceEntry | None:
    check_keys(table, path, ("name", "source", "generate", "set"), mistakes)
    if ("source" in table) == ("generate" in table):
        mistakes.add(
            path, 'needs either source = "file or name" or generate = { a description }, one of them'
        )
        return None
    settings = read_settings(table.get("set", {}), (*path, "set"), base, mistakes)
    generate = table.get("generate")
    source = text_of(table, "source", path, mistakes) if "source" in table else ""
    name = name_of(table, "name", path, mistakes, default=source)
    if generate is not None and not isinstance(generate, Mapping):
        mistakes.add((*path, "generate"), f"must be a table that describes a trace, not {kind_of(generate)}")
        return None
    if not name and "name" in table:
        return None
    if not name:
        mistakes.add(path, 'a generated trace needs a name, as in { name = "uniform", generate = { … } }')
        return None
    if generate is not None and ("/" in name or name.startswith(".")):
        mistakes.add(
            (*path, "name"), f'"{name}": a generated trace is written to a file of this name; use no / in it'
        )
        return None
    return TraceEntry(name, source, generate, settings, path)


def read_schemes(
    table: Mapping[str, Any], base: Path, traces: Iterable[TraceEntry], mistakes: Mistakes
) -> tuple[SchemeEntry, ...]:
    """Read `schemes`: names joined by + with settings, or tables with a name of their own."""
    names = [each.name for each in traces]
    if "schemes" not in table:
        return (SchemeEntry(AS_CONFIGURED, (), {}, ("schemes",)),)
    found: list[SchemeEntry] = []
    for number, value in enumerate(list_of(table, "schemes", '["greedy", "fifo"]', mistakes)):
        path: KeyPath = ("schemes", number)
        if isinstance(value, str) and value.strip():
            entry = _scheme_text(value, base, path, mistakes)
        elif isinstance(value, Mapping):
            entry = _scheme_table(value, base, path, names, mistakes)
        else:
            mistakes.add(path, f"must be the name of a scheme, or a table with a name, not {kind_of(value)}")
            continue
        found += [entry] if entry else []
    _named_once(found, mistakes)
    return tuple(found)


def _scheme_text(text: str, base: Path, path: KeyPath, mistakes: Mistakes) -> SchemeEntry | None:
    try:
        names, settings = parse_scheme(text)
    except InputError as error:
        mistakes.add(path, str(error))
        return None
    own = {key: Setting(policy_moved(key, value, beside(base)), path) for key, value in settings.items()}
    return SchemeEntry(text, names, own, path)


def _scheme_table(
    table: Mapping[str, Any], base: Path, path: KeyPath, traces: list[str], mistakes: Mistakes
) -> SchemeEntry | None:
    check_keys(table, path, ("name", "schemes", "set", "for_traces"), mistakes)
    if "name" not in table:
        mistakes.add(path, 'needs a name, as in { name = "mine", schemes = ["greedy"] }')
        return None
    name = name_of(table, "name", path, mistakes)
    schemes = table.get("schemes", [])
    if not isinstance(schemes, list) or not all(isinstance(each, str) for each in schemes):
        mistakes.add((*path, "schemes"), f'must be a list of names, as in ["greedy"], not {kind_of(schemes)}')
        schemes = []
    settings: Settings = read_settings(table.get("set", {}), (*path, "set"), base, mistakes)
    for_traces: dict[str, Settings] = {}
    if "for_traces" in table:
        for_traces = _for_traces(table["for_traces"], base, (*path, "for_traces"), traces, mistakes)
    return SchemeEntry(name, tuple(schemes), settings, path, for_traces) if name else None


def _for_traces(
    given: object, base: Path, path: KeyPath, traces: list[str], mistakes: Mistakes
) -> dict[str, Settings]:
    """Settings by the name of the trace they are for: a table, or the name of a TOML file with one."""
    where = "it"
    if isinstance(given, str):
        file, where = base / given, given
        try:
            given = toml_file(file)
        except InputError as error:
            mistakes.add(path, str(error))
            return {}
    if not isinstance(given, Mapping):
        mistakes.add(path, f"must be a table of settings by trace, or a TOML file, not {kind_of(given)}")
        return {}
    for name in traces:
        if name not in given:
            there = f"there are: {', '.join(map(str, given)) or 'none'}{near(name, map(str, given))}"
            mistakes.add(path, f'{where} has no table for the trace "{name}" (an empty one will do); {there}')
    return {
        str(name): read_settings(each, (*path, str(name)), base, mistakes) for name, each in given.items()
    }
