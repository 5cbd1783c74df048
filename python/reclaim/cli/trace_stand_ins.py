"""`reclaim trace list --figures`: every shipped stand-in beside the figures that it was made to meet."""

from __future__ import annotations

from dataclasses import replace

import typer

from reclaim.cli import streams
from reclaim.cli.console import out
from reclaim.cli.progress import busy
from reclaim.cli.trace_synthesize import table
from reclaim.errors import InputError
from reclaim.report.terminal import show
from reclaim.trace.catalogue import STAND_IN, entries, matches
from reclaim.trace.opening import open_trace
from reclaim.trace.synthesis import Row, StandIn, compare, stated
from reclaim.trace.synthesis.document import summary


def _names(pattern: str | None) -> list[str]:
    names = [each.name for each in entries() if each.kind == STAND_IN]
    found = [each for each in names if pattern is None or matches(each, pattern)]
    if not found:
        raise InputError(f"{pattern}: no stand-in has a name like this; there are {', '.join(names)}")
    return found


def show_figures(pattern: str | None, *, json: bool) -> None:
    """Generate the shipped stand-ins and put each beside the published figures that it was made to meet.

    Raises:
        typer.Exit: with 1, if a figure is further off than it may be.
    """
    found: dict[str, list[Row]] = {}
    shown = []
    for name in _names(pattern):
        trace = open_trace(name)
        with busy(f"measuring {name}"):
            found[name] = compare(trace)
        if json:
            shown.append(StandIn(trace, found[name], list(stated(trace).get("chosen", []))).to_dict())
        else:
            show([table(found[name], f"{name}, a synthetic stand-in")], out)
            for note in stated(trace).get("chosen", []):
                out.print(f"chosen: {note}")
            out.print()
    if json:
        streams.write_json(shown)
    else:
        show([replace(summary(found), title="All of them")], out)
    if not all(row.met for rows in found.values() for row in rows):
        raise typer.Exit(1)
