"""Values of a configuration, multiplied: what a factor among the alternatives of a key stands for."""

from __future__ import annotations

import re
from typing import Any

from reclaim.bench.values import value_text

SIGN = "×"
QUANTITY = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<blank>\s*)(?P<unit>[^\d\s].*)")
BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
PAGE_BYTES = 4096
WHOLE = {"ns", "block", "blocks"}
"""Units of which there are no parts."""


def is_factor(value: str) -> bool:
    """Whether an alternative is a factor for the value at hand.

    >>> is_factor("×0.5"), is_factor("5%")
    (True, False)
    """
    return value.startswith(SIGN)


def scaled(value: Any, factor: str) -> str | None:
    """Multiply a value of a configuration, as `--set` takes it; None where that changes nothing or cannot be.

    >>> scaled("75us", "×0.5"), scaled(4, "×0.25"), scaled(1, "×0.5"), scaled("5%", "×2")
    ('37.5us', '1', None, '10%')
    >>> scaled(["40us", "60us"], "×2"), scaled("1 block", "×2"), scaled("unlimited", "×2")
    ('["80us", "120us"]', '2 blocks', None)
    >>> scaled("64GiB", "×0.9")
    '61847527424B'
    """
    by = float(factor.removeprefix(SIGN))
    found = _scaled(value, by)
    return None if found is None or found == value else value_text(found)


def _scaled(value: Any, by: float) -> Any:
    match value:
        case bool() | None:
            return None
        case int():
            return max(1, round(value * by)) if value else None
        case float():
            return float(f"{value * by:.12g}")
        case list():
            parts = [_scaled(each, by) for each in value]
            return None if None in parts else parts
        case str():
            return _quantity(value, by)
    return None


def _quantity(text: str, by: float) -> str | None:
    found = QUANTITY.fullmatch(text)
    if found is None:
        return None
    number, unit = float(found["number"]) * by, found["unit"]
    if unit in BYTES:
        total = number * BYTES[unit]
        step = PAGE_BYTES if total >= PAGE_BYTES else 1
        return f"{max(step, round(total / step) * step)}B"
    if unit in WHOLE:
        count = max(1, round(number))
        name = ("block" if count == 1 else "blocks") if unit.startswith("block") else unit
        return f"{count}{found['blank']}{name}"
    return f"{number:.10g}{found['blank']}{unit}"
