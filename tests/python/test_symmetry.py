"""On a symmetric drive under uniform load every chip, plane and channel does its share."""

from __future__ import annotations

import pytest

import reclaim
import symmetry
from symmetry import AS_BEFORE, Deviation, bound, deviations, error_of_chips, seen, work

MOST_SEEN = 0.05
"""A deviation of a chip that must not be overlooked, as a share of what the others do."""


FEW = ("greedy", "dgc")


@pytest.fixture(scope="module", params=["few", pytest.param("all", marks=pytest.mark.slow)])
def now(request: pytest.FixtureRequest) -> list[Deviation]:
    """Some schemes, or every one, several times."""
    return symmetry.measure(schemes=FEW if request.param == "few" else list(reclaim.schemes()))


def test_every_scheme_treats_all_parts_alike(now: list[Deviation]) -> None:
    assert {each.scheme for each in now} in (set(FEW), set(reclaim.schemes()))
    limit = bound(len(now))
    assert [each for each in now if each.is_asymmetric(limit)] == []


def test_five_percent_would_be_seen(now: list[Deviation]) -> None:
    schemes = {each.scheme for each in now}
    found = {scheme: seen(len(now), error_of_chips(now, scheme)) for scheme in schemes}
    assert {scheme: share for scheme, share in found.items() if share > MOST_SEEN} == {}


@pytest.mark.parametrize(
    ("scheme", "parts"),
    [("dgc", {"chip", "channel"}), pytest.param("gc-bypass", {"plane"}, marks=pytest.mark.slow)],
)
def test_lowest_numbers_first_is_found(scheme: str, parts: set[str]) -> None:
    before = list(deviations(scheme, work(scheme, AS_BEFORE[scheme])))
    limit = bound(len(before) * len(list(reclaim.schemes())))
    assert {each.part for each in before if each.is_asymmetric(limit)} >= parts


def test_errors_are_those_of_chance(now: list[Deviation]) -> None:
    """Where all is symmetric, deviations are as large as their standard errors say."""
    squares = [each.z**2 for each in now if each.part == "chip"]
    assert 0.8 < (sum(squares) / len(squares)) ** 0.5 < 1.25


def test_two_equals_and_three_runs_by_hand() -> None:
    """11 and 9, 12 and 8, 10 and 10: a tenth more in the mean; a run's two mirror each other."""
    means, error, freedom = symmetry.mean_deviations([[11, 9], [12, 8], [10, 10]])
    assert means == pytest.approx([0.1, -0.1])
    # The variance of 0.1, 0.2 and 0 is 0.01; that of the mean of three a third.
    assert (error, freedom) == (pytest.approx((0.01 / 3) ** 0.5), 2)


def test_chips_equally_far_from_the_corners_are_compared() -> None:
    assert symmetry.alike("greedy") == [list(range(16))]
    assert sorted(map(len, symmetry.alike("venice"))) == [4, 4, 8]
    # The collector's controller at a corner leaves the mirror through that corner.
    assert all(len(group) in (2, 3, 4) for group in symmetry.alike("gc-bypass"))
