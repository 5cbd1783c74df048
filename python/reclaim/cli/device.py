"""`reclaim device`: the drives one can simulate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import reclaim
from reclaim import encoding, input_file
from reclaim.cli import studies
from reclaim.cli.commands import Commands
from reclaim.cli.console import entries, err, listing, out
from reclaim.cli.options import DeviceSource, Sets, settings_of
from reclaim.device import Device, shipped_files
from reclaim.device_schema import schema_text
from reclaim.report.document import Table
from reclaim.report.terminal import show as show_document
from reclaim.start import with_reasons
from reclaim.study.sensitivity.scaling import compare

app = Commands(no_args_is_help=True, help="List, show, check, measure and fit drives.")

Schemes = Annotated[list[str] | None, typer.Option("--scheme", metavar="NAME", help="Scheme to put on it.")]


def _device(source: str, schemes: list[str] | None, sets: list[str] | None) -> Device:
    return Device.made(source, schemes or (), settings_of(sets, steps={}))


@app.command("list")
def list_() -> None:
    """List the built-in drives, and the device files that ship with them."""
    out.print(listing(reclaim.presets()))
    out.print("\nDevice files, given by their path:")
    out.print(listing({str(path): _about(path) for path in shipped_files()}))


def _about(path: Path) -> str:
    """The first sentence of a device file's comment."""
    comments = (each[2:] for each in input_file.text(path).splitlines() if each.startswith("# "))
    return next(comments, "").split(". ")[0]


@app.command()
def show(device: DeviceSource, scheme: Schemes = None, sets: Sets = None) -> None:
    """Print every setting of a drive, resolved, as TOML that can be edited and used again."""
    sys.stdout.write(encoding.toml_shown(_device(device, scheme, sets).to_toml()))


@app.command()
def check(
    device: DeviceSource,
    scheme: Schemes = None,
    sets: Sets = None,
    scaled_from: Annotated[
        str | None,
        typer.Option(
            metavar="PRESET|FILE.toml", help="Say what it keeps of this larger drive, and what not."
        ),
    ] = None,
) -> None:
    """Check a drive and print what follows from its settings.

    Ends with 1 if the drive does not keep what a smaller one must keep of `--scaled-from`.
    """
    checked = _device(device, scheme, sets)
    larger = None if scaled_from is None else _device(scaled_from, scheme, None)
    for note in checked.replaced():
        err.print(f"note: {note}", style="dim", soft_wrap=True, markup=False)
    facts = checked.facts()
    urgent = facts.pop("urgent_from_the_start")
    out.print(entries(with_reasons(facts | checked.peak_rates())))
    if urgent:
        out.print(f"{device}: warning: {urgent}", markup=False, highlight=False, soft_wrap=True)
    else:
        out.print(f"{device}: nothing wrong")
    if larger is not None:
        _say_what_is_kept(device, checked, str(scaled_from), larger)


def _say_what_is_kept(device: str, checked: Device, scaled_from: str, larger: Device) -> None:
    compared = compare(checked, larger)
    rows = [
        (each.what, each.large, each.small, "yes" if each.holds else "no", each.because) for each in compared
    ]
    head = ("", "larger", "smaller", "kept", "because")
    show_document([Table(head, rows, f"What {device} keeps of {scaled_from}")], out)
    lost = [each.what for each in compared if not each.holds]
    if not lost:
        out.print(f"{device}: keeps what must be kept of {scaled_from}", soft_wrap=True)
        return
    out.print(f"{device}: warning: does not keep of {scaled_from}: {', '.join(lost)}", soft_wrap=True)
    raise typer.Exit(1)


@app.command()
def schema() -> None:
    """Print the JSON Schema of a device file, for editors that check and complete TOML."""
    sys.stdout.write(schema_text())


app.command("measure")(studies.measure)
app.command("fit")(studies.fit)
