"""What a results file says of each stream, and the table of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reclaim.report.document import Cell, Table, figures_of
from reclaim.result.reported import Reported
from reclaim.result.stats import ClassStats
from reclaim.result.verdict import MARKS
from reclaim.units import Kind, written


@dataclass(frozen=True)
class StreamStats:
    """What requests of one stream experienced, and what was programmed of its data."""

    host_bytes: int
    """Bytes of its writes."""
    nand_bytes: int
    """Bytes programmed of its data, for its writes and to move them."""
    relocated_bytes: int
    """The part of `nand_bytes` that moved its data."""
    write_amplification: float | None
    """Pages programmed of its data per page programmed for its writes; None without these."""
    valid_pages: int
    """Pages in flash that hold its data at the end of the run."""
    read: ClassStats | None
    """Its reads; None in a run without time."""
    write: ClassStats | None
    """Its writes; None in a run without time."""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> StreamStats:
        """Read a stream from a results file."""
        timed: dict[str, Any] = {
            name: stored[name] and ClassStats.of(name, stored[name], None) for name in ("read", "write")
        }
        return cls(**{key: stored[key] for key in stored if key != "stream"} | timed)


COUNTED: tuple[tuple[str, str, Kind], ...] = (
    ("bytes written by the host", "host_bytes", "bytes"),
    ("bytes programmed", "nand_bytes", "bytes"),
    ("bytes programmed to move data", "relocated_bytes", "bytes"),
    ("write amplification (pages)", "write_amplification", "ratio"),
    ("valid pages at the end", "valid_pages", "count"),
)
TIMED: tuple[tuple[str, str, Kind], ...] = (
    ("{}s", "count", "count"),
    ("mean latency of {}s", "mean_ns", "time"),
    ("p99 latency of {}s", "p99_ns", "time"),
    ("p99.9 latency of {}s", "p99_9_ns", "time"),
)


def stream_tables(results: Sequence[Reported]) -> list[Table]:
    """A table for each run whose requests name several streams, streams across; of repeats the first."""
    tables = []
    for result in results:
        streams = result.to_dict().get("streams", [])
        if len(streams) > 1:
            of = result.label if len(results) > 1 else ""
            columns = figures_of("Streams", (f"stream {each['stream']}" for each in streams))
            tables.append(Table(columns, _rows(streams), title=of, why=None, kind="runs"))
    return tables


def _rows(streams: Sequence[Mapping[str, Any]]) -> list[list[str | Cell]]:
    rows = [[label, *(_cell(each, key, kind) for each in streams)] for label, key, kind in COUNTED]
    for name in ("read", "write"):
        found = [each[name] if each[name] and each[name]["count"] else None for each in streams]
        if any(found):
            rows += [
                [label.format(name), *(_cell(each, key, kind) for each in found)]
                for label, key, kind in TIMED
            ]
    return rows


def _cell(figures: Mapping[str, Any] | None, key: str, kind: Kind) -> str | Cell:
    value = None if figures is None else figures[key]
    doubted = figures is not None and key in figures.get("not_established", ())
    return Cell(written(value, kind), MARKS["doubt"] if doubted else "")
