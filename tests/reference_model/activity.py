"""How busy dies and channels are, how things stand, what planes do (docs/model.md, 14.9 to 14.13, 14.16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

from reference_model.booking import Times
from reference_model.mapping import TranslationSlot
from reference_model.operations import HostRead, HostWrite, Operation, TranslationRead
from reference_model.redundancy.accesses import StripeRead
from reference_model.space import State

if TYPE_CHECKING:
    from reference_model.drive import Drive

INTERVAL = 10_000
MOST_INTERVALS = 2048
MOST_WINDOWS = 128


class Work:
    """14.10: the time for which a die does something, and for the host."""

    def __init__(self) -> None:
        self.operations = 0
        self.of_host = 0
        self.since = 0
        self.busy = 0
        self.host = 0

    def _pass(self, now: int) -> None:
        self.busy += (now - self.since) * (self.operations > 0)
        self.host += (now - self.since) * (self.of_host > 0)
        self.since = now

    def begins(self, now: int, *, for_gc: bool) -> None:
        """One operation more, or several that share one."""
        self._pass(now)
        self.operations += 1
        self.of_host += not for_gc

    def ends(self, now: int, *, for_gc: bool) -> None:
        """One less."""
        self._pass(now)
        self.operations -= 1
        self.of_host -= not for_gc

    def count_afresh(self, now: int) -> None:
        """8.8."""
        self.busy = self.host = 0
        self.since = now


@dataclass
class PlaneCounters:
    """14.9."""

    jobs: int = 0
    erases: int = 0
    host_programs: int = 0
    parity_programs: int = 0
    relocated_pages: int = 0


@dataclass(frozen=True)
class Stand:
    """14.11: how things stand at some time, and what has been done by then."""

    free_blocks: int
    used_pages: int
    valid_pages: int
    gc_jobs: int
    gc_channels: int
    allowed_channels: int
    pending_operations: int
    outstanding_requests: int
    buffered_pages: int
    rows: int
    host_programs: int = 0
    gc_programs: int = 0
    wear_programs: int = 0
    padded_pages: int = 0
    wasted_pages: int = 0
    erases: int = 0
    wear_erases: int = 0
    jobs_begun: int = 0
    host_bytes: int = 0
    nand_bytes: int = 0
    nand_host_bytes: int = 0
    nand_collection_bytes: int = 0
    nand_folding_bytes: int = 0
    nand_levelling_bytes: int = 0
    nand_parity_bytes: int = 0
    nand_translation_bytes: int = 0
    nand_padding_bytes: int = 0

    @classmethod
    def of(cls, drive: Drive) -> Stand:
        """How they stand now."""
        flash, space = drive.counters.flash, drive.space
        channels = {drive.geometry.channel_of_plane(job.plane) for job in drive.jobs.under_way}
        written = drive.counters.bytes_written(drive.geometry.page_size)
        written.pop("empty_bytes")
        return cls(
            free_blocks=space.free_blocks(),
            used_pages=space.used_pages(),
            valid_pages=space.valid_pages,
            gc_jobs=len(drive.jobs.under_way),
            gc_channels=len(channels),
            allowed_channels=drive.jobs.concurrency.most_channels(),
            pending_operations=sum(die.load for die in drive.dies.all),
            outstanding_requests=drive.requests.outstanding,
            buffered_pages=drive.buffer.used,
            rows=len(drive.requests.rows),
            host_programs=flash.host_programs,
            gc_programs=flash.gc_programs,
            wear_programs=flash.wear_programs,
            padded_pages=flash.padded_pages,
            wasted_pages=flash.wasted_pages,
            erases=flash.erases,
            wear_erases=flash.wear_erases,
            jobs_begun=drive.counters.gc.jobs,
            **written,
        )


NOTHING = Stand(*([0] * len(fields(Stand))))
_STANDING = """free_blocks used_pages valid_pages gc_jobs gc_channels allowed_channels pending_operations
outstanding_requests buffered_pages"""
STANDING = _STANDING.split()
DONE = [field.name for field in fields(Stand) if field.name not in (*STANDING, "rows")]


class Activity:
    """All of it, from where measuring begins."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.dies = [Work() for _ in range(drive.geometry.dies)]
        self.parts = [Times() for _ in range(drive.geometry.dies)]
        self.begun: int | None = None
        self.next_end = 0
        self.stands: list[tuple[int, Stand]] = []  # each until an event
        self.windows = Windows()

    def begin(self) -> None:
        """8.8: measuring begins now."""
        now = self.drive.events.now
        for work in self.dies:
            work.count_afresh(now)
        self.parts = [Times() for _ in self.parts]
        self.begun, self.next_end = now, now + INTERVAL
        self.stands.clear()
        self.windows = Windows()
        for domain in self.drive.channels.domains:
            domain.carried = 0

    def finished(self, die: int, operation: Operation) -> None:
        """14.16."""
        read = (
            isinstance(operation, HostRead)
            and not operation.rest
            and not isinstance(operation, StripeRead | TranslationRead)
        )
        write = isinstance(operation, HostWrite) and not isinstance(operation.slot, TranslationSlot)
        if read or write:
            self.parts[die].add(operation.times)

    def audited(self) -> Mapping[str, list[int]]:
        """14.16."""
        names = [field.name for field in fields(Times)]
        return {f"{name}_ns": [getattr(each, name) for each in self.parts] for name in names}

    def before_event(self) -> None:
        """14.11: what changes does so at events."""
        now = self.drive.events.now
        if self.begun is not None and now >= self.next_end:
            self.stands.append((now, Stand.of(self.drive)))
            self.next_end = self.begun + ((now - self.begun) // INTERVAL + 1) * INTERVAL

    def timeline(self) -> Iterator[Mapping[str, int]]:
        """14.11."""
        if self.begun is None:
            return
        last, length = self.drive.events.now, INTERVAL
        while (last - self.begun) // length >= MOST_INTERVALS:
            length *= 2
        stands, at = [*self.stands, (last + 1, Stand.of(self.drive))], 0
        before = NOTHING
        for start in range(self.begun, last + 1, length):
            end = min(start + length, last + 1)
            while stands[at][0] < end:
                at += 1
            stand = stands[at][1]
            yield {"start_ns": start, "length_ns": end - start} | self._row(before, stand)
            before = stand

    def _row(self, before: Stand, stand: Stand) -> dict[str, int]:
        rows = self.drive.requests.rows[before.rows : stand.rows]
        latencies = [row.completion_ns - row.arrival_ns for row in rows]
        return (
            {name: getattr(stand, name) for name in STANDING}
            | {"completed_requests": len(rows), "latency_sum_ns": sum(latencies)}
            | {"latency_max_ns": max(latencies, default=0)}
            | {name: getattr(stand, name) - getattr(before, name) for name in DONE}
        )

    def utilisation(self) -> dict[str, object]:
        """14.10."""
        elapsed = max(1, self.drive.events.now - (self.drive.measuring.began or 0))
        busy = [work.busy / elapsed for work in self.dies]
        host = [work.host / elapsed for work in self.dies]
        channels = [min(domain.carried, elapsed) / elapsed for domain in self.drive.channels.domains]
        return {
            "die": sum(busy) / len(busy),
            "die_host": sum(host) / len(host),
            "die_max": max(busy),
            "per_die": busy,
            "per_channel": channels,
        }


@dataclass(frozen=True)
class Mark:
    """What had been done when a window ended."""

    host: int = 0
    moves: int = 0
    erases: int = 0
    cached: int = 0

    @classmethod
    def of(cls, drive: Drive) -> Mark:
        """By now."""
        counters, flash = drive.counters, drive.counters.flash
        moves = counters.programs() - flash.host_programs
        erases = flash.erases + flash.wear_erases - flash.failed
        return cls(flash.host_programs, moves, erases, counters.slc_cache.cached_pages)

    def gained(self, pages_per_block: int) -> int:
        """Erased pages, those of the SLC cache left out."""
        return self.erases * pages_per_block - (self.host - self.cached + self.moves)


class Windows:
    """14.12."""

    def __init__(self) -> None:
        self.ends: list[Mark] = []
        self.width = self.next = 1
        self.noted = self.gained = 0

    def request_completed(self, drive: Drive) -> None:
        """Whatever request it is."""
        mark = Mark.of(drive)
        if mark.host == self.noted:
            return
        self.gained += (mark.host - self.noted) * mark.gained(drive.geometry.pages_per_block)
        self.noted = mark.host
        if mark.host < self.next:
            return
        self.ends.append(mark)
        if len(self.ends) == MOST_WINDOWS:
            self.ends = self.ends[1::2]
            self.width *= 2
        self.next = mark.host + self.width

    def until(self, last: Mark) -> list[Mark]:
        """The windows, to the end of all."""
        ends = self.ends[:]
        if ends:
            before = ends[-2].host if len(ends) > 1 else 0
            if 2 * (last.host - ends[-1].host) < ends[-1].host - before:
                ends.pop()
            ends.append(last)
        return ends


def windows_of(drive: Drive) -> dict[str, object]:
    """14.12."""
    last, pages = Mark.of(drive), drive.geometry.pages_per_block
    ends = drive.activity.windows.until(last)
    starts = [Mark(), *ends]
    amplification = [
        (end.host + end.moves - start.host - start.moves) / (end.host - start.host)
        for start, end in zip(starts, ends, strict=False)
    ]
    return {
        "host_pages": [end.host for end in ends],
        "write_amplification": amplification,
        "free_pages_gained": [end.gained(pages) for end in ends],
    }


def erased_blocks_of(drive: Drive) -> float | None:
    """14.2: mean_erased_blocks_per_plane."""
    windows, pages = drive.activity.windows, drive.geometry.pages_per_block
    if windows.noted == 0:
        return None
    space, cache = drive.space, drive.slc_cache
    ordinary = [block for block in space.blocks if cache is None or not cache.has(block.number)]
    ordinary = [block for block in ordinary if block.state is not State.FAILED]
    erased = sum(pages - block.taken for block in ordinary)
    at_start = erased - Mark.of(drive).gained(pages)
    return (at_start + windows.gained / windows.noted) / pages / len(space.planes)


def planes_of(drive: Drive) -> dict[str, object]:
    """14.9."""
    rows = [astuple(drive.counters.planes[q]) for q in range(drive.geometry.planes)]
    names = [field.name for field in fields(PlaneCounters)]
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def start_of(drive: Drive) -> dict[str, float]:
    """14.13: how the drive is when the warm-up has ended."""
    space, geometry = drive.space, drive.geometry
    of_die = [0] * geometry.dies
    for block in space.blocks:
        of_die[geometry.die_of_plane(block.plane)] += block.valid
    free = [len(plane.free) for plane in space.planes]
    erases = [block.erases for block in space.blocks]
    fullest = max(range(len(of_die)), key=of_die.__getitem__)
    return {
        "valid_share": sum(of_die) / geometry.pages,
        "valid_share_fullest_die": of_die[fullest] * geometry.dies / geometry.pages,
        "fullest_die": fullest,
        "programmed_share": space.used_pages() / geometry.pages,
        "free_blocks": sum(free) / len(free),
        "free_blocks_least": min(free),
        "least_free_die": geometry.die_of_plane(free.index(min(free))),
        "erases_least": min(erases),
        "erases_most": max(erases),
        "erases_mean": sum(erases) / len(erases),
    }
