"""What moved when collection stopped being urgent as soon as it starts: docs/levels.md, anew.

    python tools/levels.py

Shipped drives had so few blocks in a plane that `gc.trigger.start` and `gc.trigger.hard` came to the same
number. One cell of each paper whose drives were concerned is played on the drive as it was and as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import reclaim
from reclaim.bench import Experiment
from reclaim.device import Device, Value
from reclaim.results.sets.intervals import Interval, median_interval

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "levels.md"
REPEATS = 6
UNMOVED = ("examples/devices/tlc.toml", "papers/deferred-raid/drive.toml")
UNMOVED_PRESETS = ("channel-aware-mini", "deferred-raid-mini", "mqsim-mirror-mini")


class Cell(NamedTuple):
    """A workload of an experiment, the scheme of the paper over what it is compared with."""

    experiment: str
    trace: str
    baseline: str
    scheme: str
    before: Mapping[str, Value]
    """Settings with which the drive is as it was."""
    pace: float = 1.0
    """How many times as fast as recorded the trace is played."""


CELLS = (
    Cell(
        "papers/gc-bypass/cells-quick.toml",
        "rsrch",
        "venice",
        "gc-bypass",
        {"geometry.spare_factor": "12.5%", "gc.trigger.start": "1 block"},
        100.0,
    ),
    Cell(
        "papers/word-line-aware/drive-mini.toml",
        "sqlite",
        "vanilla",
        "wla",
        {"geometry.blocks_per_plane": 22, "gc.trigger.start": "1 block"},
    ),
    Cell(
        "papers/coupled-copyback/quick.toml",
        "stg_0",
        "copyback-tp",
        "coupledcb",
        {"gc.trigger.start": "1 block"},
    ),
)
FIGURES = {
    "write amplification": "gc.write_amplification",
    "mean latency": "mean_latency_ns",
    "p99.9 of reads": "requests.read.p99_9_ns",
}


def _figure(result: reclaim.Result, path: str) -> float:
    found: Any = result.to_dict()
    for key in path.split("."):
        found = found[key]
    return float(found)


def _urgent(result: reclaim.Result) -> float:
    flash = result.to_dict()["flash"]
    return float(flash["urgent_reads"]) / max(1, int(flash["queued_reads"]))


def _levels(device: Device) -> str:
    facts = device.facts()
    return f"{facts['gc_start_blocks']} and {facts['gc_urgent_blocks']}"


def _point(cell: Cell, scheme: str) -> tuple[Device, reclaim.Trace]:
    points = Experiment.load(ROOT / cell.experiment).points()
    found = next(each for each in points if (each.trace, each.scheme) == (cell.trace, scheme))
    if found.drive is None or found.opened is None:
        raise SystemExit(found.refused)
    return found.drive, found.opened


def _runs(cell: Cell, scheme: str, settings: Mapping[str, Value]) -> tuple[str, list[reclaim.Result]]:
    drive, trace = _point(cell, scheme)
    drive = drive.with_settings({"host.time_scale": cell.pace, **settings})
    turns = [f"{100 * turn / REPEATS:.2f}%" for turn in range(REPEATS)]
    runs = [reclaim.simulate(drive.set("trace.rotate", turn), trace, warn=False) for turn in turns]
    return _levels(drive), runs


def _workload(cell: Cell) -> str:
    return cell.trace if cell.pace == 1 else f"{cell.trace} at {cell.pace:g} times its pace"


def _in_words(found: Interval) -> str:
    if found.low is None or found.high is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def _rows(cell: Cell) -> list[str]:
    rows = []
    for when, settings in (("before", cell.before), ("now", {})):
        levels, baseline = _runs(cell, cell.baseline, settings)
        _, scheme = _runs(cell, cell.scheme, settings)
        told = []
        for path in FIGURES.values():
            pairs = zip(scheme, baseline, strict=True)
            ratios = [_figure(one, path) / _figure(other, path) for one, other in pairs]
            told.append(_in_words(median_interval(ratios)))
        urgent = [100 * sum(map(_urgent, runs)) / len(runs) for runs in (baseline, scheme)]
        rows.append(
            f"| {_workload(cell)}: {cell.scheme} / {cell.baseline} | {when} | {levels} | "
            f"{urgent[0]:.1f} % and {urgent[1]:.1f} % | {' | '.join(told)} |"
        )
    return rows


def page() -> str:
    """The page."""
    rows = [row for cell in CELLS for row in _rows(cell)]
    unmoved = [(file, Device.load(ROOT / file)) for file in UNMOVED]
    unmoved += [(name, Device.preset(name)) for name in UNMOVED_PRESETS]
    others = [f"| `{name}` | {_levels(device)} |" for name, device in unmoved]
    return "\n".join([_HEAD, *rows, _REST, *others, ""])


_HEAD = f"""# Levels at which collection starts and becomes urgent

Made by `make levels`.

A plane collects when `gc.trigger.start` free blocks are left, and its collection goes before the host when
`gc.trigger.hard` are. Drives with few blocks in a plane had the same number for both, so that collection was
always urgent: the die then serves it before reads of the host, and any scheme that ends urgency early gains
by that alone. Shipped drives keep the two apart now; `tests/python/test_shipped_levels.py` sees to it. Only
`papers/drive/one-plane.toml` has them together, because its formulas know no other level.

What that moves, on one workload of each paper whose drives were concerned, each scheme from its own steady
state. Levels are in blocks; *urgent* is the share of host reads that met a die whose collection went before
them, under the baseline and under the scheme. Ratios of the scheme over the baseline are medians of {REPEATS}
turns of the trace, with their intervals. Where spare space moves with the levels (GC
bypass: 12.5 to 15.7 %, because a plane needs a block more; word-line-aware: 22 to 25 blocks), part of the
difference is that. The pages of the papers have figures of the drives as they were before.

| workload | drive | start, hard | urgent | write amplification | mean latency | p99.9 of reads |
|---|---|---|---|---|---|---|"""
_REST = """
Drives that had the two apart before, on which nothing moves:

| drive | start, hard |
|---|---|"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
