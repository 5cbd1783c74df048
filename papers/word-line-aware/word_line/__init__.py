"""Word-line-aware garbage collection: the models of Campos et al., IEEE Latin America Transactions.

`analytical` has its equations and every number that follows from them, and from which reading of the text.
`experiment` repeats its experiment, `published` with what its authors' program really computes. `pools` and
`relocation` go past the paper: validity that depends on the level, and a drive.

>>> from word_line import analytical
>>> sweep = analytical.sweep(analytical.READINGS["table-1"])
>>> sweep.mean_least_us, sweep.mean_most_us
(38.125, 51.125)
"""

from reclaim.paper.toolkit import Brought, Level, LevelRuns, Tell

from . import analytical, pools, relocation, reproduction
from .experimental import as_printed, experiment, published, reductions
from .readings import READINGS, Reading

__all__ = [
    "READINGS",
    "Reading",
    "analytical",
    "as_printed",
    "experiment",
    "figures",
    "of_runs",
    "published",
    "reductions",
]


def figures(level: Level, tell: Tell) -> Brought:
    """Every figure that no sweep measures."""
    return dict(reproduction.figures(level, tell)) | pools.of_level(level)


def of_runs(runs: LevelRuns) -> Brought:
    """Every figure of the sweeps, the controls, and the pools, of which the page has tables."""
    of_pools = pools.of_level(runs.level) | pools.of_shares(runs.level)
    return relocation.of_runs(runs) | of_pools | reproduction.controls()
