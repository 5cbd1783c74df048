"""One run to compare: a drive and the requests it gets, and how to write both down."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from reclaim.trace.trace import Operation

OPERATIONS: tuple[Operation, ...] = ("read", "write", "trim", "flush")
Request = tuple[int, Operation, int, int]
"""Time in ns, operation, offset and size in bytes."""


@dataclass(frozen=True)
class Case:
    """A drive, as the tree of a device file, and a trace."""

    drive: Mapping[str, Any]
    requests: Sequence[Request]

    @property
    def streams(self) -> Sequence[int]:
        """The stream of each request; it follows from the request.

        Drives that do not keep streams apart have them, too, if the number of requests is odd.
        """
        separation = self.drive.get("ftl", {}).get("separation", {})
        apart = separation.get("kind") == "by-stream"
        if not self.requests or not (apart or len(self.requests) % 2):
            return []
        count = separation.get("open_blocks", 4) if apart else 3
        first = self.requests[0][0]
        return [(ns - first + offset + size) // 7 % 97 % count for ns, _, offset, size in self.requests]

    @property
    def ranges(self) -> list[tuple[int, int, int]]:
        """What `trace.streams` says: first byte, byte behind it, stream."""
        given = self.drive.get("trace", {}).get("streams", [])
        found = [(int(each["first"][:-1]), int(each["bytes"][:-1]), each["stream"]) for each in given]
        return [(first, first + size, stream) for first, size, stream in found]

    @property
    def played_streams(self) -> Sequence[int]:
        """The stream of each request where `trace.streams` has changed it; none if none has a name."""
        given = self.streams or ([0] * len(self.requests) if self.ranges else [])
        return [
            next(
                (name for first, end, name in self.ranges if op != "flush" and first <= offset < end), stream
            )
            for stream, (_, op, offset, _) in zip(given, self.requests, strict=bool(given))
        ]

    def from_zero(self) -> Case:
        """The same with times from the first request on, as a file's are played."""
        first = self.requests[0][0]
        return self.with_requests([(ns - first, op, offset, size) for ns, op, offset, size in self.requests])

    @classmethod
    def read(cls, device: Path, trace: Path) -> Case:
        """A case that was written."""
        rows = [line.split(",") for line in trace.read_text().splitlines()[1:]]
        requests = [
            (int(Decimal(time_us) * 1000), operation(op), int(offset), int(size))
            for time_us, op, offset, size, *_ in rows
        ]
        return cls(tomllib.loads(device.read_text()), requests)

    def with_requests(self, requests: Sequence[Request]) -> Case:
        """The same drive with other requests."""
        return Case(self.drive, requests)

    def with_drive(self, drive: Mapping[str, Any]) -> Case:
        """The same requests to another drive."""
        return Case(drive, self.requests)

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write device and trace as files that `reclaim run` takes."""
        folder.mkdir(parents=True, exist_ok=True)
        device, trace = folder / "device.toml", folder / "trace.csv"
        device.write_text(toml_text(self.drive))
        trace.write_text(csv_text(self.requests, self.streams))
        return device, trace


def operation(name: str) -> Operation:
    """The operation of that name."""
    return next(known for known in OPERATIONS if known == name)


def toml_text(drive: Mapping[str, Any]) -> str:
    """The drive as a device file.

    >>> print(toml_text({"name": "d", "gc": {"victim": {"kind": "fifo"}, "pages_in_flight": 2}}))
    name = "d"
    <BLANKLINE>
    [gc]
    pages_in_flight = 2
    <BLANKLINE>
    [gc.victim]
    kind = "fifo"
    <BLANKLINE>
    """
    return "\n".join(_table(drive, "")) + "\n"


def _table(table: Mapping[str, Any], path: str) -> Iterator[str]:
    values = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    if path and (values or not table):
        yield ""
        yield f"[{path}]"
    for key, value in values.items():
        yield f"{key} = {_value(value)}"
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _table(value, f"{path}.{key}" if path else key)


def _value(value: Any) -> str:
    """A value on one line: strings, numbers and booleans are written alike in JSON and TOML.

    >>> _value([{"erases": 3, "read": "90%"}])
    '[{erases = 3, read = "90%"}]'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)


def csv_text(requests: Sequence[Request], streams: Sequence[int] = ()) -> str:
    """The requests in Reclaim's own trace format, with their streams if they have any.

    >>> csv_text([(1500, "read", 0, 512)])
    'time_us,op,offset_bytes,size_bytes\\n1.500,read,0,512\\n'
    """
    lines = ["time_us,op,offset_bytes,size_bytes"]
    lines += [f"{ns // 1000}.{ns % 1000:03},{op},{offset},{size}" for ns, op, offset, size in requests]
    if streams:
        lines = [f"{line},{end}" for line, end in zip(lines, ["stream", *streams], strict=True)]
    return "\n".join(lines) + "\n"
