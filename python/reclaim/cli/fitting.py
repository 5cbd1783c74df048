"""Options that change a trace on its way to the drive, shared by every command that takes a trace.

`with_fitting` adds them to a command, which gets what they say as settings below `trace` in its argument
`steps`. The order in which they are done is fixed: merge, window, shift, align, sample, limit, repeat.
"""

from __future__ import annotations

import inspect
import json
import re
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

import typer

from reclaim.cli.bundle import takes
from reclaim.device import Value
from reclaim.errors import InputError

PANEL = "Fitting the trace (see docs/traces.md)"
SIZE = re.compile(r"\d[\d_.]*\s*([KMGT]i?)?[Bb]")


def _option(name: str, metavar: str, about: str) -> Any:
    return typer.Option(name, metavar=metavar, help=about, rich_help_panel=PANEL)


OPTIONS: dict[str, tuple[Any, Any]] = {
    "merge": (
        Annotated[
            list[str] | None,
            _option("--merge", "FILE[@SHIFT]", "Merge another trace in by time; repeatable."),
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
    "repeat": (
        Annotated[
            int | None,
            typer.Option(
                "--repeat", metavar="N", min=1, help="Play what is left N times.", rich_help_panel=PANEL
            ),
        ],
        None,
    ),
    "repeat_gap": (
        Annotated[
            str | None, _option("--repeat-gap", "TIME", "Time between rounds (default: the mean gap).")
        ],
        None,
    ),
}


def size_text(text: str) -> str:
    """Write a size as a configuration does; a bare number counts bytes.

    >>> size_text("512"), size_text("4KiB")
    ('512B', '4KiB')
    """
    return f"{text.strip()}B" if text.strip().isdigit() else text.strip()


def share_text(option: str, text: str) -> str:
    """Write a share as a configuration does: 0.1 is 10%.

    >>> share_text("--sample", "0.1"), share_text("--sample", "12.5%")
    ('10%', '12.5%')
    """
    text = text.strip()
    if text.endswith("%"):
        return text
    try:
        percent = Decimal(text) * 100
    except InvalidOperation:
        percent = Decimal(-1)
    if not percent.is_finite() or not 0 < percent <= 100:
        raise InputError(f"{option} {text}: expected a share such as 10% or 0.1, up to 100% or 1")
    return f"{percent.normalize():f}%"


def merge_text(entries: list[str]) -> str:
    """Write FILE[@SHIFT] as the list of tables that a configuration takes.

    >>> merge_text(["b.csv@8GiB", "c@home.csv"])
    '[{ file = "b.csv", shift = "8GiB" }, { file = "c@home.csv" }]'
    """
    tables = []
    for entry in entries:
        file, at, shift = entry.rpartition("@")
        if at and (SIZE.fullmatch(shift) or shift.isdigit()):
            tables.append(f'{{ file = {json.dumps(file)}, shift = "{size_text(shift)}" }}')
        else:
            tables.append(f"{{ file = {json.dumps(entry)} }}")
    return f"[{', '.join(tables)}]"


def steps_of(**given: Any) -> dict[str, Value]:
    """Settings for what was given on the command line."""
    steps: dict[str, Value] = {}
    for name, value in given.items():
        if value is None or value is False or value == []:
            continue
        key = f"trace.{name.removesuffix('_')}"
        match name:
            case "merge":
                steps[key] = merge_text(value)
            case "shift" | "align" | "sample_unit":
                steps[key] = size_text(value)
            case "sample":
                steps[key] = share_text("--sample", value)
            case _:
                steps[key] = value
    if given.get("separate") and not given.get("merge"):
        raise InputError("--separate: there is nothing to separate; name traces with --merge")
    for name in ("sample_unit", "sample_seed"):
        if given.get(name) is not None and given.get("sample") is None:
            raise InputError(f"--{name.replace('_', '-')}: nothing is sampled; say how much with --sample")
    if given.get("repeat_gap") is not None and given.get("repeat") is None:
        raise InputError("--repeat-gap: nothing is repeated; say how often with --repeat")
    return steps


with_fitting = takes(
    "steps",
    steps_of,
    [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in OPTIONS.items()
    ],
)
