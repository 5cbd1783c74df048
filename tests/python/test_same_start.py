"""Comparisons from one start: `compare --start`, `warmup.scheme`, states that other policies have left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import DEVICE, Command
from reclaim.device import Device

WARMED = ("--device", DEVICE, "--warmup", "overwrite:2")


@pytest.fixture
def trace_file(tmp_path: Path) -> Path:
    """A short trace of single pages."""
    path = tmp_path / "t.csv"
    rows = [f"{index * 500},write,{index * 7919 % 256 * 4096},4096" for index in range(300)]
    path.write_text("\n".join(["time_us,op,offset_bytes,size_bytes", *rows]) + "\n")
    return path


def compared(command: Command, trace_file: Path, *words: str) -> list[dict[str, Any]]:
    """The runs of a comparison of greedy and fifo."""
    done = command("compare", trace_file, *WARMED, "--schemes", "greedy,fifo", "--json", *words)
    assert done.returncode in (0, 1, 3), done.stderr
    runs: list[dict[str, Any]] = json.loads(done.stdout)["runs"]
    return runs


def test_both_designs_are_compared_and_named(command: Command, trace_file: Path, tmp_path: Path) -> None:
    own_greedy, own_fifo, greedy, fifo = compared(command, trace_file, "--start", "both", "-o", "out")
    assert own_greedy["start"] != own_fifo["start"]
    assert greedy["start"] == fifo["start"] == own_greedy["start"]
    assert [each["warmup"]["prepared_by"] for each in (own_fifo, greedy, fifo)] == [None, "greedy", "greedy"]
    assert (tmp_path / "out" / "fifo from greedy" / "results.json").exists()
    done = command("compare", trace_file, *WARMED, "--schemes", "greedy,fifo", "--start", "both")
    assert "each scheme from its own steady state" in done.stdout
    assert "all prepared by greedy" in done.stdout


def test_another_scheme_may_prepare_all(command: Command, trace_file: Path) -> None:
    runs = compared(command, trace_file, "--start", "same:cost-benefit")
    assert {each["warmup"]["prepared_by"] for each in runs} == {"cost-benefit"}
    assert runs[0]["start"] == runs[1]["start"]


@pytest.mark.parametrize(
    ("start", "says"),
    [
        ("theirs", "expected own"),
        ("same:", "expected own"),
        ("own:greedy", "expected own"),
        ("same:gredy", 'did you mean "greedy"'),
        ("same:raid5", "raid5"),
    ],
)
def test_a_start_that_cannot_be_is_refused(command: Command, trace_file: Path, start: str, says: str) -> None:
    done = command("compare", trace_file, *WARMED, "--schemes", "greedy,fifo", "--start", start)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_who_prepares_must_be_named_where_the_first_has_settings(command: Command, trace_file: Path) -> None:
    schemes = "greedy+gc.pages_in_flight=2,fifo"
    done = command("compare", trace_file, *WARMED, "--schemes", schemes, "--start", "same")
    assert done.returncode == 2
    assert "as in --start same:greedy" in done.stderr


def test_settings_of_a_scheme_are_not_those_of_the_drive_that_prepares() -> None:
    base = Device.preset(DEVICE)
    common = {"warmup.kind": "overwrite", "warmup.scheme": "greedy", "gc.pages_in_flight": 3}
    plain = Device.made(base.source, ("fifo",), common)
    own = Device.made(base.source, ("fifo",), common, ("gc.pages_in_flight",))
    assert plain.config["warmup"]["policies"]["gc"]["pages_in_flight"] == 3
    assert own.config["warmup"]["policies"]["gc"]["pages_in_flight"] == 1
    assert plain.config["gc"] == own.config["gc"]
    again = own.set("seed", 7)
    assert again.config["warmup"]["policies"] == own.config["warmup"]["policies"]


def test_a_drive_written_down_prepares_as_it_did(tmp_path: Path) -> None:
    drive = Device.preset(DEVICE).with_scheme(
        "fifo", settings={"warmup.kind": "overwrite", "warmup.scheme": "greedy"}
    )
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


def test_nothing_collected_is_told_above_the_table(command: Command, trace_file: Path) -> None:
    done = command("compare", trace_file, "--device", DEVICE, "--schemes", "greedy,fifo")
    told = done.stdout.index("Nothing was collected under any")
    assert told < done.stdout.index("ratios against the first column")
