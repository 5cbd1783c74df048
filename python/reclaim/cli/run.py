"""`reclaim run`: one trace through one drive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from reclaim.cli import options
from reclaim.cli.console import brief, out
from reclaim.cli.fitting import with_fitting
from reclaim.cli.progress import busy, finished, progress
from reclaim.device import Value
from reclaim.simulate import simulate
from reclaim.table import remark_lines, result_tables


@with_fitting
@options.opens_a_trace
def run(
    trace: options.TraceFile,
    device: options.DeviceName,
    opening: options.Opening,
    scheme: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Named combination of policies; repeatable.")
    ] = None,
    sets: options.Sets = None,
    warmup: options.Warmup = None,
    fit: options.FitOption = None,
    seed: options.Seed = None,
    mode: options.Mode = None,
    queue_depth: options.QueueDepth = None,
    time_scale: options.TimeScale = None,
    target_utilisation: options.TargetUtilisation = None,
    audit: options.Audit = False,
    record_requests: options.RecordRequests = False,
    record_gc: options.RecordGc = False,
    save_state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the drive's state after the warm-up.")
    ] = None,
    load_state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Start from a saved state instead of warming up.")
    ] = None,
    output: options.Output = None,
    json: options.Json = False,
    *,
    steps: dict[str, Value],
) -> None:
    """Run a trace through a drive and print what requests experienced and what the drive did."""
    settings = options.settings_of(
        sets,
        warmup=warmup,
        seed=seed,
        mode=mode,
        queue_depth=queue_depth,
        time_scale=time_scale,
        target_utilisation=target_utilisation,
        steps=steps,
    )
    job = options.job_of(
        trace,
        device,
        settings,
        fit=fit,
        opening=opening,
        audit=audit,
        record_requests=record_requests,
        record_gc=record_gc,
        output=output,
    )
    drive = job.drive(tuple(scheme or ()))
    if not json:
        with busy(f"reading {job.trace.name}"):
            facts = drive.facts(job.trace)
        out.print(brief(facts))
        out.print()
    with progress(job.trace.name) as report:
        result = simulate(
            drive,
            job.trace,
            fit=job.fit,
            audit=audit,
            record_requests=record_requests,
            record_gc=record_gc,
            save_state=save_state,
            load_state=load_state,
            progress=report,
        )
    if output is not None:
        with busy("writing the report"):
            result.save(output)
    if json:
        sys.stdout.write(result.to_json())
    else:
        for table in result_tables(result):
            out.print(table)
        for line in remark_lines([result]):
            out.print(line)
        if output is not None:
            out.print(f"report: {output / 'report.html'}", soft_wrap=True)
    finished(result)
    if not result.verdict.trustworthy:
        raise typer.Exit(1)
