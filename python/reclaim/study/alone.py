"""Runs a point in a process of its own: one that takes more memory than there is ends nothing else."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reclaim import _core, builds
from reclaim.device import Device
from reclaim.experiment.parts import Record
from reclaim.experiment.task import DiedError, StoppedError, Task, into, is_failure, reason, run
from reclaim.policy.files import changed
from reclaim.policy.places import sent
from reclaim.trace.trace import Trace

LOOK_SECONDS = 0.1
BESIDE_BYTES = 256 << 20
"""What a process may have beside what its run may take: interpreter, libraries, tables."""
DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of Linux."""
ENDED_FIRST = "1000"
"""What the process that Linux ends first, where there is no memory left, has in `oom_score_adj`."""
OUT_OF_MEMORY = 2
"""The exit code then."""
FAILED_ALLOCATION = re.compile(r"error: (out of memory: \d+ bytes more could not be had)$", re.MULTILINE)
"""What the core says (`crates/py/src/allocator.rs`) before it ends its process."""


@dataclass(frozen=True)
class Order:
    """What such a process is told."""

    parcel: Parcel
    here: Mapping[str, str]
    """Where files are that are elsewhere at home."""
    trace: str
    """Where the file of the trace is then."""
    folder: Path
    """Where its files go."""
    limit: int | None
    """Bytes that it may take; None for any number."""


def run_alone(order: Order, stop: Callable[[], bool] = lambda: False) -> str:
    """Run a point in a process of its own.

    Returns:
        Why it failed; empty if it did not.

    Raises:
        StoppedError: when `stop` says so.
        DiedError: if the process was ended by a signal, or for want of memory.
    """
    words = [sys.executable, "-P", "-c", "from reclaim.study.alone import main; main()"]
    with subprocess.Popen(  # noqa: S603 - this program itself
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as process:
        answer, told, given = b"", b"", pickle.dumps(order)
        while True:
            try:
                answer, told = process.communicate(given, timeout=LOOK_SECONDS)
                break
            except subprocess.TimeoutExpired:
                given = b""
                if stop():
                    process.kill()
                    raise StoppedError from None
            except BaseException:
                process.kill()
                raise
    said = told.decode(errors="replace")
    if process.returncode < 0:
        raise DiedError(_why(-process.returncode))
    if process.returncode == OUT_OF_MEMORY and (found := FAILED_ALLOCATION.search(said)):
        raise DiedError(found[1])
    if process.returncode:
        last = said.strip().splitlines()[-1:]
        return f"its process ended with exit code {process.returncode}: {''.join(last)}"
    # What its policies have printed.
    sys.stderr.write(said)
    return answer.decode()


def _why(number: int) -> str:
    name = signal.Signals(number).name
    if number == signal.SIGKILL:
        return f"its process was killed ({name}), as the system does with what takes too much memory"
    return f"its process was ended by a signal ({name})"


def main() -> None:
    """Run the point that standard input tells of; why it failed goes to standard output."""
    with contextlib.suppress(OSError, AttributeError):
        # Whoever ends what started this ends this, too.
        ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL)
    with contextlib.suppress(OSError):
        # Where the system has no memory left, it is to end this, and not the sweep that goes on without it.
        Path("/proc/self/oom_score_adj").write_text(ENDED_FIRST)
    # Whatever a policy prints must not be taken for the answer.
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    order: Order = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
    if order.limit is not None:
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = order.limit + BESIDE_BYTES
        with contextlib.suppress(ValueError, OSError):
            limit = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
            resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
    failed = ""
    try:
        with unpacked(order.parcel, order.here, order.trace) as task:
            run(task, into(order.folder))
    except BaseException as error:
        if not is_failure(error):
            raise
        failed = reason(error)
    answer.write(failed.encode())
    answer.close()


@dataclass(frozen=True)
class Parcel:
    """A point on its way: nothing in it opens a file where it is unpacked."""

    version: str
    """Of Reclaim, with its build: what compares versions alone refuses it."""
    build: str
    """That sends it."""
    accepted: tuple[str, ...]
    """Other builds that may run it."""
    id: str
    label: str
    device: tuple[str, tuple[str, ...], tuple[tuple[str, str], ...], tuple[str, ...]]
    code: tuple[tuple[str, str], ...]
    """Policies of one's own, and the digests of what they are at home."""
    policies: Mapping[str, str]
    """Files of policies of one's own at home, by the names of the policies."""
    trace: bytes
    """How the trace is made, pickled."""
    record: Record
    state: str


def packed(task: Task, accepted: tuple[str, ...] = ()) -> Parcel:
    """Pack a point."""
    drive = task.drive
    source = str(Path(drive.source).absolute()) if drive.files() else drive.source
    build = builds.build()
    return Parcel(
        version=f"{_core.__version__} of build {build}",
        build=build,
        accepted=accepted,
        id=task.id,
        label=task.label,
        device=(source, drive.schemes, drive.settings, drive.own),
        code=tuple(drive.own_policies()),
        policies={named: str(file) for named, file in drive.policy_files().items()},
        # How a trace is made again is what has to be sent.
        trace=pickle.dumps(task.trace._made),  # noqa: SLF001
        record=task.record,
        state=task.state,
    )


@contextmanager
def unpacked(parcel: Parcel, here: Mapping[str, str], trace: str) -> Iterator[Task]:
    """Make the point again, to be run while this is open.

    Args:
        parcel: the point.
        here: where files are by their paths at home; what is not among them is at the same path here.
        trace: where the file of the trace is, if it is among them.
    """
    policies = {
        named: (Path(path), Path(here[path])) for named, path in parcel.policies.items() if path in here
    }
    with sent(policies):
        source, schemes, settings, own = parcel.device
        drive = Device(here.get(source, source), schemes, settings, own)
        for (function, was), (_, now) in zip(parcel.code, drive.own_policies(), strict=True):
            if was != now:
                raise changed(Path(function.rpartition(":")[0]), was, now)
        made = _trace(parcel.trace, trace)
        yield Task(parcel.id, parcel.label, drive, made, parcel.record, parcel.state, 0)


@lru_cache(maxsize=16)
def _trace(pickled: bytes, path: str) -> Trace:
    """Make a trace once for all points that play it; `path` is where its file is here, if it has one."""
    make, arguments = pickle.loads(pickled)  # noqa: S301 - from the client that the worker serves anyway
    if path:
        how, (_, *rest), again, _ = arguments
        arguments = (how, (path, *rest), again, (Path(path),))
    made: Trace = make(*arguments)
    return made
