"""In which state a run finds the drive and whether collection starts from there, as everything says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reclaim.units import MISSING, written


def collection(facts: Mapping[str, Any]) -> str:
    """Whether a trace makes a drive collect, in words; `facts` are `Device.facts` with that trace.

    >>> collection({"trace": {"gc_starts": "yes", "gc_starts_after_requests": 1200}})
    'yes, after about 1\u202f200 requests'
    """
    trace = facts["trace"]
    match trace["gc_starts"]:
        case "no":
            return "no: the trace writes too little"
        case "perhaps":
            return "perhaps: every plane is about to be collected, but the trace writes very little"
    after = trace["gc_starts_after_requests"]
    return f"yes, after about {written(after, 'count')} requests" if after else "yes, from the beginning"


def in_words(facts: Mapping[str, Any]) -> dict[str, Any]:
    """`facts` with that sentence in place of the fields it is made from."""
    if "gc_starts" not in (facts.get("trace") or {}):
        # No trace, or results that an earlier version saved.
        return dict(facts)
    trace = {key: value for key, value in facts["trace"].items() if not key.startswith("gc_")}
    return {**facts, "trace": {**trace, "gc_starts": collection(facts)}}


REASONS = {"write_amplification": "write_amplification_unknown", "pages_per_s": "rates_unknown"}
"""What ends a key whose value can be missing, and the key that says why."""


def with_reasons(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts whose missing values say why they are missing; without what was not asked about.

    >>> with_reasons({"write_pages_per_s": None, "rates_unknown": "too large", "trace": None})
    {'write_pages_per_s': '– (too large)'}
    """

    def told(values: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in values.items():
            why = next((facts.get(reason) for end, reason in REASONS.items() if key.endswith(end)), None)
            if isinstance(value, Mapping):
                found[key] = told(value)
            elif value is not None and key not in REASONS.values():
                found[key] = value
            elif value is None and why:
                found[key] = f"{MISSING} ({why})"
        return found

    return told(facts)
