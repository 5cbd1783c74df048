"""Drives that others measured, predicted: docs/controls.md says what its figures say."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from controls_study import page
from controls_study.cachelib import SEEDS, SPARE, USED, WRITTEN, Case


def test_the_page_is_made_of_what_is_stored() -> None:
    assert page.PAGE.read_text() == page.render(), "make controls"


def test_a_stored_figure_comes_out_again() -> None:
    stored = {(each["what"], each["used"], each["handles"]): each for each in page.stored()["varied"]}
    for handles in (False, True):
        case = replace(page.MIDDLE, handles=handles, pages=8)
        of = stored["units of a quarter as many pages", 1.0, handles]
        assert {key: of[key] for key in vars(case)} == vars(case)
        assert round(case.amplification(SEEDS[0]), 4) == of["amplification"]


def test_the_page_says_what_its_figures_say() -> None:
    found = {
        (each["used"], each["handles"], each["spare"], each["written"]): each["amplification"]
        for each in page.stored()["predicted"]
    }
    assert len(found) == len(USED) * 2 * len(SPARE) * len(WRITTEN)
    for spare, written in product(SPARE, WRITTEN):
        half, full = (found[used, False, spare, written] for used in USED)
        assert full > half
        assert all(1 <= found[used, True, spare, written] < 1.15 for used in USED)
        assert full > 2 * found[1.0, True, spare, written]
    missed = [each for each in page.rows() if not each.is_inside]
    assert [(each.what, each.measured) for each in missed] == [("50 % used, with handles", 1.03)]
    (closed,) = (each.closed for each in page.rows() if each.what == "100 % used, no handles")
    low, high = map(float, closed.split(" to "))
    assert low <= 3.5 <= high


def test_the_load_is_what_the_page_says() -> None:
    load = Case(0.5, 0.1, 0.7, handles=True).load(1)
    small, log = (part["address"] for part in load["address"]["parts"])
    pages = Case(0.5, 0.1, 0.7, handles=True).logical_pages / 2
    kib = {
        name: float(part["footprint"].removesuffix("KiB")) for name, part in (("small", small), ("log", log))
    }
    assert kib["small"] / (4 * pages) == round(0.04 * pages) / pages
    assert kib["small"] + kib["log"] == 4 * pages
    assert load["stream_ends"] == [log["offset"]] == [small["footprint"]]
    # The log goes round twice in each of two plays.
    assert load["requests"] * 0.3 >= 2 * kib["log"] / 4
