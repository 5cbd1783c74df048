"""What is counted (docs/model.md, section 14)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from reference_model.activity import PlaneCounters
from reference_model.streams import StreamCounters


@dataclass
class FlashCounters:
    """14.1."""

    host_reads: int = 0
    gc_reads: int = 0
    host_programs: int = 0
    gc_programs: int = 0
    wear_programs: int = 0
    parity_programs: int = 0
    padded_pages: int = 0
    wasted_pages: int = 0
    erases: int = 0
    wear_erases: int = 0
    failed: int = 0  # blocks (4.26a)
    copybacks: int = 0
    multi_plane_operations: int = 0
    suspends: int = 0
    rmw_reads: int = 0
    unmapped_reads: int = 0
    buffer_hits: int = 0
    trimmed_pages: int = 0
    queued_reads: int = 0
    urgent_reads: int = 0
    write_turns: int = 0

    def programs(self) -> int:
        """Return all programs and skipped pages, for write amplification; not those of folding."""
        skipped = self.padded_pages + self.wasted_pages
        moved = self.gc_programs + self.wear_programs
        return self.host_programs + moved + self.parity_programs + skipped


@dataclass
class WrittenCounters:
    """14.15: what it counts by itself; pages programmed are those of 14.1 and 14.8."""

    host_bytes: int = 0
    filler_pages: int = 0
    empty_pages: int = 0


@dataclass
class GcCounters:
    """14.2, but for what is read off other counters at the end."""

    jobs: int = 0
    dropped_moves: int = 0
    stalled_writes: int = 0
    host_write_stall_ns: int = 0


@dataclass
class BufferCounters:
    """14.3, but for the capacity."""

    max_pages: int = 0
    waits: int = 0
    wait_ns: int = 0


@dataclass
class GcBufferCounters:
    """13.11, 13.13, 13.15 and 13.34."""

    stalls: int = 0
    cancelled: int = 0
    absorbed_writes: int = 0


@dataclass
class ConcurrencyCounters:
    """14.14."""

    refused_starts: int = 0
    emergency_starts: int = 0


@dataclass
class SeparationCounters:
    """4.34, 4.37: pages that went to the block of another class."""

    host_pages_elsewhere: int = 0
    relocated_pages_elsewhere: int = 0


@dataclass
class CacheCounters:
    """14.8."""

    cached_pages: int = 0
    host_pages_past_full_cache: int = 0
    folds: int = 0
    folded_pages: int = 0


@dataclass
class MappingCounters:
    """14.8a."""

    mapping_look_ups: int = 0
    mapping_misses: int = 0
    translation_reads: int = 0
    translation_programs: int = 0


@dataclass
class NetworkCounters:
    """12.22a."""

    preemptions: int = 0
    elevations: int = 0
    circuits_resumed: int = 0


@dataclass
class RedundancyCounters:
    """14.5."""

    stripe_reads: int = 0
    full_stripe_writes: int = 0
    update_writes: int = 0
    rebuild_writes: int = 0
    stripe_waits: int = 0
    room_waits: int = 0
    degraded_reads: int = 0
    read_arounds: int = 0
    trim_updates: int = 0
    rebuilt_pages: int = 0
    rebuild_ns: int = 0
    rebuilding_reads: int = 0
    rebuilding_read_ns: int = 0
    rebuilding_writes: int = 0
    rebuilding_write_ns: int = 0
    parity_rows: int = 0
    open_rows: int = 0


@dataclass
class DeferralCounters:
    """14.7."""

    warnings: int = 0
    redirects: int = 0
    refused_redirects: int = 0
    deferred_jobs: int = 0
    idle_jobs: int = 0
    same_stripe_redirects: int = 0


class Counters:
    """All of them; zero again after warm-up (7.4) and when measuring begins (8.8)."""

    def __init__(self) -> None:
        self.buffer = BufferCounters()
        self.reset()

    def programs(self) -> int:
        """7.3: the numerator of the write amplification."""
        beside = self.slc_cache.folded_pages + self.mapping_cache.translation_programs
        return self.flash.programs() + beside

    def bytes_written(self, page_size: int) -> dict[str, int]:
        """14.15."""
        pages = {
            "nand_host_bytes": self.flash.host_programs,
            "nand_collection_bytes": self.flash.gc_programs,
            "nand_folding_bytes": self.slc_cache.folded_pages,
            "nand_levelling_bytes": self.flash.wear_programs,
            "nand_parity_bytes": self.flash.parity_programs,
            "nand_translation_bytes": self.mapping_cache.translation_programs,
            "nand_padding_bytes": self.written.filler_pages,
        }
        return {
            "host_bytes": self.written.host_bytes,
            "nand_bytes": page_size * sum(pages.values()),
            **{name: page_size * count for name, count in pages.items()},
            "empty_bytes": page_size * self.written.empty_pages,
        }

    def reset(self) -> None:
        """Begin anew, but for the most pages in the buffer."""
        self.flash = FlashCounters()
        self.written = WrittenCounters()
        self.gc = GcCounters()
        self.gc_buffer = GcBufferCounters()
        self.network = NetworkCounters()
        self.concurrency = ConcurrencyCounters()
        self.planes: defaultdict[int, PlaneCounters] = defaultdict(PlaneCounters)
        self.streams: defaultdict[int, StreamCounters] = defaultdict(StreamCounters)
        self.separation = SeparationCounters()
        self.slc_cache = CacheCounters()
        self.mapping_cache = MappingCounters()
        self.redundancy = RedundancyCounters()
        self.deferral = DeferralCounters()
        self.buffer = BufferCounters(max_pages=self.buffer.max_pages)
