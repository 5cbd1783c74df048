"""The cases, a file for each theme."""

from __future__ import annotations

from importlib import import_module

from answers.case import Case

LEAST = {
    "traces": 24,
    "devices": 36,
    "options_run": 98,
    "options_trace": 71,
    "disk": 35,
    "limits": 39,
    "experiments": 70,
    "sensitivity": 21,
    "tuning": 32,
    "ablation": 33,
    "api_drives": 44,
    "api_traces": 94,
    "stored": 59,
    "special_files": 38,
    "names": 27,
    "messages": 72,
    "policies": 23,
}
"""As many as there are, for each file."""
GROUPS: dict[str, list[Case]] = {name: import_module(f"answers.cases.{name}").CASES for name in LEAST}
