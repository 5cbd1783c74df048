"""GC bypass beside Venice under other choices of what the paper leaves open, besides the order at the die."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reclaim.paper.toolkit import Figure, LevelRuns, PageTable, in_words

from .cells import BYPASS, VENICE, BypassCells
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


def tables(runs: LevelRuns) -> Iterator[PageTable]:
    """One row for each choice, made for both schemes and for each alone; a table for each pace and order."""
    head = (
        "choice",
        *(f"both: {label}" for label in METRICS.values()),
        "GC bypass alone: mean",
        "GC bypass alone: mean of reads",
        "Venice alone: mean",
    )
    for words, cells in sets(runs, EXPERIMENTS).items():
        rows = tuple((choice, *map(in_words, figures.values())) for choice, figures in _rows(cells))
        yield PageTable(f"choices, {words}", head, rows)


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """The same figures by name: the choice, who makes it, what is measured, pace and order."""
    for words, cells in sets(runs, EXPERIMENTS).items():
        for choice, figures in _rows(cells):
            known = ((what, figure) for what, figure in figures.items() if figure is not None)
            yield from ((f"{choice}, {what}, {words}", figure) for what, figure in known)


def _rows(cells: BypassCells) -> Iterator[tuple[str, dict[str, Figure | None]]]:
    for scheme in cells.schemes:
        who, _, choice = scheme.partition(", ")
        if who == BYPASS:
            yield choice, _figures(cells, choice)


def _figures(cells: BypassCells, choice: str) -> dict[str, Figure | None]:
    ours, theirs, as_set = f"{BYPASS}, {choice}", f"{VENICE}, {choice}", f"{VENICE}, {AS_SET}"
    shared = cells.has_all(theirs)

    def over(metric: str, scheme: str, base: str) -> Figure | None:
        return beside(cells, metric, scheme, base) if shared else None

    return {
        **{f"both, {label}": over(metric, ours, theirs) for metric, label in METRICS.items()},
        f"GC bypass alone, {METRICS[MEAN]}": beside(cells, MEAN, ours, as_set),
        "GC bypass alone, mean of reads": beside(cells, "read_mean_ns", ours, as_set),
        f"Venice alone, {METRICS[MEAN]}": over(MEAN, f"{BYPASS}, {AS_SET}", theirs),
    }
