"""Which of a folder of fio's job files become a trace, and why the others do not: a table.

    git clone --depth 1 https://github.com/axboe/fio
    python tools/fio_examples.py fio/examples

Each file is tried as it is, then with a size, where it leaves that to a device. Of what has many requests the
trace of a small size is made.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from reclaim.errors import InputError
from reclaim.trace.generate import FioJobs, fio_jobs, generate_trace, jobs_trace, read_jobs

GIVEN: tuple[dict[str, str], ...] = ({}, {"size": "64m"})
MANY = 2_000_000
SMALL = {"size": "4m", "io_size": "4m", "loops": "1", "number_ios": "1000"}


def made(jobs: FioJobs) -> int:
    """Make the trace, and give the number of its requests."""
    with TemporaryDirectory() as folder:
        if len(jobs.parts) == 1:
            trace = generate_trace(**jobs.parts[0].job.description)
        else:
            trace = jobs_trace(jobs, Path(folder), "t")
        return int(trace.summary()["requests"])


def tried(file: Path) -> tuple[str, str]:
    """Say how a file becomes a trace, and what that has; or that it does not, and why."""
    why = ""
    for more in GIVEN:
        try:
            jobs = fio_jobs(read_jobs(file), file.name, more)
            total = sum(each.requests for each in jobs.parts)
            small = jobs if total < MANY else fio_jobs(read_jobs(file), file.name, {**more, **SMALL})
            count = made(small)
        except InputError as error:
            why = str(error).replace(f"{file}:", "line ")
            if " size" not in why and "size=" not in why:
                break
            continue
        if small is jobs and count != total:
            raise AssertionError(f"{file}: {count} requests, not {total}")
        how = " ".join(["as it is", *(f"with {key}={value}" for key, value in more.items())][-1:])
        return how, f"{len(jobs.parts)} jobs, {total:,} requests"
    return "not", why


def main() -> None:
    """Print the table of a folder."""
    files = sorted(Path(sys.argv[1]).glob("*.fio"))
    found = {file.name: tried(file) for file in files}
    for name, (how, told) in found.items():
        print(f"{name:34} {how:14} {told[:120]}")
    counts = Counter(how for how, _ in found.values())
    print(f"{len(files)} files: " + ", ".join(f"{count} {how}" for how, count in counts.most_common()))


if __name__ == "__main__":
    main()
