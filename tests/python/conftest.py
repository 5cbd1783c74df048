"""What the tests share: results read from files, and the command as a user runs it."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import polars as pl
import pytest

import reclaim

if TYPE_CHECKING:
    from answers.runner import Warm

FIXTURES = Path(__file__).parent / "fixtures"
DEVICE = "coupled-copyback-mini"
GENERATED = """generator = 1
requests = 500
size = "4KiB"
operations = { write = 0.7, trim = 0.1 }
arrivals = { kind = "constant", interval = "500us" }
address = { kind = "uniform", footprint = "4MiB" }
"""
"""The description of a small generated trace."""

Command = Callable[..., "subprocess.CompletedProcess[str]"]

# Processes that tests start need not compile every module anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# A busy machine takes its time over an example.
hypothesis.settings.register_profile("any machine", deadline=None)
hypothesis.settings.load_profile("any machine")

SLOW = "reference_model reproduce tutorial readme validate answers wheel symmetry own_policies"
"""Files with a minute of work or more; begun last, one would keep a worker busy while the other rests."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first."""
    items.sort(key=lambda item: item.path.stem.removeprefix("test_") not in SLOW.split())


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: a tenth of the time tests wait for what they have started."""
    return (os.cpu_count() or 1) + 1


def hand_on_no_ignored_signals() -> None:
    """Let what tests start answer signals, although whoever runs the tests has them ignored.

    A job in the background ignores Ctrl-C, one of nohup that its terminal hangs up, and both hand that on. A
    handler of Python's ignores them as well, and is not handed on.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


hand_on_no_ignored_signals()


def patience() -> float:
    """How many times longer than on an idle computer something may take."""
    return max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))


_STARTED: list[subprocess.Popen[str]] = []
"""Processes that the present test has started."""


def start(words: Sequence[str | Path], cwd: Path, **options: Any) -> subprocess.Popen[str]:
    """Start a process that ends with the test, if not before, and with it what it has started itself."""
    told: dict[str, Any] = {
        "env": environment(),
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        **options,
    }
    process = subprocess.Popen(list(map(str, words)), cwd=cwd, text=True, start_new_session=True, **told)
    _STARTED.append(process)
    return process


@pytest.fixture(autouse=True)
def _ends_what_it_starts() -> Iterator[None]:
    yield
    while _STARTED:
        process = _STARTED.pop()
        with contextlib.suppress(ProcessLookupError):
            # Its own session: nobody else is in it.
            os.killpg(process.pid, signal.SIGKILL)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.wait()


def environment() -> dict[str, str]:
    """Surroundings that do not depend on who runs the tests."""
    return os.environ | {"COLUMNS": "160", "TERM": "dumb", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}


@pytest.fixture(scope="session")
def results() -> list[reclaim.Result]:
    """Two runs of one trace; the first is trustworthy, the second is not."""
    return [reclaim.Result.load(FIXTURES / f"{name}.json") for name in ("greedy", "fifo")]


class Recorded(reclaim.Result):
    """A result with a timeline of its own instead of a recorded one."""

    def __init__(self, text: str, timeline: pl.DataFrame) -> None:
        super().__init__(text)
        self._timeline = timeline

    @property
    def timeline(self) -> pl.DataFrame:
        return self._timeline


TIMELINE = """
    start_ns length_ns free_blocks used_pages valid_pages gc_jobs gc_channels allowed_channels
    pending_operations outstanding_requests buffered_pages completed_requests latency_sum_ns
    latency_max_ns host_programs gc_programs wear_programs padded_pages wasted_pages erases wear_erases
    jobs_begun
    host_bytes nand_bytes nand_host_bytes nand_collection_bytes nand_folding_bytes nand_levelling_bytes
    nand_parity_bytes nand_translation_bytes nand_padding_bytes
"""
"""Its columns."""


def timeline_of(*rows: dict[str, int], interval_ns: int = 10_000) -> pl.DataFrame:
    """A timeline whose rows have what is given, and 0 in every other column."""
    filled = [
        {"start_ns": index * interval_ns, "length_ns": interval_ns} | row for index, row in enumerate(rows)
    ]
    return pl.DataFrame(
        [[row.get(column, 0) for column in TIMELINE.split()] for row in filled],
        schema=dict.fromkeys(TIMELINE.split(), pl.UInt64),
        orient="row",
    )


@pytest.fixture(scope="session")
def doubtful() -> reclaim.Result:
    """Another run of that trace, some of whose figures are not established."""
    return reclaim.Result.load(FIXTURES / "copyback.json")


def ran(cwd: Path, *arguments: str | Path, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    """What became of `reclaim …` in a folder, in a process that need not start Python anew."""
    from answers.runner import Warm

    if not _WARM:
        _WARM.append(Warm())
        atexit.register(_WARM[0].close)
    words = [*map(str, arguments)]
    with tempfile.TemporaryDirectory() as said:
        places = {name: Path(said, name) for name in ("stdout", "stderr")}
        for place in places.values():
            place.touch()
        job = {"cwd": str(cwd), "words": words, "env": environment(), "seconds": seconds}
        code, _ = _WARM[0].run(job | {name: str(place) for name, place in places.items()})
        if code is None:
            raise subprocess.TimeoutExpired(["reclaim", *words], seconds)
        out, err = (place.read_text(encoding="utf-8") for place in places.values())
    return subprocess.CompletedProcess(["reclaim", *words], code, out, err)


_WARM: list[Warm] = []
"""The interpreter that waits; one to a process."""


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run `reclaim …` in an empty directory."""
    return functools.partial(ran, tmp_path)


def parsed(done: subprocess.CompletedProcess[str]) -> Any:
    """What a command that did its work printed as JSON."""
    assert done.returncode in (0, 1, 3), done.stderr
    return json.loads(done.stdout)


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """What a command that refuses says, in one line."""
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


@pytest.fixture
def trace_file(tmp_path: Path) -> Path:
    """A small sound trace: 2000 writes over 4 MiB, every tenth followed by a read, and some trims."""
    lines = ["time_us,op,offset_bytes,size_bytes"]
    for index in range(2000):
        offset = (index * 7919 % 1024) * 4096
        lines.append(f"{index * 500},write,{offset},4096")
        if index % 10 == 0:
            lines.append(f"{index * 500 + 100},read,{offset},4096")
        if index % 100 == 99:
            lines.append(f"{index * 500 + 200},trim,{offset},4096")
    path = tmp_path / "small.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="session")
def set_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of two traces, three schemes, an axis of two values and three repeats; not to be changed."""
    from small_set import write_set

    return write_set(tmp_path_factory.mktemp("set"))
