"""`reclaim device`: the drives one can simulate."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from reclaim import encoding
from reclaim.cli import device_import, device_new, streams, studies
from reclaim.cli.commands import Commands
from reclaim.cli.console import entries, err, listing, out
from reclaim.cli.options import DeviceSource, Json, Sets, opens_a_trace, said, settings_of
from reclaim.device import Device, known_drives
from reclaim.device_schema import schema_text
from reclaim.errors import InputError
from reclaim.report.document import Table, Text
from reclaim.report.terminal import show as show_document
from reclaim.start import with_reasons
from reclaim.study.sensitivity.scaling import Kept, compare

app = Commands(no_args_is_help=True, help="List, show, check, measure and fit drives.")

Schemes = Annotated[list[str] | None, typer.Option("--scheme", metavar="NAME", help="Scheme to put on it.")]


def _device(source: str, schemes: list[str] | None, sets: list[str] | None) -> Device:
    return Device.made(source, schemes or (), settings_of(said(sets)))


HEADINGS = {
    "drive": "Drives to start from",
    "product": "Drives that one can buy, modelled from public figures",
    "paper": "Drives of papers, and small ones with the same chips",
}


@app.command("list")
def list_(json: Json = False) -> None:
    """List every drive that can be given by its name, in any folder."""
    known = known_drives()
    if json:
        streams.write_json([asdict(each) | {"path": each.path and str(each.path)} for each in known])
        return
    for kind, heading in HEADINGS.items():
        out.print(heading, style="bold underline")
        out.print(listing({each.name: each.about for each in known if each.kind == kind}))
        out.print()
    out.print(
        "Settings of one: reclaim device show small. A file of yours is given by its path: -d mine.toml",
        soft_wrap=False,
    )


@app.command()
def show(device: DeviceSource, scheme: Schemes = None, sets: Sets = None, json: Json = False) -> None:
    """Print every setting of a drive, resolved, as TOML that can be edited and used again."""
    if json:
        streams.write_json(_device(device, scheme, sets).config)
        return
    sys.stdout.write(encoding.toml_shown(_device(device, scheme, sets).to_toml()))


@app.command()
def check(
    device: DeviceSource,
    scheme: Schemes = None,
    sets: Sets = None,
    scaled_from: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE.toml", help="Say what it keeps of this larger drive, and what not."),
    ] = None,
    json: Json = False,
) -> None:
    """Check a drive, say all that is wrong with it, and print what follows from its settings.

    Ends with 1 if the drive does not keep what a smaller one must keep of `--scaled-from`.
    """
    checked = _checked(device, scheme, sets)
    larger = None if scaled_from is None else _device(scaled_from, scheme, None)
    for note in checked.replaced():
        err.print(f"note: {note}", style="dim")
    facts = checked.facts()
    compared = [] if larger is None else compare(checked, larger)
    if json:
        kept = [asdict(each) for each in compared]
        streams.write_json(facts | checked.peak_rates() | ({"kept": kept} if larger is not None else {}))
        _end_of_comparison(compared)
        return
    urgent = facts.pop("urgent_from_the_start")
    out.print(entries(with_reasons(facts | checked.peak_rates())))
    _say_what_is_rated(device, facts)
    if urgent:
        out.print(f"{device}: warning: {urgent}")
    else:
        out.print(f"{device}: nothing wrong")
    if larger is not None:
        _say_what_is_kept(device, str(scaled_from), compared)


def _say_what_is_rated(device: str, facts: dict[str, Any]) -> None:
    """Print which erases of a block the endurance on the sheet of a product implies."""
    from reclaim.study.measuring.endurance import ABOUT, HEAD, implied, rows, sheet_beside
    from reclaim.study.measuring.sheet import Sheet

    path = sheet_beside(device)
    found = [] if path is None else implied(Sheet.load(path), facts)
    if found:
        show_document([Table(HEAD, rows(found), "Rated endurance"), Text(ABOUT)], out)


def _checked(device: str, schemes: list[str] | None, sets: list[str] | None) -> Device:
    """The drive; of one that is wrong, all mistakes are said, not only the first.

    Raises:
        InputError: with the last of them.
    """
    try:
        return _device(device, schemes, sets)
    except InputError as first:
        *others, last = Device.mistakes(device, schemes or (), settings_of(said(sets))) or [str(first)]
        for each in others:
            streams.say(f"error: {each}")
        raise InputError(last) from None


def _end_of_comparison(compared: Sequence[Kept]) -> None:
    """End with 1 if something is not kept.

    Raises:
        typer.Exit: if so.
    """
    if not all(each.holds for each in compared):
        raise typer.Exit(1)


def _say_what_is_kept(device: str, scaled_from: str, compared: Sequence[Kept]) -> None:
    rows = [
        (each.what, each.large, each.small, "yes" if each.holds else "no", each.because) for each in compared
    ]
    head = ("", "larger", "smaller", "kept", "because")
    show_document([Table(head, rows, f"What {device} keeps of {scaled_from}")], out)
    lost = [each.what for each in compared if not each.holds]
    if not lost:
        out.print(f"{device}: keeps what must be kept of {scaled_from}")
        return
    out.print(f"{device}: warning: does not keep of {scaled_from}: {', '.join(lost)}")
    _end_of_comparison(compared)


@app.command()
def schema() -> None:
    """Print the JSON Schema of a device file, for editors that check and complete TOML."""
    sys.stdout.write(schema_text())


app.command("new")(device_new.new)
app.command("import")(device_import.import_)
app.command("scale")(opens_a_trace(device_new.scale))
app.command("measure")(studies.measure)
app.command("fit")(studies.fit)
