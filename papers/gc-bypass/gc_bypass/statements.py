"""What the paper prints and says about its runs, as figures: claims of `expected.toml` take them by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence

from reclaim.papers import latencies
from reclaim.papers.custom import Custom, Ran
from reclaim.papers.measured import Figure

from . import cells as of
from .cells import BASELINE, BYPASS, VENICE, Cells
from .comparing import Holds, geometric_mean, most, one_of, order, over, shown
from .course import Course
from .overheads import overhead, safe

NOT_HERE = "this level does not run it"
BOTH = (BASELINE, VENICE)
TAILED = "rsrch"
"""The workload whose tail the paper prints."""
DIFFERENT = 0.05
"""Share by which times of transfers may differ and still count as identical."""
HALF = 0.5
"""Of the latency: what is more than this dominates."""


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Every figure; those that the level does not have say so."""
    found = {name: Custom(None, reason=NOT_HERE) for name in NAMES}
    points = ran.cells("cells")
    if not points.is_empty():
        cells = Cells.of(points, ran.sweeps / "cells")
        found |= _latencies(cells) | _tails(cells) | _shapes(cells) | _utilisation(cells) | overhead(cells)
        found |= safe(cells) | _courses(cells, ran)
    points = ran.cells("million")
    if not points.is_empty():
        found |= _tails(Cells.of(points, ran.sweeps / "million"))
    points = ran.cells("closed")
    if not points.is_empty():
        found |= _bandwidth(Cells.of(points, ran.sweeps / "closed"))
    points = ran.cells("batches")
    if not points.is_empty():
        found |= _batches(Cells.of(points, ran.sweeps / "batches"))
    points = ran.cells("separated")
    if not points.is_empty():
        found |= _separated(Cells.of(points, ran.sweeps / "separated"))
    return found


def of_variations(ran: Ran) -> dict[str, Custom]:
    """What the cells show under another load or reading, without Figure 13."""
    points = ran.cells("cells")
    if points.is_empty():
        return {}
    cells = Cells(points, latencies.distributions_under(ran.sweeps, "cells", points))
    found = _latencies(cells) | _tails(cells) | _shapes(cells)
    return found | _utilisation(cells) | overhead(cells) | safe(cells)


def _latencies(cells: Cells) -> dict[str, Custom]:
    """Figures 8 to 10, and Figure 14."""
    names = cells.workloads
    found = {
        "delay order": order(cells, latencies.mean, BYPASS, BOTH, names),
        "delay beside baseline": most(cells, latencies.mean, BYPASS, BASELINE, names),
        "delay beside venice": most(cells, latencies.mean, BYPASS, VENICE, names),
        "waiting, baseline": order(cells, of.waiting, BASELINE, (VENICE, BYPASS), names, beside=max),
        "waiting, venice": order(cells, of.waiting, VENICE, BASELINE, names),
        "collection waits": order(cells, of.waiting_for_collection, BYPASS, VENICE, _collecting(cells)),
    }
    for op in latencies.CLASSES:
        found[f"{op} order"] = order(cells, of.mean_of(op), BYPASS, BOTH, names)
        found[f"{op} beside venice"] = most(cells, of.mean_of(op), BYPASS, VENICE, names)
    alibaba = [name for name in names if name in of.ALIBABA]
    if alibaba:
        found["alibaba order"] = order(cells, latencies.mean, BYPASS, BOTH, alibaba)
        found["alibaba waiting"] = order(cells, of.waiting, BYPASS, VENICE, alibaba)
    return found


def _collecting(cells: Cells) -> list[str]:
    """Workloads under which requests wait for collection at all."""

    def waits(name: str) -> bool:
        rows = [cells.row(name, each, r) for each in BOTH for r in cells.repeats]
        return all(of.waiting_for_collection(row) > 0 for row in rows)

    return [name for name in cells.workloads if waits(name)] or cells.workloads


def _tails(cells: Cells) -> dict[str, Custom]:
    """Figure 12: of the first million requests, where the level has them."""
    msr = [name for name in cells.workloads if name in of.MSR]
    if not msr:
        return {}
    found = {
        "tail order": order(cells, cells.tail, BYPASS, BOTH, msr),
        "tail of baseline": order(cells, cells.tail, BASELINE, (VENICE, BYPASS), msr, beside=max),
        "tail of venice": order(cells, cells.tail, VENICE, BASELINE, msr),
    }
    if TAILED in msr:
        for base in BOTH:
            found[f"tail beside {base}"] = Custom(most(cells, cells.tail, BYPASS, base, [TAILED]).figure)
    return found


def _shapes(cells: Cells) -> dict[str, Custom]:
    """What the text says about waiting and times."""
    names = _collecting(cells)
    return {name: shown(cells, _in_all(holds, names), RULES[name]) for name, holds in SHAPES.items()}


def _in_all(holds: Callable[[Cells, str, int], bool], names: Sequence[str]) -> Holds:
    return lambda cells, repeat: all(holds(cells, name, repeat) for name in names)


def _identical(cells: Cells, name: str, repeat: int) -> bool:
    """Transfer and array time of a request differ by a twentieth at most."""
    times = [
        latencies.time_of(cells.row(name, each, repeat), "transfer")
        + latencies.time_of(cells.row(name, each, repeat), "array")
        for each in (BASELINE, VENICE, BYPASS)
    ]
    return max(times) <= (1 + DIFFERENT) * min(times)


def _waiting_dominates(cells: Cells, name: str, repeat: int) -> bool:
    """Of the latency of requests more than half is waiting, under each scheme."""
    rows = [cells.row(name, each, repeat) for each in (BASELINE, VENICE, BYPASS)]
    return all(of.waiting(row) > HALF * latencies.mean(row) for row in rows)


def _milliseconds(cells: Cells, name: str, repeat: int) -> bool:
    """The longest request waits a millisecond or more under the baseline."""
    row = cells.row(name, BASELINE, repeat)
    return max(float(row[f"{op}_max_ns"]) for op in latencies.CLASSES) > 1e6 + of.PROGRAM_NS


def _array_over_transfer(cells: Cells, name: str, repeat: int) -> bool:
    row = cells.row(name, BASELINE, repeat)
    return latencies.time_of(row, "array") > latencies.time_of(row, "transfer")


SHAPES: dict[str, Callable[[Cells, str, int], bool]] = {
    "transfer times are identical": _identical,
    "waiting dominates": _waiting_dominates,
    "waits of milliseconds": _milliseconds,
    "array dominates transfers": _array_over_transfer,
}
RULES: dict[str, str] = {
    "transfer times are identical": f"transfer and array times differ by {DIFFERENT:.0%} at most",
    "waiting dominates": f"waiting is more than {HALF:.0%} of the latency, under each scheme",
    "waits of milliseconds": "the longest request waits a millisecond or more under the baseline",
    "array dominates transfers": "flash arrays take longer than transfers under the baseline",
}
"""When a shape counts as there, in each workload that collects and each repeat."""


def _utilisation(cells: Cells) -> dict[str, Custom]:
    """Figure 15."""
    names = cells.workloads

    def spread(scheme: str, repeat: int) -> float:
        values = [of.used(cells.row(name, scheme, repeat)) for name in names]
        return statistics.pstdev(values) / statistics.fmean(values)

    def evenness(repeat: int) -> float:
        least = min(spread(each, repeat) for each in BOTH)
        return spread(BYPASS, repeat) / least if least else 1.0

    def most(name: str, repeat: int) -> float:
        rows = {each: of.used(cells.row(name, each, repeat)) for each in (*BOTH, BYPASS)}
        return rows[BYPASS] / max(rows[each] for each in BOTH)

    whole = cells.figure(lambda r: geometric_mean(most(name, r) for name in names))
    found = {
        "use order": Custom(whole, parts=cells.parts(most, names)),
        "use of venice": order(cells, of.used, VENICE, BASELINE, names),
        "use of baseline": order(cells, of.used, BASELINE, (VENICE, BYPASS), names),
    }
    if len(names) > 1:
        found["evenness"] = Custom(cells.figure(evenness))
    return found


def _courses(cells: Cells, ran: Ran) -> dict[str, Custom]:
    """Figure 13: the mean latency of each interval."""
    course = Course.of(cells.points, ran.timelines("cells"))
    names = [name for name in cells.workloads if name in of.MSR]
    if course.rows.is_empty() or not names:
        return {}
    found = {}
    for key, compute in (("level", course.level), ("jitter", course.jitter), ("peak", course.peak)):

        def ratio(name: str, r: int, c: Callable[[str, str, int], float] = compute) -> float:
            return c(name, BYPASS, r) / min(c(name, each, r) for each in BOTH)

        whole = cells.figure(over(geometric_mean, ratio, names))
        found[f"{key} over time"] = Custom(whole, parts=cells.parts(ratio, names))
    return found


def _bandwidth(cells: Cells) -> dict[str, Custom]:
    """Figure 11."""
    names = cells.workloads

    def beside(scheme: str, bases: Sequence[str]) -> Callable[[str, int], float]:
        def one(name: str, r: int) -> float:
            best = max(of.bandwidth(cells.row(name, each, r)) for each in bases)
            return of.bandwidth(cells.row(name, scheme, r)) / best

        return one

    def order(scheme: str, bases: Sequence[str]) -> Custom:
        one = beside(scheme, bases)
        whole = cells.figure(lambda r: geometric_mean(one(name, r) for name in names))
        return Custom(whole, parts=cells.parts(one, names))

    return {
        "bandwidth order": order(BYPASS, BOTH),
        "bandwidth of venice": order(VENICE, [BASELINE]),
        "bandwidth beside baseline": most(cells, of.bandwidth, BYPASS, BASELINE, names, gain=True),
        "bandwidth beside venice": most(cells, of.bandwidth, BYPASS, VENICE, names, gain=True),
    }


def _batches(cells: Cells) -> dict[str, Custom]:
    """Table 2: time of dies, the buffer, and the mean latency, beside one batch.

    Not the time of jobs, which has all write-back in it but that of the last batch.
    """
    workload = str(cells.points["trace"][0])
    found: dict[str, Custom] = {}
    schemes = {1: BYPASS, **{count: f"{count}-batches" for count in (2, 3, 4)}}
    for count, scheme in schemes.items():
        for what, metric in (("gc time", of.collection_time), ("latency", latencies.mean)):
            found[f"{what}, {count} batches"] = Custom(cells.figure(one_of(cells, metric, workload, scheme)))
        found[f"buffer, {count} batches"] = Custom(Figure(-(-of.PAGES // count) / of.PAGES, exact=True))
    split = [schemes[count] for count in (2, 3, 4)]

    def beside(scheme: str, repeat: int) -> float:
        return cells.ratio(latencies.mean, workload, scheme, BYPASS, repeat)

    found["splitting helps"] = Custom(
        cells.figure(lambda r: statistics.fmean(beside(each, r) for each in split)),
        parts=cells.parts(beside, split),
    )
    return found


def _separated(cells: Cells) -> dict[str, Custom]:
    """What of GC bypass saves scouts and time."""
    names = cells.workloads

    def scouts(row: Mapping[str, float]) -> float:
        return float(row["interconnect_scouts_sent"]) / float(row["interconnect_transfers"])

    return {
        "scouts for each transfer": order(cells, scouts, BYPASS, "hold = transfer", names),
        "waiting without preemption": order(
            cells, latencies.mean, BYPASS, "buffer and free destination", names
        ),
    }


NAMES = (
    "delay order",
    "delay beside baseline",
    "delay beside venice",
    "waiting, baseline",
    "waiting, venice",
    "collection waits",
    *(f"{op} {what}" for op in latencies.CLASSES for what in ("order", "beside venice")),
    "alibaba order",
    "alibaba waiting",
    "tail order",
    "tail of baseline",
    "tail of venice",
    "tail beside baseline",
    "tail beside venice",
    *SHAPES,
    "use order",
    "use of venice",
    "use of baseline",
    "evenness",
    "free space in time",
    "wear is even",
    "job time order",
    "job time, venice",
    "job time, bypass, least",
    "job time, bypass, most",
    "job time, evenness",
    "job time, venice, least",
    "job time, venice, most",
    "job time, pssd",
    "level over time",
    "jitter over time",
    "peak over time",
    "bandwidth order",
    "bandwidth of venice",
    "bandwidth beside baseline",
    "bandwidth beside venice",
    *(f"{what}, {count} batches" for count in (1, 2, 3, 4) for what in ("gc time", "latency", "buffer")),
    "splitting helps",
    "scouts for each transfer",
    "waiting without preemption",
)
"""Every figure that claims may name."""
