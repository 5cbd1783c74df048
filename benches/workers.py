"""A sweep by one worker and by two, by turns: `python benches/workers.py`, where nothing else runs.

Two sweeps of a small drive without warm-up, random writes under four schemes: 40 points of about 0.1 s, 16 of
about 0.5 s. Prints medians and ranges of the seconds of the command, of those from the begin of its first
point to the end of its last (`points`, by the log), of processor time, and how much faster two workers were.
All but the points is done once, by one thread. Other options (`--no-report`) go to the sweep.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

# Requests of a point, and repeats of each scheme.
ROWS = {"40 of 0.1 s": (180_000, 10), "16 of 0.5 s": (400_000, 4)}
EXPERIMENT = """name = "workers"
devices = ["gc-bypass-mini"]
schemes = ["greedy", "fifo", "cost-benefit", "d-choices"]
set = {{ "warmup.kind" = "filled", "trace.remap" = "wrap" }}
repeats = {{ count = {repeats}, by = "workload" }}
[[traces]]
name = "writes"
[traces.generate]
requests = {requests}
size = "4KiB"
operations = {{ write = 0.7 }}
address = {{ kind = "uniform", footprint = "900MiB" }}
arrivals = {{ kind = "constant", interval = "60us" }}
"""


def measure(file: Path, folder: Path, *options: str) -> dict[str, float]:
    """Run a sweep; give seconds by their names."""
    before, begun = os.times(), time.monotonic()
    command = [sys.executable, "-m", "reclaim", "sweep", str(file), "-o", str(folder), *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    whole, after = time.monotonic() - begun, os.times()
    # So short a run is hardly ever trusted: 1 and 3 say no more than that.
    if done.returncode not in (0, 1, 3) or not (folder / "points.parquet").is_file():
        sys.exit(done.stderr)
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    began = [datetime.fromisoformat(each["began"]).timestamp() for each in log]
    ended = max(begin + each["seconds"] for begin, each in zip(began, log, strict=True))
    return {"command": whole, "points": ended - min(began), "processor": sum(after[2:4]) - sum(before[2:4])}


def told(values: list[float]) -> str:
    """Give a median and its range."""
    return f"{statistics.median(values):6.2f} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    """Take turns, and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    given, options = parser.parse_known_args()
    for row, (requests, repeats) in ROWS.items():
        found: list[list[dict[str, float]]] = []
        for turn in range(given.turns):
            with tempfile.TemporaryDirectory() as made:
                file = Path(made) / "workers.toml"
                file.write_text(EXPERIMENT.format(requests=requests, repeats=repeats))
                both = [measure(file, Path(made) / n, "--workers", n, *options) for n in ("1", "2")]
            seconds = ", ".join(f"{name} {both[0][name]:.2f} and {both[1][name]:.2f} s" for name in both[0])
            print(f"{row} turn {turn + 1}, load {os.getloadavg()[0]:.1f}: {seconds}", flush=True)
            found.append(both)
        for name in found[0][0]:
            one, two = ([turn[workers][name] for turn in found] for workers in (0, 1))
            ratios = [before / after for before, after in zip(one, two, strict=True)]
            print(f"{row} {name:9} one {told(one)}, two {told(two)}; one in two: {told(ratios)}")


if __name__ == "__main__":
    main()
