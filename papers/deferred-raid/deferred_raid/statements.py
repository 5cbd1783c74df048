"""What the paper prints and says about its runs, as figures: claims of `expected.toml` take them by name."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from reclaim.papers.custom import Custom, Ran, told

from . import weeks
from .gains import DGC, RAID5, SIZES, WORKLOADS, Cells, of_sizes

NOT_HERE = "this level does not run all workloads"
LARGEST, SMALLEST = "hm_0", "wdev_0"
CLASSES = ("total", "write", "read")
MORE = 1.001
"""Write amplification beside RAID-5 that still counts as none."""
HALF = 0.5
"""Of the response time: a part that is more than this is a main part."""
CORRELATED = 0.5
"""Rank correlation above which one figure follows another."""
REFUSED = 0.01
"""Share of warnings without a chip that still counts as none."""
Holds = Callable[[Cells, int], bool]


def of_runs(ran: Ran) -> dict[str, Custom]:
    """Every figure; those that the level does not have say so."""
    points = ran.cells("cells")
    found: dict[str, Custom] = {name: Custom(None, reason=NOT_HERE) for name in NAMES}
    found |= weeks.of_runs(ran)
    if points.is_empty() or not set(WORKLOADS) <= set(points["trace"].to_list()):
        return found
    cells = Cells.of(points, ran.sweeps / "cells")
    for kind in ("mean", "p99"):
        for of in CLASSES:
            found |= _reductions(cells, kind, of)
    found |= {name: _told(holds, cells, RULES[name]) for name, holds in SHAPES.items()}
    found["avg-lower"] = _lower(cells, "mean")
    found["p99-lower"] = _lower(cells, "p99")
    found["gc-share"] = Custom(
        cells.figure(lambda r: _gc_share(cells, LARGEST, r) / _gc_share(cells, SMALLEST, r))
    )
    found["hm0-over-wdev"] = Custom(
        cells.figure(
            lambda r: cells.ratio("mean", "total", SMALLEST, r) / cells.ratio("mean", "total", LARGEST, r)
        )
    )
    sizes = of_sizes(ran)
    if sizes is not None:
        found |= _sizes(sizes)
    return found


def _reductions(cells: Cells, kind: str, of: str) -> dict[str, Custom]:
    name = f"{kind}-{of}"

    def ranking(repeat: int) -> float:
        ratios = {each: cells.ratio(kind, of, each, repeat) for each in WORKLOADS}
        others = [ratios[each] for each in WORKLOADS if each not in (LARGEST, SMALLEST)]
        return min(
            min(*others, ratios[SMALLEST]) / ratios[LARGEST], ratios[SMALLEST] / max(*others, ratios[LARGEST])
        )

    return {
        f"{name}-average": Custom(cells.reduction(kind, of, WORKLOADS)),
        f"{name}-hm0": Custom(cells.reduction(kind, of, [LARGEST])),
        f"{name}-wdev": Custom(cells.reduction(kind, of, [SMALLEST])),
        f"{name}-order": Custom(cells.figure(ranking)),
    }


def _lower(cells: Cells, kind: str) -> Custom:
    parts = cells.ratios(kind, "total")
    mean = cells.figure(
        lambda r: statistics.geometric_mean(cells.ratio(kind, "total", name, r) for name in WORKLOADS)
    )
    return Custom(mean, parts=parts)


def _no_more_is_written(cells: Cells, repeat: int) -> bool:
    """Write amplification is no more than a thousandth greater than under RAID-5."""

    def ratio(name: str) -> float:
        ours, base = (cells.row(name, scheme, repeat) for scheme in (DGC, RAID5))
        return float(ours["gc_write_amplification"] / base["gc_write_amplification"])

    return all(ratio(name) < MORE for name in WORKLOADS)


def _gc_share(cells: Cells, name: str, repeat: int) -> float:
    """Share of the response time under RAID-5 that requests wait for collection."""
    row = cells.row(name, RAID5, repeat)
    return cells.part(row, "gc") / cells.mean(row, "total")


def _waiting_share(cells: Cells, name: str, repeat: int) -> float:
    """The same with what they wait for each other; the lookup, a microsecond, is no waiting."""
    row = cells.row(name, RAID5, repeat)
    return (cells.part(row, "gc") + cells.part(row, "queue")) / cells.mean(row, "total")


def _rank_correlation(left: list[float], right: list[float]) -> float:
    def ranks(values: list[float]) -> list[float]:
        order = sorted(values)
        return [float(order.index(value)) for value in values]

    if min(len(set(left)), len(set(right))) == 1:
        # Where all workloads are the same, nothing follows from anything.
        return 0.0
    return statistics.correlation(ranks(left), ranks(right))


def _more_deferred_is_better(cells: Cells, repeat: int) -> bool:
    jobs = [float(row["gc_deferral_deferred_jobs"]) for _, row in cells.each(DGC, repeat)]
    gains = [1 - cells.ratio("mean", "total", name, repeat) for name in WORKLOADS]
    return _rank_correlation(jobs, gains) > CORRELATED


def _more_valid_is_longer(cells: Cells, repeat: int) -> bool:
    """Victims hold most under hm_0, which has the largest unique write space, and least under wdev_0."""
    valid = [row["gc_valid_pages_per_victim"] for _, row in cells.each(RAID5, repeat)]
    most, least = max(valid), min(valid)
    return (
        most > least and valid[WORKLOADS.index(LARGEST)] == most and valid[WORKLOADS.index(SMALLEST)] == least
    )


def _tail_depends_on_waiting(cells: Cells, repeat: int) -> bool:
    tails = [1 - cells.ratio("p99", "total", name, repeat) for name in WORKLOADS]
    saved = [
        cells.part(cells.row(name, RAID5, repeat), "gc") - cells.part(cells.row(name, DGC, repeat), "gc")
        for name in WORKLOADS
    ]
    return _rank_correlation(tails, saved) > CORRELATED


def _others_wait(cells: Cells, repeat: int) -> bool:
    return all(_waiting_share(cells, name, repeat) > HALF for name in WORKLOADS if name != SMALLEST)


def _only_the_smallest_does_not(cells: Cells, repeat: int) -> bool:
    return _others_wait(cells, repeat) and _waiting_share(cells, SMALLEST, repeat) < HALF


def _warned_to_balance(cells: Cells, repeat: int) -> bool:
    """After redirection no more writes wait than fit: every warning is answered."""
    rows = [row for _, row in cells.each(DGC, repeat)]
    refused = sum(row["gc_deferral_refused_redirects"] for row in rows)
    return refused < REFUSED * sum(row["gc_deferral_warnings"] for row in rows)


SHAPES: dict[str, Holds] = {
    "waiting-dominates": _others_wait,
    "wdev-is-other": _only_the_smallest_does_not,
    "no-extra-wa": _no_more_is_written,
    "steady-state": _warned_to_balance,
    "more-deferred-better": _more_deferred_is_better,
    "valid-pages-follow-space": _more_valid_is_longer,
    "tail-follows-waiting": _tail_depends_on_waiting,
}


RULES: dict[str, str] = {
    "waiting-dominates": f"waiting and collection are more than {HALF:.0%} of the time, in all but wdev_0",
    "wdev-is-other": f"the same, and less than {HALF:.0%} in wdev_0",
    "no-extra-wa": f"write amplification is less than {MORE} times that of RAID-5 in each workload",
    "steady-state": f"fewer than {REFUSED:.0%} of the warnings find no chip",
    "more-deferred-better": f"deferred jobs and gains correlate by more than {CORRELATED} in rank",
    "valid-pages-follow-space": "victims hold most in hm_0 and least in wdev_0",
    "tail-follows-waiting": f"gains of p99 and collection saved correlate by more than {CORRELATED} in rank",
}
"""When a shape counts as there, in every repeat."""
FALLS = "with 4 chips more than with 8, and with 8 more than with 16"


def _told(holds: Holds, cells: Cells, rule: str) -> Custom:
    """A shape: 1 if all repeats show it."""
    return told(all(holds(cells, repeat) for repeat in cells.repeats), len(cells.repeats), rule)


def _sizes(cells: Cells) -> dict[str, Custom]:
    """Figures 10 and 11: other numbers of chips in a parity group."""

    def mean(chips: int, repeat: int) -> float:
        return statistics.fmean(cells.mean(row, "total") for _, row in cells.each(DGC, repeat, chips))

    def fall(repeat: int) -> float:
        first, last = (dict(cells.each(DGC, repeat, chips)) for chips in (SIZES[0], SIZES[-1]))
        ratios = [cells.mean(last[name], "total") / cells.mean(first[name], "total") for name in WORKLOADS]
        return 100 * (1 - statistics.fmean(ratios))

    def gain(chips: int, repeat: int) -> float:
        return 100 * statistics.fmean(
            1 - cells.ratio("mean", "total", name, repeat, chips) for name in WORKLOADS
        )

    def falls(value: Callable[[int, int], float]) -> Holds:
        return lambda _, repeat: value(4, repeat) > value(8, repeat) > value(16, repeat)

    def operations(chips: int, repeat: int) -> float:
        rows = [row for _, row in cells.each(DGC, repeat, chips)]
        return sum(row["flash_parity_programs"] + row["redundancy_stripe_reads"] for row in rows)

    return {
        "faster-in-large-groups": _told(falls(mean), cells, FALLS),
        "fall-of-response": Custom(cells.figure(fall)),
        "fewer-operations": _told(falls(operations), cells, FALLS),
        "gain-falls": _told(falls(gain), cells, FALLS),
        "fall-of-gain": Custom(cells.figure(lambda repeat: gain(4, repeat) - gain(16, repeat))),
    }


NAMES = (
    *(
        f"{kind}-{of}-{which}"
        for kind in ("mean", "p99")
        for of in CLASSES
        for which in ("average", "hm0", "wdev", "order")
    ),
    *SHAPES,
    "avg-lower",
    "p99-lower",
    "gc-share",
    "hm0-over-wdev",
    "faster-in-large-groups",
    "fall-of-response",
    "fewer-operations",
    "gain-falls",
    "fall-of-gain",
)
"""Every figure that claims may name."""
