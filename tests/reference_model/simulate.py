"""The way in: one run of a configuration on a list of requests (docs/model.md, section 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import count
from statistics import pstdev
from typing import Any

from reference_model import rest
from reference_model.activity import Mark, erased_blocks_of, planes_of, windows_of
from reference_model.configuration import Configuration
from reference_model.drive import Drive
from reference_model.outcome import Outcome
from reference_model.request import Request
from reference_model.taking_over import preparing, take_over

OPERATIONS = ("read", "write", "trim", "flush")


def simulate(
    config: Mapping[str, Any],
    requests: list[tuple[int, str, int, int]],
    streams: Sequence[int] = (),
) -> Outcome:
    """Run requests (time in ns, operation, offset, size), and streams, on a resolved configuration."""
    checked = [Request(*request) for request in requests]
    for request, stream in zip(checked, streams, strict=False):
        request.stream = stream
    last = 0
    for request in checked:
        _check(request, last)
        last = request.time
    drive = Drive(Configuration(config), checked)
    other = preparing(config)
    if other is None:
        drive.warm_up.run(checked)
    else:
        prepared = Drive(Configuration(other), checked)
        prepared.warm_up.run(checked)
        take_over(drive, prepared, checked)
    if drive.config.untimed:
        drive.run_untimed(checked)
    else:
        drive.run()
    rest.check(drive)
    rows, began = drive.requests.rows, drive.measuring.began
    assert began is not None
    return Outcome(
        requests=drive.requests.rows,
        gc_jobs=drive.jobs.rows,
        timeline=[] if drive.config.untimed else list(drive.activity.timeline()),
        counters=counters_of(drive),
        simulated_ns=rows[-1].completion_ns - began if rows else 0,
    )


def _check(request: Request, last: int) -> None:
    """1.2."""
    if request.op not in OPERATIONS:
        raise ValueError(f"{request.op!r} is none of {', '.join(OPERATIONS)}")
    if request.time < last:
        raise ValueError(f"time goes back at {request}")
    if request.op == "flush":
        if request.offset or request.size:
            raise ValueError(f"a flush has no address: {request}")
    elif request.size < 1 or request.offset < 0:
        raise ValueError(f"{request} has no bytes")


def histogram_of(erases: list[int]) -> dict[str, Any]:
    """Count blocks by erases, in classes that are the narrowest of which 64 are enough."""
    lowest, highest = min(erases), max(erases)
    width = next(width for width in count(1) if lowest + 64 * width > highest)
    found = Counter((each - lowest) // width for each in erases)
    return {"histogram": [found[k] for k in range(max(found) + 1)], "histogram_step": width}


def counters_of(drive: Drive) -> dict[str, Mapping[str, Any]]:
    """Section 14."""
    counters, space = drive.counters, drive.space
    erases = [block.erases for block in space.blocks]
    return {
        "flash": asdict(counters.flash),
        "written": counters.bytes_written(drive.geometry.page_size),
        "gc": asdict(counters.gc)
        | {
            "pages_moved": counters.flash.gc_programs,
            "free_blocks_low_water": min(plane.low_water for plane in space.planes),
            "mean_erased_blocks_per_plane": erased_blocks_of(drive),
        },
        "wear": {
            "min_erases": min(erases),
            "max_erases": max(erases),
            "mean_erases": sum(erases) / len(erases),
            "stddev_erases": pstdev(erases),
            "spread": max(erases) / (sum(erases) / len(erases)) if any(erases) else None,
            "worst_block": erases.index(max(erases)),
        }
        | histogram_of(erases)
        | drive.failing.figures(),
        "planes": planes_of(drive),
        "utilisation": drive.activity.utilisation(),
        "audit": drive.activity.audited(),
        "windows": windows_of(drive),
        "drift": {"free_pages_gained": Mark.of(drive).gained(drive.geometry.pages_per_block)},
        "start": drive.start,
        "measure": {"requests_before": drive.measuring.taken_before},
        "run": {
            "max_outstanding_requests": drive.requests.most_outstanding,
            "events": drive.events.scheduled,
        },
        "gc.concurrency": asdict(counters.concurrency),
        "buffer": asdict(counters.buffer) | {"capacity_pages": drive.buffer.capacity},
        "gc.relocation": asdict(counters.gc_buffer),
        "ftl.separation": asdict(counters.separation),
        "ftl.slc_cache": asdict(counters.slc_cache),
        "ftl.mapping_cache": asdict(counters.mapping_cache),
        "interconnect": asdict(counters.network),
        "redundancy": asdict(counters.redundancy),
        "gc.deferral": asdict(counters.deferral),
        "by_stream": {"streams": drive.mapping.streams.results()},
        "power_cuts": asdict(drive.power_cuts.counters) if drive.power_cuts.every else {},
    }
