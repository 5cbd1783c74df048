"""What an experiment file says, part by part, once it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from reclaim.errors import InputError
from reclaim.layers import is_same, rank, same_words
from reclaim.mistakes import KeyPath, Mistakes, kind_of
from reclaim.parsing import UnreadableError, leaves, split_outside, toml, toml_value
from reclaim.policy.marks import KINDS
from reclaim.trace.transforms import merge_entry, merge_text

if TYPE_CHECKING:
    from reclaim.experiment.experiment_file import Comparison, Repeats
    from reclaim.experiment.fields import StudySection


Asked = TypeVar("Asked", bound="StudySection")
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


class AxisValue(NamedTuple):
    """One value of an axis."""

    text: str
    """The value, or the name of a group of settings."""
    settings: Settings


class Axis(NamedTuple):
    """What differs between points."""

    name: str
    choices: tuple[AxisValue, ...]
    crossed: bool
    """Combined with every value of every other axis; otherwise varied alone around their first values."""


@dataclass(frozen=True)
class Record:
    """What is kept of every point beside its results."""

    timeline: bool = False
    gc: bool = False
    requests: bool = False
    audit: bool = False

    @property
    def packs(self) -> bool:
        """Whether many such points can share a file: tables that only some have need folders."""
        return not (self.timeline or self.gc or self.requests)


@dataclass(frozen=True)
class FileParts:
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

    def section(self, model: type[Asked]) -> Asked | None:
        """Give what it asks of a study; None where it asks nothing."""
        return next((each for each in self.sections.values() if isinstance(each, model)), None)


def parse_scheme(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Take `NAME+NAME+KEY=VALUE` apart; a later scheme overrides an earlier one, a setting all of them.

    >>> parse_scheme("fifo+host.queue_depth=8")
    (('fifo',), {'host.queue_depth': '8'})

    Raises:
        InputError: for nothing beside a +, a setting without key or value, and one that is given twice.
    """
    parts = [part.strip() for part in split_outside(text, "+")]
    if "" in parts:
        raise InputError(f'"{text}": there is nothing on one side of a +; write as in greedy+copyback')
    names = tuple(part for part in parts if "=" not in part)
    settings: dict[str, str] = {}
    for part in parts:
        if "=" not in part:
            continue
        key, _, value = (word.strip() for word in part.partition("="))
        if not (key and value):
            raise InputError(f'"{part}": expected KEY=VALUE, as in greedy+gc.pages_in_flight=4')
        if key in settings:
            raise InputError(f"{key} is given twice, as {settings[key]} and as {value}; give it once")
        settings[key] = value
    return names, settings


MERGE = "trace.merge"
POLICY = rf"(^|[.])({'|'.join(map(re.escape, KINDS))})"
"""How the key of a policy ends that may be one of the user's."""
SCALARS = str | int | float | bool


def value_text(value: Any) -> str:
    """Write a value the way `--set` takes it: text without quotes, everything else as in TOML.

    >>> value_text("7%"), value_text(True), value_text([0, "a"]), value_text({"x": 1})
    ('7%', 'true', '[0, "a"]', '{ x = 1 }')
    """
    return value if isinstance(value, str) else toml_value(value)


def _merged(value: Any, base: Path) -> str:
    """Traces to merge in; a file is looked for beside the experiment first."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        return value
    listed = value if isinstance(value, list) else [value]
    entries: list[Mapping[str, Any]] = []
    for each in listed:
        entry = merge_entry(each, MERGE) if isinstance(each, str) else dict(each)
        beside = base / str(entry.get("file", ""))
        entries.append(entry | {"file": str(beside)} if beside.exists() and not beside.is_dir() else entry)
    return merge_text(entries, MERGE)


def policy_moved(key: str, value: Any, place: Callable[[str], str]) -> Any:
    """Write a setting that names a file of a policy with another path; any other setting as it is.

    Args:
        key: the whole key, or one that ends with it.
        value: of the setting.
        place: gives the path to write.
    """
    if not isinstance(value, str):
        return value
    if re.search(f"{POLICY}[.]function$", key):
        path, colon, name = value.rpartition(":")
        return f"{place(path)}{colon}{name}" if path.endswith(".py") else value
    if re.search(f"{POLICY}$", key) and value.lstrip().startswith("{"):
        try:
            table = toml(f"value = {value}")["value"]
        except UnreadableError:
            # What is wrong with it comes out where the drive is built.
            return value
        moved = {inner: policy_moved(f"{key}.{inner}", each, place) for inner, each in table.items()}
        return toml_value(moved)
    return value


def read_settings(table: Mapping[str, Any], path: KeyPath, base: Path, mistakes: Mistakes) -> Settings:
    """Read a table of settings; what is wrong with one goes to `mistakes`."""
    settings: Settings = {}
    for keys, value in leaves(table):
        key, place = ".".join(keys), (*path, *keys)
        setting = read_setting(key, value, place, base, mistakes)
        if setting is None:
            continue
        twin = next((other for other in settings if is_same(key, other)), None)
        if twin is not None:
            same = "is set twice; set it once" if same_words(key, twin) else ""
            mistakes.add(place, same or f"says what {twin} says; set one of them")
        settings[key] = setting
    # What takes parameters of another policy away comes first, wherever it stands.
    return {key: settings[key] for key in sorted(settings, key=rank)}


def read_setting(key: str, value: Any, path: KeyPath, base: Path, mistakes: Mistakes) -> Setting | None:
    """Read one setting; None, and a mistake, where it cannot be one."""
    try:
        return Setting(setting_text(key, value, base), path)
    except InputError as error:
        mistakes.add(path, str(error))
        return None


def setting_text(key: str, value: Any, base: Path) -> str:
    """Write the value of a setting as a configuration takes it; files are looked for beside the experiment.

    Raises:
        InputError: if no setting can be so.
    """
    if key == MERGE:
        try:
            return _merged(value, base)
        except TypeError as error:
            raise InputError(str(error)) from None
    if isinstance(value, str) and not value.strip():
        raise InputError("is empty; give a value, or leave the key out")
    if not isinstance(value, SCALARS | list):
        raise InputError(f"must be text, a number, true or false, not {kind_of(value)}")
    return value_text(policy_moved(key, value, beside(base)))


def beside(folder: Path) -> Callable[[str], str]:
    """Give what writes the whole path of a file that is named from a folder."""
    return lambda path: str((folder / path).absolute())
