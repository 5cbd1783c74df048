"""Every plane collects when its trigger says so (docs/model.md, 13.2)."""

from __future__ import annotations

from reference_model.concurrency.fixed import Fixed


class AllPlanes(Fixed):
    """`all`."""

    def allows(self, plane: int) -> bool:  # noqa: ARG002
        """Always."""
        return True
