"""The experiment on word-line-aware GC: small pools against a recount, large ones against figures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

from reclaim import _core
from reclaim.errors import InputError
from word_line import READINGS, as_printed, experiment, published, reductions
from word_line.experimental import half_interval
from word_line.normal import reduction
from word_line.reproduction import NORMAL_ROOM

DRAWN = {False: (2337, 571), True: (2332, 575)}
"""Valid pages of a pool, drawn by level and page by page, and of any quarter: stored figures rest on both."""


@pytest.mark.parametrize("by_page", DRAWN)
@pytest.mark.parametrize(("reading", "weigh"), [("program", "read"), ("table-1-erase", "read-program")])
def test_small_pools_cost_what_the_reading_says(reading: str, weigh: Any, *, by_page: bool) -> None:
    """Who is chosen, and how pools are drawn, `word_line_experiment` of the core holds."""
    small = {"blocks": 90, "pages_per_block": 64, "seed": 11}
    ways = {"reading": reading, "weigh": weigh, "drawing": "by-page" if by_page else "by-level"}
    table = experiment(valid_percents=[40], batches=2, **small, **ways)
    pool = np.array(_core.word_line_pool(valid_percent=40, batch=1, by_page=by_page, **small))
    costs = READINGS[reading].page_us
    light = np.argsort(
        pool @ (np.array(READINGS[reading].read_us) if weigh == "read" else costs), kind="stable"
    )
    chosen = {
        "word-line": light[:22],
        "greedy": np.argsort(pool.sum(axis=1), kind="stable")[:22],
        "arbitrary": np.arange(22),
        "worst": np.argsort(-(pool @ costs), kind="stable")[:22],
        "published-replica": np.repeat(light[:1], 22),
    }
    rows = {row["policy"]: row for row in table.filter(pl.col("batch") == 1).iter_rows(named=True)}
    assert list(rows) == [*list(chosen)[:3], "random", *list(chosen)[3:]]
    assert (pool.sum(), rows["random"]["valid_pages"]) == DRAWN[by_page]
    for policy, victims in chosen.items():
        assert (rows[policy]["valid_percent"], rows[policy]["victims"]) == (40, 22)
        assert rows[policy]["valid_pages"] == pool[victims].sum()
        assert rows[policy]["latency_us"] == (pool[victims] @ costs).sum() + 22 * READINGS[reading].erase_us


@pytest.mark.parametrize("blocks", [4000, pytest.param(500_000, marks=pytest.mark.slow)])
def test_the_published_replica_has_the_papers_two_numbers(blocks: int) -> None:
    """At the size of the log in which they stand, and with that log's sign: a full pool costs so much."""
    printed, victims = as_printed(published(blocks=blocks)), blocks // 4
    improvements = [100 * improvement for improvement in printed["improvement"]]
    assert max(improvements) == improvements[0]
    assert improvements[-1] == 0
    # 5.5 is the mean of 1 to 10: the sum is never cleared. Victims of 64 full word lines.
    assert printed["vanilla"][-1] == (64 * 72 + 9) * victims * 5.5
    # The baseline is what 1,024 pages of 4.5 on average and an erase cost.
    for percent, vanilla in zip(printed["valid_percent"], printed["vanilla"], strict=True):
        assert vanilla / victims / 5.5 == pytest.approx(1024 * percent / 100 * 4.5 + 9, rel=1e-2)
    if blocks == 500_000:
        # What the log of the published program has: the largest and the mean of 20 improvements.
        assert max(improvements) == pytest.approx(55.0, abs=1.5)
        assert sum(improvements) / 20 == pytest.approx(17.7, abs=0.6)


@pytest.mark.parametrize(
    ("pages", "reading", "weigh", "arbitrary", "greedy"),
    [
        # Largest and mean over 20 shares, per cent, of an independent program (numpy, 200,000 blocks).
        (1024, "program", "read", (16.65, 4.91), (0.255, 0.074)),
        (4096, "table-1-erase", "read-program", (8.42, 2.51), (0.323, 0.093)),
        (16384, "table-1-erase", "read-program", (4.40, 1.27), (0.16, 0.05)),
    ],
)
def test_the_correct_policy_gains_little(
    pages: int, reading: str, weigh: Any, arbitrary: tuple[float, float], greedy: tuple[float, float]
) -> None:
    table = experiment(blocks=25_000, pages_per_block=pages, batches=4, reading=reading, weigh=weigh)
    saved = reductions(table)
    for baseline, (largest, mean) in (("arbitrary", arbitrary), ("greedy", greedy)):
        percent = 100 * saved[baseline]
        assert percent.max() == pytest.approx(largest, rel=0.03, abs=0.02)
        assert percent.mean() == pytest.approx(mean, rel=0.03, abs=0.01)
    assert saved["random"].max() == pytest.approx(saved["arbitrary"].max(), abs=5e-3)
    assert (saved["worst"] >= saved["arbitrary"]).all()


def test_the_closed_form_is_near_the_experiment() -> None:
    """Weights of blocks are nearly normal: the lightest quarter lies 1.271 deviations below the mean."""
    reading, pages = READINGS["table-1-erase"], 16384
    table = experiment(blocks=40_000, pages_per_block=pages, valid_percents=[25, 75], batches=2)
    for row in reductions(table).iter_rows(named=True):
        for baseline, room in NORMAL_ROOM.items():
            formula = reduction(reading, pages, row["valid_percent"] / 100, baseline)
            assert row[baseline] == pytest.approx(formula, rel=room), baseline
    spread = math.sqrt(pages / 4 * 0.25 * 0.75 * sum(cost**2 for cost in (3, 5, 6, 7)))
    by_hand = 1.271 * spread / (pages / 4 * 0.25 * 21 + 60)
    assert reduction(reading, pages, 0.25, "arbitrary") == pytest.approx(by_hand, rel=0.01)


def test_reductions_have_intervals() -> None:
    table = experiment(blocks=4000, valid_percents=[20], batches=5)
    one = reductions(table).row(0, named=True)
    wide = table.pivot(on="policy", index="batch", values="latency_us")
    each = 1 - wide["word-line"] / wide["arbitrary"]
    assert one["arbitrary ±"] == pytest.approx(2.776 * each.std() / math.sqrt(5), rel=1e-3)
    assert one["arbitrary"] == pytest.approx(each.mean(), rel=1e-3)
    alone = reductions(experiment(blocks=400, valid_percents=[20], batches=1))
    assert alone["greedy ±"].to_list() == [None]
    assert half_interval([1.0]) is None
    assert half_interval([0.0, 2.0]) == pytest.approx(12.706, rel=1e-3)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"blocks": 2}, "^blocks: "),
        ({"blocks": 8, "pages_per_block": 10}, "^pages_per_block: .*multiple of 4"),
        ({"blocks": 8, "reading": "table-2"}, 'reading "table-2" .*valid: table-1, '),
        ({"blocks": 8, "weigh": "write"}, 'weigh "write" .*valid: read'),
        ({"blocks": 8, "drawing": "by-block"}, 'drawing "by-block" .*valid: by-level'),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        experiment(**given)


def test_it_tells_how_far_it_is_and_can_be_stopped() -> None:
    def stop(done: int, total: int) -> None:
        raise RuntimeError(f"{done <= total}")

    with pytest.raises(RuntimeError, match="True"):
        experiment(blocks=500_000, drawing="by-page", progress=stop)
