"""The cleaner of a log-structured file system again (Rosenblum, Ousterhout, TOCS 1992, section 3.5).

Writes studies/controls/lfs.json. Three minutes on two cores.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

import reclaim
from controls_study.cachelib import ROOT

STORED = ROOT / "studies" / "controls" / "lfs.json"
UTILISATIONS = (0.15, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
"""Share of the log that holds valid data."""
LOADS = {"uniform": (1.0, 1.0), "90/10": (0.1, 0.9), "95/5": (0.05, 0.95)}
"""Share of pages that are hot, and share of writes that go to them."""
VICTIMS = ("greedy", "cost-benefit")
SCORE = "-(pages - valid) * since_sealed / (pages + valid)"
"""Benefit over cost of the paper: (1 - u) * age / (1 + u), here as the lowest of what is negative.

Its age is since a page of the segment was written last. A drive does not keep that of relocated pages.
"""
CHANGED = SCORE.replace("since_sealed", "age")
"""The same with age since the block has changed, by an invalid page, too."""
WARM, MEASURED = 40, 10
"""How often the log is written over before anything counts, and while it does."""
BY_AGE = Path(__file__).with_name("by_age.py")
CLASSES = 8
GROUPED = (0.6, 0.75, 0.9)
"""Utilisations at which relocated pages are grouped by age; these are smaller logs, and take longest."""


@dataclass(frozen=True)
class Case:
    """A log and a load."""

    utilisation: float
    load: str
    victim: str
    segments: int = 1000
    pages: int = 128
    """Of a segment."""
    by_age: bool = False
    """Whether relocated pages are grouped by their age."""
    seed: int = 1
    changed: bool = False
    """Whether age is since the block has changed."""

    @property
    def valid(self) -> int:
        """Pages that are valid at any time."""
        return round(self.segments * self.pages * self.utilisation)

    def drive(self) -> reclaim.Device:
        """A plane as a log, which is a segment of it at a time."""
        settings: dict[str, Any] = {
            "geometry.channels": 1,
            "geometry.chips_per_channel": 1,
            "geometry.dies_per_chip": 1,
            "geometry.planes_per_die": 1,
            "geometry.blocks_per_plane": self.segments,
            "geometry.pages_per_block": self.pages,
            "geometry.page_size": "4KiB",
            "geometry.user_capacity": f"{4 * self.valid}KiB",
            "gc.trigger.start": "2 blocks",
            "gc.victim": "greedy",
            "warmup.kind": "replay",
            "warmup.replays": WARM // MEASURED,
            "warmup.fill": True,
            "measure.untimed": True,
        }
        if self.victim == "cost-benefit":
            settings |= {"gc.victim": "score", "gc.victim.score": CHANGED if self.changed else SCORE}
        if self.by_age:
            settings |= {
                "ftl.separation": "python",
                "ftl.separation.function": f"{BY_AGE}:by_age",
                "ftl.separation.relocated_open_blocks": CLASSES,
                "ftl.separation.params": f"{{ span = {self.valid // 16} }}",
            }
        return reclaim.Device.preset("gc-bypass").with_settings(settings)

    def trace(self) -> reclaim.Trace:
        """Overwrites of single pages; which are hot is drawn, so that they lie anywhere."""
        dice, (hot, hits) = random.Random(self.seed), LOADS[self.load]  # noqa: S311 - reproducible, not secret
        places = list(range(self.valid))
        dice.shuffle(places)
        first = round(hot * self.valid)

        def page() -> int:
            is_hot = dice.random() < hits
            return places[dice.randrange(first) if is_hot else dice.randrange(first, self.valid)]

        count = MEASURED * self.valid
        return reclaim.Trace.from_records((0, "write", 4096 * page(), 4096) for _ in range(count))

    def amplification(self) -> float:
        """Pages written per page of the load."""
        return reclaim.simulate(self.drive(), self.trace(), warn=False).write_amplification or 0

    def victims(self) -> list[float]:
        """Shares of victims by how full they are: below a twentieth, from there to a tenth, and so on."""
        timed: dict[str, Any] = {"measure.untimed": False, "host.mode": "closed-loop"}
        found = reclaim.simulate(
            self.drive().with_settings(timed), self.trace(), record_gc=True, warn=False
        ).gc_log
        full = pl.DataFrame(found)["valid_pages"] / self.pages
        return [
            round(len(full.filter((full >= at / 20) & (full < (at + 1) / 20))) / len(full), 4)
            for at in range(20)
        ]


MIDDLE = Case(0.75, "90/10", "greedy")


def cases() -> Iterator[tuple[str, Case]]:
    """All that is run, with what it is for."""
    for utilisation in UTILISATIONS:
        for load in LOADS:
            for victim in VICTIMS:
                if (load, victim) != ("uniform", "cost-benefit"):
                    yield "curves", Case(utilisation, load, victim)
    for utilisation in GROUPED:
        yield "small", Case(utilisation, "uniform", "greedy", segments=250, pages=64)
        for load in ("90/10", "95/5"):
            for victim in VICTIMS:
                small = Case(utilisation, load, victim, segments=250, pages=64, by_age=True)
                yield "small", small
    yield from varied()


def varied() -> Iterator[tuple[str, Case]]:
    """The log that is three quarters full: how full victims are, and what sizes and another seed change."""
    for victim in VICTIMS:
        case = replace(MIDDLE, victim=victim)
        yield "victims", case
        for segments in (250, 4000):
            yield "varied", replace(case, segments=segments)
        for pages in (32, 512):
            yield "varied", replace(case, pages=pages)
        yield "varied", replace(case, seed=2)
        yield "varied", replace(case, changed=True)


def run(given: tuple[str, Case]) -> dict[str, Any]:
    """Measure one of them."""
    what, case = given
    found = case.victims() if what == "victims" else round(case.amplification(), 4)
    return {"what": what, **asdict(case), "found": found}


def main() -> None:
    """Measure and store."""
    # The longest go first.
    order = sorted(cases(), key=lambda given: not given[1].by_age)
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(run, order))
    STORED.write_text("[\n" + ",\n".join(f"  {json.dumps(each)}" for each in found) + "\n]\n")


if __name__ == "__main__":
    main()
