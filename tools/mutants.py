"""Mutation testing of the simulator's core (`make mutants`).

How many small faults do the tests notice? cargo-mutants lists every mutant of the folders below. A sample
of each folder, the beginning of a random order that is always the same, is built in one go
(mutant_tree.py), and each mutant is tried by itself: the Rust tests up to the first failure
(mutant_tests.py); with `--suites` those that they miss go on to the reference model's search and to the
Python tests. Outcomes are kept under target/mutants/: a rerun goes on where the last one stopped. They
count until sources or tests change. Nothing is left out: a mutant that changes no behaviour counts as
missed, and so does one whose tests do not end. Only what does not compile is no mutant.
"""

import argparse
import dataclasses
import hashlib
import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import mutant_report
import mutant_suites
import mutant_tests
import mutant_tree
from mutant_report import CAUGHT, MISSED, TIMEOUT, UNVIABLE, Row
from mutant_tree import FOLDER, ROOT, WORK, Mutant

LIST = ROOT / "tests" / "mutants.json"
RESULTS = WORK / "results.jsonl"
TOOL = ROOT / "target" / "tools" / "bin" / "cargo-mutants"
FOLDERS = (
    "config",
    "engine",
    "flash",
    "ftl",
    "gc",
    "host",
    "interconnect",
    "mapping",
    "metrics",
    "redundancy",
    "results",
    "scheduler",
)
# Folders in these that are drawn from by themselves: a share of the whole would leave them next to nothing.
APART = ("gc/deferral", "gc/relocation", "gc/trigger", "gc/concurrency", "results/verdict")
# So many of each at least, as far as there are.
FEWEST = 8


def entries(diff: str | None, *, everywhere: bool) -> dict[str, dict[str, Any]]:
    """All mutants of the folders, of all files, or of changed lines, by names that stay when lines move."""
    command: list[str | Path] = [TOOL, "mutants", "--dir", ".", "--list", "--json"]
    command += ["--package", mutant_tree.PACKAGE]
    for files in ["**/*.rs"] if diff or everywhere else [f"{folder}/**/*.rs" for folder in FOLDERS]:
        command += ["--file", f"{FOLDER}/src/{files}"]
    if diff is not None:
        changes = mutant_tree.output_of(["git", "diff", diff, "--", FOLDER / "src"], ROOT)
        if changes.returncode:
            sys.exit(f"git does not know the revision {diff}")
        if not changes.stdout:
            return {}
        (WORK / "changes.diff").write_text(changes.stdout)
        command += ["--in-diff", WORK / "changes.diff"]
    listed = mutant_tree.output_of(command, ROOT)
    if listed.returncode:
        sys.exit("cargo-mutants could not list the mutants")
    seen: Counter[str] = Counter()
    found = {}
    for entry in json.loads(listed.stdout or "[]"):
        # "file:line:column: what" without the numbers; equal ones are told apart by their order in the file.
        what = entry["name"].split(": ", 1)[1]
        key = f"{entry['file']}: {what}"
        seen[key] += 1
        found[key if seen[key] == 1 else f"{key} ({seen[key]})"] = entry
    return found


def stratum(key: str) -> str:
    """The folder that a mutant is drawn from."""
    path = key.split(": ", 1)[0].removeprefix(f"{FOLDER}/src/")
    first, _, below = path.partition("/")
    return next((folder for folder in APART if path.startswith(f"{folder}/")), first if below else "src")


def sample(keys: list[str], size: int, seed: str) -> list[str]:
    """Names drawn from each folder by its share, `FEWEST` at least, in an order that names and seed decide.

    Every beginning of the list has about the same shares as the whole.
    """
    strata = defaultdict(list)
    for key in sorted(keys, key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).hexdigest()):
        strata[stratum(key)].append(key)
    drawn = []
    for members in strata.values():
        count = min(len(members), max(FEWEST, round(size * len(members) / len(keys))))
        drawn += [((at + 0.5) / count, key) for at, key in enumerate(members[:count])]
    return [key for _, key in sorted(drawn)]


def kept() -> list[Row]:
    """All that was ever found out."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return [Row(**json.loads(line)) for line in lines]


def keep(row: Row) -> Row:
    """Add to what was found out."""
    with RESULTS.open("a") as file:
        file.write(json.dumps(dataclasses.asdict(row)) + "\n")
    return row


def limits_of(programs: list[Path]) -> list[float]:
    """Run the tests as they are: they must pass. Returns what time each program of a mutant gets, s."""
    limits = []
    for program in programs:
        note = mutant_tests.run(program, mutant_tree.TREE / FOLDER, None)
        if not note.passed:
            sys.exit(f"{note.failed or program} fails without any mutant: make it pass first (make test)")
        print(f"{program.name}: {note.seconds:.0f} s of processor time", flush=True)
        limits.append(max(20.0, 5 * note.seconds))
    return limits


def tried(mutant: Mutant, programs: list[Path], limits: list[float]) -> tuple[str, str]:
    """Run the tests with one mutant: what came of it, and the test that failed."""
    switch = {mutant_tree.SWITCH: str(mutant.number)}
    for program, limit in zip(programs, limits, strict=True):
        note = mutant_tests.run(program, mutant_tree.TREE / FOLDER, limit, **switch)
        if not note.passed:
            name = note.failed or program.name.rsplit("-", 1)[0]
            return (CAUGHT if note.ended else TIMEOUT), name
    return MISSED, ""


def try_all(state: str, mutants: list[Mutant], rows: dict[str, Row]) -> None:
    """Try all mutants of which the outcome in this state is not known."""
    left = [mutant for mutant in mutants if mutant.key not in rows]
    if not left:
        return
    together, alone, broken = mutant_tree.compiling(mutants)
    print(
        f"{len(together)} mutants in one build, {len(alone)} alone, {len(broken)} do not compile", flush=True
    )
    for mutant in broken:
        if mutant.key not in rows:
            rows[mutant.key] = keep(Row(state, mutant.key, UNVIABLE, 0.0, ""))
    programs = mutant_tree.programs()
    limits = limits_of(programs)

    def note(mutant: Mutant, outcome: str, by: str, begun: float) -> None:
        row = Row(state, mutant.key, outcome, round(time.monotonic() - begun, 1), by)
        rows[mutant.key] = keep(row)
        print(f"{mutant.number:4} {outcome:8} {row.seconds:4.0f} s  {mutant.key}  {by}", flush=True)

    for mutant in together:
        if mutant.key not in rows:
            begun = time.monotonic()
            note(mutant, *tried(mutant, programs, limits), begun)
    for mutant in alone:
        if mutant.key not in rows:
            begun = time.monotonic()
            compiles = mutant_tree.write_alone(mutant)
            outcome = tried(mutant, mutant_tree.programs(), limits) if compiles else (UNVIABLE, "")
            note(mutant, *outcome, begun)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--mutants", type=int, metavar="N", help="size of the sample (200; of changed lines: all)")
    add("--seed", default="score", help="of the random order (%(default)s)")
    add("--diff", metavar="REV", help="instead: all mutants of the lines changed since this revision")
    add("--listed", action="store_true", help="instead: those of tests/mutants.json")
    add(
        "--suites",
        action="store_true",
        help="what Rust tests miss goes on to the search and the Python tests",
    )
    add("--keep-caught", action="store_true", help="what other states of the tests caught is not tried again")
    add("--report", action="store_true", help="only say what is known")
    return parser.parse_args()


def main() -> int:
    """Try the sample, and say what came of it."""
    given = arguments()
    WORK.mkdir(parents=True, exist_ok=True)
    listed = entries(given.diff, everywhere=given.listed)
    size = given.mutants or (len(listed) if given.diff else 200)
    if given.listed:
        drawn = [key for key in json.loads(LIST.read_text())["rust"] if key in listed]
    else:
        drawn = sample(list(listed), size, given.seed)
    mutants = [mutant_tree.mutant_of(number, key, listed[key]) for number, key in enumerate(drawn, 1)]
    state = mutant_tree.copy_tree()
    rows = {
        row.mutant: row
        for row in kept()
        if row.mutant in listed
        and (row.state == state or (given.keep_caught and row.outcome in {CAUGHT, UNVIABLE}))
    }
    if not given.report:
        try_all(state, mutants, rows)
        if given.suites:
            mutant_suites.try_missed(mutants, rows)
    known = {key: rows[key] for key in drawn if key in rows}
    first = {row.mutant: row for row in reversed(kept()) if row.mutant in known}
    strata = Counter(map(stratum, listed))
    mutant_report.report(known, first, strata, stratum)
    return 0


if __name__ == "__main__":
    sys.exit(main())
