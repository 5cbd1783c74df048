"""Stand-ins that preserve what collection costs: played from a history, calibrated on small drives."""

from __future__ import annotations

import json
import random
import tomllib
from dataclasses import asdict
from pathlib import Path

import pytest

import reclaim
from conftest import Command
from reclaim.papers import collecting
from reclaim.traces.synthesis import from_trace, synthesize
from reclaim.traces.synthesis.history import told_by, turned
from reclaim.traces.synthesis.knobs import Knobs
from reclaim.traces.synthesis.model import describe, model_of
from reclaim.traces.synthesis.search import REACH, Costs, Tried, changed
from reclaim.traces.trace import made

MOST_BYTES = 60_000


@pytest.fixture(scope="module")
def source() -> reclaim.Trace:
    """Two thirds of the writes to a tenth of the space, in streams: enough to collect."""
    return reclaim.generate_trace(
        name="source",
        requests=6000,
        seed=3,
        size=[["4KiB", 3], ["32KiB", 1]],
        operations={"write": 0.9},
        address={
            "kind": "hot-cold",
            "footprint": "24MiB",
            "zones": [{"space": 0.1, "access": 0.66}, {"space": 0.9, "access": 0.34}],
        },
        arrivals={"kind": "constant", "interval": "200us"},
    )


@pytest.fixture(scope="module")
def stand_in(source: reclaim.Trace) -> tuple[reclaim.Trace, Costs]:
    cost = collecting.cost_of(source)
    assert cost is not None
    found = synthesize(from_trace(source, name="x", of="x", terms="", date=""), cost=cost)
    return found.trace, cost(found.trace)


def test_it_collects_like_its_source(stand_in: tuple[reclaim.Trace, Costs]) -> None:
    _, costs = stand_in
    assert costs.times == pytest.approx(1, abs=0.1)
    assert costs.off < 0.08
    assert costs.off <= costs.worst < 0.12


def test_its_description_is_small_and_a_history(stand_in: tuple[reclaim.Trace, Costs]) -> None:
    text = stand_in[0].description
    assert text is not None
    description = tomllib.loads(text)
    assert description["generator"] == 2
    assert {"operations", "write", "trim"}.isdisjoint(description)
    assert len(text) < MOST_BYTES


def test_requests_and_sizes_are_the_sources(
    source: reclaim.Trace, stand_in: tuple[reclaim.Trace, Costs]
) -> None:
    before, after = source.characteristics(), stand_in[0].characteristics()
    for op in ("reads", "writes", "total"):
        assert after["requests"][op] == before["requests"][op]
    assert after["sizes"]["write"] == before["sizes"]["write"]
    written = after["space"]["write_footprint_bytes"] / before["space"]["write_footprint_bytes"]
    assert written == pytest.approx(1, abs=0.05)


def test_what_does_not_fit_the_drive_is_worst(source: reclaim.Trace) -> None:
    cost = collecting.cost_of(source)
    assert cost is not None
    larger = reclaim.uniform_trace(footprint_bytes=64 << 20, count=20_000, request_bytes=4096)
    assert cost(larger) == collecting.TOO_LARGE


def test_what_is_too_small_for_a_drive_has_no_cost(command: Command, tmp_path: Path) -> None:
    small = reclaim.uniform_trace(footprint_bytes=1 << 20, count=2000, request_bytes=4096)
    assert collecting.cost_of(small) is None
    file = tmp_path / "small.csv"
    small.convert(file)
    done = command("trace", "synthesize", str(file), str(tmp_path / "o.toml"), "--preserve", "collection")
    assert done.returncode == 2
    assert "no cost of collection to preserve" in done.stderr


def test_collection_of_what_is_published_cannot_be_preserved(command: Command, tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_text(
        'published = 1\nname = "t"\nof = "t"\nsource = "t"\n[figures]\nrequests.write_ratio = 0.5\n'
    )
    done = command("trace", "synthesize", str(table), str(tmp_path / "o.toml"), "--preserve", "collection")
    assert done.returncode == 2
    assert "--preserve collection plays a trace, and this is published figures" in done.stderr


def test_zones_come_in_turn_as_long_as_collection_costs_too_much(source: reclaim.Trace) -> None:
    model = model_of(from_trace(source, name="x", of="x", terms="", date=""))
    knobs = Knobs(sequential={}, interleaved={})
    found = source.characteristics()
    dear = turned(knobs, model, found, 1.2)
    assert dear.run > knobs.run
    assert dear.in_turn > knobs.in_turn
    assert dear.in_order > knobs.in_order
    cheap = turned(dear, model, found, 0.8)
    assert cheap.run < dear.run
    assert cheap.in_turn < dear.in_turn
    assert turned(dear, model, found, 5.0).in_turn == 1


def test_order_within_slots_makes_collection_cheaper(source: reclaim.Trace) -> None:
    cost = collecting.cost_of(source)
    model = told_by(from_trace(source, name="x", of="x", terms="", date=""), source, 4)
    assert cost is not None
    assert model is not None

    def times(in_order: float) -> float:
        text = json.dumps(describe(model, Knobs(in_order=in_order), seed=1))
        return cost(made("generated", (text, "x")), roughly=True).times

    assert times(1.0) < 0.95 * times(0.0)


def test_two_things_are_changed_a_little(stand_in: tuple[reclaim.Trace, Costs]) -> None:
    knobs = Knobs(run=20.0, in_turn=0.5, in_order=0.5)
    tried = Tried(0.0, stand_in[0], {}, knobs, 64, stand_in[1])
    first, second = (random.Random(1) for _ in range(2))  # noqa: S311 - the same twice
    slots, new = changed(tried, first, 1.0, 7)
    before, after = asdict(knobs) | {"slots": 64}, asdict(new) | {"slots": slots}
    other = {name for name in before if before[name] != after[name]}
    assert len(other - {"draw"}) == 2
    assert other <= {*REACH, "draw"}
    assert after["draw"] == 7
    assert changed(tried, second, 1.0, 7) == (slots, new)
