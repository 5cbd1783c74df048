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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from reclaim.bench.parcel import Parcel, unpacked
from reclaim.bench.task import DiedError, StoppedError, is_failure, reason, run

LOOK_SECONDS = 0.1
BESIDE_BYTES = 256 << 20
"""What a process may have beside what its run may take: interpreter, libraries, tables."""
DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of Linux."""
FAILED_ALLOCATION = re.compile(r"memory allocation of (\d+) bytes failed")


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
        DiedError: if the process was ended by a signal.
    """
    words = [sys.executable, "-P", "-c", "from reclaim.bench.alone import main; main()"]
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
        raise DiedError(_why(-process.returncode, said))
    if process.returncode:
        last = said.strip().splitlines()[-1:]
        return f"its process ended with exit code {process.returncode}: {''.join(last)}"
    # What its policies have printed.
    sys.stderr.write(said)
    return answer.decode()


def _why(number: int, said: str) -> str:
    name = signal.Signals(number).name
    if found := FAILED_ALLOCATION.search(said):
        return (
            f"out of memory: its process was ended ({name}) as {int(found[1]):,} bytes more could not be had"
        )
    if number == signal.SIGKILL:
        return f"its process was killed ({name}), as the system does with what takes too much memory"
    return f"its process was ended by a signal ({name})"


def main() -> None:
    """Run the point that standard input tells of; why it failed goes to standard output."""
    with contextlib.suppress(OSError, AttributeError):
        # Whoever ends what started this ends this, too.
        ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL)
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
            run(task, order.folder)
    except BaseException as error:
        if not is_failure(error):
            raise
        failed = reason(error)
    answer.write(failed.encode())
    answer.close()
