"""What a study of a comparison runs: its two schemes with keys moved, each trace, each repeat."""

from __future__ import annotations

from typing import Literal, NamedTuple

Side = Literal["baseline", "candidate"]
SIDES: tuple[Side, Side] = ("baseline", "candidate")


class Moved(NamedTuple):
    """One scheme with some keys moved; the base, where none is."""

    keys: tuple[tuple[str, str], ...] = ()
    """Keys and their values, as `--set` takes them."""

    @property
    def text(self) -> str:
        """Name it in tables.

        >>> Moved((("seed", "1"), ("scheduler", "fcfs"))).text, Moved().text
        ('seed=1 + scheduler=fcfs', 'base')
        """
        return " + ".join(f"{key}={value}" for key, value in self.keys) or "base"


BASE = Moved()


class Pairing(NamedTuple):
    """What is moved of each of two schemes that are compared with each other."""

    baseline: Moved = BASE
    candidate: Moved = BASE

    def of(self, side: Side) -> Moved:
        """Give that of a scheme."""
        return self.baseline if side == "baseline" else self.candidate


class Cell(NamedTuple):
    """One run: which workload, which scheme, what is moved, and which repeat."""

    trace: str
    side: Side
    moved: Moved
    repeat: int


class Figure(NamedTuple):
    """What came of a run."""

    value: float | None
    """The metric; None where there is none."""
    codes: frozenset[str] = frozenset()
    """Codes of the warnings and doubts of its verdict."""
    fault: str = ""
    """Why it could not be run; nothing where it could."""
    mark: str = ""
    """What stands behind it wherever it is printed."""


def cells(pairing: Pairing, traces: tuple[str, ...], repeats: range) -> list[Cell]:
    """Give the runs that a comparison takes."""
    return [
        Cell(trace, side, pairing.of(side), repeat)
        for trace in traces
        for repeat in repeats
        for side in SIDES
    ]
