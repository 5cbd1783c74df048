"""What the planes, chips and channels of a drive did, by which one sees whether all do their share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reclaim.errors import InputError
from reclaim.suggestions import near

if TYPE_CHECKING:
    import polars as pl

PARTS = ("plane", "chip", "channel")


def work_by(data: Mapping[str, Any], part: str) -> pl.DataFrame:
    """Give a row for each part of the drive, of the results of a run: `Result.work_by`."""
    import polars as pl

    if part not in PARTS:
        raise InputError(f"part: unknown {part!r}; valid: {', '.join(PARTS)}{near(str(part), PARTS)}")
    counted = data.get("planes")
    if counted is None:
        raise InputError("these results do not tell planes apart: run the simulation again")
    geometry = data["config"]["geometry"]
    planes = {"plane": 1, "chip": geometry["dies_per_chip"] * geometry["planes_per_die"]}
    planes["channel"] = planes["chip"] * geometry["chips_per_channel"]
    frame = pl.DataFrame(counted, schema=dict.fromkeys(counted, pl.Int64))
    number = (pl.int_range(pl.len(), dtype=pl.Int64) // planes[part]).alias(part)
    return frame.group_by(number, maintain_order=True).sum()
