"""Flushes and their epochs (docs/model.md, 9.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.request import Epoch, Request

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Flushes:
    """The list of epochs."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive
        self.epochs = [Epoch()]

    def write_arrives(self, request: Request) -> None:
        """Count it in the youngest epoch."""
        request.epoch = self.epochs[-1]
        request.epoch.writes += 1

    def write_is_done(self, request: Request) -> None:
        """Count it out."""
        assert request.epoch is not None
        request.epoch.writes -= 1

    def must_wait(self, flush: Request) -> bool:
        """End the last epoch with a submitted flush, if there is anything to wait for."""
        if all(epoch.writes == 0 for epoch in self.epochs):
            return False
        self.epochs[-1].flush = flush
        self.epochs.append(Epoch())
        return True

    def answer_due(self) -> None:
        """Answer flushes whose epoch, and all before it, have no write left."""
        while self.epochs[0].flush is not None and self.epochs[0].writes == 0:
            flush = self.epochs.pop(0).flush
            assert flush is not None
            self.drive.requests.answer(flush)
