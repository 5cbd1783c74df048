"""Options that `run` and `compare` share, and what they mean for the library."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from reclaim.cli.fitting import share_text
from reclaim.device import Device, Value
from reclaim.errors import InputError
from reclaim.simulate import Fit, warmup_settings
from reclaim.trace import Trace, open_trace


class FitChoice(StrEnum):
    """How a trace larger than the drive is made to fit."""

    none = "none"
    fold = "fold"
    compact = "compact"
    scale = "scale"


class ModeChoice(StrEnum):
    """When requests are issued."""

    open_loop = "open-loop"
    closed_loop = "closed-loop"


TraceFile = Annotated[Path, typer.Argument(metavar="TRACE", help="Trace file; format recognised by content.")]
DeviceName = Annotated[
    str,
    typer.Option("--device", "-d", metavar="PRESET|FILE.toml", help="Drive: a preset's name or a TOML file."),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Change one setting, e.g. gc.victim.kind=fifo; repeatable."
    ),
]
Warmup = Annotated[
    str | None,
    typer.Option(
        metavar="empty|filled|overwrite[:N]|steady|replay[:N]", help="State of the drive before the trace."
    ),
]
FitOption = Annotated[FitChoice | None, typer.Option(help="What to do with a trace larger than the drive.")]
Sort = Annotated[bool, typer.Option("--sort", help="Sort a trace whose times go backwards.")]
Format = Annotated[
    str | None, typer.Option("--format", metavar="NAME", help="Trace format, to overrule recognition.")
]
TraceDevice = Annotated[
    str | None,
    typer.Option(metavar="NAME|all", help="Device to take from a trace of several: 4, 8,16, hm_0; or all."),
]
Event = Annotated[
    str | None, typer.Option(metavar="Q|D|C", help="Event of a block-layer recording that counts.")
]
TimeUnit = Annotated[
    str | None, typer.Option(metavar="ns|us|ms|s", help="Unit of time, where not the format's own.")
]
Columns = Annotated[
    str | None,
    typer.Option(metavar="ITEM,…", help="Columns of any other table: time:us,op,offset:sectors,size:bytes."),
]
Separator = Annotated[
    str | None, typer.Option(metavar="comma|tab|blanks|CHAR", help="What stands between the columns.")
]


class OnErrorChoice(StrEnum):
    """What to do about a line of a trace that cannot be read."""

    stop = "stop"
    report = "report"


OnError = Annotated[
    OnErrorChoice, typer.Option(help="A line that cannot be read: stop, or leave it out and say so.")
]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of every random draw.")]
Mode = Annotated[ModeChoice | None, typer.Option(help="Issue requests by trace time or by queue depth.")]
QueueDepth = Annotated[int | None, typer.Option(min=1, help="Requests outstanding in closed loop.")]
TimeScale = Annotated[
    float | None, typer.Option(metavar="X", help="Play an open-loop trace X times faster than recorded.")
]
TargetUtilisation = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="Instead of --time-scale: play as fast as keeps the dies busy this share of the time, e.g. 60%.",
    ),
]
Audit = Annotated[bool, typer.Option("--audit", help="Check the drive's invariants and every page's data.")]
RecordRequests = Annotated[
    bool, typer.Option("--record-requests", help="Keep one row per request (Parquet).")
]
RecordGc = Annotated[bool, typer.Option("--record-gc", help="Keep one row per collected block (Parquet).")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="Write results and report here.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print machine-readable results to stdout and nothing else.")
]


@dataclass(frozen=True)
class Opening:
    """How to open a trace file; every command that opens one takes these options."""

    format: str | None
    sort: bool
    device: str | None
    event: str | None
    time_unit: str | None
    columns: str | None
    separator: str | None
    on_error: Literal["stop", "report"]

    def open(self, path: Path) -> Trace:
        """The trace in `path`."""
        return open_trace(path, **asdict(self))


def opens_a_trace(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that has a parameter `opening: Opening` the options of `Opening` instead of it.

    >>> @opens_a_trace
    ... def show(trace: TraceFile, opening: Opening) -> None:
    ...     print(opening.device)
    >>> show(Path("t"), trace_device="8,16")
    8,16
    """
    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        if name == "opening":
            parameters += [
                inspect.Parameter(option, parameter.KEYWORD_ONLY, default=default, annotation=annotation)
                for option, (default, annotation) in _OPENING.items()
            ]
        else:
            # What follows the options is given by name, as Typer does with all of them.
            kind = (
                parameter.KEYWORD_ONLY
                if parameters and parameters[-1].kind == parameter.KEYWORD_ONLY
                else parameter.kind
            )
            parameters.append(parameter.replace(kind=kind))

    @functools.wraps(command)
    def with_options(*arguments: Any, **named: Any) -> None:
        given = {option: named.pop(option, default) for option, (default, _) in _OPENING.items()}
        opening = Opening(
            format=given["format_name"],
            sort=given["sort"],
            device=given["trace_device"],
            event=given["event"],
            time_unit=given["time_unit"],
            columns=given["columns"],
            separator=given["separator"],
            on_error=given["on_error"].value,
        )
        command(*arguments, opening=opening, **named)

    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_options


_OPENING: dict[str, tuple[Any, Any]] = {
    "format_name": (None, Format),
    "sort": (False, Sort),
    "trace_device": (None, TraceDevice),
    "event": (None, Event),
    "time_unit": (None, TimeUnit),
    "columns": (None, Columns),
    "separator": (None, Separator),
    "on_error": (OnErrorChoice.stop, OnError),
}


@dataclass(frozen=True)
class Job:
    """What is to be run, apart from the scheme."""

    device: str
    settings: dict[str, Value]
    trace: Trace
    fit: Fit | None
    audit: bool
    record_requests: bool
    record_gc: bool

    def drive(self, schemes: tuple[str, ...] = (), settings: dict[str, Value] | None = None) -> Device:
        """The drive with `schemes` and further settings on it."""
        merged = self.settings | (settings or {})
        return Device(self.device).with_scheme(*schemes).with_(**merged)


def split_setting(text: str) -> tuple[str, str]:
    """Split KEY=VALUE.

    >>> split_setting("gc.victim.kind=fifo")
    ('gc.victim.kind', 'fifo')
    """
    key, equals, value = text.partition("=")
    if not (equals and key.strip() and value.strip()):
        raise InputError(f'--set "{text}": expected KEY=VALUE, as in --set gc.victim.kind=fifo')
    return key.strip(), value.strip()


def settings_of(
    sets: list[str] | None,
    *,
    warmup: str | None,
    seed: int | None,
    mode: ModeChoice | None,
    queue_depth: int | None,
    time_scale: float | None,
    target_utilisation: str | None,
    steps: dict[str, Value],
) -> dict[str, Value]:
    """All settings given on the command line; one key given twice with different values is refused."""
    named: list[tuple[str, Value | None]] = [
        ("seed", seed),
        ("host.mode", mode.value if mode else None),
        ("host.queue_depth", queue_depth),
        ("host.time_scale", time_scale),
        (
            "host.target_utilisation",
            None if target_utilisation is None else share_text("--target-utilisation", target_utilisation),
        ),
    ]
    given: list[tuple[str, Value]] = [(key, value) for key, value in named if value is not None]
    given += steps.items()
    given += warmup_settings(warmup).items() if warmup is not None else []
    given += [split_setting(text) for text in sets or []]
    merged: dict[str, Value] = {}
    for key, value in given:
        if key in merged and str(merged[key]) != str(value):
            raise InputError(f"{key} is given twice, as {merged[key]} and as {value}; give it once")
        merged[key] = value
    return merged


def job_of(
    trace: Path,
    device: str,
    settings: dict[str, Value],
    *,
    fit: FitChoice | None,
    opening: Opening,
    audit: bool,
    record_requests: bool,
    record_gc: bool,
    output: Path | None,
) -> Job:
    """Check what can be checked at once and open the trace."""
    if (record_requests or record_gc) and output is None:
        raise InputError("--record-requests and --record-gc write Parquet files: say where with -o DIR")
    if output is not None and output.exists() and not output.is_dir():
        raise InputError(f"{output}: is a file; -o takes a directory")
    return Job(
        device, settings, opening.open(trace), fit.value if fit else None, audit, record_requests, record_gc
    )
