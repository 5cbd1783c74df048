"""Gains under every permitted reading: who waits for idle channels, what the gate remembers, who is first.

Three of these rules are crossed with two more readings, of tasks and of usage. Workloads that the scheme can
hardly control are set apart.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable, Ran
from reclaim.papers.measured import Figure

from . import printed
from .acting import SCHEME, acts, listed_share
from .gains import (
    ADAPTIVE,
    FROM_THE_START,
    GATED_ALL,
    GATED_HALF,
    OUTLIERS,
    WORKLOADS,
    Cell,
    Gains,
    printed_cells,
)

CROSSED: Mapping[str, str] = {"crossed": "recordings", "crossed-stand-ins": "stand-ins"}
FURTHER: Mapping[str, str] = {
    "readings": "recordings",
    "readings-stand-ins": "stand-ins",
    "readings-large-recordings": "recordings, 8 GiB",
    "readings-large": "stand-ins, 8 GiB",
}
"""Experiments, and how a page calls what they replay."""
GAIN = 1.02
"""A gain above this is counted as one."""


@dataclass(frozen=True)
class Reading:
    """How conventional collection and the proposed one start, and what a gate remembers."""

    conventional: str
    proposed: str
    drained: bool
    words: str
    variant: str = ""
    """Which other reading all schemes are under."""

    @property
    def baselines(self) -> tuple[str, ...]:
        """The three conventional schemes under it."""
        gate = f"{self.conventional}, drained" if self.drained else self.conventional
        return (
            self.scheme(FROM_THE_START, self.conventional),
            self.scheme(GATED_ALL, gate),
            self.scheme(GATED_HALF, gate),
        )

    def scheme(self, name: str, start: str) -> str:
        """Name a scheme under it; one without a gate does not ask for the usage."""
        known = self.variant and not (self.variant == VALID and name == FROM_THE_START)
        return f"{name}, {start}{f', {self.variant}' if known else ''}"

    @property
    def name(self) -> str:
        """By which figures of it are called."""
        drained, variant = " drained" if self.drained else "", f", {self.variant}" if self.variant else ""
        return f"{self.conventional}{drained} against {self.proposed}{variant}"


VALID = "valid"
VARIANTS: Mapping[str, str] = {
    "": "as printed",
    "interleaved": "the host may use a channel between two operations of a job",
    VALID: "invalid pages do not count as used",
}
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
RULES = (READINGS[0], READINGS[5], WIDEST)
"""Those that are crossed with `VARIANTS`."""


Mean = Callable[[list[float]], float]
Over = Callable[[Mean, Container[Cell]], Figure]
"""A mean of the gains of some cells."""


@dataclass(frozen=True)
class Set:
    """The points of one experiment."""

    gains: Gains

    def under(
        self, proposed: str, baselines: Sequence[str], controlled: str = SCHEME
    ) -> Mapping[str, Figure] | None:
        """Arithmetic and geometric mean, median, and number of gains over the best of some schemes.

        Args:
            proposed: the scheme.
            baselines: those that it is compared with.
            controlled: the scheme whose jobs say which workloads are set apart.
        """
        if not self.gains.has_all(proposed, *baselines):
            return None
        cells, acting = self.cells, self.acting(controlled)
        gains = {
            repeat: {cell: self.gains.gain(cell, repeat, proposed, baselines) for cell in cells}
            for repeat in self.gains.repeats
        }

        def over(mean: Mean, some: Container[Cell]) -> Figure:
            return self.gains.figure(
                lambda repeat: mean([gain for cell, gain in gains[repeat].items() if cell in some])
            )

        found = {
            "arithmetic": over(statistics.fmean, cells),
            "geometric": over(statistics.geometric_mean, cells),
            "median": over(statistics.median, cells),
            "cells": over(lambda each: float(sum(gain > GAIN for gain in each)), cells),
            "without outliers": over(statistics.fmean, set(cells) - set(OUTLIERS)),
        }
        if acting:
            found["where it acts"] = over(statistics.geometric_mean, acting)
            found["arithmetic, where it acts"] = over(statistics.fmean, acting)
        return found

    @property
    def cells(self) -> list[Cell]:
        """The cells of Table 6 whose workloads were run."""
        return [cell for cell in printed_cells() if cell[1] in self.gains.workloads]

    def acting(self, scheme: str = SCHEME) -> list[Cell]:
        """The cells of workloads that the scheme controls; all, where nothing was counted."""
        names = [name for name in self.gains.workloads if acts(self.gains, name, scheme)]
        return [cell for cell in self.cells if cell[1] in names]


def _sets(ran: Ran, experiments: Mapping[str, str]) -> dict[str, Set]:
    found = {words: ran.cells(experiment) for experiment, words in experiments.items()}
    return {words: Set(Gains(points)) for words, points in found.items() if not points.is_empty()}


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
    """Gains by reading and set of workloads, and what G(t) alone gives."""
    found: dict[str, Custom] = {}
    for words, of in _sets(ran, FURTHER).items():
        for reading in READINGS:
            under = of.under(f"{ADAPTIVE}, {reading.proposed}", reading.baselines) or {}
            found |= {f"{reading.name}, {words}, {name}": Custom(each) for name, each in under.items()}
        for name, (proposed, *baselines) in ALONE.items():
            alone = of.under(proposed, baselines)
            if alone is not None:
                found[f"{name}, {words}"] = Custom(alone["geometric"])
    for words, of in _sets(ran, CROSSED).items():
        found[f"printed, {words}, where it acts"] = Custom(printed.geometric(of.acting()))
        for reading in crossed():
            for who, under in _compared(of, reading):
                found |= {
                    f"{who}{reading.name}, {words}, {name}": Custom(under[name])
                    for name in CROSS_MEANS
                    if name in under
                }
        for variant in VARIANTS:
            found |= {f"{name}, {words}": Custom(each) for name, each in _alone(of, variant)}
    return found


def crossed() -> list[Reading]:
    """Every rule under every variant."""
    return [replace(rule, variant=variant) for variant in VARIANTS for rule in RULES]


def _compared(of: Set, reading: Reading) -> Iterator[tuple[str, Mapping[str, Figure]]]:
    """The gains of G(t), and of the plain gate, which merely waits, over the baselines of a reading."""
    controlled = reading.scheme(ADAPTIVE, "idle")
    for who, scheme in (("", ADAPTIVE), ("plain gate, ", GATED_ALL)):
        under = of.under(reading.scheme(scheme, "idle"), reading.baselines, controlled)
        if under is not None:
            yield who, under


def _alone(of: Set, variant: str) -> Iterator[tuple[str, Figure]]:
    """G(t) beside a plain gate, where both wait: over all cells, and the mean writes of each workload."""
    reading = replace(READINGS[0], variant=variant)
    proposed = reading.scheme(ADAPTIVE, "idle")
    for gate, words in GATES.items():
        beside = reading.scheme(gate, "idle")
        under = of.under(proposed, [beside], proposed)
        if under is None:
            continue
        name = f"G beside the {words}{f', {variant}' if variant else ''}"
        yield f"{name}, all cells", under["geometric"]
        if "where it acts" in under:
            yield name, under["where it acts"]
        for workload in of.gains.workloads:
            yield f"{name}, {workload}", of.gains.mean([("write_mean_ns", workload)], proposed, [beside])
    if of.gains.has_all(proposed):
        yield f"workloads where it acts{f', {variant}' if variant else ''}", _count(of, proposed)


def _count(of: Set, scheme: str) -> Figure:
    return Figure(float(len({workload for _, workload in of.acting(scheme)})), exact=True)


GATES: Mapping[str, str] = {GATED_ALL: "gate", "gate at 50 %": "gate at theta1"}
"""Plain gates that merely wait, and how figures call them."""


HEAD = (
    "reading",
    "arithmetic mean",
    "geometric mean",
    "median",
    "geometric, where it acts",
    "cells with a gain, of 20",
)
SHOWN = ("arithmetic", "geometric", "median", "where it acts", "cells")
CONTROLS = (GATED_ALL, GATED_HALF, FROM_THE_START)
"""Without G(t), each made to wait for idle channels."""
CROSS = (
    "baselines",
    "all schemes",
    "G(t), geometric",
    "G(t), arithmetic",
    "plain gate, geometric",
    "plain gate, arithmetic",
)
CROSS_MEANS = ("where it acts", "arithmetic, where it acts")
BASELINES = ("wait", "before the host", "before the host, drained")
"""What a page calls the rules."""


def tables(ran: Ran) -> list[PageTable]:
    """Gains by reading, crossed with two more, and where the scheme acts."""
    found = [
        PageTable(f"gains, {words}", HEAD, tuple(_rows(of))) for words, of in _sets(ran, FURTHER).items()
    ]
    sets = _sets(ran, CROSSED)
    found += [PageTable(f"crossed, {words}", CROSS, tuple(_crossed_rows(of))) for words, of in sets.items()]
    if sets:
        found.append(_acts(sets, Gains(ran.cells("figures"))))
    return found


def _rows(of: Set) -> Iterator[tuple[str, ...]]:
    compared = [(each.words, f"{ADAPTIVE}, {each.proposed}", each.baselines) for each in READINGS]
    for control in CONTROLS:
        words = f"control: `{control}` waits for idle channels, no G(t); baselines before the host, drained"
        compared.append((words, f"{control}, idle", WIDEST.baselines))
    for words, proposed, baselines in compared:
        under = of.under(proposed, baselines)
        if under is not None:
            yield (words, *(told(under[name]) if name in under else "–" for name in SHOWN))


def _crossed_rows(of: Set) -> Iterator[tuple[str, ...]]:
    for variant, words in VARIANTS.items():
        for rule, name in zip(RULES, BASELINES, strict=True):
            reading = replace(rule, variant=variant)
            gains = [
                told(under[mean]) if mean in under else "–"
                for _, under in _compared(of, reading)
                for mean in CROSS_MEANS
            ]
            if gains:
                yield (name, words, *gains)


COUNTED = ("jobs of listed blocks, at most", "write amplification", "die utilization")


def _acts(sets: Mapping[str, Set], curves: Gains) -> PageTable:
    """Of each workload the jobs that the scheme controls, write amplification and utilization.

    Args:
        sets: of recordings and of stand-ins.
        curves: of the figures over time, where recordings are that are not crossed with anything.
    """
    head = ("workload", *(f"{kind}: {what}" for kind in sets for what in COUNTED))
    rows = []
    for workload in WORKLOADS:
        cells: list[str] = []
        for of in sets.values():
            if workload in of.gains.workloads:
                cells += _counted(of.gains, workload, SCHEME)
            elif workload in curves.workloads:
                cells += _counted(curves, workload, ADAPTIVE)
            else:
                cells += ["–"] * len(COUNTED)
        rows.append((workload, *cells))
    return PageTable("acts", head, tuple(rows))


def _counted(gains: Gains, workload: str, scheme: str) -> tuple[str, str, str]:
    share = gains.figure(lambda repeat: listed_share(gains, workload, repeat, scheme))
    written, busy = (
        gains.figure(partial(gains.value, metric, workload, scheme))
        for metric in ("gc_write_amplification", "utilisation_die")
    )
    return _percent(share.value), f"{written.value:.2f}", _percent(busy.value)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
