"""Write amplification of schemes that keep data apart, untimed, on drives as large as what a load touches.

    PYTHONPATH=tools python -m placement_study.run

writes studies/placement/drive.csv anew: minutes on two cores. Its columns: load, recorded or made, scheme,
spare space, repeat, pages programmed per page of the host, share of pages in another class's block.
"""

from __future__ import annotations

import csv
import math
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import reclaim
from placement_study.loads import LOADS, load

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "studies" / "placement"
FIGURES = FOLDER / "drive.csv"
REPEATS = 6
REQUESTS = 500_000
SPARE = ("7%", "15%", "28%")
RECORDINGS = ("cassandra", "dbench", "mongodb_wt", "mysql", "rocksdb", "sqlite", "varmail")
PAGES_PER_BLOCK, PLANES = 64, 4
FEWEST_BLOCKS = 128
"""Of a plane, for the open blocks of every scheme; a load that touches little has smaller blocks."""
SCHEMES: dict[str, dict[str, Any]] = {
    "none": {},
    "coin": {"": "by-stream", ".open_blocks": 3, ".relocated": "by-class"},
    "by-lifetime": {"": "by-lifetime", ".open_blocks": 3, ".relocated": "by-class"},
    "dac": {"": "dac", ".open_blocks": 3},
    "sepbit": {"": "sepbit"},
    "future-knowledge": {"": "future-knowledge", ".open_blocks": 3},
}
"""All but the first have six open blocks in a plane. The coin draws classes; collection keeps them."""
COLUMNS = ("load", "kind", "scheme", "spare", "repeat", "write_amplification", "elsewhere")


def drive(touched_pages: int, spare: str) -> reclaim.Device:
    """A drive whose host sees as many pages as a load touches."""
    in_a_plane = touched_pages / PLANES / (1 - int(spare.removesuffix("%")) / 100)
    pages_per_block = PAGES_PER_BLOCK
    while in_a_plane / pages_per_block < FEWEST_BLOCKS:
        pages_per_block //= 2
    made = reclaim.Device.preset("gc-bypass-mini")
    settings: dict[str, Any] = {
        "geometry.channels": 2,
        "geometry.chips_per_channel": 1,
        "geometry.dies_per_chip": 1,
        "geometry.planes_per_die": 2,
        "geometry.pages_per_block": pages_per_block,
        "geometry.page_size": "4KiB",
        "geometry.blocks_per_plane": math.ceil(in_a_plane / pages_per_block),
        "geometry.user_capacity": f"{4 * touched_pages}KiB",
        "gc.trigger.start": "1 block",
        "gc.victim": "greedy",
        "measure.untimed": True,
    }
    return made.with_settings(settings)


def run(made: reclaim.Device, trace: reclaim.Trace, scheme: str, **how: Any) -> tuple[float, float]:
    """Write amplification, and the share of pages that went elsewhere."""
    settings = {f"ftl.separation{key}": value for key, value in SCHEMES[scheme].items()}
    found = reclaim.simulate(made.with_settings(settings), trace, warn=False, **how).to_dict()
    flash, counts = found["flash"], found["policies"].get("ftl.separation", {})
    elsewhere = sum(
        counts.get(name, {}).get("value", 0) for name in ("host_pages_elsewhere", "relocated_pages_elsewhere")
    )
    programs = flash["host_programs"] + flash["gc_programs"]
    return found["gc"]["write_amplification"], elsewhere / max(1, programs)


def made_loads(job: tuple[str, int]) -> list[tuple[Any, ...]]:
    """One made load on every drive: played to fill and age it, and once more."""
    name, repeat = job
    with tempfile.TemporaryDirectory() as folder:
        trace = load(name, Path(folder), repeat=repeat, streams=3, requests=REQUESTS)
        touched = trace.summary()["footprint_bytes"] // 4096
        return [
            (
                *(name, "made", scheme, spare, repeat),
                *run(drive(touched, spare), trace, scheme, warmup="replay:2", remap="compact"),
            )
            for spare, scheme in product(SPARE, SCHEMES)
        ]


def recordings(job: tuple[str, int]) -> list[tuple[Any, ...]]:
    """One recording, played until the drive is steady and once more; every repeat begins elsewhere in it."""
    name, repeat = job
    trace = reclaim.open_trace(f"bundled/{name}")
    touched = trace.summary()["footprint_bytes"] // 4096
    rows = []
    for spare, scheme in product(SPARE, SCHEMES):
        made = drive(touched, spare).set("trace.rotate", f"{100 * repeat // REPEATS}%")
        how = {"warmup": "workload", "remap": "compact"}
        if scheme != "coin":  # recordings name no streams
            rows.append((name, "recording", scheme, spare, repeat, *run(made, trace, scheme, **how)))
    return rows


def rows() -> Iterator[tuple[Any, ...]]:
    """Every figure, in a fixed order."""
    jobs = [(name, repeat) for name in LOADS for repeat in range(REPEATS)]
    recorded = [(name, repeat) for name in RECORDINGS for repeat in range(REPEATS)]
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(made_loads, jobs):
            sys.stderr.write(".")
            sys.stderr.flush()
            yield from found
        for found in pool.map(recordings, recorded):
            sys.stderr.write(".")
            sys.stderr.flush()
            yield from found


def main() -> None:
    """Run everything, and write the figures."""
    found = [(*row[:5], f"{row[5]:.4f}", f"{row[6]:.4f}") for row in rows()]
    with FIGURES.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(found)


if __name__ == "__main__":
    main()
