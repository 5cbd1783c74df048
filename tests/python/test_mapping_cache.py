"""How often a mapping cache hits: a formula for independent references, and a list that is kept here."""

from __future__ import annotations

import math
import random
from collections import OrderedDict
from collections.abc import Sequence

import pytest
from scipy.optimize import brentq

import reclaim

PAGES = 12_000
HOT = 1_200
DRIVE = reclaim.Device.preset("gc-bypass-mini").with_settings(
    {
        "geometry.blocks_per_plane": 40,
        "geometry.spare_factor": "40%",
        "warmup.kind": "empty",
        "host.mode": "closed-loop",
        "measure.after": "50%",
    }
)


def references(share: float, count: int) -> list[int]:
    """Pages that are read one after the other, a share of them hot, each independent of all others."""
    draw = random.Random(11)  # noqa: S311 - nothing here is secret
    hot = [draw.random() < share for _ in range(count)]
    return [draw.randrange(HOT) if each else HOT + draw.randrange(PAGES - HOT) for each in hot]


def missed(kind: str, size: str, pages: Sequence[int], op: str = "read") -> float:
    """The share of look-ups that miss, in the second half."""
    drive = DRIVE.with_settings(
        {
            "ftl.mapping_cache": kind,
            "ftl.mapping_cache.size": size,
            "ftl.mapping_cache.entry": "64B",
        }
    )
    trace = reclaim.Trace.from_records([(0, op, 4096 * page, 4096) for page in pages])
    counted = reclaim.simulate(drive, trace, warn=False).to_dict()["policies"]["ftl.mapping_cache"]
    misses, look_ups = (counted[f"mapping_{name}"]["value"] for name in ("misses", "look_ups"))
    assert look_ups == pytest.approx(len(pages) / 2, abs=64)
    return float(misses / look_ups)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("entries", [600, 2400, 6000])
def test_entries_hit_as_often_as_che_s_approximation_says(share: float, entries: int) -> None:
    """Che, Tung, Wang (2002): under LRU a page is held if it was asked for within a characteristic time."""
    rates = [(share / HOT, HOT), ((1 - share) / (PAGES - HOT), PAGES - HOT)]

    def held(time: float) -> float:
        return sum(count * (1 - math.exp(-rate * time)) for rate, count in rates) - entries

    time = brentq(held, 1, 1e7)
    expected = sum(count * rate * math.exp(-rate * time) for rate, count in rates)
    found = missed("dftl", f"{128 * entries}B", references(share, 120_000))
    assert found == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize(("kind", "size", "held"), [("pages", "64KiB", 16), ("dftl", "64KiB", 512)])
@pytest.mark.parametrize("op", ["read", "write"])
def test_it_misses_where_a_list_of_what_was_used_last_does(kind: str, size: str, held: int, op: str) -> None:
    pages = references(0.5, 20_000)
    units: OrderedDict[int, None] = OrderedDict()
    misses = 0
    for number, page in enumerate(pages):
        unit = page // 64 if kind == "pages" else page
        misses += number >= len(pages) // 2 and unit not in units
        units[unit] = None
        units.move_to_end(unit)
        if len(units) > held:
            units.popitem(last=False)
    assert missed(kind, size, pages, op) == pytest.approx(misses / (len(pages) / 2), abs=0.005)
