"""`reclaim compare`: one trace through one drive under several schemes."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from reclaim.cli.job import Job, plays_a_trace
from reclaim.cli.options import split_setting
from reclaim.cli.progress import busy
from reclaim.device import Value
from reclaim.errors import InputError
from reclaim.results.result import Result
from reclaim.results.table import comparison_table


def parse_scheme(text: str) -> tuple[tuple[str, ...], dict[str, Value]]:
    """Split one entry of `--schemes`: names and settings joined by `+`.

    >>> parse_scheme("fifo+host.queue_depth=8")
    (('fifo',), {'host.queue_depth': '8'})
    """
    parts = [part.strip() for part in text.split("+") if part.strip()]
    names = tuple(part for part in parts if "=" not in part)
    return names, dict(split_setting(part) for part in parts if "=" in part)


def _entries(schemes: str) -> list[str]:
    listed = [each.strip() for each in schemes.split(",") if each.strip()]
    if not listed:
        raise InputError(
            "--schemes: name at least one scheme, as in --schemes greedy,fifo; see reclaim scheme list"
        )
    twice = {each for each in listed if listed.count(each) > 1}
    if twice:
        raise InputError(f"--schemes: {', '.join(sorted(twice))} is listed twice")
    return listed


@plays_a_trace
def compare(
    schemes: Annotated[
        str,
        typer.Option(
            metavar="A,B,…", help="Schemes to compare; NAME+KEY=VALUE adds a setting to one of them."
        ),
    ],
    job: Job,
) -> None:
    """Run a trace under several schemes and print them side by side, with ratios to the first."""
    # All drives first: a typo in the last scheme must not cost the run of the first.
    drives = {text: job.drive(*parse_scheme(text)) for text in _entries(schemes)}
    job.introduce(next(iter(drives.values())))
    results: list[Result] = []
    for text, drive in drives.items():
        result = job.run(drive, text)
        results.append(result)
        if job.output is not None:
            result.save(job.output / text.replace("/", "_"), report=False)
    if job.output is not None:
        from reclaim.results.report import write_report

        with busy("writing the report"):
            write_report(results, job.output)
    job.show(
        results,
        tables=lambda: [comparison_table(results)],
        text=lambda: json.dumps({"runs": [each.to_dict() for each in results]}, indent=2) + "\n",
    )
