"""Write amplification: uniform, hot and cold, and trimmed, under every victim policy with a closed form."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from reclaim import _core
from reclaim.validation.checks import Check, ExpectedFigure, Heartbeat, Level
from reclaim.validation.closed_forms import amplification as oracle

SPARE_PERCENT = (7, 10, 15, 20, 28)
BLOCK_SIZES = (32, 64, 256)
TRIM_SHARES = (0.0, 0.02, 0.05, 0.10, 0.20)
HOT_COLD = (
    (10, 0.20, 0.80),
    (10, 0.10, 0.90),
    (10, 0.05, 0.95),
    (20, 0.20, 0.80),
    (20, 0.10, 0.90),
    (20, 0.05, 0.95),
    (28, 0.20, 0.80),
)
"""Spare percent, share of the data that is hot, share of the writes that go there."""
WARM_UP = 10.0
SKEWED_WARM_UP = 25.0
"""Cold pages turn over slowly."""
TIGHT = 0.01
LOOSE = 0.02


@dataclass(frozen=True)
class Policy:
    """A victim policy and its formula: spare factor and pages per block to write amplification."""

    label: str
    victim: str
    formula: Callable[[float, int], float]
    d: int | None = None
    tolerance: float = TIGHT
    least_seeds: int = 1


@cache
def _d_choices(spare: float, pages: int, d: int) -> float:
    return oracle.d_choices(spare, pages, d)


GREEDY = Policy("greedy", "greedy", oracle.greedy)
FIFO = Policy("fifo", "fifo", lambda spare, _: oracle.fifo(spare))
POLICIES = (
    GREEDY,
    FIFO,
    Policy("random", "random", lambda spare, _: oracle.random_victim(spare), tolerance=LOOSE, least_seeds=2),
    Policy(
        "d = 2", "d-choices", lambda spare, b: _d_choices(spare, b, 2), d=2, tolerance=LOOSE, least_seeds=2
    ),
    Policy("d = 10", "d-choices", lambda spare, b: _d_choices(spare, b, 10), d=10),
)


def checks(level: Level) -> list[Check]:
    """Every row of the table of closed forms."""
    uniform = [
        _uniform(level, policy, percent, pages)
        for pages in BLOCK_SIZES
        for percent in SPARE_PERCENT
        for policy in POLICIES
    ]
    separate = [_uniform(level, policy, 10, 64, shared=False) for policy in POLICIES]
    skewed = [_skewed(level, *row) for row in HOT_COLD]
    trimmed = [_trimmed(level, percent, share) for percent in (7, 15) for share in TRIM_SHARES]
    return uniform + separate + skewed + trimmed


def _measure(
    level: Level,
    policy: Policy,
    percent: int,
    pages: int,
    seed: int,
    heartbeat: Heartbeat,
    *,
    shared: bool = True,
    hot: tuple[float, float] | None = None,
    trims: float = 0.0,
) -> dict[str, float]:
    text = _core.write_amplification(
        policy.victim,
        d=policy.d,
        shared_frontier=shared,
        blocks=level.pages // pages,
        pages_per_block=pages,
        spare=(percent, 100),
        hot=hot,
        trims=trims,
        warm_up=SKEWED_WARM_UP if hot else WARM_UP,
        measured=level.capacities,
        seed=seed,
        progress=heartbeat,
    )
    return dict(json.loads(text))


def _point(
    name: str, found: dict[str, float], formula: Callable[[float], float], tolerance: float, **details: float
) -> ExpectedFigure:
    """Compare a measurement with a formula at the effective spare factor."""
    return ExpectedFigure(
        name,
        found["write_amplification"],
        formula(found["effective_spare_factor"]),
        tolerance,
        "ratio",
        {
            "spare_factor": found["spare_factor"],
            "effective_spare_factor": found["effective_spare_factor"],
            "reserve_blocks": found["reserve_blocks"],
            "expected_at_nominal": formula(found["spare_factor"]),
            **details,
        },
    )


def _uniform(level: Level, policy: Policy, percent: int, pages: int, *, shared: bool = True) -> Check:
    def run(seed: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        found = _measure(level, policy, percent, pages, seed, heartbeat, shared=shared)
        name = f"b = {pages}, Sf = 0.{percent:02}, {policy.label}"
        return [
            _point(
                name,
                found,
                lambda spare: policy.formula(spare, pages),
                policy.tolerance,
                pages_per_block=pages,
            )
        ]

    group = "Uniform writes" if shared else "Uniform writes, collector with an open block of its own"
    return Check(group, run, max(level.seeds, policy.least_seeds))


def _skewed(level: Level, percent: int, data: float, writes: float) -> Check:
    def run(seed: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        found = _measure(level, FIFO, percent, 64, seed, heartbeat, hot=(data, writes))
        classes = [(data, writes), (1 - data, 1 - writes)]
        name = f"b = 64, Sf = 0.{percent}, fifo, {100 * writes:.0f} % of the writes to {100 * data:.0f} %"
        return [_point(name, found, lambda spare: oracle.fifo_classes(spare, classes), TIGHT)]

    return Check("Hot and cold pages", run, level.seeds)


def _trimmed(level: Level, percent: int, share: float) -> Check:
    def run(seed: int, heartbeat: Heartbeat) -> list[ExpectedFigure]:
        found = _measure(level, GREEDY, percent, 64, seed, heartbeat, trims=share)
        name = f"b = 64, Sf = 0.{percent:02}, greedy, {100 * share:.0f} % trims"
        points = [
            _point(name, found, lambda spare: oracle.greedy(oracle.with_trims(spare, share), 64), TIGHT)
        ]
        if share:
            in_use = ExpectedFigure(
                f"{name}: share in use", found["in_use"], oracle.in_use(share), TIGHT, "ratio"
            )
            points.append(in_use)
        return points

    return Check("Trims", run, level.seeds)
