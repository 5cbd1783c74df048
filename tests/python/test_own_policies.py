"""Policies written in Python decide what their built-in twins decide, bit for bit, wherever one is used."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import own_policies as own
import reclaim
from bench.small import experiment
from conftest import Command
from page_samples import ROOT, samples
from page_samples import run as run_sample

FILE = Path(own.__file__)
SMALL = {
    "gc.victim": '{ kind = "greedy", ties = "lowest-number" }',
    "gc.trigger": '{ kind = "free-blocks", start = "4 blocks" }',
    "warmup.kind": "overwrite",
    "warmup.overwrites": 1,
}


def drive(**more: Any) -> reclaim.Device:
    found = reclaim.Device.preset("coupled-copyback-mini")
    given = SMALL | more
    if given["warmup.kind"] != "overwrite":
        given.pop("warmup.overwrites")
    for key, value in given.items():
        found = found.set(key, value)
    return found


def named(function: str) -> str:
    return f'{{ kind = "python", function = "{function}" }}'


def trace() -> reclaim.Trace:
    return reclaim.uniform_trace(
        footprint_bytes=1 << 30, count=6000, mean_interarrival_ns=400_000, write_fraction=0.7, seed=3
    )


def run(device: reclaim.Device, **more: Any) -> reclaim.Result:
    return reclaim.simulate(device, trace(), remap="wrap", **more)


def measured(result: reclaim.Result) -> dict[str, Any]:
    """Everything that was measured, but what policies count of themselves."""
    found = result.to_dict()
    return {key: found[key] for key in ("requests", "flash", "gc", "utilisation", "wear") if key in found}


@pytest.fixture(scope="module")
def built_in() -> reclaim.Result:
    found = run(drive())
    assert found.to_dict()["flash"]["erases"] > 50
    return found


def test_there_is_something_to_compare(built_in: reclaim.Result) -> None:
    assert len(measured(built_in)) >= 2
    assert measured(built_in) != measured(run(drive(**{"gc.victim": "fifo"})))


@pytest.mark.parametrize(
    ("key", "policy"),
    [
        ("gc.victim", own.fewest_valid),
        ("gc.trigger", own.when_few_are_free),
        ("gc.concurrency", own.any_number),
        ("gc.victim", '{ kind = "score", score = "valid" }'),
    ],
)
def test_the_same_as_the_built_in(built_in: reclaim.Result, key: str, policy: Any) -> None:
    assert measured(run(drive(**{key: policy}))) == measured(built_in)


@pytest.mark.parametrize(
    ("key", "policy", "twin", "more"),
    [
        ("gc.victim", own.lightest, '{ kind = "word-line", weights = [1, 1, 1] }', {}),
        ("gc.victim", own.sealed_first, '{ kind = "score", score = "-since_sealed" }', {}),
        (
            "gc.concurrency",
            own.OneChannel,
            '{ kind = "channels", share = "1%", idle = false }',
            {"host.time_scale": 0.5},
        ),
    ],
)
def test_the_same_as_its_twin(key: str, policy: Any, twin: str, more: dict[str, Any]) -> None:
    mine, other = (run(drive(**{key: each}, **more)) for each in (policy, twin))
    assert measured(mine) == measured(other)


def test_an_allocation_in_order() -> None:
    one_each = {
        "geometry.chips_per_channel": 1,
        "geometry.dies_per_chip": 1,
        "geometry.planes_per_die": 1,
    }
    striping = drive(**one_each, **{"ftl.allocation": '{ kind = "striping", by = "lpn" }'})
    mine = drive(**one_each, **{"ftl.allocation": own.by_number})
    assert measured(run(mine)) == measured(run(striping))


def test_a_class_goes_on_where_a_saved_state_left_it(tmp_path: Path) -> None:
    mine = drive(**{"gc.victim": own.InTurn})
    whole = run(mine, save_state=tmp_path / "state")
    assert measured(run(mine, load_state=tmp_path / "state")) == measured(whole)
    assert measured(whole) != measured(run(drive()))


def test_the_audit_follows_it(built_in: reclaim.Result) -> None:
    audited = run(drive(**{"gc.victim": own.fewest_valid}), audit=True)
    assert audited.to_dict()["audit"]["checks"] > 0
    assert measured(audited) == measured(built_in)


def scheme(name: str, function: str) -> dict[str, Any]:
    return {"name": name, "set": {"gc.victim": named(function)}}


def test_a_sweep_with_workers_runs_anew_what_has_other_code(tmp_path: Path) -> None:
    file = shutil.copy(FILE, tmp_path / "mine.py")
    schemes = ["greedy", scheme("mine", f"{file}:fewest_valid")]
    made = experiment(schemes=schemes, axes={})
    first = reclaim.sweep(made, tmp_path / "out", workers=2)
    rows = {row["scheme"]: row for row in first.points.iter_rows(named=True)}
    assert set(rows) == {"greedy", "mine"}
    points = {each.name for each in (tmp_path / "out" / "points").iterdir()}
    again = reclaim.sweep(made, tmp_path / "out", workers=2)
    assert again.points.equals(first.points)
    assert {each.name for each in (tmp_path / "out" / "points").iterdir()} == points
    Path(file).write_text(FILE.read_text().replace("plane.valid.argmin()", "plane.valid.argmax()", 1))
    changed = reclaim.sweep(made, tmp_path / "other", workers=2)
    other = {each.name for each in (tmp_path / "other" / "points").iterdir()}
    assert len(points & other) == len(points) - len(points - other)
    assert points - other, "the point of the changed policy is another"
    assert not changed.points.equals(first.points)


def test_an_ablation_takes_it_out(tmp_path: Path) -> None:
    schemes = ["fifo", scheme("mine", f"{FILE}:fewest_valid")]
    made = experiment(schemes=schemes, axes={})
    made |= {"ablate": {"from": "fifo", "to": "mine", "metrics": ["write_mean_ns"]}}
    found = reclaim.ablate(made, tmp_path / "out")
    assert found.failures == {}
    assert "gc.victim" in " ".join(found.conclusions)


@pytest.mark.parametrize(
    ("key", "name", "said"),
    [
        ("gc.victim", "raises", r"own_policies\.py:\d+: ZeroDivisionError: "),
        (
            "gc.victim",
            "no_candidate",
            r"no_candidate returned -\d+, which is none of the \d+ candidates of plane",
        ),
        ("gc.victim", "no_number", r"no_number returned \d\.0, which is none of the"),
        ("gc.victim", "writes", r"own_policies\.py:\d+: ValueError: assignment destination is read-only"),
        ("gc.trigger", "no_answer", r"no_answer returned \d+, which is neither True nor False"),
        (
            "ftl.allocation",
            "no_plane",
            r"no_plane returned \d+, which is no plane: they are 0 to \d+, or None",
        ),
        ("gc.victim", "SavesOnly", r"the class needs save\(\) and load\(bytes\), or neither"),
        ("gc.victim", "Selects", r"the class has no method select"),
        ("gc.victim", "not_marked", r'no policy "not_marked" for gc\.victim; it has fewest_valid, '),
        ("gc.victim", "any_number", r'no policy "any_number" for gc\.victim'),
        ("gc.victim", "nobody", r'no policy "nobody"'),
    ],
)
def test_mistakes_are_told_where_they_are(key: str, name: str, said: str) -> None:
    with pytest.raises(reclaim.InputError, match=said):
        run(drive(**{key: named(f"{FILE}:{name}")}))


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        (
            "nowhere",
            "overwrite",
            r"own_policies\.py:\d+: nowhere returned None, for logical page 0 in the warm-up",
        ),
        ("nowhere", "empty", r"own_policies\.py:\d+: nowhere returned None, for logical page \d+ at \d+ ns"),
        (
            "one_plane",
            "overwrite",
            r"own_policies\.py:\d+: one_plane returned 0, which is full of valid data",
        ),
    ],
)
def test_an_allocation_that_leaves_nothing_to_do_is_named(name: str, kind: str, said: str) -> None:
    device = drive(**{"ftl.allocation": named(f"{FILE}:{name}"), "warmup.kind": kind})
    with pytest.raises(reclaim.InputError, match=said):
        run(device)


def test_a_limit_that_never_lets_a_job_begin_is_a_gate_that_never_opens() -> None:
    gate = '{ kind = "channels", share = "100%", gate = "100%" }'
    more = {"host.time_scale": 2.0}
    mine, other = (run(drive(**{"gc.concurrency": each}, **more)) for each in (own.never, gate))
    assert measured(mine) == measured(other)
    assert measured(mine)["flash"]["erases"] > 10


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("mine", r'"mine" is not FILE\.py:NAME, as in mine\.py:fewest_valid'),
        ("mine.py:", r'"mine\.py:" is not FILE\.py:NAME'),
        ("gone.py:x", r"there is no file .*gone\.py; a file looks for its policies beside"),
    ],
)
def test_names_that_name_nothing(function: str, said: str) -> None:
    with pytest.raises(reclaim.InputError, match=said):
        drive(**{"gc.victim": named(function)})


def test_a_file_that_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("x = 1\ny = (\n")
    with pytest.raises(reclaim.InputError, match=r"bad\.py:2: SyntaxError: "):
        drive(**{"gc.victim": named(f"{tmp_path / 'bad.py'}:x")})


def test_a_stored_configuration_refuses_other_code(tmp_path: Path) -> None:
    file = Path(shutil.copy(FILE, tmp_path / "mine.py"))
    made = drive(**{"gc.victim": named(f"{file}:fewest_valid")})
    assert made.config["gc"]["victim"]["code"]
    (tmp_path / "drive.toml").write_text(made.to_toml())
    stored = str(tmp_path / "drive.toml")
    assert measured(run(reclaim.Device.load(stored)))
    file.write_text(file.read_text() + "\n# changed\n")
    with pytest.raises(reclaim.InputError, match="has changed since the configuration was made"):
        reclaim.Device.load(stored)


def test_a_policy_of_another_kind_is_refused() -> None:
    with pytest.raises(reclaim.InputError, match=r"fewest_valid is a policy for gc\.victim; set that"):
        drive(**{"gc.trigger": own.fewest_valid})


def test_a_policy_that_no_worker_could_find() -> None:
    @reclaim.victim_policy
    def inside(plane: reclaim.policies.Plane) -> int:
        return int(plane.blocks[0])

    with pytest.raises(reclaim.InputError, match="must stand at the top of its file"):
        drive(**{"gc.victim": inside})


def test_the_command_runs_it_and_says_what_is_wrong(command: Command, tmp_path: Path) -> None:
    shutil.copy(FILE, tmp_path / "mine.py")
    words = ("run", "bundled/varmail", "--device", "coupled-copyback-mini", "--remap", "wrap")
    words += ("--set", "trace.max_requests=3000", "--warmup", "workload")
    policy = 'gc.victim={{kind="python",function="mine.py:{}"}}'
    good = command(*words, "--json", "--set", policy.format("fewest_valid"))
    assert good.returncode in (0, 1, 3), good.stderr
    assert json.loads(good.stdout)
    bad = command(*words, "--set", policy.format("raises"))
    assert bad.returncode == 2
    assert re.search(r"mine\.py:\d+: ZeroDivisionError", bad.stderr), bad.stderr


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
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["begun", "ended"]


def test_the_samples_of_the_page_run(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = samples("docs/own-policies.md")
    assert [each.file for each in found if each.file] == ["mine.py", "in_turn.py"]
    assert len([each for each in found if each.words]) == 3
    for sample in found:
        run_sample(sample, tmp_path)
