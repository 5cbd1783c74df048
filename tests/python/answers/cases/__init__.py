"""The cases, a file for each theme."""

from __future__ import annotations

from answers.case import Case
from answers.cases import (
    ablation,
    api_drives,
    api_traces,
    devices,
    disk,
    experiments,
    limits,
    messages,
    names,
    options_run,
    options_trace,
    policies,
    sensitivity,
    special_files,
    stored,
    traces,
    tuning,
)

GROUPS: dict[str, list[Case]] = {
    "traces": traces.CASES,
    "devices": devices.CASES,
    "options": [*options_run.CASES, *options_trace.CASES],
    "limits": [*disk.CASES, *limits.CASES],
    "experiments": [*experiments.CASES, *sensitivity.CASES, *tuning.CASES],
    "ablation": ablation.CASES,
    "api": [*api_drives.CASES, *api_traces.CASES],
    "stored": stored.CASES,
    "special files": special_files.CASES,
    "names": names.CASES,
    "messages": messages.CASES,
    "policies": policies.CASES,
}
"""Cases of traces, device files, options, of disks, signals and limits, of experiments and papers, of
ablations, of the Python interface, of what was stored, of what is no regular file, of names that users
choose, of what a message must name, and of policies of users."""
LEAST = {
    "traces": 53,
    "devices": 64,
    "options": 87,
    "limits": 64,
    "experiments": 72,
    "ablation": 36,
    "api": 99,
    "stored": 74,
    "special files": 80,
    "names": 60,
    "messages": 80,
    "policies": 25,
}
"""As many as users' mistakes were once collected for each."""
