"""The experiment files of a paper: read whole before anything runs, their variants, and what they measure.

A variant has other repeats, another load, or another reading of an unclear text.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field

from reclaim import _core
from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.experiment.build import Builder
from reclaim.experiment.experiment import Experiment
from reclaim.mistakes import Mistakes, valid
from reclaim.paper.entries import ListOf
from reclaim.paper.latencies import COLUMNS
from reclaim.paper.loads import CLOSED
from reclaim.sections import Section, Words, Wrong
from reclaim.simulate import simulate
from reclaim.trace.trace import Trace

Table = dict[str, Any]
Setting = str | int | float | bool
TIMES = ("host.time_scale", "host.target_utilisation")


class Reading(Section):
    """One of the ways to understand an unclear text; each way is a group of settings."""

    name: Words
    unclear: Words
    """What the text leaves open, in our words."""
    default: Words
    """The one that agreements rest on, declared in `paper.toml`."""
    why: Words
    settings: Mapping[str, Mapping[str, Any]] = Field(min_length=1)
    schemes: ListOf[Words] = ()
    """Schemes that it is about; empty for all."""
    beside: ListOf[Words] = ()
    """Those that run beside them under another reading; empty for all."""

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that one of the ways is the default."""
        settings, default = table.get("settings"), table.get("default")
        if isinstance(settings, Mapping) and default not in settings:
            text = f'"{default}" is none of the named groups of settings; {valid(str(default), settings)}'
            yield Wrong(("default",), text)


def with_repeats(table: Table, count: int | None) -> Table:
    """So many repeats of the kind that the file names; None leaves what it says."""
    changed = copy.deepcopy(table)
    if count is not None:
        changed["repeats"] = {**changed.get("repeats", {}), "count": count}
    return changed


def without_variations(table: Table) -> Table:
    """The default cells alone."""
    return {key: value for key, value in copy.deepcopy(table).items() if key != "vary"}


def with_schemes(table: Table, names: Sequence[str]) -> Table:
    """Some of the schemes only, by name."""
    changed = copy.deepcopy(table)
    changed["schemes"] = [each for each in table.get("schemes", []) if scheme_name(each) in names]
    return changed


def closed_loop(table: Table) -> Table:
    """Requests as soon as fewer than the queue depth are outstanding."""
    changed = copy.deepcopy(table)
    changed["set"] = {**_unscaled(changed.get("set", {})), **CLOSED}
    changed["traces"] = [
        {**each, "set": _unscaled(each["set"])} if isinstance(each, Mapping) and "set" in each else each
        for each in changed["traces"]
    ]
    return changed


def _unscaled(settings: Mapping[str, Any]) -> Table:
    """Settings without those of arrival times, which a closed loop refuses."""
    return {key: value for key, value in settings.items() if key not in TIMES}


def with_time_scales(table: Table, scales: Mapping[str, float]) -> Table:
    """Arrival times scaled trace by trace; traces that are not named are left out."""
    changed = copy.deepcopy(table)
    traces = (trace_table(each) for each in changed["traces"])
    kept = [each for each in traces if each["name"] in scales]
    for each in kept:
        each["set"] = {**each.get("set", {}), "host.time_scale": scales[each["name"]]}
    changed["traces"] = kept
    return changed


@dataclass(frozen=True)
class FullRecording:
    """A file that takes the place of a slice."""

    file: str
    settings: Mapping[str, Setting]
    """What it is played with, over the settings of the slice."""


def with_sources(table: Table, files: Mapping[str, FullRecording]) -> Table:
    """Other files in place of traces, by name."""
    changed = copy.deepcopy(table)
    changed["traces"] = [
        _replaced(trace_table(each), files[trace_name(each)]) if trace_name(each) in files else each
        for each in changed["traces"]
    ]
    return changed


def _replaced(entry: Table, full: FullRecording) -> Table:
    settings = {**entry.get("set", {}), **full.settings}
    return {**entry, "source": full.file, **({"set": settings} if settings else {})}


def with_readings(table: Table, readings: Sequence[Reading], chosen: Mapping[str, str]) -> Table:
    """The settings of one reading of each unclear text: the chosen one, or else the default.

    They are settings of the schemes that the reading is about, because others would refuse them.
    """
    changed = copy.deepcopy(table)
    for reading in readings:
        settings = reading.settings[chosen.get(reading.name, reading.default)]
        if not settings:
            continue
        if "schemes" not in changed:
            changed["set"] = {**changed.get("set", {}), **settings}
            continue
        changed["schemes"] = [
            _changed_scheme(each, settings)
            if not reading.schemes or scheme_name(each) in reading.schemes
            else each
            for each in changed["schemes"]
        ]
    return changed


def scheme_name(entry: Any) -> str:
    """What an entry of `schemes` is called."""
    return str(entry["name"]) if isinstance(entry, Mapping) else str(entry)


def trace_name(entry: Any) -> str:
    """What an entry of `traces` is called."""
    return str(entry.get("name", entry.get("source", ""))) if isinstance(entry, Mapping) else str(entry)


def trace_table(entry: Any) -> Table:
    """An entry of `traces` with everything by name."""
    if isinstance(entry, Mapping):
        return {**copy.deepcopy(dict(entry)), "name": trace_name(entry)}
    return {"name": str(entry), "source": str(entry)}


def _changed_scheme(entry: Any, settings: Mapping[str, Any]) -> Table:
    if isinstance(entry, Mapping):
        return {**entry, "set": {**entry.get("set", {}), **settings}}
    parts = str(entry).split("+")
    own = dict(part.split("=", 1) for part in parts if "=" in part)
    names = [part for part in parts if "=" not in part]
    return {"name": str(entry), "schemes": names, "set": {**own, **settings}}


def read_table(file: Path, folder: Path) -> Table:
    """Read an experiment file as a table, with what it extends; devices and traces are those of the folder.

    Raises:
        InputError: with every mistake of its text.
    """
    return dict(Experiment.load(file, base=folder).table)


@dataclass
class ExperimentNames:
    """What an experiment has, over all files of that name."""

    schemes: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    axes: list[str] = field(default_factory=list)
    varied: list[str] = field(default_factory=list)


def known(files: Iterable[Mapping[str, Path]], folder: Path) -> dict[str, ExperimentNames]:
    """Read the files, and give what each experiment has.

    Raises:
        InputError: for a mistake in one of them.
    """
    found: dict[str, ExperimentNames] = {}
    read: set[tuple[str, Path]] = set()
    for name, file in (each for one in files for each in one.items()):
        if (name, file) in read:
            continue
        read.add((name, file))
        table = read_table(file, folder)
        here = found.setdefault(name, ExperimentNames())
        here.schemes += map(scheme_name, table.get("schemes", []))
        here.traces += map(trace_name, table["traces"])
        here.axes += table.get("axes", {})
        here.varied += table.get("vary", {})
    return found


def check_settings(what: str, table: Mapping[str, Any], folder: Path) -> None:
    """See that every setting of an experiment is one that some drive takes; no trace is opened.

    Args:
        what: it was read from.
        table: the experiment.
        folder: where files that it names are looked for.

    Raises:
        InputError: with every one that is not, and what it was read from.
    """
    experiment = Experiment.from_dict(table, base=folder)
    mistakes = Mistakes(what)
    Builder(experiment.parts, folder, mistakes).check_settings()
    if messages := mistakes.messages():
        raise InputError("\n".join(messages))


@cache
def figures() -> tuple[str, ...]:
    """Numbers in `points.parquet`: those of any run, of every policy, and of collection jobs.

    >>> "read_p99_ns" in figures(), "gc_trigger_asked" in figures(), "verdict" in figures()
    (True, False, False)
    """
    trace = Trace.from_records([(0, "write", 0, 4096), (1000, "read", 0, 4096)])
    measured = simulate(Device.preset("coupled-copyback-mini"), trace, warn=False).summary()
    found = [
        name for name, value in measured.items() if not isinstance(value, str | bool) and name != "format"
    ]
    for kind in json.loads(_core.catalogue()):
        prefix = kind["key"].replace(".", "_")
        found += [f"{prefix}_{each['name']}" for policy in kind["policies"] for each in policy["metrics"]]
    return tuple(dict.fromkeys([*found, *COLUMNS]))
