"""No shipped drive collects urgently as soon as it collects: who is served first would hang on that."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import reclaim
from reclaim.device import Device
from reclaim.experiment.experiment import Experiment

ROOT = Path(__file__).parents[2]
DECLARED = {"one-plane": "the formulas have no block for the host to go on with"}
"""Drives whose levels coincide, and why."""


def _files(*folders: str, having: set[str]) -> list[Path]:
    found = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.toml"))]
    return [file for file in found if having & tomllib.loads(file.read_text()).keys()]


def _name(file: Path) -> str:
    return str(file.relative_to(ROOT / file.relative_to(ROOT).parts[0]).with_suffix(""))


DEVICES = _files("examples", "papers", having={"geometry"})
EXPERIMENTS = _files("examples", "papers", having={"devices", "extends"})
URGENT = {
    # One of the choices, "start at 1 block", is to show what urgency from the start does.
    *(f"gc-bypass/choices{end}" for end in ("", "-fast", "-host", "-host-fast")),
    # Nothing waits for collection: its own time is measured, not requests.
    *(f"word-line-aware/{name}" for name in ("power", "power-choices", "power-long", "levels-sizes")),
}
"""Experiments of papers in which collection is meant to be urgent as soon as it starts."""
FIRST = {file.parent: file for file in reversed(EXPERIMENTS)}
OF_EXPERIMENTS = [
    pytest.param(file, marks=() if file in FIRST.values() or _name(file) in URGENT else pytest.mark.slow)
    for file in EXPERIMENTS
]
"""The first of each folder, and those in which collection is urgent, at once."""


def _said(device: Device) -> str | None:
    said = device.facts()["urgent_from_the_start"]
    assert said is None or isinstance(said, str)
    return said


def test_the_presets() -> None:
    names = list(reclaim.presets())
    assert len(names) > 20
    assert {name: said for name in names if (said := _said(Device.preset(name)))} == {}


@pytest.mark.parametrize("file", DEVICES, ids=_name)
def test_a_drive(file: Path) -> None:
    device = Device.load(file)
    assert (_said(device) is not None) == (device.config["name"] in DECLARED)


@pytest.mark.parametrize("file", OF_EXPERIMENTS, ids=_name)
def test_the_drives_of_an_experiment(file: Path) -> None:
    """Those that settings of its traces, schemes or axes make: a level as a share depends on the blocks."""
    seen = {}
    # Settings and schemes that a drive would refuse come out here, too.
    points = Experiment.load(file).points()
    assert points
    for point in points:
        if point.drive is not None and point.drive.config["name"] not in DECLARED:
            config = point.drive.config
            key = str((config["gc"]["trigger"], config["geometry"]))
            if key not in seen:
                seen[key] = _said(point.drive)
    urgent = [said for said in seen.values() if said is not None]
    assert bool(urgent) == (_name(file) in URGENT), urgent


def test_it_is_told_apart() -> None:
    assert _said(Device.preset("gc-bypass-mini").set("gc.trigger.start", "1 block")) is not None
