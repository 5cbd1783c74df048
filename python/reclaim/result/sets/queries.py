"""SQL over the tables of a set: asked of a process of its own, which can be stopped whatever it is doing.

DuckDB hears of Ctrl-C, of the end of its time and of a limit of memory only between two steps, and a single
step of a query may take a minute and all memory that there is.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

import polars as pl

from reclaim import _core, table_file
from reclaim.errors import InputError
from reclaim.result.sets.tables import one_line
from reclaim.units import written

WAIT_SECONDS = 0.1
"""How soon Ctrl-C and the end of the time are noticed."""
VARIABLE = "RECLAIM_MEMORY_LIMIT"
MODULE = "reclaim.result.sets.query_process"


def memory_of(wanted: str | None) -> int | None:
    """Give the bytes that a query may take: as asked for, as the limit of every run, or all that is free."""
    if wanted is not None:
        return _core.memory_limit(wanted, "--memory (memory)")
    text = os.environ.get(VARIABLE)
    return _core.memory_limit(text, VARIABLE) if text else _core.memory_limit()


def _asked(asked: Mapping[str, object], files: Sequence[int], seconds: float | None) -> bytes:
    """Give what the process answers: a line of JSON, and behind it the table.

    Raises:
        InputError: when the time is over.
    """
    # It imports from where this process does, and from nowhere else: not from the folder it is in.
    code = f"import sys; sys.path[:] = {sys.path!r}; from {MODULE} import main; main()"
    over = None if seconds is None else time.monotonic() + seconds
    # Its standard input stays open as long as this process lives: it ends with it.
    process = subprocess.Popen(  # noqa: S603 - this program, and no words of a user
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=files,
        start_new_session=True,
    )
    asks, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(answers.read()))
    try:
        reader.start()
        with suppress(BrokenPipeError):
            asks.write(json.dumps(asked).encode() + b"\n")
            asks.flush()
        while reader.is_alive():
            reader.join(WAIT_SECONDS)
            if over is not None and reader.is_alive() and time.monotonic() > over:
                raise InputError(
                    f"query: not answered within {seconds:g} s, which --time-limit (time_limit_s) allows"
                )
        # It has closed its output, and is about to end.
        process.wait()
    finally:
        process.kill()
        reader.join()
        with suppress(BrokenPipeError):
            asks.close()
        answers.close()
        process.wait()
    return b"".join(read)


def query(
    sql: str,
    tables: Mapping[str, Path],
    points: Sequence[str] | None = None,
    time_limit_s: float | None = None,
    memory: str | None = None,
) -> pl.DataFrame:
    """Answer one SELECT over views of `tables`, of these `points` alone where they are given.

    Raises:
        InputError: for what DuckDB refuses, in its words, for what is no SELECT, and when the time is over or
            the memory is used up.
        KeyboardInterrupt: with Ctrl-C, within a second.
    """
    limit = memory_of(memory)
    with table_file.for_sql(tables) as files:
        asked = {"sql": sql, "tables": files, "points": points, "memory": limit}
        numbers = [int(place.rpartition("/")[2]) for place in files.values()]
        head, _, table = _asked(asked, numbers, time_limit_s).partition(b"\n")
    answer = json.loads(head) if head else {"out_of_memory": True}
    if answer.get("out_of_memory"):
        had = "" if limit is None else f" than the {written(limit, 'bytes')} that it may take"
        raise InputError(f"query: needs more memory{had}; allow more with --memory (memory), or ask for less")
    if "error" in answer:
        if not answer["of_words"]:
            for each in tables.values():
                # Of a damaged table DuckDB does not say which it is.
                table_file.read(each, {})
        said = one_line(answer["error"])
        for name, place in files.items():
            file = str(tables[name])
            said = said.replace(f"'{place}'", file).replace(place, file)
        known = "" if "Catalog Error: Table" not in said else f" (tables here: {', '.join(tables)})"
        raise InputError(f"query: {said.split(' Did you mean')[0] if known else said}{known}")
    return pl.read_ipc_stream(io.BytesIO(table))
