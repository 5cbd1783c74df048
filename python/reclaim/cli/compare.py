"""`reclaim compare`: one trace through one drive under several schemes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated

import typer

from reclaim.bench.schemes import parse_scheme
from reclaim.cli.console import out
from reclaim.cli.job import Job, plays_a_trace
from reclaim.cli.progress import busy
from reclaim.device import Value
from reclaim.errors import InputError
from reclaim.output_folder import Staged
from reclaim.results.result import REPORT, Result
from reclaim.results.table import comparison_table


def _parsed(text: str) -> tuple[tuple[str, ...], dict[str, Value]]:
    try:
        names, settings = parse_scheme(text)
    except InputError as error:
        raise InputError(f"--schemes: {error}") from None
    return names, dict(settings)


def _entries(schemes: str) -> list[str]:
    listed = [each.strip() for each in schemes.split(",")]
    if "" in listed and len(listed) > 1:
        raise InputError(
            f"--schemes {schemes}: there is nothing on one side of a comma; write as in greedy,fifo"
        )
    if listed == [""]:
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
    if job.force and job.output is None:
        raise InputError("--force: nothing is written; say where with -o DIR")
    # All drives first: a typo in the last scheme must not cost the run of the first.
    drives = {text: job.drive(*_parsed(text)) for text in _entries(schemes)}
    folders = _folders(drives)
    results: list[Result] = []
    reading = {path: None for drive in drives.values() for path in job.files_read(drive)}
    with job.destination([*folders.values(), *REPORT], reading) as staged:
        if staged is not None:
            for name in folders.values():
                # A name that is too long, say, must not cost a run.
                (staged.path / name).mkdir()
        job.introduce(next(iter(drives.values())))
        try:
            for text, drive in drives.items():
                result = job.run(drive, text)
                if staged is not None:
                    result.write_into(staged.path / folders[text], report=False)
                results.append(result)
            if staged is not None:
                from reclaim.results.report import write_report

                with busy("writing the report"):
                    write_report(results, staged.path)
        except KeyboardInterrupt as stop:
            said = str(stop) or "stopped while the report was drawn"
            raise KeyboardInterrupt(f"{said}{_so_far(job, results, staged)}") from None
        if staged is not None:
            staged.publish()
    job.show(
        results,
        tables=lambda: [comparison_table(results)],
        text=lambda: json.dumps({"runs": [each.to_dict() for each in results]}, indent=2) + "\n",
    )


def _folders(schemes: Iterable[str]) -> dict[str, str]:
    """Where the results of each scheme go."""
    names: dict[str, str] = {}
    for text in schemes:
        name = text.replace("/", "_")
        if name in names.values() or name in REPORT:
            raise InputError(f"--schemes: {text}: another folder than {name} is needed; write it otherwise")
        names[text] = name
    return names


def _so_far(job: Job, results: list[Result], staged: Staged | None) -> str:
    """Show what ended before the command was stopped, and keep it where nothing else is lost by that."""
    if not results:
        return "; no scheme had ended" + (f"; {job.output} is as it was" if staged is not None else "")
    if not job.json:
        out.print(comparison_table(results))
    said = f"; ended before: {', '.join(each.label for each in results)}"
    if staged is None:
        return said
    if staged.replaces:
        return f"{said}; {job.output} keeps the results of the run before"
    staged.keep(_folders(each.label for each in results).values())
    staged.publish()
    return f"{said}: {job.output} has their results, without a report"
