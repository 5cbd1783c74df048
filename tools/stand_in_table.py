"""How far stand-ins of traces at hand fall from their sources: a table of docs/collecting-stand-ins.md.

    python tools/stand_in_table.py [--traces FOLDER] [--out FOLDER] [NAME …]

makes both kinds of stand-in of every trace (all, or those named), plays each beside its source on the small
drives of `reclaim trace synthesize --check`, and prints the table. A trace that is not in the folder is
reported and left out. What is done is kept as JSON in the output folder and not done again; each trace has a
process, 6 GB and an hour to itself, and one that needs more is reported.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DESIGN = ("sqlite", "mysql", "umass_fin1_50k", "winpc_mayun", "msr_heimdall_105")
"""Traces that the model was made with."""
KEPT_BACK = (
    "msr_heimdall_1370",
    "winpc_mayun2",
    "winpc_mayun4",
    "varmail",
    "dbench",
    "mongodb_wt",
    "vmware_cloudphysics",
)
"""Traces that were looked at for the table only."""
SHIPPED = ("sqlite", "mysql", "varmail", "dbench")
"""Of which the recording that comes with the source is taken, not the longer one."""
KINDS = {"figures": "before", "collection": "after"}
MEMORY = 6_000_000 * 1024
SECONDS = 3600
POLICIES = ("greedy", "fifo", "cost-benefit")
P99 = ("read_p99_ns", "write_p99_ns")


def main() -> int:
    """Do what is asked for; 1 if a trace failed or is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="traces; all if not given")
    parser.add_argument("--traces", type=Path, default=ROOT.parent / "shared" / "traces")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "stand-in-table")
    parser.add_argument("--one", choices=KINDS, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    unknown = sorted(set(wanted.names) - {*DESIGN, *KEPT_BACK})
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join((*KEPT_BACK, *DESIGN))}")
    wanted.out.mkdir(parents=True, exist_ok=True)
    if wanted.one is not None:
        _measure(wanted.names[0], wanted.one, wanted.traces, wanted.out)
        return 0
    names = [name for name in (*KEPT_BACK, *DESIGN) if not wanted.names or name in wanted.names]
    failed = [
        f"{name}, {kind}: {reason}"
        for name in names
        for kind in KINDS
        if (reason := _done(name, kind, wanted.traces, wanted.out))
    ]
    print(_table(names, wanted.out))
    for each in failed:
        print(each, file=sys.stderr)
    return bool(failed)


def file_of(name: str, traces: Path) -> Path | None:
    """Where a trace lies; None if it is not at hand."""
    places = [
        traces / "public" / name / f"{name}.csv.zst",
        traces / "recorded" / name / f"{name}.blkparse.txt.zst",
    ]
    if name in SHIPPED:
        places.insert(0, ROOT / "examples" / "traces" / f"{name}.blkparse.txt.zst")
    return next((place for place in places if place.exists()), None)


def _done(name: str, kind: str, traces: Path, out: Path) -> str | None:
    """Measure in a process of its own, if that was not done before; the reason if it cannot be."""
    if (out / f"{name}.{kind}.json").exists():
        return None
    if file_of(name, traces) is None:
        return f"is not in {traces}"
    command = [sys.executable, __file__, name, "--one", kind, "--traces", str(traces), "--out", str(out)]
    started = time.monotonic()
    try:
        ended = subprocess.run(
            command, check=False, timeout=SECONDS, preexec_fn=_bounded, stderr=subprocess.PIPE, text=True
        )
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} s"
    took = time.monotonic() - started
    if ended.returncode:
        said = ended.stderr.strip().splitlines()
        return f"ended with {ended.returncode} after {took:.0f} s: {said[-1] if said else 'out of memory?'}"
    print(f"{name}, {kind}: {took:.0f} s", file=sys.stderr, flush=True)
    return None


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _measure(name: str, kind: str, traces: Path, out: Path) -> None:
    from reclaim.papers.collecting import cost_of, side_by_side
    from reclaim.traces.opening import open_trace
    from reclaim.traces.synthesis import from_trace, synthesize

    file = file_of(name, traces)
    assert file is not None  # noqa: S101 - looked for before
    source = open_trace(file)
    targets = from_trace(source, name=f"{name}-like", of=name, terms="", date="")
    made = synthesize(targets, cost=cost_of(source) if kind == "collection" else None)
    cells = side_by_side(source, made.trace)
    found = {
        "missed": sum(not row.met for row in made.rows),
        "rows": [row.to_dict() for row in made.rows],
        "bytes": len((made.trace.description or "").encode()),
        "cells": [cell.to_dict() for cell in cells],
    }
    (out / f"{name}.{kind}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _table(names: Sequence[str], out: Path) -> str:
    rows = []
    for name in names:
        for kind, when in KINDS.items():
            path = out / f"{name}.{kind}.json"
            if path.exists():
                found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
                rows.append(f"| {name} | {when} | {_row(found)} | {_loads(found['cells'])} |")
    head = (
        f"| trace | | {' | '.join(POLICIES)} | p99, median | p99, largest | figures beyond 5 % | description "
        f"| own load | 30 % |\n|---|---|{'--:|' * 9}"
    )
    return "\n".join([head, *rows])


def _row(found: dict[str, Any]) -> str:
    cells = [cell for cell in found["cells"] if cell["load"] == "closed"]
    amplification = [
        " ".join(share(amplification_off(cell)) for cell in cells if cell["victim"] == policy)
        for policy in POLICIES
    ]
    tails = [
        abs(off)
        for cell in cells
        if cell["victim"] in POLICIES[:2]
        for name in P99
        if (off := cell["deviations"][name]) is not None
    ]
    p99 = (f"{100 * each:.0f}" for each in (statistics.median(tails), max(tails)))
    missed = f"{found['missed']} of {len(found['rows'])}"
    return " | ".join([*amplification, *p99, missed, f"{found['bytes'] / 1000:.0f} kB"])


def _loads(cells: Iterable[dict[str, Any]]) -> str:
    """Write amplification under greedy and fifo, under the other load rules: median and largest."""
    kept = list(cells)
    said = []
    for load in ("own", "30%"):
        offs = [
            off
            for cell in kept
            if cell["load"] == load
            and cell["victim"] in POLICIES[:2]
            and (off := amplification_off(cell)) is not None
        ]
        said.append(f"{share(statistics.median(offs))}, {share(max(offs, key=abs))}" if offs else "–")
    return " | ".join(said)


def amplification_off(cell: dict[str, Any]) -> float | None:
    """How far write amplification is off; None where there was nothing to move."""
    off: float | None = cell["deviations"]["write_amplification"]
    return off if cell["collected"] else None


def share(off: float | None) -> str:
    """A deviation in percent, as tables print it."""
    return "–" if off is None else f"{100 * off:+.0f}"


if __name__ == "__main__":
    sys.exit(main())
