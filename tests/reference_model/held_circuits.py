"""For which programs circuits are kept (docs/model.md, 13.33)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.dies import Die
from reference_model.interconnects.venice_priority import Transfer
from reference_model.operations import Class, Operation, WriteBack, for_collection

if TYPE_CHECKING:
    from reference_model.drive import Drive


class HeldCircuits:
    """The programs to come of each chip."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.holds = False  # `buffered` sets it
        self.to_come = [0] * (drive.geometry.channels * drive.geometry.chips)

    def opening(self, choice: Operation) -> Transfer:
        """12.22, 12.22a: what the opening of an operation is to a network with priorities."""
        return Transfer(
            low=choice.of_class is Class.GC_WRITE and for_collection(choice),
            kept=self.holds and isinstance(choice, WriteBack),
            free=len(self.drive.space.planes[choice.plane].free),
            start=self.drive.trigger.start,
        )

    def queued(self, die: Die) -> None:
        """A program of a page in the GC buffer joins a list."""
        self.to_come[self.drive.geometry.chip_of_die(die.number)] += 1

    def left(self, die: Die) -> None:
        """It has left the list."""
        chip = self.drive.geometry.chip_of_die(die.number)
        self.to_come[chip] -= 1
        if self.to_come[chip] == 0:
            self.drive.channels.none_to_come(die)
