"""Options that change a trace on its way to the drive, shared by every command that takes a trace.

`with_steps` adds them to a command, which gets what they say as settings below `trace` in its argument
`steps`. The order in which they are done is fixed: draw, merge, window, shift, align, sample, limit, rotate,
plays, jitter.
"""

from __future__ import annotations

from inspect import Parameter
from typing import Annotated, Any, Literal

import typer

from reclaim.cli.bundle import takes
from reclaim.cli.console import err
from reclaim.device import Value
from reclaim.errors import InputError
from reclaim.trace.transforms import check_in_vain, settings

PANEL = "Changing the trace on its way (see docs/traces.md)"


def _step(name: str, kind: Any, metavar: str | None, about: str = "", **how: Any) -> Parameter:
    """An option; none is given unless somebody gives it."""
    flag = f"--{name.rstrip('_').replace('_', '-')}"
    option = typer.Option(flag, metavar=metavar, help=about, rich_help_panel=PANEL, **how)
    default, given = (False, bool) if kind is bool else (None, kind | None)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[given, option])


STEPS = [
    _step(
        "merge",
        list[str],
        "FILE[@SHIFT][,KEY=VALUE…]",
        "Merge another trace in by time, shifted, with opening options of its own; repeatable.",
    ),
    _step("separate", bool, None, "Give every merged trace addresses of its own."),
    _step(
        "common_clock", bool, None, "Merged files keep their recorded times, as volumes recorded together."
    ),
    _step("from_", str, "TIME", "Leave out what comes earlier, e.g. 10s, 5min."),
    _step("to", str, "TIME", "Leave out what comes at this time or later."),
    _step("shift", str, "SIZE", "Add this to all addresses, e.g. 512B."),
    _step("align", str, "SIZE", "Round reads and writes out to this, trims in."),
    _step("sample", str, "SHARE", "Keep this share of the address space, e.g. 10% or 0.1."),
    _step("sample_unit", str, "SIZE", "Pieces that are kept or left out (default 1MiB)."),
    _step("sample_seed", int, None, "Choose another sample.", min=0),
    _step("max_requests", int, "N", "Stop after N requests.", min=1),
    _step("draw", int, "N", "Another draw of a generated trace: N is added to its seed.", min=0),
    _step("rotate", str, "SHARE|N", "Begin after this share of the requests, or N; they come last."),
    _step("plays", int, "N", "Replay what is left N times.", min=1),
    _step("repeat", int, None, min=1, hidden=True),
    _step("repeat_gap", str, "TIME", "Time between rounds (default: the mean gap)."),
    _step(
        "repeat_order",
        Literal["same", "shuffled"],
        None,
        "Order of requests in further rounds, and where warm-up plays the trace.",
    ),
    _step("jitter", str, "TIME", "Move every arrival by up to this, earlier or later."),
]


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


with_steps = takes("steps", steps_of, STEPS)
with_present_steps = takes("steps", steps_of, [each for each in STEPS if each.name != "repeat"])
"""The same without the old name of `--plays`: `compare` has repeats."""
