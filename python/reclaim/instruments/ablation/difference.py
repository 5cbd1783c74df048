"""The parts into which the difference of two drives is taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reclaim.bench.ablate_section import SECTION
from reclaim.instruments.flat_settings import below
from reclaim.layers import policy_kinds
from reclaim.mistakes import Mistakes
from reclaim.suggestions import near

SHOWN = 12
"""Keys that a message lists."""


@dataclass(frozen=True)
class Part:
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
) -> list[Part]:
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
                mistakes.add((SECTION, "parts", name, number), _takes_nothing(wanted, keys, every))
    grouped: dict[str, list[str]] = {name: [] for name in named}
    for key in keys:
        name = owner[key][0] if key in owner else _group(key, named)
        grouped.setdefault(name, []).append(key)
    return [Part(_called(name, own, named), tuple(own)) for name, own in grouped.items() if own]


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
