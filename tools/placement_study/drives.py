"""Schemes on drives without time, beside the bounded log: drives.csv and suite.csv. Half an hour.

With `--suite` or `--drives`, one of the two.
"""

from __future__ import annotations

import csv
import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import reclaim
from network_study.study import ROOT
from placement_study.bounded import SCHEMES as LOG_SCHEMES
from placement_study.loads import LOADS, PAGES, WRITES, load
from reclaim.errors import InputError
from reclaim.experiment.experiment import Experiment
from reclaim.study.judging.suite import LATEST, Suite, figures_of
from reclaim.study.sweep import Sweep

DRIVES = ROOT / "studies" / "placement" / "drives.csv"
SUITE = DRIVES.with_name("suite.csv")
OUTPUT = ROOT / "out" / "placement"
SEPARATIONS: dict[str, dict[str, Any]] = {
    "NoSep": {"ftl.gc_frontier": "shared"},
    "SepGC": {},
    **{
        name: {"ftl.separation": asked["separation"]}
        for name, asked in LOG_SCHEMES.items()
        if "separation" in asked
    },
}
"""How the schemes of the log are asked for on a drive."""
GREEDY = "greedy, NoSep"
"""What all are put beside on the suite."""
BLOCK, LOG = 64, 0
"""Pages of a block, and of a segment; and what stands for the log where others have a number of planes."""
STEPS, SPARE = ((LOG, BLOCK), (1, BLOCK), (4, BLOCK), (16, BLOCK), (1, 16 * BLOCK)), 0.3
"""From the log to the drive: planes, which share the spare pages, and pages of a block. Blocks of the last
are as large as superblocks of the one before: without time, what places pages sees no difference."""
SPARES, SPARE_PLANES, SPARE_LOADS = (0.07, 0.1, 0.15, 0.25, 0.45), 4, ("zipf-0.9", "moving", "mixed")
"""Spare pages as shares of the host's, of the picture."""
FURTHER = (0, 100, 200, 300, 400, 500)
"""What is added to the seeds of loads."""
SIZES = (PAGES // 4, PAGES, 2 * PAGES)
"""Pages of the host, on drives with the same blocks. One of them has all seeds."""
VICTIMS = ("greedy", "cost-benefit")
SPARE_VICTIM = "cost-benefit"
HEAD = ("load", "further", "pages", "planes", "block", "spare", "victim", "scheme", "amplification")


Case = tuple[str, int, int, int, int, float, str]
"""Load, what is added to its seed, pages of the host, planes, pages of a block, spare share, victims."""


def drive(case: Case, scheme: str) -> reclaim.Device:
    """Make a drive with as many spare pages as that log."""
    _, _, pages, planes, block, spare, victim = case
    blocks = math.ceil(pages * (1 + spare) / block / planes)
    return reclaim.Device.preset("small").with_settings(
        {
            "geometry.channels": max(1, planes // 4),
            "geometry.chips_per_channel": min(planes, 4),
            "geometry.dies_per_chip": 1,
            "geometry.planes_per_die": 1,
            "geometry.blocks_per_plane": blocks,
            "geometry.pages_per_block": block,
            "geometry.user_capacity": f"{4 * pages} KiB",
            "ftl.allocation": "striping",
            "gc.trigger": "free-blocks",
            "gc.trigger.start": "2 blocks",
            "gc.victim": victim,
            "warmup.kind": "filled",
            "trace.remap": "none",
            "measure.untimed": True,
            **SEPARATIONS[scheme],
        }
    )


def amplification(trace: reclaim.Trace, case: Case, scheme: str) -> float | None:
    """Run a scheme on a drive, or in the log; None where it does not fit."""
    _, _, _, planes, block, spare, victim = case
    try:
        if planes != LOG:
            return reclaim.simulate(drive(case, scheme), trace, warn=False).write_amplification
        asked = LOG_SCHEMES[scheme]
        log = reclaim.replay_log(trace, victim=victim, spare=spare, segment_pages=block, **asked)
    except InputError:
        return None
    return log.write_amplification


def cases() -> Iterator[Case]:
    """Give what is run with every scheme."""
    for pages in SIZES:
        for name, (planes, block), victim in product(LOADS, STEPS, VICTIMS):
            yield name, 0, pages, planes, block, SPARE, victim
        for name, further, spare in product(SPARE_LOADS, FURTHER if pages == PAGES else (0,), SPARES):
            yield name, further, pages, SPARE_PLANES, BLOCK, spare, SPARE_VICTIM


def run_drives() -> None:
    """Run every scheme on every drive."""
    with tempfile.TemporaryDirectory() as folder, DRIVES.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(HEAD)
        traces: dict[tuple[str, int, int], reclaim.Trace] = {}
        for case in cases():
            name, further, pages, planes, *rest = case
            place = Path(folder) / f"{further} {pages}"
            place.mkdir(exist_ok=True)
            if (name, further, pages) not in traces:
                writes = WRITES * pages // PAGES
                traces[name, further, pages] = load(name, place, pages, writes, further=further)
            for scheme in SEPARATIONS:
                found = amplification(traces[name, further, pages], case, scheme)
                told = "" if found is None else f"{found:.4f}"
                rows.writerow([name, further, pages, planes or "log", *rest, scheme, told])


def suite_schemes() -> list[dict[str, Any]]:
    """Give the entries of an experiment."""
    found = [{"name": name, "schemes": ["cost-benefit"], "set": asked} for name, asked in SEPARATIONS.items()]
    return [{"name": GREEDY, "schemes": ["greedy"], "set": SEPARATIONS["NoSep"]}, *found]


def run_suite() -> None:
    """Run every scheme on the drive without time of the suite of `reclaim judge`."""
    suite = Suite.named(LATEST)
    repeats = {"repeats": {"count": len(FURTHER), "by": "workload"}}
    experiment = Experiment.from_dict({**suite.experiment(suite_schemes(), untimed=True), **repeats})
    swept = Sweep(experiment).run(OUTPUT)
    for line in swept.complaints():
        print(line)
    found = figures_of(swept).select("trace", "scheme", "repeat", "gc_nand_write_amplification")
    with SUITE.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["trace", "scheme", "repeat", "amplification"])
        rows.writerows([*row[:3], f"{row[3]:.4f}"] for row in found.iter_rows())


def main(arguments: Sequence[str]) -> None:
    """Run both."""
    if "--suite" not in arguments:
        run_drives()
    if "--drives" not in arguments:
        run_suite()


if __name__ == "__main__":
    main(sys.argv[1:])
