"""When a plane is collected: signals, triggers and the choice of a victim (docs/model.md, 5.5 to 5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.allocation.own import Own
from reference_model.space import Block, Plane

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Collection:
    """Signals, and what is decided when they are looked at."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.signals: list[int] = []
        self.emptied: list[int] = []  # channels of dies whose load has fallen to 0 (8.5)

    def signal(self, plane: Plane) -> None:
        """5.5."""
        self.signals.append(plane.number)

    def opened(self, plane: Plane) -> None:
        """4.7: a block of the plane is not free any more."""
        level = self.drive.trigger.all_asked_at
        if level is None or self.drive.space.free_blocks() > level:
            self.signal(plane)
        else:
            self._signal_all(plane.number)

    def _signal_all(self, first: int) -> None:
        """5.2a: instead of whoever was signalled; asked in ascending order, going round."""
        number = len(self.drive.space.planes)
        turn = [(first + step) % number for step in range(number)]
        self.signals = turn[::-1]

    def wanted(self, q: int, *, under_way: bool) -> bool:
        """5.6."""
        plane, trigger = self.drive.space.planes[q], self.drive.trigger
        return self.job_fits(q) and trigger.wants(plane, under_way=under_way)

    def job_fits(self, q: int) -> bool:
        """5.6: whether a plane may have one job more."""
        plane, trigger = self.drive.space.planes[q], self.drive.trigger
        return plane.jobs == 0 or (plane.jobs < trigger.most_jobs and len(plane.free) > plane.jobs)

    def victim(self, q: int) -> Block | None:
        """5.6: return the victim; or none."""
        plane = self.drive.space.planes[q]
        number = None
        if plane.reclaimable > 0:
            number = self.drive.trigger.victim(plane)
            if number is None:
                number = self.drive.victims.choose(q)
        if number is None:
            plane.starved = True
            return None
        return self.drive.space.blocks[number]

    def take(self, victim: Block) -> None:
        """5.6: out of circulation."""
        self.drive.space.withdraw(victim)
        if self.drive.separation is not None:
            self.drive.separation.classes.victim(victim.number)  # 4.37b
        self.drive.counters.gc.jobs += 1
        self.drive.counters.planes[victim.plane].jobs += 1

    def run_triggers(self) -> None:
        """5.7: the plane signalled last comes first."""
        while self.signals:
            self.drive.jobs.consider(self.signals.pop(), under_way=False)

    def after_event(self) -> None:
        """8.5, 13.16."""
        if self.drive.parity is not None:
            self.drive.parity.after_event()
        emptied = bool(self.emptied)
        for channel in self.emptied:
            self.drive.trigger.emptied(channel)
        self.emptied.clear()
        self.run_triggers()
        self.drive.jobs.consider_deferred_again(emptied=emptied)
        if isinstance(self.drive.allocation, Own) and self.drive.allocation.waits:
            self.drive.buffer.unpark()
        self.drive.jobs.use_room()
        self.drive.jobs.concurrency.look()
        if self.drive.deferral is not None:
            self.drive.deferral.collect_idle()
        if self.drive.raid is not None and self.drive.raid.rebuild is not None:
            self.drive.raid.rebuild.go_on()
        self.drive.pace.look()
