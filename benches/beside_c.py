"""Runs without time beside a C program that does nothing else: `python benches/beside_c.py [GIB …]`.

Both fill a drive of 128 planes in order, overwrite it once at random, and then several times more, which is
measured, by turns, under four victim policies: `benches/overwrites.c`, built here with gcc, one write after
the other and batched by plane (with the queue that is fastest at that size), and `whole_drive untimed`, a
run as `reclaim run --untimed` does it, one by one and batched by plane where it can be. Prints the medians
of processor time a write, the ratio to the batched C program, turn by turn, and write amplification, which
must agree: the rules are the same, the random numbers are not, and cost-benefit's clock counts the pages of
a plane there, those of the drive here. Batches must not change where the C program
leaves any page, nor results.

`--store` keeps what is found, which docs/performance.md quotes. 1, 16 and 64 GiB take twelve minutes and
0.3 GB, 1,024 GiB half an hour and 4 GB.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from run import ROOT, build

STORED = ROOT / "benches" / "beside_c.json"
CAPACITIES = {1: 20.0, 16: 2.0, 64: 0.5, 1024: 0.05}
"""Sizes, GiB, and how many capacities are written in a turn."""
QUEUES = {1: 1024, 16: 65536, 64: 65536, 1024: 1 << 20}
"""Writes that wait for a plane of the C program: more is not faster."""
VICTIMS = {
    "greedy": "greedy",
    "fifo": "fifo",
    "d-choices": '{ kind = "d-choices", d = 8 }',
    "cost-benefit": "cost-benefit",
}
SLOW_ONCE = {1024}
"""Sizes at which what is not batched is run in the first turn alone."""
TURNS = 5
AGREE = 0.01
"""How far apart the two write amplifications may be, as a share."""
SOURCE = Path(__file__).with_name("overwrites.c")

Row = dict[str, Any]


def shape(gib: int) -> list[str]:
    """Give what the C program must know of a drive of so many GiB: as `of_size` in whole_drive.rs has it."""
    blocks, pages = (gib * 64, 32) if gib < 16 else (gib * 8, 256)
    whole = 128 * blocks * pages
    # Spare space of 21.25 % of all pages, and collection from 5 % of the blocks on.
    return [str(each) for each in (blocks, pages, whole - whole * 2125 // 10000, blocks * 5 // 100)]


def of_c(program: Path, gib: int, victim: str, queue: int) -> tuple[float, float, str]:
    """Run the C program: nanoseconds a write, write amplification, and the digest of all places."""
    words = [str(program), *shape(gib), str(CAPACITIES[gib]), victim, str(queue)]
    ns, amplification, digest = subprocess.run(
        words, check=True, capture_output=True, text=True
    ).stdout.split()
    return float(ns), float(amplification), digest


def of_reclaim(program: Path, gib: int, victim: str, *how: str) -> tuple[float, float, str]:
    """Run Reclaim: nanoseconds a write, write amplification, and the digest of the results."""
    words = [str(program), "untimed", str(gib), VICTIMS[victim], str(CAPACITIES[gib]), *how]
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return found["loop_s"] * 1e9 / found["requests"], found["write_amplification"], found["digest"]


def beside(programs: tuple[Path, Path], gib: int, victim: str) -> Row:
    """Take turns on a drive, print a row, and give it."""
    theirs, ours = programs
    ways = {
        "c": lambda: of_c(theirs, gib, victim, 1),
        "c_batched": lambda: of_c(theirs, gib, victim, QUEUES[gib]),
        "one_by_one": lambda: of_reclaim(ours, gib, victim, "one-by-one"),
        "reclaim": lambda: of_reclaim(ours, gib, victim),
    }
    slow = {"c", "one_by_one"} if gib in SLOW_ONCE else set()
    turns = [
        {name: way() for name, way in ways.items() if turn == 0 or name not in slow} for turn in range(TURNS)
    ]
    row: Row = {name: statistics.median(turn[name][0] for turn in turns if name in turn) for name in ways}
    ratios = [turn["reclaim"][0] / turn["c_batched"][0] for turn in turns]
    row["ratio"] = [statistics.median(ratios), min(ratios), max(ratios)]
    row["amplification"] = [turns[0][name][1] for name in ("c", "reclaim")]
    row["load"] = os.getloadavg()[0]
    (c, batched), (each, together) = (
        [{turn[name][2] for turn in turns if name in turn} for name in pair]
        for pair in (("c", "c_batched"), ("one_by_one", "reclaim"))
    )
    if not (c == batched and each == together and len(c) == len(each) == 1):
        sys.exit(f"{gib} GiB, {victim}: batches change what comes of it")
    c_wa, wa = row["amplification"]
    if abs(wa / c_wa - 1) > AGREE:
        sys.exit(f"{gib} GiB, {victim}: write amplification is {wa:.4f}, with C {c_wa:.4f}")
    print(line(gib, victim, row), flush=True)
    return row


def line(gib: int, victim: str, row: Row) -> str:
    """Give a line of the table."""
    middle, low, high = row["ratio"]
    return (
        f"| {gib:,} GiB | {victim} | {row['c']:.0f} | {row['c_batched']:.0f} | {row['one_by_one']:.0f} "
        f"| {row['reclaim']:.0f} | {middle:.2f} ({low:.2f} to {high:.2f}) |"
    )


HEAD = (
    "| drive | victims | C | C, batched | Reclaim, one by one | Reclaim | Reclaim / C, batched |\n"
    "|---|---|--:|--:|--:|--:|--:|"
)


def main() -> None:
    """Build both programs, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gib", nargs="*", type=int, choices=list(CAPACITIES), help="sizes of drives")
    parser.add_argument("--victim", action="append", choices=list(VICTIMS), help="only this policy")
    parser.add_argument("--store", action="store_true", help=f"keep the figures in {STORED.name}")
    given = parser.parse_args()
    stored: dict[str, Row] = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    ours = build()
    print(HEAD)
    with tempfile.TemporaryDirectory() as name:
        theirs = Path(name) / "overwrites"
        subprocess.run(["gcc", "-O2", "-march=native", "-Wall", "-Werror", "-o", theirs, SOURCE], check=True)
        for gib in given.gib or list(CAPACITIES)[:3]:
            for victim in given.victim or VICTIMS:
                row = beside((theirs, ours), gib, victim)
                today = dt.datetime.now(tz=dt.UTC).date().isoformat()
                stored[f"{gib} GiB, {victim}"] = {"measured": today, "turns": TURNS, **row}
                if given.store:
                    STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
