"""A table of published figures that a stand-in is to be like."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from reclaim.mistakes import kind_of, valid
from reclaim.parsing import leaves
from reclaim.sections import Section, Words, Wrong, load
from reclaim.trace.synthesis.metrics import METRICS
from reclaim.trace.synthesis.targets import Targets

NEEDED = "requests.write_ratio"


class Published(Section):
    """A table of published figures."""

    published: int = 1
    name: Words
    of: Words
    source: Words
    date: str = ""
    terms: str = ""
    why: str = ""
    figures: dict[str, Any]
    assumed: dict[str, Any] = Field({})

    @classmethod
    def mistakes_in(cls, table: Mapping[str, Any], _context: Any, /) -> Iterable[Wrong]:
        """See that its figures are some that a stand-in can meet, and that needed ones are there."""
        for section in ("figures", "assumed"):
            given = table.get(section)
            for keys, value in leaves(given if isinstance(given, Mapping) else {}):
                path = ".".join(keys)
                is_number = isinstance(value, int | float) and not isinstance(value, bool)
                if path not in METRICS:
                    text = f'no stand-in can be made to meet "{path}"; {valid(path, METRICS)}'
                    yield Wrong((section, *keys), text)
                elif not (is_number and 0 <= value < math.inf):
                    yield Wrong((section, *keys), f"must be a number from 0 up, not {kind_of(value)}")
        figures = table.get("figures")
        if isinstance(figures, Mapping) and NEEDED not in _flat(figures):
            yield Wrong(("figures",), f"{NEEDED} is missing; nothing can be chosen in its place")
        if table.get("assumed") and not table.get("why"):
            yield Wrong(("assumed",), "needs why, a text that says where its figures come from")


def from_table(path: Path) -> Targets:
    """Read a table of published figures.

    Raises:
        InputError: if it is not one, names an unknown figure, or lacks what nothing can be chosen for.
    """
    table = load(Published, path)
    texts = (table.name, table.of, table.source, table.date, table.terms)
    return Targets(*texts, figures=_flat(table.figures), assumed=_flat(table.assumed), why=table.why)


def _flat(table: Mapping[str, Any]) -> dict[str, float]:
    return {".".join(keys): float(value) for keys, value in leaves(table)}
