"""The sentence a report of runs begins with: who is ahead in what, by how much, and what is not established.

It claims no more than the runs show: of repeats, differences whose 95 % interval excludes none. A figure
that a verdict speaks against takes no part, runs that are not trustworthy take none at all, and figures that
differ by less than `SAME_WITHIN` have no winner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from reclaim.result.reported import Reported
from reclaim.result.stats import SAMPLES_BEYOND
from reclaim.result.table import IN_BYTES, IN_PAGES, Row, repeats_of, rows

SAME_WITHIN = 0.01
"""Share by which figures of single runs may differ without one being ahead; latencies are kept to 0.1 %."""
Way = Literal["lower", "higher"]
TAILS = (("p99.9 latency", 1000), ("p99 latency", 100), ("mean latency", 0))
"""Latencies from the farthest in the tail, and which one of so many requests is slower; 0: it takes one."""


@dataclass(frozen=True)
class Named:
    """A figure, and what a sentence calls it."""

    name: str
    row: Row


def listed(names: Iterable[str]) -> str:
    """Names as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def percent(share: float) -> str:
    """A share for a sentence, with two digits or three.

    >>> percent(0.0604), percent(0.4321), percent(0.01)
    ('6.0 %', '43 %', '1 %')
    """
    return f"{100 * share:.1f} %" if SAME_WITHIN < share < 0.1 else f"{100 * share:.0f} %"


def told_of(results: Sequence[Reported]) -> list[Named]:
    """The figures that the sentence is about: the tails of reads and of writes, and write amplification.

    A tail is the farthest percentile that ten requests lie beyond in every run.
    """
    by_place = {(row.section, row.label): row for row in rows(results)}
    found = []
    for section in ("read", "write"):
        requests = by_place.get((section, "requests"))
        counts = [count for count in (requests.values if requests else ()) if count]
        for label, of in TAILS:
            if counts and min(counts) >= max(of * SAMPLES_BEYOND, 1):
                short = label.removesuffix(" latency")
                found.append(Named(f"{short} {section} latency", by_place[section, label]))
                break
    for label in (IN_BYTES, IN_PAGES):
        row = by_place["drive", label]
        if any(value is not None for value in row.values):
            # Results of an earlier day have it in pages alone.
            return [*found, Named(label, row)]
    return found


def opening(results: Sequence[Reported]) -> str:
    """The sentence about `results`, which ran the same trace once each; `told_of` has what it is about."""
    trusted = [result.verdict.level != "not-trustworthy" for result in results]
    figures = [each for each in told_of(results) if any(value is not None for value in each.row.values)]
    if len(results) == 1:
        return (
            _of_one(figures) if trusted[0] else "This run is not trustworthy: its figures establish nothing."
        )
    if not any(trusted):
        return "No scheme is ahead of another: none of these runs is trustworthy."
    labels = [result.label for result in results]
    if (count := repeats_of(results)) > 1:
        told = (_against_first(number, figures, labels, trusted) for number in range(1, len(labels)))
        said = "; ".join(filter(None, told)) or "nothing is established"
        return f"In {count} repeats, compared with {labels[0]}: {said}{_left_out(figures, labels, trusted)}."
    parts = [part for each in figures if (part := _compared(each, labels, _established(each.row, trusted)))]
    start = f"In one run of each scheme, without repeats, {'; '.join(parts) or 'nothing is established'}"
    return f"{start}{_left_out(figures, labels, trusted)}."


def way(value: float, low: float | None, high: float | None, *, alone: bool = False) -> Way | None:
    """Which way a ratio to a baseline differs from 1, by the whole of its interval; None if it may not.

    Args:
        value: the ratio.
        low: least of its interval; None where it has none.
        high: most of it.
        alone: whether a ratio without an interval counts by itself.

    >>> way(0.9, 0.85, 0.95), way(0.9, 0.85, 1.02), way(1.2, None, None), way(1.2, None, None, alone=True)
    ('lower', None, None, 'higher')
    """
    if low is None or high is None:
        if not alone:
            return None
        low = high = value
    if high < 1 and value < 1 - SAME_WITHIN:
        return "lower"
    return "higher" if low > 1 and value > 1 + SAME_WITHIN else None


def _against_first(
    number: int, figures: Sequence[Named], labels: Sequence[str], trusted: Sequence[bool]
) -> str:
    """What repeats show of a scheme compared with the first."""
    told: dict[Way, list[str]] = {"lower": [], "higher": []}
    open_: list[str] = []
    for each in figures:
        if not {0, number} <= set(_established(each.row, trusted)):
            continue
        known = each.row.paired[number]
        found = None if known.value is None else way(known.value, known.low, known.high)
        if found is None or known.value is None:
            open_.append(each.name)
        else:
            told[found].append(f"{each.name} by {percent(abs(1 - known.value))}")
    verbs = {"lower": "lowers", "higher": "raises"}
    parts = [f"{verbs[which]} {listed(names)}" for which, names in told.items() if names]
    parts += [f"shows no measurable difference in {listed(open_)}"] if open_ else []
    return f"{labels[number]} {listed(parts)}" if parts else ""


def _established(row: Row, trusted: Sequence[bool]) -> list[int]:
    """Which runs have a figure that nothing speaks against."""
    return [
        index
        for index, (value, concern) in enumerate(zip(row.values, row.concerns, strict=True))
        if trusted[index] and value is not None and concern is None
    ]


def _of_one(figures: Sequence[Named]) -> str:
    told = [f"{each.name} is {each.row.texts()[0]}" for each in figures if _established(each.row, [True])]
    doubted = [each.name for each in figures if not _established(each.row, [True])]
    if not told:
        what = f"none of {listed(doubted)} is" if len(doubted) > 1 else "nothing is"
        return f"In one run, without repeats, {what} established."
    start = f"In one run, without repeats, {listed(told)}"
    return start + (f"; not established: {listed(doubted)}." if doubted else ".")


def _compared(figure: Named, labels: Sequence[str], known: Sequence[int]) -> str:
    """What is established of a figure in which less is better; empty where it is of fewer than two runs."""
    if len(known) < 2:
        return ""
    values = {index: figure.row.values[index] or 0.0 for index in known}
    least = min(values.values())
    best = [index for index in known if values[index] <= least * (1 + SAME_WITHIN)]
    text = figure.row.texts()[min(best, key=values.__getitem__)]
    if len(best) == len(known):
        who = "all schemes" if len(best) == len(labels) else listed(labels[index] for index in best)
        return f"{figure.name} is the same for {who} within {percent(SAME_WITHIN)} ({text})"
    lowest = "lowest" if len(known) == len(labels) else "lowest established"
    if len(best) > 1:
        who = listed(labels[index] for index in best)
        return f"{who} share the {lowest} {figure.name} within {percent(SAME_WITHIN)} ({text})"
    other = 0 if 0 in known and best[0] != 0 else _next(values, best[0])
    by = percent(1 - least / values[other])
    than = labels[other] if other == 0 else f"the next, {labels[other]}"
    return f"{labels[best[0]]} has the {lowest} {figure.name} ({text}, {by} below {than})"


def _next(values: dict[int, float], best: int) -> int:
    return min((index for index in values if index != best), key=values.__getitem__)


def _left_out(figures: Sequence[Named], labels: Sequence[str], trusted: Sequence[bool]) -> str:
    """Runs and figures that took no part."""
    parts = []
    distrusted = [label for label, good in zip(labels, trusted, strict=True) if not good]
    if distrusted:
        parts.append(f"not trustworthy: {listed(distrusted)}")
    doubted: dict[tuple[str, ...], list[str]] = {}
    for each in figures:
        known = _established(each.row, trusted)
        of = [index for index, value in enumerate(each.row.values) if value is not None and trusted[index]]
        if without := tuple(labels[index] for index in of if index not in known):
            doubted.setdefault(without, []).append(each.name)
    if doubted:
        told = [f"{listed(names)} of {listed(who)}" for who, names in doubted.items()]
        parts.append(f"not established: {', '.join(told)}")
    return "".join(f"; {part}" for part in parts)
