"""Reads, programs, erases (docs/model.md, 11.7)."""

from __future__ import annotations

from reference_model.configuration import Table
from reference_model.operations import Class, Operation

HOST_FIRST = (Class.HOST_READ, Class.HOST_WRITE, Class.GC_READ, Class.GC_WRITE, Class.ERASE)
GC_FIRST = (Class.GC_READ, Class.GC_WRITE, Class.ERASE, Class.HOST_READ, Class.HOST_WRITE)


class TypeFirst:
    """`type-first`."""

    def __init__(self, policy: Table) -> None:
        self.always = policy.choice("gc_first", ("urgent", "always"), "urgent") == "always"

    def pick(self, candidates: dict[Class, Operation], *, gc_urgent: bool) -> Class | None:
        """The first class in the order."""
        order = GC_FIRST if gc_urgent or self.always else HOST_FIRST
        return next((c for c in order if c in candidates), None)
