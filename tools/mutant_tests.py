#!/usr/bin/env python3
"""Runs one test program for tools/mutants.py (as cargo's runner), no longer than it takes to know the answer.

The first test that fails ends it. So does having used more processor time than it may: time on the clock
depends on what else the machine does. What came of it is added to a file, a line of JSON for each program.
"""

import dataclasses
import json
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

# Names of environment variables: the file of notes, and the processor seconds of each program (JSON).
NOTES = "RECLAIM_MUTANT_NOTES"
LIMITS = "RECLAIM_MUTANT_LIMITS"
# Address space of a test program, bytes: a fault can make it ask for more and more.
MEMORY = 8 << 30
FAILED = re.compile(r"test (.*) \.\.\. FAILED")


@dataclasses.dataclass(frozen=True)
class Note:
    """What came of one test program."""

    program: str
    passed: bool
    # Whether it came to an end, of itself or by a failure, within its processor time.
    ended: bool
    # The test that failed first, if one did.
    failed: str
    # Processor time it used, s.
    seconds: float


def noted(file: Path) -> list[Note]:
    """The notes in a file, in the order of the programs."""
    lines = file.read_text().splitlines() if file.exists() else []
    return [Note(**json.loads(line)) for line in lines]


def run(program: str, arguments: list[str]) -> Note:
    """Run a test program up to its first failure."""
    name = Path(program).name.rsplit("-", 1)[0]
    limit = json.loads(os.environ.get(LIMITS, "{}")).get(name)
    # The program inherits the limits, and this one needs next to nothing.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
    failed = ""
    with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout or ():
            print(line, end="", flush=True)
            if found := FAILED.match(line):
                failed = found[1]
                child.kill()
                break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = bool(failed) or child.returncode not in {-signal.SIGXCPU, -signal.SIGKILL}
    return Note(name, child.returncode == 0, ended, failed, round(used.ru_utime + used.ru_stime, 2))


def main() -> int:
    """Run the program named on the command line."""
    note = run(sys.argv[1], sys.argv[2:])
    with Path(os.environ[NOTES]).open("a") as file:
        file.write(json.dumps(dataclasses.asdict(note)) + "\n")
    return 0 if note.passed else 1


if __name__ == "__main__":
    sys.exit(main())
