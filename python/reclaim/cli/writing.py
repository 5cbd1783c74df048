"""What commands that write a file share: what is read must not be written, and what gets lost is reported."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from reclaim._core import merged_files
from reclaim.cli.console import err
from reclaim.device import Value
from reclaim.trace.catalogue import resolve
from reclaim.trace.trace import OutputFormat, Trace

As = Annotated[
    OutputFormat | None,
    typer.Option("--as", help="Format to write, where the name of the file does not say."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")]
FolderForce = Annotated[
    bool,
    typer.Option(
        "--force", help="Write over files that no run wrote: in the folder of -o, or a saved state."
    ),
]


def files_read(trace: Path | str, steps: Mapping[str, Value] | None = None) -> list[Path]:
    """Give the files behind a trace, a name of the catalogue too, and behind what is merged into it."""
    names = [trace]
    merged = (steps or {}).get("trace.merge")
    if merged is not None:
        names += merged_files([("trace.merge", str(merged))])
    return [resolve(each).path for each in names]


def say_lost_label(trace: Trace, target: Path) -> None:
    """Say that a file of requests cannot tell that they are not recorded, where they are not."""
    if trace.provenance not in {"trace file", "records in memory"}:
        what = "was generated" if trace.provenance == "generated" else "is a synthetic stand-in"
        err.print(
            f"note: {target} cannot say that it {what}; the description of it can",
            style="dim",
        )
