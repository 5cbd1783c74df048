"""Suites of one's own: another drive, other recordings, or workloads that are drawn anew."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from reclaim.device import Device
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.point import Point
from reclaim.study.judging.suite import GENERATED, Suite
from reclaim.study.sensitivity.small import SettingLine, made_small, size_of, values
from reclaim.trace.trace import Trace

MOST_PLAYS = 16
"""Of a recording that writes less than its drive holds."""
FEWEST_BLOCKS = (128, 256, 512, 1024)
"""Of a plane: schemes that keep classes apart have a dozen blocks open. More where spare space asks it."""
MOST_BLOCKS = 1 << 16
"""Of a plane, before it is made as small as a workload asks."""
DRAWN = 8
"""Workloads that are drawn: two of each kind."""
LOAD = {"host.mode": "open-loop", "host.target_utilisation": "20%"}
"""Of a drive whose file says nothing of it: the share of the time of its dies, before collection."""
PACES = ("time_scale", "target_utilisation", "target_total_utilisation")


def own(suite: Suite, *, drive: str = "", traces: Sequence[str] = (), draw: int | None = None) -> Suite:
    """Give a suite with a drive or workloads of one's own, on which all rivals run, too.

    Args:
        suite: has the rivals, and what is not given.
        drive: a name, or a file; its planes get as many blocks as a workload fills.
        traces: recordings, as files or names of the catalogue.
        draw: a number from which other workloads follow, like those that the suite generates.

    Raises:
        InputError: for a drive or a trace that is none.
    """
    if traces and draw is not None:
        raise InputError("--trace and --draw: both say what is written; give one of them")
    entries: list[Mapping[str, Any]] = list(suite.table["traces"])
    if traces:
        entries = [{"name": name, "source": source} for name, source in _named(traces).items()]
    elif draw is not None:
        entries = [drawn(suite, draw, number) for number in range(DRAWN)]
    if drive:
        entries = [{**each, "set": _without_size(each.get("set", {}))} for each in entries]
    file = str(Path(drive).absolute()) if drive.endswith(".toml") else drive
    made = replace(suite, table={**suite.table, "traces": entries}, drive=file, is_own=True)
    if not (drive or traces):
        return made
    # As large as any workload asks: `made_small` says how small.
    large = Device(file or str(suite.folder / suite.devices[-1])).set(
        "geometry.blocks_per_plane", MOST_BLOCKS
    )
    large = large.set("trace.remap", "compact")
    pace = {} if not drive or any(key in large.config["host"] for key in PACES) else LOAD
    points = {each.trace: each for each in _points(made)}
    sized = [
        {**each, "set": {**each.get("set", {}), **pace, **_size(large, points[each["name"]])}}
        for each in entries
    ]
    return replace(made, table={**made.table, "traces": sized})


def chosen(edition: str, *, drive: str = "", traces: Sequence[str] = (), draw: int | None = None) -> Suite:
    """Give an edition, or one with a drive or workloads of one's own.

    Raises:
        InputError: as `Suite.named` and `own`.
    """
    suite = Suite.named(edition)
    asked = drive or traces or draw is not None
    return own(suite, drive=drive, traces=traces, draw=draw) if asked else suite


def _points(suite: Suite) -> list[Point]:
    table = suite.experiment(suite.table["schemes"][:1], untimed=True)
    return Experiment.from_dict({**table, "repeats": {"count": 1}}).points()


def _named(traces: Sequence[str]) -> dict[str, str]:
    """Name recordings by their files."""
    found: dict[str, str] = {}
    for each in traces:
        name = Path(each).name.partition(".")[0]
        if name in found:
            raise InputError(
                f"--trace {each}: another one is called {name}; give that a file of another name"
            )
        found[name] = str(Path(each).absolute()) if Path(each).is_file() else each
    return found


def _without_size(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if not key.startswith("geometry.")}


def _size(large: Device, point: Point) -> dict[str, Any]:
    """Give the settings that make a drive as large as a trace asks."""
    assert point.opened is not None, point.refused  # noqa: S101 - mistakes were told before
    lines, small = _small(large, point.opened)
    # When collection starts is a policy's matter.
    found = {key: value for key, value in values(lines).items() if not key.startswith("gc.")}
    if point.source:
        writes = float(small.facts(point.opened)["trace"]["drive_writes"])
        found["trace.repeat"] = min(MOST_PLAYS, max(1, math.ceil(1 / writes)))
    return found


def _small(large: Device, trace: Trace) -> tuple[list[SettingLine], Device]:
    """Make it as small as its spare space allows."""
    for fewest in FEWEST_BLOCKS[:-1]:
        with suppress(InputError):
            return made_small(large, trace, fewest)
    return made_small(large, trace, FEWEST_BLOCKS[-1])


def refused(suite: Suite, rivals: Sequence[str], *, untimed: bool = False) -> dict[str, str]:
    """Give the rivals that a drive of one's own refuses, and why."""
    known, reasons = dict(zip(suite.rivals, suite.table["schemes"], strict=True)), {}
    for rival in rivals:
        table = {**suite.experiment([known[rival]], untimed=untimed), "repeats": {"count": 1}}
        try:
            points = Experiment.from_dict(table).points()
        except InputError as error:
            reasons[rival] = str(error)
            continue
        if all(point.drive is None for point in points):
            reasons[rival] = points[0].refused
    return reasons


def sizes(suite: Suite) -> str:
    """Say how small its drives are made for its workloads."""
    found = {
        what: [each["set"][key] for each in suite.table["traces"] if key in each.get("set", {})]
        for what, key in (("blocks", "geometry.blocks_per_plane"), ("pages", "geometry.pages_per_block"))
    }
    told = [f"{min(of):,} to {max(of):,} {what}" for what, of in found.items() if of]
    return f"planes of {', blocks of '.join(told)}" if suite.is_own else ""


def drawn(suite: Suite, seed: int, number: int) -> Mapping[str, Any]:
    """Draw a workload like those that a suite generates.

    Args:
        suite: of which its size is.
        seed: from which all follow.
        number: which of them.
    """
    chance = random.Random(f"{suite.name} {seed} {number}")  # noqa: S311 - the same everywhere
    like = next(each for each in suite.table["traces"] if suite.families[each["name"]] == GENERATED)
    whole = like["generate"]["address"]["footprint"]

    def between(low: float, high: float) -> float:
        return round(chance.uniform(low, high), 2)

    hot, often = between(0.05, 0.2), between(0.8, 0.95)
    theta, window = between(0.8, 1.3), between(0.05, 0.2)
    zones = [{"space": hot, "access": often}, {"space": round(1 - hot, 2), "access": round(1 - often, 2)}]
    half = f"{size_of('footprint', whole) // 2} B"
    table = {"kind": "zipf", "footprint": half, "offset": half, "theta": theta}
    log = {"kind": "streams", "footprint": half, "streams": 1}
    part, rest = between(0.3, 0.7), zones[1]["access"]
    moving = [{"space": 0.5, "access": often, "window": window}, {"space": 0.5, "access": rest}]
    beside = [{"weight": part, "address": log}, {"weight": round(1 - part, 2), "address": table}]
    kinds: list[tuple[str, dict[str, Any]]] = [
        (f"zipf {theta}", {"kind": "zipf", "theta": theta}),
        (f"hot {hot} {often}", {"kind": "hot-cold", "zones": zones}),
        (f"moving {window} {often}", {"kind": "hot-cold", "zones": moving}),
        (f"log {part} table {theta}", {"kind": "mixed", "parts": beside}),
    ]
    name, address = kinds[number % len(kinds)]
    sized = address if address["kind"] == "mixed" else {**address, "footprint": whole}
    generate = {**like["generate"], "operations": {"write": between(0.5, 0.7)}, "address": sized}
    return {**like, "name": f"{number + 1} {name}", "generate": generate}
