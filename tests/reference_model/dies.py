"""Dies: their queues, and when they start (docs/model.md, 11.1 to 11.6, 11.14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from reference_model.booking import Beside, DieClock
from reference_model.operations import Class, HostRead, HostWrite, Operation, WriteBack, for_collection
from reference_model.triggers.foreground import Foreground
from reference_model.triggers.own import Own

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.lines import Domain


class Phase(Enum):
    """What a die is doing."""

    IDLE = "idle"
    ARRAY = "the opening and array time of the active operations"
    CLOSING = "waits for the channel, or is about to ask for it"
    DATA = "the data of a read leaves"
    SECOND_ARRAY = "the second command and array time of a copyback"
    SUSPENDING = "an operation is being set aside"
    LOADING = "the opening of programs that are loaded"
    LOADED = "they wait for the array"


@dataclass(eq=False)
class Group:
    """The active operations of a die: one, a unit, or several that share a multi-plane operation."""

    operations: list[Operation]
    turn: int = 0  # of the operations of reads that leave one after the other
    array_begin: int = 0
    array_end: int = 0
    clock_at_array_end: int = 0  # the channel's GC clock (15.4)
    loaded: bool = False  # copybacks without a program of their own (11.20)
    suspended: int = 0  # times
    array: int = 0  # time that the array needs for programs that are loaded (11.25)
    loaded_at: int = 0
    clock_when_loaded: int = 0  # the die's (15.4a)

    @property
    def first(self) -> Operation:
        """The operation that was chosen; the others joined it."""
        return self.operations[0]


@dataclass(eq=False)
class Aside:
    """The active operations set aside (11.18)."""

    group: Group
    rest: int  # of its array time
    since: int
    clock: int  # the die's then (15.8)
    reads_before: int  # arrival numbers served meanwhile


@dataclass(eq=False)
class Die:
    """What does one operation at a time (2.2)."""

    number: int
    planes: range
    domain: Domain
    clock: DieClock
    queues: dict[int, dict[Class, list[Operation]]]
    event: int  # the number of its events
    phase: Phase = Phase.IDLE
    group: Group | None = None
    aside: Aside | None = None
    load: int = 0
    line: int | None = None  # in which it waits to start
    joined: int = 0  # number of its joining, if it stands in a line
    dropping: bool = False
    reads_in_a_row: int = 0  # 11.7a
    finishing: bool = False  # the programs of its array (11.26)
    collector_reads: Beside = field(init=False)  # of any of its readers or registers (15.5a)
    stalls: dict[int, Beside] = field(init=False)  # write stalls (11.9)

    def __post_init__(self) -> None:
        self.collector_reads = Beside(self.clock)
        self.stalls = {q: Beside(self.collector_reads) for q in self.planes}

    @property
    def idle(self) -> bool:
        """Whether nothing is under way (an operation may be set aside)."""
        return self.phase is Phase.IDLE

    @property
    def starts_nothing(self) -> bool:
        """Whether it neither starts nor reconsiders for the moment."""
        return self.dropping or self.finishing

    @property
    def current(self) -> Group:
        """The active operations under way."""
        assert self.group is not None
        return self.group


class Dies:
    """All dies."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        geometry = drive.geometry
        self.all: list[Die] = []
        for number in range(geometry.dies):
            planes = geometry.planes_of_die(number)
            domain = drive.channels.domain_of(number)
            queues: dict[int, dict[Class, list[Operation]]] = {q: {c: [] for c in Class} for q in planes}
            clock = DieClock(partial(domain.channel.gc_clock, number))
            self.all.append(Die(number, planes, domain, clock, queues, number))
        self.arrival_number = 0  # the next one
        self.gathered: list[Die] | None = None

    def load(self, number: int) -> int:
        """11.2."""
        return self.all[number].load

    def of_plane(self, plane: int) -> Die:
        """Return the die of a plane."""
        return self.all[self.drive.geometry.die_of_plane(plane)]

    def is_stalled(self, plane: int) -> bool:
        """13.2: whether a host write waits for a page of the plane, which has none to give."""
        die, space = self.of_plane(plane), self.drive.space
        if die.stalls[plane].begun is not None and die.queues[plane][Class.HOST_WRITE]:
            first = die.queues[plane][Class.HOST_WRITE][0]
            assert isinstance(first, HostWrite)
            if not space.host_can_take(plane, first.part.logical):
                return True
        parked = self.drive.buffer.parked
        return bool(parked) and not space.has_room(plane, parked[0].logical)

    def queue(self, operation: Operation) -> None:
        """11.3."""
        die = self.of_plane(operation.plane)
        self._join_list(die, operation)
        trigger = self.drive.trigger
        if isinstance(trigger, Foreground | Own) and operation.of_class in trigger.classes:
            self.drive.jobs.consider(operation.plane, under_way=False)
        if isinstance(operation, HostRead):
            self.drive.suspension.consider(die)
        if isinstance(operation, HostWrite) and len(die.queues[operation.plane][Class.HOST_WRITE]) == 1:
            self.drive.program_units.first_changed(die, operation.plane)
        self._offer_or_note(die)

    def queue_unit(self, operations: Sequence[Operation]) -> None:
        """11.20: operations for collection that begin together; the die is offered them once."""
        die = self.of_plane(operations[0].plane)
        for operation in operations:
            self._join_list(die, operation)
        self._offer_or_note(die)

    def _join_list(self, die: Die, operation: Operation) -> None:
        """11.3."""
        operation.number = self.arrival_number
        self.arrival_number += 1
        operation.queued_at = self.drive.events.now
        operation.clock_at = self._clock(die, operation)
        if self.drive.deferral is not None:
            self.drive.deferral.queued(die, operation)
        die.queues[operation.plane][operation.of_class].append(operation)
        if isinstance(operation, HostRead):  # 14.1
            flash = self.drive.counters.flash
            flash.queued_reads += 1
            flash.urgent_reads += any(self.drive.space.planes[q].urgent for q in die.planes)
        die.load += 1
        if isinstance(operation, WriteBack):
            self.drive.held_circuits.queued(die)

    def lose_load(self, die: Die) -> None:
        """11.2: an operation is finished or dropped."""
        die.load -= 1
        assert die.load >= 0
        if die.load == 0:
            self.drive.collection.emptied.append(self.drive.geometry.channel_of_die(die.number))
            if self.drive.deferral is not None:
                self.drive.deferral.idle.append(die)

    def leave_list(self, die: Die, operation: Operation) -> None:
        """Take an operation from its list and book its wait (15.3)."""
        die.queues[operation.plane][operation.of_class].remove(operation)
        waited = self.drive.events.now - operation.queued_at
        operation.times.wait(waited, self._clock(die, operation) - operation.clock_at)
        if isinstance(operation, WriteBack):
            self.drive.held_circuits.left(die)

    def _clock(self, die: Die, operation: Operation) -> int:
        """15.5, 15.5a."""
        now = self.drive.events.now
        if isinstance(operation, HostWrite):
            return die.stalls[operation.plane].read(now)
        if isinstance(operation, HostRead):
            return self.drive.plane_reads.clocks[operation.plane].read(now)
        return die.clock.read(now)

    @contextmanager
    def gathering(self) -> Iterator[None]:
        """11.5; within another gathering it is that one that ends."""
        within = self.gathered is not None
        if not within:
            self.begin_gathering()
        yield
        if not within:
            self.end_gathering()

    def begin_gathering(self) -> None:
        """11.5."""
        assert self.gathered is None
        self.gathered = []

    def end_gathering(self) -> None:
        """11.5."""
        assert self.gathered is not None
        noted, self.gathered = self.gathered, None
        for die in noted:
            self.offer(die)

    def _offer_or_note(self, die: Die) -> None:
        """11.3."""
        if self.gathered is None:
            self.offer(die)
        else:
            self.gathered.append(die)

    def offer(self, die: Die) -> None:
        """11.4."""
        if die.line is not None:
            self.drive.channels.reconsider(die)
        else:
            self.ask_to_start(die)

    def ask_to_start(self, die: Die) -> None:
        """11.6."""
        if not die.idle or die.line is not None or die.starts_nothing:
            return
        choice = self.drive.choosing.choose(die)
        if choice is None:
            self.drive.suspension.resume(die)
            return
        self.drive.channels.start(die, choice)

    def become_idle(self, die: Die) -> None:
        """11.14."""
        die.phase = Phase.IDLE
        now = self.drive.events.now
        self.drive.activity.dies[die.number].ends(now, for_gc=for_collection(die.current.first))
        die.group = None
        die.clock.stand(self.drive.events.now)
        self.drive.channels.give_back(die)
        self.ask_to_start(die)
