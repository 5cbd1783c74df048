"""Whether a stand-in costs the collector what its source costs: both are played on the same small drives.

A drive is as large as what the source touches, with a given share of its blocks spare. Both traces are
repeated until write amplification is steady, and then measured over one round, under three victim policies
and three load rules.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from reclaim.device import Device, Value
from reclaim.errors import InputError
from reclaim.experiment.task import cores
from reclaim.paper.loads import CLOSED, SHARES, search
from reclaim.report.document import Column, Table
from reclaim.report.forms import markdown_of
from reclaim.result.result import Result
from reclaim.simulate import simulate
from reclaim.trace.trace import Trace

PAGE_BYTES = 4096
SPARES = (0.07, 0.15, 0.28)
"""Shares of the drive's pages beyond those that the source touches."""
VICTIMS = ("greedy", "fifo", "cost-benefit")
SCALED = "30%"
LOADS = ("own", SCALED, "closed")
SHAPES = ((4, 64), (2, 64), (1, 64), (1, 32), (1, 16))
"""Planes, each with a channel of its own, and pages of a block: the first that gives a plane `BLOCKS`."""
BLOCKS = 80
"""So few that at the smallest spare factor there are as many spare blocks as collection needs to get on."""
WARM_UP = 10.0
"""Most that is written before measuring, in logical capacities."""
PERCENTILES = (50.0, 99.0, 99.9)


@dataclass(frozen=True)
class RunFigures:
    """What one run on one drive cost."""

    write_amplification: float | None
    """None where nothing was written."""
    relocated_per_victim: float | None
    """Pages; None where nothing was collected."""
    erases: int
    read_ns: tuple[int | None, ...]
    """Latencies at `PERCENTILES`; None without reads."""
    write_ns: tuple[int | None, ...]

    def figures(self) -> dict[str, float | None]:
        """All by name, in the order in which they are printed."""
        found: dict[str, float | None] = {
            "write_amplification": self.write_amplification,
            "relocated_per_victim": self.relocated_per_victim,
            "erases": float(self.erases),
        }
        for op, latencies in (("read", self.read_ns), ("write", self.write_ns)):
            found |= {
                f"{op}_p{percent:g}_ns": latency
                for percent, latency in zip(PERCENTILES, latencies, strict=True)
            }
        return found


@dataclass(frozen=True)
class SideBySide:
    """Source and stand-in on the same drive."""

    spare: float
    victim: str
    load: str
    source: RunFigures
    stand_in: RunFigures

    def deviation(self, name: str) -> float | None:
        """How far the stand-in is off its source, as a share of it; None where one has no such figure."""
        there, found = self.source.figures()[name], self.stand_in.figures()[name]
        return None if not there or found is None else found / there - 1

    @property
    def collected(self) -> bool:
        """Whether the source made the collector move anything, so that there is something to compare."""
        return bool(self.source.relocated_per_victim)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        deviations = {name: self.deviation(name) for name in self.source.figures()}
        return asdict(self) | {"collected": self.collected, "deviations": deviations}


@dataclass(frozen=True)
class Deviation:
    """How far write amplification under one victim policy is off, over all spare factors and loads."""

    victim: str
    runs: int
    """Runs in which the source made the collector move pages; the others say nothing."""
    median: float
    largest: float
    """The one furthest from 0."""


def amplification_off(cells: Sequence[SideBySide]) -> list[Deviation]:
    """Sum up the cells, a row for each victim policy under which there is something to compare."""
    found: dict[str, list[float]] = {}
    for cell in cells:
        deviation = cell.deviation("write_amplification")
        if cell.collected and deviation is not None:
            found.setdefault(cell.victim, []).append(deviation)
    return [
        Deviation(victim, len(each), statistics.median(each), max(each, key=abs))
        for victim, each in found.items()
    ]


def document(checks: Mapping[str, Sequence[SideBySide]]) -> str:
    """Give a table of several stand-ins for `docs/traces.md`: by victim policy the median and the largest."""
    off = {name: {each.victim: each for each in amplification_off(cells)} for name, cells in checks.items()}
    victims = list(dict.fromkeys(victim for found in off.values() for victim in found))

    def cell(each: Deviation | None) -> str:
        return "–" if each is None else f"{100 * each.median:+.0f} % ({100 * each.largest:+.0f} %)"

    rows = [[name, *(cell(found.get(victim)) for victim in victims)] for name, found in off.items()]
    columns = [Column("stand-in", code=True), *(Column(victim, right=True) for victim in victims)]
    return markdown_of(Table(columns, rows))


def drive_for(pages: int, spare: float, victim: str) -> Device:
    """Make a drive whose pages are `pages` and as many more as the spare factor says.

    Raises:
        InputError: if that is too few for a drive.
    """
    for planes, per_block in SHAPES:
        blocks = math.ceil(pages / (1 - spare) / (planes * per_block))
        if blocks >= BLOCKS:
            break
    else:
        raise InputError(
            f"the trace touches {pages} pages of 4 KiB, too few for a drive that collects: at least "
            f"{BLOCKS * SHAPES[-1][1]} are needed"
        )
    settings: dict[str, Value] = {
        "name": f"side-by-side-{100 * spare:g}",
        "geometry.channels": planes,
        "geometry.blocks_per_plane": blocks,
        "geometry.pages_per_block": per_block,
        # Rounded down, so that every page of the source has its place.
        "geometry.spare_factor": f"{100 * (1 - pages / (blocks * planes * per_block)) - 0.001:.3f}%",
        # Early collection would take a share of the spare space that differs from drive to drive.
        "gc.trigger.start": "1 block",
        "gc.victim": victim,
        "trace.remap": "compact",
        "warmup.kind": "workload",
        "warmup.limit": WARM_UP,
    }
    return Device.preset("deferred-raid-mini").with_settings(settings)


def side_by_side(
    source: Trace,
    stand_in: Trace,
    tell: Callable[[int, int], object] | None = None,
    loads: Sequence[str] = LOADS,
) -> list[SideBySide]:
    """Play both traces on every drive.

    Args:
        source: what the stand-in stands in for.
        stand_in: that.
        tell: called with the number of cells that are done, and of all.
        loads: some of the load rules.

    Raises:
        InputError: if a trace cannot be read, or is too small for a drive.
    """
    traces = (source, stand_in)
    touched = (each.characteristics()["space"]["footprint_bytes"] for each in traces)
    pages = -(-max(touched) // PAGE_BYTES) + 1
    places = list(itertools.product(SPARES, VICTIMS, loads))
    with ThreadPoolExecutor(cores()) as pool:
        scaled = SPARES if SCALED in loads else ()
        scales = dict(zip(scaled, pool.map(partial(_scale, source, pages), scaled), strict=True))
        cells: list[SideBySide] = []
        for cell in pool.map(partial(_cell, traces, pages, scales), places):
            cells.append(cell)
            if tell is not None:
                tell(len(cells), len(places))
    return cells


def _scale(source: Trace, pages: int, spare: float) -> float:
    """Find the scale of arrival times at which the source uses the dies as `SCALED` says, under greedy."""
    drive = drive_for(pages, spare, VICTIMS[0])

    def used(scale: float) -> float:
        run = simulate(drive.set("host.time_scale", scale), source, warn=False)
        return float(run.to_dict()["utilisation"]["die"])

    return search(used, SHARES[SCALED]).time_scale


def _cell(
    traces: Sequence[Trace], pages: int, scales: dict[float, float], place: tuple[float, str, str]
) -> SideBySide:
    spare, victim, load = place
    settings: dict[str, Value] = {"host.time_scale": scales[spare]} if load == SCALED else {}
    drive = drive_for(pages, spare, victim).with_settings(dict(CLOSED) if load == "closed" else settings)
    source, stand_in = (_played(simulate(drive, each, warn=False)) for each in traces)
    return SideBySide(spare, victim, load, source, stand_in)


def _played(result: Result) -> RunFigures:
    counted = result.to_dict()
    latencies = (
        tuple(each.latency.percentile(percent) for percent in PERCENTILES)
        for each in (result.read, result.write)
    )
    return RunFigures(
        result.write_amplification,
        counted["gc"]["valid_pages_per_victim"],
        int(counted["flash"]["erases"]),
        *latencies,
    )
