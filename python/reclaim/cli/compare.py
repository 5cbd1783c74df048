"""`reclaim compare`: one trace through one drive under several schemes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated

import typer

from reclaim import encoding
from reclaim.cli.console import out
from reclaim.cli.job import Job, plays_a_trace
from reclaim.cli.progress import busy
from reclaim.device import Value
from reclaim.errors import InputError
from reclaim.experiment.values import parse_scheme
from reclaim.output_folder import Staged
from reclaim.report.document import Table
from reclaim.report.terminal import show
from reclaim.result.result import REPORT, Result
from reclaim.result.table import comparison


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


OWN, SAME, BOTH = "own", "same", "both"


def _starts(start: str, entries: list[str]) -> tuple[str, ...]:
    """For each comparison the scheme that prepares the drive for all; nothing where each does itself."""
    design, colon, name = start.partition(":")
    if design not in (OWN, SAME, BOTH) or (colon and (design == OWN or not name)):
        raise InputError(
            f"--start {start}: expected {OWN} (each scheme warms its drive up), {SAME} or {SAME}:NAME "
            f"(the first scheme, or NAME, warms it up for all), or {BOTH} or {BOTH}:NAME"
        )
    if design == OWN:
        return ("",)
    if not name:
        names, settings = parse_scheme(entries[0])
        if settings or not names:
            raise InputError(
                f"--start {start}: {entries[0]} has settings of its own; name the scheme that prepares "
                f"the drive, as in --start {design}:{'+'.join(names) or 'greedy'}"
            )
        name = "+".join(names)
    return (name,) if design == SAME else ("", name)


def _label(entry: str, prepared_by: str) -> str:
    return f"{entry} from {prepared_by}" if prepared_by else entry


def _tables(results: list[Result], count: int) -> list[Table]:
    """Tables of each comparison: so many schemes from one kind of start."""
    parts = [results[at : at + count] for at in range(0, len(results), count)]
    tables = [comparison(part) for part in parts]
    if len(parts) == 1:
        return tables
    starts = [part[0].to_dict()["warmup"]["prepared_by"] for part in parts]
    who = [
        "each scheme from its own steady state" if by is None else f"all prepared by {by}" for by in starts
    ]
    return [replace(each, title=f"{of}; {each.title}") for each, of in zip(tables, who, strict=True)]


def _formats(figures: str | None, job: Job) -> list[str]:
    """What figures are written in beside PNG."""
    if not figures:
        return []
    # Drawing is imported for a second.
    from reclaim.result.sets.figures import formats_of

    formats = formats_of(figures)
    if formats and job.output is None:
        raise InputError("--figures: nothing is written; say where with -o DIR")
    return formats


@plays_a_trace
def compare(
    schemes: Annotated[
        str,
        typer.Option(
            metavar="A,B,…", help="Schemes to compare; NAME+KEY=VALUE adds a setting to one of them."
        ),
    ],
    job: Job,
    start: Annotated[
        str,
        typer.Option(
            metavar="own|same[:NAME]|both[:NAME]",
            help="Who warms the drive up: each scheme for itself; the first scheme, or NAME, for all; both, "
            "one table each.",
        ),
    ] = OWN,
    figures: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT,…", help="Write the figures of the report as pdf or svg, too, beside the PNG."
        ),
    ] = None,
) -> None:
    """Run a trace under several schemes and print them side by side, with ratios to the first."""
    formats = _formats(figures, job)
    if job.force and job.output is None:
        raise InputError("--force: nothing is written; say where with -o DIR")
    # All drives first: a typo in the last scheme must not cost the run of the first.
    entries = _entries(schemes)
    parsed = {text: _parsed(text) for text in entries}
    drives = {
        _label(text, by): job.drive(*parsed[text], prepared_by=by)
        for by in _starts(start, entries)
        for text in entries
    }
    folders = _folders(drives)
    results: list[Result] = []
    reading = {path: None for drive in drives.values() for path in job.files_read(drive)}
    with job.destination("compare", [*folders.values(), *REPORT], reading) as staged:
        if staged is not None:
            for name in folders.values():
                # A name that is too long, say, must not cost a run.
                (staged.path / name).mkdir()
        job.introduce(*drives.values())
        try:
            for text, drive in drives.items():
                result = job.run(drive, text)
                if staged is not None:
                    result.write_into(staged.path / folders[text], report=False)
                results.append(result)
            if staged is not None:
                from reclaim.result.report import write_report

                with busy("writing the report"):
                    write_report(results, staged.path, formats)
        except KeyboardInterrupt as stop:
            said = str(stop) or "stopped while the report was drawn"
            raise KeyboardInterrupt(f"{said}{_so_far(job, results, staged)}") from None
        if staged is not None:
            staged.publish()
    job.show(
        results,
        tables=lambda: _tables(results, len(entries)),
        text=lambda: encoding.json_text({"runs": [each.to_dict() for each in results]}) + "\n",
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
        show([comparison(results)], out)
    said = f"; ended before: {', '.join(each.label for each in results)}"
    if staged is None:
        return said
    if staged.replaces:
        return f"{said}; {job.output} keeps the results of the run before"
    staged.keep(_folders(each.label for each in results).values())
    staged.publish()
    return f"{said}: {job.output} has their results, without a report"
