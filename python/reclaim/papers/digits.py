"""Figures as text, in a unit that suits them."""

from __future__ import annotations

from reclaim.units import Kind, written

SCALED: dict[str, Kind] = {"ns": "time", "B/s": "bandwidth"}
"""Units of our own tables, whose figures are written in larger ones."""


def number(value: float) -> str:
    """Four significant digits, without an exponent below a hundred million.

    >>> number(0.2749), number(31391.2), number(4.8), number(1.0e9)
    ('0.2749', '31,391', '4.8', '1e+09')
    """
    if value == 0 or not 1e-4 <= abs(value) < 1e8:
        return f"{value:.4g}"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def scaled(value: float, unit: str) -> str:
    """A figure, with its unit only where that is not the one in which it is given.

    >>> scaled(79_100, "ns"), scaled(0.5, "ratio")
    ('79.10 µs', '0.5')
    """
    return written(value, SCALED[unit]) if unit in SCALED else number(value)
