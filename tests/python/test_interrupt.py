"""Ctrl-C ends a run at once, and progress is told meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import reclaim
from conftest import DEVICE, environment, patience, start

LONG = 50_000_000


def endless(**options: object) -> reclaim.Result:
    """Minutes of simulation."""
    trace = reclaim.uniform_trace(footprint_bytes=64 << 20, count=LONG, mean_interarrival_ns=10_000)
    return reclaim.simulate(reclaim.Device.preset(DEVICE), trace, warmup="steady", **options)


def interrupted(words: list[str], after_seconds: float, cwd: Path) -> tuple[int, float, str]:
    """Exit code, seconds from the signal to the end as an idle computer would take, and stderr."""
    process = start(words, cwd)
    time.sleep(after_seconds)
    assert process.poll() is None, f"it ended before it could be interrupted: {process.communicate()}"
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    return process.returncode, (time.monotonic() - began) / patience(), stderr


@pytest.fixture(scope="module")
def long_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace that takes minutes on any drive."""
    trace = tmp_path_factory.mktemp("long") / "long.csv"
    with trace.open("w") as file:
        file.write("time_us,op,offset_bytes,size_bytes\n")
        file.writelines(
            f"{index * 10},write,{index * 7919 % 16384 * 4096},4096\n" for index in range(3_000_000)
        )
    return trace


HANDED_ON = """import subprocess, sys
sys.path.insert(0, sys.argv[1])
from conftest import start
sleeps = "print('here', flush=True); import time; time.sleep(60)"
process = start([sys.executable, "-c", sleeps], "/")
process.stdout.readline()
process.send_signal(int(sys.argv[2]))
try:
    process.wait(10)
    print("ended")
finally:
    process.kill()
"""


def test_what_tests_start_answers_signals_that_they_ignore(tmp_path: Path) -> None:
    """Hanging up is ignored under nohup."""
    program = tmp_path / "handed_on.py"
    program.write_text(HANDED_ON)
    words = ["sh", "-c", f'trap "" {signal.SIGHUP.value}; exec "$@"', "sh", sys.executable, program]
    words += [Path(__file__).parent, str(signal.SIGHUP.value)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout == "ended\n", done.stderr


def test_a_signal_while_results_are_moved_waits(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from reclaim import output_folder\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\n"
        "move = Path.replace\n"
        "def moved(path, target):\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    return move(path, target)\n"
        "with output_folder.writing(Path('out'), ['a', 'b']) as staged:\n"
        "    for name in ('a', 'b'):\n"
        "        (staged.path / name).write_text(name)\n"
        "    staged._list((), staged.folder / 'manifest.json')\n"
        "    Path.replace = lambda path, to: (moved if path.name in 'ab' else move)(path, to)\n"
        "    staged.publish()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 9, done.stderr
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == ["a", "b", "manifest.json"]


@pytest.mark.parametrize("after_seconds", [1.0, pytest.param(4.0, marks=pytest.mark.slow)])
def test_the_command_stops_within_a_second(tmp_path: Path, long_trace: Path, after_seconds: float) -> None:
    run = ["run", str(long_trace), "--device", "gc-bypass", "--warmup", "steady"]
    command = [sys.executable, "-m", "reclaim", *run]
    code, seconds, stderr = interrupted(command, after_seconds, tmp_path)
    assert code == 130
    assert seconds < 1.0
    assert "Traceback" not in stderr


def test_python_raises_keyboard_interrupt_within_a_second(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_interrupt import endless\n"
        "try:\n    endless()\nexcept KeyboardInterrupt:\n    sys.exit(42)\n"
    )
    code, seconds, stderr = interrupted(
        [sys.executable, "-c", program, str(Path(__file__).parent)], 2.5, tmp_path
    )
    assert code == 42, stderr
    assert seconds < 1.0


def test_progress_is_told_and_an_exception_from_it_stops_the_run() -> None:
    seen: list[tuple[str, int, int, int]] = []

    class EnoughError(Exception):
        pass

    def progress(phase: str, done: int, total: int, simulated_ns: int) -> None:
        seen.append((phase, done, total, simulated_ns))
        if len(seen) == 5:
            raise EnoughError

    began = time.monotonic()
    with pytest.raises(EnoughError):
        endless(progress=progress)
    assert time.monotonic() - began < 30
    assert len(seen) == 5
    assert all(total == 0 or done <= total for _, done, total, _ in seen)
