"""What the Rust tests miss, before the reference model's search and the Python tests (tools/mutants.py)."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping

import mutant_tree
from mutant_tree import ROOT, TREE, WORK, Mutant

SUITES = WORK / "suites.jsonl"
CAUGHT, MISSED, TIMEOUT, UNVIABLE = "caught", "missed", "timeout", "unviable"

# Random drives and traces of the search, none of which the Python tests run.
RUNS, SEED = 400, 50_000
SEARCH = ["-m", "differential", "--runs", str(RUNS), "--seed", str(SEED)]
# Tests of the tool's own kind, and those that measure the time of the machine.
LEFT_OUT = ("test_tidy.py", "test_browser.py", "test_readme.py")
PYTEST = ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "tests/python"]
PYTEST += [f"--ignore=tests/python/{name}" for name in LEFT_OUT]
FAILED = re.compile(r"^FAILED (\S+)|^ERROR (\S+)", re.MULTILINE)
SECONDS = 3600


@dataclasses.dataclass(frozen=True)
class Row:
    """What became of a mutant in one state of sources and tests."""

    state: str
    mutant: str
    outcome: str
    seconds: float
    # The test that failed, if one did.
    by: str


def by_suite() -> dict[str, str]:
    """The suite and the test that caught what the Rust tests missed, by mutant; an empty text: none did."""
    lines = SUITES.read_text().splitlines() if SUITES.exists() else []
    return {entry["mutant"]: entry["by"] for entry in map(json.loads, lines)}


def run(command: list[str], number: int) -> tuple[int, str]:
    """Run Python on the copy with a mutant: how it ended, and what it printed."""
    paths = [TREE / "python", TREE / "tests"]
    variables = {"PYTHONPATH": os.pathsep.join(map(str, paths)), mutant_tree.SWITCH: str(number)}
    # It ends its own processes, which are a group of their own.
    ran = subprocess.run(
        ["timeout", "--signal=KILL", str(SECONDS), ROOT / ".venv/bin/python", *command],
        check=False,
        cwd=TREE,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    late = f"\nnot ended after {SECONDS} s" if ran.returncode == -signal.SIGKILL else ""
    return ran.returncode, ran.stdout + late


def caught_by(mutant: Mutant) -> str:
    """The suite that notices a mutant, and its test; an empty text if none does."""
    code, _ = run(SEARCH, mutant.number)
    if code:
        return f"`make differential RUNS={RUNS} SEED={SEED}`"
    code, said = run(PYTEST, mutant.number)
    found = FAILED.search(said)
    return f"`{found[1] or found[2]}`" if found else "Python tests" if code else ""


def try_missed(mutants: list[Mutant], rows: Mapping[str, Row]) -> None:
    """Try those that the Rust tests miss, and of which it is not known yet."""
    known = by_suite()
    wanted = [mutant for mutant in mutants if mutant.key not in known]
    missed = [m for m in wanted if m.key in rows and rows[m.key].outcome in {MISSED, TIMEOUT}]
    if not missed:
        return
    together, alone, _ = mutant_tree.compiling(mutants)
    mutant_tree.python_extension()
    for command in (SEARCH, PYTEST):
        code, said = run(command, 0)
        if code:
            sys.exit(f"{said}\nfails without any mutant: make it pass first")
    for mutant in missed:
        begun = time.monotonic()
        if mutant not in together:
            continue
        by = caught_by(mutant)
        with SUITES.open("a") as file:
            file.write(json.dumps({"mutant": mutant.key, "by": by}) + "\n")
        print(
            f"{mutant.number:4} {time.monotonic() - begun:4.0f} s  {mutant.key}  {by or 'missed by all'}",
            flush=True,
        )
    for mutant in missed:
        if mutant in alone and mutant_tree.write_alone(mutant):
            mutant_tree.python_extension()
            by = caught_by(mutant)
            with SUITES.open("a") as file:
                file.write(json.dumps({"mutant": mutant.key, "by": by}) + "\n")
