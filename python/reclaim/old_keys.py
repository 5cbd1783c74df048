"""Keys of experiment files that have other names now: for one version the old ones are read, with a note."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from reclaim.errors import ResultWarning
from reclaim.mistakes import KeyPath, Mistakes, Source, dotted, line_of, parse_toml

RENAMED: Mapping[str, Mapping[str, str]] = {
    "comparisons": {"scheme": "candidate", "to": "baseline"},
    "ablate": {"from": "baseline", "to": "candidate"},
    "sensitivity": {"base": "baseline", "other": "candidate", "metric": "metrics"},
    "tune": {"objectives": "objective"},
}
"""By section, each old key and the present one."""


def with_present_keys(table: Mapping[str, Any]) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    """Give a table with the names that its keys have now, and by the place of each new name the old one.

    >>> with_present_keys({"ablate": {"from": "a"}, "comparisons": [{"to": "b"}]})
    ({'ablate': {'baseline': 'a'}, 'comparisons': [{'baseline': 'b'}]}, {('ablate', 'baseline'): 'from', \
('comparisons', 0, 'baseline'): 'to'})
    """
    old: dict[KeyPath, str] = {}
    present = {
        key: _renamed(value, RENAMED[key], (key,), old) if key in RENAMED else value
        for key, value in table.items()
    }
    return present, old


def _renamed(value: Any, names: Mapping[str, str], path: KeyPath, old: dict[KeyPath, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(each, names, (*path, number), old) for number, each in enumerate(value)]
    if not isinstance(value, Mapping):
        return value
    # A table that has both names is told of the old one that it is unknown.
    now = {key: names.get(key, key) if names.get(key) not in value else key for key in value}
    old |= {(*path, new): key for key, new in now.items() if key != new}
    return {now[key]: inner for key, inner in value.items()}


def parse_present(source: Source, mistakes: Mistakes) -> tuple[dict[str, Any], Source]:
    """Parse an experiment with the names that its keys have now; each that has another is told."""
    table, renamed = with_present_keys(parse_toml(source, mistakes))
    for path, key in renamed.items():
        written = (*path[:-1], key)
        line = line_of(source.text, written)
        told = f"{dotted(written)}: is called {path[-1]} now; the next version does not know {key}"
        warnings.warn(f"{source.file}:{line}: {told}", ResultWarning, stacklevel=2)
    return table, source._replace(renamed=renamed)
