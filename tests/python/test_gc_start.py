"""`trace info --device` and `run` say the same of the drive's state and of whether collection starts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, Command
from reclaim.simulate import warmup_settings
from reclaim.start import collection, in_words

STATES = {
    "empty": "empty: nothing written",
    "filled": "filled: every page written once, in order",
    "overwrite:0.5": "overwrite: filled, then its capacity overwritten at random 0.5 times",
    "steady": "steady: filled, then overwritten at random until write amplification is flat",
    "replay:3": "replay: empty, then all that the trace writes and trims played 3 times",
}


def _row(text: str, label: str) -> str:
    """What stands beside a label in a printed table."""
    found = re.search(rf"^ *{label} {{2,}}(.*?) *$", text, re.MULTILINE)
    assert found, text
    return found[1]


# Two planes of 64 blocks of 16 pages: collection starts with the 1889th page, or within 32 on a used drive.
SMALL = """base = "gc-bypass-mini"
name = "small"
[geometry]
channels = 2
chips_per_channel = 1
dies_per_chip = 1
planes_per_die = 1
blocks_per_plane = 64
pages_per_block = 16
spare_factor = "25%"
[gc.trigger]
start = "4 blocks"
"""


@pytest.mark.parametrize("warmup", STATES)
def test_both_state_the_assumed_state_and_agree(command: Command, trace_file: Path, warmup: str) -> None:
    common = (trace_file, "--device", DEVICE, "--warmup", warmup)
    info = command("trace", "info", *common)
    run = command("run", *common)
    assert info.returncode == 0, info.stderr
    for label in ("assumed state of the drive", "garbage collection starts"):
        assert _row(info.stdout, label) == _row(run.stdout, label)
    assert _row(run.stdout, "assumed state of the drive") == STATES[warmup]


@pytest.mark.parametrize("requests", [100, 2220])
@pytest.mark.parametrize("warmup", STATES)
def test_a_run_does_what_was_said(tmp_path: Path, trace_file: Path, warmup: str, requests: int) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    drive = reclaim.Device.load(file).with_settings(
        warmup_settings(warmup) | {"trace.max_requests": requests}
    )
    trace = reclaim.open_trace(trace_file)
    # As `trace info` asks, with the steps done, and as `run` does.
    said = drive.facts(drive.transformed(trace), transformed=True)
    assert said == drive.facts(trace)
    done = reclaim.simulate(drive, trace).to_dict()
    assert done["facts"] == said
    used = warmup in ("overwrite:0.5", "steady")
    assert said["trace"]["gc_starts"] == ("yes" if used or requests > 100 else "no")
    assert (done["gc"]["jobs"] > 0) == (used or requests > 100)


def test_a_saved_state_is_what_a_run_says_it_starts_from(
    command: Command, trace_file: Path, tmp_path: Path
) -> None:
    common = ("run", trace_file, "--device", DEVICE)
    command(*common, "--warmup", "overwrite:0.5", "--save-state", "drive.state")
    loaded = command(*common, "--load-state", "drive.state").stdout
    assert _row(loaded, "assumed state of the drive") == STATES["overwrite:0.5"]
    fresh = command(*common).stdout
    assert _row(fresh, "assumed state of the drive") == STATES["empty"]

    (tmp_path / "no.state").write_text("nothing of the sort")
    refused = command(*common, "--load-state", "no.state")
    assert refused.returncode == 2
    assert "no.state: not a drive state" in refused.stderr


def test_every_answer_has_words() -> None:
    def said(starts: str, after: int | None) -> str:
        return collection({"trace": {"gc_starts": starts, "gc_starts_after_requests": after}})

    sentences = [said("no", None), said("perhaps", 0), said("yes", 0), said("yes", 7)]
    assert len(set(sentences)) == 4
    assert "7 requests" in sentences[3]


def test_facts_without_a_trace_or_of_an_earlier_version_stay_as_they_are() -> None:
    facts = reclaim.Device.preset(DEVICE).facts()
    assert in_words(facts) == facts
    old = {"raw_bytes": 1, "trace": {"gc_expected": True}}
    assert in_words(old) == old
