"""What dies do: operations and their classes (docs/model.md, 11.1), and which are a unit (11.20)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar

from reference_model.booking import Times
from reference_model.job import Job, Step
from reference_model.mapping import LiftedSlot, Slot
from reference_model.request import PagePart


class Class(IntEnum):
    """Each plane has a list of waiting operations for each class."""

    HOST_READ = 0
    HOST_WRITE = 1
    GC_READ = 2
    GC_WRITE = 3
    ERASE = 4


CLASSES = tuple(Class)
GC_CLASSES = (Class.GC_READ, Class.GC_WRITE, Class.ERASE)
PARTNER = {
    Class.HOST_READ: Class.GC_READ,
    Class.GC_READ: Class.HOST_READ,
    Class.HOST_WRITE: Class.GC_WRITE,
    Class.GC_WRITE: Class.HOST_WRITE,
}
"""11.15: classes that may share an array operation with `same-page-anywhere`."""


@dataclass(eq=False)
class Base:
    """What all operations have."""

    of_class: ClassVar[Class]
    plane: int
    number: int = field(init=False, default=0)  # the arrival number
    queued_at: int = field(init=False, default=0)
    clock_at: int = field(init=False, default=0)  # what the clock of 15.3 showed then


@dataclass(eq=False)
class HostRead(Base):
    """A page for the host, or the rest of a page that the host wrote partly."""

    of_class = Class.HOST_READ
    page: int
    part: PagePart
    rest: bool

    @property
    def times(self) -> Times:
        """A write takes over the sums of the read of its rest (15.7), so both use the same."""
        return self.part.times


class TranslationRead(HostRead):
    """A translation page, for whoever waits for an entry of it, or to write it anew (4.52)."""


@dataclass(eq=False)
class HostWrite(Base):
    """The program of a page of a host write."""

    of_class = Class.HOST_WRITE
    part: PagePart
    slot: Slot
    page: int | None
    stream: int | None = field(default=None, kw_only=True)  # whose superblock has promised it a page (4.45)

    @property
    def times(self) -> Times:
        """Those of its page of the request."""
        return self.part.times


@dataclass(eq=False)
class GcRead(Base):
    """The read of a move."""

    of_class = Class.GC_READ
    page: int
    job: Job
    step: Step
    times: Times = field(init=False, default_factory=Times)


@dataclass(eq=False)
class Copyback(Base):
    """A whole move, inside the plane."""

    of_class = Class.GC_READ
    page: int
    job: Job
    step: Step
    target: int | None = field(init=False, default=None)
    times: Times = field(init=False, default_factory=Times)


@dataclass(eq=False)
class GcWrite(Base):
    """The program of a move."""

    of_class = Class.GC_WRITE
    source: int
    job: Job
    step: Step
    page: int | None
    times: Times = field(init=False, default_factory=Times)


@dataclass(eq=False)
class WriteBack(Base):
    """The program of a page in the GC buffer (13.13)."""

    of_class = Class.GC_WRITE
    slot: LiftedSlot
    job: Job
    page: int | None = field(init=False, default=None)
    times: Times = field(init=False, default_factory=Times)


@dataclass(eq=False)
class ParityWrite(Base):
    """The program of a page of parity of a superblock, with others of its unit (4.48d)."""

    of_class = Class.GC_WRITE
    page: int
    unit: int
    times: Times = field(init=False, default_factory=Times)


@dataclass(eq=False)
class Erase(Base):
    """The erase of a job's block."""

    of_class = Class.ERASE
    job: Job
    times: Times = field(init=False, default_factory=Times)


Operation = HostRead | HostWrite | GcRead | Copyback | GcWrite | WriteBack | ParityWrite | Erase


def for_collection(operation: Operation) -> bool:
    """Whether it works for collection or wear levelling."""
    return operation.of_class in GC_CLASSES and not isinstance(operation, ParityWrite)


def task_of(operation: Operation) -> Job | None:
    """Return the job that an operation belongs to while that is under way (12.3a)."""
    return operation.job if isinstance(operation, GcRead | Copyback | GcWrite | Erase) else None


def step_of_unit(operation: Operation) -> Step | int | None:
    """Return what the operations of a unit for collection, or of parity, have in common (11.20)."""
    if isinstance(operation, ParityWrite):
        return operation.unit
    return operation.step if isinstance(operation, Copyback | GcWrite) else None
