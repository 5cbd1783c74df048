"""Parquet files, by the exact path of each: no character in a name is a pattern, a home, or an address.

polars and DuckDB take a path for more than that: `[1]`, `*`, `?` and `{a,b}` for patterns, `~` for a home,
`s3://` and `http://` for stores, `key=value` for a column. Nothing else of the package opens tables itself;
`tests/tidy.toml` sees to that.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reclaim import input_file
from reclaim.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Columns = Mapping[str, str]
"""Columns that a table must have: `text`, or `number` (other columns may be anything)."""
PROBE_BYTES = 1 << 16
ROWS_AT_ONCE = 1 << 16
"""Rows that are kept as numbers of Python before they become a table."""
REST = "*"
"""In `Columns`: what every other column must be."""
OF_REQUESTS: Columns = {"class": "text", "upper_ns": "number", "count": "number"}
"""Of a table of histograms."""
NUMBERS: Columns = {REST: "number"}
"""Of what else one run records."""


def reason_of(error: Exception) -> str:
    """What went wrong, without the layers through which polars heard of it."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = " ".join(str(error).split())
    return re.sub(r"^(?:.*error: )?(.*?) \(os error \d+\).*$", r"\1", text)


@contextmanager
def _opening(file: Path) -> Iterator[None]:
    import polars as pl

    try:
        yield
    except input_file.SpecialFileError as error:
        raise InputError(f"{file}: {error.strerror}") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{file}: cannot be read: {reason_of(error)}") from None


def _check(file: Path, schema: pl.Schema, columns: Columns) -> None:
    """Refuse a table without these columns, or with others in them."""
    import polars as pl

    missing = [name for name in columns if name != REST and name not in schema]
    if missing:
        raise InputError(f"{file}: is not the table it should be: no column {', '.join(missing)} in it")
    for name, kind in schema.items():
        wanted = columns.get(name, columns.get(REST))
        fits = kind.is_numeric() if wanted == "number" else kind == pl.String
        if wanted is not None and not fits:
            raise InputError(
                f'{file}: is not the table it should be: column "{name}" is {kind}, and should be {wanted}'
            )


def scan(file: Path, columns: Columns) -> pl.LazyFrame:
    """Give a table that is read when it is asked for.

    Raises:
        InputError: if it cannot be read, or has not these columns.
    """
    import polars as pl

    with _opening(file):
        input_file.check(file)
        found = pl.scan_parquet(file.absolute(), glob=False, hive_partitioning=False)
        schema = found.collect_schema()
    _check(file, schema, columns)
    return found


def read(file: Path, columns: Columns, only: Sequence[str] | None = None) -> pl.DataFrame:
    """Read a table, or `only` some columns of it.

    Raises:
        InputError: if it cannot be read, or has not these columns.
    """
    found = scan(file, columns)
    with _opening(file):
        return (found if only is None else found.select(only)).collect()


def read_all(files: Sequence[Path], path_column: str) -> pl.DataFrame:
    """Read tables of the same columns, one below the other; `path_column` says which file a row is from.

    Raises:
        InputError: if one cannot be read, naming it.
    """
    import polars as pl

    try:
        for file in files:
            input_file.check(file)
        # All at once: a hundred small files one by one take a second.
        return pl.read_parquet(
            [file.absolute() for file in files],
            glob=False,
            hive_partitioning=False,
            include_file_paths=path_column,
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        for file in files:
            with _opening(file):
                input_file.check(file)
                pl.read_parquet(file.absolute(), glob=False, hive_partitioning=False)
        raise InputError(f"{files[0].parent.parent}: tables cannot be read: {reason_of(error)}") from None


def write(frame: pl.DataFrame, file: Path) -> None:
    """Write a table.

    Raises:
        InputError: if it cannot be written.
    """
    import polars as pl

    try:
        frame.write_parquet(file.absolute())
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = _refusal(file) or reason_of(error)
        raise InputError(f"{file}: cannot be written: {reason}") from None


def as_text(frame: pl.DataFrame) -> str:
    """Write a small table as JSON: of each column its kind and its values.

    Parquet takes twenty times as long for a few rows.
    """
    columns = {each.name: [str(each.dtype), each.to_list()] for each in frame.iter_columns()}
    return json.dumps(columns, separators=(",", ":"))


def text_of(content: bytes) -> str:
    """Give the content of a Parquet file as `as_text` does."""
    import polars as pl

    return as_text(pl.read_parquet(content))


def of_texts(tables: Iterable[tuple[str, bytes]], name_column: str) -> Iterator[pl.DataFrame]:
    """Read what `as_text` gave of tables with the same columns, one below the other, in parts.

    Args:
        tables: each with its name.
        name_column: says which table a row is of.
    """
    kinds: dict[str, str] = {}
    names: list[str] = []
    values: dict[str, list[object]] = {}

    def part() -> pl.DataFrame:
        import polars as pl

        found = [pl.Series(key, values.pop(key), getattr(pl, kind)) for key, kind in kinds.items()]
        return pl.DataFrame([pl.Series(name_column, names, pl.String), *found])

    for name, content in tables:
        rows = 0
        for key, (kind, column) in json.loads(content).items():
            kinds[key], rows = kind, len(column)
            values.setdefault(key, []).extend(column)
        names += [name] * rows
        if len(names) >= ROWS_AT_ONCE:
            yield part()
            names = []
    if values:
        yield part()


def of_text(content: bytes) -> pl.DataFrame:
    """Read what `as_text` gave."""
    import polars as pl

    columns = json.loads(content).items()
    return pl.DataFrame([pl.Series(key, values, getattr(pl, kind)) for key, (kind, values) in columns])


def _refusal(file: Path) -> str | None:
    """Ask the system why no more can be written to a file; None if it can.

    Of a disk that is full at the end of a table polars says no more than "transport error".
    """
    try:
        with file.open("ab", buffering=0) as rest:
            if rest.write(bytes(PROBE_BYTES)) < PROBE_BYTES:
                rest.write(bytes(PROBE_BYTES))
    except OSError as error:
        return error.strerror or str(error)
    return None


@contextmanager
def for_sql(files: Mapping[str, Path]) -> Iterator[dict[str, str]]:
    """Give names for files under which DuckDB opens these and no others: it takes every path for a pattern.

    Raises:
        InputError: if one cannot be opened.
    """
    opened: dict[str, int] = {}
    try:
        for name, file in files.items():
            # What cannot be read is told under the name that it has.
            scan(file, {})
            with _opening(file):
                opened[name] = os.open(file, os.O_RDONLY)
        yield {name: f"/dev/fd/{number}" for name, number in opened.items()}
    finally:
        for number in opened.values():
            os.close(number)
