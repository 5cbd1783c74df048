"""Whatever a policy of a user's does is one message with file and line, and stops within a second."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import faulty_policies as faulty
import reclaim
from bench.small import experiment
from conftest import Command, environment
from reclaim.bench.check import check
from reclaim.policies.files import _is_importable

FILE = Path(faulty.__file__)
DRIVE = "coupled-copyback-mini"
WORDS = ("bundled/varmail", "--device", DRIVE, "--remap", "wrap")


def setting(key: str, name: str, file: Path = FILE) -> str:
    return f'{key}={{kind="python",function="{file}:{name}"}}'


def run(key: str, name: str) -> reclaim.Result:
    drive = reclaim.Device.preset(DRIVE).set(key, f'{{ kind = "python", function = "{FILE}:{name}" }}')
    trace = reclaim.open_trace("bundled/varmail")
    return reclaim.simulate(drive, trace, remap="wrap", warmup="overwrite:0.5")


RUN = [
    ("gc.victim", "exits", r":\d+: SystemExit: 0, as of sys\.exit; a policy gives its answer"),
    ("gc.victim", "interrupts", r":\d+: KeyboardInterrupt$"),
    ("gc.victim", "is_closed", r":\d+: GeneratorExit: closed$"),
    ("gc.victim", "has_no_message", r":\d+: SilentError: something .* whose __str__ raised ValueError$"),
    ("gc.victim", "calls_itself", r":\d+: RecursionError: "),
    ("gc.victim", "gives_no_number", r":\d+: gives_no_number returned something of the class Number, whose "),
    (
        "gc.victim",
        "gives_much",
        r":\d+: gives_much returned 'x{200,300}… \(1,000,002 characters\), which is none",
    ),
    ("gc.victim", "takes_modules_away", r":\d+: it took \d+ modules out of sys\.modules"),
    ("gc.victim", "part", r":\d+: part returned -7, which is none of the"),
    ("gc.victim", "an_object", r":\d+: an_object returned 'a', which is none of the"),
    ("gc.victim", "divides", r" \(<string>:1\): ZeroDivisionError"),
    ("gc.victim", "halves", r" \(<string>:4\): halves returned 0\.5, which is none of the"),
    ("gc.victim", "CannotBeMade", r":\d+: SystemExit: 0"),
    ("gc.victim", "HasNoMethod", r":\d+: KeyError: 'select'"),
    ("ftl.allocation", "raises", r":\d+: ValueError: wrong"),
    ("ftl.allocation", "none_but_that", r":\d+: none_but_that returned 8, which is no plane"),
    ("ftl.allocation", "text", r":\d+: text returned '0', which is no plane"),
    (
        "ftl.allocation",
        "always_the_first",
        r":\d+: always_the_first returned 0, which is full of valid data",
    ),
    (
        "ftl.allocation",
        "always_later",
        r":\d+: always_later returned None, for logical page 0 in the warm-up",
    ),
    (
        "gc.trigger",
        "answers_nothing",
        r":\d+: answers_nothing returned None, which is neither True nor False",
    ),
    ("gc.concurrency", "LimitExits", r":\d+: SystemExit: 5, as of sys\.exit; a policy gives its answer"),
    ("gc.concurrency", "ends", r":\d+: SystemExit, as of sys\.exit; a policy"),
]


@pytest.mark.parametrize(("key", "name", "said"), RUN)
def test_a_run_says_where_and_what(key: str, name: str, said: str) -> None:
    with pytest.raises(reclaim.InputError, match=f"(?m){re.escape(str(FILE))}{said}"):
        run(key, name)
    assert "reclaim.policies" in sys.modules


@pytest.mark.parametrize("name", ["ends_the_process", "becomes_another", "exits"])
def test_no_success_without_a_result(command: Command, name: str) -> None:
    done = command("run", *WORDS, "--warmup", "workload", "--json", "--set", setting("gc.victim", name))
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.search(r"faulty_policies\.py:\d+: .*; a policy gives its answer", done.stderr), done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_policy_prints_is_no_result(command: Command) -> None:
    words = ("run", *WORDS, "--set", "trace.max_requests=3000", "--warmup", "workload", "--json", "--set")
    printed = command(*words, setting("gc.victim", "prints"))
    assert printed.returncode in (0, 1, 3), printed.stderr
    assert json.loads(printed.stdout)
    assert all(word in printed.stderr for word in ("PRINTED", "WRITTEN", "RAW"))
    closed = command(*words, setting("gc.victim", "closes"))
    assert closed.returncode in (0, 1, 3), closed.stderr
    assert json.loads(closed.stdout)
    errors = command(*words, setting("gc.victim", "closes_errors"))
    assert errors.returncode == 2
    assert "ValueError: wrong" in errors.stderr


@pytest.mark.parametrize("key", ["ftl.allocation", "gc.victim"])
def test_every_command_says_the_same(command: Command, tmp_path: Path, key: str) -> None:
    """The drive is looked at before anything runs: a policy that places pages is asked then."""
    name = "raises" if key == "ftl.allocation" else "CannotBeMade"
    said = re.compile(r"faulty_policies\.py:\d+: (ValueError: wrong|SystemExit: 0)")
    made = experiment(axes={}, schemes=["greedy", {"name": "mine", "set": {}}], repeats={"count": 1})
    made["schemes"][1]["set"][key] = {"kind": "python", "function": f"{FILE}:{name}"}
    (tmp_path / "x.toml").write_text(reclaim.Experiment.from_dict(made, base=tmp_path).text)
    given = setting(key, name)
    for words in (
        ("run", *WORDS, "--set", given),
        ("compare", *WORDS, "--schemes", "fifo,greedy", "--set", given),
        ("device", "check", DRIVE, "--set", given),
        ("check", "x.toml"),
    ):
        done = command(*words)
        assert done.returncode == 2, (words, done.stderr)
        assert said.search(done.stderr.replace("\n", " ")), (words, done.stderr)
        assert "Traceback" not in done.stderr
        assert "panic" not in done.stderr


def test_a_faulty_policy_fails_its_points_alone(tmp_path: Path) -> None:
    schemes: list[Any] = ["greedy"]
    schemes += [
        {"name": name, "set": {key: {"kind": "python", "function": f"{FILE}:{name}"}}}
        for key, name in (("ftl.allocation", "raises"), ("gc.trigger", "answers_nothing"))
    ]
    made = experiment(axes={}, schemes=schemes, repeats={"count": 1})
    found = reclaim.sweep(made, tmp_path / "out", workers=2)
    assert found.points["scheme"].to_list() == ["greedy"]
    assert {each.error.partition(": ")[2][:11] for each in found.failures} == {"ValueError:", "answers_not"}


SOON = 6.0
"""Seconds: one on a computer that has nothing else to do."""
STOPPED = ["takes_5_ms", "takes_50_ms", "sleeps", "never_ends"]
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]


def stopped(
    words: list[str], cwd: Path, number: signal.Signals = signal.SIGINT, seen: str = "asked"
) -> tuple[int, str]:
    """Exit code and stderr of a command that is stopped once there is such a file; it ends soon."""
    words = [sys.executable, *words]
    process = subprocess.Popen(
        words, cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while not any(cwd.glob(seen)):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
    began = time.monotonic()
    process.send_signal(number)
    try:
        _, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert time.monotonic() - began < SOON
    return process.returncode, stderr


@pytest.mark.parametrize(("number", "code"), SIGNALS)
@pytest.mark.parametrize("name", STOPPED)
def test_a_run_stops_within_a_second(tmp_path: Path, name: str, number: signal.Signals, code: int) -> None:
    words = ["-m", "reclaim", "run", *WORDS, "--warmup", "workload", "--set", setting("gc.victim", name)]
    came, said = stopped(words, tmp_path, number)
    assert came == code, said
    assert "stopped" in said


@pytest.mark.parametrize(("number", "code"), SIGNALS)
@pytest.mark.parametrize("name", STOPPED)
def test_a_sweep_stops_within_a_second(tmp_path: Path, name: str, number: signal.Signals, code: int) -> None:
    mine = {"name": "mine", "set": {"gc.victim": {"kind": "python", "function": f"{FILE}:{name}"}}}
    more = {"warmup.kind": "overwrite", "warmup.overwrites": 3, "trace.remap": "wrap"}
    made = {
        "name": "x",
        "devices": [DRIVE],
        "traces": ["bundled/varmail"],
        "schemes": ["greedy", mine],
        "set": more,
    }
    (tmp_path / "x.toml").write_text(reclaim.Experiment.from_dict(made, base=tmp_path).text)
    words = ["-m", "reclaim", "sweep", "x.toml", "-o", "out", "--workers", "2"]
    came, said = stopped(words, tmp_path, number, "out/points/[0-9a-f]*")
    assert came == code, said
    assert "1 of 2 points are stored" in said
    assert len(list((tmp_path / "out" / "points").iterdir())) == 1


@pytest.mark.parametrize(
    "words", [("run", *WORDS), ("sweep", "x.toml", "-o", "out"), ("device", "check", DRIVE)]
)
def test_an_endless_import_stops_within_a_second(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "endless.py").write_text("open('asked', 'w')\nwhile True:\n    pass\n")
    endless = {"kind": "python", "function": f"{tmp_path}/endless.py:x"}
    made = experiment(axes={}, schemes=["greedy"], set={"gc.victim": endless})
    (tmp_path / "x.toml").write_text(reclaim.Experiment.from_dict(made, base=tmp_path).text)
    given = () if words[0] == "sweep" else ("--set", setting("gc.victim", "x", tmp_path / "endless.py"))
    came, said = stopped(["-m", "reclaim", *words, *given], tmp_path)
    assert came == 130, said
    assert "stopped" in said


def test_a_policy_that_is_asked_for_facts_stops(tmp_path: Path) -> None:
    given = ("--set", setting("ftl.allocation", "never_places"))
    assert stopped(["-m", "reclaim", "device", "check", DRIVE, *given], tmp_path)[0] == 130


@pytest.mark.parametrize("name", ["takes_50_ms", "never_ends"])
def test_a_script_that_is_interrupted_does_not_abort(tmp_path: Path, name: str) -> None:
    program = (
        "import reclaim, sys\n"
        f"drive = reclaim.Device.preset('{DRIVE}').set('gc.victim', sys.argv[1])\n"
        "trace = reclaim.open_trace('bundled/varmail')\n"
        "try:\n"
        "    reclaim.simulate(drive, trace, remap='wrap', warmup='workload')\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(42)\n"
    )
    given = setting("gc.victim", name).partition("=")[2]
    assert stopped(["-c", program, given], tmp_path)[0] == 42


def test_which_scripts_are_loaded_anew(tmp_path: Path) -> None:
    guarded = tmp_path / "script.py"
    guarded.write_text(FILE.read_text() + "\nif __name__ == '__main__':\n    print(exits)\n")
    assert _is_importable(guarded, "exits")
    assert not _is_importable(guarded, "of_a_cell")
    assert not _is_importable(FILE, "exits")


def test_the_estimate_knows_how_slow_they_are(tmp_path: Path) -> None:
    def estimated(victim: object) -> float:
        schemes = [{"name": "one", "set": {"ftl.allocation": victim}}]
        (tmp_path / "x.toml").write_text(
            reclaim.Experiment.from_dict(experiment(axes={}, schemes=schemes), base=tmp_path).text
        )
        known = check(tmp_path / "x.toml").estimate
        assert known is not None
        return known.seconds

    own = {"kind": "python", "function": f"{Path(__file__).with_name('own_policies.py')}:by_number"}
    assert estimated(own) > estimated({"kind": "striping"}) + 0.5
