"""`reclaim trace info`: what a trace contains and what it is like."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from reclaim import output_file
from reclaim.cli import options, streams
from reclaim.cli.console import entries, err, out
from reclaim.cli.progress import busy
from reclaim.cli.transforms import with_steps
from reclaim.cli.writing import files_read
from reclaim.device import Device, Value
from reclaim.errors import InputError
from reclaim.report.document import Table, figures_of
from reclaim.report.terminal import show
from reclaim.trace.table import device_group, groups
from reclaim.trace.trace import Last, Trace, with_settings
from reclaim.units import Kind, written

DeviceOption = Annotated[
    str | None,
    typer.Option(
        "--device", "-d", metavar="NAME|FILE.toml", help="Say, too, what the trace is on this drive."
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Draw it, as one HTML file; an earlier one is replaced."),
]


REQUESTS = ["reads", "writes", "trims", "flushes"]
"""What `requests` counts; other programs leave out what moves no data."""


def _drive(name: str | None, warmup: str | None, steps: dict[str, Value]) -> Device | None:
    if name is None:
        if warmup is not None:
            raise InputError("--warmup: say on which drive, with --device")
        return None
    return Device.made(name, (), options.settings_of(options.said(warmup=warmup), steps))


def _changed(trace: Trace, drive: Device | None, steps: dict[str, Value], last: Last) -> Trace:
    if drive is not None:
        trace, steps = drive.transformed(trace), {}
    return with_settings(trace, steps, **last)


def _known(changed: Trace, summary: dict[str, Any]) -> dict[str, Any]:
    """What stands above the tables."""
    known = {key: summary[key] for key in ("name", "format", "unaligned_requests", "content_hash")}
    if changed.provenance != "trace file":
        # A stand-in must not pass for what it stands in for.
        known = {"name": known.pop("name"), "what it is": changed.provenance, **known}
    if summary["bad_lines"]:
        known |= {key: summary[key] for key in ("bad_lines", "first_bad_lines")}
    if "last_stream" in summary:
        known["last_stream"] = summary["last_stream"]
    if "warnings" in summary:
        known["warnings"] = summary["warnings"]
    if changed.transforms:
        known["done to it"] = changed.transforms
    return known


@with_steps
@options.opens_a_trace
def info(
    trace: options.TraceFile,
    opening: options.Opening,
    device: DeviceOption = None,
    warmup: options.Warmup = None,
    html: Html = None,
    remap: options.RemapItself = None,
    remap_unit: options.RemapUnit = None,
    time_scale: options.TimeScale = None,
    json: options.Json = False,
    *,
    steps: dict[str, Value],
) -> None:
    """Read and validate a whole trace and say what it is like, and what it is on a drive."""
    if html is not None:
        output_file.check_page(html, reading=files_read(trace, steps))
    steps = opening.settings() | steps
    drive = _drive(device, warmup, steps)
    geometry = drive.config["geometry"] if drive is not None else {}
    page_size = geometry.get("mapping_unit", geometry.get("page_size"))
    last = options.itself(remap, remap_unit, time_scale, page_size)
    merged = "trace.merge" in steps or bool(drive and drive.merged_files())
    opened = drive.open_trace(trace) if drive is not None else opening.open(trace, merged=merged)
    opening.check(opened, merged=merged)
    with busy(f"reading {trace.name}"):
        changed = _changed(opened, drive, steps, last)
        characteristics = changed.characteristics()
        summary = changed.summary()
        on_drive: dict[str, Any] | None = None
        if drive is not None:
            on_drive = {
                "name": device,
                "facts": drive.facts(changed, transformed=True),
                "demand": drive.demand(changed),
            }
    if html is not None:
        from reclaim.trace.report import write_trace_report

        with busy("drawing it"):
            write_trace_report(html, changed, characteristics, on_drive)
    if json:
        shown = summary | {"transforms": changed.transforms, "characteristics": characteristics}
        shown["device"] = on_drive
        shown["requests_counted"] = REQUESTS
        streams.write_json(shown)
        return
    out.print(entries(_known(changed, summary)))
    tables = groups(characteristics)
    if on_drive is not None:
        tables.append(device_group(str(device), on_drive["facts"], on_drive["demand"]))
    out.print()
    show(tables, out)
    if html is not None:
        out.print()
        out.print(f"drawn in {html}")


SHOWN = 40
COLUMNS: dict[str, tuple[str, Kind]] = {
    "requests": ("requests", "count"),
    "writes": ("writes", "count"),
    "written": ("write_bytes", "bytes"),
    "distinct": ("write_footprint_bytes", "bytes"),
    "times over": ("rounds", "ratio"),
    "footprint": ("footprint_bytes", "bytes"),
    "ends at": ("max_end_bytes", "bytes"),
    "begins": ("begins_ns", "time"),
    "lasts": ("span_ns", "time"),
}
"""Columns of the table: the key of each figure, and its kind."""


@options.opens_a_trace
def volumes(
    trace: options.TraceFile,
    opening: options.Opening,
    most: Annotated[
        int, typer.Option("--most", metavar="N", min=1, help="Show the N that most is written to.")
    ] = SHOWN,
    json: options.Json = False,
) -> None:
    """List the volumes of a trace with their writes and footprints; --trace-device NAME takes one."""
    opened = opening.open(trace)
    with busy(f"reading {trace.name}"):
        found = opened.volumes()
    every: list[dict[str, Any]] = found["volumes"]
    if json:
        streams.write_json(found)
        return
    for each in every:
        distinct = each["write_footprint_bytes"]
        each["rounds"] = each["write_bytes"] / distinct if distinct else None
    rows = [
        (each["name"], *(written(each[key], kind) for key, kind in COLUMNS.values())) for each in every[:most]
    ]
    show([Table(figures_of(found["called"], COLUMNS), rows, kind="plain")], out)
    left = len(every) - len(rows)
    more = f"; {left} more, with fewer bytes written: --most {len(every)} or --json" if left else ""
    out.print(f"{len(every)} volumes{more}")
    if found["bad_lines"]:
        err.print(f"left out: {found['bad_lines']} lines that cannot be read")
