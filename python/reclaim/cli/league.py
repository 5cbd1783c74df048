"""`reclaim league`: the standing of an edition, and who enters it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reclaim.cli import options, streams
from reclaim.cli.commands import Commands
from reclaim.cli.console import out
from reclaim.cli.progress import busy
from reclaim.errors import InputError

if TYPE_CHECKING:
    from reclaim.study.judging.league import League

app = Commands(help="Who stands where on the suite of reclaim judge.")
Edition = Annotated[str | None, typer.Option("--suite", metavar="NAME", help="The edition of the suite.")]
Entered = Annotated[
    Path | None,
    typer.Option("--league", metavar="DIR", help="What has been entered (default: out/league/EDITION)."),
]


@app.callback(invoke_without_command=True)
def standing(
    context: typer.Context, suite: Edition = None, league: Entered = None, json: options.Json = False
) -> None:
    """Print who stands where on the suite of reclaim judge."""
    if context.invoked_subcommand is not None:
        return
    found = _league(suite, league)
    if json:
        streams.write_json(found.to_dict())
        return
    from reclaim.report.terminal import show

    show(found.document(), out)


@app.command("add")
def add(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What reclaim judge has left.")],
    suite: Edition = None,
    league: Entered = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Which runs are run again (default: drawn).")
    ] = None,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Let its code run, without network; read it before.")
    ] = False,
    unconfined: Annotated[
        bool, typer.Option("--unconfined", help="Run its code as you would: it may do all that you may.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Enter a candidate: a tenth of its runs is run again, and must come out the same."""
    if not allow_code:
        raise InputError(
            f"{folder / 'candidate'}: has code of others, which would run; read it, and say --allow-code"
        )
    found = _league(suite, league)
    with busy(f"running a tenth of {folder} again"):
        entered, again = found.add(folder, seed=seed, freely=unconfined)
    place = found.standing[entered.name]
    if json:
        streams.write_json({**place.to_dict(), **again.to_dict()})
        return
    out.print(
        f"{entered.name} has entered {found.suite.name}: place {place.place} of {len(found.standing) - 1}"
    )
    if again.said:
        out.print(again.said)


def _league(suite: str | None, folder: Path | None) -> League:
    from reclaim.study.judging.league import league
    from reclaim.study.judging.suite import LATEST

    return league(folder, suite=suite or LATEST)
