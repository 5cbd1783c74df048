"""Pages move inside the plane (docs/model.md, 13.3)."""

from __future__ import annotations

from reference_model.job import Job
from reference_model.operations import Copyback, Operation


def by_copyback(job: Job, page: int) -> Operation:
    """`copyback`."""
    return Copyback(job.plane, page, job)
