"""Values with units as a resolved configuration writes them (docs/model.md, 1.4 and 1.5)."""

from __future__ import annotations

import re
from fractions import Fraction

MILLION = 1_000_000
TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
SIZES = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
RATES = {"MT/s": 10**6, "GT/s": 10**9}
QUANTITY = re.compile(r"(\d+(?:\.\d+)?) ?([A-Za-z/%]+)")


def _number_and_unit(text: object) -> tuple[Fraction, str]:
    found = QUANTITY.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise ValueError(f"{text!r} is not a number with a unit")
    return Fraction(found[1]), found[2]


def _quantity(text: object, units: dict[str, int]) -> int:
    number, unit = _number_and_unit(text)
    if unit not in units:
        raise ValueError(f"{text!r}: the unit is none of {', '.join(units)}")
    value = number * units[unit]
    if value.denominator != 1:
        raise ValueError(f"{text!r} is not a whole number of the smallest unit")
    return value.numerator


def nanoseconds(text: object) -> int:
    """`"75us"` -> 75,000."""
    return _quantity(text, TIMES)


def size_in_bytes(text: object) -> int:
    """`"16KiB"` -> 16,384."""
    return _quantity(text, SIZES)


def per_second(text: object) -> int:
    """`"333 MT/s"` -> 333,000,000."""
    return _quantity(text, RATES)


def parts_per_million(text: object) -> int:
    """`"7%"` -> 70,000 (1.4)."""
    return _quantity(text, {"%": MILLION // 100})


def share(ppm: int, whole: int) -> int:
    """Return that share of a whole number (1.4)."""
    return whole * ppm // MILLION


def blocks(text: object, blocks_per_plane: int) -> int:
    """`"3 blocks"`, or a share of the blocks of a plane, rounded down."""
    number, unit = _number_and_unit(text)
    if unit == "%":
        return share(parts_per_million(text), blocks_per_plane)
    if unit not in ("block", "blocks") or number.denominator != 1:
        raise ValueError(f"{text!r} is neither a number of blocks nor a percentage")
    return number.numerator


def level(text: object, blocks_per_plane: int) -> int:
    """Return a level of free blocks: a share counts at least one block (5.1)."""
    count = blocks(text, blocks_per_plane)
    return max(count, 1) if isinstance(text, str) and text.endswith("%") else count


def urgent_level(text: object, blocks_per_plane: int) -> int | None:
    """Return the level of urgency; none with `off` (5.1)."""
    return None if text == "off" else level(text, blocks_per_plane)


def is_urgent(free: int, hard: int | None) -> bool:
    """Whether collection is urgent with so many free blocks."""
    return hard is not None and free <= hard


def rounded(value: float) -> int:
    """Return the nearest whole number, halves away from zero (7.3, 8.6)."""
    whole = int(value)
    return whole + (1 if value - whole >= 0.5 else 0)
