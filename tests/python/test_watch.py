"""The sentence above the blocks of a drive that collects."""

from __future__ import annotations

import polars as pl
import pytest

from reclaim.result.watch import _finding


@pytest.mark.parametrize(
    ("valid", "said"),
    [
        ([], "No block was collected while this run was measured"),
        ([0, 0], "GC reclaimed 2 blocks in 3 ms; none of their pages was still valid"),
        ([1] + [0] * 79, "GC reclaimed 80 blocks in 3 ms; on average 0.0125 of 48 pages were still valid"),
        ([1, 0], "GC reclaimed 2 blocks in 3 ms; on average 0.5 of 48 pages were still valid"),
    ],
)
def test_the_page_says_what_its_victims_held(valid: list[int], said: str) -> None:
    assert _finding(pl.DataFrame({"valid_pages": valid}), 48, 3_000_000) == said
