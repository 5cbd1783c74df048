"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

import reclaim
from reclaim.cli import (
    ablate,
    check,
    compare,
    config,
    device,
    policy,
    reproduce,
    results,
    run,
    scheme,
    sensitivity,
    sweep,
    trace,
    tune,
    validate,
)
from reclaim.cli.commands import Commands
from reclaim.cli.console import out

app = Commands(
    name="reclaim",
    help="Simulate garbage collection in solid-state drives, driven by real block traces.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("run")(run.run)
app.command("compare")(compare.compare)
app.command("check")(check.check)
app.command("sweep")(sweep.sweep)
app.command("ablate")(ablate.ablate)
app.command("sensitivity")(sensitivity.sensitivity)
app.command("tune")(tune.tune)
app.command("validate")(validate.validate)
app.command("reproduce")(reproduce.reproduce)
app.add_typer(device.app, name="device")
app.add_typer(scheme.app, name="scheme")
app.add_typer(policy.app, name="policy")
app.add_typer(trace.app, name="trace")
app.add_typer(config.app, name="config")
app.add_typer(results.app, name="results")


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"reclaim {reclaim.__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Simulate garbage collection in solid-state drives, driven by real block traces."""
    del version
