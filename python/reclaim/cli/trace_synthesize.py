"""`reclaim trace synthesize`: a synthetic stand-in, side by side with what it stands in for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reclaim import output_file
from reclaim.cli import options, streams
from reclaim.cli.console import out
from reclaim.cli.progress import busy, counted
from reclaim.cli.transforms import with_steps
from reclaim.cli.writing import Force, files_read
from reclaim.device import Value
from reclaim.errors import InputError
from reclaim.report.document import Column, Table, figures_of
from reclaim.report.terminal import show
from reclaim.trace.catalogue import STAND_IN, entries, matches
from reclaim.trace.generate import write_trace
from reclaim.trace.synthesis import StandIn, TargetRow, compare, from_trace, is_table, stated
from reclaim.trace.synthesis import synthesize as make
from reclaim.trace.synthesis.document import summary
from reclaim.trace.trace import Trace, open_trace, with_settings
from reclaim.units import MISSING

if TYPE_CHECKING:
    from reclaim.paper.collecting import SideBySide


def table(rows: Sequence[TargetRow], title: str = "The stand-in beside its targets") -> Table:
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
        show_cells(cells)


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
    cells = played(trace, found.trace) if check and trace is not None else []
    _show(found, cells, json=json)
    if not json:
        out.print(f"written to {target}")


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
    found: dict[str, list[TargetRow]] = {}
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


NEAR = 0.10
"""Greatest deviation of write amplification that is not marked."""
SHORT = {
    "relocated_per_victim": "moved",
    "erases": "erases",
    **{f"{op}_p{p}_ns": f"{op[0]} p{p}" for op in ("read", "write") for p in ("50", "99", "99.9")},
}
"""Heads of the columns that have deviations only."""
NARROW = ("relocated_per_victim", "read_p99_ns", "write_p99_ns")
WIDE = 126
"""Characters from which on there is room for all columns."""


def played(source: Trace, stand_in: Trace) -> list[SideBySide]:
    """Play both on every drive, and show how many runs are done."""
    from reclaim.paper.collecting import side_by_side

    with counted("playing both") as tell:
        return side_by_side(source, stand_in, tell)


def show_cells(cells: Sequence[SideBySide]) -> None:
    """Print write amplification of both, and the deviation of everything else that there is room for."""
    columns = {name: head for name, head in SHORT.items() if out.width >= WIDE or name in NARROW}
    names = ("spare", "source", "stand-in", "", *columns.values())
    loads = list(dict.fromkeys(cell.load for cell in cells))
    victims = list(dict.fromkeys(cell.victim for cell in cells))
    rows: list[list[str]] = []
    bad: list[int] = []
    before = ("", "")
    for cell in sorted(cells, key=lambda each: (loads.index(each.load), victims.index(each.victim))):
        workload = (cell.load, cell.victim)
        deviation = cell.deviation("write_amplification")
        if deviation is not None and abs(deviation) > NEAR:
            bad.append(len(rows))
        rows.append(
            [
                *(("", "") if workload == before else workload),
                f"{100 * cell.spare:g} %",
                *(_ratio(each.write_amplification) for each in (cell.source, cell.stand_in)),
                _share(deviation),
                *(_share(cell.deviation(name)) for name in columns),
            ]
        )
        before = workload
    title = "Write amplification and what else collection costs"
    show([Table(["load", *figures_of("victim", names)], rows, title, bad=bad)], out)
    said = "moved: valid pages of a victim; r, w: latency of reads and writes; red: write amplification "
    said += f"more than {100 * NEAR:g} % off"
    out.print(said if len(columns) == len(SHORT) else f"{said}; --json has more")
    out.print(told(cells))


def told(cells: Sequence[SideBySide]) -> str:
    """Give the median and the largest deviation of write amplification for each victim policy."""
    from reclaim.paper.collecting import amplification_off

    parts = [
        f"{off.victim} {_share(off.median)} (largest {_share(off.largest)}, {off.runs} runs)"
        for off in amplification_off(cells)
    ]
    if not parts:
        return "The source makes no victim policy move anything: there is nothing to compare."
    return f"Write amplification off, median of the runs in which there was pages to move: {', '.join(parts)}"


def _ratio(value: float | None) -> str:
    return MISSING if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{100 * value:+.0f} %" if abs(value) < 10 else f"x{value + 1:.0f}"
