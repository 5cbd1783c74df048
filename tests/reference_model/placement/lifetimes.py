"""How long data lives: as what it replaces did, or as the trace has it (docs/model.md, 4.32, 4.33)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.addresses import Addresses
from reference_model.request import Request

if TYPE_CHECKING:
    from reference_model.drive import Drive

WRAP = 2**32


class ByHistory:
    """`level-by-history`."""

    def __init__(self) -> None:
        self.now = 0
        self.since: dict[int, int] = {}
        self.lived: dict[int, int] = {}

    def written(self, logical: int) -> None:
        """4.32."""
        self.now = self.now + 1 if self.now < WRAP - 1 else 1
        self.trimmed(logical)
        self.since[logical] = self.now

    def trimmed(self, logical: int) -> None:
        """4.32: its data ends."""
        if logical in self.since:
            self.lived[logical] = max(1, (self.now - self.since.pop(logical)) % WRAP)

    def begin(self, requests: list[Request]) -> None:
        """Nobody knows what comes."""

    def of(self, logical: int) -> int | None:
        """4.32."""
        return self.lived.get(logical)


class ByFuture:
    """`level-by-future`."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.ends: dict[int, list[int]] | None = None
        self.writes = 0
        self.now = 0

    def begin(self, requests: list[Request]) -> None:
        """4.33: look the requests through."""
        addresses = Addresses(self.drive, requests)
        self.ends, self.writes, self.now = {}, 0, 0
        for request in requests:
            if request.op == "trim":
                for logical in addresses.trimmed(request):
                    if logical in self.ends:
                        self.ends[logical].append(self.writes)
            elif request.op in ("read", "write"):
                for page in addresses.pages(request):
                    logical = addresses.logical(page)
                    if request.op == "write":
                        self.ends.setdefault(logical, []).append(self.writes)
                        self.writes += 1

    def written(self, logical: int) -> None:  # noqa: ARG002
        """4.33."""
        if self.ends is not None:
            self.now += 1
            if self.now >= self.writes:
                self.now = 0

    def trimmed(self, logical: int) -> None:
        """It was foreseen."""

    def of(self, logical: int) -> int | None:
        """4.33."""
        ends = (self.ends or {}).get(logical)
        if ends is None:
            return None
        later = [end for end in ends if end >= self.now]
        if later:
            return later[0] - self.now + 1
        return ends[0] + self.writes - self.now + 1
