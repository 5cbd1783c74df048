"""SQL over the tables of a set, through DuckDB: read-only, offline, the same on every machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import polars as pl

from reclaim.errors import InputError
from reclaim.results.sets.tables import one_line

READING = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)


class _Stream:
    """What polars may see of a relation: it would keep its type, of which DuckDB complains at exit."""

    def __init__(self, relation: duckdb.DuckDBPyRelation) -> None:
        self._relation = relation

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._relation.__arrow_c_stream__(requested_schema)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _connection(tables: Mapping[str, Path], points: Sequence[str] | None) -> duckdb.DuckDBPyConnection:
    """A database in memory with a view of each table, which can reach nothing else."""
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",  # rows that SQL leaves unordered come in the same order on every machine
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    database = duckdb.connect(":memory:", config=settings)
    if points is not None:
        database.execute("CREATE TABLE chosen (point VARCHAR)")
        database.executemany("INSERT INTO chosen VALUES (?)", [[each] for each in points])
    for name, file in tables.items():
        only = "" if points is None else " WHERE point IN (SELECT point FROM chosen)"
        source = f"read_parquet({_quoted(str(file))}){only}"
        database.execute(f"CREATE VIEW {name} AS SELECT * FROM {source}")  # noqa: S608
    files = ", ".join(_quoted(str(file)) for file in tables.values())
    database.execute(f"SET allowed_paths = [{files}]")
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")
    return database


def _plain(answer: pl.DataFrame) -> pl.DataFrame:
    """Sums of whole numbers as whole numbers; DuckDB gives them 38 digits."""
    wide = [name for name, kind in answer.schema.items() if isinstance(kind, pl.Decimal)]
    whole = [name for name in wide if (answer[name] % 1 == 0).all() and _fits(answer[name])]
    kinds = {name: pl.Int64 if name in whole else pl.Float64 for name in wide}
    return answer.with_columns(pl.col(name).cast(kind) for name, kind in kinds.items())


def _fits(numbers: pl.Series) -> bool:
    return all(abs(each) < 2**63 for each in numbers.drop_nulls().to_list())


def query(sql: str, tables: Mapping[str, Path], points: Sequence[str] | None = None) -> pl.DataFrame:
    """Answer one SELECT over views of `tables`, of these `points` alone where they are given.

    Raises:
        InputError: for what DuckDB refuses, in its words, and for what is no SELECT.
    """
    try:
        statements = duckdb.extract_statements(sql)
        if len(statements) != 1 or statements[0].type not in READING:
            raise InputError("query: give one SELECT; results are not changed by queries")
        with _connection(tables, points) as database:
            relation = database.sql(sql)
            columns = zip(relation.columns, relation.types, strict=True)
            spans = [name for name, kind in columns if "INTERVAL" in str(kind)]
            if spans:
                raise InputError(f"query: column {spans[0]} is an INTERVAL; cast it, as in x::VARCHAR")
            return _plain(pl.DataFrame(_Stream(relation)))
    except duckdb.Error as error:
        said = one_line(error)
        known = "" if "Catalog Error: Table" not in said else f" (tables here: {', '.join(tables)})"
        raise InputError(f"query: {said.split(' Did you mean')[0] if known else said}{known}") from None
