"""How valid pages are relocated: `gc.relocation` (docs/model.md, 13.3 and 13.8 to 13.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reference_model.job import Answer, Job, Step
from reference_model.program_units import Skipped
from reference_model.relocation.buffered import Buffered
from reference_model.relocation.controller import Controller
from reference_model.relocation.copyback import Copyback
from reference_model.relocation.copyback_odd_even import CopybackOddEven

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Relocation(Protocol):
    """What the rest of the model asks."""

    over_channel_only: bool  # never a copyback (2.5)
    skipped: Skipped  # what the pages are counted as with which a unit is finished (11.20)

    def begin(self, job: Job) -> None:
        """Hear of a job that begins (13.8)."""

    def next_step(self, job: Job) -> Step | Answer:
        """Return what the job does next (13.3)."""

    def make_way(self, job: Job, source: int) -> int | None:
        """Skip where a copyback of the page may not go (11.13); return the open unit that is closed so.

        The unit is named by the page that would have been its next.
        """


def make(drive: Drive) -> Relocation:
    """Return the kind that the configuration names."""
    policy = drive.config.relocation
    kind = policy.choice("kind", ("controller", "copyback", "copyback-odd-even", "buffered"))
    if kind == "controller":
        return Controller(drive)
    if kind == "buffered":
        return Buffered(drive, policy)
    return Copyback(drive) if kind == "copyback" else CopybackOddEven(drive, policy)
