"""What every kind of relocation has in common: it counts copybacks of pages (docs/model.md, 13.19)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.job import Job
from reference_model.program_units import Skipped
from reference_model.relocation.copies import Copies
from reference_model.request import Request
from reference_model.space import Block

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Counting:
    """What the rest of the model tells it, beside the jobs."""

    def __init__(self, drive: Drive, policy: Table | None) -> None:
        self.drive = drive
        self.copies = Copies(policy)

    def copied(self, source: int, target: int) -> None:
        """13.19."""
        self.copies.copied(source, target)

    def erased(self, block: Block) -> None:
        """13.19."""
        self.copies.erased(self.drive.geometry.pages_of(block.number))

    def foresee(self, requests: list[Request]) -> None:
        """Nobody asks what comes."""

    def request(self, *, writes: bool) -> None:
        """Nothing to count."""

    def written(self, logical: int, *, update: bool) -> None:
        """Nothing to count."""

    def trimmed(self, logical: int) -> None:
        """Nothing to count."""

    def lent(self, logical: int, block: Block) -> None:
        """Nothing is."""


class OddEven(Counting):
    """A page may only go from odd units to odd and from even to even ones (11.13)."""

    over_channel_only = False
    skipped: Skipped = "wasted_pages"

    def __init__(self, drive: Drive, policy: Table) -> None:
        super().__init__(drive, policy)
        self.carry = policy.switch("carry", True) and drive.program_units.size > 1

    def make_way(self, job: Job, source: int) -> int | None:
        """11.13, 11.20."""
        return self.drive.program_units.make_way(job, source, self.skipped)
