"""Reads an experiment file into its parts, and notes every mistake on the way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from reclaim.bench.ablate_section import AblateEntry, read_ablate
from reclaim.bench.axes import read_axes
from reclaim.bench.comparisons import SECTION as COMPARISONS
from reclaim.bench.comparisons import ComparisonEntry, read_comparisons
from reclaim.bench.entries import read_devices, read_schemes, read_traces
from reclaim.bench.extends import EXTENDS, WITHOUT
from reclaim.bench.fields import check_keys, flag_of, kind_of, name_of, table_of, text_of
from reclaim.bench.mistakes import Mistakes, valid
from reclaim.bench.parts import (
    Axis,
    By,
    DeviceEntry,
    Record,
    Repeats,
    SchemeEntry,
    Sensitivity,
    Settings,
    TraceEntry,
)
from reclaim.bench.sensitivity import SECTION, check_comparison, read_sensitivity
from reclaim.bench.tune_section import SECTION as TUNE
from reclaim.bench.tune_section import Others, TuneEntry, read_tune
from reclaim.bench.values import read_settings

KEYS = (
    "name",
    "about",
    EXTENDS,
    WITHOUT,
    "devices",
    "traces",
    "schemes",
    "set",
    "axes",
    "vary",
    "repeats",
    "record",
    COMPARISONS,
    "ablate",
    SECTION,
    TUNE,
)
RECORDED = ("timeline", "gc", "requests", "audit")
MOST_REPEATS = 10_000
TIME = re.compile(r"\d+(\.\d+)?\s*(ns|us|µs|ms|s)")


@dataclass(frozen=True)
class Parts:
    """All that a file says."""

    name: str
    about: str
    devices: tuple[DeviceEntry, ...]
    traces: tuple[TraceEntry, ...]
    schemes: tuple[SchemeEntry, ...]
    settings: Settings
    axes: tuple[Axis, ...]
    repeats: Repeats
    record: Record
    comparisons: tuple[ComparisonEntry, ...] = ()
    """What a report shows side by side; none: all schemes."""
    ablate: AblateEntry | None = None
    """What `reclaim ablate` takes apart; None where the file does not say."""
    sensitivity: Sensitivity | None = None
    """What is studied of it; None where nothing is."""
    tune: TuneEntry | None = None
    """What `reclaim tune` tunes; None where the file does not say."""


def read_parts(table: Mapping[str, Any], base: Path, mistakes: Mistakes) -> Parts:
    """Read a whole file; what is wrong is left out and noted."""
    check_keys(table, (), KEYS, mistakes)
    if "name" not in table:
        mistakes.add((), 'name is missing; say what the experiment is called, as in name = "victims"')
    devices, traces = read_devices(table, base, mistakes), read_traces(table, base, mistakes)
    schemes = read_schemes(table, base, traces, mistakes)
    axes = read_axes(table, base, mistakes)
    repeats = _repeats(table_of(table, "repeats", mistakes), mistakes)
    parts = Parts(
        name=name_of(table, "name", (), mistakes),
        about=text_of(table, "about", (), mistakes),
        devices=devices,
        traces=traces,
        schemes=schemes,
        settings=read_settings(table_of(table, "set", mistakes), ("set",), base, mistakes),
        axes=axes,
        repeats=repeats,
        record=_record(table_of(table, "record", mistakes), mistakes),
        comparisons=read_comparisons(table, schemes, mistakes),
        ablate=read_ablate(table, schemes, mistakes),
        sensitivity=read_sensitivity(table[SECTION], mistakes) if SECTION in table else None,
        tune=read_tune(table, Others(devices, traces, schemes, axes, repeats), base, mistakes),
    )
    if parts.sensitivity is not None:
        check_comparison(
            parts.sensitivity, parts.schemes, len(parts.devices), parts.axes, parts.repeats, mistakes
        )
    return parts


def _repeats(table: Mapping[str, Any], mistakes: Mistakes) -> Repeats:
    check_keys(table, ("repeats",), ("count", "by", "jitter"), mistakes)
    count, by, jitter = table.get("count", 1), table.get("by", "seed"), table.get("jitter", "")
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_REPEATS:
        bare = isinstance(count, str) and count.strip().isdigit()
        hint = f"; write it without quotes: {count}" if bare else ""
        mistakes.add(
            ("repeats", "count"),
            f"must be a whole number from 1 to {MOST_REPEATS}, not {kind_of(count)}{hint}",
        )
        count = 1
    if by not in get_args(By):
        mistakes.add(("repeats", "by"), f"{kind_of(by)} is unknown; {valid(str(by), get_args(By))}")
        by = "seed"
    if by == "jitter" and "jitter" not in table:
        mistakes.add(("repeats", "by"), 'needs the size of the jitter, as in jitter = "10us"')
    if "jitter" in table and by != "jitter":
        mistakes.add(
            ("repeats", "jitter"), f'would do nothing with by = "{by}"; leave it out, or use by = "jitter"'
        )
    elif "jitter" in table and not (isinstance(jitter, str) and TIME.fullmatch(jitter)):
        mistakes.add(
            ("repeats", "jitter"), f'must be a time with its unit, as in "10us", not {kind_of(jitter)}'
        )
    return Repeats(count, by, str(jitter))


def _record(table: Mapping[str, Any], mistakes: Mistakes) -> Record:
    check_keys(table, ("record",), RECORDED, mistakes)
    return Record(**{key: flag_of(table, key, ("record",), mistakes) for key in RECORDED})
