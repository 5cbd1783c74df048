"""Variants of the schemes of an experiment, and the workloads that they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from reclaim.bench.parts import Choice, DeviceEntry, Parts, SchemeEntry, Setting, TraceEntry
from reclaim.bench.plan import Combination, combinations


@dataclass(frozen=True)
class Workload:
    """A drive, a trace and a value of every axis: all of a point but its scheme and its repeat.

    Two are equal if they have the same names.
    """

    place: tuple[tuple[str, str], ...]
    """Pairs of a column and a value: device, trace, then the axes, as in `("trace", "short")`."""
    device: DeviceEntry = field(compare=False, repr=False)
    trace: TraceEntry = field(compare=False, repr=False)
    choices: Mapping[str, Choice] = field(compare=False, repr=False)

    def label(self) -> str:
        """Name it in a line."""
        (_, device), (_, trace), *axes = self.place
        return ", ".join([device, trace, *(f"{name} {value}" for name, value in axes)])


@dataclass(frozen=True)
class Variant:
    """A scheme of an experiment with settings on top, which win over all others but those of a repeat."""

    name: str
    """What points of it are called in messages; one name for one variant of a workload."""
    over: tuple[tuple[str, Setting], ...] = ()
    """Keys and settings. One whose place begins with `schemes` belongs to the scheme: a drive that prepares
    this one (`warmup.scheme`) does without it."""
    scheme: SchemeEntry = field(compare=False, repr=False, kw_only=True)

    @classmethod
    def of(cls, scheme: SchemeEntry, name: str = "", over: Mapping[str, Setting] | None = None) -> Variant:
        """Take a scheme as it is, or with settings on top."""
        return cls(name or scheme.name, tuple((over or {}).items()), scheme=scheme)


class Run(NamedTuple):
    """One run of a variant: equal to the tuple of the three."""

    workload: Workload
    variant: Variant
    repeat: int

    def combination(self) -> Combination:
        """Give it as the bench takes points."""
        workload, variant, repeat = self
        choices = dict(workload.choices)
        return Combination(
            workload.device, workload.trace, variant.scheme, choices, "", repeat, dict(variant.over)
        )


def workloads_of(parts: Parts) -> list[Workload]:
    """Give the workloads of an experiment in its order: all that is crossed; nothing that is varied alone."""
    found: dict[Workload, None] = {}
    for each in combinations(parts):
        if not each.vary:
            found[_workload(each)] = None
    return list(found)


def _workload(combination: Combination) -> Workload:
    device, trace, choices = combination.device, combination.trace, combination.choices
    axes = ((name, choice.text) for name, choice in choices.items())
    return Workload((("device", device.name), ("trace", trace.name), *axes), device, trace, choices)


def runs_of(
    workloads: Iterable[Workload], variants: Sequence[Variant], repeats: Iterable[int]
) -> Iterator[Run]:
    """Cross workloads with variants and repeats; repeats of one variant follow each other."""
    for workload, variant, repeat in product(workloads, variants, list(repeats)):
        yield Run(workload, variant, repeat)
