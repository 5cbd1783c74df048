"""The cases, a file for each theme."""

from __future__ import annotations

from answers.case import Case
from answers.cases import api_drives, api_traces, devices, disk, limits, options_run, options_trace, traces

GROUPS: dict[str, list[Case]] = {
    "traces": traces.CASES,
    "devices": devices.CASES,
    "options": [*options_run.CASES, *options_trace.CASES],
    "limits": [*disk.CASES, *limits.CASES],
    "api": [*api_drives.CASES, *api_traces.CASES],
}
"""Cases of traces, device files, options, of disks, signals and limits, and of the Python interface."""
LEAST = {"traces": 53, "devices": 55, "options": 87, "limits": 60, "api": 99}
"""As many as users' mistakes were once collected for each."""
