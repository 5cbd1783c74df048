"""A sheet: the published lines of a drive with their sources, and which of them are held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from reclaim.bench.fields import check_keys, has_keys, kind_of, text_of
from reclaim.bench.lines import KeyPath
from reclaim.bench.mistakes import Mistakes, valid
from reclaim.errors import InputError
from reclaim.instruments.measuring.matrix import KIB, OPERATIONS, PATTERNS, STATES, Load
from reclaim.instruments.measuring.unknowns import Choice, Unknown, check_together, choice_of, unknown_of
from reclaim.parsing import UnreadableError, toml
from reclaim.parsing import text_of as text_of_file

Use = Literal["fitted", "check", "held-out", "host-limited", "not-modelled"]
USES: Mapping[str, str] = {
    "fitted": "an unknown of the drive was solved from it",
    "check": "neither fitted nor held out",
    "held-out": "predicted from the others",
    "host-limited": "limited by the host interface: does not count",
    "not-modelled": "limited by what the model lacks: does not count",
}
MOST_KIB = 16384
METRICS = ("iops", "MB/s", "us")
KEYS = ("name", "about", "device", "source", "fact", "unknown", "choice", "line")
SOURCE = ("key", "title", "date", "url")
FACT = ("what", "value", "source", "assumed")
LINE = (
    "pattern",
    "operation",
    "block",
    "queue_depth",
    "state",
    "metric",
    "value",
    "source",
    "use",
    "why",
    "assumed",
)
NEEDS_WHY = ("fitted", "host-limited", "not-modelled")


class Source(NamedTuple):
    """Where figures are published."""

    key: str
    title: str
    date: str
    url: str


class Fact(NamedTuple):
    """Something about the drive that is no figure of speed."""

    what: str
    value: str
    source: str
    """A key of a source; empty for what is assumed."""
    assumed: str
    """Why it is assumed; empty for what is published."""


class Line(NamedTuple):
    """One published figure of speed."""

    load: Load
    metric: str
    """`iops`, `MB/s` (millions of bytes) or `us` (mean latency)."""
    value: float
    source: str
    use: Use
    why: str
    assumed: str
    """What the source leaves open of the load, and what was taken; empty if nothing."""

    @property
    def counts(self) -> bool:
        """Whether the model is judged by it: nothing else limits it."""
        return self.use not in ("host-limited", "not-modelled")


@dataclass(frozen=True)
class Sheet:
    """What is published of a drive."""

    file: str
    name: str
    about: str
    sources: tuple[Source, ...]
    facts: tuple[Fact, ...]
    lines: tuple[Line, ...]
    device: Path | None
    """The device file whose unknowns are solved, looked for beside the sheet; None where there is none."""
    unknowns: tuple[Unknown, ...]
    choices: tuple[Choice, ...]

    @classmethod
    def load(cls, path: Path) -> Sheet:
        """Read a sheet.

        Raises:
            InputError: with every mistake, a line each.
        """
        text = text_of_file(path)
        mistakes = Mistakes(str(path), text)
        try:
            table = toml(text)
        except UnreadableError as error:
            place = path if error.line is None else f"{path}:{error.line}:{error.column}"
            raise InputError(f"{place}: not a TOML file: {error.reason}") from None
        sheet = _sheet(str(path), table, mistakes)
        mistakes.refuse()
        return sheet


def _sheet(file: str, table: Mapping[str, Any], mistakes: Mistakes) -> Sheet:
    check_keys(table, (), KEYS, mistakes)
    if "name" not in table:
        mistakes.add((), "name is missing: what the drive is called")
    sources = [_source(path, each, mistakes) for path, each in _tables(table, "source", mistakes)]
    known = [each.key for each in sources]
    for place, key in enumerate(known):
        if key and key in known[:place]:
            mistakes.add(("source", place, "key"), f'there is a [[source]] "{key}" already')
    facts = [_fact(path, each, known, mistakes) for path, each in _tables(table, "fact", mistakes)]
    lines = [_line(path, each, known, mistakes) for path, each in _tables(table, "line", mistakes)]
    for place, fact in enumerate(facts):
        if fact.what and any(fact.what == each.what for each in facts[:place]):
            mistakes.add(("fact", place, "what"), f'there is a [[fact]] "{fact.what}" already')
    found = tuple(each for each in lines if each is not None)
    if not lines:
        mistakes.add((), "has no [[line]]: a published figure, as in " + _example())
    for place, line in enumerate(found):
        if any((line.load, line.metric) == (each.load, each.metric) for each in found[:place]):
            mistakes.add(("line", place), f"{line.load.name} has {line.metric} twice")
    unknowns = [unknown_of(path, each, mistakes) for path, each in _tables(table, "unknown", mistakes)]
    choices = [choice_of(path, each, mistakes) for path, each in _tables(table, "choice", mistakes)]
    check_together(
        [(place, each) for place, each in enumerate(unknowns) if each is not None],
        [(place, each) for place, each in enumerate(choices) if each is not None],
        mistakes,
    )
    device = text_of(table, "device", (), mistakes)
    return Sheet(
        file,
        text_of(table, "name", (), mistakes),
        text_of(table, "about", (), mistakes),
        tuple(sources),
        tuple(facts),
        found,
        Path(file).parent / device if device else None,
        tuple(each for each in unknowns if each is not None),
        tuple(each for each in choices if each is not None),
    )


def _example() -> str:
    return (
        '{ pattern = "random", operation = "read", block = "4KiB", queue_depth = 32, state = "steady", '
        'metric = "iops", value = 72000, source = "…", use = "check" }'
    )


def _tables(
    table: Mapping[str, Any], key: str, mistakes: Mistakes
) -> Sequence[tuple[KeyPath, Mapping[str, Any]]]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        mistakes.add((key,), f"must be tables, each begun with [[{key}]], not {kind_of(value)}")
        return []
    return [((key, place), each) for place, each in enumerate(value)]


def _source(path: KeyPath, table: Mapping[str, Any], mistakes: Mistakes) -> Source:
    check_keys(table, path, SOURCE, mistakes)
    has_keys(table, SOURCE, path, mistakes)
    return Source(*(text_of(table, key, path, mistakes) for key in SOURCE))


def _fact(path: KeyPath, table: Mapping[str, Any], known: Sequence[str], mistakes: Mistakes) -> Fact:
    check_keys(table, path, FACT, mistakes)
    has_keys(table, FACT[:2], path, mistakes)
    if ("source" in table) == ("assumed" in table):
        mistakes.add(path, "needs either source (a key of a [[source]]) or assumed (the reason)")
    _known_source(path, table, known, mistakes)
    return Fact(*(text_of(table, key, path, mistakes) for key in FACT))


def _known_source(path: KeyPath, table: Mapping[str, Any], known: Sequence[str], mistakes: Mistakes) -> None:
    source = table.get("source", "")
    if isinstance(source, str) and source and source not in known:
        mistakes.add((*path, "source"), f'no [[source]] has the key "{source}"; {valid(source, known)}')


def _line(path: KeyPath, table: Mapping[str, Any], known: Sequence[str], mistakes: Mistakes) -> Line | None:
    before = len(mistakes.found) + len(mistakes.more)
    check_keys(table, path, LINE, mistakes)
    has_keys(table, LINE[:9], path, mistakes)
    _known_source(path, table, known, mistakes)
    pattern = _one_of(table, "pattern", path, PATTERNS, mistakes)
    operation = _one_of(table, "operation", path, OPERATIONS, mistakes)
    state = _one_of(table, "state", path, STATES, mistakes)
    metric = _one_of(table, "metric", path, METRICS, mistakes)
    use = _one_of(table, "use", path, get_args(Use), mistakes)
    block = _bytes(table, path, mistakes)
    depth, value = table.get("queue_depth", 1), table.get("value", 1)
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= 65535:
        mistakes.add((*path, "queue_depth"), f"must be a whole number from 1 to 65535, not {kind_of(depth)}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e12:
        mistakes.add((*path, "value"), f"must be a number above 0 and below 1e12, not {kind_of(value)}")
    why = text_of(table, "why", path, mistakes)
    if use in NEEDS_WHY and not why:
        mistakes.add(path, f'needs why: what says that it is "{use}", or what was solved from it')
    if use in ("fitted", "check") and state == "steady" and _predicted(pattern, operation):
        mistakes.add(
            (*path, "use"),
            "steady random writes and steady mixed loads are predicted, so they cannot be fitted or checked "
            'by; valid: "held-out", "host-limited", "not-modelled"',
        )
    if len(mistakes.found) + len(mistakes.more) > before:
        return None
    load = Load(pattern, operation, block, depth, state)  # type: ignore[arg-type]  # just checked
    source, assumed = text_of(table, "source", path, mistakes), text_of(table, "assumed", path, mistakes)
    return Line(load, metric, float(value), source, use, why, assumed)  # type: ignore[arg-type]  # likewise


def _predicted(pattern: str, operation: str) -> bool:
    return operation == "mixed" or (pattern == "random" and operation == "write")


def _one_of(
    table: Mapping[str, Any], key: str, path: KeyPath, choices: Sequence[str], mistakes: Mistakes
) -> str:
    value = table.get(key, choices[0])
    if value not in choices:
        said = kind_of(value) if not isinstance(value, str) else f'"{value}"'
        mistakes.add((*path, key), f"{said} is none; {valid(str(value), choices)}")
        return choices[0]
    return str(value)


def _bytes(table: Mapping[str, Any], path: KeyPath, mistakes: Mistakes) -> int:
    value = table.get("block", "4KiB")
    digits = str(value).removesuffix("KiB")
    if (
        not isinstance(value, str)
        or digits == value
        or not (digits.isdecimal() and digits.isascii())
        or not (len(digits) < 9 and 0 < int(digits) <= MOST_KIB)
    ):
        text = f'must be a size in KiB from "1KiB" to "{MOST_KIB}KiB", as in "4KiB", not {kind_of(value)}'
        mistakes.add((*path, "block"), text)
        return 4 * KIB
    return int(digits) * KIB
