"""Command lines: the one that runs a point alone, and the ones that run a sweep in pieces."""

from __future__ import annotations

from pathlib import Path

from reclaim.bench.point import Point
from reclaim.bench.store import TRACES
from reclaim.encoding import shell_line


def described(folder: Path, name: str) -> Path:
    """Where the description of a generated trace is."""
    return folder / TRACES / f"{name}.toml"


def _place(name: str) -> str:
    """A file by its whole path; a name as it is."""
    return str(Path(name).absolute()) if Path(name).is_file() else name


def run_command(point: Point, folder: Path) -> str:
    """Write the `reclaim run` that gives the same results.json as a point.

    Args:
        point: the point.
        folder: that of the sweep: it has the descriptions of generated traces.
    """
    device, schemes, settings = point.made
    source = point.source or str(described(folder, point.trace).absolute())
    words = ["reclaim", "run", _place(source), "--device", _place(device)]
    for scheme in schemes:
        words += ["--scheme", scheme]
    for key, value in settings:
        words += ["--set", f"{key}={value}"]
    record = point.record
    words += ["--audit"] if record.audit else []
    words += ["--record-timeline"] if record.timeline else []
    words += ["--record-gc"] if record.gc else []
    words += ["--record-requests"] if record.requests else []
    return shell_line([*words, "-o", f"point-{point.id}"])


def sweep_command(experiment: str, output: Path, *options: str) -> str:
    """Write a `reclaim sweep`."""
    return shell_line(["reclaim", "sweep", experiment, "-o", str(output), *options])
