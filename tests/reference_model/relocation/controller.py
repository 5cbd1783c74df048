"""Pages are read over the channel and written back over the channel (docs/model.md, 13.3 and 13.4)."""

from __future__ import annotations

from reference_model.job import Job
from reference_model.operations import GcRead, Operation


def through_controller(job: Job, page: int) -> Operation:
    """`controller`."""
    return GcRead(job.plane, page, job)
