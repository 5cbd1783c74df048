"""Setting programs and erases aside for reads (docs/model.md, 11.18, 11.19 and 15.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.dies import Aside, Die, Phase
from reference_model.events import Kind
from reference_model.operations import Erase, GcWrite, HostWrite, ParityWrite, WriteBack, for_collection

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Suspension:
    """`flash.suspend`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        table = drive.config.suspend
        self.programs = table.switch("program", False)
        self.erases = table.switch("erase", False)
        self.limit = table.whole("limit", 8)
        self.t_suspend = table.time("t_suspend", "20us")
        self.t_resume = table.time("t_resume", "20us")

    def consider(self, die: Die) -> None:
        """11.18: a host read has been queued at the die."""
        now, group = self.drive.events.now, die.group
        if die.phase is not Phase.ARRAY or group is None or die.aside is not None:
            return
        first = group.first
        allowed = (isinstance(first, HostWrite | GcWrite | WriteBack | ParityWrite) and self.programs) or (
            isinstance(first, Erase) and self.erases
        )
        end = self.drive.events.due(Kind.DIE, die.number)
        if not allowed or end is None:  # no event: the array time has just ended, or the group is being made
            return
        if now < group.array_begin or group.suspended >= self.limit or end - now <= self.t_suspend:
            return
        if for_collection(first) and self.drive.space.planes[first.plane].urgent:
            return
        die.aside = Aside(group, end - now, now, die.clock.read(now), self.drive.dies.arrival_number)
        group.suspended += 1
        self.drive.counters.flash.suspends += 1
        die.phase = Phase.SUSPENDING
        self.drive.events.schedule(now + self.t_suspend, Kind.DIE, die.number)

    def resume(self, die: Die) -> None:
        """11.19: go on with what is set aside, if anything."""
        aside, now = die.aside, self.drive.events.now
        if aside is None or self.drive.plane_reads.any_busy(die):
            return
        die.aside = None
        die.group = group = aside.group
        die.phase = Phase.ARRAY
        self.drive.activity.dies[die.number].begins(now, for_gc=for_collection(group.first))
        group.array_begin = now
        gc = die.clock.read(now) - aside.clock  # 15.8
        if for_collection(group.first):
            die.clock.run(now)
        else:
            die.clock.stand(now)
        for operation in group.operations:
            operation.times.wait(now - aside.since, gc)
            operation.times.array += self.t_resume
        self.drive.events.schedule(now + aside.rest + self.t_resume, Kind.DIE, die.number)
