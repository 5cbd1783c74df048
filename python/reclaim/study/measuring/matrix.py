"""The loads of a measurement, and the requests that each is made of."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, Literal, NamedTuple, get_args

Pattern = Literal["sequential", "random"]
Operation = Literal["read", "write", "mixed"]
State = Literal["fresh", "steady", "saturation"]
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
OPERATIONS: tuple[Operation, ...] = get_args(Operation)
STATES: tuple[State, ...] = ("fresh", "steady")
"""Those of lines of a sheet."""
WRITES = {"read": 0.0, "write": 1.0, "mixed": 0.3}
"""Share of writes."""
KIB = 1024
MATRICES = ("full", "small", "sheet")
LEAST, MOST = 2_000, 500_000
"""Requests of a load."""
READ_PAGES = 100_000
"""Pages that a load reads which writes nothing."""
ROUNDS: Mapping[State, int] = {"fresh": 10, "steady": 10, "saturation": 25}
"""Into so many rounds of equal time a run is divided."""
SATURATION = 3
"""So many user capacities are written at random to a drive that was written once in order."""
LARGE = 2
"""So many are written by a steady random load with requests of several pages: it starts from the state that
single pages leave, and has to come into its own."""


class JobLoad(NamedTuple):
    """One load: what a job of fio would be."""

    pattern: Pattern
    operation: Operation
    block: int
    """Bytes of a request."""
    depth: int
    """Requests outstanding."""
    state: State

    @property
    def name(self) -> str:
        """Name it in files.

        >>> JobLoad("random", "read", 4096, 32, "steady").name
        'steady-random-read-4KiB-qd32'
        """
        return f"{self.state}-{self.pattern}-{self.operation}-{size_text(self.block)}-qd{self.depth}"

    @property
    def label(self) -> str:
        """Name it in a table.

        >>> JobLoad("random", "mixed", 131072, 8, "fresh").label
        'random mixed 70/30, 128 KiB, QD 8'
        """
        mixed = " 70/30" if self.operation == "mixed" else ""
        size = size_text(self.block).replace("K", " K")
        return f"{self.pattern} {self.operation}{mixed}, {size}, QD {self.depth}"


def size_text(block: int) -> str:
    """Write the size of a request as files do.

    >>> size_text(4096), size_text(512)
    ('4KiB', '512B')
    """
    return f"{block // KIB}KiB" if block % KIB == 0 else f"{block}B"


def matrix(name: str) -> list[JobLoad]:
    """Give the loads of a matrix, in the order of reports.

    `full` crosses both patterns, three operations, 4 and 128 KiB, queue depths 1, 8, 32 and 256 and both
    states, and has random writes after sequential ones (a write saturation); `small` has 4 KiB, without
    mixed loads, at queue depths 1 and 32; `sheet` has none of its own.

    >>> len(matrix("full")), len(matrix("small")), len(matrix("sheet"))
    (97, 16, 0)
    """
    if name == "sheet":
        return []
    full = name == "full"
    operations = OPERATIONS if full else OPERATIONS[:2]
    blocks = (4 * KIB, 128 * KIB) if full else (4 * KIB,)
    depths = (1, 8, 32, 256) if full else (1, 32)
    states: tuple[State, ...] = STATES
    crossed = product(states, PATTERNS, operations, blocks, depths)
    loads = [
        JobLoad(pattern, operation, block, depth, state)
        for state, pattern, operation, block, depth in crossed
    ]
    return [*loads, JobLoad("random", "write", 4 * KIB, 32, "saturation")] if full else loads


class Room(NamedTuple):
    """How large the drive is: decides how long loads are."""

    logical_pages: int
    spare_pages: int
    page_bytes: int


def requests_of(load: JobLoad, room: Room) -> int:
    """Say how many requests a load has.

    A steady one writes half the user capacity, or more (`LARGE`). A fresh one writes no more than a quarter
    of it (of the spare pages, where the drive has to hold what is read), so that nothing is collected.

    >>> requests_of(JobLoad("random", "write", 4096, 32, "steady"), Room(100_000, 10_000, 4096))
    50000
    """
    pages = -(-load.block // room.page_bytes)
    writes = WRITES[load.operation]
    if not writes:
        return max(LEAST, READ_PAGES // pages)
    if load.state == "saturation":
        return max(LEAST, SATURATION * room.logical_pages // pages)
    if load.state == "fresh":
        free = room.logical_pages if load.operation == "write" else room.spare_pages
        return max(1, min(MOST, int(free / 4 / pages / writes)))
    capacities = LARGE if load.pattern == "random" and pages > 1 else 0.5
    return max(LEAST, min(MOST, int(room.logical_pages * capacities / pages / writes)))


def description(load: JobLoad, room: Room) -> dict[str, Any]:
    """Describe the requests, as `generate` of an experiment takes it.

    Sequential requests of a mixed load are those of two streams, one of each operation, each in its half.
    """
    user = room.logical_pages * room.page_bytes
    made: dict[str, Any] = {
        "requests": requests_of(load, room),
        "size": size_text(load.block),
        "operations": {"write": WRITES[load.operation]},
    }
    if load.pattern == "random":
        return made | {"address": _within("uniform", 0, user // load.block * load.block)}
    if load.operation != "mixed":
        return made | {"address": _within("streams", 0, user // load.block * load.block)}
    half = user // 2 // load.block * load.block
    return made | {
        "read": {"address": _within("streams", 0, half)},
        "write": {"address": _within("streams", half, half)},
    }


def _within(kind: str, offset: int, footprint: int) -> dict[str, Any]:
    return {"kind": kind, "offset": f"{offset}B", "footprint": f"{footprint}B"}


def settings(load: JobLoad) -> dict[str, str | int | bool]:
    """Say in which state the drive begins, and how many requests are outstanding.

    Fresh: empty, or written once in order where there is something to read. Steady: overwritten at random
    until write amplification is flat for random loads; for sequential ones written once in order, and then
    by the load itself once without time, so that it collects from the beginning. Saturation begins with a
    drive that was written once in order.
    """
    kind: dict[str, str | int | bool] = {"warmup.kind": "filled"}
    if load.state == "fresh" and load.operation == "write":
        kind = {"warmup.kind": "empty"}
    elif load.state == "steady" and load.pattern == "random":
        kind = {"warmup.kind": "steady"}
    elif load.state == "steady" and load.operation != "read":
        kind = {"warmup.kind": "replay", "warmup.fill": True}
    # What a device file says of its own trace would make these loads longer, or leave a part of them out.
    whole: dict[str, str | int | bool] = {"trace.repeat": 1, "measure.after": "start"}
    return kind | whole | {"host.mode": "closed-loop", "host.queue_depth": load.depth}
