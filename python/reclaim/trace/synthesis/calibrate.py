"""A few rounds of generating, measuring and turning knobs; the best round is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from reclaim.trace.synthesis.counts import groups
from reclaim.trace.synthesis.knobs import Knobs, clamped
from reclaim.trace.synthesis.metrics import OPS, value_of
from reclaim.trace.synthesis.model import Model
from reclaim.trace.trace import Trace

ROUNDS = 14
MORE_ROUNDS = 40
"""For the variant that came nearest, if something is still missed."""
GOOD_ENOUGH = 0.01
"""Greatest deviation at which there is nothing more to turn."""
FULL_DEVIATION = 0.2
"""A deviation counts in full up to here, so that what cannot be met does not outweigh everything else."""

Measure = Callable[[Knobs], tuple[Trace, dict[str, Any]]]


def calibrate(model: Model, measure: Measure, rounds: int = ROUNDS) -> tuple[float, Trace, dict[str, Any]]:
    """Turn the knobs until every target is met or the rounds are over; the best one."""
    knobs = Knobs(sequential={}, interleaved={})
    best: tuple[float, Trace, dict[str, Any]] | None = None
    for _ in range(rounds):
        trace, found = measure(knobs)
        score, largest = missed(model, found)
        if best is None or score < best[0]:
            best = (score, trace, found)
        if largest <= GOOD_ENOUGH:
            break
        knobs = turn(model, knobs, found)
        _correct_skew(model, found)
    assert best is not None  # noqa: S101 - there is at least one round
    return best


def missed(model: Model, found: dict[str, Any]) -> tuple[float, float]:
    """How bad all deviations from the targets are together, and the largest of them."""
    deviations = [deviation(model, found, path) for path in model.targets.figures]
    return sum(min(each, FULL_DEVIATION) ** 2 + (each > 0.05) for each in deviations), max(deviations)


def deviation(model: Model, found: dict[str, Any], path: str) -> float:
    """How far a figure is off its target, as a share of it."""
    target, value = model.targets.figures[path], value_of(found, path)
    if value is None:
        return 1.0
    return abs(value - target) if target == 0 else abs(value / target - 1)


def turn(model: Model, knobs: Knobs, found: dict[str, Any]) -> Knobs:
    """The next setting of the knobs, from what the present one gave."""
    figures = model.targets.figures

    def ratio(path: str) -> float:
        """What is wanted over what was found; 1 where either is missing."""
        target, value = figures.get(path), value_of(found, path)
        return target / value if target and value else 1.0

    written = model.write_footprint * 4096 / found["space"]["write_footprint_bytes"]
    if "space.write_footprint_bytes" in figures and "overwrites.overwrite_ratio" not in figures:
        written = ratio("space.write_footprint_bytes")
    # With few overwrites the ratio says more exactly what the footprint should be than the footprint does.
    only_read = max(1.0, model.footprint - model.write_footprint)
    measured = (found["space"]["footprint_bytes"] - found["space"]["write_footprint_bytes"]) / 4096
    mean = ratio("lifetimes.update_interval_units.mean")
    median = ratio("lifetimes.update_interval_units.percentiles.p50")
    new = replace(
        knobs,
        write_space=clamped(knobs.write_space * written, 0.2, 5.0),
        swept=clamped(knobs.swept * written, 0.2, 5.0),
        read_space=clamped(knobs.read_space * clamped(only_read / max(1.0, measured), 0.5, 2.0), 0.05, 20.0),
        hot_window=clamped(knobs.hot_window * clamped(median, 0.3, 3.0), 0.0005, 1.0),
        cold_window=clamped(knobs.cold_window * clamped(mean, 0.3, 3.0), 0.0005, 1.0),
        sequential=dict(knobs.sequential),
        interleaved=dict(knobs.interleaved),
        streaming_size=dict(knobs.streaming_size),
    )
    if model.targets.window is not None:
        place = f"arrivals.burstiness.{model.targets.window}"
        new.spread = clamped(knobs.spread * ratio(f"{place}.index_of_dispersion"), 0.2, 5.0)
        new.peak = clamped(knobs.peak * ratio(f"{place}.peak_to_mean"), 0.5, 2.0)
    for op in OPS:
        path = f"sequentiality.{op}"
        size = knobs.streaming_size.get(op, 1.0) * clamped(ratio(f"{path}.mean_in_stream_bytes"), 0.5, 2.0)
        new.streaming_size[op] = clamped(size, 0.1, 10.0)
        order = found["sequentiality"][op]
        next_to = figures.get(f"{path}.next_to_previous_share")
        in_stream = figures.get(f"{path}.in_stream_share", next_to)
        if next_to is not None:
            missing = next_to - order["next_to_previous_share"]
            new.sequential[op] = knobs.sequential.get(op, 0.0) + missing
            if f"{path}.in_stream_share" in figures and in_stream is not None:
                missing = (in_stream - next_to) - (order["in_stream_share"] - order["next_to_previous_share"])
                new.interleaved[op] = knobs.interleaved.get(op, 0.0) + missing
    return new


def _correct_skew(model: Model, found: dict[str, Any]) -> None:
    """Give more or less of the writes to the zones whose share is not what it should be."""
    paths = [f"skew.hottest_{percent}_percent_share" for percent in (1, 10, 20)]
    wanted = [model.targets.figures.get(path) for path in paths]
    if None in wanted:
        return
    before_wanted = before_found = 0.0
    touched = sum(zone.touched for zone in model.zones)
    for zones, path, target in zip(groups(model.zones, touched), paths, wanted, strict=False):
        value = value_of(found, path)
        if value is None or target is None or not zones:
            continue
        share, measured = target - before_wanted, value - before_found
        before_wanted, before_found = target, value
        factor = clamped(share / measured, 0.5, 2.0) if share > 0 and measured > 0 else 1.0
        for zone in zones:
            zone.factor = clamped(zone.factor * factor, 0.05, 20.0)
