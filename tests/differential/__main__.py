"""Many random runs on several processes: `make differential RUNS=2000`."""

from __future__ import annotations

import argparse
import json
import sys
import time
import tomllib
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from differential.case import Case, Request
from differential.coverage import Coverage
from differential.report import report
from differential.search import DifferenceError, difference, search

RUNS_PER_SEED = 25
FOLDER = Path("out/differential")


def main() -> int:
    """Run what the command line asks for; 1 when a difference was found."""
    parser = argparse.ArgumentParser(prog="python -m differential", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="random cases")
    parser.add_argument(
        "--seed", type=int, default=0, help="of the first 25 of them; the next 25 have the next"
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--device", type=Path, help="one case instead: its device file")
    parser.add_argument("--trace", type=Path, help="… and its trace, in Reclaim's own format")
    arguments = parser.parse_args()
    if arguments.device and arguments.trace:
        return one_case(arguments.device, arguments.trace)
    return many_cases(arguments.runs, arguments.seed, arguments.processes)


def one_case(device: Path, trace: Path) -> int:
    """Compare on a case from files."""
    rows = [line.split(",") for line in trace.read_text().splitlines()[1:]]
    requests: list[Request] = [
        (round(float(time_us) * 1000), op, int(offset), int(size)) for time_us, op, offset, size in rows
    ]
    what = difference(Case(tomllib.loads(device.read_text()), requests))
    print(what or "no difference")
    return 1 if what else 0


def batch(seed: int, runs: int) -> tuple[Coverage, Case | None, str]:
    """Compare on the cases of one seed; the first that differs, and how."""
    coverage = Coverage()
    try:
        search(runs, fixed=False, seed_=seed, coverage=coverage)
    except DifferenceError as found:
        return coverage, found.case, found.what
    return coverage, None, ""


def many_cases(runs: int, first_seed: int, processes: int) -> int:
    """Compare on random cases and show how far that has got."""
    coverage, began = Coverage(), time.monotonic()
    sizes = [min(RUNS_PER_SEED, runs - at) for at in range(0, runs, RUNS_PER_SEED)]
    with ProcessPoolExecutor(processes) as pool:
        batches = {pool.submit(batch, first_seed + k, size): first_seed + k for k, size in enumerate(sizes)}
        for done in as_completed(batches):
            found, case, what = done.result()
            if case is not None:
                pool.shutdown(wait=False, cancel_futures=True)
                print(f"\nseed {batches[done]}:")
                print(report(case, what, FOLDER))
                return 1
            coverage.merge(found)
            seconds = time.monotonic() - began
            print(f"{coverage.runs} of {runs} runs equal, {seconds:.0f} s", flush=True)
    print(coverage.table())
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "coverage.json").write_text(json.dumps(dict(sorted(coverage.used.items())), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
