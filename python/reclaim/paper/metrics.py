"""Which figures the points of an experiment have, known before anything runs."""

from __future__ import annotations

import json
from functools import cache

from reclaim import _core
from reclaim.device import Device
from reclaim.paper.job_times import COLUMNS
from reclaim.simulate import simulate
from reclaim.trace.trace import Trace


@cache
def figures() -> tuple[str, ...]:
    """Numbers in `points.parquet`: those of any run, of every policy, and of collection jobs.

    >>> "read_p99_ns" in figures(), "gc_trigger_asked" in figures(), "verdict" in figures()
    (True, False, False)
    """
    trace = Trace.from_records([(0, "write", 0, 4096), (1000, "read", 0, 4096)])
    measured = simulate(Device.preset("coupled-copyback-mini"), trace, warn=False).summary()
    found = [
        name for name, value in measured.items() if not isinstance(value, str | bool) and name != "format"
    ]
    for kind in json.loads(_core.catalogue()):
        prefix = kind["key"].replace(".", "_")
        found += [f"{prefix}_{each['name']}" for policy in kind["policies"] for each in policy["metrics"]]
    return tuple(dict.fromkeys([*found, *COLUMNS]))
