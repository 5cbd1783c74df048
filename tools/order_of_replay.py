"""What the order of replay does to write amplification, for every trace that ships.

Writes docs/order-of-replay.md anew. Minutes on one core:

    python tools/order_of_replay.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import reclaim
from reclaim.trace.catalogue import RECORDING, STAND_IN, entries

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "order-of-replay.md"
DRIVE = ROOT / "examples" / "devices" / "small.toml"
REQUESTS = 500_000
CODE = "order-of-replay"

INTRODUCTION = f"""# The order of replay

Replayed in the same order, some traces make GC look free: those marked *yes* write up to four times as
much in another order. [Verdicts](verdicts.md#when-write-amplification-is-a-figure-of-the-order-of-replay) say
when a run checks that, and how.

Each shipped trace (at most its first {REQUESTS:,} requests; recordings are in `bundled`) runs with
`--warmup workload --remap compact` on `examples/devices/small.toml`, with as many blocks as give it the
capacity that the trace touches. *Written once*: the share of a play's pages that it writes once; above 50 %,
the order is checked. Write amplifications are in pages, without time; in another order for a part of a play
only. `make order-of-replay` renews this page.

| trace | written once | runs | same order | another order | `{CODE}` |
|---|--:|--:|--:|--:|:-:|
"""


def main() -> None:
    """Look at every trace, and write the page."""
    rows = [row(entry.name) for entry in entries() if entry.kind in (RECORDING, STAND_IN)]
    PAGE.write_text(INTRODUCTION + "\n".join(rows) + "\n", encoding="utf-8")


def row(name: str) -> str:
    """A trace's row of the table."""
    trace = reclaim.open_trace(name)
    found = looked_at(trace)
    order, doubts = (
        found["warmup"]["order_of_replay"],
        {doubt["code"] for doubt in found["verdict"]["doubts"]},
    )
    shown = [f"{order['written_once_share']:.0%}", f"{order['runs']:,}"] if order else ["<50%", "–"]
    same, shuffled = (order["same"], order["shuffled"]) if order else (None, None)
    if same is None:
        same = found["warmup"]["write_amplification"]
    cells = [name, *shown, ratio(same), ratio(shuffled), "yes" if CODE in doubts else ""]
    sys.stdout.write(f"{' '.join(cells)}\n")
    return f"| {' | '.join(cells)} |"


def ratio(value: float | None) -> str:
    """A write amplification, or that there is none."""
    return "–" if value is None else f"{value:.2f}"


def looked_at(trace: reclaim.Trace) -> dict[str, Any]:
    """The results of a run on a drive as large as what the trace touches."""
    drive = reclaim.Device.load(DRIVE).set("trace.max_requests", REQUESTS)
    touched_bytes = trace.transformed(max_requests=REQUESTS).summary()["footprint_bytes"]
    blocks = 32
    while True:
        sized = drive.set("geometry.blocks_per_plane", blocks)
        if sized.facts()["logical_pages"] * 4096 >= touched_bytes:
            break
        blocks += max(1, blocks // 16)
    return reclaim.simulate(sized, trace, warmup="workload", remap="compact", warn=False).to_dict()


if __name__ == "__main__":
    main()
