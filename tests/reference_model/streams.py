"""What is counted by stream (docs/model.md, 14.15)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reference_model.drive import Drive
    from reference_model.request import Request


@dataclass
class StreamCounters:
    """14.15."""

    host_bytes: int = 0
    host_programs: int = 0
    relocated_pages: int = 0


class Streams:
    """Of which stream every page is."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.current = 0  # of the request whose pages are written
        self.begins = 0  # 4.37d: pages of a request of which none was heard of yet
        self.of_page: dict[int, int] = {}

    def write(self, request: Request) -> None:
        """4.35, 4.37d: a page of a request is written next."""
        self.current = request.stream
        self.begins = 0 if request.told else len(self.drive.addresses.pages(request))
        request.told = True

    def written(self, logical: int) -> None:
        """A write is heard of (4.35)."""
        if not self.drive.space.is_parity(logical):
            self.of_page[logical] = self.current

    def host_bytes(self, count: int) -> None:
        """14.15."""
        self.drive.counters.streams[self.current].host_bytes += count

    def host_program(self, logical: int) -> None:
        """4.9."""
        self._of(logical).host_programs += 1

    def relocation(self, logical: int) -> None:
        """4.10."""
        pages = self.drive.geometry.translation
        if not self.drive.space.is_parity(logical) and (pages is None or not pages.has(logical)):
            self._of(logical).relocated_pages += 1

    def results(self) -> list[dict[str, Any]]:
        """Those of which there is anything, in ascending order."""
        drive = self.drive
        valid: dict[int, int] = {}
        pages = drive.geometry.translation
        for logical in drive.mapping.where:
            if pages is not None and pages.has(logical):
                continue
            if not drive.space.is_parity(logical) and drive.mapping.flash_copy(logical) is not None:
                stream = self.of_page.get(logical, 0)
                valid[stream] = valid.get(stream, 0) + 1
        size, found = drive.geometry.page_size, []
        for stream in range(256):
            counters = drive.counters.streams[stream]
            if not (any(asdict(counters).values()) or valid.get(stream)):
                continue
            found.append(
                {
                    "stream": stream,
                    "host_bytes": counters.host_bytes,
                    "nand_bytes": size * (counters.host_programs + counters.relocated_pages),
                    "relocated_bytes": size * counters.relocated_pages,
                    "valid_pages": valid.get(stream, 0),
                }
            )
        return found

    def _of(self, logical: int) -> StreamCounters:
        return self.drive.counters.streams[self.of_page.get(logical, 0)]
