"""What an experiment file says, part by part, once it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from reclaim.bench.lines import KeyPath

By = Literal["seed", "rotate", "workload", "jitter"]


class Setting(NamedTuple):
    """One setting, and where the file says it."""

    text: str
    """Its value as a configuration takes it."""
    path: KeyPath


Settings = dict[str, Setting]
"""Settings by their dotted keys, in the order in which they are made."""


class DeviceEntry(NamedTuple):
    """A drive to run on."""

    name: str
    """As the file has it."""
    source: str
    """A preset, or the path of a file."""
    path: KeyPath


class TraceEntry(NamedTuple):
    """A trace to run."""

    name: str
    source: str
    """A file, or a name of the catalogue, as the experiment has it; empty for one that is generated."""
    generate: Mapping[str, Any] | None
    """The description of one that is generated."""
    settings: Settings
    path: KeyPath


class SchemeEntry(NamedTuple):
    """Policies to compare with others."""

    name: str
    schemes: tuple[str, ...]
    settings: Settings
    path: KeyPath
    for_traces: Mapping[str, Settings] = {}
    """Settings of it with some traces only, by the name of the trace; they go over those of the trace."""


class Choice(NamedTuple):
    """One value of an axis."""

    text: str
    """The value, or the name of a group of settings."""
    settings: Settings


class Axis(NamedTuple):
    """What differs between points."""

    name: str
    choices: tuple[Choice, ...]
    crossed: bool
    """Combined with every value of every other axis; otherwise varied alone around their first values."""


@dataclass(frozen=True)
class Repeats:
    """How often every point is run, and in what the runs differ."""

    count: int = 1
    by: By = "seed"
    jitter: str = ""
    """By how much arrivals are moved at most."""


@dataclass(frozen=True)
class Record:
    """What is kept of every point beside its results."""

    timeline: bool = False
    gc: bool = False
    requests: bool = False
    audit: bool = False


Load = Literal["arrivals", "utilisation", "both"]


@dataclass(frozen=True)
class Sensitivity:
    """Which comparison is studied, and how far."""

    base: str = ""
    """Scheme A, by its name; empty for the first."""
    other: str = ""
    """Scheme B; empty for the second."""
    metric: str = ""
    """A column of the table of points."""
    points: int | None = None
    """Runs at most; None for any number."""
    minutes: float | None = None
    """What they may take at most, estimated, on one processor; None for any time."""
    load: Load = "arrivals"
    """What stays where a variation is faster or slower than the base: when requests arrive, or how much the
    host uses the dies; or one after the other."""
    keys: tuple[str, ...] = ()
    """Patterns of the keys that are moved; none for all."""
    without: tuple[str, ...] = ()
    """Patterns of keys that are not."""
    combinations: int = 64
    """Random combinations of alternatives."""
