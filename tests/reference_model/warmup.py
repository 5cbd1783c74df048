"""Warm-up: no time passes (docs/model.md, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING

from reference_model.allocation.own import Own
from reference_model.counters import Counters
from reference_model.job import Step, Way
from reference_model.randomness import Stream
from reference_model.request import Request
from reference_model.space import Block, Cause, State
from reference_model.superblocks import Superblocks
from reference_model.units import MILLION, rounded

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.slc_cache import SlcCache

KINDS = ("empty", "filled", "overwrite", "steady", "replay", "workload")
NEXT_TO_NO_MOVES = 1.01


class Rounds:
    """Write amplification of one round after the other (7.3)."""

    def __init__(self, counters: Counters, tolerance: float) -> None:
        self.counters = counters
        self.flash = counters.flash
        self.tolerance = tolerance
        self.noted: list[float] = []
        self._begin()

    def _begin(self) -> None:
        self.host, self.programs = self.flash.host_programs, self.counters.programs()

    def written(self) -> int:
        """Return how many pages the host has written in the round."""
        return self.flash.host_programs - self.host

    def end(self) -> None:
        """Note a round and begin the next."""
        self.noted.append((self.counters.programs() - self.programs) / self.written())
        self._begin()

    def flat(self) -> bool:
        """Whether the last three agree, or hardly move anything."""
        if len(self.noted) < 3:
            return False
        a, b, c = self.noted[-3:]
        agree = abs(b / a - 1) <= self.tolerance and abs(c / b - 1) <= self.tolerance
        return agree or max(a, b, c) <= NEXT_TO_NO_MOVES


class OpenUnits:
    """The host's units in a play of the trace, by when the requests arrived that began them (7.3c)."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.now = 0
        self.begun: list[tuple[int, int]] = []  # since when, and the block; each block's last one alone

    def arrives(self, now: int) -> None:
        """A request arrives: pad what has waited for its other pages too long."""
        self.now = now
        units = self.drive.program_units
        for since, k in list(self.begun):
            if since + units.flush_after <= now:
                self.begun.remove((since, k))
                if self.drive.space.blocks[k].state is State.OPEN:
                    units.finish_host_block(k)
        if self.drive.parity is not None:
            self.drive.parity.program_now()

    def written(self, page: int) -> None:
        """The host has taken a page: does a unit begin with it?"""
        geometry = self.drive.geometry
        k = geometry.block_of_page(page)
        if geometry.page_in_block(page) % self.drive.program_units.size_of(k) == 0:
            self.begun = [unit for unit in self.begun if unit[1] != k]
            self.begun.append((self.now, k))

    def end(self) -> None:
        """7.3c: nothing more arrives in this play."""
        self.drive.program_units.finish_host_blocks()


class WarmUp:
    """Prepares the drive."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.space = drive.space
        self.stream = Stream(drive.config.seed, "warmup")
        self.orders = Stream(drive.config.seed, "warm-up order")  # 7.3b
        table = drive.config.warmup
        self.kind = table.choice("kind", KINDS, "empty")
        self.overwrites = table.number("overwrites", 2.0)
        self.limit = table.number("limit", 40.0)
        self.tolerance = table.ppm("tolerance", "0.5%") / MILLION
        self.fill = table.switch("fill", False)
        self.replays = table.whole("replays", 1)
        self.share = table.ppm("valid_share") if table.has("valid_share") else None
        self.pads = table.choice("padding", ("by-arrival", "none"), "by-arrival") == "by-arrival"
        self.units: OpenUnits | None = None
        for key in ("scheme", "policies"):  # 7.5
            table.take(key, None)

    def run(self, requests: list[Request]) -> None:
        """7.3 and 7.4."""
        pages = self.drive.geometry.user_pages
        to_fill = self._to_fill(requests)
        if self.kind not in ("empty", "replay") or (self.kind == "replay" and self.fill):
            self._write_each(to_fill)
        if self.kind == "overwrite":
            for _ in range(rounded(self.overwrites * pages)):
                self._write_each([to_fill[self.stream.below(len(to_fill))]])
        elif self.kind == "steady":
            self._overwrite_until_steady(pages, to_fill)
        self.drive.foresee(requests)
        played = requests
        if self.drive.config.shuffled and self.kind in ("replay", "workload"):
            played = self._numbered(requests)
        if self.kind == "replay":
            for _ in range(self.replays):
                self._replay(played)
        elif self.kind == "workload":
            self._replay_until_flat(played, pages)
        self.drive.program_units.finish_host_blocks()
        self._rest()
        self.drive.measuring.count_afresh()
        self.drive.collection.signals.clear()
        self.drive.gc_buffer.fallen = False

    def _to_fill(self, requests: list[Request]) -> Sequence[int]:
        """7.3a."""
        pages = self.drive.geometry.user_pages
        if self.share is None:
            return range(pages)
        count = (self.share * self.drive.geometry.pages + 500_000) // MILLION
        if self.kind not in ("replay", "workload"):
            return range(count)
        left_written: dict[int, bool] = {}
        addresses = deepcopy(self.drive.addresses)
        for request in requests:
            if request.op == "trim":
                left_written |= dict.fromkeys(addresses.trimmed(request), False)
            elif request.op in ("read", "write"):
                logicals = [addresses.logical(page) for page in addresses.pages(request)]
                if request.op == "write":
                    left_written |= dict.fromkeys(logicals, True)
        written = [page for page, is_written in left_written.items() if is_written]
        others = [page for page in range(pages) if page not in left_written]
        return sorted(written + others[: count - len(written)])

    def _overwrite_until_steady(self, pages: int, to_fill: Sequence[int]) -> None:
        """7.3, `steady`."""
        rounds = Rounds(self.drive.counters, self.tolerance)
        for done in range(1, rounded(self.limit * pages) + 1):
            self._write_each([to_fill[self.stream.below(len(to_fill))]])
            if done % pages == 0:
                rounds.end()
                if rounds.flat():
                    return

    def _replay_until_flat(self, requests: list[Request], pages: int) -> None:
        """7.3, `workload`."""
        flash = self.drive.counters.flash
        rounds, filled = Rounds(self.drive.counters, self.tolerance), flash.host_programs
        while True:
            before = flash.host_programs
            self._replay(requests)
            if rounds.written() >= pages:
                rounds.end()
                if rounds.flat():
                    return
            if flash.host_programs == before or flash.host_programs - filled >= rounded(self.limit * pages):
                return

    def _numbered(self, requests: list[Request]) -> list[Request]:
        """7.3b: the list that is shuffled, when its pages have got their numbers."""
        addresses = self.drive.addresses
        for request in requests:
            if request.op in ("read", "write"):
                for page in addresses.pages(request):
                    addresses.logical(page)
        return list(requests)

    def _shuffle(self, requests: list[Request]) -> None:
        """7.3b."""
        for i in range(len(requests) - 1, 0, -1):
            j = self.orders.below(i + 1)
            requests[i], requests[j] = requests[j], requests[i]

    def play_untimed(self, requests: list[Request]) -> None:
        """A run without time."""
        self.pads = True
        for plane in reversed(self.space.planes):
            self.drive.collection.signal(plane)
        self._look_at_signals()
        self._replay(requests, measured=True)
        self.drive.program_units.finish_host_blocks()

    def _measure(self, request: Request, logicals: Sequence[int]) -> None:
        """What a request of a run without time counts that a warm-up does not look at."""
        flash, where = self.drive.counters.flash, self.drive.mapping.where
        if request.op == "read":
            in_flash = sum(logical in where for logical in logicals)
            flash.host_reads += in_flash
            flash.unmapped_reads += len(logicals) - in_flash
        elif request.op == "write":
            self.drive.counters.written.host_bytes += request.size
            self.drive.mapping.streams.host_bytes(request.size)
        self.drive.activity.windows.request_completed(self.drive)

    def _replay(self, requests: list[Request], *, measured: bool = False) -> None:
        """7.3, `replay`."""
        addresses = self.drive.addresses
        pads = self.pads and not self.drive.closed_loop and self.drive.program_units.size > 1
        units = self.units = OpenUnits(self.drive) if pads else None
        times = [self.drive.scaled_time(request) for request in sorted(requests, key=lambda each: each.time)]
        if self.drive.config.shuffled and not measured:
            self._shuffle(requests)
        for time, request in zip(times, requests, strict=True):
            if measured and self.drive.failing.worn_out():
                break
            if units is not None:
                units.arrives(time)
            if request.op == "trim":
                self._trim(addresses.trimmed(request))
            elif request.op in ("read", "write"):
                self.drive.jobs.relocation.request(writes=request.op == "write")
                logicals = [addresses.logical(page) for page in addresses.pages(request)]
                if request.op == "write":  # a read may give a page its number
                    request.told = False
                    self.drive.mapping.streams.write(request)
                    self._write_all(logicals)
                if measured:
                    self._measure(request, logicals)
        if units is not None:
            units.end()
        self.units = None

    def _trim(self, logicals: Sequence[int]) -> None:
        """7.3, 16.15."""
        layout, mapping = self.drive.geometry.layout, self.drive.mapping
        if layout is None:
            for logical in logicals:
                mapping.trim(logical)
            return
        for stripe in sorted({layout.stripe(logical) for logical in logicals}):
            pages = [page for page in layout.data(stripe) if page in logicals and page in mapping.where]
            for page in pages:
                mapping.trim(page)
            if not any(page in mapping.where for page in layout.data(stripe)):
                if pages:
                    mapping.trim(layout.parity(stripe), counts=False)
            elif pages:
                self._write(layout.parity(stripe))

    def _write_each(self, logicals: Sequence[int]) -> None:
        """13.26: each page is a request."""
        if self.drive.geometry.layout is not None:
            self._write_all(logicals)
            return
        for logical in logicals:
            self.drive.jobs.relocation.request(writes=True)
            self._write_all([logical])

    def _write_all(self, logicals: Sequence[int]) -> None:
        """Write the pages of a write; the parity of a stripe follows those of the stripe (16.15)."""
        layout = self.drive.geometry.layout
        if layout is not None:
            runs = layout.runs(logicals)
            logicals = [page for run in runs for page in (*run, layout.parity(layout.stripe(run[0])))]
        for logical in logicals:
            self._write(logical)

    def _write(self, logical: int) -> None:
        """7.1: an untimed write."""
        self.drive.mapping.note_write(logical)
        if self.drive.mapping_cache is not None:
            self.drive.mapping_cache.look_up_now(logical)
        self.write_page(logical)

    def write_page(self, logical: int) -> None:
        """7.1: of which all have heard."""
        page = self._host_page(logical)
        if self.units is not None:
            self.units.written(page)
        self.drive.mapping.untimed_write(logical, page)
        self._parity()
        self._look_at_signals()
        self.drive.jobs.concurrency.look()

    def _parity(self) -> None:
        """4.48d."""
        if self.drive.parity is not None:
            self.drive.parity.program_now()

    def _look_at_signals(self) -> None:
        """7.1, 4.42."""
        collection, cache = self.drive.collection, self.drive.slc_cache
        while collection.signals:
            q = collection.signals.pop()
            self._collect_as_triggered(q)
            while cache is not None and (block := self._to_fold(cache, q)) is not None:
                self._fold(block)
                self._collect_as_triggered(q)

    def _to_fold(self, cache: SlcCache, q: int) -> Block | None:
        """4.42, 4.48b."""
        superblocks = self.drive.superblocks
        for each in [q] if superblocks is None else superblocks.scope(q):
            block = cache.wanted(each)
            if block is not None:
                return block
        return None

    def _collect_as_triggered(self, q: int) -> None:
        if self.drive.superblocks is not None:
            q = self.drive.superblocks.first(q)
        under_way = False
        while (
            self.drive.collection.wanted(q, under_way=under_way)
            and self.drive.jobs.concurrency.allows(q)
            and self._collect_now(q)
        ):
            under_way = True

    def _fold(self, block: Block) -> None:
        """4.42."""
        assert self.drive.slc_cache is not None
        self.drive.slc_cache.take(block)
        self._empty(block, Cause.FOLD)

    def _rest(self) -> None:
        """4.42: the end of the warm-up."""
        cache = self.drive.slc_cache
        for plane in self.space.planes:
            while cache is not None and (block := cache.resting(plane.number)) is not None:
                self._fold(block)
                self._look_at_signals()

    def _host_page(self, logical: int) -> int:
        """7.1, up to the end of the loop."""
        while True:
            allocation = self.drive.allocation
            q = allocation.choose(logical)
            waits = isinstance(allocation, Own) and allocation.waits
            if q is None and self.drive.superblocks is not None:  # 4.48a
                q, waits = self.drive.superblocks.most_reclaimable(), True
            if q is None:
                q = max(self.space.planes, key=lambda plane: plane.reclaimable).number
            page = None if waits else self.space.take_host_page(q, logical)
            if page is not None:
                return page
            if not self._collect_now(q):
                raise RuntimeError(f"plane {q} has no room and no victim")

    def _collect_now(self, q: int) -> bool:
        """7.2."""
        if self.drive.superblocks is not None:
            return self._collect_superblock_now(self.drive.superblocks, q)
        victim = self.drive.collection.victim(q)
        if victim is None:
            return False
        admitted = self.drive.gc_buffer.admit(victim)
        assert admitted  # 13.11
        self.drive.collection.take(victim)
        self._empty(victim, Cause.GC)
        worn = self.drive.wear.take_victim(q)
        if worn is not None:
            self._empty(worn, Cause.WEAR)
        return True

    def _collect_superblock_now(self, superblocks: Superblocks, q: int) -> bool:
        """4.48a."""
        victim = superblocks.take_victim(q)
        if victim is None:
            return False
        self._empty_superblock(superblocks, victim, Cause.GC)
        worn = superblocks.take_worn(q)
        if worn is not None:
            self._empty_superblock(superblocks, worn, Cause.WEAR)
        return True

    def _empty_superblock(self, superblocks: Superblocks, victim: Block, cause: Cause) -> None:
        """4.48a."""
        jobs = self.drive.jobs
        for part in superblocks.parts(victim):
            job = jobs.begun(part, cause)
            while isinstance(step := jobs.next_step(job), Step):
                target = superblocks.target_now(step, part.plane, cause)
                moved = [jobs.take_target(job, page, target) for page in step.pages]
                for page, to in zip(step.pages, moved, strict=True):
                    if step.way is Way.COPYBACK and target == part.plane:
                        jobs.relocation.copied(page, to)
                    self.drive.mapping.commit_move(page, to)
                self.drive.program_units.finish(moved[-1], "padded_pages")
                self._parity()
        for part in superblocks.parts(victim):
            superblocks.erase(part, cause)

    def _empty(self, block: Block, cause: Cause) -> None:
        """7.2, 13.18."""
        jobs, relocation = self.drive.jobs, self.drive.jobs.relocation
        job = jobs.begun(block, cause)
        while isinstance(step := jobs.next_step(job), Step):
            if step.way is Way.LIFT:  # 13.18
                self.drive.gc_buffer.lift(job, step.pages[0])
                continue
            if step.way is Way.COPYBACK:
                relocation.make_way(job, step.pages[0])
            plane = job.plane
            if self.drive.superblocks is not None:  # 4.48b
                plane = self.drive.superblocks.target_now(step, plane, cause)
                self.drive.superblocks.folds(job.plane, cause)
            for page in step.pages:
                target = jobs.take_target(job, page, plane)
                if step.way is Way.COPYBACK:
                    relocation.copied(page, target)
                self.drive.mapping.commit_move(page, target)
            if not step.loaded:
                self.drive.program_units.finish(target, relocation.skipped)
            self._parity()
        job.erasing = True
        if self.drive.slc_cache is not None:
            self.drive.slc_cache.nothing_left(job.plane, cause)
        self.drive.gc_buffer.all_lifted(job)
        self.space.erase(block, cause)
        self.drive.gc_buffer.write_back(job)
