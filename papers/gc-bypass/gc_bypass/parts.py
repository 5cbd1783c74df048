"""What each part of GC bypass adds on the way from a bus, averaged over the orders of putting them in."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from statistics import fmean

from reclaim.paper.measures import choices
from reclaim.paper.toolkit import Cells, Figure, LevelRuns

from .cells import FOLDER

PARTS = ("network", "controller", "buffer", "destination", "absorption")
NONE = "none"


def of_runs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """Factors of the geometric mean over workloads, by part and for all, of each metric and set of runs."""
    for experiment, words in choices(FOLDER, "part-sets").items():
        cells = Cells.of(runs, experiment)
        schemes = {
            sum(1 << PARTS.index(part) for part in scheme.split("+") if part != NONE): scheme
            for scheme in cells.schemes
        }
        for metric, label in choices(FOLDER, "part-metrics").items() if cells else ():

            def mean_log(scheme: str, repeat: int, of: str = metric, here: Cells = cells) -> float:
                return fmean(log(here.value(of, name, scheme, repeat)) for name in here.workloads)

            factors = cells.factors(PARTS, schemes, mean_log)
            yield from ((f"part {part}, {label}, {words}", figure) for part, figure in factors.items())
