"""The results of many runs: their tables, and what is computed from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

import polars as pl

from reclaim import encoding, input_file
from reclaim.arguments import checks, path, renamed, shown
from reclaim.errors import InputError
from reclaim.limits import check_open_files
from reclaim.result.result import Result
from reclaim.result.sets import cells, remarks_table, tables
from reclaim.result.sets.metrics import (
    ASKED,
    BESIDE_ASKED,
    HEADLINE,
    IN_BYTES,
    IN_PAGES,
    PADDED,
    SAME,
    check,
    requests_needed,
)
from reclaim.result.sets.remarks_table import Said
from reclaim.result.sets.stored import StoredPoints
from reclaim.result.verdict import LEVELS, worst_mark


@checks
class MeasuredSet:
    """The tables of a set; `ResultSet` adds what draws them."""

    def __init__(
        self,
        folder: Path,
        points: pl.DataFrame,
        *,
        whole: bool = True,
        marks: dict[str, Mapping[str, str] | str] | None = None,
        stored: StoredPoints | None = None,
        told: Mapping[str, Said] | None = None,
        said: dict[str, Said] | None = None,
    ) -> None:
        self.folder = folder
        self.points = points
        """One row a point, in the order of the experiment."""
        self.axes = tables.axes_of(points)
        """Names of the axes; each is a text column of `points`."""
        self._whole = whole
        self._marks = {} if marks is None else marks
        """Of every point that was asked about its marks by column, or one for all where nobody knows more."""
        self._stored = StoredPoints(folder) if stored is None else stored
        self._told = {} if told is None else told
        """What verdicts of points say, by the table of it, if there is one."""
        self._said = {} if said is None else said
        """The same of those that were asked, whose files are as they were."""

    @classmethod
    def load(cls, folder: str | Path, *, stored: StoredPoints | None = None) -> Self:
        """Read the folder that a sweep wrote; what points recorded is read when it is asked for.

        Args:
            folder: of the sweep.
            stored: what has read its points already, where something has.

        Raises:
            InputError: if there is no set in it.
        """
        found = path("folder", folder)
        check_open_files(f"{found}: results cannot be read")
        points = tables.read_points(found)
        tables.check_unchanged(found, [remarks_table.TABLE])
        levels = dict(points.select("point", "verdict").iter_rows())
        return cls(found, points, stored=stored, told=remarks_table.read(found, levels))

    def __len__(self) -> int:
        return self.points.height

    def __repr__(self) -> str:
        kinds = {name: self.points[name].n_unique() for name in ("device", "trace", "scheme")}
        counts = (
            f"{each} {name}{'s' if each != 1 else ''}" for name, each in {"point": len(self), **kinds}.items()
        )
        return encoding.visible(f"<{type(self).__name__} {self.name}: {', '.join(counts)}>")

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return str(self.points["experiment"].item(0))

    def there(self) -> Path:
        """Give the folder, where what points recorded is.

        Raises:
            InputError: if it is gone since this set was loaded.
        """
        if not (self.folder / tables.POINTS).is_file():
            raise InputError(
                f"{self.folder}: the results are not there any more; this set still has its table of points, "
                "and nothing else: run the sweep again, or load the folder from where it is now"
            )
        return self.folder

    def _scan(self, name: str) -> pl.LazyFrame | None:
        found = tables.scan(self.there(), name)
        if found is None or self._whole:
            return found
        return found.filter(pl.col("point").is_in(self.points["point"].to_list()))

    @property
    def histograms(self) -> pl.LazyFrame | None:
        """How many requests of a class took how long: `point`, `class`, `upper_ns`, `count`.

        Raises:
            InputError: if the folder of the set is gone, as for `timelines` and `gc_logs`.
        """
        return self._scan("histograms")

    @property
    def timelines(self) -> pl.LazyFrame | None:
        """The timelines of all points that recorded one, with the column `point`; None if none did."""
        return self._scan("timelines")

    @property
    def gc_logs(self) -> pl.LazyFrame | None:
        """The logs of collected blocks of all points that recorded one; None if none did."""
        return self._scan("gc_logs")

    def to_polars(self) -> pl.DataFrame:
        """Give the table of points; yours to change."""
        return self.points.clone()

    @cached_property
    def failures(self) -> list[tables.Failure]:
        """The points that failed: they have no row."""
        return tables.failures(self.there())

    @cached_property
    def _schemes(self) -> dict[str, str]:
        """Point: what its scheme is called."""
        return dict(self.points.select("point", "scheme").iter_rows())

    def results(self, point: str) -> Result:
        """Give one point as the result that `simulate` returned; it is called by its scheme.

        Raises:
            InputError: if there is no such point, its folder is gone, or a file in it was changed.
        """
        if point not in self._schemes:
            raise InputError(f'no point "{point}" in {self.folder}; column point of points.parquet has them')
        self.there()
        self._refuse_changed(point)
        result = self._stored.result(point)
        result.label = self._schemes[point] or result.label
        return result

    def _refuse_changed(self, point: str) -> None:
        fault = self._stored.changed(point, self._stored.noted(point).files or {})
        if fault is not None:
            place = self._stored.point(point)
            raise InputError(f"{place}: {fault}; run the sweep again, which runs this point anew")

    def said(self, point: str) -> Said:
        """Give what one point says beside its figures.

        Raises:
            InputError: if a file of the point was changed; as `results`, if an earlier version wrote the set.
        """
        if point not in self._said:
            told = self._told.get(point)
            if told is None:
                told = Said.of(self.results(point))
            elif not self._stored.noted(point).as_written and self.has(point):
                self._refuse_changed(point)
            self._said[point] = told
        return self._said[point]

    def has(self, point: str) -> bool:
        """Whether what a point measured is still there, beside the tables."""
        return self._stored.has(point)

    def mark(self, metric: str, points: pl.DataFrame | None = None) -> str:
        """What stands behind a figure of these points, or of all, wherever it is printed: `?`, `!`, or none.

        It is the worst that the verdict of any of them says of this figure; a percentile with fewer than ten
        requests beyond it in any has a `?`.
        """
        points = self.points if points is None else points
        needed = requests_needed(metric)
        few = needed is not None and points.filter(pl.col(needed[0]).is_between(1, needed[1] - 1)).height > 0
        marks = map(self._marks_of, points["point"].to_list(), points["verdict"].to_list())
        found = (each if isinstance(each, str) else each.get(metric, "") for each in marks)
        return worst_mark([*found, "?" if few else ""])

    def _marks_of(self, point: str, level: str) -> Mapping[str, str] | str:
        if point not in self._marks:
            try:
                self._marks[point] = self.said(point).verdict.marks()
            except InputError:
                # Its folder is gone: any figure may be the one that its verdict was about.
                self._marks[point] = "" if level == LEVELS[0] else "!" if level == LEVELS[-1] else "?"
        return self._marks[point]

    def query(
        self, sql: str, *, time_limit_s: float | None = None, memory: str | None = None
    ) -> pl.DataFrame:
        """Answer a SELECT of DuckDB's SQL over `points`, `histograms`, `timelines` and `gc_logs`.

        Args:
            sql: the SELECT.
            time_limit_s: how long it may take, in seconds; as long as it needs if not given.
            memory: what it may take, as in `8GiB`; what is available if not given.

        Raises:
            InputError: for what DuckDB refuses, in its words, and if it takes longer or more. Nothing can be
                written, nothing else read.
            KeyboardInterrupt: with Ctrl-C, within a second.
        """
        # Who asks nothing need not wait for DuckDB.
        from reclaim.result.sets import queries

        if time_limit_s is not None and not time_limit_s > 0:
            raise InputError(f"time_limit_s must be above 0 seconds, not {time_limit_s:g}")
        self.there()
        files = {Path(tables.POINTS).stem: self.folder / tables.POINTS}
        files |= {name: self.folder / f"{name}.parquet" for name in tables.TABLES}
        present = {name: file.absolute() for name, file in files.items() if input_file.is_there(file)}
        tables.check_unchanged(self.folder, [file.name for file in files.values()])
        points = None if self._whole else self.points["point"].to_list()
        return queries.query(sql, present, points, time_limit_s, memory)

    def only(self, points: pl.DataFrame) -> Self:
        """Give the set of these rows of `points`."""
        whole = self._whole and points.height == len(self)
        return type(self)(
            self.folder,
            points,
            whole=whole,
            marks=self._marks,
            stored=self._stored,
            told=self._told,
            said=self._said,
        )

    def filter(self, **columns: object) -> Self:
        """Give the set of those points that have these values; several of a column as a list.

        An axis whose name has dots goes as `filter(**{"gc.pages_in_flight": "4"})`.

        Raises:
            InputError: for a column or a value that is not there.
        """
        points = self.points
        for name, wanted in columns.items():
            check([name], self.points.columns, "column")
            several = isinstance(wanted, Iterable) and not isinstance(wanted, str)
            values: list[object] = list(wanted) if several else [wanted]  # type: ignore[call-overload]
            if self.points.schema[name] == pl.String:
                texts = [str(value) for value in values]
                check(texts, self.points[name].unique(maintain_order=True).drop_nulls().to_list(), name)
                values = [*texts]
            try:
                points = points.filter(pl.col(name).is_in(values))
            except (pl.exceptions.PolarsError, TypeError):
                kind = "numbers" if points.schema[name].is_numeric() else "other values"
                raise InputError(f"filter: column {name} has {kind}, not {shown(wanted)}") from None
        if not points.height:
            raise InputError(f"no point of {self.folder} has {columns}")
        return self.only(points)

    def metrics(self, metrics: Sequence[str] | str | None) -> list[str]:
        """Give the names of metrics; the headline's for None.

        Raises:
            InputError: for what is no name, or no column of numbers.
        """
        if metrics is None:
            return self.headline()
        wanted = _each(metrics)
        check(wanted, tables.figures_of(self.points), "metric")
        return wanted

    def headline(self) -> list[str]:
        """The metrics that a report begins with, as far as they say something of these points."""
        return [name for name in HEADLINE if name in self.points.columns and self._says_something(name)]

    def _says_something(self, name: str) -> bool:
        known = self.points[name].drop_nulls().cast(pl.Float64)
        if name == PADDED and known.len() and self._programs_units:
            return True
        if name in BESIDE_ASKED and not any(self._is_known(asked) for asked in ASKED):
            return False
        if name == IN_BYTES and not known.len():
            # Results of an earlier day: a dash says that it is missing.
            return self._is_known(IN_PAGES)
        if not known.len() or not known.max():
            return False
        if not name.endswith("_iops"):
            return True
        keys = [key for key in cells.cell_keys(self.points) if key != "scheme"]
        spread = self.points.group_by([*keys, "repeat"]).agg(
            (pl.col(name).max() / pl.col(name).min()).alias("spread")
        )
        return bool((spread["spread"] > 1 + SAME).any())

    def _is_known(self, name: str) -> bool:
        return name in self.points.columns and self.points[name].drop_nulls().len() > 0

    @cached_property
    def _programs_units(self) -> bool:
        """Whether a drive programs several pages at once, so that it says something if it pads none."""
        keys = [key for key in cells.cell_keys(self.points) if key != "trace"]
        for point in self.points.unique(keys, keep="first", maintain_order=True)["point"].to_list():
            try:
                if self.said(point).programs_units:
                    return True
            except InputError:
                # The folder of the point is gone; what the table has is shown.
                continue
        return False

    @property
    def collected(self) -> bool:
        """Whether any point has collected anything."""
        return bool(self.points["gc_jobs"].max())

    def intervals(self, metrics: Sequence[str] | str | None = None) -> pl.DataFrame:
        """Median over the repeats with its 95 % interval: `value`, `low`, `high`, `count` of every metric.

        Points that differ in their repeat alone make a row. `low` and `high` are null with fewer than six
        repeats, and where all measured the same.

        Raises:
            InputError: for a metric that is no column of numbers.
        """
        return cells.intervals(self.points, self.metrics(metrics))

    @renamed(to="baseline")
    def normalize(
        self,
        by: str = "scheme",
        baseline: str | None = None,
        metrics: Sequence[str] | str | None = None,
        over: str | None = None,
    ) -> pl.DataFrame:
        """Ratios to one scheme, or to one value of another column, with their 95 % intervals.

        Each point is divided by its partner: the point with the same trace, repeat and axes whose `by` is
        `baseline`. `value` is the median of the ratios over the repeats.

        Args:
            by: the column that is compared: `scheme`, `device`, `trace` or an axis.
            baseline: the value that has ratio 1; the first one if not given.
            metrics: columns of numbers; the headline's if not given.
            over: take the geometric mean over this column, mostly `trace`, within each repeat first.

        Raises:
            InputError: for a column, value or metric that is not there.
        """
        keys = [key for key in cells.cell_keys(self.points) if key != "vary"]
        check([by], keys, "column to normalize by")
        if over is not None:
            check([over], [key for key in keys if key != by], "column to average over")
        known = self.points[by].unique(maintain_order=True).to_list()
        if baseline is None:
            baseline = known[0]
        check([baseline], known, by)
        return cells.ratios(self.points, by, baseline, self.metrics(metrics), over)

    def pivot(self, index: str | Sequence[str], columns: str, metric: str) -> pl.DataFrame:
        """Medians over all else, `index` down and the values of `columns` across.

        Raises:
            InputError: for a column that is not there.
        """
        down = _each(index)
        check([*down, columns], self.points.columns, "column")
        self.metrics(metric)
        twice = sorted({*down} & {str(each) for each in self.points[columns].unique().drop_nulls().to_list()})
        if twice:
            raise InputError(f'pivot: "{twice[0]}" is a {columns} and a column of the index; filter it out')
        return self.points.pivot(columns, index=down, values=metric, aggregate_function="median")


def _each(names: Sequence[str] | str) -> list[str]:
    """Names, of which one may stand by itself."""
    return [names] if isinstance(names, str) else list(names)
