"""Generated traces: described by keywords, by a small file, or by the options of a fio job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reclaim import output_file
from reclaim.arguments import checked, shown
from reclaim.arguments import path as checked_path
from reclaim.errors import InputError
from reclaim.trace.generate.fio import FioJob, fio_job
from reclaim.trace.generate.fio_file import JobSection, read_jobs
from reclaim.trace.generate.fio_jobs import FioJobs, fio_jobs, jobs_trace
from reclaim.trace.trace import OutputFormat, Trace, made

__all__ = [
    "FioJob",
    "FioJobs",
    "JobSection",
    "fio_job",
    "fio_jobs",
    "fio_trace",
    "generate_trace",
    "jobs_trace",
    "read_jobs",
    "write_trace",
]


@checked
def generate_trace(*, name: str = "generated", **description: Any) -> Trace:
    """Make the trace that `description` describes, with the keys of a generator file.

    Sizes and times are texts with a unit. The same description gives the same requests on every machine.

    >>> trace = generate_trace(
    ...     requests=1000,
    ...     size="4KiB",
    ...     operations={"write": 0.7},
    ...     address={"kind": "zipf", "footprint": "1GiB", "theta": 1.2},
    ...     arrivals={"kind": "poisson", "interval": "100us"},
    ... )
    >>> trace.summary()["writes"]
    700

    Raises:
        InputError: for an unknown key or a value that cannot be played; the message names the key.
    """
    for key, value in description.items():
        try:
            json.dumps(value)
        except (TypeError, ValueError, RecursionError):
            raise InputError(f"{key}: {shown(value)} is nothing that a description can hold") from None
    return made("generated", (json.dumps({"generator": 1, **description}), name))


@checked
def fio_trace(*, name: str = "fio", **options: str | float) -> Trace:
    """Make the trace of a fio job given by its options.

    >>> fio_trace(rw="randwrite", bs="4k", size="1m").summary()["footprint_bytes"]
    1048576

    Raises:
        InputError: for an option that is unknown or has no meaning for a trace, and for several jobs, whose
            trace `reclaim trace generate` writes.
    """
    for key, value in options.items():
        if not isinstance(value, str | int | float):
            raise InputError(f"{key} must be text or a number, not {shown(value)}")
    if str(options.get("numjobs", 1)) != "1":
        raise InputError("numjobs: several jobs are for reclaim trace generate, which writes their trace")
    job = fio_job({key: str(value) for key, value in options.items()}, origin=name)
    return generate_trace(name=name, **job.description)


def write_trace(
    trace: Trace, path: str | Path, *, format: OutputFormat | None = None, force: bool = False
) -> list[str]:
    """Write a trace as `Trace.convert` does, or its description where `path` ends in `.toml`.

    Args:
        trace: what to write.
        path: the file.
        format: what to write, where the name does not say or is to be overruled.
        force: overwrite the file if it exists.

    Returns:
        What the file cannot hold, a sentence for each kind; empty if it holds the same trace.

    Raises:
        InputError: if the name tells no format, the file exists or cannot be written, or a trace that is not
        generated is to become a description.
    """
    path = checked_path("path", path)
    output_file.check(path, reading=trace.files, overwrite=force)
    if format is not None or path.suffix != ".toml":
        return trace.convert(path, format=format, force=force).losses
    description = trace.description
    if description is None:
        raise InputError(f"{trace.name}: is not generated: no description for {path}")
    output_file.write_text(path, description)
    return []
