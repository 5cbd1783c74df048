"""Which workloads the scheme controls under each reading of usage and tasks, and what is printed of these."""

from __future__ import annotations

from collections.abc import Iterator

from reclaim.paper.measures import acting, choices
from reclaim.paper.toolkit import Cells, Figure, LevelRuns, exact

from . import printed
from .gains import FOLDER, printed_cells

LEAST = 50
"""Of the jobs, %: where fewer take a listed block on an idle channel, a workload is set apart."""
VARIANTS = ("", ", interleaved", ", valid")
"""What stands behind the names of schemes under other readings."""


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """How many workloads the scheme controls, and what is printed of those."""
    for experiment, words in choices(FOLDER, "crossed").items():
        cells = Cells.of(runs, experiment)
        for behind in VARIANTS if cells else ():
            there = acting(cells, "listed", f"adaptive, idle{behind}", LEAST)
            if cells.has_all(f"adaptive, idle{behind}"):
                yield f"workloads where it acts{behind}, {words}", exact(float(len(there)))
            if not behind:
                yield f"printed, {words}, where it acts", printed.geometric(printed_cells(there))
