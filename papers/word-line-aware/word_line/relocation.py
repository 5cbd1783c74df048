"""What relocation takes in a drive under each victim policy, by choice of ours, and by placement.

One plane and a host that is seldom in the way, so that a collection job takes what its reads, its programs
and its erase take. Every saving is paired: of one repeat, which plays the same trace under both policies.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from reclaim import table_file
from reclaim.papers.cells import Cells
from reclaim.papers.custom import Custom, Ran
from reclaim.papers.job_times import LOGS
from reclaim.papers.measured import Figure, interval_of
from reclaim.results.sets.tables import OF_POINTS

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

    def page_ns(self, workload: str, scheme: str, repeat: int) -> float:
        """Time that a valid page of a victim takes: what the jobs take without their erases."""
        job = self.value("gc_job_mean_ns", workload, scheme, repeat)
        return (job - ERASE_NS) / self.value("gc_valid_pages_per_victim", workload, scheme, repeat)

    def mean(self, metric: str, workload: str, times: float = 1) -> Figure:
        """Give a metric of vanilla on a workload, median over repeats."""
        return self.figure(lambda repeat: times * self.value(metric, workload, VANILLA, repeat))

    def moved(self, workload: str, scheme: str, repeat: int) -> float:
        """Pages moved for each page that the host wrote."""
        return self.value("gc_write_amplification", workload, scheme, repeat) - 1

    def time(self, workload: str, scheme: str, repeat: int) -> float:
        """Time of all jobs for each page that the host wrote, ns."""
        return self.value(TIME, workload, scheme, repeat)

    def saved(
        self, of: Callable[[str, str, int], float], scheme: str, base: str, names: Sequence[str] = ()
    ) -> Figure:
        """Give per cent less than under another scheme, mean over workloads, median over repeats."""
        return self.figure(
            lambda repeat: statistics.fmean(
                100 * (1 - of(name, scheme, repeat) / of(name, base, repeat))
                for name in names or self.workloads
            )
        )


@dataclass(frozen=True)
class Axis:
    """An experiment with an axis of settings."""

    points: pl.DataFrame
    name: str

    @property
    def values(self) -> list[str]:
        """Those of the axis, in the order of the experiment."""
        return [str(each) for each in self.points[self.name].unique(maintain_order=True).to_list()]

    def at(self, value: str) -> Relocation:
        """The points with one value."""
        return Relocation(self.points.filter(pl.col(self.name) == value))


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Every figure that the experiments on relocation give; nothing without them."""
    parts = (_power(ran), _long(ran), _choices(ran), _levels(ran), _sizes(ran), _signs(ran))
    return {name: Custom(figure) for part in parts for name, figure in part}


def _power(ran: Ran) -> Iterator[tuple[str, Figure]]:
    if not (cells := Relocation(ran.cells("power"))).has_all(VANILLA, *POLICIES):
        return
    for scheme in POLICIES:
        yield f"{scheme} saves", cells.saved(cells.time, scheme, VANILLA)
        yield f"{scheme} saves, pages moved", cells.saved(cells.moved, scheme, VANILLA)
        yield f"{scheme} saves, time of a page", cells.saved(cells.page_ns, scheme, VANILLA)
        for name in cells.workloads:
            yield f"{scheme} saves, {name}", cells.saved(cells.time, scheme, VANILLA, [name])
    for base in ("in order, 15 %", "in order, 25 %", "oldest, 15 %"):
        yield f"wla beside {base}", cells.saved(cells.time, WLA, base)
        yield f"vanilla beside {base}", cells.saved(cells.time, VANILLA, base)


def _long(ran: Ran) -> Iterator[tuple[str, Figure]]:
    if not (cells := Relocation(ran.cells("power-long"))).has_all(VANILLA, WLA):
        return
    for what, of in _measures(cells).items():
        for name in cells.workloads:
            yield f"long: {what}, {name}", cells.saved(of, WLA, VANILLA, [name])
        yield f"long: {what}", cells.saved(of, WLA, VANILLA)


def _measures(cells: Relocation) -> dict[str, Callable[[str, str, int], float]]:
    return {
        "time of all jobs": cells.time,
        "time of a job": lambda *cell: cells.value("gc_job_mean_ns", *cell),
        "pages moved": cells.moved,
        "time of a page": cells.page_ns,
    }


def _axis(ran: Ran, experiment: str, name: str) -> Axis | None:
    points = ran.cells(experiment)
    return None if points.is_empty() or name not in points.columns else Axis(points, name)


def _choices(ran: Ran) -> Iterator[tuple[str, Figure]]:
    if not (axis := _axis(ran, "power-choices", "choice")):
        return
    for value in axis.values:
        cells = axis.at(value)
        for name in cells.workloads:
            yield f"wla saves, {name}, {value}", cells.saved(cells.time, WLA, VANILLA, [name])


def _levels(ran: Ran) -> Iterator[tuple[str, Figure]]:
    if not (axis := _axis(ran, "levels", "placement")):
        return
    append = axis.at("append")
    spreads = spread_of_victims(ran, axis)
    for value in axis.values:
        cells = axis.at(value)
        for scheme in cells.schemes:
            if scheme != VANILLA:
                yield f"{value}: {scheme} saves", cells.saved(cells.time, scheme, VANILLA)
                for name in cells.workloads:
                    alone = cells.saved(cells.time, scheme, VANILLA, [name])
                    yield f"{value}: {scheme} saves, {name}", alone
                yield f"{value}: {scheme} saves, pages moved", cells.saved(cells.moved, scheme, VANILLA)
                yield f"{value}: {scheme} saves, time of a page", cells.saved(cells.page_ns, scheme, VANILLA)
            yield f"{value}: {scheme} beside append", _beside(cells, scheme, append, VANILLA)
        yield (
            f"{value}: time of a page, us",
            cells.figure(
                lambda repeat, of=cells: (  # type: ignore[misc]
                    statistics.fmean(of.page_ns(name, VANILLA, repeat) for name in of.workloads) / 1e3
                )
            ),
        )
        if value in spreads:
            yield f"{value}: spread of victims, us", spreads[value]


def _sizes(ran: Ran) -> Iterator[tuple[str, Figure]]:
    """By workload and size of the drive: where a weight can act, and what it saves by placement."""
    if not (axis := _axis(ran, "levels-sizes", "placement")):
        return
    append = axis.at("append")
    with_pages = _victims_with_pages(ran, "levels-sizes")
    for name in append.workloads:
        yield f"{name}: write amplification", append.mean("gc_write_amplification", name)
        yield f"{name}: die utilization", append.mean("utilisation_die", name, 100)
        shares = [with_pages.get(append.row(name, VANILLA, each)["point"]) for each in append.repeats]
        if None not in shares:
            yield (
                f"{name}: victims with valid pages",
                interval_of([each for each in shares if each is not None]),
            )
        for value, goes in GOES.items():
            cells = axis.at(value)
            for scheme in (each for each in cells.schemes if each != VANILLA):
                yield f"{name}, {goes}: {scheme} saves", cells.saved(cells.time, scheme, VANILLA, [name])
            for scheme in cells.schemes:
                yield (
                    f"{name}, {goes}: {scheme} beside append",
                    _beside(cells, scheme, append, VANILLA, names=[name]),
                )


def _signs(ran: Ran) -> Iterator[tuple[str, Figure]]:
    """What the weight saves under placement by history, each choice of ours otherwise."""
    if not (axis := _axis(ran, "levels-choices", "choice")):
        return
    for value in axis.values:
        cells = axis.at(value)
        for name in cells.workloads:
            for goes in ("fast", "slow"):
                saved = cells.saved(cells.time, f"{WLA}, {goes}", f"{VANILLA}, {goes}", [name])
                yield f"{name}, {goes}: wla saves, {value}", saved


def _victims_with_pages(ran: Ran, experiment: str) -> dict[str, float]:
    """By point, the per cent of its victims that hold a valid page: only there can a weight differ."""
    file = ran.sweeps / experiment / LOGS
    if not file.is_file():
        return {}
    shares = (
        table_file.scan(file, OF_POINTS["gc_logs"])
        .group_by("point")
        .agg((100 * (pl.col("valid_pages") > 0).mean()).alias("share"))
        .collect()
    )
    return dict(shares.iter_rows())


def _beside(
    cells: Relocation,
    scheme: str,
    append: Relocation,
    base: str,
    metric: str = TIME,
    names: Sequence[str] = (),
) -> Figure:
    """A metric under a placement over that of one open block: geometric mean over workloads."""
    return cells.figure(
        lambda repeat: statistics.geometric_mean(
            cells.value(metric, name, scheme, repeat) / append.value(metric, name, base, repeat)
            for name in names or cells.workloads
        )
    )


def spread_of_victims(ran: Ran, axis: Axis) -> dict[str, Figure]:
    """Standard deviation between victims of vanilla of the mean time of their valid pages, us, by placement.

    Where validity does not depend on the level, it is what chance makes of it.
    """
    file = ran.sweeps / "levels" / LOGS
    if not file.is_file():
        return {}
    took = pl.col("end_ns").cast(pl.Int64) - pl.col("start_ns").cast(pl.Int64) - int(ERASE_NS)
    of_point = (
        table_file.scan(file, OF_POINTS["gc_logs"])
        .filter(pl.col("valid_pages") > 0)
        .group_by("point")
        .agg((took / pl.col("valid_pages")).std().alias("spread"))
        .collect()
    )
    points = axis.points.join(of_point, on="point", how="left")
    found = {}
    for value in axis.values:
        cells = Relocation(points.filter(pl.col(axis.name) == value))
        found[value] = cells.figure(
            lambda repeat, of=cells: (  # type: ignore[misc]
                statistics.fmean(of.value("spread", name, VANILLA, repeat) for name in of.workloads) / 1e3
            )
        )
    return found
