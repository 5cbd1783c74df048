"""Beginning an operation or a group, its phases and its end (docs/model.md, 11.10 to 11.13, 11.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.dies import Die, Group, Phase
from reference_model.events import Kind
from reference_model.operations import (
    Copyback,
    Erase,
    GcRead,
    GcWrite,
    HostRead,
    HostWrite,
    Operation,
    ParityWrite,
    WriteBack,
    for_collection,
)
from reference_model.redundancy.accesses import StripeProgram, StripeRead

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Groups:
    """What happens to operations from their begin to their end."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.timing = drive.timing

    def begin(self, die: Die, choice: Operation) -> None:
        """11.10: the channel is taken for it."""
        self.drive.choosing.begins(die, choice)
        if self.drive.plane_reads.is_for_reader(choice):
            self.drive.plane_reads.begin(die, choice)
            return
        now = self.drive.events.now
        unit, array = self.drive.active_units.begin(die, choice)
        die.phase = Phase.ARRAY
        die.group = group = Group(unit)
        group.loaded = isinstance(choice, Copyback) and choice.step.loaded
        gc = for_collection(choice)
        self.drive.activity.dies[die.number].begins(now, for_gc=gc)
        if gc:
            die.clock.run(now)
        else:
            die.clock.stand(now)
        if not isinstance(choice, Copyback):
            for operation in self.drive.multi_plane.join(die, unit[0]):
                joining, its_array = self.drive.active_units.begin(die, operation)
                group.operations = group.operations + joining
                array = max(array, its_array)
        if len(group.operations) > len(unit):
            self.drive.counters.flash.multi_plane_operations += 1
        opening = self.timing.openings(group.operations)
        lasts = self.drive.channels.carry(die, opening, for_gc=gc)
        for operation in group.operations:  # 15.2
            operation.times.transfer += lasts
            operation.times.array += array
        group.array_begin = now + lasts
        if self.drive.cache_programs.is_loaded(choice):
            self.drive.cache_programs.load(die, array)
            return
        self.drive.events.schedule(group.array_begin + array, Kind.DIE, die.number)

    def phase_ends(self, die: Die) -> None:
        """Handle a die event (8.1)."""
        group, now = die.group, self.drive.events.now
        if die.phase is Phase.SUSPENDING:
            self.drive.dies.become_idle(die)
            return
        if die.phase is Phase.LOADING:
            self.drive.cache_programs.opening_ends(die)
            return
        assert group is not None
        if die.phase is Phase.ARRAY and isinstance(group.first, HostRead | GcRead | Copyback):
            # 11.11
            group.array_end = now
            group.clock_at_array_end = self.drive.channels.gc_clock(die)
            if group.loaded:
                self._finish_all(die)
                return
            die.phase = Phase.CLOSING
            self.drive.channels.close(die)
        elif die.phase is Phase.DATA:
            # 11.11
            self.finish(die, group.operations[group.turn])
            group.turn += 1
            if group.turn < len(group.operations):
                die.phase = Phase.CLOSING
                self.drive.channels.close(die)
            else:
                self.drive.dies.become_idle(die)
        else:
            self._finish_all(die)

    def _finish_all(self, die: Die) -> None:
        """11.12."""
        for operation in die.current.operations:
            self.finish(die, operation)
        self.drive.dies.become_idle(die)

    def go_on_closing(self, die: Die) -> None:
        """11.11: the channel is taken for the operation whose turn it is."""
        group, now = die.current, self.drive.events.now
        operation = group.operations[group.turn]
        if isinstance(operation, Copyback):
            command = self.timing.durations.program_command
            lasts = self.drive.channels.carry(die, command, for_gc=True)
            die.phase = Phase.SECOND_ARRAY
            length = lasts + self.timing.copyback_program(operation)
        else:
            assert isinstance(operation, HostRead | GcRead)
            gc = self.drive.channels.gc_clock(die) - group.clock_at_array_end
            operation.times.wait(now - group.array_end, gc)  # 15.4
            data = self.timing.read_data(operation)
            length = self.drive.channels.carry(die, data, for_gc=for_collection(operation))
            operation.times.transfer += length
            die.phase = Phase.DATA
        self.drive.events.schedule(now + length, Kind.DIE, die.event)

    def finish(self, die: Die, operation: Operation) -> None:
        """11.17."""
        drive = self.drive
        drive.activity.finished(die.number, operation)
        drive.dies.lose_load(die)
        match operation:
            case StripeRead() | StripeProgram():
                drive.stripes.finished(operation)
            case HostRead():
                drive.requests.read_has_arrived(operation)
            case HostWrite():
                drive.buffer.program_ended(operation)
            case GcRead():
                drive.counters.flash.gc_reads += 1
                drive.jobs.read_finished(operation)
            case GcWrite():
                assert operation.page is not None
                drive.jobs.program_finished(operation, operation.page)
            case ParityWrite():
                drive.space.settle(operation.page)
            case WriteBack():
                drive.gc_buffer.program_ended(operation)
            case Copyback():
                assert operation.target is not None
                drive.jobs.program_finished(operation, operation.target)
            case Erase():
                drive.jobs.erase_finished(operation.job)
