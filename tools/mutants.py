"""Mutation testing of the simulator's core (`make mutants`): how many small faults do the Rust tests notice?

cargo-mutants lists every mutant of the modules below. They are tried in an order that is random but always the same, so any
beginning of it is a random sample. Each is tried by itself and its outcome kept under target/mutants/, so a rerun goes on where
the last one stopped; outcomes count until sources or tests change. Nothing is left out: a mutant that changes no behaviour
counts as a survivor, one whose tests do not end as missed. Only what does not compile is no mutant.

All happens in a copy of the sources, where the tests are linked into two programs instead of one per file: those that are
quick run first, and the others only if they noticed nothing.
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

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "mutants"
TREE = WORK / "tree"
RESULTS = WORK / "results.jsonl"
TOOL = ROOT / "target" / "tools" / "bin" / "cargo-mutants"
REASONS = ROOT / "docs" / "mutation.md"
PACKAGE = "reclaim-sim"
FOLDER = Path("crates/sim")
MODULES = ("engine", "flash", "ftl", "gc", "metrics", "scheduler")
# Test files that take longer than a second or two.
SLOW = ("audit", "bundled", "fuzz", "presets", "probe_timing")
QUICK_PROGRAM, SLOW_PROGRAM = "a_quick", "b_slow"
SEED = "reclaim"
CAUGHT, MISSED, TIMEOUT, UNVIABLE = "caught", "missed", "timeout", "unviable"
OUTCOMES = {"CaughtMutant": CAUGHT, "MissedMutant": MISSED, "Timeout": TIMEOUT, "Unviable": UNVIABLE}
# Standard normal quantile of a two-sided 95 % interval.
Z = 1.959964


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A mutant as cargo-mutants names it, and a name that stays when lines move."""

    name: str
    key: str

    @property
    def order(self) -> str:
        """Its place in the random order."""
        return hashlib.sha256(f"{SEED} {self.key}".encode()).hexdigest()


def run(command: list[str | Path], **more: object) -> subprocess.CompletedProcess[str]:
    """Run a command of this project's; its output as text."""
    return subprocess.run(command, text=True, check=False, **more)  # type: ignore[call-overload,no-any-return]


def environment() -> dict[str, str]:
    """What cargo gets to see: builds of its own; a failing property test is not to look for a smaller example."""
    return os.environ | {"CARGO_TARGET_DIR": str(WORK / "build"), "PROPTEST_MAX_SHRINK_ITERS": "0"}


def sources() -> list[Path]:
    """Files of the project that are built or read by the package's tests."""
    listed = run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    ).stdout
    wanted = ("Cargo.", "crates/", "docs/", "examples/")
    return [Path(line) for line in listed.splitlines() if line.startswith(wanted) and (ROOT / line).is_file()]


def merged(files: list[str]) -> str:
    """A test program of several test files."""
    modules = "".join(f'#[path = "{name}.rs"]\nmod {name};\n' for name in files)
    return f"//! Made by tools/mutants.py.\n{modules}"


def copy_tree() -> str:
    """Bring the copy up to date, touching only what differs; returns a digest of all that can change an outcome."""
    wanted = {path: (ROOT / path).read_bytes() for path in sources()}
    tests = sorted(path.stem for path in wanted if path.parent == FOLDER / "tests" and path.suffix == ".rs")
    programs = {
        QUICK_PROGRAM: [name for name in tests if name not in SLOW],
        SLOW_PROGRAM: [name for name in tests if name in SLOW],
    }
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
        if path.name.startswith("Cargo.") or path.suffix in {".rs", ".toml"}:
            digest.update(f"{path}\0".encode() + content)
    return digest.hexdigest()[:16]


def tests() -> list[str | Path]:
    """Arguments of `cargo test` that choose the tests."""
    return ["--lib", "--test", QUICK_PROGRAM, "--test", SLOW_PROGRAM]


def check_unmutated() -> float:
    """Run the tests as they are: they must pass. Returns how long they took, s."""
    command: list[str | Path] = ["cargo", "test", "--quiet", "--package", PACKAGE, *tests()]
    if run([*command, "--no-run"], cwd=TREE, env=environment()).returncode:
        sys.exit("the tests do not build")
    begun = time.monotonic()
    if run(command, cwd=TREE, env=environment(), stdout=subprocess.DEVNULL).returncode:
        sys.exit("tests fail without any mutant: make them pass first (make test)")
    return time.monotonic() - begun


def mutants(diff: str | None) -> list[Mutant]:
    """All mutants of the modules, or of the lines changed since a revision, in their fixed random order."""
    command: list[str | Path] = [TOOL, "mutants", "--dir", TREE, "--list", "--json", "--package", PACKAGE]
    for module in MODULES:
        command += ["--file", f"{FOLDER}/src/{module}/**/*.rs"]
    if diff is not None:
        text = run(["git", "diff", diff, "--", FOLDER / "src"], cwd=ROOT, stdout=subprocess.PIPE)
        if text.returncode:
            sys.exit(f"git does not know the revision {diff}")
        if not text.stdout:
            return []
        (WORK / "changes.diff").write_text(text.stdout)
        command += ["--in-diff", WORK / "changes.diff"]
    listed = run(command, cwd=TREE, env=environment(), stdout=subprocess.PIPE)
    if listed.returncode:
        sys.exit("cargo-mutants could not list the mutants")
    seen: Counter[str] = Counter()
    found = []
    for entry in json.loads(listed.stdout):
        # "file:line:column: what" without the numbers; equal ones are told apart by their order in the file.
        what = entry["name"].split(": ", 1)[1]
        key = f"{entry['file']}: {what}"
        seen[key] += 1
        found.append(Mutant(entry["name"], key if seen[key] == 1 else f"{key} ({seen[key]})"))
    return sorted(found, key=lambda mutant: mutant.order)


def exactly(name: str) -> str:
    """A regular expression for one name."""
    return "^" + "".join(f"\\{c}" if c in r"\.+*?()|[]{}^$" else c for c in name) + "$"


def try_mutant(mutant: Mutant, timeout: float) -> tuple[str, float, float]:
    """Build and test one mutant: its outcome, and how long building and testing took, s."""
    out = WORK / "out"
    shutil.rmtree(out, ignore_errors=True)
    command: list[str | Path] = [TOOL, "mutants", "--dir", TREE, "--in-place", "--package", PACKAGE, "--output", out]
    command += ["--baseline", "skip", "--timeout", f"{timeout:.0f}", "--re", exactly(mutant.name), "--", *tests()]
    said = run(command, cwd=TREE, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    told = out / "mutants.out" / "outcomes.json"
    outcomes = json.loads(told.read_text())["outcomes"] if told.exists() else []
    if len(outcomes) != 1 or outcomes[0]["summary"] not in OUTCOMES:
        sys.exit(f"cargo-mutants gave no outcome for {mutant.name}:\n{said.stdout}")
    spent = {phase["phase"]: phase["duration"] for phase in outcomes[0]["phase_results"]}
    return OUTCOMES[outcomes[0]["summary"]], spent.get("Build", 0.0), spent.get("Test", 0.0)


def known(digest: str, keep_caught: bool) -> dict[str, str]:
    """Outcomes of this state of the sources, by key; of other states too, of those caught, if these are to be kept."""
    rows = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    return {
        row["mutant"]: row["outcome"]
        for row in rows
        if row["state"] == digest or (keep_caught and row["outcome"] in {CAUGHT, UNVIABLE})
    }


def wilson(hits: int, count: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    share, spread = hits / count, Z * Z / count
    middle = (share + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return middle - half, middle + half


def report(outcomes: dict[str, str], listed: int) -> None:
    """Print the score and the survivors."""
    count = Counter(outcomes.values())
    viable = len(outcomes) - count[UNVIABLE]
    print(
        f"\n{len(outcomes)} of {listed} mutants tried: {count[CAUGHT]} caught, {count[MISSED]} missed, "
        f"{count[TIMEOUT]} not ended (count as missed), {count[UNVIABLE]} do not compile"
    )
    if viable:
        low, high = wilson(count[CAUGHT], viable)
        print(f"caught: {count[CAUGHT] / viable:.1%} of {viable}, 95 % interval {low:.1%} to {high:.1%}")
    reasons = REASONS.read_text() if REASONS.exists() else ""
    for key, outcome in sorted(outcomes.items()):
        if outcome in {MISSED, TIMEOUT}:
            note = "" if key in reasons else f" (no reason in {REASONS.relative_to(ROOT)})"
            print(f"  {outcome:8}{key}{note}")


def main() -> int:
    """Try mutants until there are enough; 1 if fewer than the wanted share were caught."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="time for mutants, those of earlier runs included")
    parser.add_argument("--at-least", type=int, default=60, metavar="N", help="so many, however long it takes")
    parser.add_argument("--diff", metavar="REV", help="all mutants of the lines changed since this revision instead")
    parser.add_argument("--keep-caught", action="store_true", help="what older sources or tests caught is not tried again")
    parser.add_argument("--report", action="store_true", help="only say what is known")
    given = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    digest = copy_tree()
    listed = mutants(given.diff)
    outcomes = {key: outcome for key, outcome in known(digest, given.keep_caught).items() if key in {m.key for m in listed}}
    timeout = 0.0
    rows = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    spent = sum(row["seconds"] for row in rows if row["state"] == digest)
    for mutant in [] if given.report else listed:
        if given.diff is None and spent > given.minutes * 60 and len(outcomes) >= given.at_least:
            break
        if mutant.key in outcomes:
            continue
        if not timeout:
            taken = check_unmutated()
            timeout = max(60.0, 5 * taken)
            print(f"the tests take {taken:.0f} s; a mutant that takes {timeout:.0f} s counts as missed", flush=True)
        begun = time.monotonic()
        outcome, building, testing = try_mutant(mutant, timeout)
        taken = time.monotonic() - begun
        spent += taken
        outcomes[mutant.key] = outcome
        row = {"state": digest, "mutant": mutant.key, "outcome": outcome, "seconds": round(taken, 1)}
        with RESULTS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{len(outcomes):4} {outcome:8} build {building:4.0f} s, tests {testing:4.0f} s  {mutant.name}", flush=True)
    report(outcomes, len(listed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
