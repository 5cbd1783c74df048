"""The cases, a file for each theme."""

from __future__ import annotations

from importlib import import_module

from answers.case import Case

LEAST = {
    "traces": 24,
    "devices": 37,
    "options_run": 115,
    "options_trace": 75,
    "disk": 35,
    "limits": 40,
    "experiments": 75,
    "sensitivity": 22,
    "tuning": 32,
    "ablation": 33,
    "api_drives": 45,
    "api_traces": 95,
    "stored": 59,
    "special_files": 38,
    "names": 27,
    "messages": 77,
    "policies": 23,
}
"""As many as there are, for each file."""
GROUPS: dict[str, list[Case]] = {name: import_module(f"answers.cases.{name}").CASES for name in LEAST}
