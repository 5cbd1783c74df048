"""The sentence of an ablation says what its figures say, and no more."""

from __future__ import annotations

import pytest

from reclaim.instruments.ablation.result import Figure, Row, Taken
from reclaim.instruments.ablation.words import conclusion, share_of_total


def figure(value: float, half: float | None = 0.02) -> Figure:
    """A figure of six repeats with an interval, or of two without."""
    if half is None:
        return Figure(value, value, None, None, 2)
    return Figure(value, value, value - half, value + half, 6)


def taken(total: Figure, lead: Figure | None = None, **shares: Figure) -> Taken:
    rows = tuple(Row((name,), share, None, None) for name, share in shares.items())
    return Taken(("w",), total, rows, lead=lead)


def said(made: Taken) -> str:
    return conclusion("read_p99_ns", "A", "B", made)


CLEAR = figure(0.2)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (taken(figure(-0.5), CLEAR, a=figure(-0.4), b=figure(-0.1)), ["largest", "a 0.670"]),
        (
            taken(figure(-0.3), CLEAR, a=figure(-0.5), b=figure(0.2)),
            ["largest", "a 0.607", "against it: b 1.221 (1.197 to 1.246)"],
        ),
        # The largest share of all goes the other way.
        (
            taken(figure(0.1), CLEAR, a=figure(-0.5), b=figure(0.3), c=figure(0.3)),
            ["made by b 1.350 (1.323 to 1.377), c 1.350 (1.323 to 1.377)", "against it: a 0.607"],
        ),
        (taken(figure(0.4), figure(0.01), a=figure(0.2), b=figure(0.2)), ["not told apart: a "]),
        # Two repeats have no interval: a lead of less than 1 % is none either.
        (
            taken(figure(0.4, None), figure(0.001, None), a=figure(0.2, None), b=figure(0.2, None)),
            ["not told apart: a 1.221, b 1.221."],
        ),
        (taken(figure(0.1), CLEAR, a=figure(0.05, 0.1), b=figure(0.05, 0.1)), ["for certain."]),
        # Certain, and next to nothing.
        (
            taken(figure(0.1), CLEAR, a=figure(0.1), b=figure(0.005, 0.001)),
            ["a 1.105 (1.083 to 1.127)."],
        ),
        (
            taken(figure(0.0), CLEAR, a=figure(0.3), b=figure(-0.3)),
            ["1.000 (0.980 to 1.020)", "6 repeats", "oppose "],
        ),
        (taken(figure(0.1, None), a=figure(0.1, None)), ["2 different repeats", "a makes all of it."]),
        (Taken((), None, unknown="w: A has no value"), ["read p99 latency from A to B: w: A has no value"]),
        (
            Taken(("w",), figure(0.5), (Row(("a",), None, figure(0.1), None),), unknown="no order does"),
            ["as no order does."],
        ),
        (
            Taken(("w",), figure(0.5), (Row(("a", "b"), figure(0.5), None, None),)),
            ["a with b ", "make all of it."],
        ),
    ],
)
def test_the_sentence(made: Taken, told: list[str]) -> None:
    assert [each for each in told if each not in said(made)] == [], said(made)


def test_percentages_are_left_out_where_parts_cancel_or_the_total_may_be_none() -> None:
    def percent(made: Taken) -> list[str]:
        return [share_of_total(row, made) for row in made.rows]

    assert percent(taken(figure(-0.5), a=figure(-0.6), b=figure(0.1))) == ["120 %", "\u221220 %"]
    assert percent(taken(figure(-0.1), a=figure(-0.4), b=figure(0.3))) == ["", ""]
    assert percent(taken(figure(0.01), a=figure(0.01))) == [""]


def test_shares_that_other_orders_may_turn_are_not_named() -> None:
    def drawn(error: float, a: float = 0.4, b: float = 0.1) -> str:
        rows = tuple(Row((name,), figure(share), None, None, error) for name, share in (("a", a), ("b", b)))
        return said(Taken(("w",), figure(a + b), rows, lead=figure(a - b)))

    assert "a 1.492 (1.462 to 1.522), b 1.105" in drawn(0.02)
    assert drawn(0.06).endswith("a 1.492 (1.462 to 1.522).")
    assert "1.492" not in drawn(0.3)
    assert "not told apart: a " in drawn(0.06, 0.3, 0.2)
