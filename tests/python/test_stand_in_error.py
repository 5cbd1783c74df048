"""Error bars of stand-ins: which class a claim's stand-ins are of, and what a verdict says of its margin."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from reclaim.papers import stand_in_error
from reclaim.papers.claims import Claim, Measure
from reclaim.papers.measured import Figure
from reclaim.papers.stand_in_error import Bar, bar_of, class_of, margin, remark

RATIO = Claim(
    "id",
    "what",
    "where",
    "ratio",
    0.8,
    printed="0.8",
    unit="ratio",
    measure=Measure("cells", "write_amplification", "greedy", ("fifo",), form="ratio"),
)
BAR = Bar("sizes", value=0.5, ratio=0.3)


@pytest.mark.parametrize("path", [path for path, _ in stand_in_error.CLASSES])
def test_every_class_was_measured(path: str) -> None:
    name = class_of({path: 1.0})
    found = bar_of(RATIO, [{path: 1.0}])
    assert found is not None
    assert found.made_of == name
    assert 0 < found.ratio < 5


def test_the_widest_bar_holds_and_none_without_stand_ins() -> None:
    assert bar_of(RATIO, []) is None
    both = [{"overwrites.overwrite_ratio": 0.9}, {}]
    each = [bar_of(RATIO, [figures]) for figures in both]
    assert bar_of(RATIO, both) in each
    widest = max(bar.ratio for bar in each if bar is not None)
    assert bar_of(RATIO, both) == next(bar for bar in each if bar is not None and bar.ratio == widest)


def test_metrics_without_an_error_have_no_bar() -> None:
    assert RATIO.measure is not None
    other = replace(RATIO, measure=replace(RATIO.measure, metric="flushes"))
    assert bar_of(other, [{}]) is None


def test_a_margin_inside_the_bar_is_said() -> None:
    near, far = Figure(0.8), Figure(0.5)
    assert "more than the margin of this verdict" in remark(RATIO, near, BAR)
    said = remark(RATIO, far, BAR)
    assert said == "stand-ins of this class (sizes) are off by a factor of up to 1.35"
    assert remark(RATIO, None, BAR) == remark(RATIO, near, None) == ""


def test_margins() -> None:
    # 0.8 is printed: 0.75 to 0.85 are as good, and 1 is no difference; the nearest of the three counts.
    assert margin(RATIO, Figure(0.5)) == pytest.approx(math.log(0.75 / 0.5))
    assert margin(RATIO, Figure(0.8)) == pytest.approx(math.log(0.85 / 0.8))
    assert margin(RATIO, Figure(0.95)) == pytest.approx(-math.log(0.95))
    value = replace(RATIO, kind="value", value=10.0, printed="10.0", tolerance=0.1, measure=None)
    assert margin(value, Figure(10.0)) == pytest.approx(math.log(11.05 / 10))
    order = replace(RATIO, kind="order", value="greedy moves less")
    assert margin(order, Figure(0.9)) == pytest.approx(-math.log(0.9))


@pytest.mark.parametrize(("form", "ratio"), [("reduction", 1 - 0.2587), ("increase", 1.2587)])
def test_a_gain_in_percent_is_a_ratio(form: str, ratio: float) -> None:
    """A gain of 25.87 % beside a printed 24.6 %: 24.55 to 24.65 are as good, 0 is no difference."""
    assert RATIO.measure is not None
    gain = replace(RATIO, unit="%", value=24.6, printed="24.6")
    gain = replace(gain, measure=replace(RATIO.measure, form=form))  # type: ignore[arg-type]
    edge = 1 - 0.2465 if form == "reduction" else 1.2465
    assert margin(gain, Figure(25.87)) == pytest.approx(abs(math.log(ratio / edge)))
    assert "more than the margin of this verdict" in remark(gain, Figure(25.87), BAR)


def test_a_figure_of_a_module_has_the_bar_of_its_kind() -> None:
    own = replace(RATIO, measure=None, figure="gain")
    assert bar_of(own, [{}]) is None, "nothing says of which metrics it is"
    of_means = bar_of(replace(own, error_of="means"), [{}])
    of_tails = bar_of(replace(own, error_of="tails"), [{}])
    assert of_means is not None
    assert of_tails is not None
    assert of_means.ratio != of_tails.ratio
