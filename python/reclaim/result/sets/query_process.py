"""The process that asks DuckDB: read-only, offline, the same on every machine, in the memory it is given.

It reads a line of JSON from standard input, writes a line and a table to standard output, and ends when
whoever asked has ended.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import resource
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import polars as pl

from reclaim import input_file

READING = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
OF_WORDS = (
    duckdb.ParserException,
    duckdb.SyntaxException,
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.PermissionException,
)
"""What is wrong with a query whatever is in the tables."""
WHOLE = ("tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint")
IN_LISTS = frozenset(
    (*WHOLE, "boolean", "float", "double", "varchar", "enum", "uuid", "null", "hugeint", "decimal")
)
"""Types that polars has, too, wherever they stand."""
TIMES = ("date", "timestamp", "timestamp_s", "timestamp_ms", "timestamp with time zone")
ALONE = IN_LISTS | frozenset((*TIMES, "blob"))
"""Types that it has as those of a whole column; all others become DuckDB's own text."""
NESTED = frozenset(("list", "array", "struct", "map"))
FIRST, LAST = dt.date.min, dt.date.max
LEAST_MEMORY = 64 << 20
"""Bytes; with less nothing can be asked."""


class _Stream:
    """What polars may see of a relation: it would keep its type, of which DuckDB complains at exit."""

    def __init__(self, relation: duckdb.DuckDBPyRelation) -> None:
        self._relation = relation

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._relation.__arrow_c_stream__(requested_schema)


def _quoted(text: str, quote: str = "'") -> str:
    return quote + text.replace(quote, 2 * quote) + quote


def _connection(asked: Mapping[str, Any]) -> duckdb.DuckDBPyConnection:
    """A database in memory with a view of each table, whose file it names; it can reach nothing else."""
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",  # rows that SQL leaves unordered come in the same order on every machine
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": "",
    }
    if asked["memory"] is not None:
        settings["memory_limit"] = f"{max(asked['memory'], LEAST_MEMORY) >> 10}KiB"
    database = duckdb.connect(":memory:", config=settings)
    database.execute("SET TimeZone = 'UTC'")
    points: Sequence[str] | None = asked["points"]
    if points is not None:
        database.execute("CREATE TABLE chosen (point VARCHAR)")
        database.executemany("INSERT INTO chosen VALUES (?)", [[each] for each in points])
    for name, file in asked["tables"].items():
        only = "" if points is None else " WHERE point IN (SELECT point FROM chosen)"
        source = f"read_parquet({_quoted(file)}, hive_partitioning = false){only}"
        database.execute(f"CREATE VIEW {name} AS SELECT * FROM {source}")  # noqa: S608
    files = ", ".join(map(_quoted, asked["tables"].values()))
    database.execute(f"SET allowed_paths = [{files}]")
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")
    return database


def _is_known(kind: Any, known: frozenset[str]) -> bool:
    """Whether polars has the same values as DuckDB of a type."""
    if kind.id in NESTED:
        return all(_is_known(each, IN_LISTS) for _, each in kind.children if not isinstance(each, int))
    return kind.id in known


def _names(columns: Sequence[str]) -> list[str]:
    """Give every column another name, as DuckDB does in tables.

    >>> _names(["a", "a", "a_1", "b"])
    ['a', 'a_2', 'a_1', 'b']
    """
    found: list[str] = []
    for name in columns:
        number, free = 0, name
        while free in found or (number and free in columns):
            number += 1
            free = f"{name}_{number}"
        found.append(free)
    return found


def _table(relation: duckdb.DuckDBPyRelation, as_text: frozenset[int]) -> pl.DataFrame:
    """The answer, with columns of types that polars has not, and those of these numbers, as DuckDB's text."""
    wanted = []
    kinds = relation.types
    names = _names(relation.columns)
    for at, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        plain = at not in as_text and _is_known(kind, ALONE)
        value = f"#{at + 1}" if plain else f"CAST(#{at + 1} AS VARCHAR)"
        wanted.append(f"{value} AS {_quoted(name, chr(34))}")
    # Of EXPLAIN there is no selection.
    selected = (
        relation
        if relation.columns == ["explain_key", "explain_value"]
        else relation.project(", ".join(wanted))
    )
    return pl.DataFrame(_Stream(selected))


def _is_far(column: pl.Series) -> bool:
    """Whether a time is in it that Python has not, such as one of the year 10000."""
    kind = column.dtype
    if kind not in (pl.Date, pl.Datetime) or column.null_count() == column.len():
        return False
    known: list[int] = column.to_physical().drop_nulls().to_list()
    low, high = min(known), max(known)
    units = {"ms": 10**3, "us": 10**6, "ns": 10**9}
    of_day = 86_400 * units[kind.time_unit] if isinstance(kind, pl.Datetime) else 1
    epoch = dt.date(1970, 1, 1)
    return low < (FIRST - epoch).days * of_day or high >= ((LAST - epoch).days + 1) * of_day


def _plain(answer: pl.DataFrame) -> pl.DataFrame:
    """Whole numbers as whole numbers, all digits of them; DuckDB gives sums of them as decimals."""
    kinds: dict[str, Any] = {}
    for name, kind in answer.schema.items():
        if not isinstance(kind, pl.Decimal):
            continue
        numbers = answer[name].drop_nulls()
        if not (numbers % 1 == 0).all():
            kinds[name] = pl.Float64
        else:
            fits = all(abs(each) < 2**63 for each in numbers.to_list())
            kinds[name] = pl.Int64 if fits else pl.Int128
    return answer.with_columns(pl.col(name).cast(kind) for name, kind in kinds.items())


def answered(asked: Mapping[str, Any]) -> pl.DataFrame:
    """Answer one SELECT.

    Raises:
        ValueError: for what is none.
        duckdb.Error: for what DuckDB refuses.
    """
    statements = duckdb.extract_statements(asked["sql"])
    if len(statements) != 1 or statements[0].type not in READING:
        raise ValueError("give one SELECT; results are not changed by queries")
    with _connection(asked) as database:
        relation = database.sql(asked["sql"])
        unsigned = [at for at, kind in enumerate(relation.types) if kind.id == "uhugeint"]
        table = _table(relation, frozenset())
        far = frozenset(at for at, column in enumerate(table.get_columns()) if _is_far(column))
        if far:
            table = _table(database.sql(asked["sql"]), far)
        return _plain(table).with_columns(pl.nth(unsigned).cast(pl.UInt128) if unsigned else [])


def _wait_for_end(stream: BinaryIO) -> None:
    stream.read()
    os._exit(1)


def _limited(memory: int | None) -> None:
    """Take no more memory than this beside what the process has already."""
    known = Path("/proc/self/statm")
    if memory is None or not known.exists():
        return
    pages = int(input_file.text(known).split()[0])
    limit = pages * resource.getpagesize() + max(memory, LEAST_MEMORY)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> None:
    """Answer what is asked on standard input."""
    asked = json.loads(sys.stdin.buffer.readline())
    _limited(asked["memory"])
    threading.Thread(target=_wait_for_end, args=[sys.stdin.buffer], daemon=True).start()
    head: dict[str, Any] = {}
    table = None
    try:
        table = answered(asked)
    except (MemoryError, duckdb.OutOfMemoryException):
        head = {"out_of_memory": True}
    except ValueError as error:
        head = {"error": str(error), "of_words": True}
    except (duckdb.Error, pl.exceptions.PolarsError) as error:
        if "bad_alloc" in str(error):
            head = {"out_of_memory": True}
        else:
            head = {"error": str(error), "of_words": isinstance(error, OF_WORDS)}
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n")
    if table is not None:
        table.write_ipc_stream(sys.stdout.buffer)
    sys.stdout.buffer.flush()
    # What DuckDB and polars have to tidy up, the system does at once.
    os._exit(0)
