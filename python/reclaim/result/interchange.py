"""What a run measured under the names of fio, MQSim and FEMU, and its requests as a log of fio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from reclaim import output_file
from reclaim.errors import InputError
from reclaim.result.result import Result

if TYPE_CHECKING:
    import polars as pl

Tool = Literal["fio", "mqsim", "femu"]


@dataclass(frozen=True)
class Counterpart:
    """A figure of theirs, and what it is made of here."""

    theirs: str
    """Its name; in a file of theirs a slash leads into a table."""
    ours: tuple[str, ...]
    """Keys of results.json whose values are added up."""
    unit: str
    scale: float = 1
    """By which ours is multiplied."""
    over: str = ""
    """The key by which it is divided, if any."""
    whole: bool = False
    """Whether theirs is a whole number."""


def _fio() -> tuple[Counterpart, ...]:
    percentiles = {"50": "p50", "90": "p90", "95": "p95", "99": "p99", "99.9": "p99_9", "99.99": "p99_99"}
    rows: list[Counterpart] = []
    for op in ("read", "write", "trim"):
        of = f"requests.{op}"
        rows += [
            Counterpart(f"{op}/io_bytes", (f"{of}.bytes",), "bytes", whole=True),
            Counterpart(f"{op}/total_ios", (f"{of}.count",), "requests", whole=True),
            Counterpart(f"{op}/bw_bytes", (f"{of}.bandwidth_bytes_per_s",), "bytes/s", whole=True),
            Counterpart(f"{op}/bw", (f"{of}.bandwidth_bytes_per_s",), "KiB/s", scale=1 / 1024, whole=True),
            Counterpart(f"{op}/iops", (f"{of}.iops",), "requests/s"),
            Counterpart(f"{op}/lat_ns/min", (f"{of}.min_ns",), "ns", whole=True),
            Counterpart(f"{op}/lat_ns/max", (f"{of}.max_ns",), "ns", whole=True),
            Counterpart(f"{op}/lat_ns/mean", (f"{of}.mean_ns",), "ns"),
        ]
        rows += [
            Counterpart(f"{op}/clat_ns/percentile/{float(key):.6f}", (f"{of}.{ours}_ns",), "ns", whole=True)
            for key, ours in percentiles.items()
        ]
    return tuple(rows)


_READS, _WRITES = "requests.read", "requests.write"
_PROGRAMS = (
    *("flash.host_programs", "flash.gc_programs", "flash.wear_programs"),
    *("flash.parity_programs", "flash.padded_pages"),
)
_MICROSECONDS = 1e-3
NAMES: Mapping[Tool, tuple[Counterpart, ...]] = {
    "fio": _fio(),
    "mqsim": (
        Counterpart("Request_Count", (f"{_READS}.count", f"{_WRITES}.count"), "requests", whole=True),
        Counterpart("Read_Request_Count", (f"{_READS}.count",), "requests", whole=True),
        Counterpart("Write_Request_Count", (f"{_WRITES}.count",), "requests", whole=True),
        Counterpart("IOPS", (f"{_READS}.iops", f"{_WRITES}.iops"), "requests/s"),
        Counterpart("IOPS_Read", (f"{_READS}.iops",), "requests/s"),
        Counterpart("IOPS_Write", (f"{_WRITES}.iops",), "requests/s"),
        Counterpart("Bytes_Transferred", (f"{_READS}.bytes", f"{_WRITES}.bytes"), "bytes", whole=True),
        Counterpart("Bytes_Transferred_Read", (f"{_READS}.bytes",), "bytes", whole=True),
        Counterpart("Bytes_Transferred_Write", (f"{_WRITES}.bytes",), "bytes", whole=True),
        Counterpart(
            "Bandwidth",
            (f"{_READS}.bandwidth_bytes_per_s", f"{_WRITES}.bandwidth_bytes_per_s"),
            "bytes/s",
        ),
        Counterpart("Bandwidth_Read", (f"{_READS}.bandwidth_bytes_per_s",), "bytes/s"),
        Counterpart("Bandwidth_Write", (f"{_WRITES}.bandwidth_bytes_per_s",), "bytes/s"),
        Counterpart("Device_Response_Time", ("mean_latency_ns",), "us", scale=_MICROSECONDS, whole=True),
        Counterpart("Issued_Flash_Read_CMD", ("flash.host_reads", "flash.gc_reads"), "pages", whole=True),
        Counterpart("Issued_Flash_Program_CMD", _PROGRAMS, "pages", whole=True),
        Counterpart("Issued_Flash_Erase_CMD", ("flash.erases", "flash.wear_erases"), "blocks", whole=True),
        Counterpart(
            "Issued_Flash_Suspend_Program_CMD", ("flash.suspends",), "suspensions of any kind", whole=True
        ),
        Counterpart("Total_GC_Executions", ("gc.jobs",), "jobs", whole=True),
        Counterpart("Average_Page_Movement_For_GC", ("gc.pages_moved",), "pages a job", over="gc.jobs"),
    ),
    "femu": (
        Counterpart("host_write_pages", ("flash.host_programs",), "pages", whole=True),
        Counterpart("gc_write_pages", ("flash.gc_programs",), "pages", whole=True),
        Counterpart("waf_x1000", ("gc.nand_write_amplification",), "thousandths", scale=1000, whole=True),
        Counterpart("host_read_commands", (f"{_READS}.count",), "requests", whole=True),
        Counterpart("host_write_commands", (f"{_WRITES}.count",), "requests", whole=True),
        Counterpart("data_units_written", ("health.data_units_written",), "thousands of 512 B", whole=True),
    ),
}
"""The one place where a figure of ours gets the name of another program."""


def named(result: Result, tool: Tool) -> list[tuple[Counterpart, float | int | None]]:
    """Give the figures of a run under another program's names; None where the run has none.

    >>> import reclaim
    >>> drive = reclaim.Device.preset("gc-bypass-mini")
    >>> trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=500, mean_interarrival_ns=50_000)
    >>> found = named(reclaim.simulate(drive, trace, warmup="empty", warn=False), "fio")
    >>> {each.theirs: value for each, value in found}["write/total_ios"]
    500
    """
    data = result.to_dict()
    return [(each, _value(each, data)) for each in NAMES[tool]]


def _value(named: Counterpart, data: Mapping[str, Any]) -> float | int | None:
    parts = [_at(data, key) for key in named.ours]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    value = sum(known) * named.scale
    if named.over:
        by = _at(data, named.over)
        if not by:
            return None
        value /= by
    # Theirs cut off what is behind the point.
    return int(value) if named.whole else value


def _at(data: Mapping[str, Any], key: str) -> float | int | None:
    found: Any = data
    for word in key.split("."):
        found = found.get(word) if isinstance(found, Mapping) else None
    return found if isinstance(found, int | float) else None


def as_theirs(found: list[tuple[Counterpart, float | int | None]], tool: Tool, name: str) -> dict[str, Any]:
    """Give the figures as a file of theirs has them: fio's JSON output, with a job of this name."""
    top: dict[str, Any] = {}
    for each, value in found:
        *path, last = each.theirs.split("/")
        inside = top
        for word in path:
            inside = inside.setdefault(word, {})
        inside[last] = value
    return {"fio version": "reclaim", "jobs": [{"jobname": name, **top}]} if tool == "fio" else top


def write_latency_log(result: Result, file: Path, *, force: bool = False) -> tuple[int, int]:
    """Write the requests of a run as fio's `write_lat_log` with `log_offset=1`: a line each.

    In order of completion, a line has its time in ms, the latency in ns, 0 for a read, 1 for a write and 2
    for a trim, size and offset in bytes, and priority 0.

    Returns:
        Requests written, and flushes left out, for which fio has no direction.

    Raises:
        InputError: if the run did not record its requests, or the file exists or cannot be written.
    """
    import polars as pl

    stream = result.requests
    if stream is None:
        raise InputError("the run has no requests.parquet; run it again with --record-requests")
    output_file.check(file, overwrite=force)
    frame: pl.DataFrame = pl.DataFrame(stream)
    moved = frame.filter(pl.col("op") <= 2).sort("completion_ns", maintain_order=True)
    lines = moved.select(
        pl.format(
            "{}, {}, {}, {}, {}, 0",
            pl.col("completion_ns") // 1_000_000,
            pl.col("completion_ns") - pl.col("arrival_ns"),
            pl.col("op"),
            pl.col("size_bytes"),
            pl.col("offset_bytes"),
        )
    ).to_series()
    output_file.write_text(file, "".join(f"{line}\n" for line in lines))
    return moved.height, frame.height - moved.height
