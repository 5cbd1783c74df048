"""What can be told of an experiment before anything runs: mistakes, refused combinations, vain axes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.experiment.build import Refusal, Tell
from reclaim.experiment.estimate import Estimate, estimate
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.parts import FileParts
from reclaim.experiment.point import Point
from reclaim.layers import is_same, overridden
from reclaim.mistakes import Mistakes


@dataclass(frozen=True)
class Checked:
    """What was found."""

    experiment: Experiment
    mistakes: list[str]
    """A message each; with any, nothing can run."""
    points: list[Point]
    refusals: list[Refusal]
    warnings: list[str]
    estimate: Estimate | None
    """None with mistakes."""
    notes: list[str] = field(default_factory=list)
    """What is as written, and perhaps not as meant: parts of schemes that something else overrides."""


def check(path: str | Path, tell: Tell | None = None) -> Checked:
    """Read an experiment, build every drive and read every trace.

    Args:
        path: the file.
        tell: called before each point is made.

    Raises:
        InputError: if the file cannot be read at all.
    """
    experiment, mistakes = Experiment.read(path)
    return _checked(experiment, mistakes, tell)


def _checked(experiment: Experiment, mistakes: Mistakes, tell: Tell | None) -> Checked:
    builder, points = experiment.build(mistakes, tell)
    messages = mistakes.messages()
    if messages:
        return Checked(experiment, messages, points, builder.refusals(), [], None)
    vain = _vain_axes(points)
    warnings = [f"axis {axis} does nothing: all its values give the same runs" for axis in vain]
    warnings += [*_same_runs(points, set(vain)), *_vain_settings(experiment), *_repeats(points)]
    warnings += _never_collected(points)
    known = estimate(points, builder.traces.summaries())
    refusals = [*builder.refusals(), *_no_place(points)]
    notes = [*_overridden(experiment.parts), *_left_out(points)]
    return Checked(experiment, [], points, refusals, warnings, known, notes)


OF_THE_START = ("geometry", "trace", "host", "warmup", "ftl", "seed")
"""What decides, beside the trace, whether a run can begin: which pages the trace has on the drive."""


def _no_place(points: Sequence[Point]) -> list[Refusal]:
    """Points of which every run would fail before it begins, as their trace has no place on their drive."""
    known: dict[str, str] = {}
    found: dict[str, Refusal] = {}
    for point in points:
        if point.drive is None or point.opened is None:
            continue
        config = point.drive.config
        key = json.dumps([id(point.opened), *(config[section] for section in OF_THE_START)], sort_keys=True)
        if key not in known:
            try:
                point.drive.check_run(point.opened)
                known[key] = ""
            except InputError as error:
                known[key] = f"{point.trace}: {str(error).removeprefix(f'{point.trace}: ')}"
        if known[key]:
            refusal = found.setdefault(known[key], Refusal(known[key], None))
            # Repeats follow each other.
            if refusal.points[-1:] != [point.label()]:
                refusal.points.append(point.label())
    return [*found.values()]


def _never_collected(points: Sequence[Point]) -> list[str]:
    """Say that no point collects anything, as far as the size of drives and traces tells."""
    known: set[tuple[object, ...]] = set()
    for point in points:
        key = (id(point.opened), *point.made_but(("seed",)))
        if point.drive is None or point.opened is None or point.repeat or key in known:
            continue
        known.add(key)
        if point.drive.facts(point.opened)["trace"]["gc_starts"] != "no":
            return []
    none = "garbage collection starts in none of these points, so that no scheme can differ in it"
    return [f'{none}; warm up (warmup.kind = "workload"), or take a smaller drive'] if known else []


def _others(point: Point, axis: str) -> tuple[object, ...]:
    """Everything that tells a point from others but one axis."""
    axes = {name: value for name, value in point.axes.items() if name != axis}
    return (point.device, point.trace, point.scheme, point.repeat, *axes.items())


def _vain_axes(points: Sequence[Point]) -> list[str]:
    """Axes whose values all make the same runs."""
    found = []
    for axis in points[0].axes if points else ():
        runs: dict[tuple[object, ...], set[str]] = {}
        values: dict[tuple[object, ...], set[str]] = {}
        for point in points:
            key = _others(point, axis)
            runs.setdefault(key, set()).add(point.same_run or point.id)
            values.setdefault(key, set()).add(point.axes[axis])
        if any(len(each) > 1 for each in values.values()) and all(len(each) == 1 for each in runs.values()):
            found.append(axis)
    return found


def _same_runs(points: Sequence[Point], vain: set[str]) -> list[str]:
    """Points that are one run under several names, though no axis as a whole is in vain."""
    same: dict[str, list[Point]] = {}
    for point in points:
        if point.same_run:
            same.setdefault(point.same_run, []).append(point)
    return [
        f"the same run twice: {group[0].label()}; and {each.label()}"
        for group in same.values()
        for each in group[1:]
        if _differs_in(group[0], each) - vain - {*each.left_out}
    ]


def _left_out(points: Sequence[Point]) -> list[str]:
    """Axes that are of no parameter of some schemes."""
    schemes: dict[str, dict[str, None]] = {}
    for point in points:
        for axis in point.left_out:
            schemes.setdefault(axis, {})[point.scheme] = None
    return [
        f"axis {axis} does nothing for {', '.join(each)} (no such parameter): one run for all its values"
        for axis, each in schemes.items()
    ]


def _differs_in(one: Point, other: Point) -> set[str]:
    fields = ("device", "trace", "scheme", "repeat")
    found = {name for name in fields if getattr(one, name) != getattr(other, name)}
    return found | {name for name in one.axes if one.axes[name] != other.axes[name]}


def _vain_settings(experiment: Experiment) -> list[str]:
    """Settings of all points that something else overrides in every one."""
    parts = experiment.parts
    found = []
    for key in parts.settings:
        over = [axis.name for axis in parts.axes if all(key in each.settings for each in axis.choices)]
        if parts.traces and all(key in each.settings for each in parts.traces):
            over.append("every trace")
        if over:
            found.append(f"set.{key} does nothing: {over[-1]} sets it in every point")
    overrides = dict.fromkeys(parts.settings, "[set]")
    overrides |= {
        key: f"{'axes' if axis.crossed else 'vary'}.{axis.name}"
        for axis in parts.axes
        for key in axis.choices[0].settings
        if all(key in each.settings for each in axis.choices)
    }
    found += [
        f"scheme {scheme.name}: its {key} does nothing: {overrides[over]} overrides it"
        for scheme in parts.schemes
        for key in scheme.settings
        for over in overrides
        if is_same(key, over)
    ]
    return found


def _overridden(parts: FileParts) -> list[str]:
    """What schemes set in vain: a later one of the same entry, its own settings, or those of all points."""
    everywhere = [(key, setting.text) for key, setting in parts.settings.items()]
    found: list[str] = []
    for entry in parts.schemes:
        own = [(key, setting.text) for key, setting in entry.settings.items()]
        found += [f'"{entry.name}": {each}' for each in overridden(entry.schemes, own, by="its setting")]
        found += overridden(entry.schemes[-1:], everywhere, by="[set]")
    return list(dict.fromkeys(found))


def _repeats(points: Sequence[Point]) -> list[str]:
    """Repeats by seed of drives in which nothing is random."""
    repeats = [each for each in points if each.repeat and each.perturbation.startswith("seed ")]
    drives = {each.made: each.drive for each in repeats if each.drive is not None}
    still = [drive for drive in drives.values() if not _draws(drive)]
    if not still:
        return []
    some = "" if len(still) == len(drives) else f" of {len(still)} of {len(drives)} drives"
    why = "nothing there draws from the seed, neither the warm-up nor a policy"
    return [f'repeats{some} will be identical: {why}; use by = "rotate" or by = "jitter"']


RANDOM_WARM_UPS = ("overwrite", "steady")
RANDOM_WORDS = ("random", "d-choices")
"""Policies that draw have one of these in their name."""


def _draws(drive: Device) -> bool:
    """Whether anything in a drive draws from the seed, as far as its configuration tells."""
    config = drive.config
    if config["warmup"]["kind"] in RANDOM_WARM_UPS or config["trace"].get("jitter"):
        return True
    if config["trace"].get("repeat_order") == "shuffled":
        return True
    kinds = [
        str(each.get("kind", ""))
        for section in config.values()
        if isinstance(section, dict)
        for each in (section, *section.values())
        if isinstance(each, dict)
    ]
    return any(word in kind for word in RANDOM_WORDS for kind in kinds)
