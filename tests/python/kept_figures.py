"""Figures of every scheme on a small drive, which only a change of results moves (CONTRIBUTING.md)."""

from __future__ import annotations

from typing import Any

import reclaim

DRIVE = {
    "geometry.channels": 4,
    "geometry.chips_per_channel": 4,
    "geometry.dies_per_chip": 1,
    "geometry.planes_per_die": 2,
    "geometry.blocks_per_plane": 40,
    "geometry.pages_per_block": 12,
    "geometry.spare_factor": "30%",
    "flash.cell": "TLC",
    "flash.t_read": "50us",
    "flash.t_program": "500us",
    "flash.t_erase": "1ms",
    "warmup.kind": "overwrite",
    "warmup.overwrites": 0.5,
    "host.mode": "closed-loop",
    "host.queue_depth": 16,
}
OF_SCHEMES = {
    "raid5": {"redundancy.stripe_chips": 4},
    "dgc": {"redundancy.stripe_chips": 4},
}


def of(scheme: str) -> dict[str, Any]:
    """What one scheme gave: times in simulated nanoseconds, counts, and a ratio to the last digit."""
    drive = reclaim.Device.preset("gc-bypass-mini").with_settings(DRIVE).with_scheme(scheme)
    drive = drive.with_settings(OF_SCHEMES.get(scheme, {}))
    trace = reclaim.uniform_trace(footprint_bytes=24 << 20, count=3_000, write_fraction=0.7, seed=7)
    found = reclaim.simulate(drive, trace, warn=False)
    known = found.to_dict()
    return {
        "simulated_ns": known["simulated_ns"],
        "mean_latency_ns": known["mean_latency_ns"],
        "longest_write_ns": found.write.latency.percentile(100),
        "write_amplification": found.write_amplification,
        "erases": known["flash"]["erases"],
        "relocated_pages": known["flash"]["gc_programs"],
    }


def figures() -> dict[str, dict[str, Any]]:
    """Those of all schemes."""
    return {scheme: of(scheme) for scheme in reclaim.schemes()}
