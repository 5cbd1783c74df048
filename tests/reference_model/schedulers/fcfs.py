"""First come, first served (docs/model.md, 11.7)."""

from __future__ import annotations

from reference_model.operations import Class, Operation


class Fcfs:
    """`fcfs`."""

    def pick(self, candidates: dict[Class, Operation], *, gc_urgent: bool) -> Class | None:  # noqa: ARG002
        """The class whose candidate has the lowest arrival number."""
        return min(candidates, key=lambda c: candidates[c].number, default=None)
