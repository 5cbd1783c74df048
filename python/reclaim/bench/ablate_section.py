"""Reads `[ablate]`: which two schemes, by which metrics, and into which parts what differs is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from reclaim.bench.fields import check_keys, kind_of, table_of, text_of
from reclaim.bench.lines import KeyPath
from reclaim.bench.metric_names import check_metric
from reclaim.bench.mistakes import Mistakes, dotted
from reclaim.bench.parts import SchemeEntry
from reclaim.suggestions import near

SECTION = "ablate"
KEYS = ("from", "to", "metrics", "parts", "orderings", "seed")
DEFAULT_ORDERINGS = 24
MOST_ORDERINGS = 10_000
MOST_SEED = 2**63 - 1


class AblateEntry(NamedTuple):
    """What is to be taken apart."""

    origin: str
    """Name of the scheme that it starts from."""
    target: str
    """Name of the scheme that it arrives at."""
    metrics: tuple[str, ...]
    parts: Mapping[str, tuple[str, ...]]
    """Keys of the parts that have names of their own."""
    orderings: int = DEFAULT_ORDERINGS
    """How many orders of the parts are drawn where there are too many parts for all subsets; even."""
    seed: int = 1
    """What they are drawn with."""


def read_ablate(
    table: Mapping[str, Any], schemes: Sequence[SchemeEntry], mistakes: Mistakes
) -> AblateEntry | None:
    """Read the section; None where there is none, or something in it is wrong."""
    if SECTION not in table:
        return None
    before = len(mistakes.found) + len(mistakes.more)
    section = table_of(table, SECTION, mistakes)
    if not isinstance(table[SECTION], Mapping):
        return None
    check_keys(section, (SECTION,), KEYS, mistakes)
    names = [each.name for each in schemes]
    ends = [_scheme(section, key, names, mistakes) for key in ("from", "to")]
    if ends[0] and ends[0] == ends[1]:
        mistakes.add(
            (SECTION, "to"), f'is "{ends[0]}", as from is; name another scheme: {_others(ends[0], names)}'
        )
    entry = AblateEntry(
        ends[0],
        ends[1],
        _metrics(section, mistakes),
        _parts(section, mistakes),
        _whole(section, "orderings", DEFAULT_ORDERINGS, 2, MOST_ORDERINGS, mistakes),
        _whole(section, "seed", 1, 0, MOST_SEED, mistakes),
    )
    if entry.orderings % 2:
        more = entry.orderings + 1
        mistakes.add(
            (SECTION, "orderings"),
            f"must be even, as each order is taken backwards, too, not {entry.orderings}; give {more}",
        )
    return entry if len(mistakes.found) + len(mistakes.more) == before else None


def _others(name: str, names: Sequence[str]) -> str:
    others = [f'"{each}"' for each in names if each != name]
    return ", ".join(others) or "the experiment has no other; list it in schemes"


def _scheme(section: Mapping[str, Any], key: str, names: Sequence[str], mistakes: Mistakes) -> str:
    if key not in section:
        mistakes.add(
            (SECTION,),
            f'{key} is missing; name a scheme of the experiment, as in {key} = "{names[0]}"'
            if names
            else f"{key} is missing",
        )
        return ""
    name = text_of(section, key, (SECTION,), mistakes)
    if name and name not in names:
        listed = ", ".join(f'"{each}"' for each in names)
        mistakes.add(
            (SECTION, key), f'"{name}" is no scheme of this experiment; valid: {listed}{near(name, names)}'
        )
        return ""
    return name


def _metrics(section: Mapping[str, Any], mistakes: Mistakes) -> tuple[str, ...]:
    path: KeyPath = (SECTION, "metrics")
    example = 'as in metrics = ["read_p99_ns"]'
    if "metrics" not in section:
        mistakes.add((SECTION,), f"metrics is missing; name at least one, {example}")
        return ()
    given = section["metrics"]
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list) or not listed:
        mistakes.add(path, f"must be a list of metrics, {example}, not {kind_of(given)}")
        return ()
    for number, each in enumerate(listed):
        place = path if isinstance(given, str) else (*path, number)
        if not isinstance(each, str):
            mistakes.add(place, f"must be the name of a metric, {example}, not {kind_of(each)}")
        elif each in listed[:number]:
            mistakes.add(place, f'"{each}" is listed twice')
        else:
            check_metric(each, place, mistakes)
    return tuple(each for each in listed if isinstance(each, str))


def _parts(section: Mapping[str, Any], mistakes: Mistakes) -> dict[str, tuple[str, ...]]:
    path: KeyPath = (SECTION, "parts")
    table = section.get("parts", {})
    if not isinstance(table, Mapping):
        mistakes.add(path, f"must be a table, written [{dotted(path)}], not {kind_of(table)}")
        return {}
    found: dict[str, tuple[str, ...]] = {}
    owner: dict[str, str] = {}
    for name, keys in table.items():
        if not name.strip():
            mistakes.add((*path, name), "is empty; give the part a name")
        if not isinstance(keys, list) or not keys or not all(isinstance(each, str) for each in keys):
            example = f'"{name}" = ["gc.victim"]'
            mistakes.add((*path, name), f"must be a list of keys, as in {example}, not {kind_of(keys)}")
            continue
        for number, key in enumerate(keys):
            other = owner.setdefault(key, name)
            if key in keys[:number]:
                mistakes.add((*path, name, number), f'"{key}" is listed twice')
            elif other != name:
                mistakes.add(
                    (*path, name, number), f'"{key}" is in the part "{other}" already; a key is in one part'
                )
        found[name] = tuple(keys)
    return found


def _whole(
    section: Mapping[str, Any], key: str, default: int, least: int, most: int, mistakes: Mistakes
) -> int:
    value = section.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        mistakes.add((SECTION, key), f"must be a whole number from {least} to {most}, not {kind_of(value)}")
        return default
    return value
