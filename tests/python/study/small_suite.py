"""A small suite, with what three rivals reach there: eight workloads on two drives of the shipped one."""

from __future__ import annotations

import shutil
from pathlib import Path

from reclaim.experiment.experiment import Experiment
from reclaim.parsing import to_toml
from reclaim.study.judging.suite import FILE, LATEST, Suite
from reclaim.study.study import RunOptions
from reclaim.study.sweep import Sweep

WORKLOADS = {
    name: {"kind": "zipf", "footprint": "6MiB", "theta": theta}
    for name, theta in zip("abcdefgh", (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8), strict=True)
}


def made(folder: Path) -> Suite:
    """Make it in a folder that is not there yet, and run the rivals beside it."""
    shipped = Suite.named(LATEST)
    folder.mkdir()
    for file in ("drive.toml", "screen.toml", "tlc.toml"):
        shutil.copy(shipped.folder / file, folder / file)
    arrivals = {"kind": "poisson", "interval": "100us"}
    traces = [
        {
            "name": name,
            "generate": {
                "requests": 8000,
                "size": "4KiB",
                "operations": {"write": 0.7},
                "address": address,
                "arrivals": arrivals,
            },
            "set": {"geometry.blocks_per_plane": 64, "geometry.channels": 1, "geometry.spare_factor": "26%"},
        }
        for name, address in WORKLOADS.items()
    ]
    table = {
        "name": "small",
        "devices": ["screen.toml", "tlc.toml"],
        "schemes": ["greedy", "cost-benefit", "fifo"],
        "traces": traces,
        "repeats": {"count": 2, "by": "workload"},
    }
    (folder / FILE).write_text(to_toml(table))
    suite = Suite.load(folder)
    swept = Sweep(Experiment.load(folder / FILE)).run(folder.parent / "rivals", RunOptions(workers=1))
    assert not swept.failures, swept.failures[0]["error"]
    assert suite.keep(swept) == 8 * 2 * 3 * 2
    return suite
