"""Runs both simulators on a case and names the first thing in which they differ."""

from __future__ import annotations

import math
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

import reclaim
from differential.case import OPERATIONS, Case
from differential.figures import COUNTERS, OF_DIES, OF_POLICIES, PARTS
from reference_model import simulate

Row = Mapping[str, int]
_REQUEST = (
    "op offset_bytes size_bytes arrival_ns completion_ns queue_ns gc_ns transfer_ns array_ns link_ns stream"
)
REQUEST_COLUMNS = _REQUEST.split()
_JOB = "start_ns end_ns written_back_ns plane victim_block valid_pages free_blocks_after cause emergency"
_DEEPEST = 20_000
JOB_COLUMNS = [*_JOB.split(), "used_pages"]
_TIMELINE = """start_ns length_ns free_blocks used_pages valid_pages gc_jobs gc_channels allowed_channels
pending_operations outstanding_requests buffered_pages completed_requests latency_sum_ns latency_max_ns
host_programs gc_programs wear_programs padded_pages wasted_pages erases wear_erases jobs_begun
host_bytes nand_bytes nand_host_bytes nand_collection_bytes nand_folding_bytes nand_levelling_bytes
nand_parity_bytes nand_translation_bytes nand_padding_bytes"""
TIMELINE_COLUMNS = _TIMELINE.split()


@dataclass(frozen=True)
class Outcome:
    """What one simulator says of a case."""

    requests: Sequence[Row]
    gc_jobs: Sequence[Row]
    timeline: Sequence[Row]
    counters: Mapping[str, Any]


def of_reclaim(case: Case) -> tuple[Outcome, Mapping[str, Any]]:
    """Reclaim's outcome, and the resolved configuration."""
    device, trace = _given(case)
    with warnings.catch_warnings():
        # Whether the figures can be trusted is not the question here.
        warnings.simplefilter("ignore")
        run = partial(
            reclaim.simulate, device, trace, record_requests=True, record_gc=True, record_timeline=True
        )
        result = run(audit=True)
        # An audited drive is never compiled as a plain one.
        unwatched = run()
    outcome, again = _outcome(result), _outcome(unwatched)
    audited = {f"audit.{part}": outcome.counters[f"audit.{part}"] for part in OF_DIES}
    again = replace(again, counters={**again.counters, **audited})
    if difference := first_difference(again, outcome):
        raise AssertionError(f"without an audit (here called reclaim; with one, reference) {difference}")
    return outcome, result.to_dict()["config"]


def of_twin(case: Case) -> Outcome:
    """Reclaim's outcome of a drive with policies in Python."""
    device, trace = _given(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = reclaim.simulate(
            device, trace, audit=True, record_requests=True, record_gc=True, record_timeline=True
        )
    return _outcome(result)


def _given(case: Case) -> tuple[reclaim.Device, reclaim.Trace]:
    with tempfile.TemporaryDirectory() as folder:
        path, _ = case.write(Path(folder))
        device = reclaim.Device.load(path)
    streams = case.streams or [0] * len(case.requests)
    records = zip(case.requests, streams, strict=True)
    trace = reclaim.Trace.from_records([(*request, stream) for request, stream in records])
    trace.summary()
    return device, trace


def _outcome(result: reclaim.Result) -> Outcome:
    found = dict(counters_of(result.to_dict()))
    counters = {name: found[name] for name in COUNTERS if name in found}
    counters["streams"] = [_of_stream(each) for each in found.get("streams", [])]
    # A policy that does not count something has not declared it.
    counters |= {name: found.get(f"policies.{name}.value", 0) for name in OF_POLICIES}
    if found["config.interconnect.kind"] not in ("bus", "ideal"):  # 14.10
        counters.pop("utilisation.per_channel")
    return Outcome(_rows(result.requests), _rows(result.gc_log), _rows(result.timeline), counters)


def of_reference(config: Mapping[str, Any], case: Case) -> Outcome:
    """The reference model's outcome."""
    # There a request that takes no time lets the next one begin, and so each is a call inside the one before.
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEPEST))
    try:
        found = simulate(config, [*case.requests], case.played_streams)
    finally:
        sys.setrecursionlimit(limit)
    requests = [{name: _number(getattr(row, name)) for name in REQUEST_COLUMNS} for row in found.requests]
    jobs = [{name: _number(getattr(row, name)) for name in JOB_COLUMNS} for row in found.gc_jobs]
    counters = dict(counters_of(found.counters)) | {"simulated_ns": found.simulated_ns}
    counters |= {name: counters.pop(f"run.{name}") for name in ("max_outstanding_requests", "events")}
    counters |= dict(_summed(requests))
    of_streams, timed = counters.pop("by_stream.streams"), not config["measure"].get("untimed")
    named = any(case.streams) or any(stream for *_, stream in case.ranges)
    counters["streams"] = list(_with_latencies(of_streams, requests, timed=timed)) if named else []
    if config["interconnect"]["kind"] not in ("bus", "ideal"):
        counters.pop("utilisation.per_channel")
    return Outcome(requests, jobs, found.timeline, counters)


def _summed(rows: Sequence[Row]) -> Iterator[tuple[str, Any]]:
    """What results say of all requests of an operation together."""
    for number, op in enumerate(OPERATIONS):
        of_op = [row for row in rows if row["op"] == number]
        latencies = [row["completion_ns"] - row["arrival_ns"] for row in of_op]
        count = len(of_op)
        yield f"requests.{op}.count", count
        yield f"requests.{op}.bytes", sum(row["size_bytes"] for row in of_op)
        yield f"requests.{op}.min_ns", min(latencies, default=0)
        yield f"requests.{op}.max_ns", max(latencies, default=0)
        yield f"requests.{op}.mean_ns", sum(latencies) / max(1, count)
        for part in PARTS:
            yield f"requests.{op}.breakdown.{part}", sum(row[part] for row in of_op) / max(1, count)


_STREAM = "stream host_bytes nand_bytes relocated_bytes valid_pages"


def _of_stream(found: Mapping[str, Any]) -> dict[str, Any]:
    """What is compared of a stream; without time it has no latencies."""
    counted = {name: found[name] for name in _STREAM.split()}
    timed = {op: found[op] for op in ("read", "write") if found[op] is not None}
    return counted | {
        f"{op}.{name}": each[name] for op, each in timed.items() for name in ("count", "mean_ns")
    }


def _with_latencies(
    counted: Sequence[Mapping[str, Any]], rows: Sequence[Row], *, timed: bool
) -> Iterator[dict[str, Any]]:
    """The same of the reference model, from its counters and rows of requests."""
    known = {each["stream"]: dict(each) for each in counted}
    of = [row for row in rows if row["op"] < 2]
    for stream in sorted({*known, *(row["stream"] for row in of)}):
        found = known.get(stream) or dict.fromkeys(_STREAM.split(), 0) | {"stream": stream}
        for number, op in enumerate(("read", "write") if timed else ()):
            latencies = [
                row["completion_ns"] - row["arrival_ns"]
                for row in of
                if (row["op"], row["stream"]) == (number, stream)
            ]
            found[f"{op}.count"] = len(latencies)
            found[f"{op}.mean_ns"] = sum(latencies) / max(1, len(latencies))
        yield found


def first_difference(ours: Outcome, reference: Outcome) -> str | None:
    """The first difference in words; None where there is none.

    Requests come first, because what goes wrong in a job or a counter shows there soonest.
    """
    return (
        _first_row("request", ours.requests, reference.requests, REQUEST_COLUMNS)
        or _first_row("collection job", ours.gc_jobs, reference.gc_jobs, JOB_COLUMNS)
        or _first_row("interval", ours.timeline, reference.timeline, TIMELINE_COLUMNS)
        or _first_counter(ours.counters, reference.counters)
    )


def _first_row(
    what: str, ours: Sequence[Row], reference: Sequence[Row], columns: Iterable[str]
) -> str | None:
    for number, (our, other) in enumerate(zip(ours, reference, strict=False)):
        if our != other:
            lines = [f"{what} {number} differs, in order of time or completion:"]
            for name in columns:
                mark = "" if our[name] == other[name] else "   <--"
                lines.append(f"  {name:18} reclaim {our[name]:>12}   reference {other[name]:>12}{mark}")
            return "\n".join(lines)
    if len(ours) != len(reference):
        return f"reclaim ended {len(ours)} of the {what}s, the reference {len(reference)}"
    return None


def _first_counter(ours: Mapping[str, Any], reference: Mapping[str, Any]) -> str | None:
    differing = [name for name in COUNTERS if not _same(ours.get(name), reference.get(name))]
    if not differing:
        return None
    lines = [
        f"  {name:30} reclaim {ours.get(name)!s:>12}   reference {reference.get(name)!s:>12}"
        for name in differing
    ]
    return "\n".join(["counters differ:", *lines])


def _same(our: Any, other: Any) -> bool:
    """Whether figures are equal: shares and means to the last digits, which go by the order of adding.

    >>> _same([1, 0.1 + 0.2], [1, 0.3]), _same(1, 2), _same(None, 0)
    (True, False, False)
    """
    if isinstance(our, list) and isinstance(other, list):
        return len(our) == len(other) and all(map(_same, our, other))
    if isinstance(our, float) and isinstance(other, int | float):
        return math.isclose(our, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(our == other)


def _number(value: Any) -> int:
    return OPERATIONS.index(value) if value in OPERATIONS else int(value)


def _rows(table: Any) -> Sequence[Row]:
    return pl.DataFrame(table).to_dicts()


def counters_of(tree: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Give all that stands in results, by its path."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from counters_of(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value
