"""What a policy costs a drive: bytes that it keeps of every block, and time of the processor."""

from __future__ import annotations

import ast
import math
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from reclaim import input_file
from reclaim.device import Device
from reclaim.errors import ReclaimError
from reclaim.experiment.point import Point
from reclaim.policy.places import place_of
from reclaim.policy.reads import words_of
from reclaim.simulate import simulate

OF_BLOCK = {"valid": 2, "invalid": 2, "erases": 4, "age": 4, "since_sealed": 4, "of_level": 2}
"""Bytes of what policies ask of a block, `of_level` of each page level: what firmware would take, not what
Reclaim takes. An age is a clock of 32 bits."""
OF_PAGE = {"age": 4, "last_class": 1}
"""Of a page of a block."""
TRIES = 3
VICTIMS: Mapping[str, tuple[str, ...]] = {
    "greedy": ("valid",),
    "cost-benefit": ("valid", "age"),
    "d-choices": ("valid",),
    "windowed-greedy": ("valid", "since_sealed"),
    "age-threshold": ("valid", "age", "since_sealed"),
    "random": (),
    "random-threshold": ("valid",),
    "fifo": ("since_sealed",),
    # The weight is kept as pages come and go: of each page level how many are valid.
    "word-line": ("of_level",),
}
"""What every victim policy that comes with Reclaim keeps of a block; of others their own text says it."""
SEPARATIONS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "by-stream": (),
    "by-lifetime": ("age",),
    "dac": ("last_class",),
    "sepbit": ("age",),
    # What these keep is of extents and of chunks.
    "eti": (),
    "sfr": (),
    # It keeps how often a page was written, which takes as much as an age.
    "fadac": ("age",),
    "future-knowledge": (),
}
"""The same of every page."""


@dataclass(frozen=True)
class PolicyCost:
    """What a candidate costs."""

    bytes_per_block: int
    """Beside the map of pages, by its victim policy and its separation."""
    at_least: bool = False
    """Whether it can keep more, as a class of its own can."""
    times: float | None = None
    """Time of the processor that a run takes, over that of greedy on the same computer; None if not known."""

    @classmethod
    def read(cls, table: Any) -> PolicyCost:
        """Take it from JSON.

        Raises:
            ValueError: for what is none.
        """
        try:
            kept, at_least, times = (table[each.name] for each in fields(cls))
            sound = type(kept) is int and kept >= 0 and type(at_least) is bool
            sound = sound and (times is None or (isinstance(times, int | float) and math.isfinite(times)))
        except (KeyError, TypeError) as error:
            raise ValueError(f"no cost: {error}") from None
        if not sound:
            raise ValueError("no cost of a policy")
        return cls(kept, at_least, times)

    @property
    def memory(self) -> str:
        """The bytes of a block, for a table."""
        return f"≥ {self.bytes_per_block}" if self.at_least else str(self.bytes_per_block)

    @property
    def processor(self) -> str:
        """The time, for a table."""
        return "" if self.times is None else f"×{self.times:.1f}"

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON holds it."""
        return asdict(self)


def cost_of(point: Point, reference: Point | None) -> PolicyCost:
    """Give what the policies of a point cost: it and a reference are run for the time.

    Args:
        point: of the candidate.
        reference: the same run with the policies that it is compared with; None for no time.
    """
    drive = point.drive
    assert drive is not None  # noqa: S101 - whoever asks has looked
    if reference is not None and point.id == reference.id:
        return PolicyCost(bytes_of(drive), bool(drive.forgetful()), 1.0)
    times = None
    # Where it cannot be run, the card says so of its runs.
    with suppress(ReclaimError):
        # What a run takes differs a little from time to time; the least was disturbed the least.
        runs = [(_seconds(point), _seconds(reference)) for _ in range(TRIES)] if reference else []
        ours, theirs = (min(each) for each in zip(*runs, strict=True)) if runs else (None, None)
        times = round(ours / theirs, 2) if ours and theirs else None
    return PolicyCost(bytes_of(drive), bool(drive.forgetful()), times)


def bytes_of(drive: Device) -> int:
    """Give the bytes that the policies of a drive keep of each of its blocks."""
    config = drive.config
    pages, levels = int(config["geometry"]["pages_per_block"]), len(config["flash"]["t_program"])
    victim, separation = config["gc"]["victim"], config["ftl"]["separation"]
    words = words_asked(drive)
    asked = _asked(victim, VICTIMS, OF_BLOCK, words)
    of_block: int = sum(OF_BLOCK[name] * (levels if name == "of_level" else 1) for name in asked)
    return of_block + pages * sum(OF_PAGE[name] for name in _asked(separation, SEPARATIONS, OF_PAGE, words))


def _asked(
    chosen: Mapping[str, Any], known: Mapping[str, tuple[str, ...]], names: Iterable[str], words: set[str]
) -> set[str]:
    """Name what a policy asks."""
    if chosen["kind"] in known:
        return set(known[chosen["kind"]])
    found = words if chosen["kind"] == "python" else words_of(chosen["score"])
    # Who knows how many pages are valid knows how many are not.
    return {"valid" if name == "invalid" else name for name in names if name in found}


def words_asked(drive: Device) -> set[str]:
    """Give the words of its policies, and of the files beside them."""
    own = [(place_of(function, code), function.rpartition(":")[2]) for function, code in drive.own_policies()]
    beside = {each for each in drive.code_files() if each not in {file.absolute() for file, _ in own}}
    texts = [_text(file, name) for file, name in own] + [
        input_file.text(each, errors="replace") for each in beside
    ]
    return {word for text in texts for word in words_of(text)}


def _text(file: Path, name: str) -> str:
    """Give the text of a policy, and of what it names at the top of its file: others may stand beside it."""
    whole = input_file.text(file, errors="replace")
    try:
        top = ast.parse(whole).body
    except SyntaxError:
        return whole
    parts: dict[str, list[ast.stmt]] = {}
    for each in top:
        names = [each.name] if isinstance(each, ast.FunctionDef | ast.ClassDef) else _assigned(each)
        for one in names:
            parts.setdefault(one, []).append(each)
    waiting, seen = [name], {name}
    found: list[ast.stmt] = []
    while waiting:
        for each in parts.get(waiting.pop(), ()):
            found.append(each)
            further = {node.id for node in ast.walk(each) if isinstance(node, ast.Name)} - seen
            seen |= further
            waiting += sorted(further)
    return "\n".join(map(ast.unparse, found)) if name in parts else whole


def _assigned(statement: ast.stmt) -> list[str]:
    nodes = ast.walk(statement)
    return [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _seconds(point: Point) -> float:
    assert point.drive is not None  # noqa: S101
    assert point.opened is not None  # noqa: S101
    # However long a policy takes to its steady state: all write as many pages.
    drive = point.drive.set("warmup.kind", "filled")
    began = time.process_time()
    simulate(drive, point.opened, warn=False, workers=1)
    return time.process_time() - began
