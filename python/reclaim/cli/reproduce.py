"""`reclaim reproduce`: a paper's claims beside our figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reclaim.cli import streams
from reclaim.cli.console import err, listing, out
from reclaim.cli.progress import progress
from reclaim.cli.running import StudyCommand, runs_a_paper
from reclaim.errors import InputError
from reclaim.report.terminal import show

if TYPE_CHECKING:
    from reclaim.paper.evaluation import Reproduction
    from reclaim.paper.paper import Level, Paper
    from reclaim.paper.reproduce import PaperStudy

ALL = "all"
Lines = Callable[[str, int, int], object]
"""Told what is done, how much of it, and out of how much."""


@runs_a_paper
def reproduce(
    study: StudyCommand,
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
        typer.Option(metavar="DIR", help="Folder with full recordings, in place of shipped slices."),
    ] = None,
    write_page: Annotated[
        bool,
        typer.Option(
            "--write-page",
            hidden=True,
            help="Write the figures into the paper's README.md; not with --quick.",
        ),
    ] = False,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            hidden=True,
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
            hidden=True,
            help="Of one paper: run these of what goes past it, too, which otherwise --full alone runs.",
        ),
    ] = None,
    only: Annotated[
        bool,
        typer.Option(
            "--only",
            hidden=True,
            help="With --beyond or --why, --write-page and -o: run only that, beside what the page has.",
        ),
    ] = False,
    allow_code: Annotated[
        bool,
        typer.Option(
            "--allow-code", help="Let the Python module run that a paper's folder brings; read it before."
        ),
    ] = False,
) -> None:
    """Run a paper's experiments and put our figure beside every figure it prints, and how far both agree."""
    from reclaim.paper.paper import keys, load_paper
    from reclaim.paper.reproduce import PaperStudy, check_beyond

    further = tuple(label.strip() for label in beyond.split(",")) if beyond is not None else ()
    _refuse(
        (quick and full, "--quick and --full: give one of them"),
        (paper is None and not list_papers, "no paper named; reclaim reproduce --list shows them"),
        (paper is not None and list_papers, f'--list shows all papers; leave out "{paper}"'),
        (keep and not write_page, "--keep: says what becomes of a page; give --write-page, too"),
        (
            only and (not (further or why) or not write_page or keep),
            "--only: goes with --beyond or --why, --write-page and -o, and without --keep",
        ),
    )
    if list_papers or paper is None:
        titles = {key: load_paper(key).title for key in keys()}
        if study.json:
            streams.write_json(titles)
        else:
            out.print(listing(titles))
        return
    # All are read before the first one runs.
    papers = [load_paper(key) for key in (keys() if paper == ALL else [paper])]
    level: Level = "quick" if quick else "full" if full else "default"
    # Of all papers, those that conclude something.
    asked = {each.key for each in papers if why and (each.headlines or paper != ALL)}
    _refuse((bool(further) and paper == ALL, "--beyond: labels are of one paper; name it instead of all"))
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
    studies = [
        PaperStudy(each, level, traces, each.key in asked, further, allow_code=allow_code) for each in papers
    ]
    if study.cost_only:
        _tell_cost(studies, study)
    elif only:
        _add(papers, further, study, why=why, allow_code=allow_code)
    else:
        _carry_out(studies, study, apart=paper == ALL, write_page=write_page, keep=keep)


def _carry_out(
    studies: list[PaperStudy], command: StudyCommand, *, apart: bool, write_page: bool, keep: bool
) -> None:
    """Run papers and show what came of each; `apart`: into folders of their own.

    Raises:
        typer.Exit: where a point failed.
    """
    from reclaim.paper.page import write_page as write
    from reclaim.paper.reproduce import stored

    results = []
    for study in studies:
        folder = command.output / study.name if command.output is not None and apart else command.output
        with _lines(study.paper, command) as tell:
            result = stored(replace(study, tell=tell), folder, command.options)
        results.append(result)
        if not command.json:
            _show(study, result, folder)
        if write_page:
            err.print(f"{write(result, keep=keep)} written", style="dim")
    if command.json:
        _print_json(results)
    if any(each.provenance.failures for each in results):
        raise typer.Exit(1)


def _tell_cost(studies: list[PaperStudy], command: StudyCommand) -> None:
    """Say what the default cells of papers take."""
    for each in studies:
        for line in each.cost(command.output) or [f"{each.name}: runs no experiment"]:
            out.print(line)


def _refuse(*mistakes: tuple[bool, str]) -> None:
    """Refuse options that cannot be meant together.

    Raises:
        InputError: with the first that is wrong.
    """
    for wrong, text in mistakes:
        if wrong:
            raise InputError(text)


@contextmanager
def _lines(paper: Paper, study: StudyCommand) -> Iterator[Lines]:
    """Show how far the sweeps of a paper are; nothing where that is not wanted."""
    if study.quiet:
        yield lambda *_: None
        return
    with progress(paper.key, lines=True) as show:
        yield lambda what, done, total: show(what, done, total, 0)


def _add(
    papers: list[Paper], labels: tuple[str, ...], study: StudyCommand, *, why: bool, allow_code: bool
) -> None:
    from reclaim.paper.addition import add

    if study.output is None:
        raise InputError("--only: what it runs is kept; give -o, too")
    _refuse((len(papers) > 1, "--only: is of one paper; name it instead of all"))
    (paper,) = papers
    with _lines(paper, study) as tell:
        page = add(
            paper, labels, study.output, options=study.options, tell=tell, why=why, allow_code=allow_code
        )
    err.print(f"{page} written", style="dim")


def _check_paper(
    paper: Paper, level: Level, *, why: bool, write_page: bool, keep: bool, allow_code: bool
) -> None:
    """See that all that is wanted of a paper can be done, before the first one runs."""
    from reclaim.paper.figures import module_of
    from reclaim.paper.page import check_page
    from reclaim.paper.reproduce import check_why

    module_of(paper, allow_code=allow_code)
    if why:
        check_why(paper, level)
    if write_page:
        check_page(paper, level, keep=keep)


def _show(study: PaperStudy, found: Reproduction, folder: Path | None) -> None:
    show(study.brief(found), out)
    for failure in found.provenance.failures:
        err.print(f"failed: {failure}", style="bold red")
    if folder is not None:
        err.print(f"{folder / 'report.html'} says why, claim by claim", style="dim")


def _print_json(found: list[Reproduction]) -> None:
    from reclaim.paper.outputs import to_dict

    whole = to_dict(found[0]) if len(found) == 1 else {"papers": [to_dict(one) for one in found]}
    streams.write_json(whole)
