"""`reclaim tune` on a small drive: the same bytes however it is run, a kill, what it finds as a drive."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

import reclaim
from conftest import Command
from reclaim.parsing import to_toml
from study.small import contents, start
from study.small_tuning import small

BAD = {"schemes": ["random"]}
"""Random victims are no good, so that there is something to be found."""
SEARCH = {
    "gc.pages_in_flight": {"from": 1, "to": 16, "factor": 2},
    "gc.trigger.start": {"from": "4%", "to": "10%", "step": "2%"},
    "gc.victim": ["greedy", "fifo", "random"],
}
"""60 combinations."""
ONE = small({"constraints": ["gc_write_amplification <= 9"]}, **BAD)


def result(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "tune/result.json").read_text()))


def written(folder: Path) -> dict[str, int]:
    """When each point was."""
    points = (each for each in (folder / "points").glob("[!.]*") if (each / "results.json").is_file())
    return {each.name: (each / "results.json").stat().st_mtime_ns for each in points}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tuning, run once."""
    folder = tmp_path_factory.mktemp("done")
    reclaim.tune(ONE, folder, workers=1, report=True)
    return folder


def test_what_is_written(done: Path) -> None:
    found = result(done)
    assert len(found["trials"]) == 12
    assert found["runs"] == len(list((done / "points").iterdir()))
    assert found["found"]["log_ratios"]["write_mean_ns"] <= 0
    assert found["found"]["fits"]
    (judged,) = found["judged"]
    assert judged["is_found"]
    assert judged["metrics"]["write_mean_ns"]["repeats"] == 6
    assert set(judged["metrics"]["write_mean_ns"]["by_workload"]) == {"uniform"}
    assert found["around"]
    assert {each["key"] for each in found["around"]} == {each["key"] for each in found["parameters"]}
    page = (done / "tune/report.html").read_text()
    assert found["conclusion"].partition(". ")[0] in page
    for figure in ("search", "judged", "around"):
        assert f'<div class="figure" id="{figure}"></div>' in page
        assert (done / f"tune/{figure}.png").read_bytes().startswith(b"\x89PNG")


def test_same_bytes_with_two_workers(done: Path, tmp_path: Path) -> None:
    reclaim.tune(ONE, tmp_path / "out", workers=2, report=True)
    assert contents(tmp_path / "out") == contents(done)
    page = (done / "tune/report.html").read_bytes()
    assert (tmp_path / "out/tune/report.html").read_bytes() == page


def test_goes_on_after_a_kill(done: Path, tmp_path: Path) -> None:
    file, folder = tmp_path / "x.toml", tmp_path / "out"
    file.write_text(to_toml(ONE))
    process = start("tune", file, "-o", folder, "--workers", "1", cwd=tmp_path)
    deadline = time.monotonic() + 100
    while len(written(folder)) < 12 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.communicate()
    before = written(folder)
    assert not (folder / "tune/result.json").exists()
    reclaim.tune(ONE, folder, workers=2, report=True)
    assert contents(folder) == contents(done)
    # What was cut off while it was written is run again; what was whole is not.
    assert len(before.items() & written(folder).items()) >= len(before) - 1 > 0


def test_what_was_found_is_a_drive_that_runs_as_it_did(tmp_path: Path) -> None:
    """The device file gives the run that is stored of the first repeat."""
    made = small({"objective": ["gc_write_amplification"], "tune_on": {"repeats": [0]}}, **BAD)
    made["tune"]["judge_on"] = {"repeats": [1, 2, 3, 4, 5, 6]}
    found = reclaim.tune(made, tmp_path / "out")
    assert found.values
    assert found.values["gc.victim"] != "random"
    file = tmp_path / "out/tune/found.toml"
    assert f"#   gc.victim: random -> {found.values['gc.victim']}" in file.read_text()
    drive = reclaim.Device.load(file)
    assert drive.config == found.device.config
    trace = reclaim.generate_trace(name="uniform", **made["traces"][0]["generate"])
    again = reclaim.simulate(drive, trace, warn=False)
    stored = [json.loads(each.read_text()) for each in tmp_path.glob("out/points/*/results.json")]
    same = [each for each in stored if each["config"]["trace"] == drive.config["trace"]]
    assert again.write_amplification in {each["gc"]["write_amplification"] for each in same}


def test_of_two_objectives_each_on_the_front_has_a_device_file(tmp_path: Path) -> None:
    section = {"objective": ["write_mean_ns", "flash_erases"], "search": SEARCH, "budget": "16 trials"}
    made = small(section, **BAD)
    found = reclaim.tune(made, tmp_path / "out", report=True)
    files = {each.name for each in (tmp_path / "out/tune").glob("trial-*.toml")}
    assert files == {f"trial-{each.trial.number}.toml" for each in found.tuned.judged}
    page = (tmp_path / "out/tune/report.html").read_text()
    assert ('id="traded"' in page) == bool(found.tuned.judged)
    # A smaller budget leaves no file of what it did not find.
    again = reclaim.tune(made | {"tune": made["tune"] | {"budget": "1 trial"}}, tmp_path / "out")
    left = {each.name for each in (tmp_path / "out/tune").glob("trial-*.toml")}
    assert left == {f"trial-{each.trial.number}.toml" for each in again.tuned.judged}


def test_a_tuning_and_a_sweep_share_points(done: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(done, tmp_path / "out"))
    table = reclaim.sweep(ONE, folder)
    assert table.points.height == 8
    assert result(folder) == result(done)
    assert len(list((folder / "points").iterdir())) == result(done)["runs"]


def test_axes_are_workloads(tmp_path: Path) -> None:
    made = small({"budget": "6 trials"}, **BAD) | {"axes": {"host.time_scale": [1, 2]}}
    reclaim.tune(made, tmp_path / "out")
    (judged,) = result(tmp_path / "out")["judged"]
    names = set(judged["metrics"]["write_mean_ns"]["by_workload"])
    assert names == {"uniform, host.time_scale 1", "uniform, host.time_scale 2"}


def test_the_command(done: Path, tmp_path: Path, command: Command) -> None:
    file = tmp_path / "x.toml"
    file.write_text(to_toml(ONE))
    first, second = command("tune", file, "--cost").stdout.splitlines()
    assert first.startswith(
        "random: gc.victim greedy, fifo, random, cost-benefit; gc.pages_in_flight 1, 2, 4"
    )
    assert second.startswith("12 trials of 140 combinations, 2 runs each; up to ")
    ended = command("tune", file, "-o", done)
    # Random victims leave queues that grow: a warning.
    assert ended.returncode == 1, ended.stderr
    assert "unbounded queue" in ended.stdout
    assert ended.stdout.splitlines()[0].startswith(
        "Not to be trusted (!): random as tuned, compared with random"
    )
    assert result(done)["conclusion"] in ended.stdout.splitlines()
    assert first in ended.stderr
    ended = command("tune", file)
    assert ended.returncode == 2
    assert "-o" in ended.stderr
    with pytest.raises(reclaim.InputError, match=r"\[tune\]"):
        reclaim.tune({key: ONE[key] for key in ONE if key != "tune"}, tmp_path / "out")


def test_all_trials_start_from_and_arrive_as_the_scheme_as_it_is(tmp_path: Path) -> None:
    """What is tuned is no setting of the drive that prepares this one, nor of that which the pace is for."""
    made = small({"budget": "2 trials"}, **BAD)
    made["set"] |= {
        "warmup.scheme": "greedy",
        "host.target_total_utilisation": "20%",
        "host.target_scheme": "greedy",
    }
    reclaim.tune(made, tmp_path / "out")
    seen: dict[int, set[tuple[float, float]]] = {}
    policies = set()
    for point in (tmp_path / "out/points").iterdir():
        found = json.loads((point / "results.json").read_text())
        policies.add(json.dumps(found["config"]["gc"]))
        pace, start = found["config"]["host"]["time_scale"], found["warmup"]["write_amplification"]
        seen.setdefault(found["config"]["trace"]["draw"], set()).add((pace, start))
    assert len(policies) > 2
    assert len(seen) == 8
    assert all(len(each) == 1 for each in seen.values()), seen
