"""Deferring collection on stripes (docs/model.md, section 17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.dies import Die
from reference_model.job import Job
from reference_model.operations import Class, HostRead, HostWrite, Operation
from reference_model.redundancy.accesses import StripeProgram
from reference_model.redundancy.raid5 import Raid5
from reference_model.space import Plane
from reference_model.ties import RULES, Ties
from reference_model.units import level

if TYPE_CHECKING:
    from reference_model.drive import Drive

BATCH = 4_096


class Dgc:
    """`dgc`."""

    def __init__(self, drive: Drive, raid: Raid5, policy: Table) -> None:
        self.drive = drive
        self.raid = raid
        self.layout = raid.layout
        if self.layout.sets == 1:
            raise ValueError("gc.deferral = dgc needs several parity sets")
        self.start: int = drive.trigger.start
        self.redirect = policy.choice("redirect", ("warned", "busy", "never"), "warned")
        self.oldest = policy.choice("take", ("oldest", "newest"), "oldest") == "oldest"
        self.parity = policy.switch("parity", True)
        self.apart = policy.choice("same_stripe", ("forbidden", "allowed"), "forbidden") == "forbidden"
        self.lookahead = policy.whole("lookahead", 0)
        self.idle_rule = policy.choice("idle", ("warned", "all", "none"), "warned")
        rule = policy.choice("ties", (*RULES, "least-worn"), "rotating")
        self.by_wear = rule == "least-worn"
        self.ties = Ties("lowest" if self.by_wear else rule, drive.config.seed, "deferral")
        self.restore = level(policy.take("restore", "1 block"), drive.geometry.blocks_per_plane)
        d = drive.timing.durations
        page, erases = d.data(drive.geometry.page_size), d.wear.initial_erases
        self.read_unit = d.read_command + d.reading(0, erases) + page + d.host_buffer
        self.write_unit = d.program_command + page + d.host_buffer + d.programming(0, erases)
        self.erase_unit = d.erase_command + d.t_erase
        self.completes = [0] * drive.geometry.dies
        self.warned = [False] * drive.geometry.planes
        self.idle: list[Die] = []
        self.held_back: list[Die] = []
        self.coming: list[tuple[int, int]] = []  # times and planes (17.6)
        self.taken = 0  # requests

    def begin(self) -> None:
        """17.7: before the first event."""
        self.idle = list(self.drive.dies.all)

    # What is estimated: 17.2 and 17.3

    def completes_at(self, die: Die) -> int:
        """When a die will have done what is queued there."""
        return max(self.completes[die.number], self.drive.events.now)

    def _prolong(self, die: Die, by: int) -> None:
        self.completes[die.number] = self.completes_at(die) + by

    def queued(self, die: Die, operation: Operation) -> None:
        """An operation is queued."""
        if isinstance(operation, HostRead):
            self._prolong(die, self.read_unit)
        elif isinstance(operation, HostWrite):
            self._prolong(die, self.write_unit)

    def job_begins(self, job: Job) -> None:
        """A job of any cause."""
        moves = job.valid_pages * (self.read_unit + self.write_unit)
        self._prolong(self.drive.dies.of_plane(job.plane), moves + self.erase_unit)

    def _writable(self, q: int) -> int:
        """17.2."""
        space, pages = self.drive.space, self.drive.geometry.pages_per_block
        plane = space.planes[q]
        free = len(plane.free)
        if free <= self.start:
            return 0
        left = 0 if plane.host_block is None else pages - space.blocks[plane.host_block].taken
        return left + (free - self.start - 1) * pages + 1

    def _guests(self, q: int) -> int:
        """17.2."""
        space, geometry = self.drive.space, self.drive.geometry
        pages = (page for k in geometry.blocks_of(q) for page in geometry.pages_of(k) if space.valid[page])
        owners = [space.owner[page] for page in pages]
        coming = [program.part.logical for program in self.raid.programs if program.plane == q]
        return sum(
            1 for logical in [*owners, *coming] if logical is not None and self.layout.home(logical) != q
        )

    # Redirection: 17.4 to 17.6

    def sent_home(self, program: StripeProgram) -> None:
        """17.4."""
        leaving = self._leaving(program)
        if leaving is not None:
            target = self._target(leaving)
            counters = self.drive.counters.deferral
            if target is None:
                counters.refused_redirects += 1
            else:
                counters.redirects += 1
                self._leave(leaving, target, waited=leaving is not program)
                if leaving is program:
                    return
        self.drive.dies.queue(program)

    def _leaving(self, program: StripeProgram) -> StripeProgram | None:
        q = program.plane
        die = self.drive.dies.of_plane(q)
        if self.redirect == "busy":
            if die.load == 0:
                return None
            self.idle.append(die)
            return program if self._may_leave(program) else None
        if self.drive.space.planes[q].reserved <= self._writable(q):
            return None
        self.idle.append(die)
        self.drive.counters.deferral.warnings += 1
        self.warned[q] = True
        if self.redirect == "never":
            return None
        waiting = die.queues[q][Class.HOST_WRITE] if self.oldest else []
        for each in [*waiting, program]:
            assert isinstance(each, StripeProgram)
            if self.layout.home(each.part.logical) == q and self._may_leave(each):
                return each
        return None

    def _may_leave(self, program: StripeProgram) -> bool:
        return self.parity or not self.layout.is_parity(program.part.logical)

    def _leave(self, program: StripeProgram, target: int, *, waited: bool) -> None:
        """17.4."""
        q, dies, planes = program.plane, self.drive.dies, self.drive.space.planes
        if waited:
            die, now = dies.of_plane(q), self.drive.events.now
            dies.leave_list(die, program)
            dies.lose_load(die)
            self.completes[die.number] = max(0, self.completes[die.number] - self.write_unit)
            if not die.queues[q][Class.HOST_WRITE] and die.stalls[q].begun is not None:
                ended = self.drive.measuring.part(die.stalls[q].end(now))
                self.drive.counters.gc.host_write_stall_ns += ended
        planes[q].reserved -= 1
        planes[target].reserved += 1
        program.plane = target
        dies.queue(program)

    def _target(self, program: StripeProgram) -> int | None:
        """17.5."""
        arrivals = self._arrivals()
        home, dies = program.plane, self.drive.dies
        number, of_chip = home % self.layout.planes_of_chip, self.layout.planes_of_chip
        own_set = self.layout.stripe(program.part.logical) % self.layout.sets
        ranked = []
        for chip in range(self.layout.sets * self.layout.stripe_chips):
            t = chip * of_chip + number
            completes = self.completes_at(dies.of_plane(t))
            if (
                chip // self.layout.stripe_chips != own_set
                and self._has_room(t)
                and completes + self.write_unit <= arrivals.get(t, completes + self.write_unit)
                and (self.redirect != "busy" or completes < self.completes_at(dies.of_plane(home)))
                and not (self.apart and self._has_member(chip, program))
            ):
                ranked.append(((completes, self._erases(t) if self.by_wear else 0), t))
        best = self.ties.choose(ranked)
        if best is not None and self._has_member(best // of_chip, program):
            self.drive.counters.deferral.same_stripe_redirects += 1
        return best

    def _erases(self, q: int) -> int:
        return sum(self.drive.space.blocks[k].erases for k in self.drive.geometry.blocks_of(q))

    def _has_room(self, t: int) -> bool:
        rows = self.layout.stripes // self.layout.sets
        share = -(-rows // self.layout.planes_of_chip)
        return (
            self._writable(t) > self.drive.space.planes[t].reserved
            and self.raid.may_hold(t)
            and self._guests(t) + share + 2 <= self.raid.most_pages()
        )

    def _has_member(self, chip: int, program: StripeProgram) -> bool:
        """17.5: whether another page of the stripe is on a chip."""
        stripe = self.layout.stripe(program.part.logical)
        for logical in self.layout.pages(stripe):
            if logical == program.part.logical:
                continue
            q = self._plane_of(logical, program)
            if q is not None and self.layout.chip(q) == chip:
                return True
        return False

    def _plane_of(self, logical: int, program: StripeProgram) -> int | None:
        for slot in program.access.slots:
            if slot.logical == logical:
                if slot.new_copy is not None:
                    return self.drive.geometry.plane_of_page(slot.new_copy)
                programs = [each for each in self.raid.programs if each.slot is slot]
                return programs[0].plane if programs else None
        page = self.drive.mapping.flash_copy(logical)
        return None if page is None else self.drive.geometry.plane_of_page(page)

    def _arrivals(self) -> dict[int, int]:
        """17.6."""
        found: dict[int, int] = {}
        releases = [
            (a.release, self.layout.home(p)) for a in self.raid.reading for p in self.raid.programmed(a)
        ]
        for time, q in [*releases, *self.coming]:
            found[q] = min(time, found.get(q, time))
        return found

    def look_ahead(self) -> None:
        """17.6: a request is about to be taken."""
        self.taken += 1
        drive = self.drive
        count = min(self.lookahead, -self.taken % BATCH)
        self.coming = []
        for request in list(reversed(drive.left))[:count]:
            if request.op not in ("read", "write"):
                continue
            for page in drive.addresses.pages(request):
                if drive.addresses.remap == "compact" and page not in drive.addresses.compacted:
                    continue
                logical = drive.addresses.logical(page)
                self.coming.append((drive.scaled_time(request), self.layout.home(logical)))

    # Idle collection: 17.7

    def collect_idle(self) -> None:
        """After every event."""
        for die in self.idle:
            for q in die.planes:
                if die.load == 0 and self._wants(q):
                    if not self.drive.jobs.may_begin(q):
                        if die not in self.held_back:
                            self.held_back.append(die)
                        continue
                    victim = self.drive.collection.victim(q)
                    if victim is not None:
                        self.drive.counters.deferral.idle_jobs += 1
                        self.drive.counters.deferral.deferred_jobs += self.warned[q]
                        self.drive.jobs.begin(victim, emergency=False)
        self.idle = []

    def _wants(self, q: int) -> bool:
        concerned = self.idle_rule == "all" or (self.idle_rule == "warned" and self.warned[q])
        free = len(self.drive.space.planes[q].free)
        return concerned and self.drive.collection.job_fits(q) and free < self.start + self.restore

    def erased(self, plane: Plane) -> None:
        """A victim was erased."""
        if len(plane.free) >= self.start + self.restore:
            self.warned[plane.number] = False
        self.idle += self.held_back
        self.held_back = []


def make(drive: Drive) -> Dgc | None:
    """Return the policy that the configuration names; none without one."""
    policy = drive.config.deferral
    if policy.choice("kind", ("none", "dgc"), "none") == "none":
        return None
    if drive.raid is None:
        raise ValueError("gc.deferral = dgc needs redundancy = raid5")
    return Dgc(drive, drive.raid, policy)
