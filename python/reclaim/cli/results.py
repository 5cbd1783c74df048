"""`reclaim results`: sets of results as tables, by SQL, and as a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from reclaim import encoding
from reclaim.cli import options, streams
from reclaim.cli.commands import Commands
from reclaim.cli.comparison_table import comparison_table
from reclaim.cli.console import out
from reclaim.cli.progress import busy
from reclaim.errors import InputError
from reclaim.results.fitted_table import Column, pieces
from reclaim.results.table import marked

if TYPE_CHECKING:
    from reclaim.results.sets.report_tables import Cell, SetTable

LABELS = 24
"""Characters of the labels of rows, which break between words."""
BESIDE = 3
"""Characters of a column beside its text."""
app = Commands(help="Look at the results of a sweep.", no_args_is_help=True)
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder that a sweep wrote.")]
STYLES = {"failure": "bold red", "warning": "bold red", "doubt": "bold yellow", "note": "cyan"}


@app.command("show")
def show(
    folder: Folder,
    traces: Annotated[bool, typer.Option("--traces", help="Every trace by itself, too.")] = False,
) -> None:
    """Print the main figures of every scheme, with ratios, intervals, and what to know of them."""
    from reclaim.results.sets.remarks import remarks
    from reclaim.results.sets.report_tables import legend, not_collected, tables
    from reclaim.results.sets.result_set import ResultSet

    results = ResultSet.load(folder)
    out.print(repr(results).strip("<>").partition(" ")[2], markup=False)
    if said := not_collected(results):
        out.print(said)
    compared = comparison_table(results)
    if compared is not None and not traces:
        out.print(compared)
    else:
        first, further = tables(results)
        shown = [*first, *(further if traces else [])]
        for table in shown:
            for part in in_parts(table):
                out.print(part)
        if marks := legend(shown):
            out.print(marks, style="yellow")
        about = (
            "ratios to the first scheme, medians of the repeats; below: 95 % interval of six repeats or more"
        )
        out.print(about, style="dim")
    for remark in remarks(results):
        where = f" {remark.where}: "
        out.print(Text.assemble((remark.severity, STYLES[remark.severity]), where, remark.text))
        if remark.command:
            out.print(Text(f"  {remark.command}", style="dim"), soft_wrap=True)


def in_parts(table: SetTable) -> Iterator[Table]:
    """The table, with as many schemes as there is room for, and the others in further ones."""
    labels = min(LABELS, max((len(label) for label, _ in table.rows), default=0))
    widths = [_width(table, at) for at in range(len(table.schemes))]
    room, begun = out.width - labels - BESIDE - 1, 0
    while begun < len(widths):
        count = 1
        while (
            begun + count < len(widths)
            and sum(widths[begun : begun + count + 1]) + BESIDE * (count + 1) <= room
        ):
            count += 1
        yield _part(table, labels, widths, range(begun, begun + count))
        begun += count


def _width(table: SetTable, at: int) -> int:
    """Characters that a scheme's column takes, with its name in lines."""
    texts = (
        line
        for _, cells in table.rows
        for line in (f"{cells[at].text} ?", cells[at].interval, _ratio(cells[at]))
    )
    return max(map(len, [*pieces(table.schemes[at]), *texts]))


def _ratio(cell: Cell) -> str:
    return f"{cell.ratio} {cell.ratio_mark}".rstrip()


def _part(table: SetTable, labels: int, widths: Sequence[int], which: range) -> Table:
    drawn = Table(title=table.title, title_justify="left")
    drawn.add_column("", width=labels)
    for at in which:
        name = Column(table.schemes[at], []).folded_name(widths[at])
        drawn.add_column(name, justify="right", width=widths[at])
    for label, cells in table.rows:
        texts = []
        for cell in (cells[at] for at in which):
            text = marked(cell.text, cell.mark)
            for line in (cell.interval, _ratio(cell)):
                text.append(f"\n{line}" if line else "", style="dim")
            texts.append(text)
        drawn.add_row(label, *texts)
    return drawn


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
    import sys

    from reclaim.results.sets.result_set import ResultSet

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
    table = Table()
    for name, kind in answer.schema.items():
        table.add_column(name, justify="right" if kind.is_numeric() else "left", overflow="fold")
    for row in answer.iter_rows():
        table.add_row(*(_cell(value) for value in row))
    out.print(table)


def _cell(value: object) -> Text:
    """A value of an answer; numbers with six digits at most."""
    if isinstance(value, float):
        return Text(f"{value:.6g}")
    return Text(encoding.visible(encoding.cell_text(value)).replace("\t", " "))


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
) -> None:
    """Write the report of a sweep as one HTML file, and figures for a paper."""
    from reclaim.results.sets.figures import formats_of
    from reclaim.results.sets.result_set import ResultSet

    formats = formats_of(figures)
    if every_figure and not formats:
        raise InputError("--every-figure: of what format; give --figures pdf,svg or png, too")
    results = ResultSet.load(folder)
    with busy("writing the report"):
        page = results.report(output)
    out.print(f"report: {page}", soft_wrap=True)
    if formats:
        with busy("drawing the figures"):
            written = results.save_figures(page.parent / "figures", formats, every=every_figure)
        out.print(f"figures: {len(written)} in {page.parent / 'figures'}", soft_wrap=True)
