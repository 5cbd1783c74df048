"""Comparisons of schemes that hang on the order in which requests come again are inconclusive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from reclaim.cli.app import app
from reclaim.result.sets.measured import MeasuredSet
from reclaim.result.sets.orders import AXIS, turned
from reclaim.result.sets.remarks import level_of, of_orders, remarks

Figures = Sequence[float]
Row = tuple[str, str, str, Figures]
"""Trace, scheme, order, and write amplification of each repeat."""
TURNS: list[Row] = [
    ("busy", "greedy", "same", [1.44]),
    ("busy", "d-choices", "same", [1.50]),
    ("busy", "greedy", "shuffled", [1.68]),
    ("busy", "d-choices", "shuffled", [1.60]),
]
PAIR = "greedy against d-choices is inconclusive"


def table(rows: Sequence[Row], *, varied: bool = False) -> pl.DataFrame:
    """Points as a sweep writes them; `varied`, where the axis is varied alone."""
    found = [
        {"point": f"{number:08x}{repeat:08x}", "experiment": "orders", "device": "small"}
        | {"trace": trace, "scheme": scheme, "repeat": repeat, "perturbation": ""}
        | {"vary": f"{AXIS}={order}" if varied and order != "same" else "", AXIS: order, "format": 1}
        | {"verdict": "trustworthy", "reclaim_version": "0", "gc_jobs": 1}
        | {"gc_write_amplification": amplification, "read_mean_ns": 1e6 + repeat}
        for number, (trace, scheme, order, figures) in enumerate(rows)
        for repeat, amplification in enumerate(figures)
    ]
    return pl.DataFrame(found)


def measured(folder: Path, rows: Sequence[Row], *, varied: bool = False) -> MeasuredSet:
    found = table(rows, varied=varied)
    found.write_parquet(folder / "points.parquet")
    return MeasuredSet(folder, found)


@pytest.mark.parametrize("varied", [False, True])
def test_two_schemes_that_change_places_are_named_with_the_metric(tmp_path: Path, *, varied: bool) -> None:
    results = measured(tmp_path, TURNS, varied=varied)
    (found,) = turned(results)
    assert (found.first, found.second, found.metric) == ("greedy", "d-choices", "gc_write_amplification")
    assert found.lower == {"same": "greedy", "shuffled": "d-choices"}
    assert level_of(results) == "not-established"
    (remark,) = remarks(results)
    assert (remark.severity, remark.where) == ("doubt", "all points")
    told = (PAIR, "write amplification (pages)", f"({AXIS} = same: greedy; shuffled: d-choices)")
    assert [each for each in told if each not in remark.text] == []


def test_each_trace_and_each_pair_is_looked_at_by_itself(tmp_path: Path) -> None:
    quiet: list[Row] = [
        ("quiet", scheme, order, [figure])
        for order in ("same", "shuffled")
        for scheme, figure in (("greedy", 1.2), ("d-choices", 1.3))
    ]
    fifo: list[Row] = [("busy", "fifo", "same", [1.47]), ("busy", "fifo", "shuffled", [1.64])]
    results = measured(tmp_path, [*TURNS, *quiet, *fifo])
    pairs = [(each.first, each.second) for each in turned(results)]
    assert pairs == [("greedy", "d-choices"), ("greedy", "fifo"), ("d-choices", "fifo")]
    assert of_orders(results)[0].where == "busy, greedy, d-choices (4 of 10 points)"
    # What only the average over traces hides is found, and nothing where nothing turns.
    assert not turned(measured(tmp_path, quiet))


@pytest.mark.parametrize(
    ("same", "shuffled", "turns"),
    [
        ([1.44], [1.68], True),
        ([1.595], [1.68], False),  # without an interval, one per cent is no difference
        ([1.5, 1.5, 1.5, 1.5, 1.5, 1.7], [1.9, 1.8, 1.7, 1.7, 1.7, 1.7], False),  # chance explains it
        ([1.5, 1.51, 1.52, 1.53, 1.54, 1.55], [1.9, 1.8, 1.7, 1.71, 1.72, 1.73], True),
    ],
)
def test_what_chance_explains_is_no_change(
    tmp_path: Path, same: Figures, shuffled: Figures, *, turns: bool
) -> None:
    rows: list[Row] = []
    for order, figures in (("same", same), ("shuffled", shuffled)):
        rows += [("busy", "greedy", order, figures), ("busy", "fifo", order, [1.6] * len(same))]
    results = measured(tmp_path, rows)
    assert bool(turned(results)) is turns
    assert level_of(results) == ("not-established" if turns else "trustworthy")


def test_without_both_orders_or_a_second_scheme_there_is_nothing_to_change(tmp_path: Path) -> None:
    for at, only in ((2, "same"), (1, "greedy")):
        assert turned(measured(tmp_path, [row for row in TURNS if row[at] == only])) == []
    assert turned(MeasuredSet(Path("nowhere"), table(TURNS).rename({AXIS: "gc.pages_in_flight"}))) == []


def test_the_terminal_and_the_report_tell_it(tmp_path: Path) -> None:
    table(TURNS).write_parquet(tmp_path / "points.parquet")
    shown, written = (CliRunner().invoke(app, ["results", how, str(tmp_path)]) for how in ("show", "report"))
    assert PAIR in " ".join(shown.output.split())
    assert written.exit_code == 0, written.output
    page = (tmp_path / "report.html").read_text()
    assert PAIR in page
    assert 'class="verdict not-established"' in page
