"""Every type of DuckDB comes out, as a table, as JSON and as CSV; limits of time and of memory hold."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import polars as pl
import pytest

from conftest import Command, patience
from reclaim import encoding
from reclaim.errors import InputError
from reclaim.results.sets import ResultSet

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


@pytest.fixture(scope="module")
def loaded(set_folder: Path) -> ResultSet:
    return ResultSet.load(set_folder)


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
