"""What each part of GC bypass adds on the way from a bus, averaged over the orders of putting them in."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from statistics import fmean

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable, Ran
from reclaim.papers.measured import Figure

from .cells import Cells
from .orders import METRICS as LATENCIES
from .orders import sets, value

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


def tables(ran: Ran) -> list[PageTable]:
    """Factor of each part in each metric, for each pace and order at the die."""
    labels = {**PARTS, ALL: "all five"}
    return [
        PageTable(
            f"parts, {words}",
            ("part", *METRICS.values()),
            tuple((label, *(told(of[part]) for of in by_metric.values())) for part, label in labels.items()),
        )
        for words, by_metric in _factors(ran).items()
    ]


def of_runs(ran: Ran) -> dict[str, Custom]:
    """The same factors by name: the part, what is measured, pace and order."""
    found = {
        f"part {part}, {label}, {words}": Custom(figure)
        for words, by_metric in _factors(ran).items()
        for label, of in by_metric.items()
        for part, figure in of.items()
    }
    for words, pair in PACES.items():
        points = [ran.cells(experiment) for experiment in pair]
        if any(each.is_empty() for each in points):
            continue
        usual, host = (Cells.of(each, ran.sweeps / name) for each, name in zip(points, pair, strict=True))
        for metric, label in METRICS.items():
            for name, figure in _controls(usual, host, metric).items():
                found[f"{name}, {label}, {words}"] = Custom(figure)
    return found


def _controls(usual: Cells, host: Cells, metric: str) -> dict[str, Figure]:
    """GC bypass and its buffer beside what needs no new hardware: a bus, and the host always first."""
    every = "+".join(PARTS)

    def over(ours: Cells, scheme: str, base: Cells, other: str) -> Figure:
        return usual.geometric(
            lambda name, repeat: (
                value(ours, metric, name, scheme, repeat) / value(base, metric, name, other, repeat)
            )
        )

    return {
        "host first beside a bus": over(host, NONE, usual, NONE),
        "buffer beside host first": over(host, BUFFER, host, NONE),
        "GC bypass beside host first": over(usual, every, host, NONE),
        "GC bypass, host first, beside host first": over(host, every, host, NONE),
    }


def _factors(ran: Ran) -> dict[str, dict[str, dict[str, Figure]]]:
    return {
        words: {label: _shares(cells, metric) for metric, label in METRICS.items()}
        for words, cells in sets(ran, EXPERIMENTS).items()
    }


def _shares(cells: Cells, metric: str) -> dict[str, Figure]:
    """Factors of the geometric mean over workloads, by part and for all of them."""
    names = list(PARTS)
    schemes = {
        sum(1 << names.index(part) for part in scheme.split("+") if part != NONE): scheme
        for scheme in cells.schemes
    }
    return cells.factors(
        names,
        schemes,
        lambda scheme, repeat: fmean(
            log(value(cells, metric, name, scheme, repeat)) for name in cells.workloads
        ),
    )
