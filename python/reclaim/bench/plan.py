"""Makes the points of an experiment: every combination, its drive built, its trace opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from reclaim.bench.parts import Choice, DeviceEntry, Parts, SchemeEntry, Setting, Settings, TraceEntry

if TYPE_CHECKING:
    from reclaim.bench.experiment_file import Repeats

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

    >>> from reclaim.bench.experiment_file import Repeats
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
    choices: dict[str, Choice]
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


def _choices(parts: Parts) -> Iterator[tuple[dict[str, Choice], str]]:
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


def count(parts: Parts) -> int:
    """How many points `combinations` would give."""
    if any(not axis.choices for axis in parts.axes):
        return 0
    crossed = prod(len(axis.choices) for axis in parts.axes if axis.crossed)
    varied = sum(len(axis.choices) - 1 for axis in parts.axes if not axis.crossed)
    pairs = len(parts.devices) * len(parts.traces)
    return (crossed * pairs + varied * bool(pairs)) * len(parts.schemes) * parts.repeats.count


def in_words(parts: Parts) -> str:
    """Say what the points are a product of."""
    kinds = {"devices": len(parts.devices), "traces": len(parts.traces), "schemes": len(parts.schemes)}
    kinds |= {f"of {axis.name}": len(axis.choices) for axis in parts.axes if axis.crossed}
    kinds[f"repeats by {parts.repeats.by}"] = parts.repeats.count
    text = " × ".join(f"{number} {name}" for name, number in kinds.items() if number > 1) or "one point"
    varied = [f"{axis.name} ({len(axis.choices)})" for axis in parts.axes if not axis.crossed]
    return text + (f"; varied alone: {', '.join(varied)}" if varied else "")


def combinations(parts: Parts) -> Iterator[Combination]:
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


def resolve(parts: Parts, combination: Combination, seed: int, *, generated: bool = False) -> Resolved:
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
