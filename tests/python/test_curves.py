"""Distributions of latency: where their points stand, and from where on they are chance."""

from __future__ import annotations

import math

import polars as pl
import pytest

from reclaim.results.sets.curves import FINEST_RISE, TOP, curve_of, curves, pooled, stretched


def test_a_percentile_stands_where_its_share_of_the_requests_is_done() -> None:
    buckets = [(1_000, 900), (5_000, 90), (20_000, 10)]
    curve = curve_of(buckets, 0.9)
    assert curve.us == [0.9, 1.0, 5.0, 20.0]
    assert curve.heights[:3] == pytest.approx([0.0, stretched(90), stretched(99)])
    assert curve.heights[3] == pytest.approx(math.log10(1000 / 0.5))


def test_beyond_the_last_percentile_with_ten_slower_requests_all_is_chance() -> None:
    curve = curve_of([(1_000, 900), (5_000, 90), (7_000, 5), (20_000, 5)], 0.9)
    assert curve.us[curve.sure] == [0.9, 1.0, 5.0]
    assert curve.us[curve.chance] == [5.0, 7.0, 20.0]


def test_few_requests_are_all_chance() -> None:
    curve = curve_of([(1_000, 3), (2_000, 2)], 0.9)
    assert curve.us[curve.sure] == [0.9]
    assert curve.us[curve.chance] == [0.9, 1.0, 2.0]


def test_requests_that_took_no_time_stand_at_the_left_edge() -> None:
    curve = curve_of([(0, 50), (2_000, 50)], 1.8)
    assert curve.us[:2] == [1.8, 1.8]
    assert curve.heights[1] == pytest.approx(stretched(50))


def test_of_many_buckets_as_many_are_drawn_as_can_be_seen_and_none_too_fast() -> None:
    buckets = [(1_000 + 10 * at, 7) for at in range(20_000)]
    curve = curve_of(buckets, 0.9)
    assert len(curve.us) < TOP / FINEST_RISE + 3
    total, done = 7 * len(buckets), 0
    exact = {}
    for upper, count in buckets:
        done += count
        exact[upper / 1000] = min(TOP, -math.log10(max(total - done, 0.5) / total))
    assert all(exact[us] == pytest.approx(y) for us, y in zip(curve.us[1:], curve.heights[1:], strict=True))
    assert curve.us[-1] == buckets[-1][0] / 1000


def test_repeats_are_counted_together() -> None:
    points = pl.DataFrame({"point": ["a", "b", "c"], "trace": ["t", "t", "t"], "scheme": ["x", "x", "y"]})
    histograms = pl.LazyFrame(
        {
            "point": ["a", "b", "b", "c"],
            "class": ["read"] * 4,
            "upper_ns": [10, 10, 20, 30],
            "count": [1, 2, 3, 4],
        }
    )
    summed = pooled(histograms, points)
    assert summed.rows() == [("t", "x", "read", 10, 3), ("t", "x", "read", 20, 3), ("t", "y", "read", 30, 4)]
    assert set(curves(summed, "read")) == {("t", "x"), ("t", "y")}
    assert curves(summed, "write") == {}
