"""GC bypass beside Venice under other choices of what the paper leaves open, besides the order at the die."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reclaim.papers.cells import told
from reclaim.papers.custom import Custom, PageTable, Ran
from reclaim.papers.measured import Figure
from reclaim.units import MISSING

from .cells import BYPASS, VENICE, Cells
from .orders import METRICS, beside, sets

EXPERIMENTS: Mapping[str, str] = {
    "choices": "own pace",
    "choices-host": "own pace, host first",
    "choices-fast": "hundredfold pace",
    "choices-host-fast": "hundredfold pace, host first",
    "attempts": "hundredfold pace, drive",
}
AS_SET = "as set"
"""What stands behind the name of a scheme whose choices are those of cells.toml."""
MEAN = "mean_latency_ns"


def tables(ran: Ran) -> list[PageTable]:
    """One row for each choice, made for both schemes and for each alone; a table for each pace and order."""
    found = []
    head = (
        "choice",
        *(f"both: {label}" for label in METRICS.values()),
        "GC bypass alone: mean",
        "GC bypass alone: mean of reads",
        "Venice alone: mean",
    )
    for words, cells in sets(ran, EXPERIMENTS).items():
        rows = [
            (choice, *(MISSING if each is None else told(each) for each in figures.values()))
            for choice, figures in _rows(cells)
        ]
        found.append(PageTable(f"choices, {words}", head, tuple(rows)))
    return found


def of_runs(ran: Ran) -> dict[str, Custom]:
    """The same figures by name: the choice, who makes it, what is measured, pace and order."""
    return {
        f"{choice}, {what}, {words}": Custom(figure)
        for words, cells in sets(ran, EXPERIMENTS).items()
        for choice, figures in _rows(cells)
        for what, figure in figures.items()
        if figure is not None
    }


def _rows(cells: Cells) -> Iterator[tuple[str, dict[str, Figure | None]]]:
    for scheme in cells.schemes:
        who, _, choice = scheme.partition(", ")
        if who == BYPASS:
            yield choice, _figures(cells, choice)


def _figures(cells: Cells, choice: str) -> dict[str, Figure | None]:
    ours, theirs = f"{BYPASS}, {choice}", f"{VENICE}, {choice}"
    shared = cells.has_all(theirs)

    def over(metric: str, scheme: str, base: str) -> Figure | None:
        return beside(cells, metric, scheme, base, cells.workloads) if shared else None

    return {
        **{f"both, {label}": over(metric, ours, theirs) for metric, label in METRICS.items()},
        f"GC bypass alone, {METRICS[MEAN]}": beside(
            cells, MEAN, ours, f"{VENICE}, {AS_SET}", cells.workloads
        ),
        "GC bypass alone, mean of reads": beside(
            cells, "read_mean_ns", ours, f"{VENICE}, {AS_SET}", cells.workloads
        ),
        f"Venice alone, {METRICS[MEAN]}": over(MEAN, f"{BYPASS}, {AS_SET}", theirs),
    }
