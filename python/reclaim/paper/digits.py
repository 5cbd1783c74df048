"""Figures as text, in a unit that suits them."""

from __future__ import annotations

import math

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


def rounded(value: float, digits: int = 2) -> str:
    """A figure for prose.

    >>> rounded(19.71), rounded(0.8996), rounded(1234.0), rounded(5.0), rounded(0.0)
    ('20', '0.9', '1,200', '5', '0')
    """
    if value == 0:
        return "0"
    near = float(f"{value:.{digits}g}")
    return f"{near:,.0f}" if abs(near) >= 10 ** (digits - 1) else f"{near:.10g}"


def with_error(value: float, half: float) -> str:
    """A figure for a table: three digits, and half the width of its interval where that is to be seen.

    >>> with_error(0.8996, 0.0125), with_error(24.74, 0.05), with_error(2.0, 0.0), with_error(0.0975, 1e-4)
    ('0.90 ± 0.01', '24.7', '2', '0.0975 ± 0.0001')
    >>> with_error(-0.08, 3.5)
    '0 ± 4'
    """
    size = abs(value) or half
    shown = rounded(value, 3)
    if not size or not half or float(f"{half:.1g}") < 10 ** (math.floor(math.log10(size)) - 2):
        return shown
    places = max(0, -math.floor(math.log10(half)))
    return f"{round(value, places) + 0:,.{places}f} ± {half:.{places}f}"
