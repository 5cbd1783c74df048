"""Which page belongs to which stripe, and where it goes (docs/model.md, 16.1 to 16.4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reference_model.configuration import Table

if TYPE_CHECKING:
    from reference_model.geometry import Geometry


class Layout:
    """The stripes of `raid5`."""

    def __init__(self, policy: Table, geometry: Geometry, pages: int, *, data_only: bool) -> None:
        """Lay out so many pages: those of the host alone, or with their parity (16.1)."""
        chips = geometry.channels * geometry.chips
        self.stripe_chips = policy.whole("stripe_chips")
        if self.stripe_chips < 2 or chips % self.stripe_chips:
            raise ValueError(f"redundancy.stripe_chips = {self.stripe_chips} does not divide {chips} chips")
        self.data_pages = self.stripe_chips - 1
        self.planes_of_chip = geometry.planes // chips
        self.sets = chips // self.stripe_chips
        rows = pages // (self.sets * (self.data_pages if data_only else self.stripe_chips))
        if rows == 0:
            raise ValueError("redundancy: the user capacity is less than a stripe of each parity set")
        self.stripes = rows * self.sets
        self.user_pages = self.stripes * self.data_pages
        self.stored_pages = self.stripes * self.stripe_chips
        self.unreadable_chip = policy.whole("unreadable_chip") if policy.has("unreadable_chip") else None
        if self.unreadable_chip is not None and not 0 <= self.unreadable_chip < chips:
            raise ValueError(f"redundancy.unreadable_chip = {self.unreadable_chip} is none of {chips} chips")
        self.rebuild_chip = policy.whole("rebuild_chip") if policy.has("rebuild_chip") else None
        if self.rebuild_chip is not None and not 0 <= self.rebuild_chip < chips:
            raise ValueError(f"redundancy.rebuild_chip = {self.rebuild_chip} is none of {chips} chips")
        self.host_first = (
            policy.choice("rebuild_order", ("host-first", "rebuild-first"), "host-first") == "host-first"
        )
        self.rebuild_stripes = policy.whole("rebuild_stripes", 4)
        self.read_around = policy.switch("read_around", False)
        self.xor = policy.time("xor", "0ns")
        self.own_blocks = policy.choice("parity_blocks", ("shared", "own"), "shared") == "own"

    def is_parity(self, logical: int) -> bool:
        """Whether a logical page is none of the host's (16.2)."""
        return logical >= self.user_pages

    def stripe(self, logical: int) -> int:
        """16.2."""
        return logical - self.user_pages if self.is_parity(logical) else logical // self.data_pages

    def data(self, stripe: int) -> range:
        """Return the data pages of a stripe."""
        return range(stripe * self.data_pages, (stripe + 1) * self.data_pages)

    def parity(self, stripe: int) -> int:
        """Return the parity page of a stripe."""
        return self.user_pages + stripe

    def pages(self, stripe: int) -> list[int]:
        """Return all pages of a stripe, in ascending order."""
        return [*self.data(stripe), self.parity(stripe)]

    def home(self, logical: int) -> int:
        """16.2: the plane of a page."""
        stripe = self.stripe(logical)
        parity_set, row = stripe % self.sets, stripe // self.sets
        turn, plane = divmod(row, self.planes_of_chip)
        position = self.stripe_chips - 1 - turn % self.stripe_chips
        if not self.is_parity(logical):
            number = logical % self.data_pages
            position = number if number < position else number + 1
        return (parity_set * self.stripe_chips + position) * self.planes_of_chip + plane

    def chip(self, plane: int) -> int:
        """Return the chip of a plane."""
        return plane // self.planes_of_chip

    def runs(self, logicals: Iterable[int]) -> list[list[int]]:
        """16.5: return the pages of a write by stripe writes."""
        runs: list[list[int]] = []
        for logical in logicals:
            last = runs[-1][-1] if runs else None
            if last is not None and self.stripe(last) == self.stripe(logical) and logical > last:
                runs[-1].append(logical)
            else:
                runs.append([logical])
        return runs
