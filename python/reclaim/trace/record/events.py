"""The kernel's block events as text, and as lines of blkparse."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reclaim.errors import InputError

LINE = re.compile(
    r"^\s*(?P<task>.+)-(?P<pid>\d+)\s+\[(?P<cpu>\d+)\]\s+(?:\S+\s+)?(?P<seconds>\d+)\.(?P<fraction>\d+): "
    r"block_rq_issue: (?P<major>\d+),(?P<minor>\d+) (?P<rwbs>\S+) \d+ \(.*?\) "
    r"(?P<sector>\d+) \+ (?P<sectors>\d+)(?: \S+)? \[(?P<command>.*)\]\s*$"
)
"""`fio-812 [001] ..... 88.120345: block_rq_issue: 7,0 WS 4096 () 2048 + 8 none,0,0 [fio]`; older kernels have
no priority before the last bracket."""
LOST = re.compile(r"^CPU:\d+ \[LOST (?P<count>\d+) EVENTS\]")
NO_SECTOR = 2**64 - 1
"""What a flush without data has in place of a sector."""


@dataclass(frozen=True, order=True)
class Event:
    """A request as it was given to the device."""

    time_ns: int
    order: int
    cpu: int
    pid: int
    rwbs: str
    sector: int
    sectors: int
    command: str

    def line(self, number: int, origin_ns: int) -> str:
        """Write it as blkparse does, with times since `origin_ns`.

        >>> Event(1_500_000_500, 0, 1, 42, "WS", 2048, 8, "fio").line(7, 1_000_000_000)
        '7,0    1        7     0.500000500    42  D  WS 2048 + 8 [fio]'
        """
        seconds, ns = divmod(max(0, self.time_ns - origin_ns), 1_000_000_000)
        sector = 0 if self.sector == NO_SECTOR else self.sector
        return (
            f"7,0   {self.cpu:2d} {number:8d} {seconds:5d}.{ns:09d} {self.pid:5d}  D {self.rwbs:>3s} "
            f"{sector} + {self.sectors} [{self.command}]"
        )


def parse(lines: Iterable[str]) -> Iterator[Event | int]:
    """Read the kernel's text: events, and numbers of events that were lost.

    Raises:
        InputError: at a line of another shape, which this kernel would have to be taught first.
    """
    for order, line in enumerate(lines):
        if not line.strip() or line.startswith("#"):
            continue
        lost = LOST.match(line)
        if lost:
            yield int(lost["count"])
            continue
        found = LINE.match(line)
        if not found:
            raise InputError(f"this kernel prints block events in a way not known here: {line.rstrip()!r}")
        fraction = found["fraction"]
        time_ns = int(found["seconds"]) * 1_000_000_000 + int(fraction.ljust(9, "0")[:9])
        yield Event(
            time_ns, order, int(found["cpu"]), int(found["pid"]), found["rwbs"],
            int(found["sector"]), int(found["sectors"]), found["command"],
        )  # fmt: skip
