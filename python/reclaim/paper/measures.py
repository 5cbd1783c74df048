"""Figures and tables that a paper declares: `measures.toml` of its folder.

An entry `[[rows]]` goes over choices (`for`): workloads, schemes, values of an axis, experiments. Each of its
columns is a figure of the points that were run: of a scheme, or of a scheme beside others, over workloads,
with the interval over repeats. A figure has a name, by which claims, prose and pictures take it; where the
entry has a `table`, it stands in a row of that, too:

    [columns]                              # further columns of points, by SQL
    "waiting" = "(read_breakdown_gc_ns + read_breakdown_queue_ns) / 1000"

    [[rows]]
    for = { set = { cells = "own pace", cells-fast = "hundredfold pace" }, workload = "@trace" }
    experiment = "{set}"
    workloads = "{workload}"
    scheme = "gc-bypass"
    baseline = ["baseline", "venice"]      # beside the least of them; pick = "most" or "first"
    form = "reduction"
    unit = "%"
    table = "gains, {set.words}"           # with the labels and heads of its rows
    head = ["workload"]
    labels = ["{workload}"]
    [[rows.column]]
    what = "lower mean latency"
    metric = "mean_latency_ns"
    name = "{workload}, {set.words}: {what}"

`{set}` is a choice, `{set.words}` its words. Choices are a list, a table of them and their words, a
list of tables that say several at once, the name of one of these under `[lists]`, or `@` and a column: all
that is there, in the order of the experiment; behind the column may be a pattern, whose named groups are
further choices. An entry may take its figures from the paper's module (`figure`).
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import Formatter
from types import ModuleType
from typing import Any, Literal, TypeVar, cast

import polars as pl
from pydantic import Field

from reclaim import input_file, sections
from reclaim.paper.claims import Form
from reclaim.paper.entries import ListOf
from reclaim.paper.figures import (
    Drawing,
    LevelRuns,
    PageTable,
    PaperFigure,
    drawings_of,
    run_figures,
    tables_of,
    variation_figures,
    variations_of,
)
from reclaim.paper.measured import STATISTICS, Figure, interval_of, relative
from reclaim.paper.toolkit import MISSING, Cells, in_words
from reclaim.sections import Section, Words
from reclaim.units import NANOSECONDS

FILE = "measures.toml"
Choices = str | Mapping[str, str] | tuple[str | Mapping[str, str], ...]
"""What a name in braces stands for, one after the other."""


@dataclass(frozen=True)
class PointKey:
    """One of them: a key of the points, and what a page calls it."""

    key: str
    words: str

    def __str__(self) -> str:
        return self.key


Chosen = Mapping[str, PointKey | str]


class OtherSide(Section):
    """The other side of a ratio, where it is of other points."""

    experiment: Words = ""
    metric: Words = ""
    where: Mapping[str, str] = Field(default_factory=dict)


class Among(Section):
    """Workloads in which a figure of a scheme has a median over repeats of at least so much.

    All of them, where nothing has such figures.
    """

    metric: Words
    scheme: Words
    least: float


class Quantity(Section):
    """A figure of points: a column of a table, or what the columns of an entry have in common."""

    what: str = ""
    """Over the column; a name may use it, too."""
    name: str = ""
    """Of the figure; empty where nobody takes it by name."""
    choices: Mapping[str, Choices] = Field(default_factory=dict, alias="for")
    figure: Words = ""
    """The name of a figure that is there already, in place of all that follows."""
    experiment: Words = ""
    """Of several, joined by `+`, the points of all."""
    metric: Words = ""
    metrics: str = ""
    """Instead of one the name of a list of several, each with all else; behind one may be its workloads."""
    scheme: Words = ""
    """Without one, the share of all points together."""
    baseline: ListOf[Words] = ()
    pick: Literal["least", "most", "first", "mean"] = "least"
    """Which of several baselines it stands beside; the mean is that of what it is beside each."""
    apart: bool = False
    """Whether a scheme that is its own baseline has no figure."""
    beside: OtherSide | None = None
    form: Form = "value"
    over: str = "mean"
    """A statistic of `STATISTICS`, over workloads."""
    workloads: ListOf[Words] = ()
    """Patterns of names; all that there are, if not said."""
    without: ListOf[Words] = ()
    """Patterns of metric and workload, as in `read_mean_ns cassandra`, that are left out."""
    among: Among | None = None
    where: Mapping[str, str] = Field(default_factory=dict)
    """Column to value; of one that ends with `?`, points without a value count, too."""
    above: float | None = None
    """What a baseline must exceed everywhere: with less there is nothing to divide by, and no figure."""
    fewest: int = 1
    """Workloads, of fewer of which there is no figure."""
    parts: bool = False
    """Whether it has parts by workload, of which an order may be claimed."""
    unit: str = ""
    digits: int | None = None
    """Behind the point, in a table, without an interval; two with one, if not said."""


class Rows(Quantity):
    """Rows of a table, and figures that are called alike."""

    columns: tuple[Quantity, ...] = Field((), alias="column")
    """What is other in each column."""
    lines: tuple[Rows, ...] = Field((), alias="line")
    """What is other in several entries that have all else in common."""
    requires: ListOf[Words] = ()
    """Schemes without which there is no row."""
    whole: bool = False
    """Whether there is none, either, unless all workloads of the paper ran."""
    table: str = ""
    head: ListOf[str] = ()
    labels: ListOf[str] = ()
    varies: bool = False
    """Whether its figures make sense under other loads and readings."""

    @property
    def quantities(self) -> Iterator[Quantity]:
        """What each column is, with what the entry says of all."""
        names = (self.model_fields_set & set(Quantity.model_fields)) - {"choices"}
        same = Quantity.model_construct(**{name: getattr(self, name) for name in names})
        yield from (_changed(same, column) for column in self.columns or (Quantity(),))

    @property
    def entries(self) -> Iterator[Rows]:
        """The entries that its lines make of it."""
        yield from (_changed(self, line) for line in self.lines or (Rows.model_construct(),))


Given = TypeVar("Given", bound=Section)


def _changed(whole: Given, part: Section) -> Given:
    """What is said of all, with what a part of it says otherwise."""
    return whole.model_copy(update={name: getattr(part, name) for name in part.model_fields_set})


class Measures(Section):
    """What a paper's folder declares."""

    columns: Mapping[str, str] = Field(default_factory=dict)
    lists: Mapping[str, Choices] = Field(default_factory=dict)
    rows: tuple[Rows, ...] = ()


def load(folder: Path) -> Measures:
    """Read what a folder declares; nothing where it declares nothing.

    Raises:
        InputError: with every mistake, a line each.
    """
    file = folder / FILE
    return sections.load(Measures, file, folder) if input_file.is_there(file) else Measures()


_SUM = "read_count * coalesce(read_{0}_ns, 0) + write_count * coalesce(write_{0}_ns, 0)"
_OF_ALL = f"({_SUM}) / (read_count + write_count)"
COLUMNS: Mapping[str, str] = {"latency_ns": _OF_ALL.format("mean")} | {
    f"latency_{part}_ns": _OF_ALL.format(f"breakdown_{part}") for part in ("queue", "gc", "array", "transfer")
}
"""Columns that the points of every paper have: means over reads and writes together, and parts of them."""


def choices(folder: Path, name: str) -> Mapping[str, str]:
    """Give a list of choices that a paper's folder declares: key to what a page calls it."""
    return _named(load(folder), name)


def _named(measures: Measures, name: str) -> Mapping[str, str]:
    listed = measures.lists[name]
    return listed if isinstance(listed, Mapping) else {str(each): str(each) for each in listed}


def with_columns(points: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """Add the declared columns, each as far as there is what it is made of."""
    for name, text in columns.items():
        made = pl.sql_expr(text)
        if set(made.meta.root_names()) <= set(points.columns):
            points = points.with_columns(made.alias(name))
    return points


@dataclass(frozen=True)
class QuantityFigure:
    """A figure of points that there are; none where there is nothing to divide by."""

    figure: Figure | None
    parts: tuple[tuple[str, Figure], ...] = ()


@dataclass(frozen=True)
class TableLine:
    """A row of a table: what stands before its figures, and these by the head of their column."""

    labels: tuple[str, ...]
    cells: dict[str, str]


@dataclass
class Declared:
    """All that a paper declares, of the points of a level."""

    measures: Measures
    runs: LevelRuns
    variations: bool = False
    """Whether only those are wanted that make sense under any load and reading."""
    figures: dict[str, PaperFigure] = field(default_factory=dict)
    """By name; what the paper's module brings stands in them before the tables are made."""
    _cells: dict[tuple[Any, ...], Cells] = field(default_factory=dict)
    _tables: dict[str, tuple[tuple[str, ...], list[TableLine]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for entry in (each for rows in self.measures.rows for each in rows.entries):
            if entry.varies or not self.variations:
                self._take(entry)

    def tables(self) -> list[PageTable]:
        """Every table of which there is a row; columns and rows without any figure are left out."""
        found = []
        for name, (head, lines) in self._tables.items():
            columns = list(dict.fromkeys(column for line in lines for column in line.cells))
            rows = ((*line.labels, *(line.cells.get(each, MISSING) for each in columns)) for line in lines)
            found.append(PageTable(name, (*head, *columns), tuple(rows)))
        return found

    def _take(self, entry: Rows) -> None:
        for chosen in self._over(entry.choices, entry, {}):
            if not self._has(entry, chosen):
                continue
            row: dict[str, str] = {}
            for column in entry.quantities:
                for whole in self._over(column.choices, column, chosen):
                    what = column.what.format(**whole)
                    self._take_one(_filled(column, {"what": what, **whole}), row)
            if entry.table and row:
                head, labels = (tuple(_filled(each, chosen)) for each in (entry.head, entry.labels))
                lines = self._tables.setdefault(entry.table.format(**chosen), (head, []))[1]
                lines.append(TableLine(labels, row))

    def _has(self, entry: Rows, chosen: Chosen) -> bool:
        """Whether all schemes and workloads ran without which there is no row."""
        if not entry.requires and not entry.whole:
            return True
        cells = self._of(entry.experiment, entry.where, chosen)
        needed = self.runs.workloads if entry.whole else ()
        return cells.has_all(*entry.requires) and cells.has_workloads(*needed)

    def _take_one(self, quantity: Quantity, row: dict[str, str]) -> None:
        found: QuantityFigure | None
        if quantity.figure:
            brought = self.figures.get(quantity.figure)
            found = None if brought is None or brought.figure is None else QuantityFigure(brought.figure)
        else:
            found = self._measured(quantity)
        if found is None:
            return
        if found.figure is not None and quantity.name:
            self.figures.setdefault(quantity.name, PaperFigure(found.figure, parts=found.parts))
        # Of columns that are called alike, the first that there is.
        row.setdefault(quantity.what, MISSING if found.figure is None else _text(found.figure, quantity))

    def _over(self, choices: Mapping[str, Choices], of: Quantity, chosen: Chosen) -> Iterator[Chosen]:
        """Go over all choices, the first outermost; a later one may depend on those before it."""
        if not choices:
            yield chosen
            return
        (name, first), *rest = choices.items()
        for each in self._listed(name, first, of, chosen):
            yield from self._over(dict(rest), of, {**chosen, **each})

    def _listed(self, name: str, choices: Choices, of: Quantity, chosen: Chosen) -> Iterator[Chosen]:
        if isinstance(choices, str) and choices.startswith("@"):
            yield from self._there(name, choices[1:], of, chosen)
            return
        listed = self.measures.lists[choices] if isinstance(choices, str) else choices
        for each in listed.items() if isinstance(listed, Mapping) else listed:
            key, words = (
                (each, each) if isinstance(each, str) else each if isinstance(each, tuple) else ("", "")
            )
            if isinstance(each, Mapping):
                yield {key: PointKey(text, text) for key, text in _filled(each, chosen).items()}
            elif key.startswith("@"):
                yield from self._there(name, key[1:], of, chosen)
            else:
                yield {name: PointKey(key.format(**chosen), words.format(**chosen))}

    def _there(self, name: str, asked: str, of: Quantity, chosen: Chosen) -> Iterator[Chosen]:
        """What there is of a column, and what a pattern takes out of it."""
        column, _, pattern = asked.format(**chosen).partition(" ")
        # What later choices decide is open here.
        known = {key: value for key, value in of.where.items() if _asked(key + value) <= set(chosen)}
        for value in self._of(of.experiment, known, chosen).values_of(column):
            if (match := re.fullmatch(pattern or ".*", value)) is not None:
                groups = {key: PointKey(text or "", text or "") for key, text in match.groupdict().items()}
                yield {name: PointKey(value, value), **groups}

    def _of(self, experiment: str, where: Mapping[str, str], chosen: Chosen) -> Cells:
        """The points of experiments, those with some values of columns."""
        names, values = experiment.format(**chosen), tuple(_filled(where, chosen).items())
        if (names, values) not in self._cells:
            if values:
                cells = self._of(names, dict(values[:-1]), {}).where(*values[-1])
            else:
                cells = Cells.of(self.runs, *names.split("+"))
            self._cells[names, values] = cells
        return self._cells[names, values]

    def _measured(self, quantity: Quantity) -> QuantityFigure | None:
        """A figure of points; None where there are no such points."""
        other = quantity.beside or OtherSide()
        cells = self._of(quantity.experiment, quantity.where, {})
        beside = self._of(other.experiment or quantity.experiment, {**quantity.where, **other.where}, {})
        baselines = quantity.baseline
        if quantity.pick == "first":
            baselines = tuple(each for each in baselines if each in beside.schemes)[:1]
        if (quantity.baseline and not baselines) or (quantity.apart and baselines == (quantity.scheme,)):
            return None
        found: dict[str, dict[int, float]] = {}
        for label, metric, name in self._places(quantity, cells):
            ours, theirs = cells.values(metric), beside.values(other.metric or metric)
            if not quantity.scheme:
                points = [value for key, value in ours.items() if key[0] == name]
                return QuantityFigure(Figure(statistics.fmean(points), exact=True)) if points else None
            by_repeat = {}
            for repeat in cells.all_repeats:
                top = ours.get((name, quantity.scheme, repeat))
                known = [theirs[key] for each in baselines if (key := (name, each, repeat)) in theirs]
                if top is not None and len(known) == len(baselines):
                    by_repeat[repeat] = _beside(quantity, top, known)
            if by_repeat:
                found[label] = by_repeat
        return _summed(quantity, found) if len(found) >= quantity.fewest else None

    def _places(self, quantity: Quantity, cells: Cells) -> Iterator[tuple[str, str, str]]:
        """What a figure goes over: how a part is called, the metric, and the workload."""
        wanted = quantity.workloads or (".*",)
        names = [name for name in cells.workloads if any(re.fullmatch(each, name) for each in wanted)]
        if quantity.among is not None:
            there = acting(cells, quantity.among.metric, quantity.among.scheme, quantity.among.least)
            names = [name for name in names if name in there]
        if not quantity.metrics:
            yield from ((name, quantity.metric, name) for name in names)
            return
        for metric, words in _named(self.measures, quantity.metrics).items():
            column, _, of_those = metric.partition(" ")
            for name in names:
                if re.fullmatch(of_those or ".*", name) and f"{column} {name}" not in quantity.without:
                    yield f"{words}, {name}", column, name


def acting(cells: Cells, metric: str, scheme: str, least: float) -> list[str]:
    """Workloads in which a figure of a scheme has a median over repeats of at least so much; see `Among`."""
    of = cells.values(metric)
    if not of or scheme not in cells.schemes:
        return cells.workloads
    medians = {
        name: statistics.median(of[name, scheme, repeat] for repeat in cells.repeats)
        for name in cells.workloads
    }
    return [name for name, median in medians.items() if median >= least]


def _summed(quantity: Quantity, found: Mapping[str, Mapping[int, float]]) -> QuantityFigure:
    """A figure over all parts, of the repeats that all of them have; none without anything to divide by."""
    if any(math.isnan(value) for of in found.values() for value in of.values()):
        return QuantityFigure(None)
    repeats = sorted(set.intersection(*map(set, found.values())))
    statistic = STATISTICS[quantity.over]
    figure = interval_of([statistic([of[repeat] for of in found.values()]) for repeat in repeats])
    alone = found.items() if quantity.parts else ()
    return QuantityFigure(figure, tuple((name, interval_of(list(of.values()))) for name, of in alone))


PICKED = {"least": min, "most": max, "first": min}


def _beside(quantity: Quantity, ours: float, baselines: Sequence[float]) -> float:
    """One point beside what it is compared with, in the unit of the figure; NaN without enough of that."""
    percent = quantity.unit == "%"
    if quantity.above is not None and any(abs(value) <= quantity.above for value in baselines):
        return math.nan
    if quantity.pick == "mean":
        return statistics.fmean(relative(quantity.form, ours, each, percent=percent) for each in baselines)
    base = PICKED[quantity.pick](baselines) if baselines else None
    return relative(quantity.form, ours, base, percent=percent) / NANOSECONDS.get(quantity.unit, 1)


@dataclass(frozen=True)
class OfRuns:
    """What the runs of a level say of a paper beside its claims."""

    figures: Mapping[str, PaperFigure]
    tables: tuple[PageTable, ...]
    drawings: tuple[Drawing, ...]
    varied: Mapping[str, Mapping[str, PaperFigure]]
    """Figures under other loads and readings, by label."""


def of_runs(
    folder: Path,
    module: ModuleType | None,
    runs: LevelRuns,
    loads: Sequence[str] = (),
    vary: Sequence[str] = (),
) -> OfRuns:
    """Give the figures and tables that a paper's folder declares, and those of its module.

    Args:
        folder: of the paper.
        module: its own, if it has one.
        runs: what ran.
        loads: other rules under which it ran.
        vary: other readings, as `axis=value`.

    Raises:
        InputError: for a mistake in what is declared, and for one of the module.
    """
    declared = load(folder)
    runs = replace(runs, points=with_columns(runs.points, {**COLUMNS, **declared.columns}))
    of_level = Declared(declared, runs, figures=run_figures(module, runs))
    varied = {
        label: Declared(declared, part, variations=True, figures=variation_figures(module, part)).figures
        for label, part in variations_of(runs, loads, vary)
    }
    tables = (*tables_of(module, runs), *of_level.tables())
    return OfRuns(of_level.figures, tables, drawings_of(module, runs), varied)


Value = TypeVar("Value")


def _filled(value: Value, chosen: Chosen) -> Value:
    """Fill choices into all texts of a value."""
    filled: Any = value
    match value:
        case str():
            filled = value.format(**chosen)
        case tuple():
            filled = tuple(_filled(each, chosen) for each in value)
        case Mapping():
            filled = {_filled(key, chosen): _filled(each, chosen) for key, each in value.items()}
        case Section():
            names = value.model_fields_set - {"choices"}
            filled = value.model_copy(update={name: _filled(getattr(value, name), chosen) for name in names})
    return cast("Value", filled)


def _asked(text: str) -> set[str]:
    """Names of the choices that a text needs."""
    return {name.partition(".")[0] for _, name, _, _ in Formatter().parse(text) if name}


def _text(figure: Figure, quantity: Quantity) -> str:
    unit = quantity.unit if quantity.unit in ("", "×") else f" {quantity.unit}"
    if quantity.digits is None:
        return in_words(figure, unit)
    return f"{figure.value:,.{quantity.digits}f}{unit}"
