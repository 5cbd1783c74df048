"""Superblocks: blocks of several planes as one (docs/model.md, 4.43 to 4.48a)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reference_model.job import Step, Way
from reference_model.operations import Erase
from reference_model.space import Block, Cause, Plane, State

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.job import Job


@dataclass(frozen=True)
class Candidates:
    """What victim policies choose among (4.47): blocks of planes, or superblocks of scopes."""

    planes: int
    blocks_per_plane: int
    pages_per_block: int
    pages: int
    stored_pages: int


class Superblocks:
    """The superblocks of every scope."""

    def __init__(self, drive: Drive, planes: int) -> None:
        self.drive = drive
        self.planes = planes  # M
        self.data_parts = planes - drive.geometry.parity_parts  # 4.48c
        geometry = drive.geometry
        if planes * geometry.pages_per_block > 65_535:  # 4.43
            raise ValueError("ftl.superblock makes superblocks of more pages than are counted")
        scopes = geometry.planes // planes
        per_scope = geometry.blocks_per_plane
        self.all = [Block(number, number // per_scope) for number in range(scopes * per_scope)]
        self.reclaimable = [0] * scopes
        # 4.44: of each stream and plane, blocks in the order in which they were opened, and pages promised
        self.gc = 1 if drive.separation is None else drive.separation.count
        apart = drive.separation is not None and drive.separation.gc is not None
        self.of_collection = range(self.gc, self.gc + (self.gc if apart else 1))
        self.cached = self.of_collection.stop  # 4.48b: no stream of superblocks
        streams = range(self.cached + 1)
        self.streams: list[list[list[int]]] = [[[] for _ in range(geometry.planes)] for _ in streams]
        self.promised: list[list[int]] = [[0] * geometry.planes for _ in streams]
        self.emptied: list[list[Job]] = [[] for _ in range(scopes)]
        self.erased: list[int] = [0] * scopes

    def is_parity(self, k: int) -> bool:
        """4.48c."""
        parts = self.drive.geometry.parity_parts
        if not parts:
            return False
        dies = self.planes // parts
        q, number = divmod(k, self.drive.geometry.blocks_per_plane)
        return q % self.planes // parts == number % dies

    def first(self, q: int) -> int:
        """4.43: the plane that stands for the scope of a plane."""
        return q - q % self.planes

    def scope(self, q: int) -> range:
        """4.43: the planes of the scope of a plane."""
        return range(self.first(q), self.first(q) + self.planes)

    def of(self, k: int) -> Block:
        """4.43: the superblock that a block is a part of."""
        per_plane = self.drive.geometry.blocks_per_plane
        return self.all[k // per_plane // self.planes * per_plane + k % per_plane]

    def parts(self, superblock: Block) -> list[Block]:
        """4.43, in the order of their planes."""
        per_plane = self.drive.geometry.blocks_per_plane
        first = superblock.plane * self.planes
        numbers = ((first + i) * per_plane + superblock.number % per_plane for i in range(self.planes))
        return [self.drive.space.blocks[k] for k in numbers]

    # Taking pages

    def open(self, plane: Plane, stream: int, cause: Cause = Cause.GC) -> None:
        """4.44."""
        space = self.drive.space
        for q in self.scope(plane.number):
            part = space.open_part(space.planes[q], most_erased=cause is Cause.WEAR)
            if not self.is_parity(part):
                self.streams[stream][q].append(part)
            self.set_open_blocks(space.planes[q])
        self.drive.collection.signal(space.planes[self.first(plane.number)])

    def set_open_blocks(self, plane: Plane) -> None:
        """4.44: the first of the parts."""
        host, gc = self.streams[0][plane.number], self.streams[self.gc][plane.number]
        plane.host_block, plane.gc_block = host[0] if host else None, gc[0] if gc else None

    def full(self, plane: Plane, k: int) -> None:
        """4.44: a part is filling."""
        for stream in self.streams:
            if k in stream[plane.number]:
                stream[plane.number].remove(k)
        self.set_open_blocks(plane)

    def host_blocks(self, q: int) -> list[int | None]:
        """7.4: the open blocks of the classes."""
        return [stream[q][0] for stream in self.streams[: self.gc] if stream[q]]

    def stream_of(self, logical: int) -> int:
        """4.45: the class of a page as it is now."""
        separation = self.drive.separation
        return 0 if separation is None else separation.class_of_page(logical)

    def _left(self, stream: int, q: int) -> int:
        blocks = self.drive.space.blocks
        return sum(self.drive.geometry.pages_per_block - blocks[k].taken for k in self.streams[stream][q])

    def _has_open_page(self, stream: int, q: int) -> bool:
        return self._left(stream, q) > self.promised[stream][q]

    def has_room(self, q: int, logical: int) -> bool:
        """4.45."""
        plane, stream = self.drive.space.planes[q], self.stream_of(logical)
        may_open = len(plane.free) > max(self.drive.trigger.host_stop, plane.jobs) + self.owing(q)
        may_open = may_open and not self.is_parity(self.drive.space.next_free(plane))  # 4.48c
        if may_open and not any(self._has_open_page(stream, each) for each in self.scope(q)):
            return True
        return self._has_open_page(stream, q) or self._cache_has_page(q)

    def _cache_has_page(self, q: int) -> bool:
        """4.48b."""
        cache = self.drive.slc_cache
        return cache is not None and cache.left(q) > self.promised[self.cached][q]

    def owing(self, q: int, more: int = 0) -> int:
        """4.48b: superblocks that are needed for what is folded."""
        owed = more + sum(self.drive.space.planes[each].owed for each in self.scope(q))
        left = sum(self._left(self.gc, each) - self.promised[self.gc][each] for each in self.scope(q))
        return -(-max(0, owed - left) // (self.data_parts * self.drive.geometry.pages_per_block))

    def stream_with_room(self, q: int, logical: int) -> int:
        """4.45, 4.48b."""
        return self.cached if self._cache_has_page(q) else self.stream_of(logical)

    def promise(self, q: int, logical: int) -> int:
        """4.45, 4.48b: before a write is sent to a plane; return its stream."""
        stream = self.stream_with_room(q, logical)
        if stream != self.cached and not self._has_open_page(stream, q):
            self.open(self.drive.space.planes[q], stream)
        self.promised[stream][q] += 1
        return stream

    def block_for_host(self, plane: Plane, stream: int) -> int:
        """4.45, 4.48b: a block of the stream, opened if there is none (in warm-up)."""
        cache = self.drive.slc_cache
        if cache is not None and stream == self.cached:
            cached = cache.block_for_host(plane.number)
            assert cached is not None
            return cached
        if cache is not None:
            self.drive.counters.slc_cache.host_pages_past_full_cache += 1
        if not self.streams[stream][plane.number]:
            self.open(plane, stream)
        return self.streams[stream][plane.number][0]

    def collected(self, step: Step) -> int:
        """4.46: the stream of the pages of a step."""
        logical = self.drive.space.owner[step.pages[0]]
        assert logical is not None
        return self.gc + (self.stream_of(logical) if len(self.of_collection) > 1 else 0)

    def target(self, q: int, stream: int, cause: Cause) -> tuple[int, int]:
        """4.46: the plane that pages of a plane are moved to, and of which stream they are there."""
        found = self._with_open_page(q, stream)
        if found is not None:
            return found, stream
        if self.drive.space.planes[q].free:
            self.open(self.drive.space.planes[q], stream, cause)
            found = self._with_open_page(q, stream)
            assert found is not None
            return found, stream
        others = sorted(self.of_collection, key=lambda other: (abs(other - stream), other))
        for other in others:
            found = self._with_open_page(q, other)
            if found is not None:
                return found, other
        raise RuntimeError(f"plane {q} has no superblock for collected pages left")

    def _with_open_page(self, q: int, stream: int) -> int | None:
        first = self.first(q)
        planes = [first + (q - first + step) % self.planes for step in range(self.planes)]
        return next((plane for plane in planes if self._has_open_page(stream, plane)), None)

    def target_now(self, step: Step, q: int, cause: Cause) -> int:
        """4.48a: the plane that takes the pages of a step next."""
        wanted = self.collected(step)
        target, stream = self.target(q, wanted, cause)
        self.drive.counters.separation.relocated_pages_elsewhere += stream != wanted
        self._collect_into(target, stream)
        return target

    def _collect_into(self, q: int, stream: int) -> None:
        """4.46: the open block that collected pages are taken from next."""
        self.drive.space.planes[q].gc_block = self.streams[stream][q][0]

    def folds(self, q: int, cause: Cause) -> None:
        """4.48b: a step of a job has its target plane."""
        if cause is Cause.FOLD:
            self.drive.space.planes[q].owed -= self.drive.program_units.size

    def promise_step(self, step: Step, q: int, cause: Cause) -> int:
        """4.46: a step has been read; return its target plane."""
        target, stream = self.target(q, step.stream, cause)
        self.folds(q, cause)
        self._promise_unit(step, target, stream)
        return target

    def _promise_unit(self, step: Step, target: int, stream: int) -> None:
        self.drive.counters.separation.relocated_pages_elsewhere += stream != step.stream
        step.target, step.stream = target, stream
        self.promised[stream][target] += self.drive.program_units.size

    def choose_way(self, step: Step, q: int, cause: Cause) -> None:
        """4.46: a step that copies back stays in its plane."""
        step.stream = self.collected(step)
        if step.way is not Way.COPYBACK:
            return
        target, stream = self.target(q, step.stream, cause)
        if target == q:
            self._promise_unit(step, q, stream)
        else:
            step.way = Way.CONTROLLER

    def keep_promise(self, step: Step) -> None:
        """4.46: pages are taken for a step, or none are needed any more."""
        assert step.target is not None
        self.promised[step.stream][step.target] -= self.drive.program_units.size
        self._collect_into(step.target, step.stream)
        step.target = None

    # Victims

    def sealed(self, part: Block) -> None:
        """4.47."""
        superblock = self.of(part.number)
        parts = self.parts(superblock)
        if all(each.state is State.SEALED for each in parts):
            superblock.state = State.SEALED
            superblock.valid = sum(each.valid for each in parts)
            self.drive.victims.sealed(superblock)
            self._more_reclaimable(superblock, self._yield(superblock))

    def lost_page(self, part: Block) -> None:
        """4.47."""
        superblock = self.of(part.number)
        if superblock.state is State.SEALED:
            before = self._yield(superblock)
            superblock.valid -= 1
            self.drive.victims.lost_page(superblock)
            self._more_reclaimable(superblock, self._yield(superblock) - before)

    def _yield(self, superblock: Block) -> int:
        """4.47: what collecting it wins at least: each part may pad a unit."""
        unit = self.drive.program_units.size
        units = (superblock.valid + self.data_parts * (unit - 1)) // unit
        return max(0, self.data_parts * self.drive.geometry.pages_per_block - units * unit)

    def _more_reclaimable(self, superblock: Block, pages: int) -> None:
        """4.17, 4.47."""
        self.reclaimable[superblock.plane] += pages
        first = self.drive.space.planes[superblock.plane * self.planes]
        if pages > 0 and first.starved:
            first.starved = False
            self.drive.collection.signal(first)

    def take_victim(self, q: int) -> Block | None:
        """5.6, 4.48: a superblock whose parts are out of circulation from now on."""
        scope = q // self.planes
        number = self.drive.victims.choose(scope) if self.reclaimable[scope] > 0 else None
        if number is None:
            self.drive.space.planes[self.first(q)].starved = True
            return None
        self.take(self.all[number], Cause.GC)
        return self.all[number]

    def take_worn(self, q: int) -> Block | None:
        """4.24, 4.48: a superblock whose data should move, taken out of circulation."""
        if any(self.drive.space.planes[each].jobs for each in self.scope(q)):
            return None
        part = self.drive.wear.coldest(self.first(q), lambda part: self.of(part.number).state is State.SEALED)
        if part is None:
            return None
        self.take(self.of(part.number), Cause.WEAR)
        return self.of(part.number)

    def take(self, superblock: Block, cause: Cause) -> None:
        """4.48: all parts are out of circulation."""
        scope = superblock.plane
        self.drive.victims.taken(superblock)
        superblock.state = State.VICTIM
        self.reclaimable[scope] -= self._yield(superblock)
        for part in self.parts(superblock):
            assert part.state is State.SEALED
            plane = self.drive.space.planes[part.plane]
            part.state = State.VICTIM
            plane.jobs += 1
            plane.victim = part.number
            if cause is Cause.GC:
                self.drive.counters.gc.jobs += 1
                self.drive.counters.planes[part.plane].jobs += 1

    def most_reclaimable(self) -> int:
        """The plane that stands for the scope with the most reclaimable (see `WarmUp._host_page`)."""
        most = max(range(len(self.reclaimable)), key=lambda scope: self.reclaimable[scope])
        return most * self.planes

    # Jobs

    def collect(self, q: int, *, emergency: bool) -> bool:
        """4.48: return whether there is a victim."""
        victim = self.take_victim(q)
        if victim is None:
            return False
        self.begin(victim, Cause.GC, emergency=emergency)
        return True

    def begin(self, victim: Block, cause: Cause, *, emergency: bool = False) -> None:
        """4.48: a job begins on each part."""
        jobs = self.drive.jobs
        with self.drive.dies.gathering():
            for part in self.parts(victim):
                jobs.advance(jobs.begun(part, cause, emergency=emergency))

    def nothing_left(self, job: Job) -> None:
        """4.48: a job would queue its erase."""
        waiting = self.emptied[job.plane // self.planes]
        waiting.append(job)
        if len(waiting) < self.planes:
            return
        ready = sorted(waiting, key=lambda each: each.plane)
        waiting.clear()
        geometry, dies = self.drive.geometry, self.drive.dies
        for die in sorted({geometry.die_of_plane(each.plane) for each in ready}):
            of_die = [each for each in ready if geometry.die_of_plane(each.plane) == die]
            dies.queue_unit([Erase(each.plane, each) for each in of_die])

    def erase(self, part: Block, cause: Cause) -> bool:
        """4.48: return whether that was the last part of its superblock."""
        assert part.state is State.VICTIM
        assert part.valid == 0
        drive, space = self.drive, self.drive.space
        part.taken = 0
        part.erases += 1
        drive.counters.flash.erases += cause is Cause.GC
        drive.counters.flash.wear_erases += cause is Cause.WEAR
        space.planes[part.plane].erases_since_check += 1
        drive.counters.planes[part.plane].erases += 1
        drive.versions.erased(drive.geometry.pages_of(part.number))
        drive.jobs.relocation.erased(part)
        superblock = self.of(part.number)
        self.erased[superblock.plane] += 1
        if self.erased[superblock.plane] < self.planes:
            return False
        self.erased[superblock.plane] = 0
        superblock.state = State.FREE
        for each in self.parts(superblock):
            plane = space.planes[each.plane]
            each.state = State.FREE
            plane.jobs -= 1
            plane.victim = None
        for each in self.parts(superblock):
            drive.failing.free_or_fail(each)
            space.decide_urgent(space.planes[each.plane])
        return True


def make(drive: Drive) -> Superblocks | None:
    """4.43: return what the configuration names; none for `plane`."""
    planes = drive.geometry.superblock_planes
    return None if planes == 1 else Superblocks(drive, planes)


def candidates(drive: Drive) -> Candidates:
    """4.47."""
    geometry, superblocks = drive.geometry, drive.superblocks
    shared = 1 if superblocks is None else superblocks.planes
    data_parts = 1 if superblocks is None else superblocks.data_parts
    return Candidates(
        planes=geometry.planes // shared,
        blocks_per_plane=geometry.blocks_per_plane,
        pages_per_block=geometry.pages_per_block * data_parts,
        pages=geometry.pages // shared * data_parts,
        stored_pages=geometry.user_pages if geometry.parity_parts else geometry.stored_pages,
    )
