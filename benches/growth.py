"""What a sweep costs beside simulation, as points grow: `python benches/growth.py [POINTS …]`.

Sweeps tiny points, one for each seed, in a process of one worker without a report, then once more with all
of them stored. Prints a row for each size: processor time of both, what the first takes a point beside the
simulation (that of the same runs without storing them, and of starting up, taken off), the most memory
resident, and files. 10 and 1,000 points take a minute; 100,000, an hour, and 1 GB of disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import reclaim
from reclaim import _core
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.task import task_of

SIZES = (10, 1000)
LET_GO = {"_RJEM_MALLOC_CONF": "muzzy_decay_ms:0"}
"""Pages that Polars has let go stay until the system needs them; they are not counted."""
SAMPLE = 300
"""Runs that the time of a simulation is the mean of."""
TRACE = {
    "name": "few",
    "generate": {
        "requests": 200,
        "size": "4KiB",
        "operations": {"write": 0.8},
        "address": {"kind": "uniform", "footprint": "1MiB"},
        "arrivals": {"kind": "constant", "interval": "300us"},
    },
}
DRIVE = {
    "geometry.channels": 2,
    "geometry.chips_per_channel": 1,
    "geometry.blocks_per_plane": 32,
    "geometry.pages_per_block": 32,
    "geometry.spare_factor": "28%",
    "warmup.kind": "empty",
}


def experiment(points: int) -> Experiment:
    """Give one of so many points."""
    sections = {"name": "growth", "devices": ["gc-bypass-mini"], "traces": [TRACE], "schemes": ["greedy"]}
    return Experiment.from_dict(sections | {"set": DRIVE, "axes": {"seed": list(range(1, points + 1))}})


def simulated() -> float:
    """Give the seconds of a processor that a run takes in the core."""
    points = experiment(SAMPLE).points()
    begun = time.process_time()
    for point in points:
        task = task_of(point, 0)
        _core.run(
            task.drive._core,
            task.trace._core,
            places={},
            audit=False,
            record_requests=False,
            record_gc=False,
            record_timeline=False,
            record_blocks=False,
            record_spans=None,
            snapshot_in=None,
            snapshot_out=None,
            build="",
            accepted=(),
            progress=lambda *_: None,
        )
    return (time.process_time() - begun) / SAMPLE


def swept(file: Path, folder: Path) -> tuple[float, float]:
    """Run a sweep; give its seconds of a processor, and the most memory resident, in MB."""
    words = ["sweep", str(file), "-o", str(folder), "--workers", "1", "--no-report", "--quiet"]
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", "reclaim", *words]
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=os.environ | LET_GO)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 3):
        sys.exit(f"the sweep ended with exit code {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Sweep each size, and print a row."""
    run, start = simulated(), 0.0
    print(f"a run takes {run * 1e3:.2f} ms; build {reclaim.builds.build()}")
    print("   points   sweep s  beside ms/point  KB/point  again s    MB   files  MB on disk", flush=True)
    least = 0.0
    for points in map(int, sys.argv[1:] or SIZES):
        with tempfile.TemporaryDirectory() as name:
            file, folder = Path(name) / "growth.toml", Path(name) / "set"
            file.write_text(experiment(points).text)
            took, most = swept(file, folder)
            if not start:
                start, least = took - points * run, most
            again, _ = swept(file, folder)
            files = [each for each in folder.rglob("*") if each.is_file()]
            size = sum(each.stat().st_size for each in files) / 1e6
            beside = (took - start) / points - run
            print(
                f"{points:>9,} {took:>9.1f} {beside * 1e3:>16.2f} {(most - least) * 1024 / points:>9.1f} "
                f"{again:>8.1f} {most:>5.0f} {len(files):>7,} {size:>11.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
