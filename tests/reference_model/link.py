"""The link to the host (docs/model.md, section 10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from reference_model.configuration import Table
from reference_model.events import Kind
from reference_model.request import Request

if TYPE_CHECKING:
    from reference_model.drive import Drive

Action = Callable[[], None]


class Way(IntEnum):
    """The two directions."""

    DOWN = 0
    UP = 1


@dataclass
class Message:
    """So many bytes, and what their arrival does."""

    size: int
    action: Action


def nothing() -> None:
    """Arrivals of read data and acknowledgements do nothing (10.4)."""


class Link:
    """`host.link`."""

    def __init__(self, drive: Drive, table: Table) -> None:
        self.drive = drive
        self.lanes = table.whole("lanes", 4)
        self.lane_rate = table.rate("lane_rate", "1 GT/s")
        self.max_payload = table.size("max_payload", "128B")
        self.packet_overhead = table.size("packet_overhead", "28B")
        self.doorbell = table.size("doorbell", "4B")
        self.submission_entry = table.size("submission_entry", "64B")
        self.completion_entry = table.size("completion_entry", "16B")
        self.waiting: dict[Way, list[Message]] = {way: [] for way in Way}
        self.under_way: dict[Way, Message | None] = dict.fromkeys(Way)

    def message_time(self, size: int) -> int:
        """10.1."""
        with_overhead = size + -(-size // self.max_payload) * self.packet_overhead
        per_lane = -(-with_overhead // self.lanes)
        return -(-per_lane * 10**9 // self.lane_rate)

    def _send(self, way: Way, size: int, action: Action) -> None:
        self.waiting[way].append(Message(size, action))
        if self.under_way[way] is None:
            self._begin_next(way)

    def _begin_next(self, way: Way) -> None:
        if not self.waiting[way]:
            return
        self.under_way[way] = message = self.waiting[way].pop(0)
        self.drive.events.schedule(self.drive.events.now + self.message_time(message.size), Kind.LINK, way)

    def arrives(self, index: int) -> None:
        """10.3: handle a link event."""
        way = Way(index)
        message = self.under_way[way]
        assert message is not None
        self.under_way[way] = None
        self._begin_next(way)
        message.action()

    def ring_doorbell(self, request: Request) -> None:
        """10.2: begin the messages of a request."""
        messages = [
            (Way.DOWN, self.doorbell),
            (Way.UP, self.doorbell),  # fetch of the entry
            (Way.DOWN, self.submission_entry),
        ]
        if request.op == "write":
            messages += [(Way.UP, self.doorbell), (Way.DOWN, request.size)]
        self._send_in_turn(request, messages)

    def _send_in_turn(self, request: Request, messages: list[tuple[Way, int]]) -> None:
        if not messages:
            self.drive.requests.submit(request)
            return
        (way, size), *rest = messages
        self._send(way, size, lambda: self._send_in_turn(request, rest))

    def answer(self, request: Request) -> None:
        """10.4."""
        if request.op == "read":
            self._send(Way.UP, request.size, nothing)
        self._send(Way.UP, self.completion_entry, lambda: self._completed(request))

    def _completed(self, request: Request) -> None:
        self._send(Way.DOWN, self.doorbell, nothing)
        self.drive.requests.complete(request)
