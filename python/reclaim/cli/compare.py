"""`reclaim compare`: one trace through one drive under several schemes, with repeats."""

from __future__ import annotations

from typing import Annotated

import typer

from reclaim.cli.console import command_line
from reclaim.cli.job import Job, compares_on_a_trace
from reclaim.cli.running import StudyCommand, runs_a_study
from reclaim.device import Device, Value
from reclaim.errors import InputError
from reclaim.parsing import split_outside
from reclaim.trace.transforms import remap_setting


def _parsed(text: str) -> tuple[tuple[str, ...], dict[str, Value]]:
    try:
        # Tables of sets are for commands that have one.
        from reclaim.study.comparing import scheme_of

        names, settings = scheme_of(text)
    except InputError as error:
        raise InputError(f"--schemes: {error}") from None
    return names, dict(settings)


def _entries(schemes: str) -> list[str]:
    listed = [each.strip() for each in split_outside(schemes, ",")]
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
        names, settings = _parsed(entries[0])
        if settings or not names:
            raise InputError(
                f"--start {start}: {entries[0]} has settings of its own; name the scheme that prepares "
                f"the drive, as in --start {design}:{'+'.join(names) or 'greedy'}"
            )
        name = "+".join(names)
    return (name,) if design == SAME else ("", name)


def _repeats(given: int | None, job: Job) -> int:
    """How many repeats there are: six where the trace can begin anywhere."""
    from reclaim.study.comparing import REPEATS

    fixed = next((key for key in ("rotate", "draw") if f"trace.{key}" in job.settings), None)
    if fixed is None:
        return REPEATS if given is None else given
    if given not in (None, 1):
        raise InputError(
            f"--repeats {given}: repeats begin the trace elsewhere, and --{fixed} says where; leave one out"
        )
    return 1


@compares_on_a_trace
@runs_a_study
def compare(
    schemes: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="Schemes to compare, of reclaim scheme list, or mine.py:NAME for a policy of your own; "
            "NAME+KEY=VALUE adds a setting to one.",
        ),
    ] = "greedy,cost-benefit",
    *,
    job: Job,
    study: StudyCommand,
    repeats: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Runs of each scheme, each beginning elsewhere in the trace (default: 6, which give 95 % "
            "intervals; 1 for a look).",
        ),
    ] = None,
    repeat: Annotated[int | None, typer.Option(hidden=True)] = None,
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
    if repeat is not None:
        raise InputError(
            f"--repeat {repeat}: give --repeats {repeat} to run each scheme so often, or --plays {repeat} to "
            "replay the trace so often in each run"
        )
    formats = []
    if figures:
        # Drawing is imported for a second.
        from reclaim.result.sets.figures import formats_of

        formats = formats_of(figures)
    for option, given in (("--figures", bool(formats)), ("--force", study.options.force)):
        if given and study.output is None:
            raise InputError(f"{option}: nothing is written; say where with -o DIR")
    job.check_recorded(study.output)
    count = _repeats(repeats, job)
    # All drives first: a typo in the last scheme must not cost the run of the first.
    entries = _entries(schemes)
    parsed = {text: _parsed(text) for text in entries}
    drives: dict[str, Device] = {}
    compared: dict[str, tuple[tuple[str, ...], dict[str, Value]]] = {}
    for by in _starts(start, entries):
        for text in entries:
            names, own = parsed[text]
            label = f"{text} from {by}" if by else text
            drives[label] = job.drive(names, own, prepared_by=by)
            compared[label] = names, own | ({"warmup.scheme": by} if by else {})
    job.introduce(*drives.values(), shown=not (study.json or study.quiet or study.cost_only))
    # Tables of sets are for commands that have one.
    from reclaim.study.comparing import ComparisonStudy, comparing

    experiment = comparing(
        job.device,
        str(job.source),
        compared,
        job.settings | (remap_setting(job.remap) if job.remap else {}),
        repeats=count,
        record=job.record,
        command=command_line(),
    )
    with study.somewhere() as somewhere:
        somewhere.carry_out(lambda _: ComparisonStudy(experiment, command=command_line(), formats=formats))
