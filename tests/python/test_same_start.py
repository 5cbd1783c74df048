"""Comparisons from one start: `compare --start`, `warmup.scheme`, states that other policies have left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, Command
from reclaim.device import Device

COMPARE = ("compare", "t.csv", "--device", DEVICE)
WARMED = (*COMPARE, "--warmup", "overwrite:2", "--schemes")


@pytest.fixture(autouse=True)
def _trace_file(tmp_path: Path) -> None:
    """A short trace of single pages."""
    rows = [f"{index * 500},write,{index * 7919 % 256 * 4096},4096" for index in range(300)]
    (tmp_path / "t.csv").write_text("\n".join(["time_us,op,offset_bytes,size_bytes", *rows]) + "\n")


@pytest.mark.parametrize(
    ("start", "prepared_by"),
    [
        ("both", [None, None, "greedy", "greedy"]),
        ("same:cost-benefit", ["cost-benefit", "cost-benefit"]),
    ],
)
def test_schemes_start_from_their_own_state_or_from_that_of_one(
    command: Command, tmp_path: Path, start: str, prepared_by: list[str | None]
) -> None:
    done = command(*WARMED, "greedy,fifo", "--json", "--start", start, "-o", "out")
    assert done.returncode in (0, 1, 3), done.stderr
    runs = json.loads(done.stdout)["runs"]
    assert [each["warmup"]["prepared_by"] for each in runs] == prepared_by
    starts = [each["start"] for each in runs]
    assert starts[-1] == starts[-2] == starts[0]
    if start == "both":
        assert starts[1] != starts[0]
        assert (tmp_path / "out" / "fifo from greedy" / "results.json").exists()


@pytest.mark.parametrize(
    ("schemes", "start", "says"),
    [
        ("greedy,fifo", "theirs", "expected own"),
        ("greedy,fifo", "same:", "expected own"),
        ("greedy,fifo", "own:greedy", "expected own"),
        ("greedy,fifo", "same:raid5", "raid5"),
        # Who prepares must be named where the first has settings.
        ("greedy+gc.pages_in_flight=2,fifo", "same", "--start same:greedy"),
    ],
)
def test_a_start_that_cannot_be_is_refused(command: Command, schemes: str, start: str, says: str) -> None:
    done = command(*WARMED, schemes, "--start", start)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_settings_of_a_scheme_are_not_those_of_the_drive_that_prepares() -> None:
    base = Device.preset(DEVICE)
    common = {"warmup.kind": "overwrite", "warmup.scheme": "greedy", "gc.pages_in_flight": 3}
    plain = Device.made(base.source, ("fifo",), common)
    own = Device.made(base.source, ("fifo",), common, ("gc.pages_in_flight",))
    prepared = [each.config["warmup"]["policies"] for each in (plain, own, own.set("seed", 7))]
    assert [each["gc"]["pages_in_flight"] for each in prepared] == [3, 1, 1]
    assert plain.config["gc"] == own.config["gc"]


def test_a_drive_written_down_prepares_as_it_did(tmp_path: Path) -> None:
    settings = {"warmup.kind": "overwrite", "warmup.scheme": "greedy"}
    drive = Device.preset(DEVICE).with_scheme("fifo", settings=settings)
    (tmp_path / "d.toml").write_text(drive.to_toml())
    assert Device.load(tmp_path / "d.toml").config == drive.config


def test_a_state_of_another_scheme_is_taken_over(tmp_path: Path) -> None:
    drive = Device.preset(DEVICE).set("warmup.kind", "overwrite")
    writes = reclaim.uniform_trace(footprint_bytes=1 << 20, count=100, mean_interarrival_ns=100_000)
    saved = tmp_path / "greedy.state"
    greedy = reclaim.simulate(drive.with_scheme("greedy"), writes, save_state=saved, warn=False).to_dict()
    fifo = reclaim.simulate(drive.with_scheme("fifo"), writes, load_state=saved, warn=False).to_dict()
    assert fifo["warmup"] == greedy["warmup"] | {"prepared_by": "greedy"}
    assert fifo["start"] == greedy["start"]
    settings = {"warmup.scheme": "greedy"}
    prepared = reclaim.simulate(drive.with_scheme("fifo", settings=settings), writes, warn=False).to_dict()
    for section in ("requests", "gc", "flash", "start", "wear", "events"):
        assert prepared[section] == fifo[section]


def test_nothing_collected_is_told_above_the_table(command: Command) -> None:
    told = command(*COMPARE, "--schemes", "greedy,fifo").stdout
    assert 0 <= told.index("Nothing was collected") < told.index("ratios against the first column")
