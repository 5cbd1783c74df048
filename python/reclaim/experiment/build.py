"""Builds the drives of an experiment's points and opens their traces; what cannot be is explained."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from reclaim import input_file
from reclaim.checksums import checksum
from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.experiment.parts import MERGE, FileParts, Setting, Settings, TraceEntry
from reclaim.experiment.point import (
    Combination,
    Named,
    Point,
    Resolved,
    combinations,
    count,
    digest,
    digests,
    identity,
    in_words,
    resolve,
)
from reclaim.mistakes import KeyPath, Mistakes
from reclaim.parsing import toml_value
from reclaim.trace.catalogue import locate, places
from reclaim.trace.catalogue import resolve as explain
from reclaim.trace.generate import generate_trace
from reclaim.trace.trace import Trace, open_trace
from reclaim.trace.transforms import OPENING

HASH_BYTES = 32
_OF_GENERATED: dict[tuple[str, str], dict[str, Any]] = {}
"""What is in generated traces, by name and description: the experiments of a paper share them."""


def _summary(trace: Trace) -> dict[str, Any]:
    if trace.description is None:
        # A file may have changed.
        return trace.summary()
    key = (trace.name, trace.description)
    if key not in _OF_GENERATED:
        _OF_GENERATED[key] = trace.summary()
    return _OF_GENERATED[key]


class Traces:
    """Opens traces and knows what is in them."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._opened: dict[tuple[str, str], Trace] = {}
        self._failed: dict[tuple[str, str], InputError] = {}
        self._summaries: dict[int, dict[str, Any]] = {}
        self._hash = cache(_hash)
        self._merged: dict[tuple[int, str], InputError | None] = {}
        """What is wrong with the traces that are merged into one, by its `id()` and how."""
        self._find, self._is_generated = cache(self._find_source), cache(self._is_generated_source)

    def open(self, entry: TraceEntry, drive: Device, config: Mapping[str, Any]) -> Trace:
        """Open a trace as the `[trace]` section of a drive says.

        Raises:
            InputError: if it cannot be opened or read, or is not where the experiment says.
        """
        how = {key: config["trace"][key] for key in OPENING if key in config["trace"]}
        key = (entry.name, json.dumps(how, sort_keys=True))
        if key in self._failed:
            raise self._failed[key]
        if key not in self._opened:
            try:
                trace = self._open(entry, drive)
                self._summaries[id(trace)] = _summary(trace)
                self._opened[key] = trace
            except InputError as error:
                self._failed[key] = error
                raise
        return self._opened[key]

    def requests_to_make(self, entry: TraceEntry) -> int:
        """How many requests are made before anything is known of a trace; 0 if it is read, or known."""
        requests = (entry.generate or {}).get("requests")
        return requests if isinstance(requests, int) and not self.is_open(entry) else 0

    def is_open(self, entry: TraceEntry) -> bool:
        """Whether a trace was opened for some drive."""
        return any(name == entry.name for name, _ in self._opened)

    def is_generated(self, entry: TraceEntry) -> bool:
        """Whether a trace is generated, so that there are other draws of it; no for one that is not there."""
        return entry.generate is not None or self._is_generated(entry.source)

    def _is_generated_source(self, source: str) -> bool:
        try:
            return open_trace(self._find(source)).description is not None
        except InputError:
            # What is wrong comes out when the trace is opened as the drive says.
            return False

    def look(self, entry: TraceEntry) -> None:
        """See that a trace is there, or can be generated.

        Raises:
            InputError: if not.
        """
        if entry.generate is not None:
            generate_trace(name=entry.name, **entry.generate)
        else:
            self.place(entry)

    def _open(self, entry: TraceEntry, drive: Device) -> Trace:
        if entry.generate is not None:
            return generate_trace(name=entry.name, **entry.generate)
        return drive.open_trace(self.place(entry))

    def place(self, entry: TraceEntry) -> str:
        """Say what to open: a file beside the experiment, or else a name of the catalogue.

        Raises:
            InputError: if it is neither; a file of the present folder is none: an experiment means the
                same wherever it is started.
        """
        return self._find(entry.source)

    def _find_source(self, source: str) -> str:
        beside = self._base / source
        try:
            if not (beside.is_dir() and locate(source) is not None) and input_file.is_there(beside):
                return str(beside)
        except OSError as error:
            # Longer than any name of a file.
            raise InputError(f"{source}: {error.strerror or error}") from None
        if locate(source) is None:
            if not Path(source).exists():
                # Says what was probably meant, or where a public trace is to be had.
                explain(source)
            raise InputError(f"{source}: no such file ({beside}), and no trace of that name")
        return source

    def summary(self, trace: Trace) -> dict[str, Any]:
        """Give what reading the trace has told."""
        return self._summaries[id(trace)]

    def summaries(self) -> dict[int, dict[str, Any]]:
        """Give the same of all traces that are open, by their `id()`."""
        return dict(self._summaries)

    def merged(self, drive: Device, config: Mapping[str, Any], trace: Trace) -> list[str]:
        """Give hashes of the files that a drive merges into its trace, once all of them were read.

        Raises:
            InputError: if one cannot be read.
        """
        names = drive.merged_files()
        if not names:
            return []
        steps = {
            key: config["trace"][key]
            for key in ("merge", "separate", "common_clock")
            if key in config["trace"]
        }
        key = (id(trace), json.dumps(steps, sort_keys=True))
        if key not in self._merged:
            try:
                trace.transformed(**steps).summary()
                self._merged[key] = None
            except InputError as error:
                self._merged[key] = error
        if (fault := self._merged[key]) is not None:
            raise fault
        found = places(names)
        return [self._hash(found[name][0] if name in found else name) for name in names]


def _hash(file: str) -> str:
    try:
        return checksum(Path(file), HASH_BYTES)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}") from None


SEED = 42
OPTION = r"--(columns|separator|format|device|event|time-unit) +('[^']*'|\S+)"
"""An option of the command line that says how a trace is opened, and its value."""
ADVISED = re.compile(rf"({OPTION} *)+")
BLAMED = re.compile(r"--set (?P<key>[^=\s]+)=")
DEVICE = "device: "
SCHEME = "scheme: "
OF_SCHEMES = ("schemes",)
"""How the places of settings begin that belong to schemes: a drive that prepares another has none of them."""

MOST_POINTS = 100_000
"""To build the drives of as many takes minutes, to run them days."""
SMALLER = "vary some settings alone, under [vary], or make several experiments of it"


class BuildProgress(NamedTuple):
    """What goes on while points are made."""

    done: int
    total: int
    """Points."""
    trace: str
    requests: int
    """How many requests of the trace are made to know what is in it; 0 where that is nothing to wait for."""


Tell = Callable[[BuildProgress], object]


@dataclass
class Refusal:
    """Points that the configuration refuses for one reason."""

    text: str
    setting: Setting | None
    """The setting that the reason names; None where it names none."""
    key: str = ""
    points: list[str] = field(default_factory=list)
    is_left_out: bool = False
    """Whether the points run without the setting."""


def _as_settings(text: str) -> str:
    r"""Say how options of the command line that a message advises are written in the file; nothing of none.

    >>> _as_settings("say what they hold: --columns 'a b=time:us' --separator tab (guessed)")
    '\n  here: set = { "trace.columns" = "a b=time:us", "trace.separator" = "tab" }'
    """
    if (advised := ADVISED.search(text)) is None:
        return ""
    options = re.findall(OPTION, advised[0])
    table = {f"trace.{option.replace('-', '_')}": value.strip("'") for option, value in options}
    return f"\n  here: set = {toml_value(table)}"


def _without_option(text: str) -> str:
    """What was refused, without the option of the command line that Python does not have."""
    return re.sub(r"^--set ([^=\s]+)=(.*?): ", r"\1 = \2: ", text)


def _of_other_policies(settings: Settings, text: str) -> str:
    """Which value of an axis was refused because the policy of its kind has no such parameter; none if empty.

    Values of an axis hold for the schemes that have its parameter.
    """
    # Pydantic, which not every command waits for.
    from reclaim.experiment.fields import configuration_keys

    found = BLAMED.match(text)
    key = found["key"] if found else ""
    path = settings[key].path if key in settings else ()
    is_value = path[:1] in (("axes",), ("vary",)) and path[1:2] == (key,)
    is_parameter = key not in configuration_keys() and any(
        key.startswith(f"{kind}.") for kind in configuration_keys()
    )
    return key if is_value and is_parameter and "unknown key; valid: kind" in text else ""


def _built(combination: Combination, settings: Settings) -> Device:
    """Build a drive.

    Raises:
        InputError: if its configuration is refused.
    """
    own = tuple(key for key, setting in settings.items() if setting.path[:1] == OF_SCHEMES)
    return Device(combination.device.source, combination.scheme.schemes, _texts(settings), own)


def _texts(settings: Settings) -> tuple[tuple[str, str], ...]:
    return tuple((key, setting.text) for key, setting in settings.items())


def _own_fault(source: str) -> str:
    """What is wrong with a drive before anything is put on it; nothing if it can be built."""
    try:
        Device(source)
    except InputError as error:
        return str(error)
    return ""


def _seed(source: str, schemes: tuple[str, ...]) -> int:
    """The seed that a drive has of itself and its schemes."""
    try:
        return int(Device(source, schemes).config["seed"])
    except InputError:
        # What is wrong comes out when the drive itself is built.
        return SEED


class Builder:
    """Makes points, and sorts what cannot be built into mistakes and refused combinations.

    A setting that is refused wherever it stands is a mistake; one that is refused beside certain others only,
    or a drive that is refused as a whole, is a combination that cannot run: the others still can.
    """

    def __init__(self, parts: FileParts, base: Path, mistakes: Mistakes) -> None:
        self._parts = parts
        self._mistakes = mistakes
        self.traces = Traces(base)
        self._seed, self._own_fault = cache(_seed), cache(_own_fault)
        self._works: set[Setting] = set()
        """Settings that some drive was built with."""
        self._refusals: dict[tuple[str, KeyPath, bool], Refusal] = {}
        self._broken: set[KeyPath] = set()
        """Drives, schemes and traces of which nothing can be built."""

    def points(self, tell: Tell | None = None) -> list[Point]:
        """Make every point; afterwards `mistakes` are complete."""
        total = count(self._parts)
        if total > MOST_POINTS:
            product = in_words(self._parts)
            text = f"makes {total:,} points ({product}); the most is {MOST_POINTS:,}: {SMALLER}"
            self._mistakes.add((), text)
            return []
        found = []
        for done, each in enumerate(combinations(self._parts)):
            if tell is not None:
                tell(BuildProgress(done, total, each.trace.name, self.traces.requests_to_make(each.trace)))
            found.append(self._point(each))
        self._look_at_traces()
        self._blame_settings()
        return [each for each in found if each is not None]

    def named(self, names: Sequence[Named]) -> list[Point]:
        """Give every point, by the names of all when they were built; a drive is built when it is needed.

        Raises:
            ValueError: if these are names of other points.
        """
        each_with_its_name = zip(combinations(self._parts), names, strict=True)
        return [self._named(combination, name) for combination, name in each_with_its_name]

    def _named(self, combination: Combination, name: Named) -> Point:
        def built() -> Point:
            point = self._point(combination)
            self._mistakes.refuse()
            if point is None or point.id != name.id:
                raise InputError(f"{known.label()}: something that it is made of has changed meanwhile")
            return point

        resolved = self._resolved(combination)
        known = self._begun(
            combination, resolved, None, id=name.id, same_run=name.same_run, start=name.start, later=built
        )
        return known

    def check_settings(self) -> None:
        """Note every drive, scheme and setting that cannot be; no trace is opened."""
        for each in combinations(self._parts):
            if each.repeat == 0:
                self._drive(each, resolve(self._parts, each, SEED))
        self._blame_settings()

    def _blame_settings(self) -> None:
        """Note every setting that no drive takes once, however many values or combinations it is one of."""
        refused: dict[KeyPath, list[Refusal]] = {}
        # Where some drives have no such parameter, those that have it say best what is wrong.
        for refusal in sorted(self._refusals.values(), key=lambda each: each.is_left_out):
            if refusal.setting is not None and refusal.setting not in self._works:
                refused.setdefault(refusal.setting.path, []).append(refusal)
        wrong_keys: dict[tuple[KeyPath, str], int] = {}
        for path, found in refused.items():
            wrong_keys[path[:-1], found[0].text] = wrong_keys.get((path[:-1], found[0].text), 0) + 1
        for path, found in refused.items():
            text = found[0].text
            # The same of several values of a list: their key is wrong.
            shared = (
                path[0] in ("axes", "vary") and isinstance(path[-1], int) and wrong_keys[path[:-1], text] > 1
            )
            others = len({each.text for each in found if not each.is_left_out} - {text})
            text += f" (and {others} more such messages in other combinations)" if others else ""
            self._mistakes.add(path[:-1] if shared else path, text)

    def _look_at_traces(self) -> None:
        """Look at traces that no drive was there for: what is wrong with them is told at the same time."""
        for entry in self._parts.traces:
            if entry.path in self._broken or self.traces.is_open(entry):
                continue
            try:
                self.traces.look(entry)
            except InputError as error:
                self._mistakes.add(entry.path, str(error) + _as_settings(str(error)))

    def refusals(self) -> list[Refusal]:
        """Combinations that cannot run, for reasons that are no mistake of one setting."""
        return [
            each
            for each in self._refusals.values()
            if not each.is_left_out and (each.setting is None or each.setting in self._works)
        ]

    def variant(self, combination: Combination) -> Point:
        """Make a point that the file does not have, once those that it has are made without a mistake.

        Whatever the configuration refuses is a point without a drive, and no mistake of the file.

        Raises:
            InputError: for a trace that cannot be read with settings of the variant.
        """
        resolved = self._resolved(combination)
        reason, drive = "", None
        try:
            drive = _built(combination, resolved.settings)
        except InputError as error:
            reason = _without_option(str(error))
        known = len(self._mistakes.told)
        point = self._made(combination, resolved, drive, reason)
        if point is None:
            raise InputError("; ".join(each.text for each in self._mistakes.told[known:]))
        return point

    def _point(self, combination: Combination) -> Point | None:
        entries = (combination.device, combination.trace, combination.scheme)
        drive, reason, resolved = self._drive(combination, self._resolved(combination))
        if any(entry.path in self._broken for entry in entries):
            return None
        return self._made(combination, resolved, drive, reason)

    def _made(
        self, combination: Combination, resolved: Resolved, drive: Device | None, reason: str
    ) -> Point | None:
        """Open the trace and name the point; None, and a mistake, if the trace cannot be opened."""
        try:
            point = self._begun(combination, resolved, drive)
        except InputError as error:
            self._no_trace(combination, error)
            return None
        if drive is None:
            return replace(point, id=digest([point.row(), reason]), refused=reason)
        config = dict(drive.config)
        try:
            trace = self.traces.open(combination.trace, drive, config)
        except InputError as error:
            self._no_trace(combination, error)
            return None
        try:
            merged = self.traces.merged(drive, config, trace)
        except InputError as error:
            said = resolved.settings.get(MERGE)
            self._mistakes.add(combination.device.path if said is None else said.path, str(error))
            return None
        raw = {"name": trace.name, "hash": self.traces.summary(trace)["content_hash"]}
        same = identity(config, raw, merged, point.record)
        same_run, name = digests(same, {"schemes": list(combination.scheme.schemes)})
        return replace(point, id=name, same_run=same_run, opened=trace)

    def _begun(
        self, combination: Combination, resolved: Resolved, drive: Device | None, **known: Any
    ) -> Point:
        """Give a point without its trace, and with what is known of it.

        Raises:
            InputError: if its trace is not where the experiment says.
        """
        source = "" if combination.trace.generate is not None else self.traces.place(combination.trace)
        settings = _texts(resolved.settings) if drive is None else drive.settings
        return Point(
            experiment=self._parts.name,
            device=combination.device.name,
            trace=combination.trace.name,
            scheme=combination.scheme.name,
            axes={name: choice.text for name, choice in combination.choices.items()},
            repeat=combination.repeat,
            perturbation=resolved.perturbation.text,
            vary=combination.vary,
            left_out=resolved.left_out,
            record=self._parts.record,
            drive=drive,
            source=source,
            made=(combination.device.source, combination.scheme.schemes, settings),
            **({"id": "", "opened": None} | known),
        )

    def _no_trace(self, combination: Combination, error: InputError) -> None:
        self._broken.add(combination.trace.path)
        self._mistakes.add(combination.trace.path, str(error) + _as_settings(str(error)))

    def _resolved(self, combination: Combination) -> Resolved:
        drawn = self._parts.repeats.by == "workload" and combination.repeat > 0
        generated = drawn and self.traces.is_generated(combination.trace)
        seed = self._seed(combination.device.source, combination.scheme.schemes)
        return resolve(self._parts, combination, seed, generated=generated)

    def _drive(self, combination: Combination, resolved: Resolved) -> tuple[Device | None, str, Resolved]:
        """Build a drive, or say why it cannot be; settings that are refused are left out to find others.

        Returns:
            The drive, None if it cannot be; why not; and what it is made of: without values of an axis that
            are of no parameter of this scheme's policies.
        """
        left: Settings = dict(resolved.settings)
        left_out: list[str] = []
        reason = ""
        while True:
            try:
                drive = _built(combination, left)
            except InputError as error:
                key = _of_other_policies(left, str(error))
                if key:
                    left_out.append(key)
                else:
                    reason = reason or _without_option(str(error))
                if not self._blame(combination, left, str(error), is_left_out=bool(key)):
                    return None, reason, resolved
                continue
            if reason:
                return None, reason, resolved
            self._works.update(left.values())
            return drive, "", Resolved(left, resolved.perturbation, tuple(left_out))

    def _blame(
        self, combination: Combination, left: Settings, text: str, *, is_left_out: bool = False
    ) -> bool:
        """Note who is to blame; whether there may be more to find."""
        found = BLAMED.match(text)
        if found and found["key"] in left:
            key = found["key"]
            setting = left.pop(key)
            said = text.partition(f"--set {key}={setting.text}: ")[2] or text
            # The key is named by its place in the file already.
            said = said.removeprefix(f"{key}: ")
            self._refuse(combination, said, setting, key, is_left_out=is_left_out)
            return True
        for start, entry in ((DEVICE, combination.device), (SCHEME, combination.scheme)):
            if text.startswith(start):
                self._broken.add(entry.path)
                self._mistakes.add(entry.path, text.removeprefix(start))
                return False
        if text == self._own_fault(combination.device.source):
            # It is the same without any scheme and setting: the file itself is wrong.
            self._broken.add(combination.device.path)
            self._mistakes.add(combination.device.path, text)
            return False
        self._refuse(combination, text, None, "")
        return False

    def _refuse(
        self,
        combination: Combination,
        text: str,
        setting: Setting | None,
        key: str,
        *,
        is_left_out: bool = False,
    ) -> None:
        where = setting.path if setting else ()
        known = (text, where, is_left_out)
        refusal = self._refusals.setdefault(known, Refusal(text, setting, key, is_left_out=is_left_out))
        # Repeats follow each other.
        if refusal.points[-1:] != [combination.label()]:
            refusal.points.append(combination.label())
