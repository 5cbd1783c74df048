"""Intervals of repeats: their level in closed form and on synthetic data, and where there are none."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

import interval_coverage
from reclaim import InputError
from reclaim.result.sets import Interval, median_interval, ratio_interval
from reclaim.statistics.intervals import coverage, fewest, place_of
from reclaim.statistics.samples import Sample

DOCUMENT = Path(__file__).parents[2] / "docs" / "result-sets.md"


def test_the_level_is_that_of_all_ways_to_fall_on_two_sides() -> None:
    """Counted one by one: the median lies between the k-th of both ends if k fall on either side of it."""
    for count in range(2, 11):
        falls = [sum(sides) for sides in itertools.product((0, 1), repeat=count)]
        for place in range(1, count // 2 + 1):
            inside = sum(place <= below <= count - place for below in falls)
            assert coverage(count, place) == inside / 2**count


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_interval_is_the_narrowest_that_keeps_its_level(level: float) -> None:
    for count in range(1, 60):
        place = place_of(count, level)
        assert (place == 0) == (count < fewest(level))
        if place:
            assert coverage(count, place) >= level
        if place < count // 2:
            assert coverage(count, place + 1) < level
        found = median_interval([float(each) for each in range(1, count + 1)], level)
        expected = (place, count + 1 - place) if place else (None, None)
        assert (found.low, found.high) == expected


def test_simulated_intervals_contain_the_median_as_often_as_they_say() -> None:
    """Of every distribution; one that falls short of its level would be far off."""
    trials = 2000
    rows = interval_coverage.simulate((5, 6, 8, 9, 15, 30), trials)
    for row in rows[1:]:
        error = 4 * math.sqrt(row.exact * (1 - row.exact) / trials)
        assert row.exact >= 0.95
        assert min(row.order) == pytest.approx(row.exact, abs=error)
        assert max(row.order) == pytest.approx(row.exact, abs=error)
    assert math.isnan(rows[0].exact)


def test_two_values_alone_keep_the_level_too() -> None:
    """Of values that are equal in part, the interval contains the median at least as often as it says."""
    random = np.random.default_rng(7)
    for count in (6, 9, 12, 20, 30):
        for share in (0.3, 0.45):
            samples = np.where(random.random((3000, count)) < share, 2.0, 1.0)
            intervals = [median_interval(list(each)) for each in samples]
            missed = sum(each.low is not None and not each.low <= 1.0 <= each.high for each in intervals)
            assert missed <= 0.05 * len(samples)


def test_how_far_p_keeps_its_level() -> None:
    """Student's t: exact for normal logarithms; of skewed ones, 13 % instead of 5 at most."""
    random = np.random.default_rng(11)
    for count in (6, 9, 12, 20, 30):
        shape = (2000, count)
        drawn = {
            "normal": random.normal(0, 0.1, shape),
            "skewed": random.exponential(0.1, shape) - 0.1,
            "two-valued": np.where(random.random(shape) < 0.5, 0.1, -0.1),
        }
        shares = {
            name: np.mean([Sample.of(list(each)).p() <= 0.05 for each in samples])
            for name, samples in drawn.items()
        }
        assert shares["normal"] == pytest.approx(0.05, abs=0.02)
        assert shares["two-valued"] < 0.08
        assert shares["skewed"] < 0.13


def test_the_document_has_the_table_that_the_tool_prints() -> None:
    shown = {
        int(line.split("|")[1]): [each.strip() for each in line.split("|")[2:-1]]
        for line in DOCUMENT.read_text().splitlines()
        if re.match(r"\| \d+ \| (\d+|no interval) \|", line)
    }
    assert tuple(shown) == interval_coverage.COUNTS
    head = interval_coverage.table([]).splitlines()[0]
    assert head in DOCUMENT.read_text()
    for row in interval_coverage.simulate((4, 10, 20), 2000):
        place, exact, contained = shown[row.count]
        assert place == str(place_of(row.count) or "no interval")
        assert exact == ("–" if math.isnan(row.exact) else f"{100 * row.exact:.1f}")
        if contained != "–":
            # A tenth of the samples of the table.
            found = [float(each) for each in contained.split(" to ")]
            assert [100 * each for each in row.order] == pytest.approx([found[0], found[-1]], abs=6)


def test_without_enough_repeats_that_differ_there_is_no_interval() -> None:
    for values, expected in (
        ([], Interval(None, None, None, 0)),
        ([None, None], Interval(None, None, None, 0)),
        ([4.0], Interval(4.0, None, None, 1)),
        ([4.0, None, 6.0], Interval(5.0, None, None, 2)),
        # Five contain the median in 93.75 %.
        ([1.0, 2.0, 3.0, 4.0, 5.0], Interval(3.0, None, None, 5)),
        ([3.0, 1.0, 4.0, 1.5, 9.0, 2.6], Interval(2.8, 1.0, 9.0, 6)),
        ([7.0] * 10, Interval(7.0, None, None, 10)),
    ):
        assert median_interval(values) == median_interval(values[::-1]) == expected


def test_ratios_are_of_pairs_so_that_what_both_share_cancels() -> None:
    theirs = [100.0, 400.0, 250.0, 900.0, 130.0, 70.0]
    ours = [0.5 * each for each in theirs]
    assert ratio_interval(ours, theirs) == Interval(0.5, None, None, 6)
    assert ratio_interval([*ours, None, 3.0], [*theirs, 5.0, 0.0]).count == 6
    with pytest.raises(InputError, match="2 values against 1"):
        ratio_interval([1.0, 2.0], [1.0])
    with pytest.raises(InputError, match="between 0 and 1"):
        median_interval([1.0], 95)
