"""`trace info --device` and `run` say the same of the drive's state and of whether collection starts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, Command
from reclaim.start import collection, in_words

WARMUPS = ("empty", "filled", "overwrite:0.5", "steady", "replay:3")


def _row(text: str, label: str) -> str:
    """What stands beside a label in a printed table."""
    found = re.search(rf"^ *{label} {{2,}}(.*?) *$", text, re.MULTILINE)
    assert found, text
    return found[1]


@pytest.mark.parametrize("warmup", WARMUPS)
def test_both_state_the_assumed_state_and_agree(command: Command, trace_file: Path, warmup: str) -> None:
    common = (trace_file, "--device", DEVICE, "--warmup", warmup)
    info, run = (command(*words, *common) for words in (("trace", "info"), ("run",)))
    assert info.returncode == 0, info.stderr
    for label in ("assumed state of the drive", "garbage collection starts"):
        assert _row(info.stdout, label) == _row(run.stdout, label)
    kind, _, times = warmup.partition(":")
    assert re.match(rf"{kind}: .*{times}", _row(run.stdout, "assumed state of the drive"))


@pytest.mark.parametrize(("requests", "starts"), [(100, "no"), (2220, "yes")])
def test_facts_of_a_run_are_those_that_were_said(trace_file: Path, requests: int, starts: str) -> None:
    """The core's `gc_start` compares what is said with what a run does, for every warm-up."""
    small = {"geometry.blocks_per_plane": 64, "geometry.pages_per_block": 4, "geometry.channels": 2}
    small |= {"geometry.chips_per_channel": 1, "gc.trigger.start": "4 blocks", "trace.max_requests": requests}
    drive = reclaim.Device.preset("gc-bypass-mini").with_settings(small | {"geometry.spare_factor": "25%"})
    trace = reclaim.open_trace(trace_file)
    # As `trace info` asks, with the steps done, and as `run` does.
    said = drive.facts(drive.transformed(trace), transformed=True)
    assert said == drive.facts(trace) == reclaim.simulate(drive, trace, warn=False).to_dict()["facts"]
    assert said["trace"]["gc_starts"] == starts


def test_a_saved_state_is_what_a_run_says_it_starts_from(
    command: Command, trace_file: Path, tmp_path: Path
) -> None:
    common = ("run", trace_file, "--device", DEVICE)
    command(*common, "--warmup", "overwrite:0.5", "--save-state", "drive.state")
    loaded, fresh = command(*common, "--load-state", "drive.state"), command(*common)
    assert _row(loaded.stdout, "assumed state of the drive").startswith("overwrite: ")
    assert _row(fresh.stdout, "assumed state of the drive").startswith("empty: ")
    (tmp_path / "no.state").write_text("nothing of the sort")
    refused = command(*common, "--load-state", "no.state")
    assert (refused.returncode, "no.state: not a drive state" in refused.stderr) == (2, True)


def test_every_answer_has_words() -> None:
    given = [("no", None), ("perhaps", 0), ("yes", 0), ("yes", 7)]
    said = [
        collection({"trace": {"gc_starts": starts, "gc_starts_after_requests": after}})
        for starts, after in given
    ]
    assert len(set(said)) == 4
    assert "7 requests" in said[3]
    # Facts without a trace or of an earlier version stay as they are.
    for facts in (reclaim.Device.preset(DEVICE).facts(), {"raw_bytes": 1, "trace": {"gc_expected": True}}):
        assert in_words(facts) == facts
