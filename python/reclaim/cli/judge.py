"""`reclaim judge`: from a policy to a card."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from reclaim.cli.console import command_line
from reclaim.cli.running import StudyCommand, runs_a_study


@runs_a_study
def judge(
    candidate: Annotated[
        str,
        typer.Argument(
            metavar="CANDIDATE",
            help="What to judge: mine.py:my_policy, score=EXPRESSION, a scheme, KEY=VALUE, or FILE.toml with "
            "settings; + joins several.",
        ),
    ],
    study: StudyCommand,
    suite: Annotated[str | None, typer.Option(metavar="NAME", help="The edition of the suite.")] = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="What tables call the candidate.")] = "",
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="RIVAL", help="Compare with this rival alone; repeatable (default: all)."),
    ] = None,
    drive: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE.toml", help="Judge on this drive; rivals run there, too: see --cost."
        ),
    ] = "",
    trace: Annotated[
        list[str] | None,
        typer.Option(metavar="TRACE", help="Judge on this recording; rivals run, too; repeatable."),
    ] = None,
    draw: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Judge on generated workloads drawn from N; rivals run, too."),
    ] = None,
    family: Annotated[
        str,
        typer.Option(metavar="public", help="Judge on volumes of reclaim suite fetch; rivals run, too."),
    ] = "",
    quick: Annotated[bool, typer.Option("--quick", help="Write amplification alone: no timed run.")] = False,
    decide: Annotated[
        bool,
        typer.Option("--decide", help="Also find what decides it, by part and by choice; minutes more."),
    ] = False,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune", help="Also compare it with its rivals once all are tuned alike; minutes more."
        ),
    ] = False,
) -> None:
    """Judge a policy on a suite of workloads, beside stored results of others."""
    # Tables of results are for commands that have one.
    from reclaim.study.judging.candidate import short
    from reclaim.study.judging.judge import JudgeStudy
    from reclaim.study.judging.own import chosen
    from reclaim.study.judging.suite import LATEST

    if study.output is None:
        where = [drive, *(trace or ()), "" if draw is None else f"draw {draw}", family]
        names = [name or short(candidate), *(Path(each).name for each in where if each)]
        called = re.sub(r"[^\w.-]+", "-", " ".join(names)).strip("-.")
        study = replace(study, output=Path("out") / "judge" / called)
    study.carry_out(
        lambda tell: JudgeStudy(
            candidate,
            chosen(suite or LATEST, drive=drive, traces=trace or (), draw=draw, family=family),
            name=name,
            rivals=against or (),
            untimed=quick,
            decide=decide,
            tune=tune,
            command=command_line(),
            tell=tell,
        )
    )
