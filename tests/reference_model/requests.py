"""Requests: submission, reads, completion (docs/model.md, sections 9.1 to 9.7, 9.13 to 9.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.booking import Times
from reference_model.operations import HostRead, TranslationRead
from reference_model.outcome import RequestOutcome
from reference_model.request import PagePart, Request

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Requests:
    """The way of requests through the drive."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.outstanding = 0
        self.most_outstanding = 0
        self.rows: list[RequestOutcome] = []

    def take(self, request: Request) -> None:
        """9.1."""
        request.counts = self.drive.measuring.counts_next()
        request.told = False
        self.outstanding += 1
        self.most_outstanding = max(self.most_outstanding, self.outstanding)
        request.arrival = self.drive.events.now
        if request.op == "write":
            self.drive.flushes.write_arrives(request)
        if self.drive.link is None:
            self.submit(request)
        else:
            self.drive.link.ring_doorbell(request)

    def submit(self, request: Request) -> None:
        """9.2."""
        request.submitted = self.drive.events.now
        self.drive.delays.cores.begin(lambda: self._look_up(request))

    def _look_up(self, request: Request) -> None:
        """9.2, after the cores."""
        delays, at_cores = self.drive.delays, self.drive.events.now - request.submitted

        def follows() -> None:
            delays.at_cores = at_cores
            self._handle(request, delays.looked_up())

        if request.op == "flush":
            self._handle(request, Times())
        else:
            delays.lookup.begin(follows)

    def _handle(self, request: Request, times: Times) -> None:
        """9.2, after the lookup."""
        request.parts = 1
        if request.op in ("read", "write"):
            self.drive.jobs.relocation.request(writes=request.op == "write")
        match request.op:
            case "read" | "write":
                self._split(request)
            case "trim":
                self.trim(request)
            case "flush":
                if self.drive.flushes.must_wait(request):
                    return
        self.release_part(request, times)

    def _split(self, request: Request) -> None:
        """9.3 to 9.5, 4.52, 16.5."""
        drive, addresses = self.drive, self.drive.addresses
        pages = addresses.pages(request)
        request.parts += len(pages)
        gathers = len(pages) > 1 or drive.space.pages_on_arrival or drive.raid is not None
        of_stripes: list[PagePart] = []
        if gathers:
            # 9.4.
            drive.dies.begin_gathering()
        for page in pages:
            covered = addresses.covered(request, page)
            partial = covered < drive.geometry.page_size
            part = PagePart(request, addresses.logical(page), covered, partial, drive.delays.looked_up())
            if drive.raid is not None and request.op == "write":
                of_stripes.append(part)
            elif drive.mapping_cache is not None:
                drive.mapping_cache.take(part)
            elif drive.blocked.concerns(part):
                drive.blocked.add(part)
            else:
                self.handle_page(part)
        if drive.raid is not None:
            drive.raid.write(request, of_stripes)
        if gathers:
            drive.dies.end_gathering()

    def trim(self, request: Request) -> None:
        """9.13; with stripes one by one (16.13)."""
        logicals = self.drive.addresses.trimmed(request)
        if self.drive.raid is not None:
            self.drive.raid.trim(request, logicals)
        else:
            for logical in logicals:
                self.drive.mapping.trim(logical)

    def handle_page(self, part: PagePart) -> None:
        """9.5: read a page, or offer it to the write buffer."""
        if part.request.op == "read":
            self.route(part, rest=False)
        else:
            self.drive.buffer.offer(part)

    def route(self, part: PagePart, *, rest: bool) -> None:
        """9.7."""
        drive = self.drive
        page = drive.mapping.flash_copy(part.logical)
        is_lost = part.logical in drive.mapping.lost
        if drive.raid is not None and (is_lost or (page is not None and drive.raid.is_made_up(part.logical))):
            drive.raid.read_degraded(part)
        elif page is not None:
            drive.dies.queue(HostRead(drive.geometry.plane_of_page(page), page, part, rest))
        elif rest:
            drive.buffer.rest_is_read(part)
        else:
            if drive.mapping.is_buffered(part.logical):
                drive.counters.flash.buffer_hits += 1
            else:
                drive.counters.flash.unmapped_reads += 1
            self.release_part(part.request, part.times)

    def read_has_arrived(self, read: HostRead) -> None:
        """9.18, 9.9, 4.52."""
        if isinstance(read, TranslationRead):
            assert self.drive.mapping_cache is not None
            self.drive.mapping_cache.is_read(read.part)
        elif read.rest:
            self.drive.buffer.rest_is_read(read.part)
        else:
            self.page_is_read(read.part)

    def page_is_read(self, part: PagePart) -> None:
        """9.18, 9.21."""
        self.drive.counters.flash.host_reads += 1
        self.drive.passages.pass_read(part)

    def release_part(self, request: Request, times: Times) -> None:
        """9.16."""
        request.parts -= 1
        if request.parts > 0:
            return
        request.times = times
        if request.op == "write":
            self.drive.flushes.write_is_done(request)
        self.answer(request)
        self.drive.flushes.answer_due()

    def answer(self, request: Request) -> None:
        """9.17."""
        request.answered = self.drive.events.now
        if self.drive.link is None:
            self.complete(request)
        else:
            self.drive.link.answer(request)

    def complete(self, request: Request) -> None:
        """9.17."""
        self.outstanding -= 1
        self._complete(request)
        self.drive.activity.windows.request_completed(self.drive)

    def _complete(self, request: Request) -> None:
        """15.9."""
        now, times = self.drive.events.now, request.times
        if not request.counts:
            return
        if self.drive.raid is not None and self.drive.raid.rebuild is not None:
            self.drive.raid.rebuild.answered(request)
        on_link = (request.submitted - request.arrival) + (now - request.answered)
        self.rows.append(
            RequestOutcome(
                arrival_ns=request.arrival,
                completion_ns=now,
                op=request.op,
                offset_bytes=request.offset,
                size_bytes=request.size,
                queue_ns=times.queue,
                gc_ns=times.gc,
                transfer_ns=times.transfer,
                array_ns=times.array,
                link_ns=on_link,
                stream=request.stream,
            )
        )
