"""How much faster a sweep is on all cores than on one: 100 points, the same bytes.

`python benches/sweep.py` takes three turns, and prints the ratio of each and the median. On two cores it
must be at least 1.8; other work on the computer lowers it, and the load average is printed for that.
"""

import os
import statistics
import tempfile
import time
from pathlib import Path

import reclaim
from reclaim.bench.local import cores

POINTS = 100
TURNS = 3
EXPERIMENT = {
    "name": "scale",
    "devices": ["coupled-copyback-mini"],
    "traces": [
        {
            "name": "zipf",
            "generate": {
                "requests": 40_000,
                "size": "8KiB",
                "operations": {"write": 0.7},
                "address": {"kind": "zipf", "footprint": "512MiB", "theta": 0.9},
                "arrivals": {"kind": "poisson", "interval": "400us"},
            },
        }
    ],
    "schemes": ["greedy", "fifo", "d-choices", "cost-benefit", "windowed-greedy"],
    "set": {"warmup.kind": "overwrite", "warmup.overwrites": 1},
    "axes": {"gc.pages_in_flight": [1, 4]},
    "repeats": {"count": 10},
}


def measure(workers: int, folder: Path) -> float:
    """Seconds of a whole sweep, tables and report included."""
    began = time.perf_counter()
    reclaim.sweep(EXPERIMENT, folder, workers=workers)
    return time.perf_counter() - began


def main() -> None:
    """Measure one worker and as many as there are cores, in turns."""
    known = reclaim.Experiment.from_dict(EXPERIMENT).estimate()
    if known.points != POINTS:
        raise SystemExit(f"{known.points} points, not {POINTS}")
    print(f"estimated on {cores()} cores: {known.seconds:.1f} s; load average {os.getloadavg()[0]:.1f}")
    ratios = []
    for turn in range(TURNS):
        with tempfile.TemporaryDirectory() as place:
            one = measure(1, Path(place) / "one")
            many = measure(cores(), Path(place) / "many")
            tables = measure(1, Path(place) / "one")
            same = all(
                (Path(place, "one", name)).read_bytes() == (Path(place, "many", name)).read_bytes()
                for name in ("points.parquet", "histograms.parquet")
            )
        ratios.append(one / many)
        told = "the same bytes" if same else "THE BYTES DIFFER"
        print(
            f"turn {turn + 1}: 1 worker {one:.1f} s, {cores()} workers {many:.1f} s, "
            f"of which tables {tables:.1f} s: {ratios[-1]:.2f} times as fast; {told}"
        )
    print(f"median: {statistics.median(ratios):.2f} times as fast; load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
