"""GC bypass beside Venice under each order at the die, and controls that need no new hardware."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reclaim.paper.toolkit import Figure, LevelRuns, Metric, PageTable, in_words

from .cells import BypassCells, stalled

ORDERS: Mapping[str, str] = {
    "urgent": "host first, unless space is short (the default)",
    "host": "host first, always",
    "arrival": "in the order of arrival, as the paper's Venice",
    "collection": "collection first, always",
}
OTHERS: Mapping[str, str] = {
    "gc-bypass, four blocks": "GC bypass, four blocks of buffer, a circuit for a transfer",
    "control: a quarter of the channels": "control: Venice, a quarter of its channels collect",
    "control: suspension": "control: Venice, programs and erases suspended for reads",
    "control: buffer, host": "control: Venice, host first, and the buffer alone",
}
METRICS: Mapping[str, str] = {
    "mean_latency_ns": "mean",
    "read_p99_9_ns": "p99.9 of reads",
    "p99_99_ns": "p99.99 of all",
}
EXPERIMENTS: Mapping[str, str] = {
    "orders": "own pace",
    "orders-fast": "hundredfold pace",
    "orders-drive": "own pace, drive",
    "orders-drive-fast": "hundredfold pace, drive",
    "same-start": "own pace, same start, drive",
    "longer": "longer, drive",
    "sizes-rsrch": "48 blocks in a plane, drive",
    "recordings-orders": "recordings",
    "recordings-orders-drive": "recordings, drive",
    "recordings-orders-drive-light": "recordings, light, drive",
    "recordings-blocks": "recordings, blocks of 32 pages, drive",
}
"""By what a page calls them; "drive": the drive's free space starts garbage collection, not each plane's."""
ALONE = ("mean_latency_ns", "p99_99_ns")
"""Metrics whose figures every workload has, too."""
SHIPPED, PLAIN, PAPER = "venice, urgent", "venice, host", "venice, arrival"
"""Venice as it is set; with host I/O first, which needs no new hardware; and as section 2.4 has it."""


def metric_of(cells: BypassCells, metric: str) -> Metric:
    """A metric as it is computed: percentiles of all requests together are in no column."""
    return cells.tail if metric == "p99_99_ns" else metric


def beside(cells: BypassCells, metric: str, scheme: str, base: str, names: Sequence[str] = ()) -> Figure:
    """A metric under a scheme over that under another, as a geometric mean over workloads."""
    return cells.geometric(cells.ratio(metric_of(cells, metric), scheme, base), names)


def sets(runs: LevelRuns, experiments: Mapping[str, str] = EXPERIMENTS) -> dict[str, BypassCells]:
    """The points of some experiments, by what a page calls them; without those that did not run."""
    found = {words: BypassCells.of(runs, experiment) for experiment, words in experiments.items()}
    return {words: cells for words, cells in found.items() if cells}


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """GC bypass over Venice, both under one order, and each over Venice as it comes: means of workloads."""
    for words, cells in sets(runs).items():
        for name, scheme, base, alone in _pairs(cells):
            for metric, label in METRICS.items():
                yield f"{name}, {label}, {words}", beside(cells, metric, scheme, base)
                for one in cells.workloads if alone and metric in ALONE else ():
                    yield f"{name}, {label}, {one}, {words}", beside(cells, metric, scheme, base, [one])


def _pairs(cells: BypassCells) -> Iterator[tuple[str, str, str, bool]]:
    """What is compared: a name, the scheme, what it is compared with, and whether workload by workload."""
    for order in (each for each in ORDERS if cells.has_all(f"gc-bypass, {each}")):
        ours, theirs, alone = f"gc-bypass, {order}", f"venice, {order}", order == "host"
        yield f"{order} order", ours, theirs, True
        for who in (theirs, ours):
            yield who, who, SHIPPED, alone
            if cells.has_all(PAPER):
                yield f"{who}, beside {PAPER}", who, PAPER, alone


def tables(runs: LevelRuns) -> Iterator[PageTable]:
    """Both sides under each order, workload by workload, then everything beside Venice as it is set."""
    for words, cells in sets(runs).items():
        for metric, label in METRICS.items():
            yield _by_workload(f"{label}, {words}", cells, metric)
        yield _controls(words, cells)


def _by_workload(words: str, cells: BypassCells, metric: str) -> PageTable:
    names, rows = cells.workloads, []
    for order, text in ORDERS.items():
        if cells.has_all(f"gc-bypass, {order}"):
            pair = f"gc-bypass, {order}", f"venice, {order}"
            alone = (in_words(beside(cells, metric, *pair, [name])) for name in names)
            rows.append((text, *alone, in_words(beside(cells, metric, *pair))))
    return PageTable(f"orders, {words}", ("both", *names, "geometric mean"), tuple(rows))


def _controls(words: str, cells: BypassCells) -> PageTable:
    """Everything beside Venice as shipped."""
    schemes = {f"venice, {order}": f"Venice, {text}" for order, text in ORDERS.items() if order != "urgent"}
    schemes |= {f"gc-bypass, {order}": f"GC bypass, {text}" for order, text in ORDERS.items()}
    schemes |= OTHERS
    rows = [
        (
            text,
            *(in_words(beside(cells, metric, scheme, SHIPPED)) for metric in METRICS),
            str(sum(round(cells.median(cells.metric(stalled, scheme), each)) for each in cells.workloads)),
        )
        for scheme, text in schemes.items()
        if cells.has_all(scheme)
    ]
    head = ("beside Venice, host first unless space is short", *METRICS.values(), "stalled writes")
    return PageTable(f"controls, {words}", head, tuple(rows))
