"""Distributions of latency: where their points stand, and from where on they are chance."""

from __future__ import annotations

import math

import polars as pl
import pytest

from reclaim.result.sets.curves import FINEST_RISE, TOP, curve_of, curves, pooled, stretched


def test_a_percentile_stands_where_its_share_of_the_requests_is_done() -> None:
    curve = curve_of([(1_000, 900), (5_000, 90), (20_000, 10)], 0.9)
    assert curve.us == [0.9, 1.0, 5.0, 20.0]
    assert curve.heights == pytest.approx([0.0, stretched(90), stretched(99), math.log10(1000 / 0.5)])
    # Requests that took no time stand at the left edge.
    curve = curve_of([(0, 50), (2_000, 50)], 1.8)
    assert curve.us[:2] == [1.8, 1.8]
    assert curve.heights[1] == pytest.approx(stretched(50))


@pytest.mark.parametrize(
    ("buckets", "sure", "chance"),
    [
        # Beyond the last percentile with ten slower requests all is chance.
        ([(1_000, 900), (5_000, 90), (7_000, 5), (20_000, 5)], [0.9, 1.0, 5.0], [5.0, 7.0, 20.0]),
        ([(1_000, 3), (2_000, 2)], [0.9], [0.9, 1.0, 2.0]),
    ],
)
def test_few_slower_requests_are_chance(
    buckets: list[tuple[int, int]], sure: list[float], chance: list[float]
) -> None:
    curve = curve_of(buckets, 0.9)
    assert (curve.us[curve.sure], curve.us[curve.chance]) == (sure, chance)


def test_of_many_buckets_as_many_are_drawn_as_can_be_seen_and_none_too_fast() -> None:
    buckets = [(1_000 + 10 * at, 7) for at in range(20_000)]
    curve = curve_of(buckets, 0.9)
    assert len(curve.us) < TOP / FINEST_RISE + 3
    total, exact = 7 * len(buckets), {}
    for at, (upper, _) in enumerate(buckets, 1):
        exact[upper / 1000] = min(TOP, -math.log10(max(total - 7 * at, 0.5) / total))
    assert [exact[us] for us in curve.us[1:]] == pytest.approx(list(curve.heights[1:]))
    assert curve.us[-1] == buckets[-1][0] / 1000


def test_repeats_are_counted_together() -> None:
    points = pl.DataFrame({"point": ["a", "b", "c"], "trace": ["t", "t", "t"], "scheme": ["x", "x", "y"]})
    rows = [("a", "read", 10, 1), ("b", "read", 10, 2), ("b", "read", 20, 3), ("c", "read", 30, 4)]
    schema = ["point", "class", "upper_ns", "count"]
    summed = pooled(pl.LazyFrame(rows, schema=schema, orient="row"), points)
    assert summed.rows() == [("t", "x", "read", 10, 3), ("t", "x", "read", 20, 3), ("t", "y", "read", 30, 4)]
    assert set(curves(summed, "read")) == {("t", "x"), ("t", "y")}
    assert curves(summed, "write") == {}
