"""CacheLib on a drive with placement handles (Allison et al., EuroSys 2025), predicted: `make controls`.

Nothing is fitted: what is not known of drive and load is run at every value that it may have, and gives a
band. Writes studies/controls/cachelib.json. Ten minutes on two cores.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import reclaim
from reclaim.device import Device
from reclaim.validation.closed_forms import amplification

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "studies" / "controls" / "cachelib.json"
UNITS = 313
"""Reclaim units that the host can fill: 1.88 TB of about 6 GB."""
SMALL = 0.04
"""Share of the cache for small objects."""
USED = (0.5, 1.0)
"""Shares of the drive that the cache takes."""
SPARE = (0.07, 0.10, 0.15, 0.20)
"""Over-provisioning, which is not printed: what drives of this kind have."""
WRITTEN = (0.3, 0.5, 0.7, 0.9)
"""Share of bytes that goes to small objects, which depends on objects that are not printed."""
SEEDS = (1, 2, 3)
PLANES, PAGE_KIB = 16, 4


@dataclass(frozen=True)
class Case:
    """A drive and a load."""

    used: float
    spare: float
    written: float
    handles: bool
    pages: int = 32
    """Of a block; a reclaim unit has a block of every plane."""
    victim: str = "greedy"
    small: str = "uniform"
    """How small objects are overwritten."""

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

    def load(self, seed: int) -> dict[str, Any]:
        """Single pages of small objects anywhere, beside a log that goes round in the rest at least twice."""
        cache = round(self.logical_pages * self.used)
        small = round(cache * SMALL)
        rounds = max(2.0, 2.2 * self.used / (1 - self.written))
        parts: list[dict[str, Any]] = [
            {"kind": self.small, "footprint": f"{small * PAGE_KIB}KiB"} | _exponent(self.small),
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
            "seed": seed,
            "requests": round(self.logical_pages * rounds),
            "size": f"{PAGE_KIB}KiB",
            "operations": {"write": 1.0},
            "stream_ends": [parts[1]["offset"]],
            "address": {"kind": "mixed", "parts": mixed},
            "arrivals": {"kind": "constant", "interval": "1us"},
        }

    def amplification(self, seed: int) -> float:
        """Bytes written to flash per byte of the host, in a second play of the load."""
        result = reclaim.simulate(self.drive(), reclaim.generate_trace(**self.load(seed)), warn=False)
        return result.write_amplification or 0.0


def _exponent(kind: str) -> dict[str, float]:
    return {"theta": 0.9} if kind == "zipf" else {}


def cases() -> Iterator[Case]:
    """Every drive and load that may be the one that was measured."""
    for used in USED:
        for handles in (False, True):
            for spare in SPARE:
                yield from (Case(used, spare, written, handles) for written in WRITTEN)


def variations() -> Iterator[tuple[str, Case]]:
    """One drive and load in the middle of these, and what else might decide."""
    for used in USED:
        for handles in (False, True):
            middle = (used, 0.15, 0.7, handles)
            yield "as it is", Case(*middle)
            yield "units of a quarter as many pages", Case(*middle, pages=8)
            yield "units of four times as many pages", Case(*middle, pages=128)
            yield "victims by cost-benefit", Case(*middle, victim="cost-benefit")
            yield "small objects by Zipf's law", Case(*middle, small="zipf")


def closed_form(used: float, spare: float, written: float, *, handles: bool) -> float:
    """Greedy, which knows no log: all is overwritten alike, or with handles small objects have all space."""
    live = used * (SMALL if handles else 1.0)
    own = amplification.greedy(spare_factor=1 - live / (live + 1 + spare - used), pages_per_block=512)
    return written * own + (1 - written) if handles else own


def main() -> None:
    """Run all, and store the median of the seeds of each."""

    def run(case: Case, seeds: tuple[int, ...]) -> dict[str, Any]:
        return asdict(case) | {"amplification": round(median(map(case.amplification, seeds)), 4)}

    with ThreadPoolExecutor(2) as threads:
        predicted = list(threads.map(lambda case: run(case, SEEDS), cases()))
        varied = list(threads.map(lambda each: {"what": each[0]} | run(each[1], SEEDS[:1]), variations()))
    lines = [",\n".join(f"    {json.dumps(each)}" for each in every) for every in (predicted, varied)]
    STORED.write_text(f'{{\n  "predicted": [\n{lines[0]}\n  ],\n  "varied": [\n{lines[1]}\n  ]\n}}\n')


if __name__ == "__main__":
    main()
