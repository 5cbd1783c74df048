"""A trace as one HTML page: its tables and its figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reclaim import _core, output_file
from reclaim.html import inline_json, render_page
from reclaim.traces.plots import FIGURES, figures
from reclaim.traces.table import device_group, groups
from reclaim.traces.trace import Trace


def render_trace(
    trace: Trace, characteristics: dict[str, Any], on_drive: Mapping[str, Any] | None = None
) -> str:
    """HTML of a page on `trace`, of which `characteristics` were computed.

    `on_drive` has `name`, `facts` and `demand`: what `Device.facts` and `Device.demand` say of the trace.
    """
    specs = figures(characteristics, trace.picture(characteristics))
    tables = groups(characteristics)
    if on_drive is not None:
        tables.append(device_group(on_drive["name"], on_drive["facts"], on_drive["demand"]))
    return render_page(
        "trace.html.j2",
        trace=trace,
        summary=trace.summary(),
        # Narrow tables beside one another.
        tables=sorted(tables, key=lambda group: group.title.startswith(("Burst", "Life", "Skew", "On "))),
        captions={name: (title, caption) for name, (_, title, caption) in FIGURES.items() if name in specs},
        version=_core.__version__,
        specs=inline_json(specs),
    )


def write_trace_report(
    path: str | Path,
    trace: Trace,
    characteristics: dict[str, Any],
    on_drive: Mapping[str, Any] | None = None,
) -> Path:
    """Write `render_trace` to a file and return its path.

    Raises:
        InputError: if the file cannot be written, or is there and Reclaim did not draw it.
    """
    path = Path(path)
    output_file.check_page(path)
    text = render_trace(trace, characteristics, on_drive)
    output_file.write_text(path, text)
    return path
