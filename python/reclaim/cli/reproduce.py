"""`reclaim reproduce`: a paper's claims beside our figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reclaim.cli import streams
from reclaim.cli.console import err, leave, listing, out
from reclaim.cli.running import StudyCommand, runs_a_paper
from reclaim.errors import InputError

if TYPE_CHECKING:
    from reclaim.paper.evaluation import Reproduction
    from reclaim.paper.paper import Level
    from reclaim.paper.reproduce import PaperStudy

ALL = "all"


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
    from reclaim.paper.addition import AdditionStudy
    from reclaim.paper.page import check_page
    from reclaim.paper.page import write_page as write
    from reclaim.paper.paper import keys, load_paper
    from reclaim.paper.reproduce import PaperStudy

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
    _refuse(
        (bool(further) and paper == ALL, "--beyond: labels are of one paper; name it instead of all"),
        (only and study.output is None, "--only: what it runs is kept; give -o, too"),
        (only and paper == ALL, "--only: is of one paper; name it instead of all"),
    )
    if only:
        study.carry_out(lambda _: AdditionStudy(papers[0], further, why=why, allow_code=allow_code))
        return
    for each in papers if write_page else ():
        check_page(each, level, keep=keep)
    studies = [
        # Of all papers, those that conclude something.
        PaperStudy(
            each,
            level,
            traces=traces,
            why=why and (bool(each.headlines) or paper != ALL),
            beyond=further,
            allow_code=allow_code,
        )
        for each in papers
    ]
    _carry_out(studies, study, apart=paper == ALL, page=partial(write, keep=keep) if write_page else None)


def _carry_out(
    studies: list[PaperStudy],
    command: StudyCommand,
    *,
    apart: bool,
    page: Callable[[Reproduction], Path] | None,
) -> None:
    """Run papers, and show what came of each.

    Args:
        studies: a paper each.
        command: how.
        apart: whether each has a folder of its own.
        page: writes the page of one, where that is wanted.
    """
    results, ends = [], [(0, "")]
    for study in studies:
        folder = command.output / study.name if command.output is not None and apart else command.output
        if command.cost_only:
            for line in study.cost(folder):
                out.print(line)
            continue
        with replace(command, output=folder).somewhere() as somewhere:
            result = somewhere.run(study)
        results.append(result)
        ends.append(somewhere.outcome(study, result))
        if page is not None:
            err.print(f"{page(result)} written", style="dim")
    if command.json and results:
        from reclaim.paper.report import to_dict

        told = [to_dict(each) for each in results]
        streams.write_json({"papers": told} if apart else told[0])
    leave(*max(ends))


def _refuse(*mistakes: tuple[bool, str]) -> None:
    """Refuse options that cannot be meant together.

    Raises:
        InputError: with the first that is wrong.
    """
    for wrong, text in mistakes:
        if wrong:
            raise InputError(text)
