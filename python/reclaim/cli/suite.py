"""`reclaim suite`: public volumes for the suite of `reclaim judge`, from a copy of the user's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reclaim.cli import options, streams
from reclaim.cli.commands import Commands
from reclaim.cli.console import out
from reclaim.cli.progress import busy

app = Commands(help="Public volumes for the suite of reclaim judge.")


@app.callback()
def suites() -> None:
    """Public volumes for the suite of reclaim judge."""


@app.command("fetch")
def fetch(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Has msr/, alibaba/ or tencent/: your copy.")],
    suite: Annotated[str | None, typer.Option(metavar="NAME", help="The edition of the suite.")] = None,
    json: options.Json = False,
) -> None:
    """Take public volumes from your own copy, by checksum, for reclaim judge --family public."""
    from reclaim.study.judging import public
    from reclaim.study.judging.suite import LATEST, Suite

    edition = Suite.named(suite or LATEST)
    with busy(f"converting volumes of {folder}"):
        found = list(public.fetch(edition, folder))
    if json:
        streams.write_json([{**vars(each), "source": str(each.source)} for each in found])
        return
    for each in found:
        out.print(f"{each.name}: {each.requests:,} requests, SHA-256 {each.sha256} ({each.known})")
    missing = [name for name in public.volumes_of(edition) if name not in {each.name for each in found}]
    if missing:
        out.print(f"not in {folder}: {', '.join(missing)}")
    out.print(f"{len(found)} volumes are kept in {public.kept_in(edition)}")
