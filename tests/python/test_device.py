"""Drives and traces as Python objects."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reclaim
from conftest import DEVICE, Command
from reclaim.units import written
from reclaim.validation.closed_forms import amplification


def victim(drive: reclaim.Device) -> str:
    return str(drive.config["gc"]["victim"]["kind"])


def test_every_layer_wins_over_the_one_before() -> None:
    base = reclaim.Device.preset(DEVICE)
    before = base.to_toml()
    drive = base.set("gc.victim.kind", "random")
    assert (victim(drive), victim(base.with_scheme("fifo"))) == ("random", "fifo")
    assert victim(drive.with_scheme("fifo")) == "random"
    again = drive.set("gc.victim", "greedy").set("gc.victim.kind", "fifo")
    assert again.config["gc"]["victim"] == {"kind": "fifo"}
    several = drive.with_settings({"seed": 3, "gc.victim": "greedy"})
    assert (several.config["seed"], victim(several)) == (3, "greedy")
    assert base.to_toml() == before


def test_what_the_extension_knows_is_hidden() -> None:
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=100)
    for shown in (reclaim.Device.preset(DEVICE), trace):
        assert "core" not in dir(shown)
        assert "_core" not in repr(shown)


def test_exceptions_are_at_home_in_the_package() -> None:
    refused = pickle.loads(pickle.dumps(reclaim.InputError("no")))  # noqa: S301 - as from a worker process
    assert isinstance(refused, reclaim.ReclaimError)
    assert isinstance(refused, ValueError)
    assert str(refused) == "no"
    assert issubclass(reclaim.AuditError, reclaim.SimulationError)
    assert issubclass(reclaim.SimulationError, RuntimeError)
    assert {reclaim.InputError.__module__, reclaim.AuditError.__module__} == {"reclaim.errors"}


def test_facts_with_a_trace_know_its_footprint() -> None:
    drive = reclaim.Device.preset(DEVICE)
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=100)
    assert drive.facts(trace) != drive.facts()
    json.dumps(drive.facts(trace))


@pytest.mark.parametrize(
    ("settings", "formula"),
    [
        ({}, lambda spare: amplification.greedy(spare, 256)),
        ({"gc.victim.kind": "fifo"}, amplification.fifo),
        ({"gc.victim.kind": "random"}, amplification.random_victim),
        ({"gc.victim.kind": "d-choices", "gc.victim.d": 5}, lambda s: amplification.d_choices(s, 256, 5)),
    ],
)
def test_facts_name_write_amplification_at_both_ends_of_the_load(
    settings: dict[str, str | int], formula: Callable[[float], float]
) -> None:
    space = {"geometry.spare_factor": "20%", "gc.trigger.start": "4 blocks"}
    facts = reclaim.Device.preset("gc-bypass-mini").with_settings(space | settings).facts()
    light, heavy = facts["light_load"], facts["heavy_load"]
    assert light["write_amplification"] > heavy["write_amplification"]
    # `start` + 1 blocks are free, or `hard` + 1; half of one is open, and the collector's is nearly full.
    assert 5.5 < light["erased_blocks_per_plane"] < 6
    assert 2.5 < heavy["erased_blocks_per_plane"] < 3
    for end in (light, heavy):
        expected = formula(end["effective_spare_factor"])
        assert end["write_amplification"] == pytest.approx(expected, rel=1e-6)


def test_the_document_names_both_ends_of_a_preset() -> None:
    facts = reclaim.Device.preset("gc-bypass").facts()
    light, heavy = (
        written(facts[end]["write_amplification"], "ratio") for end in ("light_load", "heavy_load")
    )
    text = (Path(__file__).parents[2] / "docs" / "validation.md").read_text()
    assert f"whose 5 % take most of its 7 %: {light} and {heavy}." in text


def test_device_check_and_run_name_both_ends(command: Command, trace_file: Path) -> None:
    space = ("--set", "geometry.spare_factor=20%", "--set", "gc.trigger.start=4 blocks")
    shown = command("device", "check", "gc-bypass-mini", *space).stdout
    light, heavy = shown.index("under light load"), shown.index("under heavy load")
    figures = re.findall(r"write amplification of uniform overwrites \(pages\) +([\d.]+)", shown)
    assert light < heavy
    assert float(figures[0]) > float(figures[1])
    before = command("run", str(trace_file), "--device", "gc-bypass-mini", *space).stdout
    assert f"{figures[0]} under light load, {figures[1]} under heavy" in before
    unknown = command("device", "check", "gc-bypass-mini", "--set", "gc.victim.kind=cost-benefit").stdout
    assert unknown.count('– (no formula for gc.victim = "cost-benefit")') == 2
    assert not re.search(r"– *$", unknown, flags=re.MULTILINE)


def test_device_check_tells_what_a_drive_reaches_and_why_where_it_does_not(command: Command) -> None:
    rates = reclaim.Device.preset("gc-bypass-mini").peak_rates()
    # 64 dies, each busy for command, data and program; one channel for each 16 of them.
    assert rates["write_pages_per_s"] == pytest.approx(64e9 / 754_103, rel=0.01)
    assert rates["rates_unknown"] is None
    shown = command("device", "check", "gc-bypass-mini").stdout
    written_per_s = re.search(r"pages written per second, at most +([\d\u202f]+) ", shown)
    assert written_per_s is not None
    assert int(written_per_s[1].replace("\u202f", "")) == round(rates["write_pages_per_s"])
    many = ("--set", "geometry.channels=64", "--set", "geometry.chips_per_channel=64")
    shown = command("device", "check", "gc-bypass-mini", *many).stdout
    assert len(re.findall(r"– \(.* 4096 planes.* 16384\)", shown)) == 2
    assert not re.search(r"– *$", shown, flags=re.MULTILINE)


def test_a_generated_trace_depends_on_nothing_but_its_arguments() -> None:
    first, again, other = (
        reclaim.uniform_trace(footprint_bytes=1 << 20, count=100, seed=seed).summary()["content_hash"]
        for seed in (1, 1, 2)
    )
    assert first == again != other


@given(st.floats(min_value=0, max_value=1e14, allow_nan=False))
def test_a_written_time_is_within_a_thousandth(nanoseconds: float) -> None:
    number, unit = written(nanoseconds, "time").split(" ")
    factor = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]
    value = float(number.replace("\u202f", "")) * factor
    assert value == pytest.approx(nanoseconds, rel=1e-3, abs=1e-3)
