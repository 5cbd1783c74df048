"""A recorded run as a Perfetto trace: tracks of controllers, links, dies, collection jobs and buffers.

ui.perfetto.dev and `trace_processor` open it. The format is protobuf: a `Trace` of `TracePacket`s, of which
the few fields that slices, counters and tracks need are written here. Field numbers are those of
`perfetto_trace.proto`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import polars as pl

from reclaim.result.reported import ArrowStream

CARRIER, LINK, OPERATION, TRANSFER, ARRAY, JOB, WRITE_BUFFER, GC_BUFFER = range(8)
OPERATIONS = ("read", "program", "erase", "copyback")
BEGIN, END, COUNTER = 1, 2, 4
SEQUENCE = 1
"""All packets are of one sequence."""
EXPLICIT_ORDER = 3
PAGES_UNIT = 2


def _varint(value: int) -> bytes:
    """A number in seven bits a byte, the lowest first.

    >>> _varint(300).hex()
    'ac02'
    """
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _packet(*fields: bytes) -> bytes:
    return _bytes(1, b"".join((*fields, _number(10, SEQUENCE))))


class _Slice(NamedTuple):
    """Something that lasts, on a track."""

    start: int
    end: int
    depth: int
    """0, or 1 within another."""
    name: str
    for_gc: bool


def _events(slices: Iterable[_Slice]) -> Iterator[tuple[int, int, int, _Slice]]:
    """Begins and ends; with their keys they sort as they nest: ends first, inner ones before outer ones."""
    for each in slices:
        yield each.start, 1, each.depth, each
        yield each.end, 0, -each.depth, each


class _Writer:
    """The packets of a trace."""

    def __init__(self) -> None:
        self.descriptors: list[bytes] = []
        self.events: list[tuple[int, int, int, int, bytes]] = []
        """Instant, order at that instant, order of the track, order among tracks, packet."""
        self.tracks = 0

    def track(self, name: str, parent: int | None, *, counter: bool = False) -> int:
        """Describe a track; return its number."""
        self.tracks += 1
        fields = [_number(1, self.tracks), _text(2, name)]
        if parent is not None:
            fields += [_number(5, parent), _number(12, self.tracks)]
        fields.append(_number(11, EXPLICIT_ORDER))
        if counter:
            fields.append(_bytes(8, _number(3, PAGES_UNIT) + _text(6, "pages")))
        self.descriptors.append(_packet(_bytes(60, b"".join(fields))))
        return self.tracks

    def slices(self, track: int, slices: Iterable[_Slice]) -> None:
        """Put slices on a track."""
        for instant, kind, depth, each in _events(slices):
            fields = [_number(9, BEGIN if kind else END), _number(11, track)]
            if kind:
                fields += [_text(22, "collection" if each.for_gc else "host"), _text(23, each.name)]
            packet = _packet(_number(8, instant), _bytes(11, b"".join(fields)))
            self.events.append((instant, kind, depth, track, packet))

    def counter(self, track: int, values: Iterable[tuple[int, int]]) -> None:
        """Put values on a track, each from an instant on."""
        for instant, value in values:
            fields = _number(9, COUNTER) + _number(11, track) + _number(30, value)
            self.events.append((instant, 2, 0, track, _packet(_number(8, instant), _bytes(11, fields))))

    def bytes(self) -> bytes:
        """The whole trace."""
        self.events.sort(key=lambda event: event[:4])
        return b"".join([*self.descriptors, *(event[-1] for event in self.events)])


def _lanes(slices: Iterable[_Slice]) -> list[list[_Slice]]:
    """Slices that overlap go on lanes of their own, as few as are needed."""
    lanes: list[list[_Slice]] = []
    for each in sorted(slices, key=lambda one: (one.start, one.end)):
        lane = next((lane for lane in lanes if lane[-1].end <= each.start), None)
        if lane is None:
            lanes.append([each])
        else:
            lane.append(each)
    return lanes


def _of(rows: pl.DataFrame, kinds: tuple[int, ...]) -> dict[int, list[dict[str, int]]]:
    """Rows of some kinds that last, by track."""
    chosen = rows.filter(pl.col("kind").is_in(kinds) & (pl.col("end_ns") > pl.col("start_ns")))
    found: dict[int, list[dict[str, int]]] = {}
    for row in chosen.sort("track", "start_ns").iter_rows(named=True):
        found.setdefault(row["track"], []).append(row)
    return found


def _transfer(row: dict[str, int]) -> _Slice:
    for_gc = bool(row["for_gc"])
    return _Slice(row["start_ns"], row["end_ns"], 0, f"die {row['value']}", for_gc)


def _job(row: dict[str, int]) -> _Slice:
    return _Slice(row["start_ns"], row["end_ns"], 0, f"block {row['value']}", for_gc=True)


def _on_die(row: dict[str, int]) -> _Slice:
    operation, for_gc = OPERATIONS[row["operation"]], bool(row["for_gc"])
    whose = "collection" if for_gc else "host"
    names = {OPERATION: f"{operation} ({whose})", TRANSFER: "transfer", ARRAY: "array"}
    depth = 0 if row["kind"] == OPERATION else 1
    return _Slice(row["start_ns"], row["end_ns"], depth, names[row["kind"]], for_gc)


def perfetto_trace(spans: ArrowStream, *, carriers: str = "channel", links: list[str] | None = None) -> bytes:
    """The bytes of a Perfetto trace of `Result.spans`; times are simulated ns.

    Args:
        spans: what was recorded.
        carriers: what transfers are counted at: `channel`, or `controller` of a network.
        links: a name for each link of a network, by its number.
    """
    rows = pl.DataFrame(spans)
    writer = _Writer()
    for title, kind, name, to_slice in (
        (f"{carriers}s", CARRIER, f"{carriers} {{}}".format, _transfer),
        ("links", LINK, lambda number: links[number] if links else f"link {number}", _transfer),
        ("collection jobs", JOB, "plane {}".format, _job),
    ):
        tracks = _of(rows, (kind,))
        parent = writer.track(title, None) if tracks else 0
        for number, its_rows in tracks.items():
            for lane, slices in enumerate(_lanes(map(to_slice, its_rows))):
                called = name(number) if lane == 0 else f"{name(number)}, {lane + 1}"
                writer.slices(writer.track(called, parent), slices)
    dies = _of(rows, (OPERATION, TRANSFER, ARRAY))
    parent = writer.track("dies", None) if dies else 0
    for number, its_rows in dies.items():
        writer.slices(writer.track(f"die {number}", parent), map(_on_die, its_rows))
    for kind, title in ((WRITE_BUFFER, "write buffer"), (GC_BUFFER, "collector's buffer")):
        values = rows.filter(pl.col("kind") == kind).select("start_ns", "value")
        if values.height:
            writer.counter(writer.track(title, None, counter=True), values.iter_rows())
    return writer.bytes()


def link_names(network: dict[str, list[list[list[int]]]] | None) -> list[str] | None:
    """Name each link of a network by its two routers, row and column."""
    if network is None:
        return None
    return [f"link {a[0]},{a[1]} – {b[0]},{b[1]}" for a, b in network["links"]]
