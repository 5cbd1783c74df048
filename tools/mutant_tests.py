"""Runs one test program for tools/mutants.py, no longer than it takes to know the answer.

The first test that fails ends it. So does having used more processor time than it may: time on the clock
depends on what else the machine does.
"""

import dataclasses
import os
import re
import resource
import signal
import subprocess
from pathlib import Path

# Address space of a test program, bytes: a fault can make it ask for more and more.
MEMORY = 8 << 30
FAILED = re.compile(r"test (.*) \.\.\. FAILED")
# A failing property test is not to look for a smaller example. While one test hangs, another may fail.
SETTINGS = {"PROPTEST_MAX_SHRINK_ITERS": "0", "RUST_TEST_THREADS": "2"}


@dataclasses.dataclass(frozen=True)
class Note:
    """What came of one test program."""

    passed: bool
    # Whether it came to an end, of itself or by a failure, within its processor time.
    ended: bool
    # The test that failed first, if one did.
    failed: str
    # Processor time it used, s.
    seconds: float


def used() -> float:
    """Processor time of all programs that have ended, s."""
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return of_children.ru_utime + of_children.ru_stime


def run(program: Path, folder: Path, limit: float | None, **variables: str) -> Note:
    """Run a test program up to its first failure; `limit` of its processor time in s."""

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))

    failed, before = "", used()
    with subprocess.Popen(
        [program],
        cwd=folder,
        env=os.environ | SETTINGS | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=limits,  # noqa: PLW1509 - no threads here
    ) as child:
        for line in child.stdout or ():
            if found := FAILED.match(line):
                failed = found[1]
                child.kill()
                break
    ended = bool(failed) or child.returncode not in {-signal.SIGXCPU, -signal.SIGKILL}
    return Note(child.returncode == 0, ended, failed, round(used() - before, 2))
