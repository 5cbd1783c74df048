"""How valid pages are relocated: `gc.relocation` (docs/model.md, 13.3 and 13.8 to 13.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reference_model.job import Answer, Job, Step
from reference_model.program_units import Skipped
from reference_model.relocation.buffered import Buffered
from reference_model.relocation.by_parity import Pcgc
from reference_model.relocation.controller import Controller
from reference_model.relocation.copyback import Copyback
from reference_model.relocation.copyback_odd_even import CopybackOddEven
from reference_model.relocation.coupled import Coupled
from reference_model.request import Request
from reference_model.space import Block

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

    def copied(self, source: int, target: int) -> None:
        """Hear of a copyback that is committed (13.19)."""

    def erased(self, block: Block) -> None:
        """Hear of an erase (13.19, 13.27)."""

    def foresee(self, requests: list[Request]) -> None:
        """Hear of the requests of a play when replays begin, or warm-up without them has ended (13.29a)."""

    def request(self, *, writes: bool) -> None:
        """Hear of a request that reads or writes (13.26)."""

    def written(self, logical: int, *, update: bool) -> None:
        """Hear of a page that the host writes, and whether it was not nowhere (13.26, 13.27)."""

    def trimmed(self, logical: int) -> None:
        """Hear of a page that was trimmed (13.27)."""

    def lent(self, logical: int, block: Block) -> None:
        """Hear of a page that has left a sealed block (13.27)."""


def make(drive: Drive) -> Relocation:
    """Return the kind that the configuration names."""
    policy = drive.config.relocation
    kind = policy.choice(
        "kind", ("controller", "copyback", "copyback-odd-even", "pcgc", "coupled", "buffered")
    )
    if kind == "controller":
        return Controller(drive)
    if kind == "buffered":
        return Buffered(drive, policy)
    if kind == "pcgc":
        return Pcgc(drive, policy)
    if kind == "coupled":
        return Coupled(drive, policy)
    return Copyback(drive, policy) if kind == "copyback" else CopybackOddEven(drive, policy)
