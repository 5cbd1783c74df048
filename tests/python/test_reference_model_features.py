"""The reference model agrees on every three features of drives that are sold.

Which pairs are refused, and that all others collect, is tested in crates/sim/tests/composed.rs.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pytest

from differential.case import Case, Request
from differential.compare import first_difference, of_reclaim, of_reference
from reclaim import InputError

FEATURES: Mapping[str, Mapping[str, Any]] = {
    "word lines": {"flash": {"cell": "TLC", "program_unit": "word-line"}},
    "superblocks": {"ftl": {"superblock": "drive", "allocation": {"kind": "striping", "by": "arrival"}}},
    "SLC cache": {
        "flash": {"cell": "TLC"},
        "ftl": {"slc_cache": {"kind": "static", "blocks": "1 block", "t_program": "200us"}},
    },
    "streams": {"ftl": {"separation": {"kind": "by-stream"}}},
    "cache programs": {"flash": {"cache_programs": True}},
    "suspension": {"flash": {"suspend": {"program": True, "erase": True}}},
    "4 KiB mapping": {"geometry": {"mapping_unit": "4KiB"}},
    "RAID": {
        "ftl": {"allocation": {"kind": "striping"}},
        "redundancy": {"kind": "raid5", "stripe_chips": 2},
    },
    "static wear levelling": {"ftl": {"wear": {"static_threshold": 3}}},
    "paced GC": {"gc": {"pace": "100%"}},
    "multi-plane": {"flash": {"multi_plane": "same-page"}},
    "copyback": {"gc": {"relocation": {"kind": "copyback"}}},
}
REFUSED = (
    {"word lines", "cache programs"},
    {"superblocks", "RAID"},
    {"superblocks", "paced GC"},
    {"SLC cache", "RAID"},
    {"cache programs", "suspension"},
    {"4 KiB mapping", "copyback"},
)
TIMES = {"t_read": "25us", "t_program": "200us", "t_erase": "700us"}
TIMES_TLC = TIMES | {"t_program": ["200us", "400us", "900us"]}
DRIVE: Mapping[str, Any] = {
    "name": "two chips of two planes",
    "geometry": {
        "channels": 2,
        "chips_per_channel": 1,
        "dies_per_chip": 1,
        "planes_per_die": 2,
        "blocks_per_plane": 24,
        "pages_per_block": 12,
        "page_size": "16KiB",
        "spare_factor": "60%",
    },
    "channel": {"rate": "333 MT/s"},
    "gc": {"trigger": {"kind": "free-blocks", "start": "1 block"}},
    "warmup": {"kind": "overwrite", "overwrites": 1.0},
}


PAGES = 2 * 2 * 24 * 12 * 4 // 10 * 9 // 10
"""Nine tenths of the user's, of 16 KiB."""


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    both = dict(one)
    for key, value in other.items():
        both[key] = merged(both[key], value) if isinstance(both.get(key), Mapping) else value
    return both


def drive_with(names: tuple[str, ...]) -> dict[str, Any]:
    found = dict(DRIVE)
    for name in names:
        found = merged(found, FEATURES[name])
    times = TIMES_TLC if found.get("flash", {}).get("cell") == "TLC" else TIMES
    return merged(found, {"flash": times})


def requests(seed: int, unit: int, pages: int, count: int) -> list[Request]:
    """Overwrites of nine tenths of a full drive, with reads between; some wait, some come at once."""
    dice = random.Random(seed)  # noqa: S311 - reproducible, not secret
    time_ns, made = 0, []
    for _ in range(count):
        time_ns += dice.choice([0, 1_000, 50_000, 400_000])
        op = dice.choice(["read", "write", "write", "write", "write", "trim"])
        length = dice.choice([1, 1, 1, 2])
        made.append((time_ns, op, unit * dice.randrange(pages - length), unit * length))
    return made


@pytest.mark.parametrize(
    "first",
    [*(pytest.param(name, marks=pytest.mark.slow) for name in list(FEATURES)[:-3]), "static wear levelling"],
)
def test_the_reference_model_agrees_on_every_three_features(first: str) -> None:
    behind = list(FEATURES)[list(FEATURES).index(first) + 1 :]
    jobs = 0
    for number, others in enumerate(combinations(behind, 2)):
        names = (first, *others)
        if any(pair <= set(names) for pair in REFUSED):
            with pytest.raises(InputError):
                of_reclaim(Case(drive_with(names), [(0, "write", 0, 4096)]))
            continue
        unit = 4096 if "4 KiB mapping" in names else 16384
        # Parity takes half of it.
        pages = PAGES // (2 if "RAID" in names else 1) * (16384 // unit)
        case = Case(drive_with(names), requests(number, unit, pages, 600))
        ours, config = of_reclaim(case)
        assert first_difference(ours, of_reference(config, case)) is None, names
        jobs += len(ours.gc_jobs)
    assert jobs > 5 * number
