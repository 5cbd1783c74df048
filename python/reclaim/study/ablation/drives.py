"""The drives between two schemes: of each subset of the parts, what it is made of, or why it cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reclaim.experiment.parts import SchemeEntry, Setting, value_text
from reclaim.layers import Flat, below, differing, flat, policy_kinds
from reclaim.mistakes import KeyPath, Mistakes
from reclaim.study.ablation.section import ABLATE
from reclaim.study.runs import Points, Run, Variant, Workload
from reclaim.suggestions import near


@dataclass(frozen=True)
class Stage:
    """A workload, and the settings of both schemes on it."""

    workload: Workload
    origin: Flat
    target: Flat
    differs: int = 0
    """The parts that are not the same in both schemes here, as a subset."""
    unusable: str = ""
    """Why nothing can be taken apart here: the configuration refuses one of the schemes."""


@dataclass(frozen=True)
class SubsetDrive:
    """What the drive of a subset is made of."""

    variant: Variant
    refused: str = ""
    """Why it cannot be; empty if it can."""


class Drives:
    """Makes drives of which some parts are those of `target` and the others those of `origin`."""

    def __init__(
        self,
        points: Points,
        schemes: tuple[SchemeEntry, SchemeEntry],
        parts: Sequence[SchemePart],
        *,
        from_target: bool,
    ) -> None:
        """Take what they are made of.

        Args:
            points: builds them.
            schemes: origin and target.
            parts: bit i of a subset is that of part i.
            from_target: make drives of the target with settings of the origin, and not the other way round.
        """
        self._points = points
        self._schemes = schemes
        self._parts = parts
        self._from_target = from_target
        self._made: dict[tuple[Workload, int], SubsetDrive] = {}

    def of(self, stage: Stage, subset: int) -> SubsetDrive:
        """Give the drive of a subset: at the ends a scheme itself, so that a sweep has the same points.

        Raises:
            InputError: for a trace that cannot be read with its settings.
        """
        here = subset & stage.differs
        key = (stage.workload, here)
        if key not in self._made:
            at_end = here in (0, stage.differs)
            self._made[key] = (
                SubsetDrive(Variant.of(self._schemes[bool(here)])) if at_end else self._between(stage, here)
            )
        return self._made[key]

    def _between(self, stage: Stage, here: int) -> SubsetDrive:
        (base, other), moved = self._schemes, here
        kept, wanted = stage.origin, stage.target
        if self._from_target:
            (other, base), moved = self._schemes, stage.differs ^ here
            kept, wanted = wanted, kept
        parts = [part for at, part in enumerate(self._parts) if moved >> at & 1]
        keys = [key for part in parts for key in part.keys if key in differing(kept, wanted)]
        name = f"{base.name} with {', '.join(part.name for part in parts)} of {other.name}"
        mixed = _mixed(kept, wanted, keys)
        over = _settings(mixed, keys, other.path)
        variant = Variant.of(base, name, over)
        point = self._points.of(Run(stage.workload, variant, 0))
        refused = SubsetDrive(variant, point.refused)
        while point.drive is None:
            blamed = point.refused.partition(" = ")[0]
            # A setting that says nothing beside others must be left out, and has its value all the same.
            if blamed not in over or kind_of(blamed) is not None:
                return refused
            del over[blamed]
            variant = Variant.of(base, name, over)
            point = self._points.of(Run(stage.workload, variant, 0))
        made = flat(point.drive.config)
        wrong = differing(made, mixed)
        if not wrong:
            return SubsetDrive(variant)
        told = ", ".join(f"{key} would be {_shown(made, key)}, not {_shown(mixed, key)}" for key in wrong)
        return refused if refused.refused else SubsetDrive(variant, f"no setting makes this drive: {told}")


def _shown(settings: Flat, key: str) -> str:
    return value_text(settings[key]) if key in settings else "left out"


def _mixed(kept: Flat, wanted: Flat, keys: Sequence[str]) -> Flat:
    """Settings of `kept`, with those of `wanted` in their place for some keys."""
    mixed = {key: value for key, value in kept.items() if key not in keys}
    return mixed | {key: wanted[key] for key in keys if key in wanted}


def _settings(mixed: Flat, keys: Sequence[str], path: KeyPath) -> dict[str, Setting]:
    """What makes a drive have the values of `mixed` for some keys: policies with all parameters at once."""
    found: dict[str, Setting] = {}
    for key in keys:
        kind = kind_of(key)
        if kind is not None:
            table = {each.removeprefix(f"{kind}."): mixed[each] for each in mixed if below(each, kind)}
            found[kind] = Setting(value_text(_nested(table)), path)
        elif key in mixed:
            found[key] = Setting(value_text(mixed[key]), path)
    return found


def _nested(table: Mapping[str, Any]) -> dict[str, Any]:
    """Undo what dotted keys flatten.

    >>> _nested({"kind": "x", "a.b": 1})
    {'kind': 'x', 'a': {'b': 1}}
    """
    found: dict[str, Any] = {}
    for key, value in table.items():
        *above, last = key.split(".")
        place = found
        for step in above:
            place = place.setdefault(step, {})
        place[last] = value
    return found


def cannot_go(kept: Flat, wanted: Flat) -> int:
    """Count the settings of `kept` that no setting takes away again on its way to `wanted`.

    >>> cannot_go({"trace.jitter": "1us"}, {}), cannot_go({}, {"trace.jitter": "1us"})
    (1, 0)
    """
    gone = [(key, kind_of(key)) for key in kept if key not in wanted]
    # A policy of another kind comes without the parameters of the old one.
    return sum(kind is None or kept[f"{kind}.kind"] == wanted[f"{kind}.kind"] for _, kind in gone)


SHOWN = 12
"""Keys that a message lists."""


@dataclass(frozen=True)
class SchemePart:
    """Settings that go from one scheme to the other together."""

    name: str
    keys: tuple[str, ...]


def kind_of(key: str) -> str | None:
    """Give the policy kind that a key chooses or is a parameter of; None if it is of none.

    >>> kind_of("gc.victim.d"), kind_of("gc.pages_in_flight")
    ('gc.victim', None)
    """
    return next((kind for kind in policy_kinds() if below(key, kind)), None)


def parts_of(
    keys: Sequence[str], named: Mapping[str, Sequence[str]], known: Iterable[str], mistakes: Mistakes
) -> list[SchemePart]:
    """Put keys into parts: those that are named, then policy kinds and sections.

    A named key takes what is below it, too, except what another part names by a longer key.

    Args:
        keys: those in which the schemes differ.
        named: keys by the name of the part.
        known: all keys that either scheme has.
        mistakes: where to note a key that takes nothing.
    """
    owner: dict[str, tuple[str, str]] = {}
    for name, own in named.items():
        for wanted in own:
            for key in keys:
                if below(key, wanted) and len(wanted) > len(owner.get(key, ("", ""))[1]):
                    owner[key] = (name, wanted)
    used = set(owner.values())
    every = list(known)
    for name, own in named.items():
        for number, wanted in enumerate(own):
            if (name, wanted) not in used:
                mistakes.add((ABLATE, "parts", name, number), _takes_nothing(wanted, keys, every))
    grouped: dict[str, list[str]] = {name: [] for name in named}
    for key in keys:
        name = owner[key][0] if key in owner else _group(key, named)
        grouped.setdefault(name, []).append(key)
    return [SchemePart(_called(name, own, named), tuple(own)) for name, own in grouped.items() if own]


def _group(key: str, named: Iterable[str]) -> str:
    group = kind_of(key) or key.partition(".")[0]
    return f"{group}, the rest" if group in set(named) else group


def _called(name: str, keys: Sequence[str], named: Iterable[str]) -> str:
    """Call a single setting that no policy has by its key, which says more than its section."""
    alone = len(keys) == 1 and kind_of(keys[0]) is None and not {name, keys[0]} & set(named)
    return keys[0] if alone else name


def _takes_nothing(wanted: str, keys: Sequence[str], known: Sequence[str]) -> str:
    listed = ", ".join(keys[:SHOWN]) + (f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else "")
    if any(below(key, wanted) for key in keys):
        return f'"{wanted}" takes nothing: other parts name all that is below it'
    if any(below(key, wanted) for key in known):
        return f'the schemes do not differ in "{wanted}"; they differ in: {listed}'
    hint = near(wanted, [*policy_kinds(), *keys, *known])
    return f'"{wanted}" is no key of these drives; the schemes differ in: {listed}{hint}'
