"""Valid pages in their order, as many at once as one array program covers (docs/model.md, 13.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.job import Answer, Job, Step, Way
from reference_model.program_units import Skipped
from reference_model.relocation.counting import Counting

if TYPE_CHECKING:
    from reference_model.drive import Drive


def valid_pages_left(drive: Drive, job: Job) -> list[int]:
    """Return the valid pages of a job's block at or after its cursor."""
    pages = drive.geometry.pages_of(job.block.number)
    return [x for x in range(job.cursor, pages.stop) if drive.space.valid[x]]


class InOrder(Counting):
    """What `controller`, `copyback` and `buffered` have in common."""

    way: Way
    skipped: Skipped = "padded_pages"

    def __init__(self, drive: Drive, policy: Table | None = None) -> None:
        super().__init__(drive, policy)

    def begin(self, job: Job) -> None:
        """Nothing to find out."""

    def next_step(self, job: Job) -> Step | Answer:
        """The first valid pages of those that are left."""
        pages = valid_pages_left(self.drive, job)[: self.drive.program_units.size]
        way = Way.CONTROLLER if self.copies.any_due(pages) else self.way  # 13.19
        return Step(pages, way) if pages else Answer.NONE_LEFT

    def make_way(self, job: Job, source: int) -> int | None:
        """Every page may go everywhere."""
