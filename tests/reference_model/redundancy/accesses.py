"""Who holds a stripe, and what it queues at dies (docs/model.md, 16.5 to 16.16)."""

from __future__ import annotations

from dataclasses import dataclass, field

from reference_model.booking import Holds, Times
from reference_model.mapping import StripeSlot
from reference_model.operations import HostRead, HostWrite
from reference_model.request import PagePart, Request


@dataclass(eq=False)
class Access:
    """What one holder of a stripe does with it."""

    request: Request
    stripe: int
    times: Times = field(init=False, default_factory=Times)  # its account (16.14)
    release: int = field(init=False, default=0)  # when its reads will be over, as estimated (17.3)
    since: int = field(init=False, default=0)  # when it began to wait where it waits
    reads_left: int = field(init=False, default=0)
    # 15.7b: of what it waits for, when it began to; since when it has pages of the buffer, and its stripe.
    holds_before: Holds = field(init=False, default_factory=Holds)
    in_buffer_at: int = field(init=False, default=0)
    gc_in_buffer: int = field(init=False, default=0)
    holder_at: int = field(init=False, default=0)
    gc_as_holder: int = field(init=False, default=0)
    holds_of_others: Holds = field(init=False, default_factory=Holds)  # those of the stripe before it


@dataclass(eq=False)
class StripeWrite(Access):
    """The pages of one stripe that a request writes one after the other (16.5)."""

    parts: list[PagePart]
    slots: list[StripeSlot] = field(init=False, default_factory=list)  # in the order of 16.11
    programs_left: int = field(init=False, default=0)

    @property
    def pages(self) -> list[int]:
        """The data pages it writes, in ascending order."""
        return [part.logical for part in self.parts]


@dataclass(eq=False)
class TrimInPart(Access):
    """Pages that are trimmed while others of their stripe stay (16.13)."""

    pages: list[int]
    parts: list[PagePart] = field(init=False, default_factory=list)  # none
    slots: list[StripeSlot] = field(init=False, default_factory=list)  # that of the parity
    programs_left: int = field(init=False, default=0)
    writes_parity: bool = field(init=False, default=False)


@dataclass(eq=False)
class DegradedRead(Access):
    """A page that is computed from the others of its stripe (16.16)."""

    part: PagePart


@dataclass(eq=False)
class Restore(Access):
    """A page of a lost chip that is rebuilt (18.5)."""

    logical: int
    parts: list[PagePart] = field(init=False, default_factory=list)  # none
    slots: list[StripeSlot] = field(init=False, default_factory=list)
    programs_left: int = field(init=False, default=0)


@dataclass(eq=False)
class StripeRead(HostRead):
    """A whole page, read for a holder (16.8)."""

    access: Access


@dataclass(eq=False)
class StripeProgram(HostWrite):
    """A whole page of a stripe write, or its parity (16.11)."""

    slot: StripeSlot
    access: StripeWrite | TrimInPart | Restore
