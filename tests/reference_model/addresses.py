"""From pages of the trace to logical pages: `trace.remap` (docs/model.md, 9.6 and 9.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.request import Request

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Addresses:
    """`none`, `wrap`, `scale` and `compact`."""

    def __init__(self, drive: Drive, requests: list[Request]) -> None:
        self.page_size = drive.geometry.page_size
        self.user_pages = drive.geometry.user_pages
        self.remap = drive.config.remap
        self.compacted: dict[int, int] = {}
        last = max((r.offset + r.size for r in requests if r.size), default=1) - 1
        self.extent = last // self.page_size + 1

    def logical(self, page: int) -> int:
        """Return the logical page of a page that is read or written."""
        if self.remap == "compact":
            number = self.compacted.setdefault(page, len(self.compacted))
        else:
            number = self._calculated(page)
        if number >= self.user_pages:
            raise ValueError(f"page {page} of the trace lies beyond the drive ({self.user_pages} pages)")
        return number

    def _calculated(self, page: int) -> int:
        if self.remap == "wrap":
            return page % self.user_pages
        if self.remap == "scale" and self.extent > self.user_pages:
            return page * self.user_pages // self.extent
        return page

    def pages(self, request: Request) -> range:
        """Return the pages of the trace that a read or write touches (9.3)."""
        return range(
            request.offset // self.page_size, (request.offset + request.size - 1) // self.page_size + 1
        )

    def covered(self, request: Request, page: int) -> int:
        """Return how many bytes of a page lie within the request (9.3)."""
        begin, end = page * self.page_size, (page + 1) * self.page_size
        return min(end, request.offset + request.size) - max(begin, request.offset)

    def trimmed(self, request: Request) -> list[int]:
        """Return the logical pages that a trim concerns (9.13)."""
        pages = range(-(-request.offset // self.page_size), (request.offset + request.size) // self.page_size)
        if self.remap == "compact":
            return [self.compacted[page] for page in pages if page in self.compacted]
        if self.remap == "wrap" and len(pages) >= self.user_pages:
            return list(range(self.user_pages))
        return [self.logical(page) for page in pages]
