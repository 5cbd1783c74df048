"""Studies whose figures are drawn, not run: what decides is known, and a study takes milliseconds."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from reclaim.bench.parts import Repeats, Sensitivity
from reclaim.instruments.alternatives import Choice, Kind
from reclaim.instruments.judging import measured
from reclaim.instruments.keys import listed
from reclaim.instruments.moves import Cell, Figure, Pairing, Side, cells
from reclaim.instruments.study import Plan, Student, Study

TRACES = ("one", "two")
Effect = Callable[[Side, Mapping[str, str]], float]
"""What moved keys do to the logarithm of a scheme's figure."""


@dataclass
class World:
    """What runs would give."""

    effect: Effect
    base: float = 0.1
    """Log ratio of B to A as they are."""
    noise: float = 0.01
    """Deviation of the logarithm of a run."""
    seed: int = 0
    codes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Codes of runs with a key at a value."""
    refused: frozenset[tuple[str, str]] = frozenset()
    asked: dict[Cell, None] = field(default_factory=dict)

    def run(self, wanted: Sequence[Cell]) -> dict[Cell, Figure]:
        self.asked |= dict.fromkeys(wanted)
        return {cell: self._figure(cell) for cell in wanted}

    def cost(self, wanted: Sequence[Cell]) -> int:
        return len({cell for cell in wanted if cell not in self.asked and not self._is_refused(cell)})

    def _is_refused(self, cell: Cell) -> bool:
        return any(part in self.refused for part in cell.moved.keys)

    def _figure(self, cell: Cell) -> Figure:
        if self._is_refused(cell):
            return Figure(None, fault="is refused")
        draw = random.Random(f"{self.seed} {cell}")  # noqa: S311 - reproducible, not secret
        log = self.effect(cell.side, dict(cell.moved.keys)) + draw.gauss(0, self.noise)
        codes = frozenset(self.codes[part] for part in cell.moved.keys if part in self.codes)
        return Figure(math.exp(log + (self.base if cell.side == "B" else 0)), codes)


def study(
    world: World,
    keys: int | Sequence[tuple[str, Kind]] = 8,
    repeats: int = 6,
    combinations: int = 0,
    budget: int | None = None,
) -> Study:
    """Study keys `key-0` … of two values beside that of the base, each moved for both and for one."""
    named: Sequence[tuple[str, Kind]] = (
        [(f"key-{number}", "reading") for number in range(keys)] if isinstance(keys, int) else keys
    )
    choices = {name: Choice(name, kind, "A reason.", "0", ("0", "1", "2")) for name, kind in named}
    found = listed(
        {"A": choices, "B": choices},
        Sensitivity(metric="write_mean_ns"),
        (),
        Repeats(repeats, "seed"),
        lambda *_: False,
        lambda *_: False,
        lambda *_: False,
    )
    plan = Plan(TRACES, repeats, world.seed, combinations, budget)
    as_is = cells(Pairing(), *plan.full)
    spent = world.cost(as_is)
    base = measured(Pairing(), *plan.full, world.run(as_is))
    return Student(plan, world.run, world.cost, base, found, spent).go()


def turning(found: Study) -> list[str]:
    return [key.name for key in found.keys if key.status == "turns"]
