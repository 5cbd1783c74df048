"""What a page costs, by each reading of the paper's text and of its authors' program: `readings.toml`.

The text leaves open what `t_program` is (one time, or one for each level) and whether the erase counts, and
takes other times in Figure 4 than in Table I. Times are in µs; a *level* is the depth of a bit inside a QLC
cell, SLC first.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

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


def _by_level(times: float | list[float]) -> ByLevel:
    """Times of the levels, where one may be that of all."""
    slc, mlc, tlc, qlc = times if isinstance(times, list) else [times] * len(LEVELS)
    return slc, mlc, tlc, qlc


_FILE = Path(__file__).parents[1] / "readings.toml"
READINGS = {
    name: Reading(
        name,
        each["source"],
        _by_level(each["read_us"]),
        _by_level(each["program_us"]),
        each.get("erase_us", 0.0),
    )
    for name, each in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}
