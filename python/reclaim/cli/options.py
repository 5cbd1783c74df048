"""Options that commands share, and what they mean for the library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from reclaim import _core
from reclaim.cli.bundle import takes
from reclaim.device import Device, Value, setting_text
from reclaim.errors import InputError
from reclaim.simulate import warmup_settings
from reclaim.trace.trace import Last, Trace, open_trace
from reclaim.trace.transforms import Remap, settings, share_text, size_text
from reclaim.units import NANOSECONDS

TraceFile = Annotated[Path, typer.Argument(metavar="TRACE", help="Trace file; format recognised by content.")]
DeviceName = Annotated[
    str,
    typer.Option(
        "--device",
        "-d",
        metavar="NAME|FILE.toml",
        help="Drive: a name of reclaim device list, or a TOML file.",
    ),
]
DeviceSource = Annotated[
    str, typer.Argument(metavar="NAME|FILE.toml", help="A name of reclaim device list, or a TOML file.")
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one setting, e.g. gc.victim=fifo; repeatable."),
]
Warmup = Annotated[
    str | None,
    typer.Option(
        metavar="empty|filled|overwrite[:N]|steady|replay[:N]|workload",
        help="State of the drive before the trace.",
    ),
]
NoOrderCheck = Annotated[
    bool,
    typer.Option(
        "--no-order-check",
        help="Do not look whether write amplification depends on the order in which the trace is replayed.",
    ),
]
Untimed = Annotated[
    bool,
    typer.Option(
        "--untimed",
        help="Play the trace without time: write amplification, erases and wear alone, many times as fast.",
    ),
]
Windows = Annotated[
    int | None,
    typer.Option(
        "--windows",
        metavar="N",
        min=1,
        help="Measure N windows along the trace, a tenth of it, and play the rest without time.",
    ),
]
Until = Annotated[
    Literal["worn"] | None,
    typer.Option(
        "--until",
        help="Play the trace over and over without time until blocks have failed as far as they may, and "
        "measure N of the plays (--windows, 8) with time. Needs flash.endurance.failures.",
    ),
]
MeasureAfter = Annotated[
    str | None,
    typer.Option(
        metavar="start|first-round|SHARE",
        help="Measure from the start, once every plane has ended a round of collection, or after e.g. 25% "
        "of the requests.",
    ),
]
RemapOption = Annotated[Remap | None, typer.Option(help="What to do with a trace larger than the drive.")]
RemapItself = Annotated[
    Remap | None,
    typer.Option(help="compact: number units of the trace as they are first touched; others need a drive."),
]
RemapUnit = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Units that --remap compact numbers: the drive's page size, or 4KiB."),
]
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


OnError = Annotated[
    Literal["stop", "report"] | None,
    typer.Option(help="A line that cannot be read: stop (the default), or leave it out and say so."),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of every random draw.")]
Mode = Annotated[
    Literal["open-loop", "closed-loop"] | None,
    typer.Option(help="Issue requests by trace time or by queue depth."),
]
QueueDepth = Annotated[int | None, typer.Option(min=1, help="Requests outstanding in closed loop.")]
TimeScale = Annotated[
    float | None, typer.Option(metavar="X", help="Play an open-loop trace X times faster than recorded.")
]
TargetUtilisation = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="Instead of --time-scale: play as fast as gives this die utilisation by the host's pages alone, "
        "e.g. 60%.",
    ),
]
TargetTotalUtilisation = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE:SCHEME",
        help="The same in total, collection included, under this scheme, e.g. 60%:greedy; "
        "found by running the trace.",
    ),
]
Audit = Annotated[bool, typer.Option("--audit", help="Check the drive's invariants and every page's data.")]
RecordRequests = Annotated[
    bool, typer.Option("--record-requests", help="Keep one row per request (Parquet).")
]
RecordGc = Annotated[bool, typer.Option("--record-gc", help="Keep one row per collected block (Parquet).")]
RecordTimeline = Annotated[
    bool,
    typer.Option("--record-timeline", help="Keep and draw what went on over simulated time (Parquet)."),
]
TimelineFile = Annotated[
    Path | None,
    typer.Option(
        "--timeline",
        metavar="FILE",
        help="Write what controllers, links, dies and jobs did as a Perfetto trace (.pftrace).",
    ),
]
WatchFile = Annotated[
    Path | None,
    typer.Option(
        "--watch",
        metavar="FILE.html",
        help="Write a page on which the blocks of a small drive fill up and are collected over time.",
    ),
]
TimelineWindow = Annotated[
    str | None,
    typer.Option(
        metavar="FROM..TO",
        help="The stretch of simulated time that --timeline has: 0ms..100ms if left out.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="Write results and report here.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print machine-readable results to stdout and nothing else.")
]


INSTANT = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s)")


def window_of(given: str) -> tuple[int, int]:
    """A stretch of simulated time in ns.

    >>> window_of("1.5us..2ms")
    (1500, 2000000)

    Raises:
        InputError: if it is none.
    """
    ends = [INSTANT.fullmatch(each.strip()) for each in given.split("..")]
    if len(ends) == 2 and (begin := ends[0]) and (end := ends[1]):
        first, last = (round(float(each[1]) * NANOSECONDS[each[2]]) for each in (begin, end))
        if first < last:
            return first, last
    raise InputError(
        f'--timeline-window "{given}": write two instants of simulated time, the earlier one first, as in '
        "0ms..100ms; units: ns, us, ms, s"
    )


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
    on_error: Literal["stop", "report"] | None

    def settings(self) -> dict[str, Value]:
        """The same as settings below `trace`, as far as given: they hold for merged traces, too."""
        return {**settings({key: value for key, value in asdict(self).items() if value is not False}, "--")}

    def open(self, path: Path, *, merged: bool = False) -> Trace:
        """The trace in `path`; what is `merged` into it is opened in the same way."""
        trace = open_trace(path, **asdict(self) | {"on_error": self.on_error or "stop"})
        self.check(trace, merged=merged)
        return trace

    def check(self, trace: Trace, *, merged: bool) -> None:
        """Refuse options of opening a file where requests are generated and none is read.

        Raises:
            InputError: with the option.
        """
        given = [key for key, value in asdict(self).items() if value]
        if trace.description is not None and given and not merged:
            option = {"device": "trace-device"}.get(given[0], given[0].replace("_", "-"))
            raise InputError(f"{trace.name}: --{option} has no meaning: its requests are generated, not read")


def _opening(
    format_name: Format = None,
    sort: Sort = False,
    trace_device: TraceDevice = None,
    event: Event = None,
    time_unit: TimeUnit = None,
    columns: Columns = None,
    separator: Separator = None,
    on_error: OnError = None,
) -> Opening:
    return Opening(format_name, sort, trace_device, event, time_unit, columns, separator, on_error)


opens_a_trace = takes("opening", _opening)


def itself(
    remap: Remap | None, remap_unit: str | None, time_scale: float | None, page_size: str | None = None
) -> Last:
    """Steps that change the trace itself where no drive plays it."""
    if remap_unit is not None and remap != "compact":
        raise InputError("--remap-unit: nothing is compacted; say so with --remap compact")
    unit = page_size if remap_unit is None else size_text("--remap-unit", remap_unit)
    return {"remap": remap, "remap_unit": unit, "time_scale": time_scale}


def split_setting(text: str) -> tuple[str, str]:
    """Split KEY=VALUE.

    >>> split_setting("gc.victim=fifo")
    ('gc.victim', 'fifo')
    """
    key, equals, value = text.partition("=")
    if not (equals and key.strip() and value.strip()):
        raise InputError(f'--set "{text}": expected KEY=VALUE, as in --set gc.victim=fifo')
    return key.strip(), value.strip()


def check_warmup_of_state(given: Mapping[str, Value], drive: Device, state: Path) -> None:
    """Refuse another warm-up beside a saved state than the one that made it.

    Raises:
        InputError: with both.
    """
    named = {key: value for key, value in given.items() if key.startswith("warmup.")}
    if not named:
        return
    made, wanted = (drive.facts(load_state=each)["assumed_state"] for each in (state, None))
    if made != wanted:
        raise InputError(
            f"--load-state {state}: was saved after another warm-up ({made}), and is loaded instead of one; "
            "leave out --warmup"
        )


def _in_total(text: str) -> dict[str, Value]:
    """Split SHARE:SCHEME.

    >>> _in_total("60%:greedy")
    {'host.target_total_utilisation': '60%', 'host.target_scheme': 'greedy'}
    """
    share, _, scheme = text.partition(":")
    if not scheme.strip():
        raise InputError(
            f"--target-total-utilisation {text}: what collection adds depends on the scheme; name one, as in "
            "60%:greedy"
        )
    target = share_text("--target-total-utilisation", share)
    return {"host.target_total_utilisation": target, "host.target_scheme": scheme.strip()}


def said(
    sets: Sets = None,
    warmup: Warmup = None,
    no_order_check: NoOrderCheck = False,
    untimed: Untimed = False,
    windows: Windows = None,
    until: Until = None,
    measure_after: MeasureAfter = None,
    seed: Seed = None,
    mode: Mode = None,
    queue_depth: QueueDepth = None,
    time_scale: TimeScale = None,
    target_utilisation: TargetUtilisation = None,
    target_total_utilisation: TargetTotalUtilisation = None,
) -> list[tuple[str, Value]]:
    """Give the settings that the command line says, each as often as it does."""
    share = None if target_utilisation is None else share_text("--target-utilisation", target_utilisation)
    named: dict[str, Value | None] = {
        "seed": seed,
        "warmup.order_check": False if no_order_check else None,
        "measure.untimed": untimed or None,
        "measure.windows.count": windows,
        "measure.windows.until": until,
        "measure.after": measure_after,
        "host.mode": mode,
        "host.queue_depth": queue_depth,
        "host.time_scale": time_scale,
        "host.target_utilisation": share,
    }
    given: list[tuple[str, Value]] = [(key, value) for key, value in named.items() if value is not None]
    given += _in_total(target_total_utilisation).items() if target_total_utilisation is not None else []
    given += warmup_settings(warmup).items() if warmup is not None else []
    return given + [split_setting(text) for text in sets or []]


def settings_of(
    given: Iterable[tuple[str, Value]], steps: Mapping[str, Value] | None = None
) -> dict[str, Value]:
    """All settings given on the command line; two of which one would undo the other are refused."""
    every = [*(steps or {}).items(), *given]
    values = dict(every)
    return {key: values[key] for key, _ in _core.at_once([(key, setting_text(each)) for key, each in every])}
