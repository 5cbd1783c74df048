"""Gains under every permitted reading: who waits for idle channels, what the gate remembers, who is first.

Three of these rules are crossed with two more readings, of tasks and of usage. Workloads that the scheme can
hardly control are set apart.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reclaim.paper.toolkit import MISSING, Figure, LevelRuns, PageTable, in_words

from . import printed
from .gains import (
    ADAPTIVE,
    FROM_THE_START,
    GATED_ALL,
    GATED_HALF,
    OUTLIERS,
    SCHEME,
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


class Compared(Gains):
    """The points of one experiment, of some workloads of Table 6."""

    @property
    def cells(self) -> list[Cell]:
        """The cells of Table 6 whose workloads were run."""
        return printed_cells(self.workloads)

    def acting(self, scheme: str = SCHEME) -> list[Cell]:
        """The cells of workloads that the scheme controls; all, where nothing was counted."""
        return printed_cells([name for name in self.workloads if self.acts(name, scheme)])

    def under(
        self, proposed: str, baselines: Sequence[str], controlled: str = SCHEME
    ) -> Mapping[str, Figure] | None:
        """Arithmetic and geometric mean, median, and number of gains over the best of some schemes.

        Args:
            proposed: the scheme.
            baselines: those that it is compared with.
            controlled: the scheme whose jobs say which workloads are set apart.
        """
        if not self.has_all(proposed, *baselines):
            return None
        gain, cells, acting = self.gain(proposed, baselines), self.cells, self.acting(controlled)
        few = [cell for cell in cells if cell not in OUTLIERS]
        found = {
            "arithmetic": self.mean(gain, cells),
            "geometric": self.geometric(gain, cells),
            "median": self.over(statistics.median, gain, cells),
            "cells": self.over(lambda gains: float(sum(each > GAIN for each in gains)), gain, cells),
            "without outliers": self.mean(gain, few),
        }
        if acting:
            found["where it acts"] = self.geometric(gain, acting)
            found["arithmetic, where it acts"] = self.mean(gain, acting)
        return found


def _sets(runs: LevelRuns, experiments: Mapping[str, str]) -> dict[str, Compared]:
    found = {words: Compared.of(runs, experiment) for experiment, words in experiments.items()}
    return {words: cells for words, cells in found.items() if cells}


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


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Gains by reading and set of workloads, and what G(t) alone gives."""
    yield from _further(runs)
    for words, of in _sets(runs, CROSSED).items():
        yield f"printed, {words}, where it acts", printed.geometric(of.acting())
        compared = [(who, each, under) for each in crossed() for who, under in _compared(of, each)]
        for who, reading, under in compared:
            means = ((name, under[name]) for name in CROSS_MEANS if name in under)
            yield from ((f"{who}{reading.name}, {words}, {name}", figure) for name, figure in means)
        alone = (found for variant in VARIANTS for found in _alone(of, variant))
        yield from ((f"{name}, {words}", figure) for name, figure in alone)


def _further(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    for words, of in _sets(runs, FURTHER).items():
        for reading in READINGS:
            under = of.under(f"{ADAPTIVE}, {reading.proposed}", reading.baselines) or {}
            yield from ((f"{reading.name}, {words}, {name}", figure) for name, figure in under.items())
        for name, (proposed, *baselines) in ALONE.items():
            if (alone := of.under(proposed, baselines)) is not None:
                yield f"{name}, {words}", alone["geometric"]


def crossed() -> list[Reading]:
    """Every rule under every variant."""
    return [replace(rule, variant=variant) for variant in VARIANTS for rule in RULES]


def _compared(of: Compared, reading: Reading) -> Iterator[tuple[str, Mapping[str, Figure]]]:
    """The gains of G(t), and of the plain gate, which merely waits, over the baselines of a reading."""
    controlled = reading.scheme(ADAPTIVE, "idle")
    for who, scheme in (("", ADAPTIVE), ("plain gate, ", GATED_ALL)):
        under = of.under(reading.scheme(scheme, "idle"), reading.baselines, controlled)
        if under is not None:
            yield who, under


def _alone(of: Compared, variant: str) -> Iterator[tuple[str, Figure]]:
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
        for workload in of.workloads:
            yield f"{name}, {workload}", of.gain_of([("write_mean_ns", workload)], [beside], proposed)
    if of.has_all(proposed):
        yield f"workloads where it acts{f', {variant}' if variant else ''}", _count(of, proposed)


def _count(of: Compared, scheme: str) -> Figure:
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


def tables(runs: LevelRuns) -> list[PageTable]:
    """Gains by reading, crossed with two more, and where the scheme acts."""
    found = [
        PageTable(f"gains, {words}", HEAD, tuple(_rows(of))) for words, of in _sets(runs, FURTHER).items()
    ]
    sets = _sets(runs, CROSSED)
    found += [PageTable(f"crossed, {words}", CROSS, tuple(_crossed_rows(of))) for words, of in sets.items()]
    if sets:
        found.append(_acts(sets, Gains.of(runs, "figures")))
    return found


def _rows(of: Compared) -> Iterator[tuple[str, ...]]:
    compared = [(each.words, f"{ADAPTIVE}, {each.proposed}", each.baselines) for each in READINGS]
    for control in CONTROLS:
        words = f"control: `{control}` waits for idle channels, no G(t); baselines before the host, drained"
        compared.append((words, f"{control}, idle", WIDEST.baselines))
    for words, proposed, baselines in compared:
        under = of.under(proposed, baselines)
        if under is not None:
            yield (words, *(in_words(under.get(name)) for name in SHOWN))


def _crossed_rows(of: Compared) -> Iterator[tuple[str, ...]]:
    for variant, words in VARIANTS.items():
        for rule, name in zip(RULES, BASELINES, strict=True):
            reading = replace(rule, variant=variant)
            gains = [in_words(under.get(mean)) for _, under in _compared(of, reading) for mean in CROSS_MEANS]
            if gains:
                yield (name, words, *gains)


COUNTED = ("jobs of listed blocks, at most", "write amplification", "die utilization")


def _acts(sets: Mapping[str, Compared], curves: Gains) -> PageTable:
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
            if workload in of.workloads:
                cells += _counted(of, workload, SCHEME)
            elif workload in curves.workloads:
                cells += _counted(curves, workload, ADAPTIVE)
            else:
                cells += [MISSING] * len(COUNTED)
        rows.append((workload, *cells))
    return PageTable("acts", head, tuple(rows))


def _counted(gains: Gains, workload: str, scheme: str) -> tuple[str, str, str]:
    share = gains.one(gains.listed_share(scheme), workload)
    written, busy = (
        gains.one(gains.metric(metric, scheme), workload)
        for metric in ("gc_write_amplification", "utilisation_die")
    )
    return _percent(share.value), f"{written.value:.2f}", _percent(busy.value)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
