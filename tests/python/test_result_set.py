"""Sets of results: loading, pairs and intervals, SQL, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from reclaim import InputError
from reclaim.results.sets import ResultSet, median_interval, ratio_interval
from reclaim.results.sets.remarks import level_of, remarks
from small_set import AXIS, add_failure, write_set


@pytest.fixture(scope="module")
def loaded(set_folder: Path) -> ResultSet:
    return ResultSet.load(set_folder)


@pytest.fixture(scope="module")
def identical(tmp_path_factory: pytest.TempPathFactory) -> ResultSet:
    """A set whose repeats are all the same."""
    folder = tmp_path_factory.mktemp("identical") / "set"
    write_set(folder, traces=["busy"], schemes=["greedy", "fifo"], axis=["1"], random_repeats=False)
    return ResultSet.load(folder)


def values(results: ResultSet, metric: str, **columns: object) -> list[float]:
    return [float(each) for each in results.filter(**columns).points[metric].to_list()]


def test_axes_are_the_columns_between_a_points_identity_and_its_figures(loaded: ResultSet) -> None:
    assert loaded.axes == [AXIS]
    assert (len(loaded), loaded.name) == (36, "victims")
    assert loaded.to_polars().equals(loaded.points)
    assert "36 points" in repr(loaded)


def test_a_point_is_the_result_of_its_run(loaded: ResultSet) -> None:
    row = loaded.points.row(5, named=True)
    result = loaded.results(row["point"])
    assert result.label == row["scheme"]
    assert result.read.mean_ns == row["read_mean_ns"]
    assert result.timeline is not None


def test_tables_of_all_points_are_read_when_asked_for(loaded: ResultSet) -> None:
    assert isinstance(loaded.histograms, pl.LazyFrame)
    of_fifo = loaded.filter(scheme="fifo", trace="busy")
    assert of_fifo.histograms is not None
    counted = of_fifo.histograms.filter(pl.col("class") == "read").collect()["count"].sum()
    assert counted == of_fifo.points["read_count"].sum()
    assert loaded.timelines is not None
    assert loaded.gc_logs is not None


def test_intervals_are_of_the_repeats_of_each_cell(loaded: ResultSet) -> None:
    found = loaded.intervals("read_p99_ns")
    assert found.height == 12
    row = found.row(
        by_predicate=(pl.col("trace") == "busy") & (pl.col("scheme") == "fifo") & (pl.col(AXIS) == "4")
    )
    here = values(loaded, "read_p99_ns", trace="busy", scheme="fifo", **{AXIS: "4"})
    assert row[-4:] == tuple(median_interval(here))


def test_ratios_are_paired_by_trace_axis_and_repeat(loaded: ResultSet) -> None:
    found = loaded.normalize(metrics="read_p99_ns")
    assert set(found.filter(pl.col("scheme") == "greedy")["value"]) == {1.0}
    for trace in ("quiet", "busy"):
        for value in ("1", "4"):
            ours, theirs = (
                values(loaded, "read_p99_ns", trace=trace, scheme=scheme, **{AXIS: value})
                for scheme in ("suspend", "greedy")
            )
            row = found.row(
                by_predicate=(pl.col("trace") == trace)
                & (pl.col("scheme") == "suspend")
                & (pl.col(AXIS) == value)
            )
            assert row[-4:] == tuple(ratio_interval(ours, theirs))


def test_over_traces_the_geometric_mean_is_taken_within_each_repeat(loaded: ResultSet) -> None:
    found = loaded.normalize(to="fifo", metrics="write_mean_ns", over="trace")
    row = found.row(by_predicate=(pl.col("scheme") == "suspend") & (pl.col(AXIS) == "1"), named=True)
    expected = []
    for repeat in range(3):
        ratio = 1.0
        for trace in ("quiet", "busy"):
            ours, theirs = (
                values(loaded, "write_mean_ns", trace=trace, scheme=scheme, repeat=repeat, **{AXIS: "1"})[0]
                for scheme in ("suspend", "fifo")
            )
            ratio *= ours / theirs
        expected.append(ratio**0.5)
    assert row["value"] == pytest.approx(sorted(expected)[1])
    assert row["count"] == 3
    assert "trace" not in found.columns


def test_an_axis_can_be_what_is_normalized_by(loaded: ResultSet) -> None:
    found = loaded.normalize(by=AXIS, metrics="write_p99_ns").filter(pl.col(AXIS) == "1")
    assert set(found["value"]) == {1.0}


def test_a_point_that_varies_one_axis_alone_is_compared_with_those_that_vary_nothing(
    loaded: ResultSet,
) -> None:
    varied = loaded.points.with_columns(
        pl.when(pl.col(AXIS) == "4").then(pl.lit(f"{AXIS}=4")).otherwise(pl.lit("")).alias("vary")
    )
    found = ResultSet(loaded.folder, varied).normalize(by=AXIS, metrics="write_p99_ns")
    expected = loaded.normalize(by=AXIS, metrics="write_p99_ns")
    assert found.drop("vary").equals(expected.drop("vary"))


def test_identical_repeats_give_no_interval_and_a_warning(identical: ResultSet) -> None:
    found = identical.intervals("write_mean_ns")
    assert found["count"].to_list() == [1, 1]
    assert found["low"].null_count() == found["high"].null_count() == 2
    assert identical.normalize(metrics="write_mean_ns")["count"].to_list() == [1, 1]
    assert identical.normalize(metrics="write_mean_ns", over="trace")["low"].null_count() == 2
    warned = [each for each in remarks(identical) if 'by = "rotate"' in each.text]
    assert [(each.severity, each.where) for each in warned] == [("warning", "all points")]


def test_remarks_name_failures_and_why_points_are_not_to_be_trusted(set_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    shutil.copytree(set_folder, folder)
    add_failure(folder)
    found = remarks(ResultSet.load(folder))
    assert found[0].severity == "failure"
    assert "no room" in found[0].text
    assert found[0].command.startswith("reclaim run")
    assert not any('by = "rotate"' in each.text for each in found)
    assert level_of(ResultSet.load(folder)) != "trustworthy"
    assert any(each.severity in ("warning", "doubt") for each in found)


def test_pivot_has_the_median_of_everything_else(loaded: ResultSet) -> None:
    table = loaded.pivot("trace", "scheme", "gc_write_amplification")
    assert table.columns == ["trace", "greedy", "fifo", "suspend"]
    quiet = sorted(values(loaded, "gc_write_amplification", trace="quiet", scheme="fifo"))
    assert table.row(0, named=True)["fifo"] == pytest.approx((quiet[2] + quiet[3]) / 2)


def test_sql_reads_all_tables(loaded: ResultSet) -> None:
    answer = loaded.query(
        "SELECT scheme, sum(h.count) AS requests FROM histograms h JOIN points p USING (point) "
        "WHERE trace = 'busy' GROUP BY scheme ORDER BY scheme"
    )
    assert answer.rows() == [("fifo", 12000), ("greedy", 12000), ("suspend", 12000)]
    assert answer.schema["requests"] == pl.Int64
    assert loaded.query("SELECT count(*) FROM timelines").item() > 36
    assert loaded.filter(scheme="fifo").query("SELECT count(*) FROM points").item() == 12


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT * FROM nothing", r"nothing does not exist! \(tables here: points, histograms"),
        ("SELECT fasle FROM points", 'Referenced column "fasle" not found'),
        ("SELEC 1", "syntax error"),
        ("SELECT 1; SELECT 2", "give one SELECT"),
        ("", "give one SELECT"),
        ("DROP VIEW points", "give one SELECT"),
        ("COPY points TO 'points.csv'", "give one SELECT"),
        ("SET threads = 2", "give one SELECT"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled by configuration"),
        ("SELECT * FROM 'https://example.org/a.parquet'", "disabled by configuration"),
    ],
)
def test_sql_that_is_wrong_or_reaches_elsewhere_is_refused_in_one_line(
    loaded: ResultSet, sql: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        loaded.query(sql)
    assert "\n" not in str(caught.value)


def test_what_is_not_there_is_named_with_what_is(loaded: ResultSet, tmp_path: Path) -> None:
    with pytest.raises(InputError, match='no metric "read_p99"; did you mean read_p99_ns'):
        loaded.normalize(metrics="read_p99")
    with pytest.raises(InputError, match='no scheme "gredy"; did you mean greedy'):
        loaded.normalize(to="gredy")
    with pytest.raises(InputError, match='no column "schem"'):
        loaded.filter(schem="fifo")
    with pytest.raises(InputError, match='no trace "bus"; did you mean busy'):
        loaded.filter(trace="bus")
    with pytest.raises(InputError, match="no such folder"):
        ResultSet.load(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"not a set of results: no points\.parquet"):
        ResultSet.load(tmp_path)
    (tmp_path / "points").mkdir()
    with pytest.raises(InputError, match="the sweep has not ended"):
        ResultSet.load(tmp_path)
    (tmp_path / "points.parquet").write_text("not a table")
    with pytest.raises(InputError, match="cannot be read"):
        ResultSet.load(tmp_path)


def test_a_set_says_that_its_folder_is_gone(set_folder: Path, tmp_path: Path) -> None:
    """What points recorded is read when it is asked for: nothing is not the same as nothing left."""
    folder = tmp_path / "set"
    shutil.copytree(set_folder, folder)
    results = ResultSet.load(folder)
    assert results.histograms is not None
    shutil.rmtree(folder)
    point = results.points["point"].item(0)
    for ask in (
        lambda: results.histograms,
        lambda: results.timelines,
        lambda: results.gc_logs,
        lambda: results.failures,
        results.comparisons,
        lambda: results.results(point),
        lambda: results.query("SELECT * FROM points"),
        lambda: results.report(tmp_path / "x.html"),
    ):
        with pytest.raises(InputError, match="not there any more"):
            ask()
    assert len(results) == results.to_polars().height
