"""Mutation testing of the simulator's core (`make mutants`).

How many small faults do the tests notice? cargo-mutants lists all mutants. It would build each one by itself,
for minutes; here a sample, the beginning of a random order that is always the same, is built in one go
(mutant_tree.py), and each mutant is tried: the Rust tests up to the first failure (mutant_tests.py); with
`--suites` those that they miss go on to the reference model's search and to the Python tests. Outcomes are
kept under target/mutants/: a rerun goes on where the last one stopped. They count until sources or tests
change. Nothing is left out: a mutant that changes no behaviour counts as missed, and so does one whose tests
do not end. Only what does not compile is no mutant.
"""

import argparse
import dataclasses
import hashlib
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import mutant_suites
import mutant_tests
import mutant_tree
from mutant_suites import CAUGHT, MISSED, TIMEOUT, UNVIABLE, Row
from mutant_tree import FOLDER, ROOT, WORK, Mutant

LIST = ROOT / "tests" / "mutants.json"
REASONS = ROOT / "docs" / "mutation.md"
RESULTS = WORK / "results.jsonl"
TOOL = ROOT / "target" / "tools" / "bin" / "cargo-mutants"


def entries(diff: str | None) -> dict[str, dict[str, Any]]:
    """All mutants, or those of changed lines, by names that stay when lines move."""
    command: list[str | Path] = [TOOL, "mutants", "--dir", mutant_tree.without_macros(), "--list", "--json"]
    command += ["--package", mutant_tree.PACKAGE, "--file", f"{FOLDER}/src/**/*.rs"]
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


def report(rows: dict[str, Row]) -> None:
    """Print the score, and each survivor with the suite that caught it."""
    later, reasons = mutant_suites.by_suite(), REASONS.read_text()
    count = Counter(row.outcome for row in rows.values())
    viable = len(rows) - count[UNVIABLE]
    missed = {key: later.get(key, "") for key, row in rows.items() if row.outcome in {MISSED, TIMEOUT}}
    print(
        f"{count[CAUGHT]} of {viable} caught by the Rust tests, {sum(map(bool, missed.values()))} by others"
    )
    for key, by in sorted(missed.items()):
        reason = "a reason" if f"`{key}`" in reasons else "no reason"
        print(f"`{key}`: {by or f'missed, and {reason} in {REASONS.name}'}")


def main() -> int:
    """Try the sample, and say what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--mutants", type=int, metavar="N", help="size of the sample (200; of changed lines: all)")
    add("--diff", metavar="REV", help="instead: all mutants of the lines changed since this revision")
    add("--under", default="", metavar="PATH", help="only of files whose path begins so")
    add("--listed", action="store_true", help="instead: those of tests/mutants.json, and those made by hand")
    add(
        "--suites",
        action="store_true",
        help="what Rust tests miss goes on to the search and to Python's tests",
    )
    given = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    listed = {key: entry for key, entry in entries(given.diff).items() if key.startswith(given.under)}
    if given.listed:
        drawn = [key for key in json.loads(LIST.read_text())["rust"] if key in listed]
    else:
        drawn = sorted(listed, key=lambda key: hashlib.sha256(f"score {key}".encode()).hexdigest())
        drawn = drawn[: given.mutants or (None if given.diff else 200)]
    mutants = [mutant_tree.mutant_of(number, key, listed[key]) for number, key in enumerate(drawn, 1)]
    if given.listed:
        made = json.loads(LIST.read_text())["hand"]
        mutants += [mutant_tree.by_hand(number, entry) for number, entry in enumerate(made, len(drawn) + 1)]
        drawn = [mutant.key for mutant in mutants]
    state = mutant_tree.copy_tree()
    rows = {row.mutant: row for row in kept() if row.mutant in drawn and row.state == state}
    try_all(state, mutants, rows)
    if given.suites:
        mutant_suites.try_missed(mutants, rows)
    report(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
