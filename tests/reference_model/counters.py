"""What is counted (docs/model.md, section 14)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class FlashCounters:
    """14.1."""

    host_reads: int = 0
    gc_reads: int = 0
    host_programs: int = 0
    gc_programs: int = 0
    wear_programs: int = 0
    erases: int = 0
    wear_erases: int = 0
    copybacks: int = 0
    multi_plane_operations: int = 0
    suspends: int = 0
    rmw_reads: int = 0
    unmapped_reads: int = 0
    buffer_hits: int = 0
    trimmed_pages: int = 0

    def programs(self) -> int:
        """Return all programs, for write amplification."""
        return self.host_programs + self.gc_programs + self.wear_programs


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


class Counters:
    """All of them; zero again after warm-up (7.4)."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.flash = FlashCounters()
        self.gc = GcCounters()
        self.buffer = BufferCounters()
