"""The decision table of verdicts, fact by fact; classes of claims; what the simulator says itself."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import pages
import reclaim
from reclaim.papers import trust
from reclaim.papers.claims import CLASSES, Claim, Measure
from reclaim.papers.classes import classified, entries
from reclaim.papers.decisions import BESIDE, NAMES, TABLE, TRUSTS, Facts, as_markdown, decide
from reclaim.papers.measured import Figure, Measured
from reclaim.papers.paper import keys, load_paper
from reclaim.papers.verdicts import judge

PAGE = Path(__file__).parents[2] / "docs" / "papers.md"
BOTH = (False, True)
CLAIM = Claim("a", "what", "where", "ratio", 0.8, "0.8", "ratio", "lower")
FIGURE = Figure(0.8, 0.79, 0.81, 6)
MEASURED = Measured(FIGURE, (("w", FIGURE),))


def expected(facts: Facts) -> str:
    """The same table, written as nested questions."""
    first = (
        (facts.contradicts, "error in the paper"),
        (facts.outside, "outside the model"),
        (not facts.measured, "not run"),
        (facts.open, "open"),
        (facts.other_trace, "other trace"),
        (facts.artefact, "artefact"),
        (facts.trust != "trustworthy", facts.trust),
        (facts.turned, "depends on a choice"),
    )
    for asked, verdict in first:
        if asked:
            return verdict
    return {
        "within": "matches" if facts.in_full else "same direction",
        "on its side": "same direction",
        "no difference, printed effect": "below resolution" if facts.full_repeats else "not reproduced",
        "off": "not reproduced",
    }[facts.beside]


def test_every_combination_of_facts_has_one_verdict() -> None:
    found = set()
    for *flags, says, turned, beside, in_full, often in itertools.product(
        *[BOTH] * 6, TRUSTS, BOTH, BESIDE, BOTH, BOTH
    ):
        facts = Facts(*flags, trust=says, turned=turned, beside=beside, in_full=in_full, full_repeats=often)
        assert decide(facts) == expected(facts)
        found.add(decide(facts))
    assert found == set(NAMES) - {"not judged"}, "each of them is given to some"
    assert len({rule.verdict for rule in TABLE}) == len(TABLE)


def test_the_page_has_the_tables() -> None:
    page = PAGE.read_text()
    assert as_markdown() in page
    assert pages.renewed(page) == page, "make pages"
    changed = page.replace("printed numbers contradict each other", "printed numbers differ", 1)
    assert changed != page
    assert pages.renewed(changed) == page


@pytest.mark.parametrize(
    ("claim", "given", "verdict", "why"),
    [
        (CLAIM, {"turned_by": "turned by scheduler"}, "depends on a choice", "turned by scheduler"),
        (replace(CLAIM, artefact="parse() of a program"), {}, "artefact", "parse() of a program"),
        (CLAIM, {"other_traces": "stand-in"}, "matches", "within"),
        (replace(CLAIM, kind="value"), {"other_traces": "stand-in"}, "other trace", "(stand-in)"),
        (replace(CLAIM, kind="value", relative=True), {"other_traces": "stand-in"}, "matches", "within"),
    ],
)
def test_facts_of_a_claim(claim: Claim, given: dict[str, str], verdict: str, why: str) -> None:
    found = judge(claim, MEASURED, **given)  # type: ignore[arg-type]
    assert (found.verdict, why in found.why) == (verdict, True)


def test_what_the_simulator_says_itself_counts() -> None:
    said = {"doubt": {"read_mean_ns": ["warmup-not-steady"], "write_mean_ns": ["gc-never-ran"]}}
    worse = {"warning": {"read_mean_ns": ["unbounded-queue"]}}
    points = pl.DataFrame({trust.COLUMN: ["", json.dumps(said), json.dumps(said)]})
    assert trust.of_points(points, "read_p99_ns".__eq__) == ("trustworthy", "")
    found = trust.of_points(points, "read_mean_ns".__eq__)
    assert found == ("not established", "of 3 runs: warmup-not-steady (2)")
    points = pl.concat([points, pl.DataFrame({trust.COLUMN: [json.dumps(worse)]})])
    assert trust.of_points(points, "read_mean_ns".__eq__)[0] == "not trustworthy"
    judged = judge(CLAIM, replace(MEASURED, trust=found[0], why_trust=found[1]))
    assert (judged.verdict, found[1] in judged.why) == ("not established", True)


def test_a_ratio_tells_geometric_mean_and_median() -> None:
    """One workload of 21 beside three of 1: a mean of 6."""
    parts = tuple((str(at), Figure(value, value, value, 6)) for at, value in enumerate((1, 1, 1, 21)))
    measure = Measure("cells", "read_mean_ns", "ours", ("theirs",), form="speed-up")
    gain = replace(CLAIM, value=6.0, printed="6", better="higher", measure=measure)
    found = judge(gain, Measured(Figure(6.0, 6.0, 6.0, 6), parts))
    assert "geometric mean 2.14, median 1" in found.why


def test_the_same_measurement_in_other_words_is_one() -> None:
    order = replace(CLAIM, kind="order", figure="every-gain", value="substantial")
    value = replace(CLAIM, figure="gain", kind="value")
    assert order.measurement == replace(order, id="b", value="consistent and robust").measurement
    assert order.measurement != replace(order, figure="other").measurement
    assert value.measurement == replace(CLAIM, figure="gain").measurement
    assert value.measurement != replace(value, value=0.9).measurement
    assert CLAIM.measurement != replace(CLAIM, id="b").measurement, "nothing is measured of either"


ENTRIES = [
    {"class": "design", "why": "so built", "claims": ["b*"]},
    {"class": "performance", "why": "digits", "kinds": ["ratio"], "error_of": "means", "rests_on": "cells"},
]


def test_the_first_entry_that_fits_gives_the_class(tmp_path: Path) -> None:
    claims = [CLAIM, replace(CLAIM, id="b1"), replace(CLAIM, id="c", origin="own")]
    found = classified(tmp_path, claims, entries(tmp_path, ENTRIES), {})
    assert [(each.of_class, each.error_of) for each in found] == [
        ("performance", "means"),
        ("design", ""),
        ("own", ""),
    ]
    assert [each.why_class for each in found[:2]] == ["digits", "so built"]
    by_kind = classified(tmp_path, [CLAIM, replace(CLAIM, kind="order")], [], {})
    assert [each.of_class for each in by_kind] == ["performance", "comparison"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"class": "desing"}, "design"),
        ({"kinds": ["ratios"]}, 'kinds has "ratios"; valid: value, ratio, order, shape'),
        ({"groups": ["f1"]}, r"no \[\[class\]\] fits it"),
        ({"claims": ["z"]}, r"no \[\[class\]\] fits it"),
        ({"rests_on": "cells"}, "error_of must say"),
        ({"wy": "x"}, "wy"),
        # An entry that fits nothing, behind one that fits all.
        ({}, "class 2: no claim is of it"),
    ],
)
def test_mistakes_in_a_class(changed: dict[str, object], message: str, tmp_path: Path) -> None:
    table = {"class": "design", "why": "so built"}
    given = [table | changed] if changed else [table, table]
    with pytest.raises(reclaim.InputError, match=message):
        classified(tmp_path, [CLAIM], entries(tmp_path, given), {"f2": "Figure 2"})


def test_every_shipped_claim_has_a_class_and_a_reason() -> None:
    for claim in (claim for key in keys() for claim in load_paper(key).expected.claims):
        assert claim.of_class in CLASSES
        assert claim.why_class
        assert "no [[class]]" not in claim.why_class
