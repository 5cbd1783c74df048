"""The table of what the verdicts of all points say: who shows a set need not read every point for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from reclaim import input_file, table_file
from reclaim.result.result import Result
from reclaim.result.table import programs_units, stand_in_of
from reclaim.result.verdict import SEVERITIES, Level, Remark, Verdict

TABLE = "remarks.parquet"
STAND_IN = "stand-in"
"""Kind of a row that says what a synthetic trace stands in for."""
UNITS = "program-units"
"""Kind of a row of a drive that programs several pages at once, so that it may have to pad."""
COLUMNS: Mapping[str, type] = {
    "point": str,
    "kind": str,
    "code": str,
    "message": str,
    "remedy": str,
    "figures": list,
}
"""The rows of a point are in the order of its verdict; a point of which nothing is said has none."""
KINDS: table_file.Columns = {name: "text" for name in COLUMNS if name != "figures"}


@dataclass(frozen=True)
class Said:
    """What a point says beside its figures."""

    verdict: Verdict
    stand_in: str = ""
    """What its trace is, if that is synthetic."""
    programs_units: bool = False
    """Whether its drive programs several pages at once."""

    @classmethod
    def of(cls, result: Result) -> Said:
        """Take it from a result."""
        return cls(
            result.verdict, stand_in_of(result.section("trace")), programs_units(result.section("config"))
        )


def rows(point: str, result: Result) -> Iterator[dict[str, Any]]:
    """Give the rows of a point."""
    said = Said.of(result)
    for severity in SEVERITIES:
        for each in said.verdict.remarks(severity):
            yield {
                "point": point,
                "kind": severity,
                "code": each.code,
                "message": each.message,
                "remedy": each.remedy,
                "figures": list(each.figures),
            }
    if said.stand_in:
        yield {"point": point, "kind": STAND_IN, "message": said.stand_in}
    if said.programs_units:
        yield {"point": point, "kind": UNITS}


def read(folder: Path, levels: Mapping[str, Level]) -> dict[str, Said] | None:
    """Read what all points say; None where an earlier version has written no such table.

    Args:
        folder: of the set.
        levels: of the verdicts, by point.

    Raises:
        InputError: if the table cannot be read.
    """
    file = folder / TABLE
    if not input_file.is_there(file):
        return None
    found = {point: Said(Verdict(level, (), (), ())) for point, level in levels.items()}
    known: dict[tuple[Any, ...], Remark] = {}
    lines = table_file.read(file, KINDS).select(*COLUMNS).iter_rows()
    for point, some in groupby(lines, itemgetter(0)):
        if point not in found:
            continue
        told: dict[str, list[Any]] = {}
        for _, kind, code, message, remedy, figures in some:
            if kind in SEVERITIES:
                key = (code, message, remedy, *figures)
                remark = known.get(key) or known.setdefault(
                    key, Remark(code, message, tuple(figures), remedy)
                )
                told.setdefault(kind, []).append(remark)
            else:
                told.setdefault(kind, []).append(message)
        remarks = (tuple(told.get(each, ())) for each in SEVERITIES)
        verdict = Verdict(found[point].verdict.level, *remarks)
        found[point] = Said(verdict, "".join(told.get(STAND_IN, ())), UNITS in told)
    return found
