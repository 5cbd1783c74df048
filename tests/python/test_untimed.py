"""Runs without time: the same pages as in the reference model, and about those of a timed run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import reclaim
from conftest import Command, parsed, refusal
from differential.case import Case
from differential.compare import first_difference, of_reclaim, of_reference
from differential.search import cases
from reclaim.result.table import brief_rows, rows

TAKEN: Counter[str] = Counter()
UNCHECKED = list(HealthCheck)


def untimed(case: Case) -> Case:
    tree = {key: value for key, value in case.drive.items() if key != "measure"}
    return case.with_drive(tree | {"measure": {"untimed": True}})


@pytest.mark.slow
@seed(15)
@settings(
    max_examples=200,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(case=cases())
def test_the_reference_model_programs_the_same_pages(case: Case) -> None:
    case = untimed(case)
    try:
        ours, config = of_reclaim(case)
    except reclaim.InputError as error:
        if "measure.untimed" not in str(error):
            raise
        TAKEN["refused"] += 1
        return
    TAKEN["taken"] += 1
    assert not ours.requests
    assert not ours.gc_jobs
    difference = first_difference(ours, of_reference(config, case))
    assert difference is None, difference
    TAKEN["collects"] += ours.counters["gc.jobs"] > 0


@pytest.mark.slow
def test_enough_of_the_drives_were_taken_and_collected() -> None:
    # Random drives have much that needs time.
    assert TAKEN["taken"] > 30, TAKEN
    assert TAKEN["collects"] > TAKEN["taken"] / 2, TAKEN


DRIVE = """base = "gc-bypass-mini"
[geometry]
blocks_per_plane = 64
pages_per_block = 16
spare_factor = "15%"
[warmup]
kind = "steady"
"""


def result(tmp_path: Path, **settings: Any) -> reclaim.Result:
    (tmp_path / "drive.toml").write_text(DRIVE)
    device = reclaim.Device.load(tmp_path / "drive.toml").with_settings(settings)
    trace = reclaim.uniform_trace(
        footprint_bytes=device.facts()["user_bytes"], count=60_000, mean_interarrival_ns=200_000
    )
    return reclaim.simulate(device, trace)


@pytest.mark.parametrize("victim", ["greedy", "fifo", "cost-benefit", "d-choices"])
def test_amplification_is_that_of_a_timed_run(tmp_path: Path, victim: str) -> None:
    timed, fast = (
        result(tmp_path, **{"gc.victim": victim, "measure.untimed": untimed}) for untimed in (False, True)
    )
    of_timed, of_fast = (each.to_dict()["gc"]["nand_write_amplification"] for each in (timed, fast))
    assert of_fast == pytest.approx(of_timed, rel=0.02)
    assert of_fast > 1.3
    assert fast.verdict.level == "trustworthy"
    assert fast.write.count == 0


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"gc.concurrency": "adaptive"}, "limits how many channels collect at once"),
        ({"gc.trigger": "invalid-ratio"}, "falls idle"),
        ({"measure.after": "25%"}, "measure.after"),
        ({"host.target_utilisation": "50%"}, "no die is busy"),
        ({"controller.merge_overwrites": "true"}, "meet in the buffer"),
        ({"gc.pace": "2"}, "pace"),
    ],
)
def test_what_needs_time_is_refused(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(reclaim.InputError, match=says):
        result(tmp_path, **changes, **{"measure.untimed": True})


def test_no_figure_of_time_is_shown(tmp_path: Path) -> None:
    labels = {row.label for row in rows([result(tmp_path, **{"measure.untimed": True})])}
    assert "write amplification (bytes)" in labels
    assert not [label for label in labels if "utilisation" in label or "latency" in label or "stall" in label]


def test_counters_of_log_pages_are_those_of_the_bytes_written(tmp_path: Path) -> None:
    data = result(tmp_path, **{"measure.untimed": True}).to_dict()
    written, health = data["written"], data["health"]
    assert written["nand_bytes"] > written["host_bytes"] > 512_000
    assert health["data_units_written"] == -(-written["host_bytes"] // 512_000)
    assert health["media_units_written"] == -(-written["nand_bytes"] // 10**9)
    assert health["physical_media_units_written"] == written["nand_bytes"]
    wear = data["wear"]
    assert wear["spread"] * wear["mean_erases"] == pytest.approx(wear["max_erases"])
    assert wear["histogram"][-1] > 0


def test_a_lifetime_is_told_with_or_without_time(tmp_path: Path) -> None:
    """Its rows are there where erases of a block are known, and only there."""
    settings = {"flash.endurance.erases": 3000, "flash.endurance.warranty_years": 3}
    labels = {"TBW, TB of 10^12 bytes", "drive writes per day (DWPD)", "percentage used"}
    for untimed in (True, False):
        found = result(tmp_path, **settings, **{"measure.untimed": untimed})
        life, wear, data = found.to_dict()["lifetime"], found.to_dict()["wear"], found.to_dict()
        facts = data["facts"]
        times = data["gc"]["nand_write_amplification"]
        levelled = facts["raw_bytes"] * 3000 / times / 1e12
        assert life["tbw_levelled"] == pytest.approx(levelled)
        assert life["tbw"] == pytest.approx(levelled / wear["spread"])
        assert life["drive_writes_per_day"] == pytest.approx(life["tbw"] * 1e12 / facts["user_bytes"] / 1095)
        assert life["percentage_used"] == int(100 * wear["mean_erases"] / 3000)
        a_second = data["trace"]["write_bytes"] / data["trace"]["span_ns"] * 1e9
        assert life["years"] == pytest.approx(life["tbw"] * 1e12 / a_second / (365 * 86_400))
        assert found.summary()["lifetime_tbw"] == life["tbw"]
        assert labels <= {row.label for row in rows([found])}
        # Nothing is used up yet.
        assert labels - {row.label for row in brief_rows([found])} == {"percentage used"}
    assert not labels & {row.label for row in rows([result(tmp_path, **{"measure.untimed": True})])}


def test_the_option_is_the_setting(trace_file: Path, command: Command) -> None:
    by_option, by_setting = (
        parsed(command("run", trace_file, "-d", "small", "--json", *words))
        for words in (["--untimed"], ["--set", "measure.untimed=true"])
    )
    assert by_option == by_setting
    assert by_option["config"]["measure"]["untimed"] is True
    done = command("run", trace_file, "-d", "small", "--untimed", "--set", "measure.untimed=false")
    assert "measure.untimed" in refusal(done)
