"""The part of the mapping that is in memory: `ftl.mapping_cache` (docs/model.md, 4.49 to 4.53)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.mapping import TranslationSlot
from reference_model.operations import TranslationRead
from reference_model.request import PagePart, Request

if TYPE_CHECKING:
    from reference_model.booking import Times
    from reference_model.drive import Drive
    from reference_model.geometry import TranslationPages


class Reading:
    """A translation page that is being read."""

    def __init__(self, began: int) -> None:
        self.began = began
        self.waiting: list[PagePart] = []
        self.is_written_then = False


class MappingCache:
    """Which entries are in memory, and what waits for others."""

    def __init__(self, drive: Drive, pages: TranslationPages) -> None:
        self.drive = drive
        self.pages = pages
        table = drive.config.mapping_cache
        size = table.size("size", "1MiB")
        self.whole = pages.kind == "pages"
        self.capacity = size // (drive.geometry.page_size if self.whole else 2 * pages.entry)
        if self.capacity == 0:
            raise ValueError("ftl.mapping_cache.size holds nothing")
        self.units: list[int] = []  # the least recently used one first
        self.changed: set[int] = set()
        self.outdated: list[int] = []
        self.reading: dict[int, Reading] = {}

    def _unit(self, logical: int) -> int:
        """4.50."""
        return logical // self.pages.entries if self.whole else logical

    def _page_of_unit(self, unit: int) -> int:
        return unit if self.whole else unit // self.pages.entries

    def _is_written(self, t: int) -> None:
        """4.50: what memory knows of a translation page is written."""
        self.changed -= {unit for unit in self.changed if self._page_of_unit(unit) == t}

    def look_up(self, logical: int, *, writes: bool) -> tuple[bool, int | None]:
        """4.50: whether it is a miss, and the translation page that is written back."""
        counters = self.drive.counters.mapping_cache
        counters.mapping_look_ups += 1
        unit, leaving = self._unit(logical), None
        misses = unit not in self.units
        if misses:
            counters.mapping_misses += 1
            if len(self.units) == self.capacity:
                gone = self.units.pop(0)
                if gone in self.changed:
                    leaving = self._page_of_unit(gone)
                    self._is_written(leaving)
        else:
            self.units.remove(unit)
        self.units.append(unit)
        if writes:
            self.changed.add(unit)
        return misses, leaving

    def entry_changes(self, logical: int) -> None:
        """4.51."""
        if self.pages.has(logical):
            return
        unit, t = self._unit(logical), logical // self.pages.entries
        if unit in self.units:
            self.changed.add(unit)
        elif t not in self.outdated:
            self.outdated.append(t)

    def _take_outdated(self) -> list[int]:
        taken, self.outdated = self.outdated, []
        for t in taken:
            self._is_written(t)
        return taken

    # With time

    def take(self, part: PagePart) -> None:
        """4.52: look a page of a request up."""
        outdated = self._take_outdated()
        misses, leaving = self.look_up(part.logical, writes=part.request.op == "write")
        t = part.logical // self.pages.entries
        if t in self.reading or (misses and self._begin_reading(t)):
            part.since = self.drive.events.now
            self.reading[t].waiting.append(part)
        else:
            self._go_on(part)
        for page in outdated:
            self._renew(page)
        if leaving is not None and self.whole:
            self._write(leaving)
        elif leaving is not None:
            self._renew(leaving)

    def _go_on(self, part: PagePart) -> None:
        """9.5."""
        if self.drive.blocked.concerns(part):
            self.drive.blocked.add(part)
        else:
            self.drive.requests.handle_page(part)

    def _in_flash(self, t: int) -> int | None:
        """Return where a translation page is, if it must be read from there, which counts."""
        page = self.drive.mapping.flash_copy(self.pages.logical(t))
        self.drive.counters.mapping_cache.translation_reads += page is not None
        return page

    def _begin_reading(self, t: int) -> bool:
        page = self._in_flash(t)
        if page is None:
            return False
        drive, logical = self.drive, self.pages.logical(t)
        self.reading[t] = Reading(drive.events.now)
        self.route(PagePart(Request.of_nobody(), logical, drive.geometry.page_size, partial=False))
        return True

    def route(self, part: PagePart) -> None:
        """4.52, 9.7: the read of a translation page is for where that is now."""
        page, drive = self.drive.mapping.flash_copy(part.logical), self.drive
        if page is None:
            self.is_read(part)
        else:
            drive.dies.queue(TranslationRead(drive.geometry.plane_of_page(page), page, part, rest=False))

    def _renew(self, t: int) -> None:
        """4.52."""
        if t in self.reading or self._begin_reading(t):
            self.reading[t].is_written_then = True
        else:
            self._write(t)

    def is_read(self, part: PagePart) -> None:
        """4.52."""
        now = self.drive.events.now
        t = self.pages.number(part.logical)
        reading = self.reading.pop(t)
        for waiting in reading.waiting:
            self._book(waiting.times, now - waiting.since, part.times, now - reading.began)
            self._go_on(waiting)
        if reading.is_written_then:
            self._write(t)

    def _book(self, times: Times, waited: int, of_read: Times, took: int) -> None:
        if waited == took:
            times.add(of_read)
        else:
            times.queue += waited

    def _write(self, t: int) -> None:
        """4.52."""
        drive, logical = self.drive, self.pages.logical(t)
        slot = TranslationSlot(logical)
        old, drive.mapping.where[logical] = drive.mapping.where.get(logical), slot
        drive.versions.accepted(slot)
        if isinstance(old, int):
            drive.space.invalidate(old)
        part = PagePart(Request.of_nobody(), logical, drive.geometry.page_size, partial=False)
        part.slot = slot
        drive.buffer.place(part)

    # Without time

    def look_up_now(self, logical: int) -> None:
        """4.53."""
        for t in self._take_outdated():
            self._in_flash(t)
            self._write_now(t)
        misses, leaving = self.look_up(logical, writes=True)
        if leaving is not None:
            if not self.whole:
                self._in_flash(leaving)
            self._write_now(leaving)
        if misses:
            self._in_flash(logical // self.pages.entries)

    def _write_now(self, t: int) -> None:
        self.drive.warm_up.write_page(self.pages.logical(t))


def make(drive: Drive) -> MappingCache | None:
    """4.49: return what the configuration names; none where all of the mapping is in memory."""
    pages = drive.geometry.translation
    return None if pages is None else MappingCache(drive, pages)
