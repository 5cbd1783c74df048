"""Values of a configuration, multiplied: what a factor among the alternatives of a key stands for."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from reclaim.bench.tune_limits import quantity, with_unit
from reclaim.bench.values import value_text

SIGN = "×"
BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
PAGE_BYTES = 4096
WHOLE = {"ns", "block"}
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
    known = quantity(text)
    if known is None or not known[1]:
        return None
    number, unit = float(known[0]) * by, known[1]
    size = BYTES.get(unit.strip())
    if size is not None:
        total = number * size
        step = PAGE_BYTES if total >= PAGE_BYTES else 1
        return f"{max(step, round(total / step) * step)}B"
    if unit.strip() in WHOLE:
        return with_unit(Decimal(max(1, round(number))), unit)
    return f"{number:.10g}{unit}"
