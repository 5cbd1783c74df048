"""Mutation testing of the simulator's core (`make mutants`).

How many small faults do the Rust tests notice? cargo-mutants lists every mutant of the modules below. They
are tried in an order that is random but always the same, so that any beginning of it is a random sample. Each
is tried by itself and its outcome kept under target/mutants/: a rerun goes on where the last one stopped.
Outcomes count until sources or tests change. Nothing is left out: a mutant that changes no behaviour counts
as missed, and so does one whose tests do not end. Only what does not compile is no mutant.

All happens in a copy of the sources, where the tests are linked into three programs instead of one per file:
the quicker ones run first, the others only if these noticed nothing. Each ends with its first failure
(mutant_tests.py).
"""

import argparse
import dataclasses
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import mutant_tests

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "mutants"
TREE = WORK / "tree"
RESULTS = WORK / "results.jsonl"
NOTES = WORK / "notes.jsonl"
TOOL = ROOT / "target" / "tools" / "bin" / "cargo-mutants"
REASONS = ROOT / "docs" / "mutation.md"
PACKAGE = "reclaim-sim"
FOLDER = Path("crates/sim")
MODULES = ("engine", "flash", "ftl", "gc", "mapping", "metrics", "results", "scheduler")
# Test files by processor time: all in the first program take a second together, these up to three each, those
# up to 20 each.
STEADY = (
    "audit",
    "latency_cdf",
    "mqsim_mirror",
    "probe_timing",
    "regressions",
    "static_wear",
    "transforms",
    "verdict",
)
SLOW = ("bundled", "fuzz", "presets", "write_amplification")
# Cargo runs them in the order of their names.
QUICK_PROGRAM, STEADY_PROGRAM, SLOW_PROGRAM = "a_quick", "b_steady", "c_slow"
# How cargo works on the copy. Nobody looks for a mutant with a debugger.
SETTINGS = """
[profile.dev]
debug = false

[target.'cfg(unix)']
runner = "tools/mutant_tests.py"
"""
RUNNER = Path("tools/mutant_tests.py")
CAUGHT, MISSED, TIMEOUT, UNVIABLE = "caught", "missed", "timeout", "unviable"
OUTCOMES = {"CaughtMutant": CAUGHT, "MissedMutant": MISSED, "Timeout": TIMEOUT, "Unviable": UNVIABLE}
# Standard normal quantile of a two-sided 95 % interval.
Z = 1.959964


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A mutant as cargo-mutants names it, and a name that stays when lines move."""

    name: str
    key: str


def output_of(command: list[str | Path], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command; what it prints, and how it ended. What it complains of is shown at once."""
    return subprocess.run(
        command, cwd=folder, env=os.environ | variables, stdout=subprocess.PIPE, text=True, check=False
    )


def cargo(
    command: list[str | Path], limits: dict[str, float] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run cargo or cargo-mutants on the copy, with builds of its own; `limits` in processor time, s.

    A failing property test is not to look for a smaller example. While one test hangs, another may fail.
    """
    NOTES.unlink(missing_ok=True)
    variables = {
        "CARGO_TARGET_DIR": str(WORK / "build"),
        "PROPTEST_MAX_SHRINK_ITERS": "0",
        "RUST_TEST_THREADS": "2",
        mutant_tests.NOTES: str(NOTES),
        mutant_tests.LIMITS: json.dumps(limits or {}),
    }
    return output_of(command, TREE, **variables)


def sources() -> list[Path]:
    """Files of the project that are built or read by the package's tests."""
    command: list[str | Path] = [
        "git",
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "--deduplicate",
    ]
    wanted = ("Cargo.", "crates/", "docs/", "examples/")
    lines = output_of(command, ROOT).stdout.splitlines()
    return [Path(line) for line in lines if line.startswith(wanted) and (ROOT / line).is_file()]


def merged(files: list[str]) -> str:
    """A test program of several test files."""
    modules = "".join(f'#[path = "{name}.rs"]\nmod {name};\n' for name in files)
    return f"//! Made by tools/mutants.py.\n{modules}"


def copy_tree() -> str:
    """Bring the copy up to date, touching only what differs; a digest of all that can change an outcome."""
    wanted = {path: (ROOT / path).read_bytes() for path in sources()}
    tests = sorted(path.stem for path in wanted if path.parent == FOLDER / "tests" and path.suffix == ".rs")
    programs = {
        QUICK_PROGRAM: [name for name in tests if name not in STEADY + SLOW],
        STEADY_PROGRAM: [name for name in tests if name in STEADY],
        SLOW_PROGRAM: [name for name in tests if name in SLOW],
    }
    wanted[Path(".cargo/config.toml")] = SETTINGS.encode()
    wanted[RUNNER] = (ROOT / RUNNER).read_bytes()
    for program, files in programs.items():
        wanted[FOLDER / "tests" / f"{program}.rs"] = merged(files).encode()
    for path in TREE.rglob("*"):
        if path.is_file() and path.relative_to(TREE) not in wanted:
            path.unlink()
    digest = hashlib.sha256()
    for path, content in sorted(wanted.items()):
        target = TREE / path
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o755 if path == RUNNER else 0o644)
        if path.name.startswith("Cargo.") or path.suffix in {".rs", ".toml"}:
            digest.update(f"{path}\0".encode() + content)
    return digest.hexdigest()[:16]


# Arguments of `cargo test` that choose the tests.
TESTS: list[str | Path] = ["--lib"]
for program_name in (QUICK_PROGRAM, STEADY_PROGRAM, SLOW_PROGRAM):
    TESTS += ["--test", program_name]


def check_unmutated() -> dict[str, float]:
    """Run the tests as they are: they must pass. Returns what time each program of a mutant gets, s."""
    command: list[str | Path] = ["cargo", "test", "--quiet", "--package", PACKAGE, *TESTS]
    if cargo([*command, "--no-run"]).returncode:
        sys.exit("the tests do not build")
    done = cargo(command)
    if done.returncode:
        sys.exit(f"{done.stdout}\ntests fail without any mutant: make them pass first (make test)")
    taken = {note.program: note.seconds for note in mutant_tests.noted(NOTES)}
    print("processor time of the tests: " + ", ".join(f"{name} {s:.0f} s" for name, s in taken.items()))
    return {name: max(20.0, 5 * seconds) for name, seconds in taken.items()}


def mutants(diff: str | None) -> list[Mutant]:
    """All mutants of the modules, or of the lines changed since a revision, in their fixed random order."""
    command: list[str | Path] = [TOOL, "mutants", "--dir", TREE, "--list", "--json", "--package", PACKAGE]
    for module in MODULES:
        command += ["--file", f"{FOLDER}/src/{module}/**/*.rs"]
    if diff is not None:
        changes = output_of(["git", "diff", diff, "--", FOLDER / "src"], ROOT)
        if changes.returncode:
            sys.exit(f"git does not know the revision {diff}")
        if not changes.stdout:
            return []
        (WORK / "changes.diff").write_text(changes.stdout)
        command += ["--in-diff", WORK / "changes.diff"]
    listed = cargo(command)
    if listed.returncode:
        sys.exit("cargo-mutants could not list the mutants")
    seen: Counter[str] = Counter()
    found = []
    for entry in json.loads(listed.stdout or "[]"):
        # "file:line:column: what" without the numbers; equal ones are told apart by their order in the file.
        what = entry["name"].split(": ", 1)[1]
        key = f"{entry['file']}: {what}"
        seen[key] += 1
        found.append(Mutant(entry["name"], key if seen[key] == 1 else f"{key} ({seen[key]})"))
    return found


def shuffled(found: list[Mutant], seed: str) -> list[Mutant]:
    """The mutants in an order that only their names and the seed decide."""
    return sorted(found, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.key}".encode()).hexdigest())


def exactly(name: str) -> str:
    """A regular expression for one name."""
    return "^" + "".join(f"\\{c}" if c in r"\.+*?()|[]{}^$" else c for c in name) + "$"


def try_mutant(mutant: Mutant, limits: dict[str, float]) -> tuple[str, str, float, float]:
    """Build and test one mutant: its outcome, the test that failed, how long building and testing took, s."""
    out = WORK / "out"
    shutil.rmtree(out, ignore_errors=True)
    how: list[str | Path] = [
        "--in-place",
        "--baseline",
        "skip",
        "--timeout",
        # For what neither ends nor works; a busy machine must not reach it.
        f"{10 * sum(limits.values()):.0f}",
        "--output",
        out,
    ]
    # Some kinds of mutant do not ask --re, but all ask --file; of those kinds the modules have none.
    what = ["--package", PACKAGE, "--file", mutant.name.split(":")[0], "--re", exactly(mutant.name)]
    # What follows `--` it gives to the tests only, and would build all of them.
    what += [f"--cargo-arg={argument}" for argument in TESTS]
    said = cargo([TOOL, "mutants", "--dir", TREE, *how, *what], limits)
    told = out / "mutants.out" / "outcomes.json"
    outcomes = json.loads(told.read_text())["outcomes"] if told.exists() else []
    if len(outcomes) != 1 or outcomes[0]["summary"] not in OUTCOMES:
        sys.exit(f"cargo-mutants gave no outcome for {mutant.name}:\n{said.stdout}")
    spent = {phase["phase"]: phase["duration"] for phase in outcomes[0]["phase_results"]}
    outcome, by = OUTCOMES[outcomes[0]["summary"]], ""
    for note in mutant_tests.noted(NOTES):
        by = f"{note.program} {note.failed}".strip() if not note.passed else by
        outcome = outcome if note.ended else TIMEOUT
    return outcome, by, spent.get("Build", 0.0), spent.get("Test", 0.0)


@dataclasses.dataclass(frozen=True)
class Row:
    """What became of a mutant in one state of sources and tests."""

    state: str
    mutant: str
    outcome: str
    seconds: float
    # Test program and test that failed, if one did.
    by: str


def kept() -> list[Row]:
    """All that was ever found out."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return [Row(**json.loads(line)) for line in lines]


def keep(row: Row) -> None:
    """Add to what was found out."""
    with RESULTS.open("a") as file:
        file.write(json.dumps(dataclasses.asdict(row)) + "\n")


def wilson(hits: int, count: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    share, spread = hits / count, Z * Z / count
    middle = (share + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return middle - half, middle + half


def score(outcomes: dict[str, str]) -> str:
    """The share that is caught, and its interval."""
    count = Counter(outcomes.values())
    viable = len(outcomes) - count[UNVIABLE]
    if not viable:
        return "caught: nothing to catch"
    low, high = wilson(count[CAUGHT], viable)
    return f"caught: {count[CAUGHT] / viable:.1%} of {viable}, 95 % interval {low:.1%} to {high:.1%}"


def report(outcomes: dict[str, str], listed: int) -> None:
    """Print the score, also as it was before anybody had seen the survivors, and the survivors."""
    count = Counter(outcomes.values())
    print(
        f"\n{len(outcomes)} of {listed} mutants tried: {count[CAUGHT]} caught, {count[MISSED]} missed, "
        f"{count[TIMEOUT]} not ended (count as missed), {count[UNVIABLE]} do not compile"
    )
    print(score(outcomes))
    # An earlier row is what tests said that knew nothing of the mutant.
    first = {row.mutant: row.outcome for row in reversed(kept()) if row.mutant in outcomes}
    if first != outcomes:
        print(f"when each was first tried, {score(first)}")
    reasons = REASONS.read_text() if REASONS.exists() else ""
    for key, outcome in sorted(outcomes.items()):
        if outcome in {MISSED, TIMEOUT}:
            note = "" if key in reasons else f" (no reason in {REASONS.relative_to(ROOT)})"
            print(f"  {outcome:8}{key}{note}")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--minutes",
        type=float,
        default=60,
        help="time for mutants, that of earlier runs included (%(default)s)",
    )
    add("--at-least", type=int, default=60, metavar="N", help="so many, however long it takes (%(default)s)")
    add("--seed", default="score", help="of the random order (%(default)s)")
    add("--diff", metavar="REV", help="instead: all mutants of the lines changed since this revision")
    add("--keep-caught", action="store_true", help="what other states of the tests caught is not tried again")
    add("--report", action="store_true", help="only say what is known")
    return parser.parse_args()


def main() -> int:
    """Try mutants until there are enough of them."""
    given = arguments()
    WORK.mkdir(parents=True, exist_ok=True)
    state = copy_tree()
    listed = shuffled(mutants(given.diff), given.seed)
    rows = {
        row.mutant: row
        for row in kept()
        if row.state == state or (given.keep_caught and row.outcome in {CAUGHT, UNVIABLE})
    }
    outcomes: dict[str, str] = {}
    spent, limits = 0.0, None
    for number, mutant in enumerate(listed, 1):
        if given.diff is None and spent > given.minutes * 60 and len(outcomes) >= given.at_least:
            break
        if mutant.key not in rows:
            if given.report:
                break
            limits = limits or check_unmutated()
            begun = time.monotonic()
            outcome, by, building, testing = try_mutant(mutant, limits)
            rows[mutant.key] = Row(state, mutant.key, outcome, round(time.monotonic() - begun, 1), by)
            keep(rows[mutant.key])
            times = f"build {building:4.0f} s, tests {testing:4.0f} s"
            print(f"{number:4} {outcome:8} {times}  {mutant.name}  {by}", flush=True)
        outcomes[mutant.key] = rows[mutant.key].outcome
        spent += rows[mutant.key].seconds
    report(outcomes, len(listed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
