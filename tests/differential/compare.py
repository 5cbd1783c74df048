"""Runs both simulators on a case and names the first thing in which they differ."""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import reclaim
from differential.case import OPERATIONS, Case
from reference_model import simulate

Row = Mapping[str, int]
_REQUEST = "op offset_bytes size_bytes arrival_ns completion_ns queue_ns gc_ns transfer_ns array_ns link_ns"
REQUEST_COLUMNS = _REQUEST.split()
_JOB = "start_ns end_ns written_back_ns plane victim_block valid_pages free_blocks_after cause emergency"
_DEEPEST = 20_000
JOB_COLUMNS = [*_JOB.split(), "used_pages"]


@dataclass(frozen=True)
class Outcome:
    """What one simulator says of a case."""

    requests: Sequence[Row]
    gc_jobs: Sequence[Row]
    counters: Mapping[str, int | None]


def of_reclaim(case: Case) -> tuple[Outcome, Mapping[str, Any]]:
    """Reclaim's outcome, and the resolved configuration."""
    with tempfile.TemporaryDirectory() as folder:
        path, _ = case.write(Path(folder))
        device = reclaim.Device.load(path)
        streams = case.streams or [0] * len(case.requests)
        records = zip(case.requests, streams, strict=True)
        trace = reclaim.Trace.from_records([(*request, stream) for request, stream in records])
        trace.summary()
    with warnings.catch_warnings():
        # Whether the figures can be trusted is not the question here.
        warnings.simplefilter("ignore")
        result = reclaim.simulate(device, trace, audit=True, record_requests=True, record_gc=True)
        # An audited drive is never compiled as a plain one.
        unwatched = reclaim.simulate(device, trace, record_requests=True, record_gc=True)
    outcome, again = _outcome(result), _outcome(unwatched)
    if difference := first_difference(again, outcome):
        raise AssertionError(f"without an audit (here called reclaim; with one, reference) {difference}")
    return outcome, result.to_dict()["config"]


def _outcome(result: reclaim.Result) -> Outcome:
    found = dict(_counters(result.to_dict()))
    counters = {name: found[name] for name in COUNTERS if name in found}
    # A policy that does not count something has not declared it.
    counters |= {name: found.get(f"policies.{name}.value", 0) for name in OF_POLICIES}
    return Outcome(_rows(result.requests), _rows(result.gc_log), counters)


def of_reference(config: Mapping[str, Any], case: Case) -> Outcome:
    """The reference model's outcome."""
    # There a request that takes no time lets the next one begin, and so each is a call inside the one before.
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEPEST))
    try:
        found = simulate(config, [*case.requests], case.streams)
    finally:
        sys.setrecursionlimit(limit)
    requests = [{name: _number(getattr(row, name)) for name in REQUEST_COLUMNS} for row in found.requests]
    jobs = [{name: _number(getattr(row, name)) for name in JOB_COLUMNS} for row in found.gc_jobs]
    counters = dict(_counters(found.counters)) | {"simulated_ns": found.simulated_ns}
    return Outcome(requests, jobs, counters)


def first_difference(ours: Outcome, reference: Outcome) -> str | None:
    """The first difference in words; None where there is none.

    Requests come first, because what goes wrong in a job or a counter shows there soonest.
    """
    return (
        _first_row("request", ours.requests, reference.requests, REQUEST_COLUMNS)
        or _first_row("collection job", ours.gc_jobs, reference.gc_jobs, JOB_COLUMNS)
        or _first_counter(ours.counters, reference.counters)
    )


def _first_row(
    what: str, ours: Sequence[Row], reference: Sequence[Row], columns: Iterable[str]
) -> str | None:
    for number, (our, other) in enumerate(zip(ours, reference, strict=False)):
        if our != other:
            lines = [f"{what} {number} in order of completion differs:"]
            for name in columns:
                mark = "" if our[name] == other[name] else "   <--"
                lines.append(f"  {name:18} reclaim {our[name]:>12}   reference {other[name]:>12}{mark}")
            return "\n".join(lines)
    if len(ours) != len(reference):
        return f"reclaim ended {len(ours)} of the {what}s, the reference {len(reference)}"
    return None


def _first_counter(ours: Mapping[str, int | None], reference: Mapping[str, int | None]) -> str | None:
    differing = [name for name in COUNTERS if ours.get(name) != reference.get(name)]
    if not differing:
        return None
    lines = [
        f"  {name:30} reclaim {ours.get(name)!s:>12}   reference {reference.get(name)!s:>12}"
        for name in differing
    ]
    return "\n".join(["counters differ:", *lines])


def _number(value: Any) -> int:
    return OPERATIONS.index(value) if value in OPERATIONS else int(value)


def _rows(table: Any) -> Sequence[Row]:
    return pl.DataFrame(table).to_dicts()


def _counters(tree: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _counters(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


_FLASH = """host_reads gc_reads host_programs gc_programs wear_programs padded_pages wasted_pages erases
wear_erases copybacks multi_plane_operations suspends rmw_reads unmapped_reads buffer_hits trimmed_pages
parity_programs queued_reads urgent_reads"""
_WRITTEN = """host_bytes nand_bytes nand_host_bytes nand_collection_bytes nand_folding_bytes
nand_levelling_bytes nand_parity_bytes nand_padding_bytes empty_bytes"""
_GC = "jobs pages_moved dropped_moves free_blocks_low_water host_write_stall_ns stalled_writes"
_REDUNDANCY = """stripe_reads full_stripe_writes update_writes rebuild_writes stripe_waits room_waits
degraded_reads read_arounds trim_updates rebuilt_pages rebuild_ns rebuilding_reads rebuilding_read_ns
rebuilding_writes rebuilding_write_ns"""
_POWER_CUTS = """cuts losing_cuts collector_pages max_collector_pages replaced_pages max_replaced_pages
torn_stripes max_torn_stripes revived_pages"""
_DEFERRAL = "warnings redirects refused_redirects deferred_jobs idle_jobs same_stripe_redirects"
_CACHE = "cached_pages host_pages_past_full_cache folds folded_pages"
_NETWORK = "preemptions elevations circuits_resumed"
OF_POLICIES = (
    *(f"redundancy.{name}" for name in _REDUNDANCY.split()),
    *(f"gc.deferral.{name}" for name in _DEFERRAL.split()),
    *(f"interconnect.{name}" for name in _NETWORK.split()),
    "gc.relocation.absorbed_writes",
    "ftl.separation.host_pages_elsewhere",
    "ftl.separation.relocated_pages_elsewhere",
    *(f"ftl.slc_cache.{name}" for name in _CACHE.split()),
)
"""The metrics of policies among the counters."""
COUNTERS = (
    *(f"flash.{name}" for name in _FLASH.split()),
    *(f"written.{name}" for name in _WRITTEN.split()),
    *(f"gc.{name}" for name in _GC.split()),
    *(f"wear.{name}" for name in ("min_erases", "max_erases")),
    *(f"buffer.{name}" for name in ("capacity_pages", "max_pages", "waits", "wait_ns")),
    *OF_POLICIES,
    *(f"power_cuts.{name}" for name in _POWER_CUTS.split()),
    "simulated_ns",
)
"""The counters that are compared, as paths in the results of Reclaim."""
