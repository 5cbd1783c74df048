"""Arithmetic of the user's, computed anew for every candidate (docs/model.md, 5.13)."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from reference_model.configuration import Table
from reference_model.space import Block

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Score:
    """`score`."""

    def __init__(self, drive: Drive, policy: Table) -> None:
        self.drive = drive
        self.text = str(policy.take("score"))
        self.params: dict[str, Any] = policy.take("params", {})
        self.candidates: list[set[int]] = [set() for _ in range(drive.geometry.planes)]
        self.noted: dict[int, int] = {}

    def sealed(self, block: Block) -> None:
        """A new candidate."""
        self.candidates[block.plane].add(block.number)
        self.noted[block.number] = self.drive.space.programmed

    def lost_page(self, block: Block) -> None:
        """Its age begins anew."""
        self.noted[block.number] = self.drive.space.programmed

    def taken(self, block: Block) -> None:
        """No candidate any more."""
        self.candidates[block.plane].remove(block.number)

    def numbers(self, k: int) -> dict[str, float]:
        """Return what the names of 5.13 stand for."""
        drive, block = self.drive, self.drive.space.blocks[k]
        pages, programmed = drive.geometry.pages_per_block, drive.space.programmed
        numbers = {
            "valid": block.valid,
            "invalid": pages - block.valid,
            "erases": block.erases,
            "age": programmed - self.noted[k] + 1,
            "since_sealed": programmed - block.sealed_at + 1,
            "pages": pages,
        }
        durations = drive.timing.durations
        held = [page for page in drive.geometry.pages_of(k) if drive.space.valid[page]]
        for level in range(durations.levels):
            numbers[f"level_{level}"] = sum(durations.level(page) == level for page in held)
        return {name: float(number) for name, number in (numbers | self.params).items()}

    def score(self, k: int) -> float:
        """Return the score of a block."""
        # Python reads this arithmetic as 5.13 does.
        found = _computed(ast.parse(self.text.strip(), mode="eval").body, self.numbers(k))
        return math.inf if math.isnan(found) else found

    def choose(self, plane: int) -> int | None:
        """The lowest score, and among equals the lowest number."""
        space = self.drive.space
        worthwhile = [k for k in self.candidates[plane] if space.yield_of(space.blocks[k].valid) > 0]
        return min(worthwhile, key=lambda k: (self.score(k), k), default=None)


def _computed(node: ast.expr, numbers: dict[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name):
        return numbers[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_computed(node.operand, numbers)
    if isinstance(node, ast.BinOp):
        return _of_two(node.op, _computed(node.left, numbers), _computed(node.right, numbers))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _function(node.func.id, [_computed(each, numbers) for each in node.args])
    raise ValueError(f"gc.victim.score: {ast.dump(node)}")


def _of_two(operator: ast.operator, a: float, b: float) -> float:
    if isinstance(operator, ast.Add):
        return a + b
    if isinstance(operator, ast.Sub):
        return a - b
    if isinstance(operator, ast.Mult):
        return a * b
    if isinstance(operator, ast.Div):
        if b != 0:
            return a / b
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)
    raise ValueError(f"gc.victim.score: {operator}")


def _function(name: str, given: list[float]) -> float:
    if name in ("min", "max"):
        a, b = given
        if math.isnan(a) or math.isnan(b):
            return b if math.isnan(a) else a
        return min(a, b) if name == "min" else max(a, b)
    if name == "pow":
        with np.errstate(all="ignore"):
            return float(np.float_power(given[0], given[1]))
    (a,) = given
    if name == "sqrt":
        return math.sqrt(a) if a >= 0 else math.nan
    if name == "floor":
        return a if math.isinf(a) or math.isnan(a) else float(math.floor(a))
    if name == "abs":
        return abs(a)
    raise ValueError(f"gc.victim.score: {name}")
