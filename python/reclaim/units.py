"""Numbers for people: a value and its unit, with digits enough to compare and few enough to read."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal

Kind = Literal["time", "count", "ratio", "share", "bytes", "rate", "bandwidth"]

TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
NANOSECONDS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
"""Units of time as configurations have them."""
BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
"""The same of sizes."""
CAPACITIES = BYTES | {f"{prefix}B": 1000**power for power, prefix in enumerate("KMGT", 1)}
"""Those and the units in which drives are sold."""
SIZES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
THOUSAND = 1000
MISSING = "–"


def _scaled(value: float, steps: tuple[tuple[float, str], ...]) -> str:
    for factor, unit in steps:
        if abs(value) >= factor:
            return f"{_digits(value / factor)} {unit}"
    return f"{_digits(value)} {steps[-1][1]}"


def _digits(value: float) -> str:
    """Four significant digits, never an exponent below a million."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    magnitude = abs(value)
    decimals = 3 if magnitude < 10 else 2 if magnitude < 100 else 1 if magnitude < THOUSAND else 0
    return f"{value:,.{decimals}f}".replace(",", "\u202f")


def written(value: float | None, kind: Kind) -> str:
    """Write `value` with its unit.

    >>> written(75_320, "time"), written(1.7312345, "ratio"), written(0.125, "share")
    ('75.32 µs', '1.731', '12.5 %')
    >>> written(3 * 2**30, "bytes"), written(None, "time")
    ('3 GiB', '–')
    """
    if value is None:
        return MISSING
    match kind:
        case "time":
            return _scaled(value, TIMES)
        case "bytes":
            return _scaled(value, SIZES)
        case "bandwidth":
            return _scaled(value, SIZES) + "/s"
        case "share":
            percent = 100 * value
            return f"{percent:.1f} %" if percent >= 1 else f"{percent:.3g} %"
        case "rate" | "ratio" | "count":
            return _digits(value)


SUFFIXES: tuple[tuple[str, Kind], ...] = (
    ("_bytes_per_s", "bandwidth"),
    ("_bytes", "bytes"),
    ("state_bytes_per_page", "bytes"),
    ("_ns", "time"),
    ("_share", "share"),
    ("_fraction", "share"),
    ("spare_factor", "share"),
    ("over_provisioning", "share"),
)
"""What a key ends in tells the unit of its value."""
NO_SUFFIX: tuple[str, Kind] = ("", "ratio")
LABELS = {
    "raw_bytes": "raw capacity",
    "user_bytes": "user capacity",
    "spare_factor": "spare factor, spare / raw",
    "light_load": "under light load: planes keep the free blocks of the trigger",
    "heavy_load": "under heavy load: collection is deferred until a plane is urgent",
    "erased_blocks_per_plane": "erased blocks of a plane, open ones in part",
    "effective_spare_factor": "spare factor left to garbage",
    "write_amplification": "write amplification of uniform overwrites (pages)",
    "over_provisioning": "over-provisioning, spare / user",
    "gc_start_blocks": "free blocks per plane at which GC starts",
    "gc_urgent_blocks": "free blocks per plane at which GC goes before the host",
    "gc_starts_after_pages": "pages the host can write before GC starts",
    "assumed_state": "assumed state of the drive",
    "gc_starts": "garbage collection starts",
    "channel_bytes_per_s": "bandwidth of a channel's data lines",
    "read_pages_per_s": "pages read per second, at most",
    "write_pages_per_s": "pages written per second, at most",
    "state_bytes_per_page": "simulator memory per page",
    "run_memory_bytes": "memory of a run, without its trace",
    "audit_memory_bytes": "memory of an audit beside that",
    "read_bytes": "bytes read",
    "write_bytes": "bytes written",
    "trim_bytes": "bytes trimmed",
    "span_ns": "time span",
    "max_end_bytes": "highest address",
    "drive_writes": "drive capacities written",
    "footprint_share": "footprint of the user capacity",
    "larger_than_drive": "addresses reach beyond the drive",
    "unaligned_requests": "requests not aligned to 4 KiB",
    "last_stream": "highest stream of a request",
    "erase_ns": "unloaded erase",
}
"""Where the name of a key says too little."""


def by_key(key: str, value: object) -> tuple[str, str]:
    """Label and text of an entry whose key ends in its unit, as facts and trace summaries do.

    >>> by_key("raw_bytes", 2**30), by_key("unloaded_read_ns", 87_000)
    (('raw capacity', '1 GiB'), ('unloaded read', '87 µs'))
    """
    suffix, kind = next((each for each in SUFFIXES if key.endswith(each[0])), NO_SUFFIX)
    label = LABELS.get(key) or key.removesuffix(suffix).replace("_", " ")
    if isinstance(value, bool):
        return label, "yes" if value else "no"
    if isinstance(value, int | float):
        return label, written(value, kind)
    return label, MISSING if value is None else str(value)


QUANTITY = re.compile(r"(?P<number>-?\d{1,18}(?:\.\d{1,18})?)(?P<gap>\s*)(?P<unit>[^\d\s]*)")


def quantity(text: str) -> tuple[Decimal, str] | None:
    """Take a value apart: its number, and its unit with what stands between the two; None if it is none.

    >>> quantity("2.5%"), quantity("2 blocks"), quantity("off")
    ((Decimal('2.5'), '%'), (Decimal('2'), ' block'), None)
    """
    found = QUANTITY.fullmatch(text.strip())
    if found is None:
        return None
    unit = "block" if found["unit"] == "blocks" else found["unit"]
    return Decimal(found["number"]), (found["gap"] + unit if unit else "")


def with_unit(number: Decimal, unit: str) -> str:
    """Write a value as a configuration takes it.

    >>> with_unit(Decimal("2.50"), "%"), with_unit(Decimal(2), " block")
    ('2.5%', '2 blocks')
    """
    return f"{plain(number)}{unit}" + ("s" if unit.strip() == "block" and number != 1 else "")


def plain(number: Decimal) -> str:
    """Write a number without an exponent and without zeros at its end.

    >>> plain(Decimal("10")), plain(Decimal("2.50")), plain(Decimal("1E+2"))
    ('10', '2.5', '100')
    """
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration(seconds: float) -> str:
    """Write how long something takes, roughly.

    >>> duration(8.2), duration(130), duration(7260)
    ('8 s', '2 min', '2 h 1 min')
    """
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
