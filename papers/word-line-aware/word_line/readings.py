"""What a page costs, by each reading of the paper's text and of the program its authors published.

The text leaves open what `t_program` is (one time, or one for each level) and whether the erase counts, and
takes other times in Figure 4 than in Table I. Times are in µs; a *level* is the depth of a bit inside a QLC
cell, SLC first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVELS = ("SLC", "MLC", "TLC", "QLC")

Floats = NDArray[np.float64]
ByLevel = tuple[float, float, float, float]


@dataclass(frozen=True)
class Reading:
    """One set of costs, and what in the paper or its program says so."""

    name: str
    source: str
    read_us: ByLevel
    """To read a page of each level."""
    program_us: ByLevel
    """To write it elsewhere, counted at the level where it was."""
    erase_us: float = 0.0
    """Once for a block."""

    @property
    def page_us(self) -> Floats:
        """What a valid page of each level costs: read and written."""
        return np.asarray(np.array(self.read_us) + np.array(self.program_us))


TABLE_1_READ: ByLevel = (1, 2, 2.5, 3)
TABLE_1_WRITE: ByLevel = (2, 3, 3.5, 4)
FIGURE_4: ByLevel = (1, 2, 3.5, 4)
PROGRAM_WEIGHTS: ByLevel = (1, 2, 3, 4)


def _same(time: float) -> ByLevel:
    """One time for all levels."""
    return (time, time, time, time)


_ALL = (
    Reading(
        "table-1",
        "Table I; section IV-A: t_program is the write time of the same level, the erase is left out",
        TABLE_1_READ,
        TABLE_1_WRITE,
    ),
    Reading(
        "table-1-erase",
        "Table I, with its erase of 60 us once for the block",
        TABLE_1_READ,
        TABLE_1_WRITE,
        60,
    ),
    Reading(
        "read-only",
        "Table I, reads alone: the weights that the published program compares",
        TABLE_1_READ,
        _same(0),
    ),
    Reading("write-only", "Table I, writes alone", _same(0), TABLE_1_WRITE),
    Reading(
        "constant-program",
        "equations (1) and (3) as printed, with one t_program: Table I's largest",
        TABLE_1_READ,
        _same(4),
    ),
    Reading(
        "figure-4",
        "section III, Figure 4: t_program is the time to read the cell, the erase takes 20 us",
        FIGURE_4,
        FIGURE_4,
        20,
    ),
    Reading(
        "program-erase-20",
        "page costs of the published program (reads of 1 to 4, writes of 2) with Figure 4's erase of 20",
        PROGRAM_WEIGHTS,
        _same(2),
        20,
    ),
    Reading(
        "program-erase-8",
        "page costs of the published program with an erase of 8, which nothing mentions",
        PROGRAM_WEIGHTS,
        _same(2),
        8,
    ),
    Reading(
        "program",
        "the published program of the experiment as it stands: erase 9",
        PROGRAM_WEIGHTS,
        _same(2),
        9,
    ),
    Reading(
        "published-model",
        "the published analytical model as it stands: a t_program of 20 beside Table I's writes, erase 60",
        TABLE_1_READ,
        (22, 23, 23.5, 24),
        60,
    ),
    Reading(
        "published-model-first",
        "the published analytical model as it first was: a t_program of 20, erase 60",
        TABLE_1_READ,
        _same(20),
        60,
    ),
)

READINGS = {reading.name: reading for reading in _ALL}
