"""Drives by their names in any folder; device files from a few words, and small ones of large drives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command


def test_a_name_is_a_drive_in_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("small", "samsung-pm9a3", "gc-bypass-mini"):
        assert reclaim.Device.preset(name).config["name"] == name
        assert reclaim.Device.load(name).to_toml() == reclaim.Device(name).to_toml()
    # A file of the present folder is given by a path.
    (tmp_path / "small.toml").write_text('base = "small"\nname = "own"\n')
    (tmp_path / "plain").write_text('base = "tlc"\nname = "without an ending"\n')
    assert reclaim.Device.load("small").config["name"] == "small"
    assert reclaim.Device.load("small.toml").config["name"] == "own"
    assert reclaim.Device("./small.toml").config["geometry"] == reclaim.Device("small").config["geometry"]
    assert reclaim.Device.load(Path("plain")).config["name"] == "without an ending"
    with pytest.raises(reclaim.InputError, match=r'"smal" is unknown.* did you mean "small"\?'):
        reclaim.Device.load("smal")


def test_an_experiment_names_one(tmp_path: Path) -> None:
    made = {
        "name": "named",
        "devices": ["small"],
        "schemes": ["greedy"],
        "traces": ["bundled/varmail"],
        "set": {"trace.max_requests": 200},
    }
    (point,) = reclaim.sweep(made, tmp_path / "swept", report=False).points.to_dicts()
    assert point["device"] == "small"


def test_the_first_command_works_in_an_empty_folder(command: Command, tmp_path: Path) -> None:
    done = command("compare", "bundled/dbench", "-d", "small", "--max-requests", "3000", "--repeats", "1")
    assert done.returncode in (0, 3), done.stderr
    assert "cost-benefit" in done.stdout
    assert list(tmp_path.iterdir()) == []


def written(done: Any, file: Path) -> dict[str, object]:
    assert done.returncode == 0, done.stderr
    return tomllib.loads(file.read_text())


def test_a_drive_from_a_few_words(command: Command, tmp_path: Path) -> None:
    words = (
        "device",
        "new",
        "--capacity",
        "1TB",
        "--cell",
        "tlc",
        "--channels",
        "4",
        "--like",
        "samsung-pm9a3",
    )
    table = written(command(*words, "-o", "mine.toml"), tmp_path / "mine.toml")
    assert table["base"] == "samsung-pm9a3"
    made, like = reclaim.Device.load(tmp_path / "mine.toml"), reclaim.Device("samsung-pm9a3")
    facts, larger = made.facts(), like.facts()
    assert (made.config["geometry"]["channels"], made.config["flash"]["cell"]) == (4, "TLC")
    assert facts["user_bytes"] == pytest.approx(1e12, rel=1e-6)
    assert facts["spare_factor"] == pytest.approx(larger["spare_factor"], abs=0.001)
    blocks, of = (int(each.config["geometry"]["blocks_per_plane"]) for each in (made, like))
    for key in ("gc_start_blocks", "gc_urgent_blocks"):
        assert facts[key] / blocks == pytest.approx(larger[key] / of, rel=0.01)
    assert made.config["flash"]["t_read"] == like.config["flash"]["t_read"]
    assert "# given" in (tmp_path / "mine.toml").read_text()
    # Once more, it is there.
    assert command(*words, "-o", "mine.toml").returncode == 2
    shown = command("device", "new", "--capacity", "40GB", "--cell", "mlc")
    assert tomllib.loads(shown.stdout)["base"] == "gc-bypass"
    for wrong, says in (
        ("4", "with its unit"),
        ("0TB", "with its unit"),
        ("lots", "with its unit"),
        ("1GB", "fewer --ch"),
    ):
        assert says in command("device", "new", "--capacity", wrong, "--cell", "mlc").stderr
    assert "--cell tlc" in command("device", "new", "--capacity", "1TB").stderr


def test_a_large_drive_has_larger_blocks_not_more_of_them(command: Command) -> None:
    """What it starts from has blocks of 48 pages, a terabyte of which are a hundred thousand a plane."""

    def geometry(*words: str) -> dict[str, Any]:
        return dict(tomllib.loads(command("device", "new", *words).stdout)["geometry"])

    large = geometry("--capacity", "1TB", "--cell", "tlc")
    assert large["pages_per_block"] == 48 * 64
    assert 1000 < large["blocks_per_plane"] <= 2000
    assert geometry("--capacity", "4TB", "--cell", "slc")["pages_per_block"] * 4096 == 16 << 20
    assert "pages_per_block" not in geometry("--capacity", "8GB", "--cell", "tlc")
    for like in (("--like", "samsung-pm9a3"), ("--cell", "qlc")):
        assert "pages_per_block" not in geometry("--capacity", "8TB", *like)


def test_a_small_drive_on_which_a_trace_collects(command: Command, tmp_path: Path) -> None:
    done = command("device", "scale", "samsung-pm9a3", "--to", "bundled/dbench", "-o", "made.toml")
    written(done, tmp_path / "made.toml")
    small, large = reclaim.Device.load(tmp_path / "made.toml"), reclaim.Device("samsung-pm9a3")
    trace = reclaim.open_trace("bundled/dbench")
    assert small.facts(trace)["trace"]["footprint_share"] == pytest.approx(0.85, abs=0.05)
    assert small.facts(trace)["trace"]["gc_starts"] != "no"
    mine, other = small.facts(), large.facts()
    kept = [each["light_load"]["effective_spare_factor"] for each in (mine, other)]
    assert kept[0] == pytest.approx(kept[1], rel=0.05)
    blocks, of = (int(each.config["geometry"]["blocks_per_plane"]) for each in (small, large))
    for key in ("gc_start_blocks", "gc_urgent_blocks"):
        assert mine[key] / blocks == pytest.approx(other[key] / of, abs=1 / blocks)
    text = (tmp_path / "made.toml").read_text()
    assert "# keeps left to garbage under light load" in text
    assert {"channels", "chips_per_channel"} & set(tomllib.loads(text)["geometry"]) == set()
    result = reclaim.simulate(small, trace, warn=False)
    assert result.to_dict()["gc"]["jobs"] > 100


def test_all_mistakes_of_a_file_at_once(command: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(
        'base = "small"\n[geometry]\nchanels = 8\npage_size = "4 kibi"\n[flash]\nt_erase = "3 mss"\n'
    )
    lines = command("device", "check", "bad.toml").stderr.splitlines()
    places = {line.split(": ")[1] for line in lines}
    assert places == {"bad.toml:3", "bad.toml:4", "bad.toml:6"}
    assert all(line.startswith("error: ") for line in lines)


def test_lists_and_checks_for_programs(command: Command) -> None:
    facts = json.loads(command("device", "check", "small", "--json").stdout)
    assert facts["planes"] == 64
    kept = command("device", "check", "gc-bypass-mini", "--scaled-from", "gc-bypass", "--json")
    assert kept.returncode == 1
    assert any(not each["holds"] for each in json.loads(kept.stdout)["kept"])
    assert json.loads(command("device", "show", "small", "--json").stdout)["name"] == "small"
    for words in (("scheme", "list"), ("policy", "list"), ("policy", "show", "greedy"), ("trace", "formats")):
        assert json.loads(command(*words, "--json").stdout)


def test_the_first_screen_is_short_and_help_is_in_groups(command: Command) -> None:
    shown = command("--help").stdout
    assert "<bool>" not in shown
    assert "validate" not in shown
    commands = {"run", "compare", "judge", "check", "sweep", "results", "sensitivity", "tune", "reproduce"}
    commands |= {"trace", "device", "policy"}
    assert len(commands) <= 12
    found = {line.split()[1] for line in shown.splitlines() if line.startswith("│ ") and line[2].islower()}
    assert found == commands
    shown = command("run", "--help").stdout
    assert "<bool>" not in shown
    for heading in ("Drive", "Reading the trace", "Load", "Output"):
        assert f"─ {heading} ─" in shown
    for hidden in ("validate", "ablate"):
        assert command(hidden, "--help").returncode == 0, "hidden commands work"


def test_quiet_leaves_results_and_warnings(command: Command) -> None:
    words = ("run", "bundled/varmail", "-d", "small", "--max-requests", "300")
    plain, quiet = command(*words), command(*words, "--quiet")
    assert plain.returncode == quiet.returncode
    assert "Before the run" in plain.stdout
    assert "Before the run" not in quiet.stdout
    assert "requests in" not in quiet.stderr
    assert quiet.stdout.splitlines()[-9:] == plain.stdout.splitlines()[-9:]


@pytest.mark.parametrize("width", [70, 100])
def test_piped_tables_are_as_wide_as_said(width: int, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "reclaim", "device", "list"]
    environment = os.environ | {"COLUMNS": str(width), "NO_COLOR": "1"}
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert max(map(len, done.stdout.splitlines())) <= width
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("words", ["run --help", "policy list gc.victim", "device list --json"])
def test_who_has_read_enough_hears_nothing(words: str, tmp_path: Path) -> None:
    program = f"{sys.executable} -m reclaim {words} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("141\n", "")
