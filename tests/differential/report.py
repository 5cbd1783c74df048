"""Says what differed, and leaves files to reproduce it."""

from __future__ import annotations

from pathlib import Path

from differential.case import Case, csv_text, toml_text
from differential.search import difference, shortened

LONGEST_TRACE_SHOWN = 40


def report(case: Case, what: str, folder: Path | None = None) -> str:
    """The difference in words, the device, the shortest trace found for it, and where both are written."""
    case = shortened(case)
    what = difference(case) or what
    lines = [
        what,
        "",
        "device:",
        toml_text(case.drive).rstrip(),
        "",
        f"trace of {len(case.requests)} requests:",
    ]
    trace = csv_text(case.requests).splitlines()
    lines += trace[: LONGEST_TRACE_SHOWN + 1]
    if len(trace) > LONGEST_TRACE_SHOWN + 1:
        lines.append("…")
    if folder is not None:
        device, trace_file = case.write(folder)
        lines += ["", f"reproduce: python -m differential --device {device} --trace {trace_file}"]
    return "\n".join(lines)
