"""Gains under every permitted reading: who waits for idle channels, what the gate remembers, who is first."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable, Ran
from reclaim.papers.measured import Figure

from .gains import (
    ADAPTIVE,
    FROM_THE_START,
    GATED_ALL,
    GATED_HALF,
    OUTLIERS,
    Cell,
    Gains,
    printed_cells,
)
from .workloads import Kind, saturated

SETS: Mapping[str, tuple[str, Kind]] = {
    "readings": ("recordings", "recording"),
    "readings-stand-ins": ("stand-ins", "stand-in"),
    "readings-large-recordings": ("recordings, 8 GiB", "recording"),
    "readings-large": ("stand-ins, 8 GiB", "stand-in"),
}
"""Experiments, how a page calls what they play, and of which kind that is."""
GAIN = 1.02
"""A gain above this is counted as one."""


@dataclass(frozen=True)
class Reading:
    """How conventional collection and the proposed one start, and what a gate remembers."""

    conventional: str
    proposed: str
    drained: bool
    words: str

    @property
    def baselines(self) -> tuple[str, ...]:
        """The three conventional schemes under it."""
        gate = ", drained" if self.drained else ""
        return (
            f"{FROM_THE_START}, {self.conventional}",
            f"{GATED_ALL}, {self.conventional}{gate}",
            f"{GATED_HALF}, {self.conventional}{gate}",
        )

    @property
    def name(self) -> str:
        """By which figures of it are called."""
        return f"{self.conventional}{' drained' if self.drained else ''} against {self.proposed}"


READINGS = (
    Reading("idle", "idle", False, "all wait for idle channels (section 3.1): the default"),
    Reading("idle", "idle", True, "all wait for idle channels, gates stay open until drained"),
    Reading("writes", "writes", False, "all wait for idle channels, host writes before reads"),
    Reading("turn", "idle", False, "conventional ones do not wait, behind the host in a queue"),
    Reading("turn", "idle", True, "conventional ones do not wait, their gates stay open until drained"),
    Reading("first", "idle", False, "conventional ones go before the host (section 4.3)"),
    Reading(
        "first", "idle", True, "conventional ones go before the host, their gates stay open until drained"
    ),
    Reading("turn", "turn", False, "nobody waits, all behind the host in a queue"),
    Reading("turn", "turn", True, "nobody waits, gates stay open until drained"),
    Reading("first", "first", False, "all go before the host"),
    Reading("first", "first", True, "all go before the host, gates stay open until drained"),
)
WIDEST = READINGS[6]
"""Under it the paper's gain appears."""
START, MEMORY, LIMIT = "start", "memory", "limit"
PARTS: Mapping[str, str] = {
    START: "waits for an idle channel, instead of going before the host",
    MEMORY: "the gate is asked at each instant, instead of staying open until drained",
    LIMIT: "G(t), instead of all channels from 70 % on",
}


Mean = Callable[[list[float]], float]
Over = Callable[[Mean, Container[Cell]], Figure]
"""A mean of the gains of some cells."""


@dataclass(frozen=True)
class Set:
    """The points of one experiment."""

    gains: Gains
    kind: Kind

    def under(self, proposed: str, baselines: Sequence[str]) -> Mapping[str, Figure] | None:
        """Arithmetic and geometric mean, median, and number of gains over the best of some schemes."""
        if not self.gains.has_all(proposed, *baselines):
            return None
        cells, calm = printed_cells(), set(self._not_saturated())
        gains = {
            repeat: {cell: self.gains.gain(cell, repeat, proposed, baselines) for cell in cells}
            for repeat in self.gains.repeats
        }

        def over(mean: Mean, some: Container[Cell]) -> Figure:
            return self.gains.figure(
                lambda repeat: mean([gain for cell, gain in gains[repeat].items() if cell in some])
            )

        return {
            "arithmetic": over(statistics.fmean, cells),
            "geometric": over(statistics.geometric_mean, cells),
            "median": over(statistics.median, cells),
            "not saturated": over(statistics.geometric_mean, calm),
            "cells": over(lambda each: float(sum(gain > GAIN for gain in each)), cells),
            "without outliers": over(statistics.fmean, set(cells) - set(OUTLIERS)),
            "arithmetic, least without a workload": self._least(over, statistics.fmean),
            "geometric, least without a workload": self._least(over, statistics.geometric_mean),
        }

    def _least(self, over: Over, mean: Mean) -> Figure:
        """The mean without the workload without which it is least."""
        every = printed_cells()
        left = [over(mean, [cell for cell in every if cell[1] != name]) for name in self.gains.workloads]
        return min(left, key=lambda figure: figure.value)

    def _not_saturated(self) -> list[Cell]:
        without = saturated(self.kind)
        return [cell for cell in printed_cells() if cell[1] not in without]

    def longest_write(self, workload: str, scheme: str) -> Figure:
        """The largest latency of a write, ms."""
        return self.gains.figure(
            lambda repeat: self.gains.value("write_max_ns", workload, scheme, repeat) / 1e6
        )

    def shapley(self, *, any_order: bool = False) -> dict[str, Figure] | None:
        """What each part adds on the way from the gate that goes before the host to the proposed scheme.

        Factors of the geometric mean of latencies, averaged over the orders of putting parts in.

        Args:
            any_order: whether G(t) may come before the gate's memory, of which it has the credit then.
        """
        names = list(PARTS)
        subsets = {
            sum(1 << names.index(part) for part in parts): _scheme(parts)
            for length in range(len(names) + 1)
            for parts in map(frozenset, combinations(names, length))
            if any_order or MEMORY in parts or LIMIT not in parts
        }
        if not self.gains.has_all(*subsets.values()):
            return None
        cells, base = printed_cells(), subsets[0]
        return self.gains.factors(
            names,
            subsets,
            lambda scheme, repeat: statistics.fmean(
                log(self.gains.gain(cell, repeat, scheme, [base])) for cell in cells
            ),
        )


def _scheme(parts: frozenset[str]) -> str:
    """The scheme that has some parts of the proposed one; with G(t) there is no gate to remember anything."""
    start = "idle" if START in parts else "first"
    if LIMIT in parts:
        return f"{ADAPTIVE}, {start}"
    return f"{GATED_ALL}, {start}{'' if MEMORY in parts else ', drained'}"


def _sets(ran: Ran) -> dict[str, Set]:
    found = {words: (ran.cells(experiment), kind) for experiment, (words, kind) in SETS.items()}
    return {
        words: Set(Gains(points), kind) for words, (points, kind) in found.items() if not points.is_empty()
    }


ALONE: Mapping[str, tuple[str, ...]] = {
    "G alone, idle": (f"{ADAPTIVE}, idle", f"{GATED_ALL}, idle"),
    "G alone, first": (f"{ADAPTIVE}, first", f"{GATED_ALL}, first"),
    "G alone, first, drained": (f"{ADAPTIVE}, first", f"{GATED_ALL}, first, drained"),
    "half alone, idle": (f"{GATED_HALF}, idle", f"{GATED_ALL}, idle"),
    "half alone, first, drained": (f"{GATED_HALF}, first, drained", f"{GATED_ALL}, first, drained"),
    "not draining alone, first": (f"{GATED_ALL}, first", f"{GATED_ALL}, first, drained"),
    "control": (f"{GATED_ALL}, idle", *WIDEST.baselines),
    "control, not drained": (f"{GATED_ALL}, idle", *READINGS[5].baselines),
    "control, idle drained": (f"{GATED_ALL}, idle", *READINGS[1].baselines),
    "control, turn": (f"{GATED_ALL}, idle", *READINGS[3].baselines),
}
"""One scheme beside the best of some others: what a part gives, everything else equal."""


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Gains by reading and set of workloads, what G(t) alone gives, and what each part adds."""
    found: dict[str, Custom] = {}
    for words, of in _sets(ran).items():
        for reading in READINGS:
            under = of.under(f"{ADAPTIVE}, {reading.proposed}", reading.baselines) or {}
            found |= {f"{reading.name}, {words}, {name}": Custom(each) for name, each in under.items()}
        for name, (proposed, *baselines) in ALONE.items():
            alone = of.under(proposed, baselines)
            if alone is not None:
                found[f"{name}, {words}"] = Custom(alone["geometric"])
        for part, figure in (of.shapley() or {}).items():
            found[f"part {part}, {words}"] = Custom(figure)
        anyhow = of.shapley(any_order=True)
        if anyhow is not None:
            found[f"part {LIMIT}, in all orders, {words}"] = Custom(anyhow[LIMIT])
    return found


HEAD = (
    "reading",
    "arithmetic mean",
    "geometric mean",
    "median",
    "geometric, without saturated workloads",
    "cells with a gain, of 20",
)
SHOWN = ("arithmetic", "geometric", "median", "not saturated", "cells")
CONTROLS = (GATED_ALL, GATED_HALF, FROM_THE_START)
"""Without G(t), each made to wait for idle channels."""


def tables(ran: Ran) -> list[PageTable]:
    """Gains by reading, one table for each set of workloads, and what each part adds."""
    sets = _sets(ran)
    found = [PageTable(f"gains, {words}", HEAD, tuple(_rows(of))) for words, of in sets.items()]
    parts = {words: of.shapley() for words, of in sets.items()}
    known = {words: each for words, each in parts.items() if each is not None}
    if known:
        labels = {**PARTS, "all": "all three"}
        rows = [(label, *(told(each[part]) for each in known.values())) for part, label in labels.items()]
        found.append(PageTable("parts", ("part", *known), tuple(rows)))
    found += [PageTable(f"maxima, {words}", MAXIMA, tuple(_maxima(of))) for words, of in sets.items()]
    return found


MAXIMA = (
    "largest latency of a write, ms",
    "the gate before the host, drained",
    "the gate on idle channels",
    "G(t) on idle channels",
)


def _maxima(of: Set) -> Iterator[tuple[str, ...]]:
    """Rows of the largest write latencies of each workload."""
    schemes = (f"{GATED_ALL}, first, drained", f"{GATED_ALL}, idle", f"{ADAPTIVE}, idle")
    for workload in of.gains.workloads:
        yield (workload, *(told(of.longest_write(workload, scheme)) for scheme in schemes))


def _rows(of: Set) -> Iterator[tuple[str, ...]]:
    compared = [(each.words, f"{ADAPTIVE}, {each.proposed}", each.baselines) for each in READINGS]
    for control in CONTROLS:
        words = f"control: `{control}` waits for idle channels, no G(t); baselines before the host, drained"
        compared.append((words, f"{control}, idle", WIDEST.baselines))
    for words, proposed, baselines in compared:
        under = of.under(proposed, baselines)
        if under is not None:
            yield (words, *(told(under[name]) for name in SHOWN))
