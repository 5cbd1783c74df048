"""What the rated endurance of a drive implies of its flash: how often a block is erased by then."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from reclaim.device import known_drives
from reclaim.study.measuring.sheet import Rating, Sheet
from reclaim.units import MISSING, written

TB = 10**12
HEAD = ("rated for writes", "TBW, TB", "write amplification", "erases per block")
ABOUT = (
    "Erases that the rated endurance implies: TBW × write amplification ÷ capacity of the flash. Sequential "
    "writes are not amplified; random ones by the model's closed form under heavy load. It shows whether "
    "figures fit together and validates nothing: ratings include retention (JESD218)."
)


class Implied(NamedTuple):
    """What one rating comes to."""

    rating: Rating
    amplification: float | None
    """Bytes programmed for a byte of the host; None where no closed form knows it."""
    erases: float | None
    """How often each block is erased if all wear alike."""


def implied(sheet: Sheet, facts: Mapping[str, Any]) -> list[Implied]:
    """Give what the ratings of a sheet imply, with the facts of the drive that models it."""
    known = facts["heavy_load"]["write_amplification"]
    random = None if known is None else float(known)
    found = []
    for each in sheet.ratings:
        times = 1.0 if each.pattern == "sequential" else random
        erases = None if times is None else each.tbw * TB * times / sheet.flash_bytes
        found.append(Implied(each, times, erases))
    return found


def sheet_beside(device: str) -> Path | None:
    """Give the sheet that ships with a device file, or with a drive of a name; None if there is none."""
    named = next((each.path for each in known_drives() if each.name == device), None)
    file = Path(device) if named is None else named
    sheet = file.parent / "sheets" / file.name
    return sheet if sheet.is_file() else None


def rows(found: list[Implied]) -> list[tuple[str, ...]]:
    """Write them as rows under `HEAD`."""
    return [
        (
            each.rating.pattern,
            written(each.rating.tbw, "count"),
            written(each.amplification, "ratio"),
            MISSING if each.erases is None else written(round(each.erases), "count"),
        )
        for each in found
    ]
