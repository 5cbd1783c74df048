"""`reclaim reproduce`: a paper's claims beside our figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from reclaim.builds import checked
from reclaim.cli import options, streams
from reclaim.cli.console import err, listing, out
from reclaim.cli.progress import progress
from reclaim.cli.running import AcceptBuild
from reclaim.cli.writing import FolderForce
from reclaim.errors import InputError

if TYPE_CHECKING:
    from reclaim.papers.evaluation import Reproduction
    from reclaim.papers.paper import Level, Paper

ALL = "all"


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(metavar="PAPER", help="Key of a paper, its folder, or all.")
    ] = None,
    list_papers: Annotated[bool, typer.Option("--list", help="List the papers and stop.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Seconds to a minute: small drives; shows that everything runs.")
    ] = False,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Up to hours: ten repeats, other loads and readings, and what goes past the paper."
        ),
    ] = False,
    traces: Annotated[
        Path | None,
        typer.Option(
            "--traces", metavar="DIR", help="Folder with full recordings, in place of shipped slices."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Write report.html, verdicts.json, verdicts.parquet and the sweeps here.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Points that run at once; one per core if not given."),
    ] = None,
    write_page: Annotated[
        bool,
        typer.Option("--write-page", help="Write the figures into the paper's README.md; not with --quick."),
    ] = False,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="With --write-page: keep what the page has and this run has not made, as of the run before.",
        ),
    ] = False,
    why: Annotated[
        bool,
        typer.Option(
            "--why", help="Also ask of each headline which choices turn it; up to hours, and stored in -o."
        ),
    ] = False,
    beyond: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL,…",
            help="Of one paper: run these of what goes past it, too, which otherwise --full alone runs.",
        ),
    ] = None,
    only: Annotated[
        bool,
        typer.Option(
            "--only",
            help="With --beyond or --why, --write-page and -o: run only that, beside what the page has.",
        ),
    ] = False,
    allow_code: Annotated[
        bool,
        typer.Option(
            "--allow-code", help="Let the Python module run that a paper's folder brings; read it before."
        ),
    ] = False,
    accept_build: AcceptBuild = None,
    force: FolderForce = False,
    json: options.Json = False,
) -> None:
    """Run a paper's experiments and put our figure beside every figure it prints, with a verdict on each."""
    from reclaim.papers.page import write_page as write
    from reclaim.papers.paper import keys, load_paper
    from reclaim.papers.reproduce import check_beyond
    from reclaim.papers.reproduce import reproduce as run

    _check_options(paper, list_papers=list_papers, quick=quick, full=full)
    _check_page_options(write_page=write_page, keep=keep, only=only, why=why, beyond=beyond)
    if list_papers or paper is None:
        out.print(listing({key: load_paper(key).title for key in keys()}))
        return
    # All are read before the first one runs.
    papers = [load_paper(key) for key in (keys() if paper == ALL else [paper])]
    level: Level = "quick" if quick else "full" if full else "default"
    # Of all papers, those that conclude something.
    asked = {each.key for each in papers if why and (each.headlines or paper != ALL)}
    further = tuple(label.strip() for label in beyond.split(",")) if beyond is not None else ()
    if further and paper == ALL:
        raise InputError("--beyond: labels are of one paper; name it instead of all")
    for each in papers:
        check_beyond(each, level, further)
        _check_paper(
            each,
            level,
            why=each.key in asked,
            write_page=write_page,
            keep=keep or only,
            allow_code=allow_code,
        )
    if only:
        accepted = checked(accept_build or ())
        _add(papers, further, output, workers, accepted, why=why, allow_code=allow_code)
        return
    found = []
    for each in papers:
        folder = output / each.key if output is not None and paper == ALL else output
        with progress(each.key, lines=True) as show:
            one = run(
                each,
                level,
                folder,
                traces=traces,
                workers=workers,
                tell=lambda what, done, total, show=show: show(what, done, total, 0),  # type: ignore[misc]
                why=each.key in asked,
                beyond=further,
                force=force,
                allow_code=allow_code,
                accept_build=checked(accept_build or ()),
            )
        found.append(one)
        if not json:
            _show(one, folder)
        if write_page:
            err.print(f"{write(one, keep=keep)} written", style="dim", soft_wrap=True)
    if json:
        _print_json(found)
    if any(one.provenance.failures for one in found):
        raise typer.Exit(1)


def _check_page_options(*, write_page: bool, keep: bool, only: bool, why: bool, beyond: str | None) -> None:
    if keep and not write_page:
        raise InputError("--keep: says what becomes of a page; give --write-page, too")
    if only and ((beyond is None and not why) or not write_page or keep):
        raise InputError("--only: goes with --beyond or --why, --write-page and -o, and without --keep")


def _add(
    papers: list[Paper],
    labels: tuple[str, ...],
    output: Path | None,
    workers: int | None,
    accept_build: tuple[str, ...],
    *,
    why: bool,
    allow_code: bool,
) -> None:
    from reclaim.papers.addition import add

    if output is None:
        raise InputError("--only: what it runs is kept; give -o, too")
    if len(papers) > 1:
        raise InputError("--only: is of one paper; name it instead of all")
    (paper,) = papers
    with progress(paper.key, lines=True) as show:
        page = add(
            paper,
            labels,
            output,
            workers=workers,
            tell=lambda what, done, total: show(what, done, total, 0),
            why=why,
            allow_code=allow_code,
            accept_build=accept_build,
        )
    err.print(f"{page} written", style="dim", soft_wrap=True)


def _check_options(paper: str | None, *, list_papers: bool, quick: bool, full: bool) -> None:
    if quick and full:
        raise InputError("--quick and --full: give one of them")
    if paper is None and not list_papers:
        raise InputError("no paper named; reclaim reproduce --list shows them")
    if paper is not None and list_papers:
        raise InputError(f'--list shows all papers; leave out "{paper}"')


def _check_paper(
    paper: Paper, level: Level, *, why: bool, write_page: bool, keep: bool, allow_code: bool
) -> None:
    """See that all that is wanted of a paper can be done, before the first one runs."""
    from reclaim.papers.figures import module_of
    from reclaim.papers.page import check_page
    from reclaim.papers.reproduce import check_why

    module_of(paper, allow_code=allow_code)
    if why:
        check_why(paper, level)
    if write_page:
        check_page(paper, level, keep=keep)


def _show(found: Reproduction, folder: Path | None) -> None:
    from reclaim.papers.page import screen_text
    from reclaim.papers.page_parts import head_of
    from reclaim.papers.text import STYLES, ours, printed, summary

    if screen := screen_text(found):
        out.print(Markdown(screen))
    for name, rows in found.groups().items():
        head = head_of(row.claim.origin for row in rows)
        table = Table("", head, "ours", "verdict", title=found.title(name), title_justify="left")
        table.columns[1].justify = table.columns[2].justify = "right"
        for row in (each for each in rows if each.is_judged):
            verdict = row.judgement.verdict
            cells = (row.claim.what, printed(row.claim), ours(row.figure, row.claim))
            table.add_row(*(Text(cell) for cell in cells), Text(verdict, style=STYLES[verdict]))
        if table.row_count:
            out.print(table)
    out.print(f"{found.paper.key}, level {found.provenance.level}: {summary(found)}")
    for finding in found.findings:
        out.print(f"{finding.headline.name}: {finding.conclusion}", soft_wrap=True, markup=False)
    for failure in found.provenance.failures:
        err.print(f"failed: {failure}", style="bold red", soft_wrap=True, markup=False)
    if folder is not None:
        err.print(f"{folder / 'report.html'} says why, claim by claim", style="dim", soft_wrap=True)


def _print_json(found: list[Reproduction]) -> None:
    from reclaim.papers.outputs import to_dict

    whole = to_dict(found[0]) if len(found) == 1 else {"papers": [to_dict(one) for one in found]}
    streams.write_json(whole)
