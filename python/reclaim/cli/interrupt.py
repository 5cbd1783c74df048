"""A request to end is answered like Ctrl-C: what is done is kept, and a line says how far it came."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


def _stop(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt


@contextmanager
def stopped_by_termination() -> Iterator[None]:
    """Take SIGTERM, which batch systems send before they kill, for Ctrl-C."""
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
