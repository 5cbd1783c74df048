"""The small drive of the tests worked out on paper from docs/model.md, and how to speak of what it does.

It has round numbers: a read is 70 ns of command, 50 us of array and 1 us of data, a program 1.07 us of
command and data and 500 us of array, an erase 50 ns of command and 3 ms of array.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from reference_model import Outcome, RequestOutcome

PAGE = 4096
READ = 70 + 50_000 + 1_000
PROGRAM = 1_070 + 500_000
ERASE = 50 + 3_000_000

Record = tuple[int, str, int, int]


def drive(**changes: Any) -> dict[str, Any]:
    """Return one plane of eight blocks of four pages, 12 of them the host's; `a__b` changes `a.b`."""
    config: dict[str, Any] = {
        "name": "tiny",
        "seed": 42,
        "geometry": {
            "channels": 1,
            "chips_per_channel": 1,
            "dies_per_chip": 1,
            "planes_per_die": 1,
            "blocks_per_plane": 8,
            "pages_per_block": 4,
            "page_size": "4KiB",
            "user_capacity": "48KiB",
        },
        "channel": {"rate": "4096 MT/s", "command_cycle": "10ns"},
        "flash": {"t_read": "50us", "t_program": "500us", "t_erase": "3ms"},
        "gc": {"trigger": {"kind": "free-blocks", "start": "2 blocks"}},
        "warmup": {"kind": "filled"},
    }
    return changed(config, changes)


def changed(config: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    for path, value in changes.items():
        *sections, key = path.split("__")
        table = config
        for section in sections:
            table = table.setdefault(section, {})
        table[key] = value
    return config


def raid5(**changes: Any) -> dict[str, Any]:
    """Return four chips, each on a channel of its own, with eight stripes of three pages and their parity."""
    config = drive(geometry__channels=4, geometry__user_capacity="96KiB")
    config |= {"redundancy": {"kind": "raid5", "stripe_chips": 4}}
    return changed(config, changes)


def write(time: int, page: int, pages: int = 1) -> Record:
    return time, "write", page * PAGE, pages * PAGE


def read(time: int, page: int, pages: int = 1) -> Record:
    return time, "read", page * PAGE, pages * PAGE


def parts(row: RequestOutcome) -> tuple[int, int, int, int]:
    """Return queue, gc, transfer and array after checking that with the link they are the whole latency."""
    found = (row.queue_ns, row.gc_ns, row.transfer_ns, row.array_ns)
    assert sum(found) + row.link_ns == row.completion_ns - row.arrival_ns
    return found


def latencies(outcome: Outcome) -> list[int]:
    return [row.completion_ns - row.arrival_ns for row in outcome.requests]


WRITES_THAT_COLLECT = [
    write(number * 1_000_000, page) for number, page in enumerate([0, 1, 2, 4, 5, 6, 8, 9, 10])
]
"""The filled drive has blocks 0 to 2 sealed. These writes leave one valid page in each, block 0 first,
and the last of them opens the third block of the five that were free."""
