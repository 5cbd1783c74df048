"""Repeats of one run, shown as one: medians, ratios paired by repeat, and the worst of their verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from reclaim.result.result import Result
from reclaim.result.verdict import Remark, Severity, Verdict, worst


class Repeated(Result):
    """The first of some repeats, with the others behind it: tables have medians, figures its curves."""

    def __init__(self, repeats: Sequence[Result], label: str, command: str | None = None) -> None:
        """Take the repeats of a scheme, in order: repeat n of every scheme has the same perturbation."""
        self.__dict__.update({key: value for key, value in vars(repeats[0]).items() if key != "verdict"})
        self._repeats = tuple(repeats)
        self.label = label
        self.command = command

    @property
    def repeats(self) -> tuple[Result, ...]:
        """The repeats, in order."""
        return self._repeats

    @cached_property
    def verdict(self) -> Verdict:
        """What the verdicts of all repeats say: the worst level, and each remark once."""
        verdicts = [each.verdict for each in self._repeats]
        warnings, doubts, notes = (_remarks(verdicts, severity) for severity in ("warning", "doubt", "note"))
        return Verdict(worst(verdicts), warnings, doubts, notes)


def _remarks(verdicts: Sequence[Verdict], severity: Severity) -> tuple[Remark, ...]:
    """Each remark of a kind as the first repeat words it, and in how many repeats it is made."""
    made: dict[str, list[Remark]] = {}
    for verdict in verdicts:
        for remark in verdict.remarks(severity):
            made.setdefault(remark.code, []).append(remark)
    return tuple(_whole(same, len(verdicts)) for same in made.values())


def _whole(same: Sequence[Remark], repeats: int) -> Remark:
    figures: Iterable[str] = dict.fromkeys(figure for remark in same for figure in remark.figures)
    share = f" (In {len(same)} of {repeats} repeats.)" if len(same) < repeats else ""
    return replace(same[0], figures=tuple(figures), message=same[0].message + share)
