"""A measurement as JSON."""

from __future__ import annotations

from typing import Any

from reclaim.instruments.measuring.plan import Measured
from reclaim.instruments.measuring.words import conclusion, notes
from reclaim.report.forms import result_json

FORMAT = 1


def result(found: Measured) -> str:
    """Write all figures; the same bytes at any number of workers."""
    loads: list[dict[str, Any]] = [
        {
            "load": each.load.name,
            "rounds_iops": list(each.rounds),
            "window": [each.first + 1, each.last + 1],
            "steady": each.steady,
            "iops": each.iops,
            "mb_per_s": each.mb_per_s,
            "mean_ns": each.mean_ns,
            "p99_ns": each.p99_ns,
            "p99_99_ns": each.p99_99_ns,
            "nand_write_amplification": each.nand_write_amplification,
            "write_amplification": each.write_amplification,
        }
        for load in found.plan.loads
        if (each := found.figures.get(load)) is not None
    ]
    lines = [
        {
            "load": each.line.load.name,
            "metric": each.line.metric,
            "published": each.line.value,
            "measured": each.measured,
            "error": each.error,
            "use": each.line.use,
            "naive": each.naive,
            "naive_error": each.naive_error,
        }
        for each in found.compared
    ]
    return result_json(
        {
            "format": FORMAT,
            "device": found.plan.device.config["name"],
            "conclusion": conclusion(found),
            "notes": list(notes(found)),
            "failed": list(found.failures),
            "loads": loads,
            "sheet": lines,
        }
    )
