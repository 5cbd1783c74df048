"""Host reads, host writes, then collection (docs/model.md, 11.7)."""

from __future__ import annotations

from reference_model.operations import Class, Operation

NORMAL = (Class.HOST_READ, Class.HOST_WRITE, Class.ERASE, Class.GC_WRITE, Class.GC_READ)
URGENT = (Class.ERASE, Class.GC_WRITE, Class.GC_READ, Class.HOST_READ, Class.HOST_WRITE)


class ReadFirst:
    """`read-first`."""

    def pick(self, candidates: dict[Class, Operation], *, gc_urgent: bool) -> Class | None:
        """The first class in the order."""
        order = URGENT if gc_urgent else NORMAL
        return next((c for c in order if c in candidates), None)
