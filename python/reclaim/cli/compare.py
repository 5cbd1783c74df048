"""`reclaim compare`: one trace through one drive under several schemes."""

from __future__ import annotations

import json as json_module
import sys
from typing import Annotated

import typer

from reclaim.cli import options
from reclaim.cli.console import brief, out
from reclaim.cli.fitting import with_fitting
from reclaim.cli.progress import busy, finished, progress
from reclaim.device import Value
from reclaim.errors import InputError
from reclaim.result import Result
from reclaim.simulate import simulate
from reclaim.table import comparison_table, remark_lines


def parse_scheme(text: str) -> tuple[tuple[str, ...], dict[str, Value]]:
    """Split one entry of `--schemes`: names and settings joined by `+`.

    >>> parse_scheme("fifo+host.queue_depth=8")
    (('fifo',), {'host.queue_depth': '8'})
    """
    parts = [part.strip() for part in text.split("+") if part.strip()]
    names = tuple(part for part in parts if "=" not in part)
    return names, dict(options.split_setting(part) for part in parts if "=" in part)


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


@with_fitting
@options.opens_a_trace
def compare(
    trace: options.TraceFile,
    device: options.DeviceName,
    schemes: Annotated[
        str,
        typer.Option(
            metavar="A,B,…", help="Schemes to compare; NAME+KEY=VALUE adds a setting to one of them."
        ),
    ],
    opening: options.Opening,
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
    output: options.Output = None,
    json: options.Json = False,
    *,
    steps: dict[str, Value],
) -> None:
    """Run a trace under several schemes and print them side by side, with ratios to the first."""
    listed = _entries(schemes)
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
    # All drives first: a typo in the last scheme must not cost the run of the first.
    drives = {text: job.drive(*parse_scheme(text)) for text in listed}
    if not json:
        with busy(f"reading {job.trace.name}"):
            facts = drives[listed[0]].facts(job.trace)
        out.print(brief(facts))
        out.print()
    results: list[Result] = []
    for text, drive in drives.items():
        with progress(text) as report:
            result = simulate(
                drive,
                job.trace,
                fit=job.fit,
                audit=audit,
                record_requests=record_requests,
                record_gc=record_gc,
                progress=report,
            )
        result.label = text
        results.append(result)
        finished(result)
        if output is not None:
            result.save(output / text.replace("/", "_"), report=False)
    if output is not None:
        from reclaim.report import write_report

        with busy("writing the report"):
            write_report(results, output)
    if json:
        sys.stdout.write(json_module.dumps({"runs": [each.to_dict() for each in results]}, indent=2) + "\n")
    else:
        out.print(comparison_table(results))
        for line in remark_lines(results):
            out.print(line)
        if output is not None:
            out.print(f"report: {output / 'report.html'}", soft_wrap=True)
    if not all(each.verdict.trustworthy for each in results):
        raise typer.Exit(1)
