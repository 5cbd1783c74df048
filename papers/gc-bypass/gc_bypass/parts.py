"""What each part of GC bypass adds on the way from a bus, averaged over the orders of putting them in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from statistics import fmean

from reclaim.paper.toolkit import Figure, LevelRuns, PageTable, in_words

from .cells import BypassCells
from .orders import METRICS as LATENCIES
from .orders import metric_of, sets

EXPERIMENTS: Mapping[str, str] = {
    "parts": "own pace",
    "parts-host": "own pace, host first",
    "parts-fast": "hundredfold pace",
    "parts-host-fast": "hundredfold pace, host first",
}
PARTS: Mapping[str, str] = {
    "network": "Venice's network and its priorities, in place of a bus",
    "controller": "a controller of its own for collection",
    "buffer": "a buffer: victims are erased before their pages are written back",
    "destination": "pages go to the chip with the fewest erases, instead of where they were",
    "absorption": "writes of the host to buffered pages are absorbed",
}
METRICS: Mapping[str, str] = {
    **LATENCIES,
    "read_mean_ns": "mean of reads",
    "gc_write_amplification": "write amplification",
}
NONE, ALL, BUFFER = "none", "all", "buffer"
PACES: Mapping[str, tuple[str, str]] = {
    "own pace": ("parts", "parts-host"),
    "hundredfold pace": ("parts-fast", "parts-host-fast"),
}
"""The same runs with the host first unless space is short, and with the host always first."""


def tables(runs: LevelRuns) -> Iterator[PageTable]:
    """Factor of each part in each metric, for each pace and order at the die."""
    labels = {**PARTS, ALL: "all five"}
    for words, by_metric in _factors(runs).items():
        rows = ((label, *(in_words(of[part]) for of in by_metric.values())) for part, label in labels.items())
        yield PageTable(f"parts, {words}", ("part", *METRICS.values()), tuple(rows))


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """The same factors by name: the part, what is measured, pace and order."""
    for words, by_metric in _factors(runs).items():
        for label, of in by_metric.items():
            yield from ((f"part {part}, {label}, {words}", figure) for part, figure in of.items())
    for words, pair in PACES.items():
        usual, host = (BypassCells.of(runs, experiment) for experiment in pair)
        for metric, label in METRICS.items() if usual and host else ():
            for name, figure in _controls(usual, host, metric):
                yield f"{name}, {label}, {words}", figure


def _controls(usual: BypassCells, host: BypassCells, metric: str) -> Iterator[tuple[str, Figure]]:
    """GC bypass and its buffer beside what needs no new hardware: a bus, and the host always first."""
    every = "+".join(PARTS)

    def over(ours: BypassCells, scheme: str, base: BypassCells, other: str) -> Figure:
        top, bottom = (
            ours.metric(metric_of(ours, metric), scheme),
            base.metric(metric_of(base, metric), other),
        )
        return usual.geometric(lambda *cell: top(*cell) / bottom(*cell))

    yield "host first beside a bus", over(host, NONE, usual, NONE)
    yield "buffer beside host first", over(host, BUFFER, host, NONE)
    yield "GC bypass beside host first", over(usual, every, host, NONE)
    yield "GC bypass, host first, beside host first", over(host, every, host, NONE)


def _factors(runs: LevelRuns) -> dict[str, dict[str, dict[str, Figure]]]:
    return {
        words: {label: _shares(cells, metric) for metric, label in METRICS.items()}
        for words, cells in sets(runs, EXPERIMENTS).items()
    }


def _shares(cells: BypassCells, metric: str) -> dict[str, Figure]:
    """Factors of the geometric mean over workloads, by part and for all of them."""
    names, of = list(PARTS), metric_of(cells, metric)
    schemes = {
        sum(1 << names.index(part) for part in scheme.split("+") if part != NONE): scheme
        for scheme in cells.schemes
    }

    def mean_log(scheme: str, repeat: int) -> float:
        return fmean(log(cells.value(of, name, scheme, repeat)) for name in cells.workloads)

    return cells.factors(names, schemes, mean_log)
