"""Options that change a trace on its way to the drive, shared by every command that takes a trace.

`with_steps` adds them to a command, which gets what they say as settings below `trace` in its argument
`steps`. The order in which they are done is fixed: draw, merge, window, shift, align, sample, limit, rotate,
plays, jitter.
"""

from __future__ import annotations

import inspect
from enum import StrEnum
from typing import Annotated, Any

import typer

from reclaim.cli.bundle import takes
from reclaim.cli.console import err
from reclaim.device import Value
from reclaim.errors import InputError
from reclaim.trace.transforms import check_in_vain, settings

PANEL = "Changing the trace on its way (see docs/traces.md)"


class RepeatOrderChoice(StrEnum):
    """In which order the requests of a trace come when it is played again."""

    same = "same"
    shuffled = "shuffled"


def _option(name: str, metavar: str, about: str) -> Any:
    return typer.Option(name, metavar=metavar, help=about, rich_help_panel=PANEL)


OPTIONS: dict[str, tuple[Any, Any]] = {
    "merge": (
        Annotated[
            list[str] | None,
            _option(
                "--merge",
                "FILE[@SHIFT][,KEY=VALUE…]",
                "Merge another trace in by time, shifted, with opening options of its own; repeatable.",
            ),
        ],
        None,
    ),
    "separate": (
        Annotated[
            bool,
            typer.Option(
                "--separate", help="Give every merged trace addresses of its own.", rich_help_panel=PANEL
            ),
        ],
        False,
    ),
    "common_clock": (
        Annotated[
            bool,
            typer.Option(
                "--common-clock",
                help="Merged files keep their recorded times, as volumes recorded together.",
                rich_help_panel=PANEL,
            ),
        ],
        False,
    ),
    "from_": (
        Annotated[str | None, _option("--from", "TIME", "Leave out what comes earlier, e.g. 10s, 5min.")],
        None,
    ),
    "to": (
        Annotated[str | None, _option("--to", "TIME", "Leave out what comes at this time or later.")],
        None,
    ),
    "shift": (
        Annotated[str | None, _option("--shift", "SIZE", "Add this to all addresses, e.g. 512B.")],
        None,
    ),
    "align": (
        Annotated[str | None, _option("--align", "SIZE", "Round reads and writes out to this, trims in.")],
        None,
    ),
    "sample": (
        Annotated[
            str | None, _option("--sample", "SHARE", "Keep this share of the address space, e.g. 10% or 0.1.")
        ],
        None,
    ),
    "sample_unit": (
        Annotated[
            str | None, _option("--sample-unit", "SIZE", "Pieces that are kept or left out (default 1MiB).")
        ],
        None,
    ),
    "sample_seed": (
        Annotated[
            int | None,
            typer.Option("--sample-seed", min=0, help="Choose another sample.", rich_help_panel=PANEL),
        ],
        None,
    ),
    "max_requests": (
        Annotated[
            int | None,
            typer.Option(
                "--max-requests", metavar="N", min=1, help="Stop after N requests.", rich_help_panel=PANEL
            ),
        ],
        None,
    ),
    "draw": (
        Annotated[
            int | None,
            typer.Option(
                "--draw",
                metavar="N",
                min=0,
                help="Another draw of a generated trace: N is added to its seed.",
                rich_help_panel=PANEL,
            ),
        ],
        None,
    ),
    "rotate": (
        Annotated[
            str | None,
            _option("--rotate", "SHARE|N", "Begin after this share of the requests, or N; they come last."),
        ],
        None,
    ),
    "plays": (
        Annotated[
            int | None,
            typer.Option(
                "--plays", metavar="N", min=1, help="Replay what is left N times.", rich_help_panel=PANEL
            ),
        ],
        None,
    ),
    "repeat": (Annotated[int | None, typer.Option("--repeat", min=1, hidden=True)], None),
    "repeat_gap": (
        Annotated[
            str | None, _option("--repeat-gap", "TIME", "Time between rounds (default: the mean gap).")
        ],
        None,
    ),
    "repeat_order": (
        Annotated[
            RepeatOrderChoice | None,
            typer.Option(
                "--repeat-order",
                help="Order of requests in further rounds, and where warm-up plays the trace.",
                rich_help_panel=PANEL,
            ),
        ],
        None,
    ),
    "jitter": (
        Annotated[
            str | None, _option("--jitter", "TIME", "Move every arrival by up to this, earlier or later.")
        ],
        None,
    ),
}


def steps_of(plays: int | None = None, **given: Any) -> dict[str, Value]:
    """Settings for what was given on the command line."""
    if given.get("repeat") is not None:
        if plays is not None:
            raise InputError("--repeat is called --plays now: give --plays alone")
        err.print(
            "note: --repeat: is called --plays now; the next version does not know --repeat", style="dim"
        )
    given["repeat"] = plays if plays is not None else given.get("repeat")
    said = {name: value for name, value in given.items() if value is not False and value != []}
    steps: dict[str, Value] = {**settings(said, "--")}
    check_in_vain(given, "--")
    return steps


STEPS = [
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
    for name, (annotation, default) in OPTIONS.items()
]
with_steps = takes("steps", steps_of, STEPS)
with_present_steps = takes("steps", steps_of, [each for each in STEPS if each.name != "repeat"])
"""The same without the old name of `--plays`: `compare` has repeats."""
