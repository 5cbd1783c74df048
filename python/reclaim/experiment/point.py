"""Points: what each is a combination of, its settings, and the name under which its run is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from reclaim import _core
from reclaim.device import Device
from reclaim.experiment.parts import (
    AxisValue,
    DeviceEntry,
    FileParts,
    Record,
    SchemeEntry,
    Setting,
    Settings,
    TraceEntry,
)
from reclaim.policy.marks import KINDS
from reclaim.trace.trace import Trace

if TYPE_CHECKING:
    from reclaim.experiment.experiment_file import Repeats

Made = tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]
LAYOUT = 1
"""Counts up when the files of a stored point change, so that points stored before are run again."""
ID_BYTES = 8
MANY = 500
"""From so many points on, those of a sweep share files."""


@dataclass(frozen=True, slots=True)
class Point:
    """One run: what it is called in tables, and all that is needed to run it."""

    experiment: str
    device: str
    trace: str
    scheme: str
    axes: dict[str, str]
    """Name of every axis and of everything that is varied: the value here, as text."""
    repeat: int
    perturbation: str
    """In what it differs from repeat 0; empty for repeat 0."""
    vary: str
    """What is varied alone here, as `axis=value`; empty for points that are crossed."""
    id: str
    record: Record = field(repr=False)
    drive: Device | None = field(repr=False, compare=False)
    """None where the configuration refuses this combination."""
    opened: Trace | None = field(repr=False, compare=False)
    source: str = field(default="", repr=False)
    """What opens the trace; the file that a generated one is written to is found by its name."""
    refused: str = ""
    """Why there is no drive."""
    made: Made = field(default=("", (), ()), repr=False)
    """What its drive is made of: device, schemes, settings; also where it is refused."""
    same_run: str = field(default="", repr=False)
    """Equal for points whose runs are the same but for what they are called."""
    start: int | None = field(default=None, repr=False, compare=False)
    """Equal for points whose drives begin in the same state, where that was known before they were built."""
    left_out: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """Axes whose values are of no parameter of its policies: it is the same run with each of them."""
    later: Callable[[], Point] | None = field(default=None, repr=False, compare=False)
    """Builds its drive; None where that was done, or cannot be."""

    def built(self) -> Point:
        """Give it with its drive.

        Raises:
            InputError: if something has changed since it was named.
        """
        return self if self.later is None else self.later()

    def made_but(self, keys: Collection[str]) -> Made:
        """Give what its drive is made of without some settings."""
        device, schemes, settings = self.made
        return device, schemes, tuple(each for each in settings if each[0] not in keys)

    def label(self) -> str:
        """Name it in a line: everything in which it can differ from others.

        >>> Point("e", "d", "t", "greedy", {"seed": "1"}, 2, "", "", "", Record(), None, None).label()
        'd, t, greedy, seed 1, repeat 2'
        """
        parts = [self.device, self.trace, self.scheme]
        parts += [f"{name} {value}" for name, value in self.axes.items()]
        return ", ".join([*parts, f"repeat {self.repeat}"])

    def row(self) -> dict[str, Any]:
        """Give its columns of the points' table."""
        return {
            "point": self.id,
            "experiment": self.experiment,
            "device": self.device,
            "trace": self.trace,
            "scheme": self.scheme,
            "repeat": self.repeat,
            "perturbation": self.perturbation,
            "vary": self.vary,
            **self.axes,
        }


class Named(NamedTuple):
    """What a point was called when its drive was built."""

    id: str
    same_run: str
    start: int


def digest(value: Any) -> str:
    """Give a short name for anything that JSON can hold; the same on every machine.

    >>> digest({"b": 1, "a": [2]}) == digest({"a": [2], "b": 1})
    True
    """
    return _short(_text(value))


def digests(value: Mapping[str, Any], more: Mapping[str, Any]) -> tuple[str, str]:
    """Give the digest of a mapping, and that of the same with more in it.

    >>> digests({"b": 1}, {"a": [2]}) == (digest({"b": 1}), digest({"a": [2], "b": 1}))
    True
    """
    texts = {key: _text(each) for key, each in value.items()}
    whole = texts | {key: _text(each) for key, each in more.items()}
    first, second = ((f'"{key}":{text}' for key, text in sorted(each.items())) for each in (texts, whole))
    return _short(f"{{{','.join(first)}}}"), _short(f"{{{','.join(second)}}}")


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _short(text: str) -> str:
    return blake2b(text.encode(), digest_size=ID_BYTES).hexdigest()


def identity(
    config: dict[str, Any], raw: dict[str, str], merged: list[str], record: Record
) -> dict[str, Any]:
    """Give all that the files of a point follow from.

    Args:
        config: the resolved configuration; what does not matter is taken out of it.
        raw: `name` and `hash` of the trace as it is opened.
        merged: hashes of the traces that are merged into it.
        record: what is kept.
    """
    for entry in config["trace"].get("merge") or []:
        # Where the file is does not matter; what is in it does.
        entry.pop("file", None)
    for section, kind in (key.split(".") for key in KINDS):
        if "code" in (choice := config[section][kind]):
            # The same of the file of a policy.
            choice["function"] = choice["function"].rpartition(":")[2]
    return {
        "layout": LAYOUT,
        "version": _core.__version__,
        "format": _core.RESULTS_FORMAT,
        "config": config,
        "trace": raw,
        "merged": merged,
        "record": [record.timeline, record.gc, record.requests, record.audit],
    }


MILLION = 1_000_000


class Perturbation(NamedTuple):
    """What is changed for one repeat."""

    text: str
    """In words; empty for repeat 0, which changes nothing."""
    settings: dict[str, str]


def rotation(repeat: int, count: int) -> str:
    """Give the share of the requests at which a repeat begins, in the whole millionths that shares have.

    >>> rotation(1, 10), rotation(1, 3)
    ('10%', '33.3333%')
    """
    millionths = round(MILLION * repeat / count)
    return f"{millionths / 10_000:.4f}".rstrip("0").rstrip(".") + "%"


def perturbation(repeats: Repeats, repeat: int, seed: int, *, generated: bool = False) -> Perturbation:
    """Say what repeat number `repeat` changes.

    >>> from reclaim.experiment.experiment_file import Repeats
    >>> perturbation(Repeats(count=3), 2, 42)
    Perturbation(text='seed 44', settings={'seed': '44'})

    Args:
        repeats: what the experiment says.
        repeat: counted from 0; of `rotate` and `workload`, below twice the count.
        seed: of repeat 0.
        generated: whether the trace is, so that there are other draws of it.

    Repeats from `repeats.count` on are fresh ones: other seeds, or places in the middle between those before.
    """
    if repeat == 0:
        return Perturbation("", {})
    other = {"seed": str(seed + repeat)}
    match repeats.by:
        case "seed":
            return Perturbation(f"seed {seed + repeat}", other)
        case "workload" if generated:
            return Perturbation(f"draw {repeat} of the trace", {"trace.draw": str(repeat)})
        case "rotate" | "workload":
            share = rotation(repeat, repeats.count)
            if repeat >= repeats.count:
                share = rotation(2 * (repeat - repeats.count) + 1, 2 * repeats.count)
            return Perturbation(f"trace begins at {share}", {"trace.rotate": share})
        case "jitter":
            text = f"arrivals moved by up to {repeats.jitter}, seed {seed + repeat}"
            return Perturbation(text, {"trace.jitter": repeats.jitter} | other)


class Combination(NamedTuple):
    """What one point is made of, before its drive is built."""

    device: DeviceEntry
    trace: TraceEntry
    scheme: SchemeEntry
    choices: dict[str, AxisValue]
    """Axis or what is varied: the value here."""
    vary: str
    repeat: int
    over: Mapping[str, Setting] = {}
    """Settings that go over all others but the repeat's: what an instrument changes."""

    def label(self) -> str:
        """Name it in a line, without its repeat."""
        parts = [self.device.name, self.trace.name, self.scheme.name]
        return ", ".join([*parts, *(f"{name} {choice.text}" for name, choice in self.choices.items())])


@dataclass(frozen=True)
class Resolved:
    """The settings of a combination."""

    settings: Settings
    perturbation: Perturbation
    left_out: tuple[str, ...] = ()
    """Axes whose values are of no parameter of its policies: it is the same run with each of them."""


def _choices(parts: FileParts) -> Iterator[tuple[dict[str, AxisValue], str]]:
    """Values of all axes: first those that are crossed, then each that is varied alone."""
    crossed = [axis for axis in parts.axes if axis.crossed]
    varied = [axis for axis in parts.axes if not axis.crossed]
    first = {axis.name: axis.choices[0] for axis in varied}
    for values in product(*(axis.choices for axis in crossed)):
        yield {axis.name: value for axis, value in zip(crossed, values, strict=True)} | first, ""
    around = {axis.name: axis.choices[0] for axis in crossed} | first
    for axis in varied:
        for choice in axis.choices[1:]:
            yield around | {axis.name: choice}, f"{axis.name}={choice.text}"


def count(parts: FileParts) -> int:
    """How many points `combinations` would give."""
    if any(not axis.choices for axis in parts.axes):
        return 0
    crossed = prod(len(axis.choices) for axis in parts.axes if axis.crossed)
    varied = sum(len(axis.choices) - 1 for axis in parts.axes if not axis.crossed)
    pairs = len(parts.devices) * len(parts.traces)
    return (crossed * pairs + varied * bool(pairs)) * len(parts.schemes) * parts.repeats.count


def in_words(parts: FileParts) -> str:
    """Say what the points are a product of."""
    kinds = {"devices": len(parts.devices), "traces": len(parts.traces), "schemes": len(parts.schemes)}
    kinds |= {f"of {axis.name}": len(axis.choices) for axis in parts.axes if axis.crossed}
    kinds[f"repeats by {parts.repeats.by}"] = parts.repeats.count
    text = " × ".join(f"{number} {name}" for name, number in kinds.items() if number > 1) or "one point"
    varied = [f"{axis.name} ({len(axis.choices)})" for axis in parts.axes if not axis.crossed]
    return text + (f"; varied alone: {', '.join(varied)}" if varied else "")


def combinations(parts: FileParts) -> Iterator[Combination]:
    """Give every point in the order of the experiment; repeats of one follow each other.

    What is varied alone is run with the first drive, the first trace and the first value of every axis, under
    every scheme: schemes are what is compared.
    """
    if any(not axis.choices for axis in parts.axes):
        return
    for choices, vary in _choices(parts):
        devices = parts.devices[:1] if vary else parts.devices
        traces = parts.traces[:1] if vary else parts.traces
        for device, trace, scheme in product(devices, traces, parts.schemes):
            for repeat in range(parts.repeats.count):
                yield Combination(device, trace, scheme, choices, vary, repeat)


def resolve(parts: FileParts, combination: Combination, seed: int, *, generated: bool = False) -> Resolved:
    """Give all settings of a point: scheme, `[set]`, the trace's, the scheme's for it, axes', repeat's.

    Args:
        parts: the experiment.
        combination: the point.
        seed: that of its configuration, if no setting says another.
        generated: whether its trace is, so that there are other draws of it.
    """
    settings: Settings = {}
    layers: list[Mapping[str, Setting]]
    layers = [combination.scheme.settings, parts.settings, combination.trace.settings]
    layers.append(combination.scheme.for_traces.get(combination.trace.name, {}))
    layers += [choice.settings for choice in combination.choices.values()]
    layers.append(combination.over)
    for layer in layers:
        for key, setting in layer.items():
            # What is set again moves to the end, as it does on the command line.
            settings.pop(key, None)
            settings[key] = setting
    said = settings.get("seed")
    if said is not None and said.text.isdigit():
        seed = int(said.text)
    changed = perturbation(parts.repeats, combination.repeat, seed, generated=generated)
    for key, value in changed.settings.items():
        settings.pop(key, None)
        settings[key] = Setting(value, ("repeats",))
    return Resolved(settings, changed)
