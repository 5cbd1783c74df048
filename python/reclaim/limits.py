"""Limits that this process has (`ulimit -v`, `-d`, `-n`), asked before what needs more is begun.

The libraries that write tables and draw end the whole process where the system refuses them memory or a
file: nothing can be caught then.
"""

from __future__ import annotations

import os
import resource
from typing import NamedTuple

from reclaim.errors import InputError


class Memory(NamedTuple):
    """What a library takes, in bytes: a part whatever the computer, and a part for each of its processors."""

    space: int
    """Address space, most of it only reserved."""
    data: int
    space_of_processor: int = 72 << 20
    """Stack and arena of a thread."""
    data_of_processor: int = 16 << 20


OPEN_FILES = 64
"""Files a process must be allowed to open: libraries that draw and store panic where one is refused."""
TABLES = Memory(space=1792 << 20, data=512 << 20)
"""Tables and reports. Measured on two processors: 1.7 GiB of address space, 0.4 GiB of data."""
PAGE = Memory(space=448 << 20, data=192 << 20)
"""The page of a trace. Measured on two processors: 0.4 GiB of address space, 0.14 GiB of data."""
PICTURES = Memory(space=67 << 30, data=1 << 30)
"""Figures as PNG, whose library reserves 64 GiB. Measured likewise: 65.3 GiB, and 0.8 GiB of data."""


def _lacking(memory: Memory) -> tuple[str, int, int] | None:
    """Give the limit that is too low, what is needed and what is allowed in bytes; None if there is room."""
    processors = os.cpu_count() or 1
    needs = (
        ("-v", resource.RLIMIT_AS, memory.space + processors * memory.space_of_processor),
        ("-d", resource.RLIMIT_DATA, memory.data + processors * memory.data_of_processor),
    )
    for option, number, needed in needs:
        allowed, _ = resource.getrlimit(number)
        if allowed != resource.RLIM_INFINITY and allowed < needed:
            return option, needed, allowed
    return None


def has(memory: Memory) -> bool:
    """Whether the limits of this process leave so much."""
    return _lacking(memory) is None


def lacks(memory: Memory) -> str | None:
    """Say which limit is in the way, with what is needed and allowed; None if there is room."""
    found = _lacking(memory)
    if found is None:
        return None
    option, needed, allowed = found
    return (
        f"about {needed >> 20} MiB of memory are needed, and a limit of this process allows "
        f"{allowed >> 20} MiB; raise it with ulimit {option}"
    )


def check_open_files(what: str) -> None:
    """Refuse what opens many files where this process may open too few.

    Raises:
        InputError: with how many there must be.
    """
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < OPEN_FILES:
        limit = f"this process may open only {allowed} files at once, and {OPEN_FILES} are needed"
        raise InputError(f"{what}: {limit}; raise the limit with ulimit -n")


def demand(memory: Memory, what: str) -> None:
    """Refuse what this process may not have the files or the memory for.

    Raises:
        InputError: with what is needed and what is allowed.
    """
    check_open_files(what)
    reason = lacks(memory)
    if reason is not None:
        raise InputError(f"{what}: {reason}")
