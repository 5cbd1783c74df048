"""Which settings of a scheme do nothing, because a later scheme or a single setting overrides them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from reclaim import _core
from reclaim.errors import InputError
from reclaim.parsing import UnreadableError, leaves, toml

KIND = ".kind"
"""How the key of a policy's name ends; it may be left out."""


@cache
def policy_kinds() -> tuple[str, ...]:
    """Keys of the policy kinds."""
    return tuple(kind["key"] for kind in json.loads(_core.catalogue()))


def rank(key: str) -> int:
    """Order settings that are given at once: kinds of policies, what their `params` belong to, all others.

    >>> [rank(key) for key in ("gc.victim.kind", "gc.victim", "gc.victim.function", "gc.victim.params.a")]
    [0, 0, 1, 2]
    """
    above, _, name = key.rpartition(".")
    if key.removesuffix(KIND) in policy_kinds():
        return 0
    return 1 if above in policy_kinds() and name in ("function", "score") else 2


def same_words(key: str, other: str) -> bool:
    """Whether two keys are the same, in the words of `--set`.

    >>> same_words("gc.victim", "gc.victim.kind"), same_words("gc.victim", "gc.trigger")
    (True, False)
    """
    return key.removesuffix(KIND) == other.removesuffix(KIND)


def in_words(schemes: Iterable[str]) -> str:
    """What schemes are, those together that are joined; nothing of what is no scheme.

    >>> in_words(["greedy", "gc.pages_in_flight=4"])[:27]
    'victim: fewest valid pages;'
    """
    known = dict(_core.schemes())
    return "; ".join(known[each] for each in schemes if each in known)


def named(labels: Iterable[str]) -> list[tuple[str, str]]:
    """Names that are schemes joined by `+`, each with what those are.

    >>> named(["mine"])
    [('mine', '')]
    """
    return [(label, in_words(label.split("+"))) for label in labels]


def is_same(key: str, other: str) -> bool:
    """Whether two keys say the same thing, in the same words or in others: of the two one counts.

    >>> is_same("geometry.user_capacity", "geometry.spare_factor"), is_same("seed", "name")
    (True, False)
    """
    return same_words(key, other) or other in _core.same_settings(key)


def _flat(table: Mapping[str, Any]) -> dict[str, str]:
    """Settings by dotted keys; a policy has its name under the key of its kind."""
    texts = (
        (keys, str(value).lower() if isinstance(value, bool) else str(value)) for keys, value in leaves(table)
    )
    return {".".join(keys).removesuffix(KIND): text for keys, text in texts}


@cache
def of_scheme(name: str) -> Mapping[str, str]:
    """What a scheme sets; nothing if there is none of that name.

    >>> dict(of_scheme("copyback"))
    {'gc.relocation': 'copyback'}
    """
    try:
        return _flat(toml(_core.scheme_toml(name)))
    except InputError:
        return {}


def of_settings(settings: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What single settings set, of which a value may be a table.

    >>> of_settings([("gc.victim", '{ kind = "d-choices", d = 4 }'), ("seed", "7")])
    {'gc.victim': 'd-choices', 'gc.victim.d': '4', 'seed': '7'}
    """
    found: dict[str, str] = {}
    for key, text in settings:
        value: Any = text
        if text.lstrip().startswith("{"):
            try:
                value = toml(f"value = {text}")["value"]
            except UnreadableError:
                # What is wrong with it comes out where the drive is built.
                continue
        found |= _flat({key: value})
    return found


def overridden(
    schemes: Sequence[str], settings: Iterable[tuple[str, str]] = (), *, by: str = "--set"
) -> list[str]:
    """Say of each setting of a scheme that does nothing what overrides it.

    >>> overridden(["pcgc", "copyback"])
    ['scheme pcgc: its gc.relocation (pcgc) does nothing: scheme copyback sets copyback']

    Args:
        schemes: in the order in which they are put on a drive.
        settings: single settings on top of them, key and value.
        by: what messages call a setting; the key and the value come behind it.
    """
    single = of_settings(settings)
    layers = [(f"scheme {name} sets", of_scheme(name)) for name in schemes]
    found = []
    for place, name in enumerate(schemes):
        for key, value in of_scheme(name).items():
            later = [(who, layer[key]) for who, layer in layers[place + 1 :] if key in layer]
            if key in single:
                later.append((f"{by} {key} sets", single[key]))
            if later and later[-1][1] != value:
                who, other = later[-1]
                found.append(f"scheme {name}: its {key} ({value}) does nothing: {who} {other}")
    return list(dict.fromkeys(found))


Flat = dict[str, Any]
"""Settings by their dotted keys."""
DERIVED = ("name", "warmup.policies")
"""What follows from other settings."""


def flat(config: Mapping[str, Any]) -> Flat:
    """Give the settings of a resolved configuration by dotted keys, without those that follow from others.

    >>> flat({"gc": {"victim": {"kind": "fifo"}}, "name": "d"})
    {'gc.victim.kind': 'fifo'}
    """
    settings = {".".join(keys): value for keys, value in leaves(config)}
    return {key: value for key, value in settings.items() if not any(below(key, each) for each in DERIVED)}


def below(key: str, section: str) -> bool:
    """Whether a key is a section, or in it.

    >>> below("gc.victim.d", "gc.victim"), below("gc.victims", "gc.victim")
    (True, False)
    """
    return key == section or key.startswith(f"{section}.")


def differing(one: Flat, other: Flat) -> list[str]:
    """Give the keys with different values, and those that one of the two does not have."""
    missing = object()
    return [key for key in dict.fromkeys([*one, *other]) if one.get(key, missing) != other.get(key, missing)]
