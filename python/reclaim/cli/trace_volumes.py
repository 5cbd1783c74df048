"""`reclaim trace volumes`: which volumes a file holds, and what each is asked for."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from reclaim.cli import options, streams
from reclaim.cli.console import err, out
from reclaim.cli.progress import busy
from reclaim.report.document import Table, figures_of
from reclaim.report.terminal import show
from reclaim.units import Kind, written

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
