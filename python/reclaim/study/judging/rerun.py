"""Some runs of a candidate, in a process that is confined: a file says which, and another has the answer."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reclaim import input_file, output_file
from reclaim.errors import InputError, ReclaimError
from reclaim.experiment.experiment import Experiment
from reclaim.parsing import json_value
from reclaim.study.judging.candidate import entry_of
from reclaim.study.judging.own import own
from reclaim.study.judging.suite import (
    AMPLIFICATION,
    KEPT,
    KEY,
    METRICS,
    REFERENCE,
    Suite,
    figures_of,
    mark_of,
)
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep

if TYPE_CHECKING:
    import polars as pl

ORDER, FOUND = "order.json", "found.json"
AGAIN, DRAWN, COST = "again", "drawn", "cost"
"""In the answer: runs of the card, candidate and reference under workloads drawn anew, and what it costs."""
TEXTS = ("device", "trace", "scheme", *map(mark_of, METRICS))
ROW = tuple(dict.fromkeys((*KEY, *KEPT, *map(mark_of, METRICS))))
"""What is known of a run."""


def text(value: str) -> pl.Expr:
    """Give a text as a column."""
    import polars as pl

    return pl.lit(value, pl.String)


def frame(rows: Sequence[Mapping[str, Any]], file: Path) -> pl.DataFrame:
    """Give rows of a file as runs.

    Raises:
        InputError: if they are none.
    """
    import polars as pl

    kinds = {name: pl.String if name in TEXTS else pl.Float64 for name in ROW} | {"repeat": pl.Int64}
    try:
        made = pl.DataFrame(rows, schema=kinds, strict=False).sort(KEY)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{file}: has no runs that can be read: {str(error).splitlines()[0]}") from None
    values = [value for column in made.select(pl.col(pl.Float64)) for value in column if value is not None]
    if not all(map(math.isfinite, values)) or not (made[AMPLIFICATION] > 0).all():
        raise InputError(f"{file}: has no runs that can be read: a figure is no number, or is 0")
    return made


def runs_of(
    entry: str | Mapping[str, Any], suite: Suite, pairs: Sequence[Sequence[str]], folder: Path
) -> list[Any]:
    """Run a candidate on some drives under some workloads, and give the rows.

    Raises:
        InputError: for the first run that failed.
    """
    table = suite.experiment([entry])
    found = []
    for device in dict.fromkeys(device for device, _ in pairs):
        wanted = {trace for of, trace in pairs if of == device}
        devices = [each for each in table["devices"] if Path(each).name == device]
        traces = [each for each in table["traces"] if each["name"] in wanted]
        experiment = Experiment.from_dict({**table, "devices": devices, "traces": traces})
        swept = Sweep(experiment).run(folder / device, RunOptions())
        if swept.failures:
            raise InputError(str(swept.failures[0]["error"]))
        found += figures_of(swept).to_dicts()
    return found


def main() -> None:
    """Do what the file of orders says; the candidate's files are in the present folder, all others above."""
    above = Path.cwd().parent
    order = json_value(input_file.text(above / ORDER))
    entry = entry_of(order["given"], order["name"])
    suite = Suite.load(Path(order["suite"]))
    found: dict[str, Any] = {AGAIN: runs_of(entry, suite, order["pairs"], above / "runs"), DRAWN: []}
    found[COST] = suite.cost(entry).to_dict()
    if order["draws"]:
        drawn = own(suite, draw=order["seed"])
        pairs = [(drawn.devices[0], each["name"]) for each in drawn.table["traces"]]
        found[DRAWN] = runs_of(entry, drawn, pairs, above / "candidate")
        found[DRAWN] += runs_of(REFERENCE, drawn, pairs, above / "reference")
    output_file.write_text(above / FOUND, json.dumps(found))


if __name__ == "__main__":
    try:
        main()
    except ReclaimError as error:
        sys.exit(str(error))
