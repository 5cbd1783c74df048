"""What the report of runs begins with: the ratios of its first picture, and the sentence above it.

Figures that a verdict speaks against are marked in the picture and claimed by no sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reclaim.report.ratios import Compared, Ratio, answer, listed
from reclaim.result.reported import Reported
from reclaim.result.stats import SAMPLES_BEYOND
from reclaim.result.table import IN_BYTES, IN_PAGES, FigureRow, repeats_of, rows
from reclaim.result.verdict import worst_mark

TAILS = (("p99.9 latency", 1000), ("p99 latency", 100))
"""Latencies from the farthest in the tail, and which one of so many requests is slower."""
MEAN = "mean latency"
INCONCLUSIVE = "Figures marked ? are inconclusive; the doubts below say what would settle them."
LOOK = (
    "One run of each scheme is a look, no evidence: --repeats 6, or repeats.count = 6 in an experiment file, "
    "gives 95 % intervals."
)


@dataclass(frozen=True)
class NamedFigure:
    """A figure, and what a sentence calls it."""

    name: str
    row: FigureRow


def told_of(results: Sequence[Reported]) -> Iterator[NamedFigure]:
    """The figures that are told: mean and tail of reads and of writes, and write amplification.

    A tail is the farthest percentile that ten requests lie beyond in every run.
    """
    by_place = {(row.section, row.label): row for row in rows(results)}
    for section in ("read", "write"):
        requests = by_place.get((section, "requests"))
        counts = [count for count in (requests.values if requests else ()) if count]
        if not counts:
            continue
        tail = next((label for label, of in TAILS if min(counts) >= of * SAMPLES_BEYOND), None)
        for label in filter(None, (MEAN, tail)):
            yield NamedFigure(f"{section} {label}", by_place[section, label])
    for label in (IN_BYTES, IN_PAGES):
        row = by_place["drive", label]
        if any(value is not None for value in row.values):
            # Results of an earlier day have it in pages alone.
            yield NamedFigure(label, row)
            return


def compared(results: Sequence[Reported]) -> list[Compared]:
    """Every other run beside the first, figure by figure."""
    figures, (first, *others) = list(told_of(results)), results
    return [
        Compared(each.label, first.label, [*_ratios(figures, results, number)])
        for number, each in enumerate(others, start=1)
    ]


def _ratios(figures: Sequence[NamedFigure], results: Sequence[Reported], number: int) -> Iterator[Ratio]:
    distrusted = any(results[at].verdict.level == "not-trustworthy" for at in (0, number))
    for each in figures:
        value, marks = each.row.ratios()[number], each.row.marks()
        if not value:
            continue
        mark = worst_mark(["!" if distrusted else "", marks[0], marks[number]])
        known = each.row.paired[number] if each.row.paired else None
        ends = (None, None) if known is None else (known.low, known.high)
        yield Ratio(each.name, value, *ends, mark=mark)


def opening(results: Sequence[Reported]) -> str:
    """The sentence about `results`, which ran the same trace."""
    if len(results) > 1:
        count = repeats_of(results)
        return answer(compared(results), where=f"in {count} repeats" if count > 1 else "")
    if results[0].verdict.level == "not-trustworthy":
        return "This run is not trustworthy: do not use its figures."
    figures = [each for each in told_of(results) if each.row.values[0] is not None]
    told = [f"{each.name} is {each.row.texts()[0]}" for each in figures if not each.row.marks()[0]]
    doubted = [each.name for each in figures if each.row.marks()[0]]
    if not told:
        return (
            f"One run, which leaves {listed(doubted)} inconclusive."
            if doubted
            else "One run without figures."
        )
    return f"In one run, {listed(told)}" + (f"; inconclusive: {listed(doubted)}." if doubted else ".")
