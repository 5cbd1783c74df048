"""The command line on sound input."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import reclaim
from conftest import DEVICE, Command
from reclaim.cli.app import app
from reclaim.shipped import DEVICES


def test_run_prints_facts_then_table(command: Command, trace_file: Path) -> None:
    done = command("run", trace_file, "--device", DEVICE, "--warmup", "filled")
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.index("Before the run") < done.stdout.index("p99 latency")
    assert len(done.stderr.splitlines()) <= 2, "a line or two where there is no terminal"


NOTHING_BUT_JSON = {"device schema", "config schema"}


def commands_of(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, each in getattr(group, "commands", {}).items():
        yield from commands_of(each, (*path, name))
    if path and not hasattr(group, "commands"):
        yield " ".join(path), group


def test_every_command_has_json() -> None:
    without = {
        name
        for name, each in commands_of(get_command(app))
        if not any("--json" in parameter.opts for parameter in each.params)
    }
    assert without == NOTHING_BUT_JSON


def test_what_commands_tell_is_json(command: Command, trace_file: Path, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(
        f'name = "x"\ndevices = ["{DEVICE}"]\ntraces = ["{trace_file.name}"]\nschemes = ["greedy"]\n'
    )
    checked = json.loads(command("check", tmp_path / "x.toml", "--json").stdout)
    assert (checked["experiment"], checked["estimate"]["points"]) == ("x", 1)
    papers = json.loads(command("reproduce", "--list", "--json").stdout)
    assert "gc-bypass" in papers
    made = json.loads(command("trace", "convert", trace_file, "out.parquet", "--json").stdout)
    assert (made["file"], made["requests"] > 0) == ("out.parquet", True)
    words = ("trace", "generate", "rw=randwrite", "size=1M", "bs=4k", "made.csv", "--json")
    assert json.loads(command(*words).stdout)["file"] == "made.csv"


def test_json_is_all_there_is_on_stdout_and_the_same_twice(command: Command, trace_file: Path) -> None:
    arguments = ("run", trace_file, "--device", DEVICE, "--warmup", "overwrite:0.5", "--json", "--seed", "7")
    first, second = command(*arguments), command(*arguments)
    data = json.loads(first.stdout)
    assert data["seed"] == 7
    assert data["requests"]["write"]["count"] == 2000
    assert data["warmup"]["kind"] == "overwrite"
    assert first.stdout == second.stdout
    other = command(*arguments[:-1], "8")
    assert other.stdout != first.stdout


def test_exit_code_follows_the_verdict(command: Command, trace_file: Path) -> None:
    levels = {"empty": "not-trustworthy", "steady": "not-established", "workload": "trustworthy"}
    codes = {"trustworthy": 0, "not-established": 3, "not-trustworthy": 1}
    for warmup, level in levels.items():
        done = command("run", trace_file, "--device", DEVICE, "--warmup", warmup, "--json")
        assert (json.loads(done.stdout)["verdict"]["level"], done.returncode) == (level, codes[level])
        # What the library would warn of stands in the verdict, and once.
        assert "ResultWarning" not in done.stderr
    common = (trace_file, "--device", DEVICE, "--warmup", "steady")
    assert command("compare", *common, "--schemes", "greedy,fifo").returncode == 3


def test_measuring_begins_where_it_is_told_to(command: Command, trace_file: Path) -> None:
    common = ("run", trace_file, "--device", DEVICE, "--warmup", "workload", "--json")
    whole = json.loads(command(*common).stdout)
    part = json.loads(command(*common, "--measure-after", "50%").stdout)
    assert part["measure"]["requests_before"] == 1110
    assert part["config"]["measure"]["after"] == "50%"
    assert whole["requests"]["write"]["count"] == 2000
    assert part["requests"]["write"]["count"] == 1000
    assert part["simulated_ns"] + part["measure"]["from_ns"] == whole["simulated_ns"]


def test_output_directory(command: Command, trace_file: Path, tmp_path: Path) -> None:
    options = ("--record-requests", "--record-gc", "--record-timeline", "--audit", "-o", "made")
    done = command("run", trace_file, "--device", DEVICE, "--warmup", "filled", *options)
    assert json.loads((tmp_path / "made/results.json").read_text())["audit"]["passed"] is True, done.stderr
    made = {
        str(path.relative_to(tmp_path / "made")) for path in (tmp_path / "made").rglob("*") if path.is_file()
    }
    tables = {"histograms.parquet", "requests.parquet", "gc_log.parquet", "timeline.parquet"}
    assert {"results.json", "config.toml", "report.html"} | tables <= made, done.stderr
    assert {"figures/latency_cdf.png", "figures/over_time.png"} <= made


def test_compare_is_the_same_as_separate_runs(command: Command, trace_file: Path, tmp_path: Path) -> None:
    common = (trace_file, "--device", DEVICE, "--warmup", "overwrite:0.5", "--json")
    schemes = "greedy,fifo,greedy+gc.pages_in_flight=2"
    runs = json.loads(command("compare", *common, "--schemes", schemes, "-o", "both").stdout)["runs"]
    alone = json.loads(command("run", *common, "--scheme", "fifo").stdout)
    assert runs[1] == alone
    assert runs[0]["config"]["gc"]["victim"]["kind"] == "greedy"
    assert [each["config"]["gc"]["pages_in_flight"] for each in runs] == [1, 1, 2]
    assert json.loads((tmp_path / "both" / "fifo" / "results.json").read_text()) == alone
    assert (tmp_path / "both" / "report.html").exists()


def test_a_setting_may_be_of_a_policy_that_only_the_scheme_chooses(
    command: Command, trace_file: Path
) -> None:
    common = ("run", trace_file, "--device", DEVICE, "--json", "--set", "gc.concurrency.theta1=40%")
    done = command(*common, "--scheme", "adaptive")
    assert json.loads(done.stdout)["config"]["gc"]["concurrency"]["theta1"] == "40%", done.stderr
    alone = command(*common)
    assert alone.returncode == 2
    assert "gc.concurrency.theta1: unknown key" in alone.stderr


def test_state_is_saved_and_loaded(command: Command, trace_file: Path) -> None:
    common = ("run", trace_file, "--device", DEVICE, "--warmup", "overwrite:0.5", "--json")
    saved = command(*common, "--save-state", "warm.state")
    loaded = command(*common, "--load-state", "warm.state")
    assert json.loads(loaded.stdout)["requests"] == json.loads(saved.stdout)["requests"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["--mode", "closed-loop", "--queue-depth", "4"], {"mode": "closed-loop", "queue_depth": 4}),
        (["--time-scale", "2.5"], {"time_scale": 2.5}),
    ],
)
def test_host_options(
    command: Command, trace_file: Path, arguments: list[str], found: dict[str, object]
) -> None:
    done = command("run", trace_file, "--device", DEVICE, "--json", *arguments)
    assert json.loads(done.stdout)["config"]["host"].items() >= found.items()


def test_device_commands(command: Command, tmp_path: Path) -> None:
    listed = command("device", "list").stdout
    assert all(name in listed for name in reclaim.presets())
    drives = {each.stem: each for each in DEVICES.glob("*.toml")}
    assert all(name in listed for name in drives)
    assert listed.index("samsung-pm9a3") < listed.index("gc-bypass"), "presets of papers come last"
    assert str(DEVICES) not in listed
    told = json.loads(command("device", "list", "--json").stdout)
    assert [each["name"] for each in told] == list(reclaim.devices())
    assert {each["name"] for each in told if each["path"]} == set(drives)
    shown = command("device", "show", DEVICE, "--set", "gc.victim.kind=fifo").stdout
    assert tomllib.loads(shown)["gc"]["victim"]["kind"] == "fifo"
    (tmp_path / "mine.toml").write_text(shown)
    checked = command("device", "check", "mine.toml")
    assert checked.returncode == 0
    assert "nothing wrong" in checked.stdout


def test_lists(command: Command) -> None:
    assert command("--version").stdout.strip() == f"reclaim {reclaim.__version__}"
    schemes = command("scheme", "list").stdout
    policies = command("policy", "list").stdout
    assert len(policies.splitlines()) < 20
    assert "ties (default oldest)" in command("policy", "list", "gc.victim").stdout
    assert command("policy", "show", "gc.victim").stdout == command("policy", "list", "gc.victim").stdout
    assert len(json.loads(command("policy", "list", "gc.victim", "--json").stdout)) == 1
    assert 'did you mean "gc.victim"' in command("policy", "list", "gc.victm").stderr
    for name in ("greedy", "fifo", "random", "cost-benefit"):
        assert name in schemes
        assert name in policies
    assert "interconnect" in policies
    assert "blkparse" in command("trace", "formats").stdout
    assert json.loads(command("config", "schema").stdout)["title"] == "Config"


def test_trace_info(command: Command, trace_file: Path) -> None:
    assert "2 220" in command("trace", "info", trace_file).stdout.replace("\u202f", " ")
    data = json.loads(command("trace", "info", trace_file, "--json").stdout)
    assert (data["requests"], data["writes"], data["reads"], data["trims"]) == (2220, 2000, 200, 20)
