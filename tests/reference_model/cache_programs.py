"""Programs that are loaded while the array works (docs/model.md, 11.25, 11.26, 15.4a and 15.5b)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.dies import Die, Group, Phase
from reference_model.events import Kind
from reference_model.operations import GcWrite, HostWrite, Operation, ParityWrite, WriteBack, for_collection

if TYPE_CHECKING:
    from reference_model.drive import Drive


def is_program(operation: Operation) -> bool:
    """Whether it is a program."""
    return isinstance(operation, HostWrite | GcWrite | WriteBack | ParityWrite)


class CachePrograms:
    """The array of each die, which has events as dies do."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.active = drive.config.flash.switch("cache_programs", False)
        # Behind dies, readers and registers.
        self.first_event = drive.geometry.dies + 2 * drive.geometry.planes
        self.in_array: list[Group | None] = [None for _ in drive.dies.all]

    def may_begin(self, die: Die, choice: Operation) -> bool:
        """11.26: what may begin while the array of the die works on programs."""
        return self.in_array[die.number] is None or is_program(choice)

    def is_loaded(self, operation: Operation) -> bool:
        """Whether it begins by being loaded."""
        return self.active and is_program(operation)

    def load(self, die: Die, array: int) -> None:
        """11.25: the opening of programs has begun, for which the array needs so long."""
        die.phase = Phase.LOADING
        die.current.array = array
        self.drive.events.schedule(die.current.array_begin, Kind.DIE, die.number)
        self.set_clock(die)

    def opening_ends(self, die: Die) -> None:
        """11.25."""
        if self.in_array[die.number] is None:
            self._go_over(die)
            self.drive.dies.ask_to_start(die)
            return
        die.phase = Phase.LOADED
        die.current.loaded_at = self.drive.events.now
        die.current.clock_when_loaded = die.clock.read(self.drive.events.now)

    def _go_over(self, die: Die) -> None:
        """11.25."""
        group, now = die.current, self.drive.events.now
        self.in_array[die.number] = group
        die.phase, die.group = Phase.IDLE, None
        self.drive.events.schedule(now + group.array, Kind.DIE, self.first_event + die.number)
        self.set_clock(die)

    def array_ends(self, event: int) -> None:
        """11.26: the array has done with programs."""
        die = self.drive.dies.all[event - self.first_event]
        group = self.in_array[die.number]
        assert group is not None
        die.finishing = True
        for operation in group.operations:
            self.drive.groups.finish(die, operation)
        die.finishing = False
        self.drive.activity.dies[die.number].ends(self.drive.events.now, for_gc=for_collection(group.first))
        self.in_array[die.number] = None
        if die.phase is Phase.LOADED:
            self._book_wait(die)
            self._go_over(die)
        else:
            self.set_clock(die)
        self.drive.dies.offer(die)

    def _book_wait(self, die: Die) -> None:
        """15.4a."""
        group, now = die.current, self.drive.events.now
        for operation in group.operations:
            operation.times.wait(now - group.loaded_at, die.clock.read(now) - group.clock_when_loaded)

    def set_clock(self, die: Die) -> None:
        """15.5b; by what the die does or waits for, if the array works on nothing."""
        group, now = self.in_array[die.number] or die.group, self.drive.events.now
        array_end = self.drive.events.due(Kind.DIE, self.first_event + die.number)
        if die.phase is Phase.LOADING and (array_end is None or die.current.array_begin > array_end):
            group = die.current
        if group is None and die.line is not None:
            die.clock.follow_channel(now)
        elif group is not None and for_collection(group.first):
            die.clock.run(now)
        else:
            die.clock.stand(now)
