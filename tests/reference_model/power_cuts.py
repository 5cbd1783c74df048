"""What a power cut would destroy (docs/model.md, 8.9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reference_model.dies import Group, Phase
from reference_model.operations import Erase
from reference_model.randomness import Stream

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.mapping import Slot
    from reference_model.redundancy.raid5 import Raid5


@dataclass
class PowerCutCounters:
    """14.6."""

    cuts: int = 0
    losing_cuts: int = 0
    collector_pages: int = 0
    max_collector_pages: int = 0
    replaced_pages: int = 0
    max_replaced_pages: int = 0
    torn_stripes: int = 0
    max_torn_stripes: int = 0
    revived_pages: int = 0


class Versions:
    """Which version of a logical page is where."""

    def __init__(self) -> None:
        self.newest: dict[int, int] = {}
        self.trimmed_at: dict[int, int] = {}
        self.acknowledged: dict[int, int] = {}
        self.in_slot: dict[Slot, int] = {}
        self.lifted: set[Slot] = set()
        self.in_flash: dict[int, tuple[int, int]] = {}
        """The logical page and its version, of each page of flash that holds data."""
        self.named: dict[tuple[int, int], list[int]] = {}
        """8.9a: the versions that a version of a page of parity names."""

    def _next(self, logical: int) -> int:
        self.newest[logical] = self.newest.get(logical, 0) + 1
        return self.newest[logical]

    def accepted(self, slot: Slot) -> None:
        """The host writes a page."""
        self.in_slot[slot] = self._next(slot.logical)

    def written(self, logical: int, page: int) -> None:
        """7.1: a write of the warm-up."""
        self.in_flash[page] = logical, self._next(logical)
        self.acknowledged[logical] = self.newest[logical]

    def was_lifted(self, slot: Slot, page: int) -> None:
        """A valid page is in the buffer of the collector now."""
        self.in_slot[slot] = self.in_flash[page][1]
        self.lifted.add(slot)

    def absorbed(self, slot: Slot) -> None:
        """13.34: the host writes a page in the buffer of the collector, and that is as good as programmed."""
        self.accepted(slot)
        self.acknowledged[slot.logical] = self.newest[slot.logical]

    def programmed(self, slot: Slot, page: int) -> None:
        """The program of a slot has ended."""
        self.landed(slot, page)
        self.committed(slot)

    def landed(self, slot: Slot, page: int) -> None:
        """The same, of a page of a stripe: it counts only with all the others (16.12)."""
        self.in_flash[page] = slot.logical, self.in_slot[slot]

    def committed(self, slot: Slot) -> None:
        """The write is acknowledged."""
        logical, version = slot.logical, self.in_slot[slot]
        if version > self.trimmed_at.get(logical, 0):
            self.acknowledged[logical] = max(version, self.acknowledged.get(logical, 0))

    def copied(self, source: int, target: int) -> None:
        """A move has ended."""
        if source in self.in_flash:
            self.in_flash[target] = self.in_flash[source]

    def trimmed(self, logical: int) -> None:
        """Whatever was written of it before need not be kept."""
        self.trimmed_at[logical] = self._next(logical)
        self.acknowledged.pop(logical, None)

    def erased(self, pages: range) -> None:
        """A block has lost its data."""
        for page in pages:
            self.in_flash.pop(page, None)


class PowerCuts:
    """The instants of the cuts, and what is lost at each."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.every = drive.config.measure.whole("power_cut_every", 0)
        self.stream = Stream(drive.config.seed, "power cuts")
        self.events = 0
        self.next = self._ahead() if self.every else 0
        self.counters = PowerCutCounters()

    def _ahead(self) -> int:
        return 1 + self.stream.below(2 * self.every - 1)

    def event_handled(self) -> None:
        """After each event, when the triggers have been run."""
        self.events += 1
        if self.events == self.next:
            self.next += self._ahead()
            if self.drive.measuring.began is not None:
                self._cut()

    def _cut(self) -> None:
        mapping, versions, found = self.drive.mapping, self.drive.versions, self.counters
        gone = set(self._erasing())
        left = [held for page, held in versions.in_flash.items() if page not in gone] if gone else None
        # Of each logical page the newest version, which is sorted last.
        kept = dict(sorted(versions.in_flash.values() if left is None else left))
        lost = [
            logical for logical, version in versions.acknowledged.items() if kept.get(logical, 0) < version
        ]
        slots = [mapping.where[logical] for logical in lost]
        lifted = sum(slot in versions.lifted for slot in slots)
        found.cuts += 1
        found.losing_cuts += bool(lost)
        found.collector_pages += lifted
        found.max_collector_pages = max(found.max_collector_pages, lifted)
        found.replaced_pages += len(lost) - lifted
        found.max_replaced_pages = max(found.max_replaced_pages, len(lost) - lifted)
        if self.drive.raid is not None:
            self._recover(self.drive.raid, {page for page in versions.in_flash if page not in gone})

    def _recover(self, raid: Raid5, pages: set[int]) -> None:
        """8.9a."""
        versions, layout, found = self.drive.versions, raid.layout, self.counters
        surviving = {versions.in_flash[page] for page in pages}
        parities: dict[int, list[int]] = {}
        for logical, version in surviving:
            if layout.is_parity(logical):
                parities.setdefault(logical, []).append(version)
        for stripe in range(layout.stripes):
            data, parity = list(layout.data(stripe)), layout.parity(stripe)
            state = [0] * len(data)
            for version in sorted(parities.get(parity, []), reverse=True):
                named = versions.named[parity, version]
                if all(v == 0 or (p, v) in surviving for p, v in zip(data, named, strict=True)):
                    state = named
                    break
            for page, version in zip(data, state, strict=True):
                acknowledged = versions.acknowledged.get(page, 0)
                assert acknowledged in (0, version), "an acknowledged page of a stripe is lost"
                found.revived_pages += version > 0 and acknowledged == 0
        writes = {program.access for program in raid.programs}
        torn = sum(0 < write.programs_left < len(write.slots) for write in writes)
        found.torn_stripes += torn
        found.max_torn_stripes = max(found.max_torn_stripes, torn)

    def _erasing(self) -> Iterator[int]:
        """Pages of the blocks that are being erased, or whose erase is set aside."""
        for die in self.drive.dies.all:
            groups: list[Group | None] = [die.aside.group if die.aside is not None else None]
            if die.phase is Phase.ARRAY:
                groups.append(die.group)
            for group in groups:
                for operation in group.operations if group is not None else ():
                    if isinstance(operation, Erase):
                        yield from self.drive.geometry.pages_of(operation.job.block.number)
