"""GC bypass beside Venice under each order at the die, and controls that need no new hardware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable, Ran
from reclaim.papers.measured import Figure

from .cells import Cells, stalled

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
"""What is told of each workload, too."""
SHIPPED, PLAIN, PAPER = "venice, urgent", "venice, host", "venice, arrival"
"""Venice as it is set; with host I/O first, which needs no new hardware; and as section 2.4 has it."""


def value(cells: Cells, metric: str, workload: str, scheme: str, repeat: int) -> float:
    """A metric of one point, ns."""
    row = cells.row(workload, scheme, repeat)
    if metric == "p99_99_ns":
        return cells.tail(row)
    return float(row[metric])


def beside(cells: Cells, metric: str, scheme: str, base: str, names: Sequence[str]) -> Figure:
    """A metric under a scheme over that under another, as a geometric mean over workloads."""
    return cells.geometric(
        lambda name, repeat: (
            value(cells, metric, name, scheme, repeat) / value(cells, metric, name, base, repeat)
        ),
        names,
    )


def sets(ran: Ran, experiments: Mapping[str, str] = EXPERIMENTS) -> dict[str, Cells]:
    """The points of some experiments, by what a page calls them; without those that did not run."""
    found = {}
    for experiment, words in experiments.items():
        points = ran.cells(experiment)
        if not points.is_empty():
            found[words] = Cells.of(points, ran.sweeps / experiment)
    return found


def of_runs(ran: Ran) -> dict[str, Custom]:
    """GC bypass over Venice, both under one order, and each over Venice as it comes: means of workloads."""
    found = {}
    for words, cells in sets(ran).items():
        for order in ORDERS:
            if not cells.has_all(f"gc-bypass, {order}"):
                continue
            pairs = {
                f"{order} order": (f"gc-bypass, {order}", f"venice, {order}"),
                f"venice, {order}": (f"venice, {order}", SHIPPED),
                f"gc-bypass, {order}": (f"gc-bypass, {order}", SHIPPED),
            }
            if cells.has_all(PAPER):
                pairs |= {
                    f"{who}, {order}, beside {PAPER}": (f"{who}, {order}", PAPER)
                    for who in ("venice", "gc-bypass")
                }
            for name, (scheme, base) in pairs.items():
                for metric, label in METRICS.items():
                    figure = beside(cells, metric, scheme, base, cells.workloads)
                    found[f"{name}, {label}, {words}"] = Custom(figure)
                    alone = metric in ALONE and (name == f"{order} order" or order == "host")
                    for one in cells.workloads if alone else ():
                        each = beside(cells, metric, scheme, base, [one])
                        found[f"{name}, {label}, {one}, {words}"] = Custom(each)
    return found


def tables(ran: Ran) -> list[PageTable]:
    """Both sides under each order, workload by workload, then everything beside Venice as it is set."""
    found = []
    for words, cells in sets(ran).items():
        for metric, label in METRICS.items():
            found.append(_by_workload(f"{label}, {words}", cells, metric))
        found.append(_controls(words, cells))
    return found


def _by_workload(words: str, cells: Cells, metric: str) -> PageTable:
    names = cells.workloads
    rows = []
    for order, text in ORDERS.items():
        if not cells.has_all(f"gc-bypass, {order}"):
            continue
        pair = f"gc-bypass, {order}", f"venice, {order}"
        each = [told(beside(cells, metric, *pair, [name])) for name in names]
        rows.append((text, *each, told(beside(cells, metric, *pair, names))))
    return PageTable(f"orders, {words}", ("both", *names, "geometric mean"), tuple(rows))


def _controls(words: str, cells: Cells) -> PageTable:
    """Everything beside Venice as shipped."""
    schemes = {f"venice, {order}": f"Venice, {text}" for order, text in ORDERS.items() if order != "urgent"}
    schemes |= {f"gc-bypass, {order}": f"GC bypass, {text}" for order, text in ORDERS.items()}
    schemes |= OTHERS
    rows = [
        (
            text,
            *(told(beside(cells, metric, scheme, SHIPPED, cells.workloads)) for metric in METRICS),
            str(sum(round(cells.median(stalled, name, scheme)) for name in cells.workloads)),
        )
        for scheme, text in schemes.items()
        if cells.has_all(scheme)
    ]
    head = ("beside Venice, host first unless space is short", *METRICS.values(), "stalled writes")
    return PageTable(f"controls, {words}", head, tuple(rows))
