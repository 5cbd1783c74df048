"""What an experiment file says, part by part, once it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from reclaim.mistakes import KeyPath

if TYPE_CHECKING:
    from reclaim.experiment.experiment_file import Comparison, Repeats
    from reclaim.experiment.fields import StudySection

Study = TypeVar("Study", bound="StudySection")
"""The section of a study."""


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
class Record:
    """What is kept of every point beside its results."""

    timeline: bool = False
    gc: bool = False
    requests: bool = False
    audit: bool = False


@dataclass(frozen=True)
class Parts:
    """All that a file says."""

    name: str
    about: str
    devices: tuple[DeviceEntry, ...]
    traces: tuple[TraceEntry, ...]
    schemes: tuple[SchemeEntry, ...]
    settings: Settings
    axes: tuple[Axis, ...]
    repeats: Repeats
    record: Record
    comparisons: tuple[Comparison, ...] = ()
    """What a report shows side by side; none: all schemes."""
    sections: Mapping[str, StudySection] = field(default_factory=dict)
    """What studies it asks for, by their names."""

    def section(self, model: type[Study]) -> Study | None:
        """Give what it asks of a study; None where it asks nothing."""
        return next((each for each in self.sections.values() if isinstance(each, model)), None)
