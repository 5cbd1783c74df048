"""Which figures of results are compared, and why others are not."""

from __future__ import annotations

_FLASH = """host_reads gc_reads host_programs gc_programs wear_programs padded_pages wasted_pages erases
wear_erases copybacks multi_plane_operations suspends rmw_reads unmapped_reads buffer_hits trimmed_pages
parity_programs queued_reads urgent_reads write_turns"""
_WRITTEN = """host_bytes nand_bytes nand_host_bytes nand_collection_bytes nand_folding_bytes
nand_levelling_bytes nand_parity_bytes nand_translation_bytes nand_padding_bytes empty_bytes"""
_GC = """jobs pages_moved dropped_moves free_blocks_low_water host_write_stall_ns stalled_writes
mean_erased_blocks_per_plane"""
_REDUNDANCY = """stripe_reads full_stripe_writes update_writes rebuild_writes stripe_waits room_waits
degraded_reads read_arounds trim_updates rebuilt_pages rebuild_ns rebuilding_reads rebuilding_read_ns
rebuilding_writes rebuilding_write_ns"""
_POWER_CUTS = """cuts losing_cuts collector_pages max_collector_pages replaced_pages max_replaced_pages
torn_stripes max_torn_stripes revived_pages"""
_DEFERRAL = "warnings redirects refused_redirects deferred_jobs idle_jobs same_stripe_redirects"
_CACHE = "cached_pages host_pages_past_full_cache folds folded_pages"
_MAPPING = "mapping_look_ups mapping_misses translation_reads translation_programs"
_NETWORK = "preemptions elevations circuits_resumed"
_START = """valid_share valid_share_fullest_die fullest_die programmed_share free_blocks free_blocks_least
least_free_die erases_least erases_most erases_mean"""
PARTS = ("queue_ns", "gc_ns", "transfer_ns", "array_ns", "link_ns")
"""Where the time of a request went."""
OF_DIES = PARTS[:-1]
"""The same of the pages that each die has read or programmed for requests; of audited runs."""
_SUMS = ("count", "bytes", "min_ns", "max_ns", "mean_ns", *(f"breakdown.{part}" for part in PARTS))
OF_POLICIES = (
    *(f"redundancy.{name}" for name in _REDUNDANCY.split()),
    *(f"gc.deferral.{name}" for name in _DEFERRAL.split()),
    *(f"interconnect.{name}" for name in _NETWORK.split()),
    "gc.concurrency.refused_starts",
    "gc.concurrency.emergency_starts",
    "gc.relocation.absorbed_writes",
    "ftl.separation.host_pages_elsewhere",
    "ftl.separation.relocated_pages_elsewhere",
    *(f"ftl.slc_cache.{name}" for name in _CACHE.split()),
    *(f"ftl.mapping_cache.{name}" for name in _MAPPING.split()),
)
"""The metrics of policies among the counters."""
_WEAR = """min_erases max_erases mean_erases stddev_erases spread worst_block histogram histogram_step
failed_blocks available_spare"""
COUNTERS = (
    *(f"flash.{name}" for name in _FLASH.split()),
    *(f"written.{name}" for name in _WRITTEN.split()),
    *(f"gc.{name}" for name in _GC.split()),
    *(f"wear.{name}" for name in _WEAR.split()),
    *(f"buffer.{name}" for name in ("capacity_pages", "max_pages", "waits", "wait_ns")),
    *OF_POLICIES,
    *(f"power_cuts.{name}" for name in _POWER_CUTS.split()),
    *(f"start.{name}" for name in _START.split()),
    *(f"planes.{name}" for name in ["jobs", "erases", "host_programs", "parity_programs", "relocated_pages"]),
    *(f"audit.{part}" for part in OF_DIES),
    *(f"utilisation.{name}" for name in ["die", "die_host", "die_max", "per_die", "per_channel"]),
    *(f"windows.{name}" for name in ["host_pages", "write_amplification", "free_pages_gained"]),
    "streams",
    "drift.free_pages_gained",
    "measure.requests_before",
    *(f"requests.{op}.{name}" for op in ("read", "write", "trim", "flush") for name in _SUMS),
    "max_outstanding_requests",
    "events",
    "simulated_ns",
)
"""The counters that are compared, as paths in the results of Reclaim."""

_NAMES = "says what was run, and is no figure"
_BEFORE = "follows from configuration and trace, before the run"
_FOLLOWS = "follows from figures that are compared"
_STATISTICS = "is made of figures that are compared, and tested by itself: crates/sim/src/results"
NOT_COMPARED = {
    "format": _NAMES,
    "reclaim_version": _NAMES,
    "device": _NAMES,
    "scheme": _NAMES,
    "seed": _NAMES,
    "remap": _NAMES,
    "transforms": _NAMES,
    "config": _NAMES,
    "trace": _BEFORE,
    "one_play": _BEFORE,
    "facts": _BEFORE,
    "verdict": _STATISTICS,
    "drift": _STATISTICS,
    "latency_cdf": "is made of the rows of requests, which are compared; crates/sim/tests/latency_cdf.rs",
    "requests.*.p": "is made of the rows of requests, which are compared; crates/sim/tests/percentiles.rs",
    "requests.*.iops": _FOLLOWS,
    "requests.*.bandwidth_bytes_per_s": _FOLLOWS,
    "requests.*.breakdown.other_ns": _FOLLOWS,
    "requests.*.not_established": _STATISTICS,
    "mean_latency_ns": _FOLLOWS,
    "gc.write_amplification": _FOLLOWS,
    "gc.nand_write_amplification": _FOLLOWS,
    "fdp": _FOLLOWS,
    "health": _FOLLOWS,
    "windows.nand_write_amplification": "is made of bytes that are compared, as a whole and in each interval",
    "gc.padded_pages_per_host_page": _FOLLOWS,
    "gc.valid_pages_per_victim": _FOLLOWS,
    "utilisation.channel": _FOLLOWS,
    "utilisation.die_host_asked": _NAMES,
    "utilisation.die_asked": _NAMES,
    "network": "shares of links: the way of each transfer shows in its time; crates/sim/tests/networks",
    "warmup": "what warm-up leaves is compared, as start and by all that follows from it",
    "measure": "when measuring begins shows in every other figure; requests_before is compared",
    "audit": "says what the audit has looked at; what it says of dies is compared",
    "policies": "what a policy counts of its own is tested by hand: crates/sim/tests/policy_metrics.rs",
    "power_cuts": "is compared where there are any",
}
"""Why other figures are not compared, by how their paths begin; `*` is any one word."""
