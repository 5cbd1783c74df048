"""`reclaim device`: the drives one can simulate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import reclaim
from reclaim.cli import fit, measure
from reclaim.cli.commands import Commands
from reclaim.cli.console import entries, listing, out
from reclaim.cli.options import Sets, split_setting
from reclaim.device import Device, shipped_files
from reclaim.device_schema import schema_text
from reclaim.start import with_reasons

app = Commands(no_args_is_help=True, help="List, show, check, measure and fit drives.")

Source = Annotated[str, typer.Argument(metavar="PRESET|FILE.toml", help="A preset's name or a TOML file.")]
Schemes = Annotated[list[str] | None, typer.Option("--scheme", metavar="NAME", help="Scheme to put on it.")]


def _device(source: str, schemes: list[str] | None, sets: list[str] | None) -> Device:
    return Device.made(source, schemes or (), dict(split_setting(each) for each in sets or ()))


@app.command("list")
def list_() -> None:
    """List the built-in drives, and the device files that ship with them."""
    out.print(listing(reclaim.presets()))
    out.print("\nDevice files, given by their path:")
    out.print(listing({str(path): _about(path) for path in shipped_files()}))


def _about(path: Path) -> str:
    """The first sentence of a device file's comment."""
    comments = (each[2:] for each in path.read_text(encoding="utf-8").splitlines() if each.startswith("# "))
    return next(comments, "").split(". ")[0]


@app.command()
def show(device: Source, scheme: Schemes = None, sets: Sets = None) -> None:
    """Print every setting of a drive, resolved, as TOML that can be edited and used again."""
    sys.stdout.write(_device(device, scheme, sets).to_toml())


@app.command()
def check(device: Source, scheme: Schemes = None, sets: Sets = None) -> None:
    """Check a drive and print what follows from its settings."""
    checked = _device(device, scheme, sets)
    facts = checked.facts()
    urgent = facts.pop("urgent_from_the_start")
    out.print(entries(with_reasons(facts | checked.peak_rates())))
    if urgent:
        out.print(f"{device}: warning: {urgent}", markup=False, highlight=False, soft_wrap=True)
    else:
        out.print(f"{device}: nothing wrong")


@app.command()
def schema() -> None:
    """Print the JSON Schema of a device file, for editors that check and complete TOML."""
    sys.stdout.write(schema_text())


app.command("measure")(measure.measure)
app.command("fit")(fit.fit)
