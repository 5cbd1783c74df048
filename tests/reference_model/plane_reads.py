"""Planes that read by themselves (docs/model.md, 11.22, 11.23 and 15.5a)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.booking import Beside
from reference_model.dies import Die, Group, Phase
from reference_model.events import Kind
from reference_model.operations import GcRead, HostRead, Operation, for_collection

if TYPE_CHECKING:
    from reference_model.drive import Drive


class PlaneReads:
    """Readers and cache registers of all planes, which wait for channels and have events as dies do."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        flash = drive.config.flash
        self.independent = flash.choice("plane_reads", ("shared", "independent"), "shared") == "independent"
        self.cached = flash.switch("cache_reads", False)
        first = len(drive.dies.all)
        self.readers = [self._station(q, first + q) for q in range(drive.geometry.planes)]
        first += len(self.readers)
        self.clocks = [Beside(drive.dies.of_plane(q).clock) for q in range(drive.geometry.planes)]
        self.registers = [self._station(q, first + q) for q in range(drive.geometry.planes)]
        self.held: set[int] = set()  # dies (15.5a)

    def _station(self, plane: int, event: int) -> Die:
        die = self.drive.dies.of_plane(plane)
        return Die(die.number, range(plane, plane + 1), die.domain, die.clock, {}, event)

    def station(self, event: int) -> Die:
        """Whose event it is."""
        return (self.drive.dies.all + self.readers + self.registers)[event]

    def may_begin(self, plane: int) -> bool:
        """11.22: whether the reader of the plane is not busy."""
        return self.readers[plane].idle

    def any_busy(self, die: Die) -> bool:
        """Whether the die has a busy reader or a register that is not free."""
        return any(not (self.readers[q].idle and self.registers[q].idle) for q in die.planes)

    def is_for_reader(self, operation: Operation) -> bool:
        """Whether it begins at a reader."""
        return self.independent and isinstance(operation, HostRead | GcRead)

    def begin(self, die: Die, read: Operation) -> None:
        """11.22: the channel is taken for it."""
        drive, now = self.drive, self.drive.events.now
        reader = self.readers[read.plane]
        unit, array = drive.active_units.begin(die, read)
        reader.phase, reader.group = Phase.ARRAY, Group(unit)
        gc = for_collection(read)
        drive.activity.dies[die.number].begins(now, for_gc=gc)
        self._look_at_reader(read.plane)
        self._look_at_collector(die)
        lasts = drive.channels.carry(die, drive.timing.opening(read, further=False), for_gc=gc)
        for each in unit:
            each.times.transfer += lasts
            each.times.array += array
        drive.events.schedule(now + lasts + array, Kind.DIE, reader.event)

    def phase_ends(self, station: Die) -> None:
        """The array time of a reader ends, or data have left it or a register."""
        (plane,) = station.planes
        die = self.drive.dies.of_plane(plane)
        group = station.current
        if station.phase is Phase.ARRAY:
            group.array_end = self.drive.events.now
            group.clock_at_array_end = self.drive.channels.gc_clock(station)
            station.phase = Phase.CLOSING
            if not self.cached:
                self.drive.channels.close(station)
            elif self.registers[plane].idle:
                self._go_over(plane)
            return
        assert station.phase is Phase.DATA
        self.drive.groups.finish(die, group.operations[group.turn])
        group.turn += 1
        if group.turn < len(group.operations):  # 11.24
            station.phase = Phase.CLOSING
            self.drive.channels.close(station)
            return
        self.drive.activity.dies[die.number].ends(self.drive.events.now, for_gc=for_collection(group.first))
        self._end(station)
        self._look_at_collector(die)
        if self.cached and self.readers[plane].phase is Phase.CLOSING:
            if for_collection(group.first):
                self._book_wait_for_register(self.readers[plane].current)
            self._go_over(plane)
        else:
            self.drive.dies.ask_to_start(die)

    def _look_at_collector(self, die: Die) -> None:
        """15.5a: whether a reader or register of the die has a read for collection."""
        stations = [station[q] for station in (self.readers, self.registers) for q in die.planes]
        any_has = any(each.group is not None and for_collection(each.group.first) for each in stations)
        if any_has and die.collector_reads.begun is None:
            die.collector_reads.begin(self.drive.events.now)
        elif not any_has and die.collector_reads.begun is not None:
            die.collector_reads.end(self.drive.events.now)

    def _book_wait_for_register(self, group: Group) -> None:
        """15.4b: a read for collection has left the register."""
        now = self.drive.events.now
        for operation in group.operations:
            operation.times.gc += now - group.array_end
        group.array_end = now
        group.clock_at_array_end = self.drive.channels.gc_clock(self.drive.dies.of_plane(group.first.plane))

    def _end(self, station: Die) -> None:
        station.phase, station.group = Phase.IDLE, None
        (plane,) = station.planes
        self._look_at_reader(plane)

    def chosen(self, die: Die, choice: Operation | None) -> bool:
        """11.22, 15.5a: return whether the die's choice is none because of reads."""
        if not self.independent:
            return False
        waits = choice is not None and self.any_busy(die) and not self.is_for_reader(choice)
        held = waits and choice is not None and for_collection(choice)
        (self.held.add if held else self.held.discard)(die.number)
        for q in die.planes:
            self._look_at_reader(q)
        return waits

    def _look_at_reader(self, plane: int) -> None:
        """15.5a: whether the clock of a plane's reader runs."""
        clock, group, now = self.clocks[plane], self.readers[plane].group, self.drive.events.now
        runs = self.readers[plane].number in self.held if group is None else for_collection(group.first)
        if runs and clock.begun is None:
            clock.begin(now)
        elif not runs and clock.begun is not None:
            clock.end(now)

    def _go_over(self, plane: int) -> None:
        """11.23."""
        reader, register = self.readers[plane], self.registers[plane]
        register.phase, register.group = Phase.CLOSING, reader.current
        self._end(reader)
        self.drive.dies.ask_to_start(self.drive.dies.of_plane(plane))
        self.drive.channels.close(register)
