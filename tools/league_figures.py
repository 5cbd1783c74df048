"""What a league found, as data of its page: every ratio with its interval, and what it says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from league_cells import By, LeagueCell
from reclaim.statistics.samples import ALPHA, Sample, holm

BESIDE = ("read_p99_ns", "read_mean_ns", "write_mean_ns", "gc_write_amplification")
"""Metrics that are compared beside the objective."""
LEAST = 4
"""Workloads of which something is said."""
FEWEST = 6
"""Repeats of which an interval is given."""
WORSE = 1.05
"""A composition may be no worse than this in what it is not made for: the upper end of its interval."""
NOT_WORSE = ("read_mean_ns", "gc_write_amplification")
DIGITS = 5
COMPOSED, CONTROL, PLAIN = "composed", "control", "plain"


def paired(ours: By, theirs: By, workloads: Sequence[str] | None = None) -> Sample | None:
    """Sum up log ratios, paired by workload and repeat: the mean over workloads of each repeat.

    None where something was not measured.

    >>> found = paired({"a": [2.0, 2.0], "b": [4.0, 4.0]}, {"a": [1.0, 2.0], "b": [1.0, 1.0]})
    >>> round(found.mean, 4), found.count
    (0.8664, 2)
    """
    if not ours or ours.keys() != theirs.keys():
        return None
    logs: list[list[float]] = []
    for name, values in ours.items():
        if workloads is not None and name not in workloads:
            continue
        pairs = list(zip(values, theirs[name], strict=True))
        if any(not one or not other for one, other in pairs):
            return None
        logs.append([math.log(one / other) for one, other in pairs if one and other])
    return Sample.of([math.fsum(each) / len(each) for each in zip(*logs, strict=True)]) if logs else None


def numbers(sample: Sample | None) -> dict[str, float | None] | None:
    """Give a ratio with its interval, where there are repeats enough for one."""
    if sample is None:
        return None
    span = sample.interval()
    low, high = (None, None) if span is None else (_short(math.exp(each)) for each in span)
    return {"ratio": _short(math.exp(sample.median)), "low": low, "high": high}


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def sound(one: LeagueCell, other: LeagueCell) -> list[str]:
    """Name the workloads on which not most runs of either of two cells speak against the objective."""
    repeats = {name: len(values) for name, values in one.as_it_is(objective(one)).items()}
    marked = {name: max(each.marked.get(name, 0) for each in (one, other)) for name in repeats}
    return [name for name, count in repeats.items() if 2 * marked[name] <= count]


def objective(cell: LeagueCell) -> str:
    """Name the metric that is tuned."""
    return str(cell.result["objectives"][0])


def compared(pairs: Sequence[tuple[LeagueCell, LeagueCell]]) -> list[dict[str, Any]]:
    """Compare cells, the objective corrected for how many comparisons these are (Holm).

    What is said rests on the workloads whose runs bear it alone; of fewer than `LEAST` nothing is said.
    """
    samples = [_established(*pair) for pair in pairs]
    ps = {f"{place:04}": 1.0 if each is None else each.p() for place, each in enumerate(samples)}
    corrected = list(holm(ps).values()) if ps else []
    return [
        _compared(*pair, *found)
        for pair, found in zip(pairs, zip(samples, corrected, strict=True), strict=True)
    ]


def _established(cell: LeagueCell, other: LeagueCell) -> Sample | None:
    kept = sound(cell, other)
    if len(kept) < LEAST:
        return None
    return paired(cell.values(objective(other)), other.values(objective(other)), kept)


def _compared(cell: LeagueCell, other: LeagueCell, mine: Sample | None, p: float) -> dict[str, Any]:
    metric, kept = objective(other), sound(cell, other)
    if mine is None:
        says = "not established"
    elif p > ALPHA:
        says = "not shown"
    else:
        says = "lower" if mine.mean < 0 else "higher"
    return {
        "all": numbers(paired(cell.values(metric), other.values(metric))),
        "established": numbers(mine),
        "sound": kept,
        "p": _short(p),
        "says": says,
        "beside": {
            name: numbers(paired(cell.values(name), other.values(name), kept or None)) for name in BESIDE
        },
    }


def row(cell: LeagueCell) -> dict[str, Any]:
    """Give what a cell is by itself."""
    if cell.missing:
        return {"scheme": cell.scheme, "family": cell.family, "missing": cell.missing}
    metric = objective(cell)
    limits = {text: _short(value) for text, value in cell.reached().items()}
    return {
        "scheme": cell.scheme,
        "family": cell.family,
        "found": cell.found,
        "fits": cell.result["found"] is not None,
        "gain": numbers(paired(cell.values(metric), cell.as_it_is(metric))),
        "where_tuned": {
            name: _short(math.exp(log))
            for name, log in (cell.result["found"] or {}).get("log_ratios", {}).items()
        },
        "trials": len(cell.result["trials"]),
        "reached": limits,
        "marked": sum(cell.marked.values()),
        "judged": sum(len(values) for values in cell.values(metric).values()),
        "without": cell.without,
        "runs": cell.result["runs"],
        "seconds": round(cell.seconds),
    }


def reference(cells: Sequence[LeagueCell]) -> LeagueCell:
    """Give the scheme that others are compared with: the first plain one whose runs bear enough workloads.

    If none does, the first one of all: then little can be said of any.

    Args:
        cells: of one drive and league, those that have figures.
    """
    plain = [each for each in cells if each.family == PLAIN]
    return next((each for each in plain if len(sound(each, each)) >= LEAST), cells[0])


def composed(cells: Sequence[LeagueCell]) -> list[dict[str, Any]]:
    """Compare every composition with every other cell, all of them corrected together."""
    there = [each for each in cells if not each.missing]
    ours = [each for each in there if each.family == COMPOSED]
    pairs = [(mine, other) for mine in ours for other in there if other.family != COMPOSED]
    return [
        {"scheme": mine.scheme, "rival": other.scheme, "family": other.family, **found}
        for (mine, other), found in zip(pairs, compared(pairs), strict=True)
    ]


def beats(found: Mapping[str, Any]) -> bool:
    """Whether a composition is better in the objective and no worse beside."""
    beside = [found["beside"][name] for name in NOT_WORSE]
    # Without an interval all repeats came out the same.
    ends = [None if each is None else each["high"] or each["ratio"] for each in beside]
    fine = all(each is not None and each < WORSE for each in ends)
    return found["says"] == "lower" and fine


def tables(cells: Sequence[LeagueCell]) -> Iterator[dict[str, Any]]:
    """Give each drive and league: what its cells are, and how they compare."""
    for drive, league in dict.fromkeys((each.drive, each.league) for each in cells):
        mine = [each for each in cells if (each.drive, each.league) == (drive, league)]
        there = [each for each in mine if not each.missing]
        first = reference(there) if there else None
        others = [each for each in there if each is not first]
        found = [] if first is None else compared([(each, first) for each in others])
        against = {each.scheme: figures for each, figures in zip(others, found, strict=True)}
        yield {
            "drive": mine[0].drive_name,
            "league": league,
            "first": "" if first is None else first.scheme,
            "rows": [row(each) | against.get(each.scheme, {}) for each in mine],
            "composed": [each | {"beats": beats(each)} for each in composed(mine)],
        }
