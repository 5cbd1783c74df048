"""The values of an axis as numbers, where they are: so that a chart along it has true distances."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reclaim.units import BYTES, NANOSECONDS

NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*([^\d\s]*(?:\s.*)?)", re.IGNORECASE)
UNITS = {unit: ("time", float(factor)) for unit, factor in NANOSECONDS.items()} | {
    unit: ("bytes", float(factor)) for unit, factor in BYTES.items()
}
"""What a unit measures, and how many of the smallest it is; other units stand for themselves."""
LOGARITHMIC_FROM = 24
"""How many times the smallest value the largest must be for a logarithmic axis."""


@dataclass(frozen=True)
class AxisScale:
    """Where the values of an axis lie."""

    at: dict[str, float]
    """Of each value, as the experiment writes it, the number, in the smallest unit of its kind."""

    @property
    def logarithmic(self) -> bool:
        """Whether the values spread over so much that the small ones would lie upon one another."""
        least, most = min(self.at.values()), max(self.at.values())
        return least > 0 and most >= LOGARITHMIC_FROM * least

    def title(self, axis: str) -> str:
        """The name of the axis, with what its scale is."""
        return f"{axis} (log scale)" if self.logarithmic else axis


def axis_scale(values: Sequence[str]) -> AxisScale | None:
    """The scale of an axis; None where the values are names, of different units, or a single number.

    >>> axis_scale(["600us", "1.5ms"]).at
    {'600us': 600000.0, '1.5ms': 1500000.0}
    >>> axis_scale(["greedy", "4"]), axis_scale(["4", "4KiB"]), axis_scale(["4", "4.0"])
    (None, None, None)
    """
    at, kinds = {}, set()
    for value in values:
        found = NUMBER.fullmatch(value.strip())
        if found is None:
            return None
        kind, factor = UNITS.get(found[2], (found[2], 1.0))
        kinds.add(kind)
        at[value] = float(found[1]) * factor
    if len(kinds) != 1 or len(at) < 2 or len(set(at.values())) < len(at):
        return None
    return AxisScale(at)


def name_of(axis: str) -> str:
    """What a figure calls an axis: the last part of its key, in words, or that before `kind`.

    >>> name_of("gc.pages_in_flight"), name_of("gc.victim.kind"), name_of("flash.t_program"), name_of("load")
    ('pages in flight', 'victim', 'program time', 'load')
    """
    last = axis.removesuffix(".kind").rpartition(".")[2]
    if last.startswith("t_"):
        last = f"{last.removeprefix('t_')}_time"
    return last.replace("_", " ")
