"""Drives that others measured, predicted: docs/controls.md says what its figures say."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from controls_study import lfs, lfs_page, page
from controls_study.cachelib import MIDDLE, SETTINGS, SPARE, VARIATIONS, VICTIMS, WRITTEN


def test_the_page_is_made_of_what_is_stored() -> None:
    assert page.PAGE.read_text() == page.render(), "make controls"


def test_a_stored_figure_comes_out_again() -> None:
    stored = {each["what"]: each for each in page.stored()["varied"]}
    assert list(stored) == list(VARIATIONS)
    name = "units of a quarter as many pages"
    case = replace(MIDDLE, **VARIATIONS[name])
    assert stored[name] == {"what": name, **vars(case), "amplification": round(case.amplification(), 4)}


def test_the_page_says_what_its_figures_say() -> None:
    found = page.predicted()
    assert set(found) == {(*each, handles) for each in SETTINGS for handles in (False, True)}
    assert {len(of) for of in found.values()} == {len(SPARE) * len(WRITTEN) * len(VICTIMS)}
    missed = [each.measured for each in page.rows() if not each.is_inside]
    assert [(each.used, each.handles, each.value) for each in missed] == [
        (0.5, True, 1.03),
        (0.8, True, 1.03),
    ]
    # With handles nothing is moved on those.
    assert all(round(each.high, 2) == 1 for each in page.rows() if each.measured in missed)
    assert all(each.measured.used == 1 for each in page.rows() if each.closed_has_it)
    # Without handles amplification grows as more of the drive is used.
    half, most, full = (found[used, 0.04, False] for used in (0.5, 0.8, 1.0))
    assert all(half[of] <= most[of] < full[of] for of in full)


def test_the_load_is_what_the_page_says() -> None:
    case = replace(MIDDLE, used=0.5)
    load, pages = case.load(), case.logical_pages / 2
    small, log = (part["address"] for part in load["address"]["parts"])
    sizes = [float(part["footprint"].removesuffix("KiB")) / 4 for part in (small, log)]
    assert sizes == [round(0.04 * pages), pages - round(0.04 * pages)]
    assert load["stream_ends"] == [log["offset"]] == [small["footprint"]]
    # The log goes round twice in each of two plays.
    assert load["requests"] * (1 - case.written) >= 2 * sizes[1]


def test_a_stored_figure_of_the_cleaner_comes_out_again() -> None:
    case = lfs.Case(0.75, "90/10", "cost-benefit", segments=250)
    (stored,) = [
        each
        for each in lfs_page.stored("varied")
        if each["segments"] == 250 and each["victim"] == case.victim
    ]
    assert stored == {"what": "varied", **asdict(case), "found": round(case.amplification(), 4)}


@pytest.mark.slow
def test_victims_of_the_cleaner_come_out_again() -> None:
    assert lfs_page.victims("greedy") == replace(lfs.MIDDLE, victim="greedy").victims()


def test_the_page_says_what_the_figures_of_the_cleaner_say() -> None:
    missed = [place for place, each in enumerate(lfs_page.claims()) if not each.agrees]
    assert missed == [2, 3, 4], "locality under greedy, and how much cost-benefit gains"
    # One peak under greedy; two under cost-benefit.
    greedy, other = map(lfs_page.victims, ("greedy", "cost-benefit"))
    assert max(greedy) > 0.5 > max(other)
    # Locality harms greedy where relocated pages lie together, and, grouped by age, mostly not.
    plain, grouped = (
        [lfs_page.curve(load, "greedy", what) for load in ("uniform", "90/10")]
        for what in ("curves", "small")
    )
    assert all(plain[1][at] > plain[0][at] for at in plain[0])
    assert sum(grouped[1][at] > 1.01 * grouped[0][at] for at in grouped[0]) == 1
    assert min(lfs_page.lower("90/10").values()) < 0
