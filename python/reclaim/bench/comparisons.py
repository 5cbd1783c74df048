"""Reads `[[comparisons]]`: which scheme is judged beside which, as a report and the terminal show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from reclaim.bench.fields import check_keys, kind_of, name_of, text_of
from reclaim.bench.lines import KeyPath
from reclaim.bench.mistakes import Mistakes, valid
from reclaim.bench.parts import SchemeEntry

SECTION = "comparisons"
KEYS = ("name", "scheme", "to", "about")


class ComparisonEntry(NamedTuple):
    """One scheme beside the one that it is meant to improve on."""

    name: str
    scheme: str
    to: str
    about: str


def read_comparisons(
    table: Mapping[str, Any], schemes: Sequence[SchemeEntry], mistakes: Mistakes
) -> tuple[ComparisonEntry, ...]:
    """Read the list; what is wrong is left out and noted."""
    given = table.get(SECTION, [])
    if not isinstance(given, list) or not all(isinstance(each, Mapping) for each in given):
        mistakes.add((SECTION,), f"must be tables, each written [[{SECTION}]], not {kind_of(given)}")
        return ()
    names = [each.name for each in schemes]
    found: list[ComparisonEntry] = []
    for number, each in enumerate(given):
        path: KeyPath = (SECTION, number)
        check_keys(each, path, KEYS, mistakes)
        scheme, to = (_scheme(each, key, path, names, mistakes) for key in ("scheme", "to"))
        if scheme and scheme == to:
            mistakes.add((*path, "to"), f'is "{to}", as scheme is; name another scheme')
        name = name_of(each, "name", path, mistakes, default=scheme)
        if name and name in {other.name for other in found}:
            mistakes.add(
                (*path, "name"), f'"{name}" is the name of another comparison; give it one of its own'
            )
        found.append(ComparisonEntry(name, scheme, to, text_of(each, "about", path, mistakes)))
    return tuple(found)


def _scheme(
    table: Mapping[str, Any], key: str, path: KeyPath, names: Sequence[str], mistakes: Mistakes
) -> str:
    if key not in table:
        example = f', as in {key} = "{names[0]}"' if names else ""
        mistakes.add(path, f"{key} is missing; name a scheme of the experiment{example}")
        return ""
    name = text_of(table, key, path, mistakes)
    if name and name not in names:
        mistakes.add((*path, key), f'no scheme "{name}"; {valid(name, names)}')
        return ""
    return name
