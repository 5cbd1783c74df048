"""How far measured windows are from the whole run: `python benches/windows.py [TRACE …|generated]`.

Plays each recording 64 times on a drive scaled to it, from one warmed-up state: the whole run with time,
then windows of several numbers, shares and lead-ins. Prints the error of each figure, and how many times as
fast the windows are. A recording takes a few minutes.

A play of these recordings has 35,000 to 40,000 requests, so that a window holds most of one. `generated` is
loads in which nothing comes back: bursts, and a hot tenth that requests stay in for long, at several rates.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import reclaim

TRACES = ("mysql", "varmail", "dbench")
PLAYS = 64
LEAD_INS = (64_000, 32_000, 16_000, 8_000, 4_000, 1_000, 0)
"""Of windows that are a tenth of the trace together; the longest first, which others are compared with."""
COUNTS = (7, 8, 9)
"""How many: each count has other places, which tells the error of a lead-in from that of the places."""
OTHERS = ((8, "5%"), (8, "20%"), (16, "10%"), (32, "10%"))
"""How many windows, and their share, with the lead-in that is the default."""
LEAD_IN = 16_000


GENERATED_REQUESTS = 1_500_000
INTERVALS = ("30us", "12us", "8us")
"""Mean gaps of requests within a burst: at the last the drive falls behind."""
SEEDS = (1, 2, 3)
"""Of a load, and of the places of the windows."""


def figures(result: reclaim.Result) -> list[float]:
    """Give amplification, mean latency, p99 and p99.9 of writes, and the p99 of reads."""
    data = result.to_dict()
    writes, reads = data["requests"]["write"], data["requests"]["read"]
    return [
        data["gc"]["write_amplification"],
        data["mean_latency_ns"],
        writes["p99_ns"],
        writes["p99_9_ns"],
        reads["p99_ns"],
    ]


def main() -> None:
    """Print a table for each trace."""
    for name in sys.argv[1:] or (*TRACES, "generated"):
        if name == "generated":
            of_generated()
            continue
        with tempfile.TemporaryDirectory() as folder:
            of_trace(name, Path(folder))


def of_trace(name: str, folder: Path) -> None:
    """Print the table of one recording."""
    file, state = folder / "drive.toml", folder / "warm.state"
    words = ["device", "scale", "small", "--to", f"bundled/{name}", "-o", str(file)]
    subprocess.run([sys.executable, "-m", "reclaim", *words], check=True, capture_output=True)
    drive = reclaim.Device.load(file).set("trace.repeat", PLAYS)
    trace = reclaim.open_trace(f"bundled/{name}")
    reclaim.simulate(drive, trace, save_state=state, warn=False)

    def timed(settings: dict[str, Any]) -> tuple[list[float], float, float]:
        began, at = time.perf_counter(), time.process_time()
        changed = drive.with_settings(settings) if settings else drive
        result = reclaim.simulate(changed, trace, load_state=state, warn=False)
        return figures(result), time.perf_counter() - began, time.process_time() - at

    whole, wall, processor = timed({})
    print(f"\n{name}: {wall:.2f} s, {processor:.2f} s of a processor; {whole}")
    print(
        "windows  share  lead-in |   WA    mean    p99   p99.9  reads' p99 "
        "| faster  less processor time | mean of the longest"
    )
    longest: dict[int, float] = {}
    chosen = [(count, "10%", lead_in) for lead_in in LEAD_INS for count in COUNTS]
    for count, share, lead_in in chosen + [(*each, LEAD_IN) for each in OTHERS]:
        windows: dict[str, Any] = {"count": count, "share": share, "lead_in": lead_in}
        found, took, used = timed({f"measure.windows.{key}": value for key, value in windows.items()})
        off = [100 * (ours / theirs - 1) for ours, theirs in zip(found, whole, strict=True)]
        with_longest = longest.setdefault(count, found[1]) if share == "10%" else found[1]
        print(
            f"{count:>7} {share:>6} {lead_in:>8} | "
            + " ".join(f"{each:+6.2f}" for each in off)
            + f" | {wall / took:5.1f} {processor / used:5.1f} | "
            + f"{100 * (found[1] / with_longest - 1):+6.2f}",
            flush=True,
        )


def of_generated() -> None:
    """Print how far eight windows are off on loads without repeats."""
    drive = reclaim.Device("small")
    room = int(drive.facts()["user_bytes"] * 0.85) // 4096 * 4096
    zones = [{"space": 0.1, "access": 0.8}, {"space": 0.9, "access": 0.2}]
    print("\ninterval  load places |   WA    mean    p99   p99.9  mean of writes | verdicts: whole, windows")
    for interval in INTERVALS:
        for seed in SEEDS:
            trace = reclaim.generate_trace(
                requests=GENERATED_REQUESTS,
                seed=seed,
                size="4KiB",
                operations={"write": 0.7},
                address={"kind": "hot-cold", "footprint": f"{room}B", "zones": zones, "run": 20000.0},
                arrivals={"kind": "on-off", "interval": interval, "on": "1s", "off": "2s"},
            )
            whole = reclaim.simulate(drive, trace, warmup="workload", warn=False)
            for places in SEEDS:
                changed = drive.set("measure.windows.count", 8).set("seed", places)
                found = reclaim.simulate(changed, trace, warmup="workload", warn=False)
                pairs = zip(_with_writes(found), _with_writes(whole), strict=True)
                off = " ".join(f"{100 * (ours / theirs - 1):+6.1f}" for ours, theirs in pairs)
                levels = ", ".join(str(each.to_dict()["verdict"]["level"]) for each in (whole, found))
                print(f"{interval:>8} {seed:>5} {places:>6} | {off} | {levels}", flush=True)


def _with_writes(result: reclaim.Result) -> list[float]:
    return [*figures(result)[:4], result.to_dict()["requests"]["write"]["mean_ns"]]


if __name__ == "__main__":
    main()
