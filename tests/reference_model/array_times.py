"""Array times by the erases of a block (docs/model.md, 3.8)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from reference_model.configuration import Table
from reference_model.units import MILLION

MOST = 10 * MILLION


@dataclass(frozen=True)
class Row:
    """A row of `flash.wear`: the factors in ppm."""

    erases: int = 0
    read: int = MILLION
    program: int = MILLION
    erase: int = MILLION


def worn(time: int, factor: int) -> int:
    """Return a time with a factor."""
    return (time * factor + MILLION // 2) // MILLION


class TimesByWear:
    """`flash.wear` and `flash.initial_erases`."""

    def __init__(self, flash: Table) -> None:
        self.initial_erases = flash.whole("initial_erases", 0)
        self.rows = [_row(each) for each in flash.take("wear", [])]
        erases = [row.erases for row in self.rows]
        if any(here >= after for here, after in pairwise(erases)):
            raise ValueError(f"flash.wear: {erases} do not grow")

    def of(self, erases: int) -> Row:
        """3.8: the row that holds for a block erased so often."""
        reached = [row for row in self.rows if row.erases <= erases]
        if not reached:
            return Row()
        return reached[-1]  # 3.8: with factors


def _row(content: Any) -> Row:
    table = Table("flash.wear", content)
    erases = table.whole("erases")
    factors = [table.ppm(name, "100%") for name in ("read", "program", "erase")]
    if not all(0 < factor <= MOST for factor in factors):
        raise ValueError(f"flash.wear: {content!r} has a factor that is none")
    table.finish()
    return Row(erases, *factors)
