"""`reclaim trace synthesize`: a synthetic stand-in, side by side with what it stands in for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reclaim import output_file
from reclaim.cli import options, side_by_side, streams
from reclaim.cli.console import out
from reclaim.cli.progress import busy
from reclaim.cli.transforms import with_steps
from reclaim.cli.writing import Force, files_read
from reclaim.device import Value
from reclaim.errors import InputError
from reclaim.report.document import Column, Table, figures_of
from reclaim.report.terminal import show
from reclaim.trace.generate import write_trace
from reclaim.trace.synthesis import Row, StandIn, compare, from_trace, is_table, stated
from reclaim.trace.synthesis import synthesize as make
from reclaim.trace.trace import Trace, with_settings

if TYPE_CHECKING:
    from reclaim.paper.collecting import SideBySide


def table(rows: Sequence[Row], title: str = "The stand-in beside its targets") -> Table:
    """Targets and stand-in side by side."""
    head = [*figures_of("", ("target", "stand-in", "deviation")), Column("")]
    bad = [number for number, row in enumerate(rows) if not row.met]
    return Table(head, [row.texts() for row in rows], title, bad=bad)


def _show(found: StandIn, cells: Sequence[SideBySide] = (), *, json: bool) -> None:
    if json:
        data = found.to_dict()
        if cells:
            data["check"] = [cell.to_dict() for cell in cells]
        streams.write_json(data)
        return
    out.print(f"{found.trace.name}: {found.trace.provenance}")
    show([table(found.rows)], out)
    for note in found.chosen:
        out.print(f"chosen: {note}")
    missed = sum(not row.met for row in found.rows)
    out.print(f"{len(found.rows)} figures, {missed} beyond 5 %")
    if cells:
        side_by_side.show(cells)


@with_steps
@options.opens_a_trace
def synthesize(
    source: Annotated[
        str,
        typer.Argument(metavar="SOURCE", help="A trace, or a table of published figures (TOML)."),
    ],
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUT.toml", help="The stand-in; leave it out to compare an existing one with its targets."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="What the stand-in is called; the name of the source, with -like, if not given."),
    ] = None,
    terms: Annotated[
        str, typer.Option(help="Terms under which the stand-in may be used; written into it.")
    ] = "",
    *,
    opening: options.Opening,
    seed: Annotated[int, typer.Option(min=0, help="Chooses one of the possible stand-ins.")] = 1,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Play both on small drives and compare what collection costs, under three victim policies, "
            "spare factors and load rules.",
        ),
    ] = False,
    preserve: Annotated[str | None, typer.Option(hidden=True)] = None,
    force: Force = False,
    json: options.Json = False,
    steps: dict[str, Value],
) -> None:
    """Make a small synthetic stand-in for a trace or a table of published figures, and compare the two."""
    path = Path(source)
    if preserve is not None:
        raise InputError(
            "--preserve is gone: every stand-in is made to meet figures. Leave it out, and use --check to "
            "see what collection costs under the stand-in and under its source"
        )
    if steps and (target is None or is_table(path)):
        raise InputError(
            f"{source}: --{min(steps).removeprefix('trace.').replace('_', '-')} changes a trace before it is "
            "measured; there is none to measure here"
        )
    if check and (target is None or is_table(path)):
        what = "published figures" if is_table(path) else "an existing stand-in, whose source is not at hand"
        raise InputError(f"{source}: --check plays a trace and its stand-in, and this is {what}")
    if target is None:
        existing = opening.open(path)
        with busy(f"measuring {existing.name}"):
            rows = compare(existing)
        if not rows:
            raise InputError(
                f"{source}: is no stand-in; to make one of it, name the file to write, as in {path.stem}.toml"
            )
        _show(StandIn(existing, rows, list(stated(existing).get("chosen", []))), json=json)
        return
    if target.suffix != ".toml":
        raise InputError(
            f"{target}: a stand-in is a description, not requests: give a name that ends in .toml"
        )
    output_file.check(target, reading=files_read(path, steps), overwrite=force)
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    trace: Trace | None = None
    if is_table(path):
        # The library of models takes longer to import than `reclaim --help` takes.
        from reclaim.trace.synthesis.published import from_table

        targets = from_table(path)
        targets.name = name or targets.name
    else:
        trace = with_settings(opening.open(path, merged="trace.merge" in steps), opening.settings() | steps)
        stem = trace.name.split(".", 1)[0]
        with busy(f"measuring {trace.name}"):
            targets = from_trace(trace, name=name or f"{stem}-like", of=stem, terms=terms, date=today)
    targets.date = targets.date or today
    with busy(f"synthesizing {targets.name}"):
        found = make(targets, seed=seed)
    write_trace(found.trace, target, force=force)
    cells = side_by_side.played(trace, found.trace) if check and trace is not None else []
    _show(found, cells, json=json)
    if not json:
        out.print(f"written to {target}")
