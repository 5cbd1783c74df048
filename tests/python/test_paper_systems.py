"""The systems that the five papers compare: each is a scheme, loads on the drive of its paper, runs and collects."""

from __future__ import annotations

import pytest

import reclaim

SMALL: dict[str, dict[str, object]] = {
    "gc-bypass-mini": {"geometry.blocks_per_plane": 16, "geometry.pages_per_block": 16},
    "channel-aware-mini": {"geometry.blocks_per_plane": 16, "geometry.pages_per_block": 16},
    "word-line-aware-mini": {"geometry.blocks_per_plane": 16, "geometry.pages_per_block": 64},
    "deferred-raid-mini": {"geometry.blocks_per_plane": 24, "geometry.pages_per_block": 8},
    "coupled-copyback-mini": {"geometry.blocks_per_plane": 16, "geometry.pages_per_block": 48},
}
"""The presets of the papers, with so few and so small blocks that a short trace has them collected."""
SYSTEMS = {
    "gc-bypass-mini": ("baseline", "pssd", "pnssd", "nossd", "smartnetssd", "venice", "gc-bypass"),
    "channel-aware-mini": ("conv-0-allch", "conv-0.7-allch", "conv-0.7-halfch", "adaptive"),
    "word-line-aware-mini": ("vanilla", "wla"),
    "deferred-raid-mini": ("raid5", "dgc"),
    "coupled-copyback-mini": ("copyback-tp", "copyback-fsp", "ospada", "pcgc", "coupledcb"),
}


def test_the_papers_have_twenty_systems() -> None:
    systems = [system for each in SYSTEMS.values() for system in each]
    assert len(systems) == len(set(systems)) == 20
    assert set(systems) <= set(reclaim.schemes())


@pytest.mark.parametrize(
    ("preset", "system"), [(preset, system) for preset, each in SYSTEMS.items() for system in each]
)
def test_every_system_collects(preset: str, system: str) -> None:
    drive = (
        reclaim.Device.preset(preset)
        .with_scheme(system)
        .with_settings(SMALL[preset] | {"geometry.spare_factor": "40%"})
    )
    capacity = drive.facts()["user_bytes"]
    trace = reclaim.uniform_trace(footprint_bytes=capacity, count=8000, mean_interarrival_ns=60_000)
    result = reclaim.simulate(drive, trace, warmup="overwrite:1", audit=True, warn=False)
    told = result.to_dict()
    assert told["gc"]["jobs"] > 0
    assert told["flash"]["erases"] > 0
    assert told["audit"]
