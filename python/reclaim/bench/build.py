"""Builds the drives of an experiment's points and opens their traces; what cannot be is explained."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reclaim.bench.lines import KeyPath
from reclaim.bench.mistakes import Mistakes
from reclaim.bench.parts import Setting, Settings
from reclaim.bench.plan import Combination, Resolved, combinations, resolve
from reclaim.bench.point import Point, digest, identity
from reclaim.bench.reader import Parts
from reclaim.bench.traces import Traces
from reclaim.device import Device
from reclaim.errors import InputError

SEED = 42
BLAMED = re.compile(r"--set (?P<key>[^=\s]+)=")
DEVICE = "device: "
SCHEME = "scheme: "


@dataclass
class Refusal:
    """Points that the configuration refuses for one reason."""

    text: str
    setting: Setting | None
    """The setting that the reason names; None where it names none."""
    key: str = ""
    points: list[str] = field(default_factory=list)


def _without_option(text: str) -> str:
    """What was refused, without the option of the command line that Python does not have."""
    return re.sub(r"^--set ([^=\s]+)=(.*?): ", r"\1 = \2: ", text)


class Builder:
    """Makes points, and sorts what cannot be built into mistakes and refused combinations.

    A setting that is refused wherever it stands is a mistake; one that is refused beside certain others only,
    or a drive that is refused as a whole, is a combination that cannot run: the others still can.
    """

    def __init__(self, parts: Parts, base: Path, mistakes: Mistakes) -> None:
        self._parts = parts
        self._mistakes = mistakes
        self.traces = Traces(base)
        self._seeds: dict[tuple[str, tuple[str, ...]], int] = {}
        self._works: set[Setting] = set()
        """Settings that some drive was built with."""
        self._refusals: dict[tuple[str, KeyPath], Refusal] = {}
        self._broken: set[KeyPath] = set()
        """Drives, schemes and traces of which nothing can be built."""

    def points(self, tell: Callable[[str], object] | None = None) -> list[Point]:
        """Make every point; afterwards `mistakes` are complete."""
        found = [self._point(each, tell) for each in combinations(self._parts)]
        self._look_at_traces()
        for refusal in self._refusals.values():
            if refusal.setting is not None and refusal.setting not in self._works:
                self._mistakes.add(refusal.setting.path, refusal.text)
        return [each for each in found if each is not None]

    def _look_at_traces(self) -> None:
        """Look at traces that no drive was there for: what is wrong with them is told at the same time."""
        for entry in self._parts.traces:
            if entry.path in self._broken or self.traces.is_open(entry):
                continue
            try:
                self.traces.look(entry)
            except InputError as error:
                self._mistakes.add(entry.path, str(error))

    def refusals(self) -> list[Refusal]:
        """Combinations that cannot run, for reasons that are no mistake of one setting."""
        return [
            each for each in self._refusals.values() if each.setting is None or each.setting in self._works
        ]

    def _point(self, combination: Combination, tell: Callable[[str], object] | None) -> Point | None:
        entries = (combination.device, combination.trace, combination.scheme)
        resolved = resolve(self._parts, combination, self._seed(combination))
        drive, reason = self._drive(combination, resolved)
        if any(entry.path in self._broken for entry in entries):
            return None
        point = Point(
            experiment=self._parts.name,
            device=combination.device.name,
            trace=combination.trace.name,
            scheme=combination.scheme.name,
            axes={name: choice.text for name, choice in combination.choices.items()},
            repeat=combination.repeat,
            perturbation=resolved.perturbation.text,
            vary=combination.vary,
            id="",
            record=self._parts.record,
            drive=drive,
            opened=None,
            made=(
                combination.device.source,
                combination.scheme.schemes,
                tuple((key, setting.text) for key, setting in resolved.settings.items()),
            ),
        )
        if combination.trace.generate is None:
            try:
                point = replace(point, source=self.traces.place(combination.trace))
            except InputError as error:
                self._no_trace(combination, error)
                return None
        if drive is None:
            return replace(point, id=digest([point.row(), reason]), refused=reason)
        if tell is not None:
            tell(combination.trace.name)
        try:
            return self._with_trace(point, combination, drive)
        except InputError as error:
            self._no_trace(combination, error)
            return None

    def _no_trace(self, combination: Combination, error: InputError) -> None:
        self._broken.add(combination.trace.path)
        self._mistakes.add(combination.trace.path, str(error))

    def _with_trace(self, point: Point, combination: Combination, drive: Device) -> Point:
        config = dict(drive.config)
        trace = self.traces.open(combination.trace, drive, config)
        merged = self.traces.merged(drive)
        raw = {"name": trace.name, "hash": self.traces.summary(trace)["content_hash"]}
        same: dict[str, Any] = identity(config, raw, merged, point.record)
        return replace(
            point,
            id=digest(same | {"schemes": list(combination.scheme.schemes)}),
            same_run=digest(same),
            opened=trace,
        )

    def _seed(self, combination: Combination) -> int:
        """The seed that a drive has of itself and its schemes."""
        key = (combination.device.source, combination.scheme.schemes)
        if key not in self._seeds:
            try:
                self._seeds[key] = int(Device(*key).config["seed"])
            except InputError:
                # What is wrong comes out when the drive itself is built.
                self._seeds[key] = SEED
        return self._seeds[key]

    def _drive(self, combination: Combination, resolved: Resolved) -> tuple[Device | None, str]:
        """Build a drive, or say why it cannot be; settings that are refused are left out to find others."""
        left: Settings = dict(resolved.settings)
        reason = ""
        while True:
            try:
                made = tuple((key, setting.text) for key, setting in left.items())
                drive = Device(combination.device.source, combination.scheme.schemes, made)
            except InputError as error:
                reason = reason or _without_option(str(error))
                if not self._blame(combination, left, str(error)):
                    return None, reason
                continue
            if reason:
                return None, reason
            self._works.update(left.values())
            return drive, ""

    def _blame(self, combination: Combination, left: Settings, text: str) -> bool:
        """Note who is to blame; whether there may be more to find."""
        found = BLAMED.match(text)
        if found and found["key"] in left:
            key = found["key"]
            setting = left.pop(key)
            said = text.partition(f"--set {key}={setting.text}: ")[2] or text
            # The key is named by its place in the file already.
            said = said.removeprefix(f"{key}: ")
            self._refuse(combination, said, setting, key)
            return True
        for start, entry in ((DEVICE, combination.device), (SCHEME, combination.scheme)):
            if text.startswith(start):
                self._broken.add(entry.path)
                self._mistakes.add(entry.path, text.removeprefix(start))
                return False
        if not left and not combination.scheme.schemes:
            # Nothing is put on it: the file itself is wrong.
            self._broken.add(combination.device.path)
            self._mistakes.add(combination.device.path, text)
            return False
        self._refuse(combination, text, None, "")
        return False

    def _refuse(self, combination: Combination, text: str, setting: Setting | None, key: str) -> None:
        where = setting.path if setting else ()
        refusal = self._refusals.setdefault((text, where), Refusal(text, setting, key))
        if combination.label() not in refusal.points:
            refusal.points.append(combination.label())
