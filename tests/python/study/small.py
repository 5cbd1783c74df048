"""A small experiment for tests of the runner: points of a tenth of a second."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import conftest

GENERATED: dict[str, Any] = {
    "name": "uniform",
    "generate": {
        "requests": 1500,
        "size": "4KiB",
        "operations": {"write": 0.8},
        "address": {"kind": "uniform", "footprint": "16MiB"},
        "arrivals": {"kind": "constant", "interval": "300us"},
    },
}
DIFFERS = {"log.jsonl"}
"""What may differ from run to run."""
DRAWN = {"report.html", "manifest.json"}
"""What the command writes besides what Python does, and the list that has it."""


def experiment(**sections: Any) -> dict[str, Any]:
    """Eight points, of which pairs share their warm-up."""
    return {
        "name": "small",
        "devices": ["coupled-copyback-mini"],
        "traces": [GENERATED],
        "schemes": ["greedy", "fifo"],
        "set": {"warmup.kind": "overwrite", "warmup.overwrites": 1},
        "axes": {"gc.pages_in_flight": [1, 2]},
        "repeats": {"count": 2},
        "record": {"timeline": True, "gc": True},
        **sections,
    }


TINY = {
    "geometry.channels": 2,
    "geometry.chips_per_channel": 1,
    "geometry.pages_per_block": 32,
    "geometry.page_size": "4KiB",
    "geometry.spare_factor": "28%",
    "trace.remap": "wrap",
}
"""Settings of a drive whose runs take a hundredth of a second."""


def slowed(made: dict[str, Any]) -> dict[str, Any]:
    """The same with time between requests: queues that grow say nothing."""
    (trace,) = made["traces"]
    arrivals = {"kind": "constant", "interval": "1500us"}
    return made | {"traces": [trace | {"generate": trace["generate"] | {"arrivals": arrivals}}]}


def stored(folder: Path) -> list[str]:
    """The points that the log says have ended, in order."""
    lines = map(json.loads, (folder / "log.jsonl").read_text().splitlines())
    return [line["point"] for line in lines if line["outcome"] != "began"]


def contents(folder: Path, leave: set[str] = DIFFERS | DRAWN) -> dict[str, bytes]:
    """Every file of a folder that must not depend on how it came about."""
    files = sorted(each for each in folder.rglob("*") if each.is_file() and each.name not in leave)
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in files}


def reclaim_command(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "reclaim", *map(str, words)]


def start(*words: str | Path, cwd: Path) -> subprocess.Popen[str]:
    return conftest.start(reclaim_command(*words), cwd)
