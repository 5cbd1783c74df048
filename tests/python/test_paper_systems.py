"""The systems of the five papers: each is a scheme, loads on the drive of its paper, runs and collects."""

from __future__ import annotations

import pytest

import reclaim

SYSTEMS = {
    ("gc-bypass", 16, 16): ("baseline", "pssd", "pnssd", "nossd", "smartnetssd", "venice", "gc-bypass"),
    ("channel-aware", 16, 16): ("conv-0-allch", "conv-0.7-allch", "conv-0.7-halfch", "adaptive"),
    ("word-line-aware", 16, 64): ("vanilla", "wla"),
    ("deferred-raid", 24, 8): ("raid5", "dgc"),
    ("coupled-copyback", 16, 48): ("copyback-tp", "copyback-fsp", "ospada", "pcgc", "coupledcb"),
}
"""By paper, with so few blocks of a plane and so few pages that a short trace has them collected."""
EVERY = [(*drive, system) for drive, each in SYSTEMS.items() for system in each]


@pytest.mark.parametrize(("paper", "blocks", "pages", "system"), EVERY)
def test_every_system_collects(paper: str, blocks: int, pages: int, system: str) -> None:
    small = {"geometry.blocks_per_plane": blocks, "geometry.pages_per_block": pages}
    drive = reclaim.Device.preset(f"{paper}-mini").with_scheme(system)
    drive = drive.with_settings(small | {"geometry.spare_factor": "40%"})
    capacity = drive.facts()["user_bytes"]
    trace = reclaim.uniform_trace(footprint_bytes=capacity, count=8000, mean_interarrival_ns=60_000)
    told = reclaim.simulate(drive, trace, warmup="overwrite:1", audit=True, warn=False).to_dict()
    assert told["gc"]["jobs"] > 0
    assert told["flash"]["erases"] > 0
    assert told["audit"]


def test_the_papers_have_twenty_systems() -> None:
    assert len({system for *_, system in EVERY}) == len(EVERY) == 20
