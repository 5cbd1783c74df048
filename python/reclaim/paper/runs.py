"""The sweeps of a level: default cells, then load rules, readings, and what goes past the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from reclaim.errors import InputError
from reclaim.paper.evaluation import Variations
from reclaim.paper.experiments import (
    FullRecording,
    Reading,
    Table,
    closed_loop,
    read_table,
    scheme_name,
    trace_name,
    with_readings,
    with_repeats,
    with_schemes,
    with_sources,
    with_time_scales,
    without_variations,
)
from reclaim.paper.latencies import with_job_times
from reclaim.paper.loads import SHARES, Scaling, Search
from reclaim.paper.measured import OWN
from reclaim.paper.paper import LEVELS, Level, Paper
from reclaim.paper.trust import with_remarks

FULL_REPEATS = 10
REPEATS = 6
"""Of the default level, and of every variation."""
SweepRunner = Callable[[Table, Path, Path], "SweptPoints"]
"""Runs an experiment, given as a table, with files beside `base`, into a folder."""


@dataclass(frozen=True)
class SweptPoints:
    """What came out of one sweep."""

    points: pl.DataFrame
    failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scaled:
    """How one workload was scaled under one load rule."""

    rule: str
    experiment: str
    workload: str
    scaling: Scaling


@dataclass
class PaperRuns:
    """All sweeps of one level of a paper, run one after the other."""

    paper: Paper
    level: Level
    output: Path
    sweep: SweepRunner
    files: Mapping[str, FullRecording] = field(default_factory=dict)
    """Files that take the place of traces, by name."""
    beyond: Sequence[str] = ()
    """What of that which goes past the paper is run below --full, too, by label."""
    frames: list[pl.DataFrame] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    scaled: list[Scaled] = field(default_factory=list)
    vary: list[str] = field(default_factory=list)
    searched: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Refuse axes that are called as what is noted of points, before anything runs.

        Raises:
            InputError: naming the file and the axis.
        """
        paper = self.paper
        named = [paper.levels[self.level], *paper.alternatives.values(), *paper.beyond.values()]
        for file in dict.fromkeys(file for files in named for file in files.values()):
            table = self._table(file)
            for section in ("axes", "vary"):
                for name in table.get(section) or ():
                    if name in OWN:
                        raise InputError(
                            f"{file}: {section}.{name}: is what a column of a paper's points is called; "
                            f'give the axis another name, as in "my-{name}"'
                        )

    def _table(self, file: Path) -> Table:
        return read_table(file, self.paper.folder)

    def tables(self) -> dict[str, Table]:
        """The experiment files of this level, with the default readings and the files of --traces."""
        found = {}
        for name, file in self.paper.levels[self.level].items():
            table = with_sources(self._table(file), self.files)
            found[name] = with_readings(table, self.paper.readings, {})
        return found

    def planned(self) -> dict[str, Table]:
        """Every experiment of the paper, at any level and under any reading, by what it is."""
        paper = self.paper
        files = {
            (name, file): f"{level}: {name}" for level in LEVELS for name, file in paper.levels[level].items()
        }
        for label, others in (*paper.alternatives.items(), *paper.beyond.items()):
            files |= {(name, file): f"{label}: {name}" for name, file in others.items()}
        found = {
            label: with_readings(with_sources(self._table(file), self.files), paper.readings, {})
            for (_, file), label in files.items()
        }
        for name in paper.varied:
            for label, _, table in self._readings(paper.levels["full"][name]):
                found[f"reading {label}: {name}"] = table
        return {label: with_repeats(table, 1) for label, table in found.items()}

    def _readings(self, file: Path) -> Iterator[tuple[str, str, Table]]:
        """An experiment under every other reading of the paper: label, end of its folder's name, table."""
        raw = with_sources(self._table(file), self.files)
        for reading in self.paper.readings:
            for value in reading.settings:
                if value != reading.default and _concerns(reading, raw):
                    changed = with_readings(raw, self.paper.readings, {reading.name: value})
                    changed = with_repeats(without_variations(changed), REPEATS)
                    if reading.beside:
                        changed = with_schemes(changed, [*reading.schemes, *reading.beside])
                    yield f"{reading.name}={value}", f"-{reading.name}-{value}", changed

    def default_cells(self) -> Iterator[tuple[str, Table]]:
        """The experiments of this level without variations, with the repeats of the level."""
        repeats = {"quick": None, "default": REPEATS, "full": FULL_REPEATS}[self.level]
        for name, table in self.tables().items():
            yield name, with_repeats(without_variations(table), _repeats(table, repeats))

    def all(self) -> tuple[pl.DataFrame, Variations]:
        """Run everything and give all points, with where they come from in front."""
        tables = self.tables()
        for name, plain in self.default_cells():
            self._under(name, plain, self.paper.load, "")
        if self.level != "quick":
            for label, files in self.paper.alternatives.items():
                self._instead(label, files)
        for label, files in self.paper.beyond.items():
            if self.level == "full" or label in self.beyond:
                self._instead(label, files)
        loads: tuple[str, ...] = ()
        if self.level == "full":
            loads = self.paper.loads
            for name in self.paper.varied:
                self._vary(name, tables[name])
        points = pl.concat(self.frames, how="diagonal_relaxed") if self.frames else pl.DataFrame()
        return points, Variations(loads, tuple(dict.fromkeys(self.vary)))

    def further(self) -> pl.DataFrame:
        """Run what was asked for of what goes past the paper, and nothing else; give its points."""
        for label in self.beyond:
            self._instead(label, self.paper.beyond[label])
        return pl.concat(self.frames, how="diagonal_relaxed") if self.frames else pl.DataFrame()

    def _instead(self, label: str, files: Mapping[str, Path]) -> None:
        """Other experiments in place of those of the level, or beside them with the repeats of their file."""
        for name, file in files.items():
            table = without_variations(with_readings(self._table(file), self.paper.readings, {}))
            if name not in self.paper.levels[self.level]:
                self._keep(self._run(table, name), name, self.paper.load, "")
                continue
            self._under(name, with_repeats(table, REPEATS), self.paper.load, f"-{label}", label)
            self.vary.append(label)

    def _vary(self, name: str, table: Table) -> None:
        """Load rules, readings and the file's own variations, each alone around the default cell."""
        plain = with_repeats(without_variations(table), REPEATS)
        for rule in self.paper.loads:
            if rule != self.paper.load:
                self._under(name, plain, rule, f"-load-{rule.rstrip('%')}")
        for label, suffix, changed in self._readings(self.paper.levels[self.level][name]):
            self.vary.append(label)
            self._under(name, changed, self.paper.load, suffix, label)
        if table.get("vary"):
            varied = self._scale(name, with_repeats(table, REPEATS), self.paper.load)
            found = self._run(varied, f"{name}-beyond")
            beyond = found.filter(pl.col("vary") != "")
            self.vary += beyond["vary"].unique(maintain_order=True).to_list()
            self._keep(beyond, name, self.paper.load, None)

    def _under(self, name: str, table: Table, rule: str, suffix: str, vary: str = "") -> None:
        table = self._scale(name, table, rule)
        if table["traces"]:
            self._keep(self._run(table, f"{name}{suffix}"), name, rule, vary)

    def _run(self, table: Table, folder: str) -> pl.DataFrame:
        base = self.paper.folder
        whole = self.output / "sweeps" / self.level / folder.replace("/", "-")
        found = self.sweep(table, base, whole)
        self.failures += found.failures
        return with_remarks(with_job_times(found.points, whole), whole)

    def _keep(self, points: pl.DataFrame, name: str, rule: str, vary: str | None) -> None:
        if points.is_empty():
            return
        marked = points.with_columns(pl.lit(name).alias("experiment_key"), pl.lit(rule).alias("load"))
        if vary is not None:
            marked = marked.with_columns(pl.lit(vary).alias("vary"))
        self.frames.append(marked.select("experiment_key", "load", pl.exclude("experiment_key", "load")))

    def _scale(self, name: str, table: Table, rule: str) -> Table:
        """The experiment under a load rule; workloads that cannot be brought to it are left out."""
        if rule == "closed":
            return closed_loop(table)
        if rule not in SHARES:
            return table
        if (name, rule) not in self.searched:
            self.searched.add((name, rule))
            self.scaled += self._search(name, rule)
        met = {
            each.workload: each.scaling.time_scale
            for each in self.scaled
            if (each.experiment, each.rule) == (name, rule) and not each.scaling.reason
        }
        return with_time_scales(table, met)

    def _search(self, name: str, rule: str) -> list[Scaled]:
        """Search the time scale of every workload under the baseline, all of them at once."""
        raw = with_repeats(without_variations(self.tables()[name]), 1)
        table = with_schemes(raw, [self.paper.baseline])
        table["axes"] = {axis: _first(values) for axis, values in table.get("axes", {}).items()}
        table["devices"] = table["devices"][:1]
        searches = {trace_name(each): Search(SHARES[rule]) for each in table["traces"]}
        step = 0
        while True:
            step += 1
            scales = {key: each.scale for key, each in searches.items() if each.scale is not None}
            if not scales:
                break
            tried = with_time_scales(table, scales)
            found = self._run(tried, f"{name}-load-{rule.rstrip('%')}-search-{step}")
            used = dict(zip(found["trace"].to_list(), found["utilisation_die"].to_list(), strict=True))
            for key in scales:
                if key in used:
                    searches[key].tell(used[key])
                else:
                    searches[key].scale = None
        return [Scaled(rule, name, key, each.found) for key, each in searches.items() if each.tries]


def _repeats(table: Table, of_level: int | None) -> int | None:
    """So many repeats, but its own where an experiment asks for enough: those of many readings add up."""
    own = table.get("repeats", {}).get("count", 1)
    return of_level if of_level is None or own < REPEATS else own


def _concerns(reading: Reading, table: Table) -> bool:
    """Whether an experiment has a scheme that a reading is about."""
    names = [scheme_name(each) for each in table.get("schemes", [])]
    return not reading.schemes or any(name in reading.schemes for name in names)


def _first(values: Any) -> Any:
    """The first value of an axis, or its first named group of settings."""
    if isinstance(values, Mapping):
        return dict([next(iter(values.items()))])
    return values[:1]
