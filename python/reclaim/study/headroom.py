"""Whether schemes can differ at all: said when the first points are there, before hours are spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reclaim.errors import InputError
from reclaim.experiment.point import Point
from reclaim.result.result import Result
from reclaim.study.store import Store

NOTHING_MOVED = 1.005
"""Write amplification below this is written as 1.00."""
REMEDY = "take a smaller drive or a longer trace, or warm up with the workload"


def none_left(data: Sequence[Mapping[str, Any]]) -> str:
    """Say why the schemes of some results can hardly differ; nothing where they can.

    Args:
        data: results as mappings, those of at least two schemes.
    """
    every = [each["gc"] for each in data]
    if not any(each["jobs"] for each in every):
        return f"no garbage collection ran under any of these schemes, so they cannot differ; {REMEDY}"
    known = [each.get("nand_write_amplification") or each["write_amplification"] for each in every]
    if all(each is not None and each < NOTHING_MOVED for each in known):
        return (
            "write amplification is 1.00 under every scheme: garbage collection moves nothing, so schemes "
            f"that choose what it moves cannot differ; {REMEDY}"
        )
    return ""


class Headroom:
    """Looks at the points of the first workload, which are run before all others."""

    def __init__(self, store: Store, points: Sequence[Point]) -> None:
        """Find them: the same of a point in all but its scheme."""
        self._store = store
        able = [each for each in points if not each.refused]
        self.first = [each for each in able if _workload(each) == _workload(able[0])]
        self._told = len({each.made for each in self.first}) < 2

    def seen(self) -> str:
        """Say once, when all of them are stored, why schemes can hardly differ; nothing where they can."""
        if self._told or not all(self._store.has(each.id) for each in self.first):
            return ""
        self._told = True
        try:
            said = none_left([Result.load(self._store.point(each.id)).to_dict() for each in self.first])
        except InputError:
            # What is wrong with a point is said elsewhere.
            return ""
        return f"{', '.join(_workload(self.first[0])[:-1])}: {said}" if said else ""


def _workload(point: Point) -> tuple[str, ...]:
    """All of a point but its scheme."""
    return (
        point.device,
        point.trace,
        *(f"{name} {value}" for name, value in point.axes.items()),
        str(point.repeat),
    )
