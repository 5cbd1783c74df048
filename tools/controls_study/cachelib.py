"""CacheLib on a drive with placement handles (Allison et al., EuroSys 2025), predicted: `make controls`.

Nothing is fitted: what is not printed of drive and load is run at several values, and gives a band. Writes
studies/controls/cachelib.json. Five minutes on two cores.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import reclaim
from reclaim.device import Device
from reclaim.validation.closed_forms import amplification

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "studies" / "controls" / "cachelib.json"
UNITS = 313
"""Reclaim units that the host can fill: 1.88 TB of about 6 GB."""
SETTINGS = ((0.5, 0.04), (0.8, 0.04), (1.0, 0.04), (1.0, 0.64), (1.0, 0.9))
"""Share of the drive that the cache takes, and share of the cache for small objects."""
SPARE = (0.07, 0.10, 0.15, 0.20)
"""Over-provisioning: section 6.3 gives this range of drives, not that of this drive."""
WRITTEN = (0.3, 0.5, 0.7, 0.9)
"""Share of bytes that goes to small objects, which is not printed."""
VICTIMS = ("greedy", "cost-benefit")
"""How the firmware chooses, which is not printed."""
PLANES, PAGE_KIB = 16, 4


@dataclass(frozen=True)
class Case:
    """A drive and a load."""

    used: float
    small: float
    spare: float
    written: float
    handles: bool
    victim: str
    pages: int = 32
    """Of a block; a reclaim unit has a block of every plane."""
    overwrites: str = "uniform"
    """Of small objects: section 4.2 has uniform ones."""
    seed: int = 1

    @property
    def logical_pages(self) -> int:
        """Of the drive."""
        return UNITS * PLANES * self.pages

    def drive(self) -> Device:
        """A drive with as many reclaim units, which are smaller: shares decide, not bytes."""
        blocks = round(UNITS * (1 + self.spare))
        settings: dict[str, Any] = {
            "geometry.channels": 2,
            "geometry.chips_per_channel": 2,
            "geometry.planes_per_die": 2,
            "geometry.blocks_per_plane": blocks,
            "geometry.pages_per_block": self.pages,
            "geometry.spare_factor": f"{100 * (1 - UNITS / blocks):.4f}%",
            "ftl.allocation": "dynamic",
            "ftl.superblock": "drive",
            "gc.trigger.start": "2 blocks",
            "gc.victim": self.victim,
            "warmup.kind": "replay",
            "measure.untimed": True,
        }
        if self.handles:
            settings |= {"ftl.separation": "by-stream", "ftl.separation.open_blocks": 2}
        return Device.preset("gc-bypass").with_settings(settings)

    def load(self) -> dict[str, Any]:
        """Single pages of small objects anywhere, beside a log that goes round in the rest at least twice."""
        cache = round(self.logical_pages * self.used)
        small = round(cache * self.small)
        rounds = max(2.0, 2.2 * self.used * (1 - self.small) / (1 - self.written))
        parts: list[dict[str, Any]] = [
            {"kind": self.overwrites, "footprint": f"{small * PAGE_KIB}KiB"} | _exponent(self.overwrites),
            {
                "kind": "streams",
                "streams": 1,
                "footprint": f"{(cache - small) * PAGE_KIB}KiB",
                "offset": f"{small * PAGE_KIB}KiB",
            },
        ]
        weights = (self.written, 1 - self.written)
        mixed = [{"weight": each, "address": part} for each, part in zip(weights, parts, strict=True)]
        return {
            "seed": self.seed,
            "requests": round(self.logical_pages * rounds),
            "size": f"{PAGE_KIB}KiB",
            "operations": {"write": 1.0},
            "stream_ends": [parts[1]["offset"]],
            "address": {"kind": "mixed", "parts": mixed},
            "arrivals": {"kind": "constant", "interval": "1us"},
        }

    def amplification(self) -> float:
        """Bytes written to flash per byte of the host, in a second play of the load."""
        result = reclaim.simulate(self.drive(), reclaim.generate_trace(**self.load()), warn=False)
        return result.write_amplification or 0.0


def _exponent(kind: str) -> dict[str, float]:
    return {"theta": 0.9} if kind == "zipf" else {}


def cases() -> Iterator[Case]:
    """Every drive and load that is run."""
    for (used, small), handles in product(SETTINGS, (False, True)):
        for spare, written, victim in product(SPARE, WRITTEN, VICTIMS):
            yield Case(used, small, spare, written, handles, victim)


MIDDLE = Case(1.0, 0.04, 0.15, 0.7, handles=False, victim="greedy")
"""Drive and load that variations are of."""
VARIATIONS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "units of a quarter as many pages": {"pages": 8},
    "units of four times as many pages": {"pages": 128},
    "another seed": {"seed": 2},
    "small objects by Zipf's law": {"overwrites": "zipf"},
    "victims by cost-benefit": {"victim": "cost-benefit"},
    "7 % spare": {"spare": 0.07},
    "20 % spare": {"spare": 0.20},
    "30 % to small objects": {"written": 0.3},
    "90 % to small objects": {"written": 0.9},
}


def closed_form(case: Case) -> float:
    """Greedy, which knows no log: all is overwritten alike, or with handles small objects have all space."""
    live = case.used * (case.small if case.handles else 1.0)
    free = 1 + case.spare - case.used
    own = amplification.greedy(spare_factor=1 - live / (live + free), pages_per_block=512)
    return case.written * own + (1 - case.written) if case.handles else own


def main() -> None:
    """Run all, and store what each writes."""

    def run(case: Case) -> dict[str, Any]:
        return asdict(case) | {"amplification": round(case.amplification(), 4)}

    with ThreadPoolExecutor(2) as threads:
        predicted = list(threads.map(run, cases()))
        middle = threads.map(run, (replace(MIDDLE, **changes) for changes in VARIATIONS.values()))
        varied = [{"what": what} | each for what, each in zip(VARIATIONS, middle, strict=True)]
    lines = [",\n".join(f"    {json.dumps(each)}" for each in every) for every in (predicted, varied)]
    STORED.write_text(f'{{\n  "predicted": [\n{lines[0]}\n  ],\n  "varied": [\n{lines[1]}\n  ]\n}}\n')


if __name__ == "__main__":
    main()
