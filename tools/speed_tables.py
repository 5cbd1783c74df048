"""Tables of docs/performance.md that stored figures make: `python tools/speed_tables.py` prints them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BENCHES = Path(__file__).resolve().parent.parent / "benches"
VICTIMS = ("greedy", "fifo", "d-choices", "cost-benefit")
LOOPS = {
    "writes-64g": "64 GiB, 4 KiB random writes, queue depth 64, steady greedy: timed loop, a request",
    "reads-64g": "64 GiB, 4 KiB random reads, queue depth 64, no GC: timed loop, a request",
}


def stored(name: str) -> dict[str, Any]:
    """Give what a bench has stored."""
    data: dict[str, Any] = json.loads((BENCHES / name).read_text(encoding="utf-8"))
    return data


def without_time() -> list[str]:
    """Give a row for each size of `benches/beside_c.json`: times of a write under greedy, and all ratios."""
    found = stored("beside_c.json")
    rows = []
    for size in dict.fromkeys(key.partition(",")[0] for key in found):
        greedy, measured = found[f"{size}, greedy"], (found.get(f"{size}, {victim}") for victim in VICTIMS)
        times = [f"{greedy[name]:.0f} ns" for name in ("c", "c_batched", "one_by_one", "reclaim")]
        ratios = [f"{row['ratio'][0]:.2f}" if row else "–" for row in measured]
        rows.append(f"| {size.replace('1024', '1,024')} | {' | '.join(times + ratios)} |")
    return rows


def beside_mqsim() -> list[str]:
    """Give a row for each timed loop of `benches/turns.json`."""
    turns = stored("turns.json")
    rows = []
    for row, work in LOOPS.items():
        found = turns[row]["found"]
        them = f"{found['MQSim']['us'][0]:.3g} µs"
        ours = [
            f"{found[name]['us'][0]:.2f} µs ({found[name]['times'][0]:.1f} ×)"
            for name in ("Reclaim", "Reclaim, mirror")
        ]
        rows.append(f"| {work} | {them} | {ours[0]} | {ours[1]} |")
    return rows


def instructions() -> list[str]:
    """Give a row for each count of instructions that MQSim has, too."""
    ours, theirs = stored("baseline.json"), stored("mqsim.json")
    works = {
        ("xval-mini", "xval-mirror"): "instructions, cross-validation trace",
        ("reads-64g", "reads-64g-mirror"): "instructions, a million of these reads",
    }
    rows = []
    for (row, mirror), work in works.items():
        them = theirs[row]["instructions"]
        us = [ours[each]["instructions"] for each in (row, mirror)]
        shown = " | ".join(f"{each / 1e9:.1f} G ({them / each:.1f} ×)" for each in us)
        rows.append(f"| {work} | {them / 1e9:.3g} G | {shown} |")
    return rows


if __name__ == "__main__":
    print("\n".join([*without_time(), "", *beside_mqsim(), *instructions()]))
