"""Our workloads beside Tables 4 and 5: what they ask for, and how much of the drive that takes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal, get_args

from reclaim import Device, Trace, open_trace
from reclaim.paper.measured import number
from reclaim.paper.toolkit import PageTable

from .gains import WORKLOADS

SOURCES: Mapping[str, str] = {"mongodb": "bundled/mongodb_wt"}
"""Of the recordings that are not called as the workload."""
HEAD = (
    "workload",
    "reads among reads and writes, printed",
    "recording",
    "stand-in",
    "mean write, printed",
    "recording",
    "stand-in",
    "the host's demand of the channels, recording",
    "stand-in",
)


Kind = Literal["recording", "stand-in"]


@cache
def table() -> PageTable:
    """Share of reads, mean size of writes, and the share of the channels' time that the host alone takes."""
    return PageTable("workloads", HEAD, tuple(_row(name) for name in WORKLOADS))


def _trace(name: str, kind: Kind) -> Trace:
    return open_trace(SOURCES.get(name, f"bundled/{name}") if kind == "recording" else f"app-like/{name}")


def _row(name: str) -> tuple[str, ...]:
    file = resources.files("reclaim").joinpath("data", "published-figures", "app-like", f"{name}.toml")
    printed = tomllib.loads(file.read_text(encoding="utf-8"))["figures"]
    traces = [_trace(name, kind) for kind in get_args(Kind)]
    sums = [trace.summary() for trace in traces]
    shares = [_percent(each["reads"] / (each["reads"] + each["writes"])) for each in sums]
    sizes = [_kib(each["write_bytes"] / each["writes"]) for each in sums]
    demands = [_percent(_demand(trace)) for trace in traces]
    reads = _percent(1 - printed["requests"]["write_ratio"])
    return (name, reads, *shares, _kib(printed["sizes"]["write"]["mean_bytes"]), *sizes, *demands)


def _demand(trace: Trace) -> float:
    return float(Device("channel-aware-mini").set("trace.remap", "wrap").demand(trace)["utilisation"])


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _kib(size_bytes: float) -> str:
    return f"{number(size_bytes / 1024)} KiB"
