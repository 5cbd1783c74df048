"""`reclaim sensitivity` on a small drive: the same bytes however it is run, a kill, the load that is held."""

from __future__ import annotations

import json
import subprocess
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

import reclaim
from bench.small import contents, experiment, reclaim_command, start
from conftest import environment
from reclaim.bench.experiment import Experiment
from reclaim.bench.toml import to_toml
from reclaim.errors import InputError
from reclaim.instruments.sensitivity import Prepared, Sensitivity

SLOWED = "greedy+controller.lookup=20us"
KEYS = ["gc.trigger.hard", "scheduler", "flash.suspend.*", "controller.lookup", "gc.trigger.stop"]
EXAMPLE = Path(__file__).resolve().parents[3] / "examples/experiments/what-turns-it.toml"


def small(section: dict[str, Any] | None = None, **further: Any) -> dict[str, Any]:
    """Greedy victims with and without a slow look-up, on four chips: a run takes a hundredth of a second."""
    made = experiment(schemes=["greedy", SLOWED], record={}, repeats={"count": 6})
    made["set"] |= {
        "geometry.channels": 2,
        "geometry.chips_per_channel": 1,
        "geometry.pages_per_block": 32,
        "geometry.page_size": "4KiB",
        "geometry.spare_factor": "28%",
        "trace.remap": "wrap",
        **further.pop("set", {}),
    }
    asked = {"metric": "write_mean_ns", "keys": KEYS, "combinations": 6}
    del made["axes"]
    return made | {"sensitivity": asked | (section or {})} | further


def slow_arrivals(made: dict[str, Any]) -> dict[str, Any]:
    """The same with time between requests: queues that grow say nothing."""
    made["traces"] = [
        made["traces"][0]
        | {
            "generate": made["traces"][0]["generate"]
            | {"arrivals": {"kind": "constant", "interval": "1500us"}}
        }
    ]
    return made


SMALL = slow_arrivals(small())


def run(folder: Path, made: dict[str, Any] = SMALL, **options: Any) -> Sensitivity:
    return reclaim.sensitivity(made, folder, **options)


def result(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "sensitivity/result.json").read_text()))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study, run once."""
    folder = tmp_path_factory.mktemp("done")
    run(folder, workers=1, report=True)
    return folder


def test_what_outweighs_a_slow_look_up_turns_it(done: Path) -> None:
    found = result(done)
    assert found["conclusion"].startswith(f"{SLOWED} has a higher write mean latency than greedy (×1.0")
    (study,) = found["studies"]
    keys = {each["key"]: each for each in study["keys"]}
    assert keys["scheduler"]["status"] == "turns"
    assert keys["scheduler"]["turned_by"]
    assert all(text.endswith(" for A alone") for text in keys["scheduler"]["turned_by"])
    assert keys["flash.suspend.t_suspend"]["status"] == "nothing"
    assert "controller.lookup" in study["compared"]
    assert sum(study["counts"].values()) == len(study["keys"])
    assert len(study["pairs"]) > 0
    assert len(study["combinations"]) == 6
    assert found["runs"] == len(list((done / "points").iterdir()))
    for key in study["keys"]:
        for each in key["variations"]:
            ran = each["all_repeats"]
            assert ran is None or "fault" in ran or ran["repeats"] == 6
            assert each["screen"] is None or each["screen"].get("low") is None


def test_same_bytes_with_three_workers(done: Path, tmp_path: Path) -> None:
    run(tmp_path / "out", workers=3, report=True)
    assert contents(tmp_path / "out") == contents(done)
    page = (done / "sensitivity/report.html").read_bytes()
    assert (tmp_path / "out/sensitivity/report.html").read_bytes() == page


def test_goes_on_after_a_kill(done: Path, tmp_path: Path) -> None:
    file, folder = tmp_path / "x.toml", tmp_path / "out"
    file.write_text(to_toml(SMALL))
    process = start("sensitivity", file, "-o", folder, "--workers", "1", cwd=tmp_path)
    deadline = time.monotonic() + 60
    while len(list((folder / "points").glob("[!.]*"))) < 20 and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.communicate()
    stored = {each.name for each in (folder / "points").glob("[!.]*")}
    assert not (folder / "sensitivity/result.json").exists()
    before = {each: (folder / "points" / each / "results.json").stat().st_mtime_ns for each in stored}
    run(folder, workers=1)
    assert (folder / "sensitivity/result.json").read_bytes() == (
        done / "sensitivity/result.json"
    ).read_bytes()
    after = {each: (folder / "points" / each / "results.json").stat().st_mtime_ns for each in stored}
    # What was cut off while it was written is run again; what was whole is not.
    assert len({each for each in stored if before[each] == after[each]}) >= len(stored) - 1


def test_a_study_and_a_sweep_share_points(tmp_path: Path) -> None:
    run(tmp_path / "out", slow_arrivals(small({"keys": ["flash.suspend.limit"], "combinations": 0})))
    before = result(tmp_path / "out")
    table = reclaim.sweep(slow_arrivals(small()), tmp_path / "out")
    assert table.points.height == 12
    assert result(tmp_path / "out") == before


@pytest.mark.parametrize("load", ["arrivals", "utilisation"])
def test_the_load_is_held(tmp_path: Path, load: str) -> None:
    """A program of half the time halves the utilisation if arrivals are held, and doubles the pace if not."""
    keys = {"keys": ["flash.t_program"], "combinations": 0, "load": load}
    made = small(keys, set={"host.target_utilisation": "20%"})
    found = run(tmp_path / "out", made)
    words = {"arrivals": "requests arrive when they do in the base", "utilisation": "uses dies as much as in"}
    assert words[load] in found.conclusion
    used: dict[str, set[float]] = {}
    paces: dict[str, set[float]] = {}
    for point in (tmp_path / "out/points").iterdir():
        results = json.loads((point / "results.json").read_text())
        program = results["config"]["flash"]["t_program"]
        used.setdefault(program, set()).add(round(results["utilisation"]["die_host"], 2))
        paces.setdefault(program, set()).add(results["config"]["host"]["time_scale"])
    assert len(used) == 3
    if load == "arrivals":
        assert len(set.union(*paces.values())) == 1
    else:
        assert len(set.union(*paces.values())) == 3


def test_what_is_held_while_the_pace_is_given(tmp_path: Path) -> None:
    """A pace that is given becomes a utilisation to solve for: that of the host's pages in the base."""
    keys = {"keys": ["flash.t_program"], "combinations": 0, "load": "both"}
    found = run(tmp_path / "out", slow_arrivals(small(keys)))
    assert [kept for _, kept in found.studies] == ["arrivals", "utilisation"]
    assert len(result(tmp_path / "out")["studies"]) == 2


def test_vary_narrows_and_widens_and_is_told(tmp_path: Path) -> None:
    made = slow_arrivals(small({"keys": ["gc.pages_in_flight", "seed*"], "combinations": 0}))
    made["sensitivity"]["keys"] = ["gc.pages_in_flight"]
    made["vary"] = {"gc.pages_in_flight": [1, 3]}
    run(tmp_path / "out", made)
    (study,) = result(tmp_path / "out")["studies"]
    assert study["alternatives_of_the_experiment"] == ["gc.pages_in_flight"]
    assert {each["value"] for each in study["keys"][0]["variations"]} == {"3"}


def test_budget_is_no_more_than_that(tmp_path: Path) -> None:
    found = run(tmp_path / "out", slow_arrivals(small({"budget": "60 points"})))
    assert found.runs <= 60
    assert "beyond the budget" in found.conclusion
    assert result(tmp_path / "out")["studies"][0]["over_budget"]


def test_cost_is_told_before() -> None:
    known = Prepared(Experiment.from_dict(SMALL)).cost()
    assert known.base == 12
    assert known.screen < known.most
    assert known.keys == 8


def test_what_is_told_before_is_what_is_moved(tmp_path: Path) -> None:
    """Holding a load makes no alternative of what the drive has already."""
    made = small({"keys": ["flash.t_*"], "combinations": 0}, set={"host.target_utilisation": "20%"})
    made["vary"] = {"flash.t_read": ["90us", "90000ns", "50us"]}
    known = Prepared(Experiment.from_dict(made)).cost()
    run(tmp_path / "out", made)
    (study,) = result(tmp_path / "out")["studies"]
    assert known.variations == sum(len(key["variations"]) for key in study["keys"])
    (read,) = (key for key in study["keys"] if key["key"] == "flash.t_read")
    assert [each["value"] for each in read["variations"]] == ["50us"]


def test_a_metric_that_there_is_not_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="write_mean_ns"):
        run(tmp_path / "out", slow_arrivals(small({"metric": "write_mean"})))


def test_command_says_the_conclusion_first(done: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(to_toml(SMALL))
    words = reclaim_command("sensitivity", file, "-o", done)
    ended = subprocess.run(words, capture_output=True, text=True, env=environment(), check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[0] == result(done)["conclusion"]
    assert "8 keys" in ended.stderr
    words = reclaim_command("sensitivity", file, "--cost")
    told = subprocess.run(words, capture_output=True, text=True, env=environment(), check=True)
    assert told.stdout.startswith("8 keys")


def test_example_loads() -> None:
    made = Experiment.load(EXAMPLE)
    assert made.parts.sensitivity is not None
    assert tomllib.loads(EXAMPLE.read_text())["sensitivity"] == {"metric": "gc_write_amplification"}


def test_a_utilisation_in_total_is_held_either_way(tmp_path: Path) -> None:
    """The pace that was searched for is that of every variation of a repeat; or it is searched for anew."""
    keys = {"keys": ["flash.t_program"], "combinations": 0, "load": "both"}
    target = {"host.target_total_utilisation": "30%", "host.target_scheme": "greedy"}
    run(tmp_path / "out", small(keys, set=target))
    found: dict[str, dict[int, set[float]]] = {}
    for point in (tmp_path / "out/points").iterdir():
        config = json.loads((point / "results.json").read_text())["config"]
        of_repeat = found.setdefault(config["flash"]["t_program"], {})
        of_repeat.setdefault(config["seed"], set()).add(config["host"]["time_scale"])
    base = found.pop("1100us")
    assert len({frozenset(each) for each in base.values()}) == 6
    assert len(found) == 2
    for of_repeat in found.values():
        for seed, paces in of_repeat.items():
            assert base[seed] < paces
            assert len(paces) == 2 * len(base[seed])
