"""What relocation takes in a drive under each victim policy, by choice of ours, and by placement.

One plane and a host that is seldom in the way, so that a collection job takes what its reads, its programs
and its erase take. Every saving is paired: of one repeat, which plays the same trace under both policies.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import polars as pl

from reclaim import table_file
from reclaim.paper.job_times import LOGS
from reclaim.paper.toolkit import (
    Cells,
    Figure,
    LevelRuns,
    Metric,
    OfWorkload,
    Row,
    interval_of,
    percent,
    reduction,
)
from reclaim.result.sets.tables import OF_POINTS

VANILLA, WLA = "vanilla", "wla"
AGE = "cost-benefit"
REVERSED = "wla, reversed"
ERASE_NS = 60_000.0
TIME = "gc_jobs_ns_per_host_page"
"""Time of all jobs for each page that the host wrote."""
POLICIES: Mapping[str, str] = {
    "greedy, oldest": "fewest valid pages, of equals the oldest (control: ties)",
    WLA: "WLA-GC: Table I's reads and writes",
    "wla, reads": "WLA-GC: reads alone, as the published program",
    "wla, as in a drive": "WLA-GC: reads and a mean write",
    REVERSED: "WLA-GC with its weights reversed (control)",
    "per page, paper": "Table I's time for each page freed",
    "per page, drive": "reads and a mean write for each page freed",
    "in order, 15 %": "15 % invalid, the lowest number first",
    "in order, 25 %": "25 % invalid, the lowest number first",
    "oldest, 15 %": "15 % invalid, the oldest first",
    AGE: "cost-benefit, which looks at age (control)",
}
"""What stands behind the name of a scheme."""
PLACEMENTS: Mapping[str, str] = {
    "append": "one open block (control)",
    "history, fast, 4": "by history, short-lived data on fast levels, 4 open blocks",
    "history, slow, 4": "by history, short-lived data on slow levels, 4 open blocks",
    "future, fast, 4": "of the future, on fast levels, 4 open blocks",
    "future, fast, 8": "of the future, on fast levels, 8 open blocks",
    "future, slow, 4": "of the future, on slow levels, 4 open blocks",
}
GOES: Mapping[str, str] = {"append": "one open block", "history, fast, 4": "fast", "history, slow, 4": "slow"}
"""Where short-lived data goes, by the value of an axis."""


class Relocation(Cells):
    """The points of an experiment, or those with one value of its axis."""

    ORDER = ("uniform", "hot-cold", "zipf")

    def saved(self, metric: Metric, scheme: str, base: str, names: Sequence[str] = ()) -> Figure:
        """Give per cent less than under another scheme, mean over workloads, median over repeats."""
        return self.mean(reduction(self.ratio(metric, scheme, base)), names)

    def vanilla(self, metric: Metric) -> OfWorkload:
        """Give a metric of vanilla."""
        return self.metric(metric, VANILLA)


def _page_ns(row: Row) -> float:
    """Time that a valid page of a victim takes: what the jobs take without their erases."""
    return float((row["gc_job_mean_ns"] - ERASE_NS) / row["gc_valid_pages_per_victim"])


def _moved(row: Row) -> float:
    """Pages moved for each page that the host wrote."""
    return float(row["gc_write_amplification"] - 1)


OF_THAT: Mapping[str, Metric] = {"pages moved": _moved, "time of a page": _page_ns}
"""What the time of all jobs comes of."""
MEASURES: Mapping[str, Metric] = {"time of all jobs": TIME, "time of a job": "gc_job_mean_ns", **OF_THAT}


def of_runs(runs: LevelRuns) -> dict[str, Figure]:
    """Every figure that the experiments on relocation give; nothing without them."""
    parts = (_power, _long, _choices, _levels, _sizes, _signs)
    return {name: figure for part in parts for name, figure in part(runs)}


def _power(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    if not (cells := Relocation.of(runs, "power")).has_all(VANILLA, *POLICIES):
        return
    for scheme in POLICIES:
        yield f"{scheme} saves", cells.saved(TIME, scheme, VANILLA)
        for what, metric in OF_THAT.items():
            yield f"{scheme} saves, {what}", cells.saved(metric, scheme, VANILLA)
        for name in cells.workloads:
            yield f"{scheme} saves, {name}", cells.saved(TIME, scheme, VANILLA, [name])
    for base in ("in order, 15 %", "in order, 25 %", "oldest, 15 %"):
        yield f"wla beside {base}", cells.saved(TIME, WLA, base)
        yield f"vanilla beside {base}", cells.saved(TIME, VANILLA, base)


def _long(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    if not (cells := Relocation.of(runs, "power-long")).has_all(VANILLA, WLA):
        return
    for what, metric in MEASURES.items():
        for name in cells.workloads:
            yield f"long: {what}, {name}", cells.saved(metric, WLA, VANILLA, [name])
        yield f"long: {what}", cells.saved(metric, WLA, VANILLA)


def _choices(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    for value, cells in Relocation.of(runs, "power-choices").by_value("choice"):
        for name in cells.workloads:
            yield f"wla saves, {name}, {value}", cells.saved(TIME, WLA, VANILLA, [name])


def _levels(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    cells = Relocation.of(runs, "levels")
    append = cells.at("placement", "append") if cells else cells
    spreads = spread_of_victims(runs)
    for value, here in cells.by_value("placement"):
        yield from ((f"{value}: {name}", figure) for name, figure in _level(here, append))
        if value in spreads:
            yield f"{value}: spread of victims, us", spreads[value]


def _level(cells: Relocation, append: Relocation) -> Iterator[tuple[str, Figure]]:
    for scheme in cells.schemes:
        if scheme != VANILLA:
            yield f"{scheme} saves", cells.saved(TIME, scheme, VANILLA)
            for name in cells.workloads:
                yield f"{scheme} saves, {name}", cells.saved(TIME, scheme, VANILLA, [name])
            for what, metric in OF_THAT.items():
                yield f"{scheme} saves, {what}", cells.saved(metric, scheme, VANILLA)
        yield f"{scheme} beside append", _beside(cells, scheme, append)
    yield "time of a page, us", _in_us(cells, _page_ns)


def _in_us(cells: Relocation, metric: Metric) -> Figure:
    """The mean over workloads of a time of vanilla."""
    return cells.over(lambda times: statistics.fmean(times) / 1e3, cells.vanilla(metric))


def _sizes(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """By workload and size of the drive: where a weight can act, and what it saves by placement."""
    cells = Relocation.of(runs, "levels-sizes")
    if not cells:
        return
    append = cells.at("placement", "append")
    with_pages = _victims_with_pages(runs, "levels-sizes")
    for name in append.workloads:
        yield f"{name}: write amplification", append.one(append.vanilla("gc_write_amplification"), name)
        yield f"{name}: die utilization", append.one(percent(append.vanilla("utilisation_die")), name)
        shares = [with_pages.get(append.row(name, VANILLA, each)["point"]) for each in append.repeats]
        there = [each for each in shares if each is not None]
        if len(there) == len(shares):
            yield f"{name}: victims with valid pages", interval_of(there)
        for value, goes in GOES.items():
            here = cells.at("placement", value)
            for scheme in here.schemes:
                if scheme != VANILLA:
                    yield f"{name}, {goes}: {scheme} saves", here.saved(TIME, scheme, VANILLA, [name])
                yield f"{name}, {goes}: {scheme} beside append", _beside(here, scheme, append, [name])


def _signs(runs: LevelRuns) -> Iterator[tuple[str, Figure]]:
    """What the weight saves under placement by history, each choice of ours otherwise."""
    for value, cells in Relocation.of(runs, "levels-choices").by_value("choice"):
        for name, goes in product(cells.workloads, ("fast", "slow")):
            saved = cells.saved(TIME, f"{WLA}, {goes}", f"{VANILLA}, {goes}", [name])
            yield f"{name}, {goes}: wla saves, {value}", saved


def _of_logs(runs: LevelRuns, experiment: str, of_victims: pl.Expr) -> pl.DataFrame:
    """What is computed of the victims of every point; without rows where no jobs were recorded."""
    file = runs.sweeps / experiment / LOGS
    if not file.is_file():
        return pl.DataFrame(schema={"point": pl.String, "of_victims": pl.Float64})
    logs = table_file.scan(file, OF_POINTS["gc_logs"])
    return logs.group_by("point").agg(of_victims.alias("of_victims")).collect()


def _victims_with_pages(runs: LevelRuns, experiment: str) -> dict[str, float]:
    """By point, the per cent of its victims that hold a valid page: only there can a weight differ."""
    return dict(_of_logs(runs, experiment, 100 * (pl.col("valid_pages") > 0).mean()).iter_rows())


def _beside(cells: Relocation, scheme: str, append: Relocation, names: Sequence[str] = ()) -> Figure:
    """Time of all jobs under a placement over that of one open block: geometric mean over workloads."""
    ours, base = cells.metric(TIME, scheme), append.vanilla(TIME)
    return cells.geometric(lambda *cell: ours(*cell) / base(*cell), names)


def spread_of_victims(runs: LevelRuns) -> dict[str, Figure]:
    """Standard deviation between victims of vanilla of the mean time of their valid pages, us, by placement.

    Where validity does not depend on the level, it is what chance makes of it.
    """
    took = pl.col("end_ns").cast(pl.Int64) - pl.col("start_ns").cast(pl.Int64) - int(ERASE_NS)
    of_page = (took / pl.col("valid_pages")).filter(pl.col("valid_pages") > 0)
    of_point = _of_logs(runs, "levels", of_page.std())
    points = runs.cells("levels")
    if of_point.is_empty() or points.is_empty():
        return {}
    cells = Relocation(points.join(of_point, on="point", how="left"))
    return {value: _in_us(here, "of_victims") for value, here in cells.by_value("placement")}
