"""`reclaim trace list`: the catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from reclaim.cli import options, streams
from reclaim.cli.console import err, listing, out
from reclaim.errors import InputError
from reclaim.trace import catalogue
from reclaim.trace.catalogue import PUBLIC_MISSING, Entry
from reclaim.trace.catalogue.files import VARIABLE, missing_folders, user_folders


def _heading(entry: Entry) -> str:
    headings = {
        catalogue.RECORDING: "Recordings that come with Reclaim",
        catalogue.STAND_IN: "Synthetic stand-ins: generated, not recorded",
        catalogue.FILE: "Your files",
        catalogue.PUBLIC_HERE: "Public sets whose files are here",
        PUBLIC_MISSING: "Public sets to be fetched",
    }
    return headings[entry.kind]


def _also(entry: Entry) -> str:
    return f"; the name is ambiguous, it is also {', '.join(entry.also)}" if entry.also else ""


def _missing(entries: list[Entry]) -> None:
    sets: dict[str, list[Entry]] = {}
    for entry in entries:
        sets.setdefault(entry.about, []).append(entry)
    for about, members in sets.items():
        names = ", ".join(each.name for each in members)
        out.print(names, style="bold")
        out.print(f"  {about}\n  get it: {members[0].where}\n  terms: {members[0].terms}")


def list_(
    pattern: Annotated[
        str | None,
        typer.Argument(metavar="PATTERN", help="Only names like this, as in msr-like/* or sqlite."),
    ] = None,
    figures: Annotated[
        bool,
        typer.Option(
            "--figures", help="Generate the stand-ins, and put each beside the figures it was made to meet."
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """List every trace that can be given by name, and where public ones can be had."""
    if figures:
        # What measures traces is for this alone.
        from reclaim.cli.trace_synthesize import show_figures

        show_figures(pattern, json=json)
        return
    for folder in missing_folders():
        err.print(f"warning: {VARIABLE} names {folder}, which is no folder here")
    found = catalogue.entries()
    if pattern is not None:
        found = [each for each in found if catalogue.matches(each.name, pattern)]
        if not found:
            raise InputError(f"{pattern}: no trace of the catalogue has a name like this")
    if json:
        streams.write_json([each.to_dict() for each in found])
        return
    for heading in dict.fromkeys(_heading(each) for each in found):
        members = [each for each in found if _heading(each) == heading]
        out.print(heading, style="bold underline")
        if members[0].kind == PUBLIC_MISSING:
            _missing(members)
        else:
            out.print(listing({each.name: each.about + _also(each) for each in members}))
        out.print()
    folders = ", ".join(str(each) for each in user_folders()) or "none"
    out.print(f"your folders ({VARIABLE}): {folders}")
