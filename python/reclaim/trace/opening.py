"""Opening a trace: a file, or a name of the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from reclaim.arguments import checked
from reclaim.arguments import path as checked_path
from reclaim.errors import InputError
from reclaim.trace.catalogue import folders_note, resolve
from reclaim.trace.trace import Trace, made
from reclaim.trace.trace_hints import hint


@checked
def open_trace(
    path: str | Path,
    *,
    format: str | None = None,
    sort: bool = False,
    device: str | int | None = None,
    event: Literal["Q", "D", "C"] | None = None,
    time_unit: Literal["ns", "100ns", "us", "ms", "s"] | None = None,
    columns: str | None = None,
    separator: str | None = None,
    on_error: Literal["stop", "report"] | None = "stop",
) -> Trace:
    """Open a trace file; compression (gzip, Zstandard, bzip2, xz) and format are recognised by content.

    Args:
        path: the file, or a name of the trace catalogue (`reclaim.traces`).
        format: name of the format, to overrule recognition.
        sort: accept records that go back in time and sort them; otherwise they are an error.
        device: the one to take of a file with several, as the format writes it (`4`, `8,16`, `hm_0`),
            or `all`.
        event: the moment in the life of a block-layer request that counts: `Q` queued, `D` issued,
            `C` completed.
        time_unit: unit of the time column where it differs from what the format promises.
        columns: what the columns of any other table hold, as in `time:us,op,offset:sectors,size:bytes`.
        separator: what stands between those columns: `comma`, `tab`, `blanks` or one character.
        on_error: `stop` at a line that cannot be read, or leave it out, count it, and `report` it: in the
            summary (`bad_lines`, `first_bad_lines`) and in the verdict of every result.

    Raises:
        InputError: for a file that is missing, a directory, empty, or of no known format, and for an option
            that has no meaning for the format; for a trace of a public set that is not here, with where to
            get it.
    """
    found = resolve(checked_path("path", path))
    device = found.device if device is None else str(device)
    place = str(found.path)
    try:
        how = (format, sort, device, event, time_unit, columns, separator, on_error)
        absolute = found.path.absolute()
        return made("open", (place, *how), (str(absolute), *how), (absolute,))
    except InputError as error:
        other = hint(found.path) if format is None and columns is None else None
        if other is not None:
            raise InputError(other) from None
        note = "" if found.path.exists() else folders_note()
        raise InputError(f"{error}{note}") from None
