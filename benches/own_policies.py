"""What a victim policy in Python costs, and one of arithmetic: `python benches/own_policies.py`.

Random writes, by turns, on a drive of 80 blocks a plane and one of 320: `greedy` with ties by the lowest
number, the same rule in Python and as `score`, then `cost-benefit` and its arithmetic as `score`. Prints the
median processor time of a run, warm-up included, writes after that in a second of it, and the ratio to the
built-in. Two minutes.
"""

from __future__ import annotations

import statistics
import time

import reclaim

TURNS = 5
WRITES = 20_000


@reclaim.victim_policy
def fewest_valid(plane: reclaim.policy.Plane) -> int:
    """As greedy with ties by the lowest number."""
    return int(plane.blocks[plane.valid.argmin()])


POLICIES = {
    "greedy, lowest number": '{ kind = "greedy", ties = "lowest-number" }',
    'score = "valid"': '{ kind = "score", score = "valid" }',
    "the same in Python": fewest_valid,
    "cost-benefit": "cost-benefit",
    'score = "-age * invalid / valid"': '{ kind = "score", score = "-age * invalid / valid" }',
}
BESIDE = dict.fromkeys(('score = "valid"', "the same in Python"), "greedy, lowest number") | {
    'score = "-age * invalid / valid"': "cost-benefit"
}


SHAPES = {
    "80 blocks a plane": {},
    "320 blocks a plane": {"geometry.blocks_per_plane": 320, "geometry.chips_per_channel": 2},
}


def main() -> None:
    """Run all by turns, and print a row for each."""
    base = reclaim.Device.preset("gc-bypass-mini").set("warmup.kind", "overwrite")
    base = base.with_settings({"warmup.overwrites": 0.5, "host.mode": "closed-loop"})
    trace = reclaim.uniform_trace(footprint_bytes=1 << 30, count=WRITES)
    for shape, settings in SHAPES.items():
        print(shape)
        on = base.with_settings(settings)
        measure({name: on.set("gc.victim", policy) for name, policy in POLICIES.items()}, trace)


def measure(drives: dict[str, reclaim.Device], trace: reclaim.Trace) -> None:
    """Run these drives by turns, and print a row for each."""
    took: dict[str, list[float]] = {name: [] for name in drives}
    for _ in range(TURNS):
        for name, drive in drives.items():
            begun = time.process_time()
            reclaim.simulate(drive, trace, remap="wrap", warn=False)
            took[name].append(time.process_time() - begun)
    for name, times in took.items():
        median = statistics.median(times)
        beside = statistics.median(took[BESIDE.get(name, name)])
        print(f"{name:34} {median:8.2f} s  {WRITES / median:12,.0f} writes/s  {median / beside:6.2f}")


if __name__ == "__main__":
    main()
