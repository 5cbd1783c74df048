"""Runs without time beside a C program that does nothing else: `python benches/beside_c.py [GIB …]`.

Both fill a drive of 128 planes in order, overwrite it once at random, and then once more, which is
measured, by turns: `benches/overwrites.c`, built here with gcc, and `simulate` with `measure.untimed =
true`, as `reclaim run --untimed` calls it, the making of the trace included. Prints the median processor
time of a write of each, their ratio, and write amplification, which must agree: the rules are the same, the
random numbers are not. Then what a write takes here under other victim policies. 64 GiB take three minutes
and 0.4 GB, 256 GiB fifteen and 1.5 GB.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import reclaim

TURNS = 3
SIZES = (1, 16, 64)
AGREE = 0.005
"""How far apart the two write amplifications may be, as a share."""
VICTIMS = ("greedy", "fifo", "cost-benefit", '{ kind = "d-choices", d = 8 }')
SOURCE = Path(__file__).with_name("overwrites.c")


def drive(gib: int) -> reclaim.Device:
    """Give a drive of so many GiB: a plane has 8 blocks a GiB; small ones are cut finer."""
    blocks, pages = (gib * 64, 32) if gib < 16 else (gib * 8, 256)
    settings: dict[str, reclaim.device.Value] = {
        "geometry.blocks_per_plane": blocks,
        "geometry.pages_per_block": pages,
        "geometry.spare_factor": "21.25%",
        "warmup.kind": "overwrite",
        "warmup.overwrites": 1,
        "measure.untimed": True,
    }
    return reclaim.Device.preset("gc-bypass").with_settings(settings)


def untimed(on: reclaim.Device, writes: int, state: Path) -> tuple[float, float]:
    """Run so many writes; give nanoseconds a write, without what one write takes, and write amplification."""
    footprint = int(on.facts()["logical_pages"]) * 4096
    took = []
    for count in (1, writes):
        trace = reclaim.uniform_trace(footprint_bytes=footprint, count=count)
        begun = time.process_time()
        result = reclaim.simulate(on, trace, load_state=state, warn=False)
        took.append(time.process_time() - begun)
    return (took[1] - took[0]) * 1e9 / (writes - 1), result.write_amplification or 0.0


def saved(on: reclaim.Device, state: Path) -> Path:
    """Warm a drive up, and give the file with its state."""
    trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=1)
    reclaim.simulate(on, trace, save_state=state, force=True, warn=False)
    return state


def beside(program: Path, gib: int, folder: Path) -> None:
    """Run both by turns on a drive, and print a row."""
    on = drive(gib)
    geometry, facts = on.config["geometry"], on.facts()
    shape = (geometry["blocks_per_plane"], geometry["pages_per_block"], facts["logical_pages"])
    words = [str(each) for each in (*shape, facts["gc_start_blocks"], 1)]
    state = saved(on, folder / "state")
    theirs, ours = [], []
    for _ in range(TURNS):
        out = subprocess.run([program, *words], check=True, stdout=subprocess.PIPE).stdout
        theirs.append(tuple(map(float, out.split())))
        ours.append(untimed(on, int(facts["logical_pages"]), state))
    c_ns, ns = (statistics.median(each[0] for each in found) for found in (theirs, ours))
    c_wa, wa = theirs[0][1], ours[0][1]
    print(f"{gib:>4} GiB  {c_ns:8.1f}  {ns:8.1f}  {ns / c_ns:6.2f}  {c_wa:8.4f}  {wa:8.4f}", flush=True)
    if abs(wa / c_wa - 1) > AGREE:
        sys.exit(f"write amplification differs by more than {AGREE:.1%}")


def main() -> None:
    """Build the program, and print both tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "overwrites"
        subprocess.run(["gcc", "-O2", "-march=native", "-Wall", "-Werror", "-o", program, SOURCE], check=True)
        print("                 ns a write               write amplification")
        print("    drive         C   reclaim   ratio         C   reclaim")
        for gib in map(int, sys.argv[1:] or SIZES):
            beside(program, gib, folder)
        print("\nvictim policy, 1 GiB                ns a write  write amplification")
        for victim in VICTIMS:
            on = drive(1).set("gc.victim", victim)
            ns, wa = untimed(on, int(on.facts()["logical_pages"]), saved(on, folder / "state"))
            print(f"{victim:<34}  {ns:10.1f}  {wa:19.4f}", flush=True)


if __name__ == "__main__":
    main()
