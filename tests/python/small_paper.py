"""A small paper in a folder of its own: one drive, one workload, two schemes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reclaim.paper.claims import Claim

PAPER = """key = "small"
title = "A small paper"
authors = "Nobody, 2026"
about = "Two victim policies on a drive of a moment."
drive = "coupled-copyback-mini"
baseline = "greedy"
loads = ["30%", "60%", "closed"]
varied = ["cells"]
deviations = ["One plane."]
unsettled = ["One channel."]
[schemes]
"Vanilla" = "greedy"
"Proposed" = "fifo"
[levels]
quick = { cells = "cells.toml" }
default = { cells = "cells.toml" }
full = { cells = "cells.toml" }
[[workload]]
name = "uniform"
kind = "generated"
of = "Workload A"
full = "a.csv"
[[reading]]
name = "pages"
unclear = "How many pages of a victim move at once."
default = "one"
why = "Nothing else is stated."
schemes = ["fifo"]
[reading.settings]
one = {}
four = { "gc.pages_in_flight" = 4 }
"""
CELLS = """name = "cells"
devices = ["one.toml"]
schemes = ["greedy", "fifo"]
[[traces]]
name = "uniform"
generate = { generator = 1, requests = 6000, size = "4KiB", operations = { write = 0.8 }, \
arrivals = { kind = "poisson", interval = "4ms" }, address = { kind = "uniform", footprint = "24MiB" } }
[set]
"warmup.kind" = "overwrite"
"warmup.overwrites" = 2.0
[vary]
"scheduler.kind" = ["read-first", "fcfs"]
[repeats]
count = 3
"""
DEVICE = """base = "gc-bypass-mini"
name = "one"
controller.write_buffer = "64KiB"
gc.trigger = { kind = "free-blocks", start = "2 blocks", hard = "1 block" }
geometry = { channels = 1, chips_per_channel = 1, dies_per_chip = 1, planes_per_die = 1, \
blocks_per_plane = 128, pages_per_block = 64, over_provisioning = "25%" }
"""
HEADLINE = """[[headline]]
name = "fewer-writes"
says = "Oldest blocks first cost writes."
claims = ["wa"]
file = "why.toml"
"""
WHY = """name = "why"
extends = "cells.toml"
without = ["vary"]
[repeats]
count = 6
[sensitivity]
metrics = "gc_write_amplification"
keys = ["flash.program_unit", "gc.trigger.start", "scheduler"]
combinations = 0
[ablate]
baseline = "greedy"
candidate = "fifo"
metrics = ["gc_write_amplification"]
"""
CLAIM = """[[claim]]
id = "wa"
kind = "ratio"
what = "write amplification of FIFO over greedy"
where = "Table 1"
value = 1.05
printed = "1.05"
unit = "ratio"
better = "lower"
tolerance = 0.1
measure = { experiment = "cells", metric = "gc_write_amplification", scheme = "fifo", \
baseline = "greedy", form = "ratio" }
"""


def write_paper(folder: Path, *, paper: str = PAPER, expected: str = CLAIM, cells: str = CELLS) -> Path:
    """Write the folder of a paper, called as its key."""
    place = folder / "small"
    place.mkdir(parents=True)
    texts = {"paper.toml": paper, "expected.toml": expected, "cells.toml": cells}
    texts |= {"one.toml": DEVICE, "why.toml": WHY}
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def is_met(row: Mapping[str, Any]) -> bool:
    """Whether a figure is the printed one: what a verdict would say of it at another level."""
    keys = ("id", "what", "where", "kind", "value", "printed", "unit", "tolerance")
    if row["kind"] == "order":
        return row["better"] == "lower" and row["ours"]["value"] < 1
    return Claim.model_construct(**{key: row[key] for key in keys}).matches(row["ours"]["value"])
