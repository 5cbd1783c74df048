"""Puts commands together: the one that is called, or all of them for `--help` and for who looks for one."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

import reclaim
from reclaim.cli.commands import Commands, Whole
from reclaim.cli.console import out
from reclaim.experiment.studies import OF_EXPERIMENTS

COMMANDS = ("run", "compare", "judge", "check", "sweep", *OF_EXPERIMENTS, "validate", "reproduce")
"""The others are functions in the module of their name."""
GROUPS = ("league", "suite", "device", "scheme", "policy", "trace", "config", "results")
"""Each is the `app` of the module of its name."""
SCREEN = {
    "Simulate": ("run", "compare", "judge"),
    "Experiments": ("check", "sweep", "results", "sensitivity", "tune"),
    "Papers": ("reproduce",),
    "What there is": ("trace", "device", "policy"),
}
"""What the first screen shows, and below which heading; the others work all the same."""


def put_together(words: Sequence[str] = ()) -> Commands:
    """Give the command line; of all commands the others are not even imported, which takes as long again.

    Args:
        words: what is called. Where they do not begin with a command, all are there.
    """
    every = COMMANDS + GROUPS
    wanted = [words[0]] if words and words[0] in every else every
    app = Commands(
        name="reclaim",
        cls=Whole,
        help="Simulate garbage collection in solid-state drives, driven by real block traces.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    panels = {name: panel for panel, names in SCREEN.items() for name in names}
    for name in sorted(wanted, key=[*panels, *every].index):
        shown: dict[str, Any] = {"rich_help_panel": panels.get(name), "hidden": name not in panels}
        is_study = name == "sweep" or name in OF_EXPERIMENTS
        module = import_module(f"reclaim.cli.{'studies' if is_study else name}")
        if name in OF_EXPERIMENTS:
            app.command(name, **shown)(module.of_a_section(name))
        elif name in COMMANDS:
            app.command(name, **shown)(getattr(module, name))
        else:
            app.add_typer(module.app, name=name, **shown)
    app.callback()(common)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"reclaim {reclaim.__version__}")
        raise typer.Exit


def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Simulate garbage collection in solid-state drives, driven by real block traces."""
    del version
