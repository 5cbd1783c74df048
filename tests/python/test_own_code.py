"""Whatever a policy of a user's does is one message with file and line, and stops within a second."""

from __future__ import annotations

import re
import signal
import sys
import time
from pathlib import Path

import pytest

import faulty_policies as faulty
import own_policies
import reclaim
from conftest import Command, parsed, refusal, start
from reclaim.experiment.check import check
from reclaim.policy.files import _is_importable
from study.small import experiment

FILE = Path(faulty.__file__)
DRIVE = "coupled-copyback-mini"
WORDS = ("bundled/varmail", "--device", DRIVE, "--remap", "wrap")


def own(name: str, file: Path = FILE) -> dict[str, str]:
    return {"kind": "python", "function": f"{file}:{name}"}


def setting(key: str, name: str, file: Path = FILE) -> str:
    return f'{key}={{kind="python",function="{file}:{name}"}}'


def run(key: str, warmup: str = "overwrite:0.5", *, name: str) -> None:
    drive = reclaim.Device.preset(DRIVE).set(*setting(key, name).split("=", 1))
    reclaim.simulate(drive, reclaim.open_trace("bundled/varmail"), remap="wrap", warmup=warmup)


@pytest.mark.parametrize(
    ("key", "name", "said"),
    [
        ("gc.victim", "has_no_message", "SilentError: .* ValueError$"),
        ("gc.victim", "gives_no_number", "gives_no_number .* Number"),
        ("gc.victim", "gives_much", r"gives_much .*'x{200,300}… \(1,000,002 characters"),
        ("gc.victim", "part", r"part returned -7, .* the \d+ candidates"),
        ("gc.victim", "an_object", "an_object returned 'a'"),
        ("gc.victim", "halves", r"\(<string>:4\): halves returned 0\.5"),
        ("gc.victim", "divides", r"\(<string>:1\): ZeroDivisionError"),
        ("gc.victim", "writes", "ValueError: .*read-only"),
        ("gc.victim", "HasNoMethod", "KeyError: 'select'"),
        ("ftl.allocation", "none_but_that", "none_but_that returned 8"),
        ("ftl.allocation", "always_later", "always_later .* page 0 in the warm-up"),
        ("ftl.allocation empty", "always_later", r"always_later .* page \d+ at \d+ ns"),
        ("gc.trigger", "answers_nothing", "answers_nothing returned None"),
        ("gc.concurrency", "LimitExits", "SystemExit: 5"),
    ],
)
def test_a_run_says_where_and_what(key: str, name: str, said: str) -> None:
    with pytest.raises(reclaim.InputError, match=rf"(?m){re.escape(str(FILE))}(:\d+:)? {said}"):
        run(*key.split(), name=name)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (f"{FILE}:SavesOnly", r"SavesOnly: .*save\(\) and load\(bytes\)"),
        (f"{FILE}:Selects", "Selects: .* select"),
        (f"{FILE}:not_marked", 'no policy "not_marked" for gc.victim; it has .*HasNoMethod'),
        (f"{FILE}:raises", 'no policy "raises" for gc.victim'),
        ("mine", r'"mine" is not FILE\.py:NAME'),
        ("mine.py:", r'"mine\.py:" is not FILE\.py:NAME'),
        ("gone.py:x", r"no file .*/gone\.py"),
    ],
)
def test_functions_that_are_no_policy(function: str, said: str) -> None:
    with pytest.raises(reclaim.InputError, match=said):
        reclaim.Device.preset(DRIVE).set("gc.victim", f'{{ kind = "python", function = "{function}" }}')


def test_policies_that_are_given_as_such() -> None:
    @reclaim.victim_policy
    def inside(plane: reclaim.policy.Plane) -> int:
        return int(plane.blocks[0])

    with pytest.raises(reclaim.InputError, match=r"inside: .*top of its file"):
        reclaim.Device.preset(DRIVE).set("gc.victim", inside)
    with pytest.raises(reclaim.InputError, match=r"writes .*gc\.victim"):
        reclaim.Device.preset(DRIVE).set("gc.trigger", faulty.writes)


def test_what_a_policy_prints_is_no_result(command: Command) -> None:
    words = ("run", *WORDS, "--set", "trace.max_requests=3000", "--warmup", "workload", "--json", "--set")
    printed = command(*words, setting("gc.victim", "prints"))
    assert parsed(printed)
    assert all(word in printed.stderr for word in ("PRINTED", "WRITTEN", "RAW"))
    assert parsed(command(*words, setting("gc.victim", "closes")))
    assert "ValueError: wrong" in refusal(command(*words, setting("gc.victim", "closes_errors")))


def test_every_command_says_the_same(command: Command, tmp_path: Path) -> None:
    """The drive is looked at before anything runs: a policy that places pages is asked then."""
    mine = {"name": "mine", "set": {"ftl.allocation": own("raises")}}
    made = experiment(schemes=["greedy", mine], axes={})
    (tmp_path / "x.toml").write_text(reclaim.Experiment.from_dict(made, base=tmp_path).text)
    given = ("--set", setting("ftl.allocation", "raises"))
    for words in (
        ("compare", *WORDS, "--schemes", "fifo,greedy", *given),
        ("device", "check", DRIVE, *given),
        ("check", "x.toml"),
    ):
        found = refusal(command(*words))
        assert re.search(r"faulty_policies\.py:\d+: ValueError: wrong", found), words


def test_a_faulty_policy_fails_its_points_alone(tmp_path: Path) -> None:
    pairs = (("ftl.allocation", "raises"), ("gc.trigger", "answers_nothing"))
    faulty_ones = [{"name": name, "set": {key: own(name)}} for key, name in pairs]
    made = experiment(axes={}, schemes=["greedy", *faulty_ones], repeats={"count": 1})
    found = reclaim.sweep(made, tmp_path / "out", workers=2)
    assert found.points["scheme"].to_list() == ["greedy"]
    assert {each.error.partition(": ")[2][:11] for each in found.failures} == {"ValueError:", "answers_not"}


SOON = 6.0
"""Seconds: one on a computer that has nothing else to do."""


def stopped(
    words: list[str], cwd: Path, number: signal.Signals = signal.SIGINT, seen: str = "asked"
) -> tuple[int, str]:
    """Exit code and stderr of a command that is stopped once there is such a file; it ends soon."""
    process = start([sys.executable, *words], cwd)
    until = time.monotonic() + 60
    while not any(cwd.glob(seen)):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
    began = time.monotonic()
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert time.monotonic() - began < SOON
    return process.returncode, stderr


RUN = ("run", *WORDS, "--warmup", "workload")
CHECK = ("device", "check", DRIVE)


@pytest.mark.parametrize(
    ("words", "key", "name", "number", "code"),
    [
        (RUN, "gc.victim", "takes_50_ms", signal.SIGINT, 130),
        (RUN, "gc.victim", "sleeps", signal.SIGINT, 130),
        (RUN, "gc.victim", "never_ends", signal.SIGTERM, 143),
        (CHECK, "ftl.allocation", "never_places", signal.SIGINT, 130),
        (CHECK, "gc.victim", "endless", signal.SIGINT, 130),
    ],
)
def test_a_command_stops_within_a_second(
    tmp_path: Path, words: tuple[str, ...], key: str, name: str, number: signal.Signals, code: int
) -> None:
    endless = tmp_path / "endless.py"
    endless.write_text("open('asked', 'w')\nwhile True:\n    pass\n")
    given = setting(key, name, endless if name == "endless" else FILE)
    came, said = stopped(["-m", "reclaim", *words, "--set", given], tmp_path, number)
    assert came == code, said
    assert "stopped" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("name", "number", "code"), [("takes_50_ms", signal.SIGTERM, 143), ("never_ends", signal.SIGINT, 130)]
)
def test_a_sweep_stops_within_a_second(tmp_path: Path, name: str, number: signal.Signals, code: int) -> None:
    more = {"warmup.kind": "overwrite", "warmup.overwrites": 3, "trace.remap": "wrap"}
    schemes = ["greedy", {"name": "mine", "set": {"gc.victim": own(name)}}]
    made = {"name": "x", "devices": [DRIVE], "traces": ["bundled/varmail"], "schemes": schemes, "set": more}
    (tmp_path / "x.toml").write_text(reclaim.Experiment.from_dict(made, base=tmp_path).text)
    words = ["-m", "reclaim", "sweep", "x.toml", "-o", "out", "--workers", "2"]
    came, said = stopped(words, tmp_path, number, "out/points/[0-9a-f]*")
    assert came == code, said
    assert "1 of 2 points are stored" in said
    assert len(list((tmp_path / "out" / "points").iterdir())) == 1


def test_a_script_that_is_interrupted_does_not_abort(tmp_path: Path) -> None:
    program = (
        "import reclaim, sys\n"
        f"drive = reclaim.Device.preset('{DRIVE}').set('gc.victim', sys.argv[1])\n"
        "trace = reclaim.open_trace('bundled/varmail')\n"
        "try:\n"
        "    reclaim.simulate(drive, trace, remap='wrap', warmup='workload')\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(42)\n"
    )
    given = setting("gc.victim", "never_ends").partition("=")[2]
    assert stopped(["-c", program, given], tmp_path)[0] == 42


def test_which_scripts_are_loaded_anew(tmp_path: Path) -> None:
    guarded = tmp_path / "script.py"
    guarded.write_text(FILE.read_text() + "\nif __name__ == '__main__':\n    print(prints)\n")
    answers = [_is_importable(*asked) for asked in ((guarded, "prints"), (guarded, "gone"), (FILE, "prints"))]
    assert answers == [True, False, False]


def test_the_estimate_knows_how_slow_they_are(tmp_path: Path) -> None:
    def estimated(allocation: dict[str, str]) -> float:
        made = experiment(axes={}, schemes=[{"name": "one", "set": {"ftl.allocation": allocation}}])
        (tmp_path / "x.toml").write_text(reclaim.Experiment.from_dict(made, base=tmp_path).text)
        known = check(tmp_path / "x.toml").estimate
        assert known is not None
        return known.seconds

    mine = own("by_number", Path(own_policies.__file__))
    assert estimated(mine) > estimated({"kind": "striping"}) + 0.5
