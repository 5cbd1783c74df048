"""A measurement as JSON."""

from __future__ import annotations

from typing import Any

from reclaim import _core, encoding
from reclaim.instruments.measuring.plan import Measured
from reclaim.instruments.measuring.words import conclusion, notes

FORMAT = 1


def rounded(value: float | None) -> float | None:
    """Give ten digits: what follows them may depend on how a library adds."""
    return None if value is None else float(f"{value:.10g}")


def document(found: Measured) -> str:
    """Write all figures; the same bytes at any number of workers."""
    loads: list[dict[str, Any]] = [
        {
            "load": each.load.name,
            "rounds_iops": [rounded(value) for value in each.rounds],
            "window": [each.first + 1, each.last + 1],
            "steady": each.steady,
            "iops": rounded(each.iops),
            "mb_per_s": rounded(each.mb_per_s),
            "mean_ns": rounded(each.mean_ns),
            "p99_ns": each.p99_ns,
            "p99_99_ns": each.p99_99_ns,
            "nand_write_amplification": rounded(each.nand_write_amplification),
            "write_amplification": rounded(each.write_amplification),
        }
        for load in found.plan.loads
        if (each := found.figures.get(load)) is not None
    ]
    lines = [
        {
            "load": each.line.load.name,
            "metric": each.line.metric,
            "published": each.line.value,
            "measured": rounded(each.measured),
            "error": rounded(each.error),
            "use": each.line.use,
            "naive": rounded(each.naive),
            "naive_error": rounded(each.naive_error),
        }
        for each in found.compared
    ]
    whole = {
        "format": FORMAT,
        "reclaim_version": _core.__version__,
        "device": found.plan.device.config["name"],
        "conclusion": conclusion(found),
        "notes": list(notes(found)),
        "failed": list(found.failed),
        "loads": loads,
        "sheet": lines,
    }
    return encoding.json_text(whole) + "\n"
