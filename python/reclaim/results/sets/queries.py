"""SQL over the tables of a set, through DuckDB: read-only, offline, the same on every machine."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

import duckdb
import polars as pl

from reclaim import table_file
from reclaim.errors import InputError
from reclaim.results.sets.tables import one_line

READING = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
OF_WORDS = (
    duckdb.ParserException,
    duckdb.SyntaxException,
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.PermissionException,
)
"""What is wrong with a query whatever is in the tables."""
WAIT_SECONDS = 0.1
"""How soon Ctrl-C and the end of the time are noticed."""


class _Stream:
    """What polars may see of a relation: it would keep its type, of which DuckDB complains at exit."""

    def __init__(self, relation: duckdb.DuckDBPyRelation) -> None:
        self._relation = relation

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._relation.__arrow_c_stream__(requested_schema)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _connection(tables: Mapping[str, str], points: Sequence[str] | None) -> duckdb.DuckDBPyConnection:
    """A database in memory with a view of each table, whose file it names; it can reach nothing else."""
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
        source = f"read_parquet({_quoted(file)}, hive_partitioning = false){only}"
        database.execute(f"CREATE VIEW {name} AS SELECT * FROM {source}")  # noqa: S608
    files = ", ".join(map(_quoted, tables.values()))
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


def _answer(database: duckdb.DuckDBPyConnection, sql: str) -> pl.DataFrame:
    relation = database.sql(sql)
    columns = zip(relation.columns, relation.types, strict=True)
    spans = [name for name, kind in columns if "INTERVAL" in str(kind)]
    if spans:
        raise InputError(f"query: column {spans[0]} is an INTERVAL; cast it, as in x::VARCHAR")
    return _plain(pl.DataFrame(_Stream(relation)))


def _in_time(
    database: duckdb.DuckDBPyConnection, work: Callable[[], pl.DataFrame], seconds: float | None
) -> pl.DataFrame:
    """Give what `work` does with the database, which is interrupted by Ctrl-C and when the time is over.

    DuckDB hears of neither while it works in the thread that Python gives signals to.
    """
    found: Future[pl.DataFrame] = Future()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            found.set_exception(error)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    over = None if seconds is None else time.monotonic() + seconds
    try:
        while True:
            try:
                return found.result(WAIT_SECONDS)
            except TimeoutError:
                if found.done() or over is None or time.monotonic() < over:
                    continue
                raise InputError(
                    f"query: not answered within {seconds:g} s, which --time-limit (time_limit_s) allows"
                ) from None
    finally:
        while worker.is_alive():
            # It may not have begun yet what can be interrupted.
            database.interrupt()
            worker.join(WAIT_SECONDS)


def query(
    sql: str,
    tables: Mapping[str, Path],
    points: Sequence[str] | None = None,
    time_limit_s: float | None = None,
) -> pl.DataFrame:
    """Answer one SELECT over views of `tables`, of these `points` alone where they are given.

    Raises:
        InputError: for what DuckDB refuses, in its words, for what is no SELECT, and when the time is over.
        KeyboardInterrupt: with Ctrl-C, within a second.
    """
    named: dict[str, str] = {}
    try:
        statements = duckdb.extract_statements(sql)
        if len(statements) != 1 or statements[0].type not in READING:
            raise InputError("query: give one SELECT; results are not changed by queries")
        with table_file.for_sql(tables) as files, _connection(files, points) as database:
            named = {place: str(tables[name]) for name, place in files.items()}
            return _in_time(database, lambda: _answer(database, sql), time_limit_s)
    except (duckdb.Error, pl.exceptions.PolarsError) as error:
        if not isinstance(error, OF_WORDS):
            for each in tables.values():
                # Of a damaged table DuckDB does not say which it is.
                table_file.read(each, {})
        said = one_line(error)
        for place, file in named.items():
            said = said.replace(f"'{place}'", file).replace(place, file)
        known = "" if "Catalog Error: Table" not in said else f" (tables here: {', '.join(tables)})"
        raise InputError(f"query: {said.split(' Did you mean')[0] if known else said}{known}") from None
