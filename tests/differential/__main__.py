"""Many random runs on several processes: `make differential RUNS=2000`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from differential.case import Case
from differential.coverage import Coverage
from differential.report import report
from differential.rules import PAGE
from differential.search import DifferenceError, difference, search
from differential.tested import renew

AT_ONCE = 20
FOLDER = Path("out/differential")


def main() -> int:
    """Run what the command line asks for; 1 when a difference was found."""
    parser = argparse.ArgumentParser(prog="python -m differential", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="random cases, each of a seed")
    parser.add_argument("--seed", type=int, default=0, help="of the first of them; the others have the next")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--only",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="only cases with this setting, as gc.victim.kind=word-line; repeated: with one of them",
    )
    parser.add_argument(
        "--rules",
        action="store_true",
        help="instead: choose the runs of `make test`, and say how many exercise each rule of docs/model.md",
    )
    parser.add_argument("--device", type=Path, help="one case instead: its device file")
    parser.add_argument("--trace", type=Path, help="… and its trace, in Reclaim's own format")
    arguments = parser.parse_args()
    if arguments.device and arguments.trace:
        return one_case(arguments.device, arguments.trace)
    if arguments.rules:
        return tested_rules()
    return many_cases(arguments.runs, arguments.seed, arguments.processes, arguments.only)


def one_case(device: Path, trace: Path) -> int:
    """Compare on a case from files."""
    what = difference(Case.read(device, trace))
    print(what or "no difference")
    return 1 if what else 0


def batch(seeds: range, only: Sequence[str]) -> tuple[Coverage, Case | None, str]:
    """Compare on the cases of some seeds; the first that differs, and how."""
    coverage = Coverage()
    try:
        search(seeds, coverage, only)
    except DifferenceError as found:
        return coverage, found.case, found.what
    return coverage, None, ""


def tested_rules() -> int:
    """Choose the runs of `make test` anew, and renew the page that says how many exercise each rule."""
    try:
        coverage = renew()
    except DifferenceError as found:
        print(report(found.case, found.what, FOLDER))
        return 1
    PAGE.write_text(coverage.rules.page(coverage.runs))
    print(f"{PAGE} is renewed: {coverage.rules.summary(coverage.runs)}")
    return 0


def many_cases(runs: int, seed: int, processes: int, only: Sequence[str]) -> int:
    """Compare on random cases and show how far that has got."""
    coverage, began, end = Coverage(), time.monotonic(), seed + runs
    parts = [range(at, min(at + AT_ONCE, end)) for at in range(seed, end, AT_ONCE)]
    with ProcessPoolExecutor(processes) as pool:
        batches = {pool.submit(batch, part, only): part for part in parts}
        for done in as_completed(batches):
            found, case, what = done.result()
            if case is not None:
                pool.shutdown(wait=False, cancel_futures=True)
                print(f"\none of the seeds {batches[done].start} to {batches[done].stop - 1}:")
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
