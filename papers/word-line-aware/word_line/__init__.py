"""Word-line-aware garbage collection: the models of Campos et al., IEEE Latin America Transactions.

`analytical` has its equations and every number that follows from them, and from which reading of the text.
`experiment` repeats its experiment, `published` with what its authors' program really computes.

>>> from word_line import analytical
>>> sweep = analytical.sweep(analytical.READINGS["table-1"])
>>> sweep.mean_least_us, sweep.mean_most_us
(38.125, 51.125)
"""

from . import analytical
from .experimental import as_printed, experiment, published, reductions
from .readings import READINGS, Reading
from .reproduction import figures

__all__ = [
    "READINGS",
    "Reading",
    "analytical",
    "as_printed",
    "experiment",
    "figures",
    "published",
    "reductions",
]
