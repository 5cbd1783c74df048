"""Pages that a bounded log writes under each scheme: studies/placement/bounded-log.csv. Minutes.

And SepBIT beside MiDAS where seeds, spare space and victims differ, and on recordings: bounded-varied.csv.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import reclaim
from network_study.study import ROOT
from placement_study.loads import LOADS, MIDAS_SPARE, load, midas_load

STORED = ROOT / "studies" / "placement" / "bounded-log.csv"
VARIED = STORED.with_name("bounded-varied.csv")
SCHEMES: dict[str, dict[str, Any]] = {
    "NoSep": {"collected_apart": False},
    "SepGC": {},
    "DAC": {"separation": "dac"},
    "SepBIT": {"separation": "sepbit"},
    "ETI": {"separation": "eti"},
    "SFR": {"separation": "sfr"},
    "FADaC": {"separation": "fadac"},
    "FK": {"separation": "future-knowledge"},
}
"""Names of the program of SepBIT, and how they are asked for."""
VICTIM = "cost-benefit"
PAIR = {"SepBIT": "sepbit", "MiDAS": "midas"}
SPARES, VICTIMS, FURTHER = (MIDAS_SPARE, 0.15, 0.28), ("cost-benefit", "greedy"), (100, 200)
"""Shares of spare pages, victims, and what is added to the seeds of loads."""
SMALL_PAGES, SMALL_WRITES, SMALL_SEGMENT = 60_000, 1_500_000, 128
"""Of the varied loads: a quarter of the others' space, with segments of a quarter, as often written."""
RECORDED = {"mysql": 20, "sqlite": 30, "varmail": 30}
"""Recordings, and how often each is played."""


@contextmanager
def _table(path: Path, *head: str) -> Iterator[Any]:
    with path.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([*head, "user_pages", "pages_written"])
        yield rows


def varied(folder: Path) -> Iterator[tuple[str, int, reclaim.Trace]]:
    """Give smaller loads from other seeds, and recordings: name, what was added to the seed, trace."""
    for name, further in product(LOADS, FURTHER):
        yield name, further, load(name, folder, SMALL_PAGES, SMALL_WRITES, further=further)
    for name in RECORDED:
        yield name, 0, recorded(name)


def recorded(name: str) -> reclaim.Trace:
    """Play a recording again and again, on a log as large as what it touches."""
    return reclaim.open_trace(f"bundled/{name}").transformed(repeat=RECORDED[name], remap="compact")


def compare(trace: reclaim.Trace, spare: float, victim: str, scheme: str) -> reclaim.LogReplay:
    """Run one of the two schemes that are compared."""
    return reclaim.replay_log(
        trace, separation=PAIR[scheme], victim=victim, spare=spare, segment_pages=SMALL_SEGMENT
    )


def main() -> None:
    """Run every scheme on every load."""
    with tempfile.TemporaryDirectory() as folder, _table(STORED, "trace", "victim", "scheme") as rows:
        for name in LOADS:
            trace = midas_load(name, Path(folder))
            for scheme, asked in SCHEMES.items():
                log = reclaim.replay_log(trace, victim=VICTIM, spare=MIDAS_SPARE, **asked)
                rows.writerow([name, VICTIM, scheme, log.user_pages, log.pages_written])
    head = ("trace", "further", "spare", "victim", "scheme")
    with tempfile.TemporaryDirectory() as folder, _table(VARIED, *head) as rows:
        for name, further, trace in varied(Path(folder)):
            for spare, victim, scheme in product(SPARES, VICTIMS, PAIR):
                log = compare(trace, spare, victim, scheme)
                rows.writerow([name, further, spare, victim, scheme, log.user_pages, log.pages_written])


if __name__ == "__main__":
    main()
