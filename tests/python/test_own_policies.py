"""Policies written in Python decide what their built-in twins decide, bit for bit, wherever one is used."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from textwrap import fill
from typing import Any

import pytest

import own_policies as own
import reclaim
from page_samples import ROOT, check_printed, samples
from page_samples import run as run_sample

SMALL = {
    "gc.victim": '{ kind = "greedy", ties = "lowest-number" }',
    "gc.trigger": '{ kind = "free-blocks", start = "4 blocks" }',
    "warmup.kind": "overwrite",
    "warmup.overwrites": 1,
}
ONE_EACH = {f"geometry.{each}": 1 for each in ("chips_per_channel", "dies_per_chip", "planes_per_die")}


def drive(**more: Any) -> reclaim.Device:
    found = reclaim.Device.preset("coupled-copyback-mini")
    for key, value in (SMALL | more).items():
        found = found.set(key, value)
    return found


def named(function: str) -> str:
    return f'{{ kind = "python", function = "{function}" }}'


def trace(requests: int = 6000) -> reclaim.Trace:
    return reclaim.uniform_trace(
        footprint_bytes=1 << 30, count=requests, mean_interarrival_ns=400_000, write_fraction=0.7, seed=3
    )


def run(device: reclaim.Device, requests: int = 6000, **more: Any) -> reclaim.Result:
    return reclaim.simulate(device, trace(requests), remap="wrap", **more)


def measured(result: reclaim.Result) -> dict[str, Any]:
    """Everything that was measured, but what policies count of themselves."""
    found = result.to_dict()
    assert found["flash"]["erases"] > 10
    return {key: found[key] for key in ("requests", "flash", "gc", "utilisation", "wear") if key in found}


@pytest.fixture(scope="module")
def built_in() -> dict[str, Any]:
    found = measured(run(drive()))
    assert found != measured(run(drive(**{"gc.victim": "fifo"})))
    return found


@pytest.mark.parametrize(
    ("key", "policy"),
    [
        ("gc.victim", own.fewest_valid),
        ("gc.trigger", own.when_few_are_free),
        ("gc.concurrency", own.any_number),
        ("gc.victim", '{ kind = "score", score = "valid" }'),
    ],
)
def test_the_same_as_the_built_in(built_in: dict[str, Any], key: str, policy: Any) -> None:
    assert measured(run(drive(**{key: policy}))) == built_in


@pytest.mark.parametrize(
    ("key", "policy", "twin", "more"),
    [
        ("gc.victim", own.lightest, '{ kind = "word-line", weights = [1, 1, 1] }', {}),
        ("gc.victim", own.sealed_first, '{ kind = "score", score = "-since_sealed" }', {}),
        pytest.param(
            *("gc.concurrency", own.OneChannel),
            '{ kind = "channels", share = "1%", idle = false }',
            {"host.time_scale": 0.5},
            marks=pytest.mark.slow,
        ),
        # A limit that never lets a job begin is a gate that never opens.
        (
            *("gc.concurrency", own.never),
            '{ kind = "channels", share = "100%", gate = "100%" }',
            {"host.time_scale": 2.0},
        ),
        pytest.param(
            *("ftl.allocation", own.by_number, '{ kind = "striping", by = "lpn" }', ONE_EACH),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["lightest", "sealed-first", "one-channel", "never", "by-number"],
)
def test_the_same_as_its_twin(key: str, policy: Any, twin: str, more: dict[str, Any]) -> None:
    mine, other = (run(drive(**{key: each}, **more), 3000) for each in (policy, twin))
    assert measured(mine) == measured(other)


def test_a_class_goes_on_where_a_saved_state_left_it(built_in: dict[str, Any], tmp_path: Path) -> None:
    mine = drive(**{"gc.victim": own.InTurn})
    whole = measured(run(mine, save_state=tmp_path / "state"))
    assert measured(run(mine, load_state=tmp_path / "state")) == whole
    assert whole != built_in


def test_the_audit_follows_it(built_in: dict[str, Any]) -> None:
    audited = run(drive(**{"gc.victim": own.fewest_valid}), audit=True)
    assert audited.to_dict()["audit"]["checks"] > 0
    assert measured(audited) == built_in


def test_a_script_that_simulates_is_not_run_again(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import reclaim\n"
        "print('begun')\n"
        "@reclaim.victim_policy\n"
        "def first(plane):\n"
        "    return plane.blocks[0]\n"
        "drive = reclaim.Device.preset('coupled-copyback-mini').set('gc.victim', first)\n"
        "trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=10, mean_interarrival_ns=1000)\n"
        "reclaim.simulate(drive, trace)\n"
        "print('ended')\n"
    )
    words = [sys.executable, "-W", "ignore", "script.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["begun", "ended"]


ANSWER = r"mine\.py:old_and_empty, compared with greedy .*? effects\."


@pytest.mark.slow
def test_the_samples_of_the_page_run(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = samples("docs/own-policies.md")
    assert [each.file for each in found if each.file] == ["mine.py", "apart.py", "in_turn.py"]
    assert len([each for each in found if each.words]) == 6
    for sample in found:
        printed = " ".join(run_sample(sample, tmp_path).split())
        if sample.words[1:2] == ("compare",):
            answer, verdict = (re.search(text, printed) for text in (ANSWER, r"verdict: [\w ]+?(?= note)"))
            assert answer
            assert verdict
            check_printed(
                "docs/own-policies.md", f"{fill(answer[0], 110)}\n{verdict[0]}", "test_own_policies.py"
            )
