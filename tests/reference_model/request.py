"""A request and its pages (docs/model.md, 9.1 to 9.3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from reference_model.booking import Holds, Times
from reference_model.mapping import Slot


@dataclass(eq=False)
class Epoch:
    """A flush epoch: its writes that have arrived and are not done, and the flush that ends it (9.15)."""

    writes: int = 0
    flush: Request | None = None


@dataclass(eq=False)
class Request:
    """One request of the trace."""

    time: int
    op: str
    offset: int
    size: int
    stream: int = 0
    arrival: int = 0
    submitted: int = 0
    answered: int = 0
    parts: int = 0  # not released yet
    counts: bool = True  # taken after measuring began (8.8)
    times: Times = field(default_factory=Times)  # of the part released last (15.1)
    epoch: Epoch | None = None  # of a write
    told: bool = False  # 4.37d: a page of it was heard of

    @staticmethod
    def of_nobody() -> Request:
        """What the drive does by itself."""
        return Request(0, "rebuild", 0, 0)


@dataclass(eq=False)
class PagePart:
    """One page of a read or write."""

    request: Request
    logical: int
    covered: int  # bytes
    partial: bool
    times: Times = field(default_factory=Times)
    since: int = 0  # when it began to wait outside the buffer, parked, blocked, or for what it awaits
    awaits: int = 0  # of a write that was accepted: its rest, and to have passed the buffer memory (9.21)
    slot: Slot | None = None  # of a write that was accepted
    holds_before: Holds = field(default_factory=Holds)  # of slots, when it began to wait outside (15.7b)
    accepted_at: int = 0
    gc_when_accepted: int = 0
