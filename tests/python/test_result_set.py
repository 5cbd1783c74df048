"""Sets of results: loading, pairs and intervals, what is refused, and SQL with every type of DuckDB."""

from __future__ import annotations

import itertools
import json
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from conftest import Command, patience
from reclaim import InputError, encoding
from reclaim.errors import ResultWarning
from reclaim.result.sets import ResultSet, median_interval, ratio_interval
from reclaim.result.sets.remarks import level_of, remarks
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


def row_of(table: pl.DataFrame, **columns: object) -> tuple[object, ...]:
    (row,) = table.filter(**columns).rows()
    return row


def test_axes_are_the_columns_between_a_points_identity_and_its_figures(loaded: ResultSet) -> None:
    assert loaded.axes == [AXIS]
    assert (len(loaded), loaded.name) == (36, "victims")
    assert loaded.to_polars().equals(loaded.points)
    assert "36 points" in repr(loaded)


def test_points_and_tables_are_read_when_asked_for(loaded: ResultSet) -> None:
    row = loaded.points.row(5, named=True)
    result = loaded.results(row["point"])
    assert (result.label, result.read.mean_ns) == (row["scheme"], row["read_mean_ns"])
    assert result.timeline is not None
    assert isinstance(loaded.histograms, pl.LazyFrame)
    of_fifo = loaded.filter(scheme="fifo", trace="busy")
    counted = of_fifo.histograms.filter(pl.col("class") == "read").collect()["count"].sum()
    assert counted == of_fifo.points["read_count"].sum()
    assert loaded.timelines is not None
    assert loaded.gc_logs is not None


def test_intervals_are_of_the_repeats_of_each_cell_and_ratios_paired_by_them(loaded: ResultSet) -> None:
    intervals, ratios = loaded.intervals("read_p99_ns"), loaded.normalize(metrics="read_p99_ns")
    assert intervals.height == 12
    assert set(ratios.filter(pl.col("scheme") == "greedy")["value"]) == {1.0}
    for trace, value in itertools.product(("quiet", "busy"), ("1", "4")):
        cell = {"trace": trace, AXIS: value}
        ours, theirs = (
            values(loaded, "read_p99_ns", scheme=scheme, **cell) for scheme in ("suspend", "greedy")
        )
        assert row_of(intervals, scheme="suspend", **cell)[-4:] == tuple(median_interval(ours))
        assert row_of(ratios, scheme="suspend", **cell)[-4:] == tuple(ratio_interval(ours, theirs))


def test_over_traces_the_geometric_mean_is_taken_within_each_repeat(loaded: ResultSet) -> None:
    found = loaded.normalize(baseline="fifo", metrics="write_mean_ns", over="trace")
    with pytest.warns(ResultWarning, match="to is called baseline now"):
        assert loaded.normalize(to="fifo", metrics="write_mean_ns", over="trace").equals(found)
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
    found = loaded.normalize(by=AXIS, metrics="write_p99_ns")
    assert set(found.filter(pl.col(AXIS) == "1")["value"]) == {1.0}
    # A point that varies one axis alone is compared with those that vary nothing.
    varies = pl.when(pl.col(AXIS) == "4").then(pl.lit(f"{AXIS}=4")).otherwise(pl.lit("")).alias("vary")
    varied = ResultSet(loaded.folder, loaded.points.with_columns(varies))
    assert varied.normalize(by=AXIS, metrics="write_p99_ns").drop("vary").equals(found.drop("vary"))


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


def test_sql_that_is_wrong_or_reaches_elsewhere_is_refused_in_one_line(loaded: ResultSet) -> None:
    for sql, message in {
        "SELECT * FROM nothing": "nothing .*: points, histograms",
        "SELECT fasle FROM points": '"fasle"',
        "SELEC 1": "syntax error",
        "SELECT 1; SELECT 2": "one SELECT",
        "": "one SELECT",
        "DROP VIEW points": "one SELECT",
        "COPY points TO 'points.csv'": "one SELECT",
        "SET threads = 2": "one SELECT",
        "SELECT * FROM read_csv('/etc/passwd')": "disabled",
        "SELECT * FROM 'https://example.org/a.parquet'": "disabled",
    }.items():
        with pytest.raises(InputError, match=message) as caught:
            loaded.query(sql)
        assert "\n" not in str(caught.value)


def test_what_is_not_there_is_named_with_what_is(loaded: ResultSet, tmp_path: Path) -> None:
    asked: list[tuple[Callable[[], object], str]] = [
        (lambda: loaded.normalize(metrics="read_p99"), '"read_p99"; did you mean read_p99_ns'),
        (lambda: loaded.normalize(baseline="gredy"), '"gredy"; did you mean greedy'),
        (lambda: loaded.filter(schem="fifo"), '"schem"'),
        (lambda: loaded.filter(trace="bus"), '"bus"; did you mean busy'),
        (lambda: ResultSet.load(tmp_path / "nowhere"), "no such folder"),
        (lambda: ResultSet.load(tmp_path), r"points\.parquet"),
    ]
    for ask, message in asked:
        with pytest.raises(InputError, match=message):
            ask()
    (tmp_path / "points").mkdir()
    with pytest.raises(InputError, match="not ended"):
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


TYPES: list[tuple[str, object, str]] = [
    ("true", True, "true"),
    ("-5", -5, "-5"),
    ("9223372036854775808::UBIGINT", 2**63, "9223372036854775808"),
    ("170141183460469231731687303715884105727::HUGEINT", 2**127 - 1, str(2**127 - 1)),
    ("340282366920938463463374607431768211455::UHUGEINT", 2**128 - 1, str(2**128 - 1)),
    ("1.25", 1.25, "1.25"),
    ("'nan'::DOUBLE", "NaN", "NaN"),
    ("'-inf'::DOUBLE", "-Infinity", "-inf"),
    ("NULL", None, ""),
    ("'2020-01-02'::DATE", "2020-01-02", "2020-01-02"),
    ("'99999-01-01'::DATE", "99999-01-01", "99999-01-01"),
    ("'0044-03-15 (BC)'::DATE", "0044-03-15 (BC)", "0044-03-15 (BC)"),
    ("'infinity'::TIMESTAMP", "infinity", "infinity"),
    ("'2020-01-02 03:04:05.5'::TIMESTAMP", "2020-01-02T03:04:05.500000", "2020-01-02T03:04:05.500000"),
    ("'2020-01-02 03:04:05+02'::TIMESTAMPTZ", "2020-01-02T01:04:05+00:00", "2020-01-02T01:04:05+00:00"),
    ("'24:00:00'::TIME", "24:00:00", "24:00:00"),
    ("'10:00:00+02'::TIMETZ", "10:00:00+02", "10:00:00+02"),
    ("INTERVAL 1 MONTH", "1 month", "1 month"),
    ("union_value(a := 1)", "1", "1"),
    ("'\\xAA\\x00'::BLOB", "aa00", "aa00"),
    ("'1010'::BIT", "1010", "1010"),
    ("2::BIGNUM", "2", "2"),
    ("'x'::ENUM('x', 'y')", "x", "x"),
    ("'00000000-0000-0000-0000-000000000001'::UUID", "0" * 8 + "-0000-0000-0000-" + "0" * 11 + "1", ""),
    ("[1, NULL, 3]", [1, None, 3], '"[1, null, 3]"'),
    ("[[1.5, 'inf'::DOUBLE]]", [[1.5, "Infinity"]], '"[[1.5, ""Infinity""]]"'),
    ("array_value(1, 2)", [1, 2], '"[1, 2]"'),
    ("{'a': 1, 'b': ['x']}", {"a": 1, "b": ["x"]}, '"{""a"": 1, ""b"": [""x""]}"'),
    ("MAP {'a': 1}", {"a": 1}, '"{""a"": 1}"'),
    ("MAP {1: 'x'}", {"1": "x"}, '"{""1"": ""x""}"'),
    ("[union_value(a := 1)]", "[1]", "[1]"),
    ("[INTERVAL 1 DAY]", "[1 day]", "[1 day]"),
    ("['99999-01-01'::DATE]", "[99999-01-01]", "[99999-01-01]"),
    ("''::VARIANT", "", '""'),
    ("'=1+1'", "=1+1", "'=1+1"),
]


def test_every_type_comes_out(loaded: ResultSet) -> None:
    sql = ", ".join(f"{value} AS c{number}" for number, (value, _, _) in enumerate(TYPES))
    answer = loaded.query(f"SELECT {sql}")
    (row,) = json.loads("".join(encoding.table_json(answer)))
    for number, (value, expected, written) in enumerate(TYPES):
        assert row[f"c{number}"] == expected, value
        text = encoding.csv_text(answer.select(f"c{number}")).split("\n", 1)[1].removesuffix("\n")
        assert text == written or not written, value


def test_numbers_are_numbers_and_times_are_times(loaded: ResultSet) -> None:
    answer = loaded.query(
        "SELECT sum(1) AS a, 2::HUGEINT AS b, 2.5 AS c, DATE '2020-01-01' AS d, [1] AS e, "
        "170141183460469231731687303715884105727::HUGEINT AS f"
    )
    kinds = [pl.Int64, pl.Int64, pl.Float64, pl.Date, pl.List(pl.Int32), pl.Int128]
    assert answer.dtypes == kinds


def test_columns_of_one_name_and_answers_of_nothing(loaded: ResultSet) -> None:
    assert loaded.query("SELECT 1 AS a, 2 AS a, 3 AS a_1").rows(named=True) == [{"a": 1, "a_2": 2, "a_1": 3}]
    empty = loaded.query("SELECT point, 1 AS x FROM points WHERE false")
    assert (empty.columns, empty.height) == (["point", "x"], 0)
    assert "".join(encoding.table_json(empty)) == "[]\n"
    assert encoding.csv_text(empty) == "point,x\n"
    wide = ", ".join(f"{number} AS c{number}" for number in range(3000))
    assert loaded.query(f"SELECT {wide}").width == 3000
    assert loaded.query("EXPLAIN SELECT 1").height == 1


@pytest.mark.parametrize(
    ("how", "says"),
    [({"time_limit_s": 1}, "not answered within 1 s"), ({"memory": "300MiB"}, "than the 300 MiB")],
)
def test_limits_hold_within_one_step_of_a_query(loaded: ResultSet, how: dict[str, object], says: str) -> None:
    # A single step of it takes all memory there is, and longer than that.
    sql = "SELECT string_agg(repeat('x', 1000000)) FROM range(100000)"
    began, threads = time.monotonic(), threading.active_count()
    with pytest.raises(InputError, match=says):
        loaded.query(sql, **{"memory": "6GiB", **how})  # type: ignore[arg-type]
    assert time.monotonic() - began < 10 * patience()
    assert threading.active_count() <= threads


def test_nothing_of_the_folder_is_imported(command: Command, set_folder: Path, tmp_path: Path) -> None:
    for name in ("duckdb", "polars", "json", "reclaim"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')\n")
    done = command("results", "query", "SELECT '@x' AS a, -1 AS b", set_folder, "--csv")
    assert done.stdout == "a,b\n'@x,-1\n"
    done = command("results", "query", "SELECT 'nan'::DOUBLE AS a", set_folder, "--json")
    assert json.loads(done.stdout) == [{"a": "NaN"}]
    assert not (tmp_path / "ran").exists()
