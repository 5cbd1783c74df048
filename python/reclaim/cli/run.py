"""`reclaim run`: one trace through one drive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from reclaim import output_file
from reclaim.builds import checked
from reclaim.cli.console import err
from reclaim.cli.job import Job, plays_a_trace
from reclaim.cli.options import TimelineFile, TimelineWindow, WatchFile, check_warmup_of_state, window_of
from reclaim.cli.progress import busy
from reclaim.cli.running import AcceptBuild
from reclaim.errors import InputError
from reclaim.output_folder import MANIFEST, Staged
from reclaim.result.result import FILES, REPORT, Result


@plays_a_trace
def run(
    job: Job,
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Named combination of policies, or mine.py:NAME for a policy of your own; repeatable.",
        ),
    ] = None,
    save_state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the drive's state after the warm-up.")
    ] = None,
    load_state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Start from a saved state instead of warming up.")
    ] = None,
    accept_build: AcceptBuild = None,
    timeline: TimelineFile = None,
    timeline_window: TimelineWindow = None,
    watch: WatchFile = None,
) -> None:
    """Run a trace through a drive and print what requests experienced and what the drive did."""
    schemes = tuple(scheme or ())
    job.check_recorded(job.output)
    _check(job, schemes, save_state, timeline, timeline_window)
    spans = window_of(timeline_window or "0ms..100ms") if timeline is not None else None
    accepted = checked(accept_build or ())
    if accepted and load_state is None:
        raise InputError("--accept-build: says whose saved state counts; give --load-state, too")
    # What reads policies is for those that have some.
    from reclaim.policy.files import among

    joined, own = among(schemes)
    drive = job.drive(joined, dict(own))
    if load_state is not None:
        check_warmup_of_state(job.settings, drive, load_state)
    reading = job.files_read(drive, load_state)
    with job.destination("run", FILES, reading) as staged:
        if save_state is not None:
            output_file.check(save_state, reading=reading, overwrite=job.force)
        if timeline is not None:
            output_file.check(timeline, reading=reading, overwrite=job.force)
        if watch is not None:
            # What draws pages is imported for a second.
            from reclaim.result.watch import check_size

            output_file.check_page(watch, reading=reading)
            check_size(drive.config)
        job.introduce(drive, load_state=load_state)
        result = job.run(
            drive,
            save_state=save_state,
            load_state=load_state,
            spans=spans,
            watch=watch is not None,
            accept_build=accepted,
        )
        if watch is not None:
            output_file.write_text(watch, result.to_watch())
        if timeline is not None:
            with output_file.whole(timeline) as partial:
                partial.write_bytes(result.to_perfetto())
        if staged is not None:
            result.write_into(staged.path, report=False)
            _draw(result, staged)
            staged.publish()
    if watch is not None:
        err.print(f"watch it: {watch}")
    job.show(result)


def _check(
    job: Job,
    schemes: Sequence[str],
    save_state: Path | None,
    timeline: Path | None,
    timeline_window: str | None,
) -> None:
    """Refuse what cannot be meant, before anything runs."""
    if twice := [each for each in schemes if schemes.count(each) > 1]:
        raise InputError(f"--scheme {twice[0]} is given twice; give it once")
    if job.force and job.output is None and save_state is None and timeline is None:
        raise InputError("--force: nothing is written; say where with -o DIR or --save-state FILE")
    if job.output is not None and save_state is not None:
        written = {(job.output / name).resolve() for name in (*FILES, MANIFEST)}
        if written & {save_state.resolve(), save_state.resolve().parent}:
            raise InputError(f"--save-state {save_state}: is where -o {job.output} writes; give another name")
    if timeline_window is not None and timeline is None:
        raise InputError("--timeline-window: nothing is written; say where with --timeline FILE")


def _draw(result: Result, staged: Staged) -> None:
    """Draw the report; Ctrl-C meanwhile does not cost what the run gave."""
    try:
        # Drawing is imported for a second.
        from reclaim.result.report import write_report

        with busy("writing the report"):
            write_report([result], staged.path)
    except KeyboardInterrupt:
        staged.keep(set(FILES) - set(REPORT))
        staged.publish()
        raise KeyboardInterrupt(
            f"stopped while the report was drawn: {staged.folder} has the results without it"
        ) from None
