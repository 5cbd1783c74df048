"""The rules of agreements: each, each boundary between two, and the table that decides; classes of claims."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import polars as pl
import pytest

import pages
import reclaim
from reclaim.mistakes import Mistakes
from reclaim.paper import charts, trust
from reclaim.paper.agreements import judge
from reclaim.paper.claims import CLASSES, Claim, ClaimClass, Contradiction, Measure, Proof
from reclaim.paper.contradictions import Numbers, prove
from reclaim.paper.decisions import BESIDE, NAMES, TABLE, TRUSTS, Facts, as_markdown, decide
from reclaim.paper.expected import classified, load_expected
from reclaim.paper.measured import Figure, OurFigure, _along, interval_of
from reclaim.paper.paper import keys, load_paper
from reclaim.paper.text import ours, printed
from small_paper import CLAIM

MEASURE = Measure(
    experiment="cells", metric="read_mean_ns", scheme="ours", baseline=("theirs",), form="ratio"
)


PLAIN = Claim(
    id="a", what="what", where="Table 1", kind="ratio", value=0.8, printed="0.8", unit="ratio", better="lower"
)


Model = TypeVar("Model", Claim, Measure)


def with_keys(of: Model, **given: object) -> Model:
    return of.model_copy(update=given)


def claim(**given: object) -> Claim:
    """A ratio of 0.80, printed with two decimals, 5 % tolerance: 0.755 to 0.845."""
    return PLAIN.model_copy(update={"printed": "0.80", "tolerance": 0.05, "measure": MEASURE, **given})


def found(value: float, low: float | None = None, high: float | None = None, **given: object) -> OurFigure:
    """One figure of one workload."""
    figure = Figure(value, low, high, 3)
    return replace(OurFigure(figure, (("w", figure),)), **given)  # type: ignore[arg-type]


GAIN = claim(value=1.25, printed="1.25", better="higher")
PERCENT = claim(value=25.4, printed="25.4", unit="%", measure=with_keys(MEASURE, form="reduction"))
# 1.0 stands for 0.95 to 1.05: neither better nor worse. The tolerance of a claim does not take its side away.
SAME = claim(value=1.0, printed="1.0", tolerance=0.0)
SLIGHT = claim(value=1.05, printed="1.05", tolerance=0.10)
VALUE = claim(kind="value", value=427.0, printed="427", unit="ms", tolerance=0.1)
LOW, HIGH = 427 - 0.5 - 42.7, 427 + 0.5 + 42.7


@pytest.mark.parametrize(
    ("of", "measured", "agreement"),
    [
        (claim(), found(0.80, 0.79, 0.81), "matches"),
        # Both ends of the tolerance count as within it.
        (claim(), found(0.755, 0.75, 0.76), "matches"),
        (claim(), found(0.845, 0.84, 0.85), "matches"),
        (claim(), found(0.7549, 0.75, 0.76), "same direction"),
        (claim(), found(0.8451, 0.84, 0.85), "same direction"),
        # Within the tolerance, but chance may have done it.
        (claim(), found(0.80, 0.70, 1.00), "below resolution"),
        (claim(), found(0.80, 0.70, 0.9999), "matches"),
        (claim(), found(0.95, 0.90, 0.9999), "same direction"),
        (claim(), found(0.95, 0.90, 1.0), "not reproduced"),
        (claim(), found(1.20, 1.10, 1.30), "not reproduced"),
        # Without an interval it can be no more than the same direction.
        (claim(), found(0.80), "same direction"),
        (claim(), found(0.95), "same direction"),
        (claim(), found(1.0), "not reproduced"),
        (claim(), found(1.2), "not reproduced"),
        # Nor if workloads are missing.
        (claim(), found(0.80, 0.79, 0.81, absent=("v",)), "same direction"),
        (claim(), found(0.80, 0.79, 0.81, refused={"v": "garbage collection never ran"}), "same direction"),
        (GAIN, found(1.2, 1.19, 1.21), "matches"),
        (GAIN, found(1.1, 1.01, 1.2), "same direction"),
        # The interval holds no difference, and 1.1825, which counts as the printed gain; at 1.18 it does not.
        (GAIN, found(1.1, 1.0, 1.2), "below resolution"),
        (GAIN, found(1.1, 1.0, 1.18), "not reproduced"),
        (GAIN, found(0.9, 0.8, 0.95), "not reproduced"),
        # A gain in percent is judged against nought.
        (PERCENT, found(25.43, 25.0, 26.0), "matches"),
        (PERCENT, found(3.0, 0.5, 5.0), "same direction"),
        (PERCENT, found(3.0, -0.5, 5.0), "not reproduced"),
        (SAME, found(1.04, 1.03, 1.05), "matches"),
        (SAME, found(1.06, 1.05, 1.07), "not reproduced"),
        (SLIGHT, found(0.97, 0.96, 0.98), "not reproduced"),
        (VALUE, found(LOW, 300.0, 400.0), "matches"),
        (VALUE, found(LOW - 0.01, 300.0, 400.0), "not reproduced"),
        (VALUE, found(HIGH, 300.0, 400.0), "matches"),
        (VALUE, found(HIGH + 0.01, 300.0, 400.0), "not reproduced"),
        # Repeats that are alike are no reason against a match.
        (GAIN, found(1.25, 1.25, 1.25), "matches"),
    ],
)
def test_a_number(of: Claim, measured: OurFigure, agreement: str) -> None:
    assert judge(of, measured).agreement == agreement


def test_what_is_said_of_a_number() -> None:
    few = judge(GAIN, found(1.1, 1.0, 1.2), full_repeats=False)
    assert few.agreement == "not reproduced", "more runs of the level may tell"
    assert "other side" in judge(GAIN, found(0.9, 0.8, 0.95)).why
    alone = judge(VALUE, found(430.0))
    assert (alone.agreement, alone.capped) == ("matches", False)
    assert "no interval" in alone.why


def test_a_figure_read_off_a_drawing_is_as_good_as_the_reading() -> None:
    drawn = claim(kind="value", value=40.0, printed="40", unit="ms", tolerance=0.0, reading_error=3.0)
    assert drawn.band == (37.0, 43.0)
    assert printed(drawn) == "40 ± 3 ms, read off"
    assert claim(value=1.02, printed="1.02", reading_error=0.05).side == 0, "too near to tell"


@pytest.mark.parametrize(
    ("holds", "parts", "agreement"),
    [
        ("all", (0.8, 0.9, 0.99), "matches"),
        ("all", (0.8, 0.9, 1.0), "same direction"),
        ("all", (0.9, 1.1, 1.2), "not reproduced"),
        ("most", (0.8, 0.9, 1.1), "matches"),
        ("most", (0.8, 1.0, 1.1), "not reproduced"),
        ("most", (0.8, 1.1), "not reproduced"),
        ("mean", (0.5, 1.1, 1.1), "matches"),
        ("mean", (0.9, 1.1, 1.2), "not reproduced"),
    ],
)
def test_an_order(holds: str, parts: tuple[float, ...], agreement: str) -> None:
    order = claim(kind="order", value="ours is faster", measure=with_keys(MEASURE, holds=holds))

    def sure(value: float) -> Figure:
        return Figure(value, value - 0.001, value, 3)

    mean = sure(sum(parts) / len(parts))
    measured = OurFigure(mean, tuple((str(index), sure(value)) for index, value in enumerate(parts)))
    assert judge(order, measured).agreement == agreement
    unsure = OurFigure(Figure(mean.value), tuple((name, Figure(part.value)) for name, part in measured.parts))
    # Without intervals an order that holds is a direction.
    assert judge(order, unsure).agreement == {"matches": "same direction"}.get(agreement, agreement)


@pytest.mark.parametrize(
    ("shape", "values", "agreement"),
    [
        ("rises", (1.0, 2.0, 3.0), "matches"),
        ("rises", (1.0, 2.0, 1.95), "matches"),  # within 5 % of the largest
        ("rises", (1.0, 2.0, 1.8), "same direction"),
        ("rises", (3.0, 2.0, 1.0), "not reproduced"),
        ("falls", (3.0, 2.0, 1.0), "matches"),
        ("flat", (1.0, 1.04, 1.0), "matches"),
        ("flat", (1.0, 1.10, 1.0), "not reproduced"),
    ],
)
def test_a_shape(shape: str, values: tuple[float, ...], agreement: str) -> None:
    along = claim(
        kind="shape",
        value="as Figure 5",
        measure=with_keys(MEASURE, along="axis", shape=shape),
    )
    parts = tuple((str(index), Figure(value, value, value, 3)) for index, value in enumerate(values))
    assert judge(along, OurFigure(parts[-1][1], parts)).agreement == agreement


def test_what_a_module_computed_needs_no_repeats() -> None:
    seen = claim(kind="shape", value="it falls", measure=None, figure="falls")
    for value, agreement in ((1.0, "matches"), (0.0, "not reproduced")):
        assert judge(seen, OurFigure(Figure(value, exact=True))).agreement == agreement
    figure = Figure(0.8, exact=True)
    assert judge(claim(), OurFigure(figure, (("w", figure),))).agreement == "matches"


def test_what_was_declared_before_the_run() -> None:
    assert judge(claim(outside="silicon area"), None).agreement == "outside the model"
    assert judge(claim(missing="no scheme conv-0"), None).agreement == "not run"
    assert judge(claim(), OurFigure(reason="no such cell", not_run=True)).agreement == "not run"
    refused = judge(claim(), OurFigure(reason="w: garbage collection never ran"))
    assert refused.agreement == "not run"
    assert refused.why.startswith("refused: w: garbage collection never ran")


def test_an_open_claim_has_a_figure_and_no_agreement() -> None:
    figure = Figure(0.8, exact=True)
    open_claim = claim(open="measured only with one channel; the answer may depend on it")
    judged = judge(open_claim, OurFigure(figure, (("w", figure),)))
    assert (judged.agreement, judged.why) == ("open", open_claim.open)
    assert judge(open_claim, OurFigure(reason="no such cell", not_run=True)).agreement == "not run"


def test_an_order_is_shown_as_a_ratio_even_where_it_is_1() -> None:
    order = claim(kind="order", value="lower", measure=None, figure="f")
    assert ours(Figure(1.0, exact=True), order) == "1×"
    assert ours(Figure(1.0, exact=True), claim(kind="shape", value="it falls", measure=None)) == "yes"


GAMMAS = [(2.0, 0.005), (1.0, 0.005), (0.9, 0.005)]


@pytest.mark.parametrize(
    ("of", "printed", "holds"),
    [
        ("mean", "1.30", False),
        ("mean", "1.31", False),  # 1.305 is both the end of the one and of the other
        ("mean", "1.32", True),
        ("sum", "3.91", False),
        ("sum", "3.93", True),
        ("min", "0.9", False),
        ("max", "1.9", True),
        ("sd", "0.61", False),  # of a sample
        ("sd", "0.50", False),  # of a population
        ("sd", "0.40", True),
    ],
)
def test_an_error_in_the_paper_must_follow_from_what_it_prints(of: str, printed: str, holds: bool) -> None:
    wrong = claim(value=float(printed), printed=printed)
    proof = proved(wrong, of, GAMMAS)
    assert proof.holds == holds
    judged = judge(with_keys(wrong, proof=proof), found(2.0, 1.9, 2.1))
    assert (judged.agreement == "error in the paper") == holds


def proved(claim: Claim, of: str, numbers: Numbers, must: str = "") -> Proof:
    given = {"of": of, "says": "the numbers of Table 6 give another one"} | ({"must": must} if must else {})
    return prove(claim, Contradiction.model_validate(given), numbers)


def test_a_statement_contradicted_by_the_papers_own_numbers() -> None:
    words = claim(kind="order", value="always faster")
    assert proved(words, "min", GAMMAS, ">= 1").holds
    assert not proved(words, "max", GAMMAS, "<= 2").holds
    # 0.995 could have been printed as 1.00.
    assert not proved(words, "min", [(1.0, 0.005)], ">= 1").holds
    assert not proved(words, "ratio", GAMMAS, ">= 1").holds, "of three numbers"
    assert proved(words, "ratio", GAMMAS[:2], "< 1.5").holds
    assert proved(words, "difference", GAMMAS[:2], "< 0.5").holds


@pytest.mark.parametrize(
    ("repeats", "expected"),
    [
        # What repeats do not move is as sure as they can make it.
        ([1.0] * 6, (1.0, 1.0, 1.0, 1)),
        ([1.0, 1.2, 1.0, 1.2, 1.0, 1.2], (1.1, 1.0, 1.2, 2)),
        ([1.0, 1.2, 1.1, 1.1, 1.1, 1.0], (1.1, 1.0, 1.2, 3)),
        ([1.0, 1.2, 1.1, 1.3, 1.4], (1.2, None, None, 5)),
    ],
)
def test_an_interval_needs_six_repeats(repeats: list[float], expected: tuple[float, ...]) -> None:
    one = interval_of(repeats)
    assert (one.value, one.low, one.high, one.count) == expected


@pytest.mark.parametrize(
    ("ours", "unit", "drawn"),
    [([9.0, 22.0], charts.DEVIATION, [-10.0, 10.0]), ([1.0, 2000.0], charts.MULTIPLE, [0.1, 100.0])],
)
def test_many_figures_are_drawn_by_how_far_they_are_off(
    ours: list[float], unit: str, drawn: list[float]
) -> None:
    printed = [10.0, 20.0]
    records = [
        dict.fromkeys(charts.ACROSS, target) | {"ours": value, "low": value, "high": value}
        for target, value in zip(printed, ours, strict=True)
    ]
    found = charts.as_deviations(records)
    assert [each["unit"] for each in found] == [unit, unit]
    assert [each["ours"] for each in found] == pytest.approx(drawn)
    assert {each["printed"] for each in found} == {0.0 if unit == charts.DEVIATION else 1.0}


PAGE = Path(__file__).parents[2] / "docs" / "papers.md"
BOTH = (False, True)
FIGURE = Figure(0.8, 0.79, 0.81, 6)
WITHIN = OurFigure(FIGURE, (("w", FIGURE),))


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
    for asked, agreement in first:
        if asked:
            return agreement
    return {
        "within": "matches" if facts.in_full else "same direction",
        "on its side": "same direction",
        "no difference, printed effect": "below resolution" if facts.full_repeats else "not reproduced",
        "off": "not reproduced",
    }[facts.beside]


def test_every_combination_of_facts_has_one_agreement() -> None:
    found = set()
    for *flags, says, turned, beside, in_full, often in itertools.product(
        *[BOTH] * 6, TRUSTS, BOTH, BESIDE, BOTH, BOTH
    ):
        facts = Facts(*flags, trust=says, turned=turned, beside=beside, in_full=in_full, full_repeats=often)
        assert decide(facts) == expected(facts)
        found.add(decide(facts))
    assert found == set(NAMES) - {"not judged"}, "each of them is given to some"
    assert len({rule.agreement for rule in TABLE}) == len(TABLE)


def test_the_page_has_the_tables() -> None:
    page = PAGE.read_text()
    assert as_markdown() in page
    assert pages.renewed(page) == page, "make pages"
    changed = page.replace("printed numbers contradict each other", "printed numbers differ", 1)
    assert changed != page
    assert pages.renewed(changed) == page


@pytest.mark.parametrize(
    ("claim", "given", "agreement", "why"),
    [
        (PLAIN, {"turned_by": "turned by scheduler"}, "depends on a choice", "turned by scheduler"),
        (with_keys(PLAIN, artefact="parse() of a program"), {}, "artefact", "parse() of a program"),
        (PLAIN, {"other_traces": "stand-in"}, "matches", "within"),
        (with_keys(PLAIN, kind="value"), {"other_traces": "stand-in"}, "other trace", "(stand-in)"),
        (with_keys(PLAIN, kind="value", relative=True), {"other_traces": "stand-in"}, "matches", "within"),
    ],
)
def test_facts_of_a_claim(claim: Claim, given: dict[str, str], agreement: str, why: str) -> None:
    found = judge(claim, WITHIN, **given)  # type: ignore[arg-type]
    assert (found.agreement, why in found.why) == (agreement, True)


def test_what_the_simulator_says_itself_counts() -> None:
    said = {"doubt": {"read_mean_ns": ["warmup-not-steady"], "write_mean_ns": ["gc-never-ran"]}}
    worse = {"warning": {"read_mean_ns": ["unbounded-queue"]}}
    points = pl.DataFrame({trust.COLUMN: ["", json.dumps(said), json.dumps(said)]})
    assert trust.of_points(points, "read_p99_ns".__eq__) == ("trustworthy", "")
    found = trust.of_points(points, "read_mean_ns".__eq__)
    assert found == ("not established", "of 3 runs: warmup-not-steady (2)")
    points = pl.concat([points, pl.DataFrame({trust.COLUMN: [json.dumps(worse)]})])
    assert trust.of_points(points, "read_mean_ns".__eq__)[0] == "not trustworthy"
    judged = judge(PLAIN, replace(WITHIN, trust=found[0], why_trust=found[1]))
    assert (judged.agreement, found[1] in judged.why) == ("not established", True)


def test_a_ratio_tells_geometric_mean_and_median() -> None:
    """One workload of 21 beside three of 1: a mean of 6."""
    parts = tuple((str(at), Figure(value, value, value, 6)) for at, value in enumerate((1, 1, 1, 21)))
    measure = with_keys(MEASURE, form="speed-up")
    gain = with_keys(PLAIN, value=6.0, printed="6", better="higher", measure=measure)
    found = judge(gain, OurFigure(Figure(6.0, 6.0, 6.0, 6), parts))
    assert "geometric mean 2.14, median 1" in found.why


def test_the_same_measurement_in_other_words_is_one() -> None:
    order = with_keys(PLAIN, kind="order", figure="every-gain", value="substantial")
    value = with_keys(PLAIN, figure="gain", kind="value")
    assert order.measurement == with_keys(order, id="b", value="consistent and robust").measurement
    assert order.measurement != with_keys(order, figure="other").measurement
    assert value.measurement == with_keys(PLAIN, figure="gain").measurement
    assert value.measurement != with_keys(value, value=0.9).measurement
    assert PLAIN.measurement != with_keys(PLAIN, id="b").measurement, "nothing is measured of either"


ENTRIES = [
    {"class": "design", "why": "so built", "claims": ["b*"]},
    {"class": "performance", "why": "digits", "kinds": ["ratio"], "error_of": "means", "rests_on": "cells"},
]


def test_the_first_entry_that_fits_gives_the_class() -> None:
    claims = [PLAIN, with_keys(PLAIN, id="b1"), with_keys(PLAIN, id="c", origin="own")]
    mistakes = Mistakes("expected.toml")
    found = classified(claims, [ClaimClass.model_validate(each) for each in ENTRIES], {}, mistakes)
    classes = [(each.of_class, each.error_of, each.why_class) for each in found]
    assert classes[:2] == [("performance", "means", "digits"), ("design", "", "so built")]
    assert classes[2][:2] == ("own", "")
    by_kind = classified([PLAIN, with_keys(PLAIN, kind="order")], [], {}, mistakes)
    assert [each.of_class for each in by_kind] == ["performance", "comparison"]
    assert mistakes.messages() == []


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"class": "desing"}, 'did you mean "design"'),
        (
            {"kinds": ["ratios"]},
            r'kinds\[1\]: "ratios" is unknown; valid: value, ratio, order, shape',
        ),
        ({"groups": ["f1"]}, r"no \[\[class\]\] fits it"),
        ({"claims": ["z"]}, r"no \[\[class\]\] fits it"),
        ({"rests_on": "cells"}, "error_of must say"),
        ({"wy": "x"}, 'did you mean "why"'),
        # An entry that fits nothing, behind one that fits all.
        ({}, r"class\[2\]: no claim is of it"),
    ],
)
def test_mistakes_in_a_class(changed: dict[str, object], message: str, tmp_path: Path) -> None:
    table = {"class": "design", "why": "so built"}
    given = [table | changed] if changed else [table, table]
    lines = [
        f"{key} = {json.dumps(value)}"
        for each in given
        for key, value in [("[[class]]", None), *each.items()]
    ]
    text = "\n".join(line.partition(" = null")[0] for line in lines)
    (tmp_path / "expected.toml").write_text(f"{CLAIM}{text}\n")
    with pytest.raises(reclaim.InputError, match=message):
        load_expected(tmp_path / "expected.toml")


def test_every_shipped_claim_has_a_class_and_a_reason() -> None:
    for claim in (claim for key in keys() for claim in load_paper(key).expected.claims):
        assert claim.of_class in CLASSES
        assert claim.why_class
        assert "no [[class]]" not in claim.why_class


def test_values_of_an_axis_that_say_nothing_are_refused_with_the_reason() -> None:
    rows = [
        ("low", "ours", 8.0, 5),
        ("low", "theirs", 10.0, 5),
        ("idle", "ours", 8.0, 0),
        ("idle", "theirs", 10.0, 0),
        ("alone", "ours", 8.0, 5),
        ("high", "ours", 6.0, 5),
        ("high", "theirs", 10.0, 5),
    ]
    cells = pl.DataFrame(rows, schema=["axis", "scheme", "read_mean_ns", "gc_jobs"], orient="row")
    along = with_keys(MEASURE, along="axis")
    ours_is = _along(claim(measure=along), along, cells.with_columns(repeat=0))
    assert [(value, figure.value) for value, figure in ours_is.parts] == [("low", 0.8), ("high", 0.6)]
    assert ours_is.refused == {
        "idle": "garbage collection never ran: no scheme collected a block",
        "alone": "no points of theirs",
    }
