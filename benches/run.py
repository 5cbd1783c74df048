"""Speed and size of whole drives, beside the stored baseline (`make bench`).

Every row of `whole_drive` (crates/sim/examples) runs alone in a process: once for seconds and memory, once
under cachegrind for instructions, which repeat to a few parts in a million on any machine. Without valgrind
the instructions are left out, and the output says so. `--quick` leaves cachegrind out as well; `--store`
makes what was measured the baseline.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASELINE = ROOT / "benches" / "baseline.json"
# Under cachegrind everything takes twenty times as long: only rows that stay below a few minutes there.
COUNTED = (
    *("xval-mini", "xval-mirror", "reads-64g", "reads-64g-mirror", "writes-64g"),
    *("writes-8g", "writes-8g-mesh", "writes-8g-gc-mesh", "reads-8g", "reads-8g-mesh", "reads-8g-gc-mesh"),
)
# What fails: instructions repeat, seconds do not.
TOLERANCE = 0.02


def build(example: str = "whole_drive") -> Path:
    """Build an example; returns the program."""
    command = ["cargo", "build", "--release", "--locked", "-p", "reclaim-sim", "--example", example]
    done = subprocess.run(
        [*command, "--message-format=json-render-diagnostics"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    messages = (json.loads(line) for line in done.stdout.splitlines())
    return Path(next(m["executable"] for m in messages if m.get("executable")))


def rows(program: Path) -> list[str]:
    """Names of all rows."""
    listed = subprocess.run([program, "list"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


def under_cachegrind(command: list[str], out: Path) -> subprocess.CompletedProcess[str]:
    """Run a command whose instructions cachegrind counts, line by line in a file; gives what both print."""
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={out}"]
    return subprocess.run([*tool, *command], check=True, capture_output=True, text=True)


def measure(program: Path, row: str, trace: Path, counting: bool) -> dict[str, float]:
    """Run a row; under cachegrind if instructions are wanted."""
    command = [str(program), row, *([str(trace)] if row.startswith("xval") else [])]
    measured = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    kept = {
        "requests": measured["requests"],
        "events": measured["events"],
        "operations": measured["operations"],
        "write_amplification": measured["write_amplification"],
        "requests_per_s": round(measured["requests"] / measured["loop_s"]),
        "process_s": round(measured["process_s"], 2),
        "peak_mb": round(measured["peak_bytes"] / 1e6),
    }
    if counting and row in COUNTED:
        with tempfile.TemporaryDirectory() as folder:
            said = under_cachegrind(command, Path(folder) / "out").stderr
        found = re.search(r"refs:\s+([\d,]+)", said)
        if found is None:
            sys.exit(f"cachegrind said nothing of instructions:\n{said}")
        kept["instructions"] = int(found[1].replace(",", ""))
    return kept


def main() -> int:
    """Measure, compare, tell; 1 when instructions grew or a count changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no cachegrind")
    parser.add_argument("--store", action="store_true", help="keep what is measured as the baseline")
    parser.add_argument("--trace", type=Path, help="the cross-validation trace; made anew if not given")
    parser.add_argument("rows", nargs="*", help="only these rows")
    given = parser.parse_args()
    counting = not given.quick and shutil.which("valgrind") is not None
    if not given.quick and not counting:
        print("valgrind is not installed: no instruction counts (Debian: apt install valgrind)")
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    program = build()
    begun = time.monotonic()
    worse = []
    print(
        f"{'row':18} {'requests/s':>11} {'before':>11} {'process s':>10} {'before':>7} {'MB':>6} "
        f"{'before':>6} {'instructions':>15} {'before':>15} {'change':>8}"
    )
    with tempfile.TemporaryDirectory() as folder:
        trace = given.trace or Path(folder) / "xval.csv"
        if given.trace is None:
            subprocess.run([program, "generate-xval", trace], check=True)
        for row in given.rows or rows(program):
            now = measure(program, row, trace, counting)
            before = baseline.get(row, {})
            # A trace given by hand has other requests than the one made here.
            same_work = given.trace is None or not row.startswith("xval")
            count, count_before = now.get("instructions"), before.get("instructions")
            change = "" if not count or not count_before else f"{count / count_before - 1:+.1%}"
            shown = [f"{count:,}" if count else "–", f"{count_before:,}" if count_before else "–"]
            print(
                f"{row:18} {now['requests_per_s']:>11,} {before.get('requests_per_s', 0):>11,} "
                f"{now['process_s']:>10} {before.get('process_s', ''):>7} {now['peak_mb']:>6} "
                f"{before.get('peak_mb', ''):>6} {shown[0]:>15} {shown[1]:>15} {change:>8}",
                flush=True,
            )
            if before and same_work:
                worse += [
                    f"{row}: {what} was {before[what]}, is {now[what]}"
                    for what in ("events", "operations", "write_amplification")
                    if before[what] != now[what]
                ]
            if count and count_before and count > count_before * (1 + TOLERANCE):
                worse.append(f"{row}: {change} instructions")
            baseline[row] = before | now
    print(f"{time.monotonic() - begun:.0f} s")
    if given.store:
        BASELINE.write_text(json.dumps(baseline, indent=2, sort_keys=True) + "\n")
        return 0
    for what in worse:
        print(what)
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
