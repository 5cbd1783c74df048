"""First come, first served (docs/model.md, 11.7)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.operations import GC_CLASSES, Class, Operation


class Fcfs:
    """`fcfs`."""

    def __init__(self, policy: Table) -> None:
        self.gc_first = policy.choice("gc_first", ("by-arrival", "always"), "by-arrival") == "always"

    def pick(self, candidates: dict[Class, Operation], *, gc_urgent: bool) -> Class | None:  # noqa: ARG002
        """The class whose candidate has the lowest arrival number, of collection if that goes first."""
        classes = [c for c in candidates if c in GC_CLASSES] if self.gc_first else []
        return min(classes or candidates, key=lambda c: candidates[c].number, default=None)
