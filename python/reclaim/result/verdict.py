"""How far the numbers of a run can be trusted, and what stands in the way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, Protocol

from reclaim.errors import InputError
from reclaim.report.document import LEGEND

Level = Literal["trustworthy", "not-established", "not-trustworthy"]
Severity = Literal["warning", "doubt", "note"]

LEVELS: tuple[Level, ...] = ("trustworthy", "not-established", "not-trustworthy")
"""From the best to the worst."""
EXIT_CODES: dict[Level, int] = {"trustworthy": 0, "not-established": 3, "not-trustworthy": 1}
"""Of commands, by the worst level of what they have run."""
SEVERITIES: tuple[Severity, ...] = ("warning", "doubt", "note")
"""From the worst to the mildest."""
MARKS: dict[Severity, str] = {"warning": "!", "doubt": "?", "note": "?"}
"""What stands behind a figure that a remark concerns."""
OLD_OPTION = re.compile(r"--repeat(?![\w-])")
"""What results call `--plays`."""
OF_ALL = {
    "mean_latency_ns": ("requests.read.mean_ns", "requests.write.mean_ns"),
}
"""A figure that is made of others: what concerns one of them concerns it."""


def worst_mark(marks: Iterable[str]) -> str:
    """The mark of a figure that is made of several: the worst of theirs.

    >>> worst_mark(["", "?", "!", "?"]), worst_mark([])
    ('!', '')
    """
    found = set(marks)
    return next((each for each in LEGEND if each in found), "")


def in_words(code: str) -> str:
    """What a code is called in a sentence.

    >>> in_words("warmup-not-steady")
    'warmup not steady'
    """
    return code.replace("-", " ")


def column(figure: str) -> str:
    """Name the column of a figure that a verdict names by its path in the results.

    >>> column("requests.read.p99_ns"), column("gc.write_amplification")
    ('read_p99_ns', 'gc_write_amplification')
    """
    return figure.removeprefix("requests.").removeprefix("policies.").replace(".", "_")


@dataclass(frozen=True)
class Remark:
    """Something a reader of the numbers should know."""

    code: str
    """Stable name, for programs; `docs/verdicts.md` has them all."""
    message: str
    figures: tuple[str, ...] = ()
    """What it concerns, as paths into the results: `gc.write_amplification`, `requests.read.p99_99_ns`."""
    remedy: str | None = None
    """The option or setting that would settle it."""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Remark:
        """Read a remark of a results file."""
        return cls(stored["code"], stored["message"], tuple(stored["figures"]), stored["remedy"])

    @property
    def text(self) -> str:
        """The message, and what would settle it, by the names that options have now."""
        if self.remedy is None:
            return self.message
        return f"{self.message} To settle it: {OLD_OPTION.sub('--plays', self.remedy)}."


@dataclass(frozen=True)
class Verdict:
    """How far the numbers can be trusted, and why not further.

    `trustworthy`: nothing speaks against them. `not-established`: some may be right, but this run does not
    show it; the doubts say which. `not-trustworthy`: they are figures of something else than was asked for.
    """

    level: Level
    warnings: tuple[Remark, ...]
    doubts: tuple[Remark, ...]
    notes: tuple[Remark, ...]

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Verdict:
        """Read the verdict of a results file.

        Raises:
            InputError: if it is one of an earlier version, which knew no levels.
        """
        if stored.get("level") not in LEVELS:
            raise InputError(
                "the results were made by an earlier version, whose verdict had no levels: run it again"
            )

        def remarks(key: str) -> tuple[Remark, ...]:
            return tuple(Remark.of(each) for each in stored[key])

        return cls(stored["level"], remarks("warnings"), remarks("doubts"), remarks("notes"))

    @property
    def trustworthy(self) -> bool:
        """Whether nothing speaks against the numbers."""
        return self.level == "trustworthy"

    def remarks(self, severity: Severity) -> tuple[Remark, ...]:
        """All warnings, all doubts, or all notes."""
        return {"warning": self.warnings, "doubt": self.doubts, "note": self.notes}[severity]

    def concerning(self, figure: str) -> Severity | None:
        """The worst kind of remark that names `figure`, as in `gc.write_amplification`; None if none does."""
        of = {figure, *OF_ALL.get(figure, ())}
        for severity in SEVERITIES:
            if any(of & set(remark.figures) for remark in self.remarks(severity)):
                return severity
        return None

    def mark(self, figure: str) -> str:
        """What stands behind `figure` wherever it is printed: `!`, `?`, or nothing."""
        severity = self.concerning(figure)
        return MARKS[severity] if severity else ""

    def marks(self) -> dict[str, str]:
        """The marks of all figures that have one, by their columns in tables."""
        remarks = (*self.warnings, *self.doubts, *self.notes)
        named = {figure for each in remarks for figure in each.figures} | set(OF_ALL)
        return {column(figure): mark for figure in sorted(named) if (mark := self.mark(figure))}


def worst(verdicts: list[Verdict]) -> Level:
    """The level of several runs together.

    >>> worst([])
    'trustworthy'
    """
    return max((each.level for each in verdicts), key=LEVELS.index, default="trustworthy")


def codes(verdicts: Iterable[Verdict | None], severity: Severity, metric: str) -> dict[str, int]:
    """Count the remarks that name a column of tables, by their code."""
    remarks = chain.from_iterable(each.remarks(severity) for each in verdicts if each)
    return dict(sorted(Counter(each.code for each in remarks if metric in map(column, each.figures)).items()))


class Judged(Protocol):
    """A run that has a verdict."""

    @property
    def label(self) -> str:
        """Name to tell this run from others."""
        ...

    @property
    def verdict(self) -> Verdict:
        """How far the numbers can be trusted."""
        ...


def reason_of(results: Sequence[Judged], level: Level) -> str:
    """Give the first reason why results are no better than this; the tables have all of them."""
    found = [
        (each, remark)
        for each in results
        if each.verdict.level == level
        for remark in (*each.verdict.warnings, *each.verdict.doubts)
    ]
    if not found:
        return ""
    first, remark = found[0]
    many = f"{first.label}: " if len(results) > 1 else ""
    more = f" ({len(found) - 1} more in the verdicts)" if len(found) > 1 else ""
    return f"{many}{remark.text}{more}"
