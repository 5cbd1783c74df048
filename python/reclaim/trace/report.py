"""A trace as a document: its tables and its figures."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from reclaim import _core
from reclaim.report.document import Beside, Block, Chart, Document, Table, Text, Title
from reclaim.report.html import write
from reclaim.trace.plots import FIGURES
from reclaim.trace.table import device_group, groups
from reclaim.trace.trace import Trace


def document(
    trace: Trace, characteristics: dict[str, Any], on_drive: Mapping[str, Any] | None = None
) -> Document:
    """Give a page on `trace`, of which `characteristics` were computed.

    `on_drive` has `name`, `facts` and `demand`: what `Device.facts` and `Device.demand` say of the trace.
    """
    tables = groups(characteristics)
    if on_drive is not None:
        tables.append(device_group(on_drive["name"], on_drive["facts"], on_drive["demand"]))
    picture = trace.picture(characteristics)
    # Narrow tables beside one another.
    tables.sort(key=lambda table: table.title.startswith(("Burst", "Life", "Skew", "On ")))
    return Document(
        trace.name,
        [
            Text(" · ".join([f"{trace.provenance}, {trace.format}", *trace.transforms]), "sub"),
            Beside(tables, "tables"),
            *(block for name in FIGURES for block in _chart(name, characteristics, picture)),
            Title("Provenance"),
            Table(("", ""), _provenance(trace), kind="entries"),
        ],
    )


def _chart(name: str, *given: Mapping[str, Any]) -> list[Block]:
    draw, title, caption = FIGURES[name]
    return [Title(title), caption, Chart(name, partial(draw, *given))]


def _provenance(trace: Trace) -> list[tuple[str, str]]:
    summary = trace.summary()
    bad, first = summary["bad_lines"], summary.get("first_bad_lines", ())
    unread = f"{bad}: {'; '.join(first)}{'; …' if bad > len(first) else ''}" if bad else ""
    entries = {
        "made by": f"Reclaim {_core.__version__}",
        "trace": f"{trace.name} ({trace.format})",
        "done to it": ", ".join(trace.transforms) or "nothing",
        "lines left out because they cannot be read": unread,
        "warnings": "; ".join(summary.get("warnings", ())),
        "content hash": summary["content_hash"],
    }
    return [entry for entry in entries.items() if entry[1]]


def write_trace_report(
    path: str | Path,
    trace: Trace,
    characteristics: dict[str, Any],
    on_drive: Mapping[str, Any] | None = None,
) -> Path:
    """Write the page of a trace to a file and return its path.

    Raises:
        InputError: if the file cannot be written, or is there and Reclaim did not draw it.
    """
    return write(document(trace, characteristics, on_drive), Path(path))
