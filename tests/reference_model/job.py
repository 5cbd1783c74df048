"""A collection job and its steps (docs/model.md, 13.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from reference_model.mapping import LiftedSlot
from reference_model.outcome import JobOutcome
from reference_model.space import Block, Cause


class Way(Enum):
    """How the pages of a step are moved."""

    CONTROLLER = "read over the channel, written back over it"
    COPYBACK = "inside the plane"
    LIFT = "read into the GC buffer, written back after the erase"


class Answer(Enum):
    """What a relocation says when it has no step to give."""

    NONE_LEFT = "the block holds no valid page any more"
    WAIT = "ask again when a step has ended"


@dataclass(eq=False)
class Step:
    """Some valid pages that are moved together."""

    pages: list[int]
    way: Way
    loaded: bool = False  # into an open unit that is not programmed yet (11.20)
    moves: int = field(init=False)  # not ended
    reads: int = field(init=False)  # neither finished nor dropped, of the way over the channel
    to_program: list[int] = field(init=False, default_factory=list)  # sources that have been read (13.4)
    target: int | None = None  # the plane that promises it pages (4.46)
    stream: int = 0  # whose pages those are (4.46)

    def __post_init__(self) -> None:
        self.moves = self.reads = len(self.pages)


@dataclass(eq=False)
class Job:
    """Empties and erases one block."""

    block: Block
    cause: Cause
    start: int
    valid_pages: int
    used_pages: int
    emergency: bool
    cursor: int  # the next page to look at
    steps: int = 0  # under way
    erasing: bool = False
    tight: bool = False  # 13.8
    checks: bool = False  # the step that was given last is of pages that must be checked (13.19)
    pages_given: int = 0  # in steps
    pages_written_back: int = 0  # of these, with batches before this one (13.31)
    writing_back: int = 0  # programs of lifted pages, queued and not ended
    lifted: list[LiftedSlot] = field(default_factory=list)  # not written back yet, in their order (13.12)
    row: JobOutcome | None = None  # once it has ended

    @property
    def plane(self) -> int:
        """The plane of the block, where its pages also go but with `buffered`."""
        return self.block.plane
