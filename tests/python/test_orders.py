"""Comparisons of schemes that hang on the order in which requests come again are not established."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from reclaim.cli.app import app
from reclaim.results.sets.measured import Measured
from reclaim.results.sets.orders import AXIS, turned
from reclaim.results.sets.remarks import level_of, of_orders, remarks

Figures = Sequence[float]
Row = tuple[str, str, str, Figures]
"""Trace, scheme, order, and write amplification of each repeat."""
TURNS: list[Row] = [
    ("busy", "greedy", "same", [1.44]),
    ("busy", "d-choices", "same", [1.50]),
    ("busy", "greedy", "shuffled", [1.68]),
    ("busy", "d-choices", "shuffled", [1.60]),
]


def table(rows: Sequence[Row], *, varied: bool = False, read_ns: float = 1e6) -> pl.DataFrame:
    """Points as a sweep writes them; `varied`, where the axis is varied alone."""
    found = []
    for number, (trace, scheme, order, figures) in enumerate(rows):
        for repeat, amplification in enumerate(figures):
            found.append(
                {
                    "point": f"{number:08x}{repeat:08x}",
                    "experiment": "orders",
                    "device": "small",
                    "trace": trace,
                    "scheme": scheme,
                    "repeat": repeat,
                    "perturbation": "",
                    "vary": f"{AXIS}={order}" if varied and order != "same" else "",
                    AXIS: order,
                    "format": 1,
                    "verdict": "trustworthy",
                    "reclaim_version": "0",
                    "gc_jobs": 1,
                    "gc_write_amplification": amplification,
                    "read_mean_ns": read_ns + repeat,
                }
            )
    return pl.DataFrame(found)


def measured(rows: Sequence[Row], *, varied: bool = False) -> Measured:
    found = table(rows, varied=varied)
    folder = Path(tempfile.mkdtemp(prefix="orders-"))
    found.write_parquet(folder / "points.parquet")
    return Measured(folder, found)


@pytest.mark.parametrize("varied", [False, True])
def test_two_schemes_that_change_places_are_named_with_the_metric(*, varied: bool) -> None:
    results = measured(TURNS, varied=varied)
    (found,) = turned(results)
    assert (found.first, found.second, found.metric) == ("greedy", "d-choices", "gc_write_amplification")
    assert found.lower == {"same": "greedy", "shuffled": "d-choices"}
    assert level_of(results) == "not-established"
    (remark,) = remarks(results)
    assert (remark.severity, remark.where) == ("doubt", "all points")
    assert remark.text == (
        "greedy against d-choices is not established for write amplification (pages): which of the two is "
        "lower changes with the order in which requests come again (trace.repeat_order = same: greedy; "
        "shuffled: d-choices)."
    )


def test_each_trace_and_each_pair_is_looked_at_by_itself() -> None:
    rows = [
        *TURNS,
        ("quiet", "greedy", "same", [1.2]),
        ("quiet", "d-choices", "same", [1.3]),
        ("quiet", "greedy", "shuffled", [1.2]),
        ("quiet", "d-choices", "shuffled", [1.3]),
        ("busy", "fifo", "same", [1.47]),
        ("busy", "fifo", "shuffled", [1.64]),
    ]
    found = turned(measured(rows))
    pairs = [(each.first, each.second) for each in found]
    assert pairs == [("greedy", "d-choices"), ("greedy", "fifo"), ("d-choices", "fifo")]
    told = of_orders(measured(rows))
    assert told[0].where == "busy, greedy, d-choices (4 of 10 points)"
    # What only the average over traces hides is found, and nothing where nothing turns.
    assert not turned(measured(rows[4:8]))


@pytest.mark.parametrize(
    ("same", "shuffled", "turns"),
    [
        ([1.44], [1.68], True),
        ([1.595], [1.68], False),  # without an interval, one per cent is no difference
        ([1.5, 1.5, 1.5, 1.5, 1.5, 1.7], [1.9, 1.8, 1.7, 1.7, 1.7, 1.7], False),  # chance explains it
        ([1.5, 1.51, 1.52, 1.53, 1.54, 1.55], [1.9, 1.8, 1.7, 1.71, 1.72, 1.73], True),
    ],
)
def test_what_chance_explains_is_no_change(same: Figures, shuffled: Figures, *, turns: bool) -> None:
    other = [1.6] * len(same)
    rows = [
        ("busy", "greedy", "same", same),
        ("busy", "fifo", "same", other),
        ("busy", "greedy", "shuffled", shuffled),
        ("busy", "fifo", "shuffled", other),
    ]
    results = measured(rows)
    assert bool(turned(results)) is turns
    assert level_of(results) == ("not-established" if turns else "trustworthy")


def test_without_both_orders_or_a_second_scheme_there_is_nothing_to_change() -> None:
    one_order = [row for row in TURNS if row[2] == "same"]
    one_scheme = [row for row in TURNS if row[1] == "greedy"]
    other_axis = table(TURNS).rename({AXIS: "gc.pages_in_flight"})
    sets = [measured(one_order), measured(one_scheme), Measured(Path("nowhere"), other_axis)]
    assert [turned(each) for each in sets] == [[], [], []]


def test_the_terminal_and_the_report_tell_it(tmp_path: Path) -> None:
    table(TURNS).write_parquet(tmp_path / "points.parquet")
    shown = CliRunner().invoke(app, ["results", "show", str(tmp_path)])
    words = " ".join(shown.output.split())
    assert "greedy against d-choices is not established for write amplification (pages)" in words
    written = CliRunner().invoke(app, ["results", "report", str(tmp_path)])
    assert written.exit_code == 0, written.output
    page = (tmp_path / "report.html").read_text()
    assert "greedy against d-choices is not established for write amplification (pages)" in page
    assert 'class="verdict not-established"' in page
