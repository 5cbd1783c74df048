"""`reclaim results`: sets of results as tables, by SQL, and as a report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from reclaim import encoding
from reclaim.cli import options, streams
from reclaim.cli.commands import Commands
from reclaim.cli.console import err, out
from reclaim.cli.progress import busy
from reclaim.cli.running import PointsForce
from reclaim.cli.writing import Force
from reclaim.errors import InputError
from reclaim.report.document import Column, Table
from reclaim.report.forms import written
from reclaim.report.terminal import show as show_document

app = Commands(help="Look at the results of a sweep.", no_args_is_help=True)
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder that a sweep wrote.")]


Form = Literal["csv", "json", "latex", "markdown"]
"""What tables are written as."""


@app.command("show")
def show(
    folder: Folder,
    traces: Annotated[bool, typer.Option("--traces", help="Every trace by itself, too.")] = False,
    form: Annotated[
        Form | None, typer.Option("--as", help="Print the tables so, or all of it as JSON, and nothing else.")
    ] = None,
    json: options.Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="The same as --as csv.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="The same as --as latex.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The same as --as markdown.")] = False,
) -> None:
    """Print the main figures of every scheme, with ratios, intervals, and what to know of them."""
    from reclaim.result.sets.brief import whole
    from reclaim.result.sets.result_set import ResultSet

    short: dict[Form, bool] = {"json": json, "csv": csv, "latex": latex, "markdown": markdown}
    forms = {*([] if form is None else [form]), *(each for each, given in short.items() if given)}
    if len(forms) > 1:
        raise InputError(f"{', '.join(f'--as {each}' for each in sorted(forms))}: give one form")
    form = next(iter(forms), None)
    blocks = whole(ResultSet.load(folder), traces=traces)
    if form is not None:
        text = written(blocks, form)
        sys.stdout.write(streams.json_text(text) if form == "json" else text)
        return
    show_document(blocks, out)


@app.command("export")
def export(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run, or its results.json.")],
    names: Annotated[
        Literal["fio", "mqsim", "femu"] | None,
        typer.Option("--names", help="Print the figures under the names of this program."),
    ] = None,
    latency_log: Annotated[
        Path | None,
        typer.Option(
            "--latency-log",
            metavar="FILE",
            help="Write the recorded requests as fio's write_lat_log does, with offsets.",
        ),
    ] = None,
    force: Force = False,
    json: options.Json = False,
) -> None:
    """Give a run to other programs: under the names of fio, MQSim or FEMU, or as a log of fio."""
    from reclaim.result import interchange
    from reclaim.result.result import Result

    if names is None and latency_log is None:
        raise InputError("say what to give: --names fio, mqsim or femu, or --latency-log FILE, or both")
    result = Result.load(run)
    if latency_log is not None:
        requests, flushes = interchange.write_latency_log(result, latency_log, force=force)
        left = f"; {flushes} flushes are left out, for which fio has no direction" if flushes else ""
        (err if json else out).print(f"{latency_log}: {requests} requests{left}")
    if names is None:
        return
    found = interchange.named(result, names)
    if json:
        streams.write_json(interchange.as_theirs(found, names, run.resolve().name))
        return
    rows = [(each.theirs, "–" if value is None else f"{value:.12g}", each.unit) for each, value in found]
    head = [Column("name", code=True), Column("value", right=True), Column("unit")]
    show_document([Table(head, rows, kind="plain")], out)


@app.command("merge")
def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR…", help="Folders that parts of one sweep wrote.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the points of all go.")
    ],
    force: PointsForce = False,
    json: options.Json = False,
) -> None:
    """Put the points of several folders together; the same sweep into that folder then makes the tables."""
    from reclaim.study.merge import merge

    found = merge(folders, output, force=force)
    if json:
        streams.write_json(found._asdict())
        return
    more = f", {found.there} were there already" if found.there else ""
    out.print(f"{found.taken} points taken{more}; reclaim sweep FILE -o {output} makes the tables")


@app.command("query")
def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="A SELECT of DuckDB's SQL.")],
    folder: Folder,
    json: options.Json = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print comma-separated values and nothing else.")
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Give up after so long (default: as long as it needs)."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="What it may take, as in 8GiB (default: what is available)."),
    ] = None,
) -> None:
    """Answer a SELECT over the tables points, histograms, timelines and gc_logs of a sweep."""
    from reclaim.result.sets.result_set import ResultSet

    if json and csv:
        raise InputError("--json and --csv: give one of them")
    if time_limit is not None and not time_limit > 0:
        raise InputError(f"--time-limit {time_limit:g}: must be above 0 seconds")
    answer = ResultSet.load(folder).query(sql, time_limit_s=time_limit, memory=memory)
    if json:
        for part in encoding.table_json(answer):
            sys.stdout.write(streams.json_text(part))
        return
    if csv:
        sys.stdout.write(encoding.csv_text(answer))
        return
    head = [Column(name, right=kind.is_numeric()) for name, kind in answer.schema.items()]
    show_document([Table(head, [list(map(_cell, row)) for row in answer.iter_rows()])], out)


def _cell(value: object) -> str:
    """A value of an answer; numbers with six digits at most."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return encoding.visible(encoding.cell_text(value)).replace("\t", " ")


@app.command("report")
def report(
    folder: Folder,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write it; DIR/report.html if not given."
        ),
    ] = None,
    figures: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT,…",
            help="Draw a dozen figures for a paper, too: pdf, svg, png; beside it, in figures/.",
        ),
    ] = None,
    every_figure: Annotated[
        bool, typer.Option("--every-figure", help="With --figures: all there are, not a dozen.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Write the report of a sweep as one HTML file, and figures for a paper."""
    from reclaim.result.sets.figures import formats_of
    from reclaim.result.sets.result_set import ResultSet

    formats = formats_of(figures)
    if every_figure and not formats:
        raise InputError("--every-figure: of what format; give --figures pdf,svg or png, too")
    results = ResultSet.load(folder)
    with busy("writing the report"):
        page = results.report(output)
    drawn: list[Path] = []
    if formats:
        with busy("drawing the figures"):
            drawn = results.save_figures(page.parent / "figures", formats, every=every_figure)
    if json:
        streams.write_json({"report": str(page), "figures": list(map(str, drawn))})
        return
    out.print(f"report: {page}")
    if formats:
        out.print(f"figures: {len(drawn)} in {page.parent / 'figures'}")
