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
from reclaim.study.judging.public import fetched
from reclaim.study.judging.suite import GENERATED, PUBLIC, Suite
from reclaim.study.sensitivity.small import SettingLine, made_small, size_of, values
from reclaim.trace.trace import Trace

MOST_PLAYS = 16
"""Of a recording that writes less than its drive holds."""
FEWEST_BLOCKS = (128, 256, 512, 1024)
"""Of a plane: schemes that keep classes apart have a dozen blocks open. More where spare space asks it."""
MOST_BLOCKS = 1 << 16
"""Of a plane, before it is made as small as a workload asks."""
SEEN, HELD = 4, 4
"""Workloads that are drawn: one of each family that suites generate, and of so many that are held out."""
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
        families = held_out(suite)
        entries = [drawn(suite, draw, number) for number in range(SEEN)]
        entries += [drawn_of(suite, draw, family) for family in families]
        suite = replace(suite, held_out=tuple(families))
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


def chosen(
    edition: str,
    *,
    drive: str = "",
    traces: Sequence[str] = (),
    draw: int | None = None,
    family: str = "",
) -> Suite:
    """Give an edition, or one with a drive or workloads of one's own.

    Raises:
        InputError: as `Suite.named`, `own` and `fetched`, and for a family that nobody fetches.
    """
    suite = Suite.named(edition)
    if family:
        if family != PUBLIC:
            raise InputError(f"--family {family}: valid: {PUBLIC}; the other families are part of every card")
        if traces:
            raise InputError("--family and --trace: both say what is written; give one of them")
        suite, traces = replace(suite, family=family), fetched(suite)
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
    found = dict(values(lines))
    if point.source:
        writes = float(small.facts(point.opened)["trace"]["drive_writes"])
        found["trace.repeat"] = min(MOST_PLAYS, max(1, math.ceil(1 / writes)))
    return found


def _small(large: Device, trace: Trace) -> tuple[list[SettingLine], Device]:
    """Make it as small as its spare space allows; when collection starts is a policy's matter."""
    for fewest in FEWEST_BLOCKS[:-1]:
        with suppress(InputError):
            return made_small(large, trace, fewest, scale_trigger=False)
    return made_small(large, trace, FEWEST_BLOCKS[-1], scale_trigger=False)


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


def drawn(suite: Suite, seed: int | str, number: int) -> Mapping[str, Any]:
    """Draw a workload like those that a suite generates.

    Args:
        suite: of which its size is.
        seed: from which all follow.
        number: which of them.
    """
    chance = random.Random(f"{suite.name} {seed} {number}")  # noqa: S311 - the same everywhere
    like, whole, half = _like(suite)

    def between(low: float, high: float) -> float:
        return round(chance.uniform(low, high), 2)

    hot, often = between(0.05, 0.2), between(0.8, 0.95)
    theta, window = between(0.8, 1.3), between(0.05, 0.2)
    zones = [{"space": hot, "access": often}, {"space": round(1 - hot, 2), "access": round(1 - often, 2)}]
    table = {"kind": "zipf", "footprint": half, "offset": half, "theta": theta}
    log = {"kind": "streams", "footprint": half, "streams": 1}
    part, rest = between(0.3, 0.7), zones[1]["access"]
    moving = [{"space": 0.5, "access": often, "window": window}, {"space": 0.5, "access": rest}]
    kinds: list[tuple[str, dict[str, Any]]] = [
        (f"zipf {theta}", {"kind": "zipf", "footprint": whole, "theta": theta}),
        (f"hot {hot} {often}", {"kind": "hot-cold", "footprint": whole, "zones": zones}),
        (f"moving {window} {often}", {"kind": "hot-cold", "footprint": whole, "zones": moving}),
        (f"log {part} table {theta}", _mixed(part, log, table)),
    ]
    name, address = kinds[number % len(kinds)]
    return _made(like, f"{number + 1} {name}", address, between(0.5, 0.7))


def held_out(suite: Suite) -> list[str]:
    """Name the families that an edition holds out: drawn by its name from those that no suite generates."""
    draw = random.Random(f"{suite.name} held out")  # noqa: S311 - the same everywhere
    return sorted(draw.sample(FAMILIES, HELD))


FAMILIES = ("uniform", "neighbours", "three zones", "phases", "two tenants", "rewritten", "swept", "logs")


def drawn_of(suite: Suite, seed: int | str, family: str) -> Mapping[str, Any]:
    """Draw a workload of one of `FAMILIES`, which is called by its family.

    Args:
        suite: of which its size is.
        seed: from which all follow.
        family: which.
    """
    chance = random.Random(f"{suite.name} {seed} {family}")  # noqa: S311 - the same everywhere
    like, whole, half = _like(suite)

    def between(low: float, high: float) -> float:
        return round(chance.uniform(low, high), 2)

    part, theta, often = between(0.3, 0.7), between(0.8, 1.3), between(0.6, 0.8)
    table = {"kind": "zipf", "footprint": half, "offset": half, "theta": theta}
    hot, warm = between(0.02, 0.1), between(0.1, 0.3)
    rest = {"space": round(1 - hot, 2), "access": round(1 - often, 2)}
    third = round((1 - often) / 2, 3)
    below: list[dict[str, Any]] = [{"space": warm, "access": third}]
    below.append({"space": round(1 - hot - warm, 2), "access": round(1 - often - third, 3)})
    moving = [{"space": 0.5, "access": often, "window": hot}, {"space": 0.5, "access": rest["access"]}]
    zones = {"kind": "hot-cold", "footprint": whole}
    lower = {"footprint": half}
    addresses: dict[str, dict[str, Any]] = {
        "uniform": {"kind": "uniform", "footprint": whole},
        # What is written often lies together.
        "neighbours": {"kind": "zipf", "footprint": whole, "theta": theta, "shuffled": False},
        "three zones": {**zones, "zones": [{"space": hot, "access": often}, *below]},
        # A batch in one zone, then one in another.
        "phases": {**zones, "zones": [{"space": hot, "access": often}, rest], "run": 1000 * often},
        "two tenants": _mixed(part, {**lower, "kind": "hot-cold", "zones": moving}, table),
        # All of a table, in any order, over and over.
        "rewritten": _mixed(part, {**lower, "kind": "uniform", "once": True}, table),
        "swept": _mixed(part, {**lower, "kind": "sweep", "lanes": 16}, table),
        "logs": _mixed(part, {**lower, "kind": "streams", "streams": chance.randint(2, 8)}, table),
    }
    return _made(like, family, addresses[family], between(0.5, 0.7))


def _like(suite: Suite) -> tuple[Mapping[str, Any], str, str]:
    """Give a workload that a suite generates, its footprint, and half of that."""
    like = next(each for each in suite.table["traces"] if suite.families[each["name"]] == GENERATED)
    whole = like["generate"]["address"]["footprint"]
    return like, whole, f"{size_of('footprint', whole) // 2} B"


def _mixed(part: float, one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    parts = [{"weight": part, "address": one}, {"weight": round(1 - part, 2), "address": other}]
    return {"kind": "mixed", "parts": parts}


def _made(like: Mapping[str, Any], name: str, address: Mapping[str, Any], writes: float) -> Mapping[str, Any]:
    generate = {**like["generate"], "operations": {"write": writes}, "address": address}
    return {**like, "name": name, "generate": generate}
