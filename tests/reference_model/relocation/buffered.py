"""Pages are read into the GC buffer and written back later (docs/model.md, 13.10 on and 13.30 on)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model import destinations, units
from reference_model.configuration import Table
from reference_model.job import Answer, Job, Step, Way
from reference_model.relocation.in_order import InOrder
from reference_model.ties import RULES, Ties

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Buffered(InOrder):
    """`buffered`: a step is one page (13.12), as no unit is of more (13.10)."""

    over_channel_only = True
    way = Way.LIFT

    def __init__(self, drive: Drive, policy: Table) -> None:
        super().__init__(drive)
        blocks = units.blocks(policy.take("capacity", "1 block"), drive.geometry.blocks_per_plane)
        self.batches = policy.whole("batches", 1)
        if blocks < 1 or self.batches < 1:
            raise ValueError("gc.relocation needs a capacity of at least 1 block, and 1 batch")
        buffer = drive.gc_buffer
        buffer.capacity = -(-blocks * drive.geometry.pages_per_block // self.batches)
        buffer.batches = self.batches
        buffer.destination = policy.choice("destination", destinations.KINDS, "home")
        buffer.by_space = policy.choice("planes", ("even", "by-space"), "even") == "by-space"
        buffer.absorbs = policy.choice("host_writes", ("replace", "absorb"), "replace") == "absorb"
        buffer.chip = policy.choice("chip", destinations.CHIPS, "fewest-erases")
        ties = policy.choice("ties", RULES, "rotating")
        buffer.plane_ties = Ties(ties, drive.config.seed, "destination")
        of_chips = "rotating" if buffer.chip == "rotating" else ties
        buffer.chip_ties = Ties(of_chips, drive.config.seed, "destination chip")
        drive.held_circuits.holds = policy.choice("hold", ("batch", "transfer"), "batch") == "batch"

    def next_step(self, job: Job) -> Step | Answer:
        """13.12, 13.31."""
        if self.batches == 1:
            return super().next_step(job)
        while job.writing_back == 0:
            step = super().next_step(job)
            of_batch = self.drive.gc_buffer.pages_of_batch(job.valid_pages)
            if isinstance(step, Step) and job.pages_given - job.pages_written_back >= of_batch:
                if job.steps > 0:
                    break
                job.pages_written_back = job.pages_given
                if self.drive.gc_buffer.write_back(job):
                    break
            else:
                return step
        return Answer.WAIT
