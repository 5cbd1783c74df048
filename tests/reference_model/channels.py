"""Channels: who waits for them, and who is served (docs/model.md, 12.4 to 12.9 and 12.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.dies import Die
from reference_model.events import Kind
from reference_model.interconnects import Refusal
from reference_model.interconnects import make as make_channels
from reference_model.interconnects.nossd import PacketMesh
from reference_model.interconnects.serialized_channel import SerializedChannel
from reference_model.interconnects.venice_priority import Transfer, VenicePriority
from reference_model.job import Job
from reference_model.lines import Domain
from reference_model.operations import CLASSES, Class, Copyback, HostRead, Operation, for_collection, task_of
from reference_model.schedulers.by_class import ByClass

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.schedulers import Scheduler

COMMANDS = (Class.HOST_READ, Class.GC_READ, Class.ERASE)
ORDERS = ("newcomers-first", "waiting-first")


def waiting_goes_first(policy: Table) -> bool:
    """12.13: whether those who wait ask before whoever comes."""
    return policy.choice("order", ORDERS, ORDERS[0]) == ORDERS[1]


class Channels:
    """All domains."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        channels = make_channels(drive.config.interconnect, drive.geometry, drive.config.seed)
        self.waiting_first = not channels[0].in_turn and waiting_goes_first(drive.config.interconnect)
        self.domains = [Domain(number, each) for number, each in enumerate(channels)]
        if isinstance(channels[0], VenicePriority):
            channels[0].counters = drive.counters
        self.whole_tasks = isinstance(channels[0], SerializedChannel) and channels[0].whole_tasks
        orders = ("commands-first", "data-first", "by-class")
        order = drive.config.channel.choice("order", orders, "commands-first")
        self.command_line = 3 if order == "data-first" else 0
        self.by_class = order == "by-class"
        self.lines = {Class.HOST_READ: 1, Class.GC_READ: 2, Class.HOST_WRITE: 3, Class.GC_WRITE: 3}

    def domain_of(self, die: int) -> Domain:
        """12.1."""
        per_domain = self.drive.geometry.dies // len(self.domains)
        return self.domains[die // per_domain]

    def _line_to_start(self, operation: Operation) -> int:
        """12.6."""
        return self.command_line if operation.of_class in COMMANDS else self.lines[operation.of_class]

    def ask(self, scheduler: Scheduler) -> None:
        """12.6: with `by-class`, lines go by the places of classes at the die."""
        if not self.by_class:
            return
        if not isinstance(scheduler, ByClass):
            raise TypeError("channel.order = by-class needs scheduler = by-class")
        self.lines = {c: 1 + scheduler.places[c] for c in self.lines}

    def _line_to_close(self, die: Die) -> int:
        """12.6."""
        group = die.current
        operation = group.operations[group.turn]
        if isinstance(operation, Copyback):
            return 0
        return self.lines[Class.HOST_READ if isinstance(operation, HostRead) else Class.GC_READ]

    def carry(self, die: Die, length: int, *, for_gc: bool) -> int:
        """A transfer begins (12.4, 12.13): return how long it lasts."""
        domain, now = die.domain, self.drive.events.now
        lasts = domain.channel.carry(die.number, now, length, for_gc=for_gc)
        domain.carried += lasts
        if domain.channel.wakes_after_transfer and domain.anybody_waits():
            self._note_wake_up(domain, now + lasts)
        return lasts

    def gc_clock(self, die: Die) -> int:
        """15.6: what the GC clock of the die's channel shows now."""
        return die.domain.channel.gc_clock(die.number, self.drive.events.now)

    def give_back(self, die: Die) -> None:
        """12.3."""
        now = self.drive.events.now
        if die.domain.channel.give_back(die.number, now) and die.domain.anybody_waits():
            self._note_wake_up(die.domain, now)

    def _note_wake_up(self, domain: Domain, time: int | None) -> None:
        """12.5; a refusal may name no time."""
        if time is None:
            return
        pending = self.drive.events.due(Kind.WAKE_UP, domain.number)
        if pending is None or pending > time:
            self.drive.events.schedule(time, Kind.WAKE_UP, domain.number)

    def none_to_come(self, die: Die) -> None:
        """13.33: a circuit that rests at the die's chip is free."""
        domain, now = die.domain, self.drive.events.now
        if (
            isinstance(domain.channel, VenicePriority)
            and domain.channel.none_to_come(self.drive.geometry.chip_of_die(die.number), now)
            and domain.anybody_waits()
        ):
            self._note_wake_up(domain, now)

    # Dies that are not in a line

    def _may_ask(self, domain: Domain) -> bool:
        """12.7, 12.9: not before others who wait; but 12.13."""
        if not domain.anybody_waits():
            return True
        if domain.channel.in_turn:
            return False
        due = self.drive.events.due(Kind.WAKE_UP, domain.number) == self.drive.events.now
        return not (self.waiting_first and (due or domain.walked))

    def _join_without_asking(self, domain: Domain) -> None:
        """12.13: the walk may have left the line of the die behind."""
        if domain.walked:
            self._note_wake_up(domain, self.drive.events.now)

    def start(self, die: Die, choice: Operation) -> None:
        """Let an idle die begin, or wait to start (11.6, 12.7)."""
        domain = die.domain
        until = None
        goes_on = domain.kept_for is not None and task_of(choice) is domain.kept_for
        if goes_on or self._may_ask(domain):
            refusal = self._take_to_start(die, choice)
            if refusal is None:
                self.drive.groups.begin(die, choice)
                if die.idle:  # 11.22
                    self.drive.dies.ask_to_start(die)
                return
            until = refusal.until
        else:
            self._join_without_asking(domain)
        self._wait_to_start(die, self._line_to_start(choice))
        self._note_wake_up(domain, until)

    def _take_to_start(self, die: Die, choice: Operation) -> Refusal | None:
        """12.2, 12.3, 12.3a."""
        domain, task = die.domain, task_of(choice)
        if domain.kept_for is not None and task is not domain.kept_for:
            return Refusal(None)
        if isinstance(domain.channel, PacketMesh):
            domain.channel.leaving = False
        if isinstance(domain.channel, VenicePriority):
            domain.channel.asking = self.drive.held_circuits.opening(choice)
        refusal = domain.channel.take(die.number, self.drive.events.now, for_gc=for_collection(choice))
        if refusal is None and self.whole_tasks:
            domain.kept_for = task
        return refusal

    def end_task(self, job: Job) -> None:
        """12.3a: the job is over."""
        for domain in self.domains:
            if domain.kept_for is job:
                domain.kept_for = None

    def _wait_to_start(self, die: Die, line: int) -> None:
        die.line = line
        die.domain.join(die, line)
        die.clock.follow_channel(self.drive.events.now)  # 15.5
        if self.drive.cache_programs.active:
            self.drive.cache_programs.set_clock(die)

    def reconsider(self, die: Die) -> None:
        """12.8."""
        moving = CLASSES if self.by_class else COMMANDS
        waiting = any(die.queues[q][c] for q in die.planes for c in moving)
        assert die.line is not None
        if not die.idle or die.starts_nothing or die.line <= self.command_line or not waiting:
            return
        choice = self.drive.choosing.choose(die)
        if choice is not None and self._line_to_start(choice) < die.line:
            self._move(die, self._line_to_start(choice))
            if die.domain.walked:  # 12.13: the walk may have left that line behind
                self._note_wake_up(die.domain, self.drive.events.now)

    def _move(self, die: Die, line: int) -> None:
        """Leave a line and join the end of another."""
        die.domain.leave(die)
        die.line = line
        die.domain.join(die, line)

    def close(self, die: Die) -> None:
        """12.9."""
        domain = die.domain
        until = None
        if domain.channel.holds(die.number) or self._may_ask(domain):
            refusal = self._take_to_close(die)
            if refusal is None:
                self.drive.groups.go_on_closing(die)
                return
            until = refusal.until
        else:
            self._join_without_asking(domain)
        domain.join(die, self._line_to_close(die))
        self._note_wake_up(domain, until)

    def _take_to_close(self, die: Die) -> Refusal | None:
        """12.9: data that leave, or the second command of a copyback."""
        operation, channel = die.current.operations[die.current.turn], die.domain.channel
        if isinstance(channel, PacketMesh):
            channel.leaving = not isinstance(operation, Copyback)
        if isinstance(channel, VenicePriority):
            channel.asking = Transfer(low=False)
        return channel.take(die.number, self.drive.events.now, for_gc=for_collection(operation))

    # Wake-ups

    def wake_up(self, number: int) -> None:
        """12.6, 12.13."""
        domain = self.domains[number]
        if not domain.channel.in_turn:
            self._serve_all(domain)
            return
        while (die := domain.first()) is not None:
            refusal = self._serve(die)
            if refusal is not None:
                self._note_wake_up(domain, refusal.until)
                return

    def _serve_all(self, domain: Domain) -> None:
        """12.13: who is refused stays, and those behind are served all the same."""
        refusals = [self._serve(die) for die in domain.walk()]
        times = [refusal.until for refusal in refusals if refusal is not None and refusal.until is not None]
        if times:
            self._note_wake_up(domain, min(times))

    def _serve(self, die: Die) -> Refusal | None:
        """12.6; the refusal, if the channel is refused."""
        return self._serve_start(die) if die.line is not None else self._serve_closing(die)

    def _serve_start(self, die: Die) -> Refusal | None:
        choice = self.drive.choosing.choose(die)
        assert die.line is not None
        if choice is None:
            self._leave_start_line(die)
            die.clock.stand(self.drive.events.now)
            if self.drive.cache_programs.active:
                self.drive.cache_programs.set_clock(die)
            self.drive.suspension.resume(die)
            return None
        if self._line_to_start(choice) > die.line:
            self._move(die, self._line_to_start(choice))
            return None
        refusal = self._take_to_start(die, choice)
        if refusal is not None:
            return refusal
        self.drive.groups.begin(die, choice)
        self._leave_start_line(die)
        if die.idle:  # 11.22
            die.clock.stand(self.drive.events.now)
            self.drive.dies.ask_to_start(die)
        return None

    def _leave_start_line(self, die: Die) -> None:
        die.domain.leave(die)
        die.line = None

    def _serve_closing(self, die: Die) -> Refusal | None:
        refusal = self._take_to_close(die)
        if refusal is not None:
            return refusal
        self.drive.groups.go_on_closing(die)
        die.domain.leave(die)
        return None
