"""Error bars of stand-ins: classes, what a verdict says of its margin, and the tool that measured them."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reclaim.paper import stand_in_error
from reclaim.paper.claims import Claim, Measure
from reclaim.paper.measured import Figure
from reclaim.paper.stand_in_error import Bar, bar_of, class_of, margin, remark

REPOSITORY = Path(__file__).parents[2]
MEASURE = Measure(
    experiment="cells", metric="write_amplification", scheme="greedy", baseline=("fifo",), form="ratio"
)
RATIO = Claim(
    id="id", what="what", where="where", kind="ratio", value=0.8, printed="0.8", unit="ratio", measure=MEASURE
)


def with_keys(of: Any, **given: object) -> Any:
    return of.model_copy(update=given)


BAR = Bar("sizes", value=0.5, ratio=0.3)


@pytest.mark.parametrize("path", [path for path, _ in stand_in_error.CLASSES])
def test_every_class_was_measured(path: str) -> None:
    found = bar_of(RATIO, [{path: 1.0}])
    assert found is not None
    assert found.made_of == class_of({path: 1.0})
    assert 0 < found.ratio < 5


def test_the_widest_bar_holds_and_none_without_stand_ins_or_an_error() -> None:
    assert bar_of(RATIO, []) is None
    assert bar_of(with_keys(RATIO, measure=with_keys(MEASURE, metric="flushes")), [{}]) is None
    both = [{"overwrites.overwrite_ratio": 0.9}, {}]
    each = [bar for figures in both if (bar := bar_of(RATIO, [figures])) is not None]
    assert bar_of(RATIO, both) == max(each, key=lambda bar: bar.ratio)


def test_a_margin_inside_the_bar_is_said() -> None:
    assert "more than the margin" in remark(RATIO, Figure(0.8), BAR)
    said = remark(RATIO, Figure(0.5), BAR)
    assert "(sizes)" in said
    assert "factor of up to 1.35" in said
    assert "margin" not in said
    assert remark(RATIO, None, BAR) == remark(RATIO, Figure(0.8), None) == ""


VALUE = with_keys(RATIO, kind="value", value=10.0, printed="10.0", tolerance=0.1, measure=None)
PERCENT = with_keys(RATIO, unit="%", value=24.6, printed="24.6")
LESS, MORE = (with_keys(PERCENT, measure=with_keys(MEASURE, form=form)) for form in ("reduction", "increase"))


@pytest.mark.parametrize(
    ("claim", "figure", "expected"),
    [
        # 0.8 is printed: 0.75 to 0.85 are as good, and 1 is no difference; the nearest of the three counts.
        (RATIO, 0.5, math.log(0.75 / 0.5)),
        (RATIO, 0.8, math.log(0.85 / 0.8)),
        (RATIO, 0.95, -math.log(0.95)),
        (VALUE, 10.0, math.log(11.05 / 10)),
        (with_keys(RATIO, kind="order", value="greedy moves less"), 0.9, -math.log(0.9)),
        # A gain of 25.87 % beside a printed 24.6 %: 24.55 to 24.65 are as good, 0 is no difference.
        (LESS, 25.87, math.log((1 - 0.2465) / (1 - 0.2587))),
        (MORE, 25.87, math.log(1.2587 / 1.2465)),
    ],
)
def test_margins(claim: Claim, figure: float, expected: float) -> None:
    assert margin(claim, Figure(figure)) == pytest.approx(expected)


def test_a_figure_of_a_module_has_the_bar_of_its_kind() -> None:
    own = with_keys(RATIO, measure=None, figure="gain")
    assert bar_of(own, [{}]) is None, "nothing says of which metrics it is"
    means, tails = (bar_of(with_keys(own, error_of=kind), [{}]) for kind in ("means", "tails"))
    assert means is not None
    assert tails is not None
    assert means.ratio != tails.ratio


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "tools" / "stand_in_error.py"), *words]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.slow
def test_the_errors_of_published_figures_are_those_of_the_document(tmp_path: Path) -> None:
    done = tool("varmail", "--traces", str(tmp_path))
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if "| varmail |" in line]
    assert len(rows) == 4
    document = (REPOSITORY / "docs" / "collecting-stand-ins.md").read_text()
    assert [row for row in rows if row not in document] == []


def test_traces_that_are_not_at_hand_are_named(tmp_path: Path) -> None:
    for name, code, said in (("winpc_mayun", 1, "winpc_mayun"), ("varmial", 2, "unknown: varmial; known: ")):
        done = tool(name, "--traces", str(tmp_path))
        assert (done.returncode, said in done.stderr) == (code, True)
    assert tool("varmail", "--write").returncode == 2
