"""`reclaim judge`: from a policy to a card."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from reclaim.cli.job import command_line
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
    quick: Annotated[bool, typer.Option("--quick", help="Write amplification alone: no timed run.")] = False,
) -> None:
    """Judge a policy on a suite of workloads, beside stored results of others."""
    # Tables of results are for commands that have one.
    from reclaim.study.judging.candidate import short
    from reclaim.study.judging.judge import JudgeStudy
    from reclaim.study.judging.suite import LATEST, Suite

    if study.output is None:
        called = re.sub(r"[^\w.-]+", "-", name or short(candidate)).strip("-.")
        study = replace(study, output=Path("out") / "judge" / called)
    study.carry_out(
        lambda tell: JudgeStudy(
            candidate,
            Suite.named(suite or LATEST),
            name=name,
            rivals=against or (),
            untimed=quick,
            command=command_line(),
            tell=tell,
        )
    )
