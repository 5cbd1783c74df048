"""Limits of memory that this process has (`ulimit -v`, `ulimit -d`), asked before what needs more is begun.

The libraries that write tables and draw end the whole process where the system refuses them memory: nothing
can be caught then.
"""

from __future__ import annotations

import os
import resource
from typing import NamedTuple

from reclaim.errors import InputError


class Room(NamedTuple):
    """What a library takes, in bytes: a part whatever the computer, and a part for each of its processors."""

    space: int
    """Address space, most of it only reserved."""
    data: int
    space_of_processor: int = 72 << 20
    """Stack and arena of a thread."""
    data_of_processor: int = 16 << 20


TABLES = Room(space=1792 << 20, data=512 << 20)
"""Tables and reports. Measured on two processors: 1.7 GiB of address space, 0.4 GiB of data."""
PAGE = Room(space=448 << 20, data=192 << 20)
"""The page of a trace. Measured on two processors: 0.4 GiB of address space, 0.14 GiB of data."""
PICTURES = Room(space=67 << 30, data=1 << 30)
"""Figures as PNG, whose library reserves 64 GiB. Measured likewise: 65.3 GiB, and 0.8 GiB of data."""


def _lacking(room: Room) -> tuple[str, int, int] | None:
    """Give the limit that is too low, what is needed and what is allowed in bytes; None if there is room."""
    processors = os.cpu_count() or 1
    needs = (
        ("-v", resource.RLIMIT_AS, room.space + processors * room.space_of_processor),
        ("-d", resource.RLIMIT_DATA, room.data + processors * room.data_of_processor),
    )
    for option, number, needed in needs:
        allowed, _ = resource.getrlimit(number)
        if allowed != resource.RLIM_INFINITY and allowed < needed:
            return option, needed, allowed
    return None


def has(room: Room) -> bool:
    """Whether the limits of this process leave so much."""
    return _lacking(room) is None


def lacks(room: Room) -> str | None:
    """Say which limit is in the way, with what is needed and allowed; None if there is room."""
    found = _lacking(room)
    if found is None:
        return None
    option, needed, allowed = found
    return (
        f"about {needed >> 20} MiB of memory are needed, and a limit of this process allows "
        f"{allowed >> 20} MiB; raise it with ulimit {option}"
    )


def demand(room: Room, what: str) -> None:
    """Refuse what there is no room for.

    Raises:
        InputError: with what is needed and what is allowed.
    """
    reason = lacks(room)
    if reason is not None:
        raise InputError(f"{what}: {reason}")
