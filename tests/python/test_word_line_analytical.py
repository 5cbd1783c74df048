"""The analytical model of word-line-aware GC: every number of the paper, exactly, and its reading."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from reclaim.papers.paper import load_paper
from word_line import analytical
from word_line.analytical import READINGS

TABLE_1 = READINGS["table-1"]


def placements() -> np.ndarray:
    """All valid bits of a word line: 65,536 of 4 levels and 4 columns."""
    bits = np.arange(1 << 16)[:, None] >> np.arange(16) & 1
    return bits.reshape(-1, 4, 4)


def test_the_curves_of_figure_5_are_those_of_table_1() -> None:
    swept = analytical.sweep(TABLE_1)
    assert swept.valid.tolist() == list(range(1, 17))
    assert swept.least_us.tolist() == [3, 6, 9, 12, 17, 22, 27, 32, 38, 44, 50, 56, 63, 70, 77, 84]
    assert swept.most_us.tolist() == [7, 14, 21, 28, 34, 40, 46, 52, 57, 62, 67, 72, 75, 78, 81, 84]
    assert swept.mean_us.tolist() == [5.25 * k for k in range(1, 17)]


def test_the_averages_of_figure_5_are_exact() -> None:
    swept = analytical.sweep(TABLE_1)
    assert swept.mean_least_us == 38.125
    assert swept.mean_most_us == 51.125
    assert swept.reduction_of_means == pytest.approx(13 / 51.125, rel=1e-15)
    assert round(100 * swept.reduction_of_means, 2) == 25.43
    # The other average of the same curves, and an average victim in place of the worst.
    assert round(100 * swept.mean_of_reductions, 1) == 34.0
    assert round(100 * (1 - swept.mean_least_us / float(swept.mean_us.mean())), 1) == 14.6


@pytest.mark.parametrize(
    ("reading", "least", "most", "reduction"),
    [
        ("table-1-erase", 98.125, 111.125, 11.70),
        ("published-model", 268.125, 281.125, 4.62),
        ("published-model-first", 244.8125, 251.3125, 2.59),
        ("read-only", 14.8125, 21.3125, 30.50),
        ("write-only", 23.3125, 29.8125, 21.80),
        ("constant-program", 48.8125, 55.3125, 11.75),
        ("program", 42.25, 52.25, 19.14),
    ],
)
def test_no_other_reading_gives_these_averages(
    reading: str, least: float, most: float, reduction: float
) -> None:
    swept = analytical.sweep(READINGS[reading])
    assert (swept.mean_least_us, swept.mean_most_us) == (least, most)
    assert round(100 * swept.reduction_of_means, 2) == reduction


@pytest.mark.parametrize("name", list(READINGS))
def test_least_most_and_mean_are_those_of_all_placements(name: str) -> None:
    reading, swept = READINGS[name], analytical.sweep(READINGS[name])
    bits = placements()
    counts, latency = bits.sum(axis=(1, 2)), analytical.equation_3(bits, reading)
    for k, least, most, mean in zip(swept.valid, swept.least_us, swept.most_us, swept.mean_us, strict=True):
        of_count = latency[counts == k]
        assert (of_count.min(), of_count.max()) == (least, most)
        assert of_count.mean() == pytest.approx(mean, rel=1e-12)


def test_figure_4_is_34_per_cent() -> None:
    block_1, block_0 = analytical.figure_4()
    assert (block_1, block_0) == (26, 35)
    assert int(100 * (block_0 / block_1 - 1)) == 34


def test_two_readings_give_37_5_per_cent_and_table_1_does_not() -> None:
    with_erase_20 = analytical.sweep(READINGS["program-erase-20"])
    assert with_erase_20.largest_slowdown == 0.375
    assert int(with_erase_20.valid[np.argmax(with_erase_20.most_us / with_erase_20.least_us)]) == 4
    with_erase_8 = analytical.sweep(READINGS["program-erase-8"])
    assert with_erase_8.largest_reduction == 0.375
    others = {
        name: (round(100 * swept.largest_reduction, 1), round(100 * swept.largest_slowdown, 1))
        for name, swept in ((name, analytical.sweep(reading)) for name, reading in READINGS.items())
    }
    assert others["table-1"] == (57.1, 133.3)
    assert [name for name, largest in others.items() if 37.5 in largest] == [
        "program-erase-20",
        "program-erase-8",
    ]


def test_12_5_per_cent_hangs_on_what_is_counted() -> None:
    shares = analytical.shares_equal(TABLE_1)
    assert shares == {
        "counts 1 to 16": 1 / 16,
        "counts 0 to 16": 2 / 17,
        "counts 0 to 16, of 16": 2 / 16,
        "placements": 61 / 65536,
        "distributions of a cell": 2 / 16,
        "distributions of a cell, least of their count": 5 / 16,
    }
    claims = {each.id: each for each in load_paper("word-line-aware").expected.claims}
    assert "2 of 16" in claims["f5-share-equal"].open
    assert "14 of 16" in claims["f5-share-better"].open
    bits = placements()
    counts, latency = bits.sum(axis=(1, 2)), analytical.equation_3(bits, TABLE_1)
    least = np.array([latency[counts == k].min() for k in range(17)])
    assert int((latency == least[counts]).sum()) == 61


def test_equations_agree_where_levels_do_not_differ() -> None:
    """Equation (2) with (3) is (1) where levels cost the same; as printed, it erases too often."""
    same = analytical.Reading("same", "here", (3, 3, 3, 3), (4, 4, 4, 4), 60)
    blocks = np.random.default_rng(1).integers(0, 2, size=(5, 7, 4, 4))
    counts = blocks.sum(axis=(1, 2, 3))
    by_count = analytical.equation_1(counts, read_us=3, program_us=4, erase_us=60)
    assert analytical.equation_2(blocks, same).tolist() == by_count.tolist()
    assert analytical.equation_2(blocks, same, "none").tolist() == (by_count - 60).tolist()
    assert analytical.equation_2(blocks, same, "per-word-line").tolist() == (by_count + 6 * 60).tolist()


def test_blocks_are_sums_of_pages() -> None:
    blocks = np.random.default_rng(2).integers(0, 2, size=(4, 3, 4, 4))
    expected = [
        60
        + sum(
            TABLE_1.page_us[level]
            for line, level, column in product(range(3), range(4), range(4))
            if block[line, level, column]
        )
        for block in blocks
    ]
    assert analytical.equation_2(blocks, READINGS["table-1-erase"]).tolist() == expected


def test_a_matrix_without_four_levels_is_refused() -> None:
    with pytest.raises(ValueError, match="the last axes must be 4 levels, columns"):
        analytical.equation_3([[1, 0, 1]], TABLE_1)
