"""Student's t and Holm's correction, by hand, by tables, and by how often they err where nothing is."""

from __future__ import annotations

import math
import random

import pytest

from reclaim.instruments.statistics import Sample, beyond, holm, of_key, quantile


@pytest.mark.parametrize(
    ("freedom", "alpha", "wanted"),
    [
        # Tables of Student's t, two-sided.
        (1, 0.05, 12.7062),
        (2, 0.05, 4.30265),
        (5, 0.001, 6.86883),
        (11, 0.05, 2.20099),
        (30, 0.001, 3.64596),
        (120, 0.05, 1.97993),
    ],
)
def test_student_is_that_of_tables(freedom: int, alpha: float, wanted: float) -> None:
    assert quantile(alpha, freedom) == pytest.approx(wanted, rel=1e-5)
    assert beyond(wanted, freedom) == pytest.approx(alpha, rel=1e-4)
    assert beyond(-wanted, freedom) == beyond(wanted, freedom)


def test_tail_and_sums_meet() -> None:
    """Two ways of summing up, chosen by how far out: no step where one takes over from the other."""
    for freedom in (2, 5, 11, 39):
        near = math.sqrt(freedom) * math.tan(math.acos(math.sqrt(0.9)))
        assert beyond(near * (1 - 1e-9), freedom) == pytest.approx(
            beyond(near * (1 + 1e-9), freedom), rel=1e-6
        )


def test_sample_by_hand() -> None:
    found = Sample.of([0.1, 0.2, 0.3])
    assert (found.mean, found.deviation, found.count) == (pytest.approx(0.2), pytest.approx(0.1), 3)
    low, high = found.interval() or (0, 0)
    assert (high - low) / 2 == pytest.approx(4.30265 * 0.1 / math.sqrt(3), rel=1e-5)
    assert not found.excludes_none(1)
    assert Sample.of([0.19, 0.2, 0.21]).excludes_none(1)
    assert not Sample.of([0.19, 0.2, 0.21]).excludes_none(-1)


def test_what_repeats_show() -> None:
    """A min-to-max interval of six stops at 2 / 2^6, about 3 %: this goes on."""
    logs = Sample.of([0.30, 0.31, 0.29, 0.30, 0.32, 0.28])
    assert logs.p(1) < 0.05 / 31 < 2 / 2**6
    assert logs.p(-1) == 1.0
    same = Sample.of([0.2] * 6)
    assert same.interval() is None
    assert (same.p(1), same.excludes_none(1)) == (1.0, False)


def test_corrections_by_hand() -> None:
    """Of four: 0.005 × 4, then 0.011 × 3, then 0.02 × 2, then 0.04 × 1; never less than the one before."""
    found = holm({"c": 0.02, "a": 0.005, "d": 0.04, "b": 0.011})
    assert found == pytest.approx({"c": 0.04, "a": 0.02, "d": 0.04, "b": 0.033})
    assert list(found) == ["c", "a", "d", "b"]
    assert holm({"x": 0.02, "y": 0.021}) == pytest.approx({"x": 0.04, "y": 0.04})
    assert holm({}) == {}
    # What could not be run is not dropped from their number.
    assert holm({"a": 0.03, "refused": 1.0})["a"] == pytest.approx(0.06)
    # A key pays for its variations.
    assert of_key([0.004, 1.0, 1.0], 3) == pytest.approx(0.012)
    assert of_key([0.5], 4) == 1.0


def test_level_is_kept_where_nothing_is() -> None:
    """Of 2000 families of ten keys without any difference, Holm's correction blames a key in at most 5 %."""
    draw = random.Random(7)  # noqa: S311 - reproducible, not secret
    families, blamed = 2000, 0
    for _ in range(families):
        ps = {str(key): Sample.of([draw.gauss(0, 0.1) for _ in range(6)]).p() for key in range(10)}
        blamed += min(holm(ps).values()) <= 0.05
    # Three deviations of a count around 5 %; and a test that never blames would be none.
    assert 0.02 * families < blamed < 0.05 * families + 3 * math.sqrt(0.05 * 0.95 * families)
