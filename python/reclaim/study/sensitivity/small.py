"""A small drive of a large one, on which a trace collects garbage: what it sets, and why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reclaim._core import LARGE_BUFFER
from reclaim.device import Device, Value
from reclaim.errors import InputError
from reclaim.parsing import toml_value
from reclaim.trace.trace import Trace
from reclaim.units import CAPACITIES, quantity, written

FEWEST_BLOCKS = 64
"""Blocks of a plane below which what is open and in reserve takes too much of the spare space."""
FOOTPRINT = 0.85
"""The share of the user capacity that a trace covers on a drive made for it."""


@dataclass(frozen=True)
class SettingLine:
    """A setting of a device file, and why it is so."""

    key: str
    value: Value | list[str]
    why: str


def values(lines: Iterable[SettingLine]) -> dict[str, Value]:
    """Give settings by their keys."""
    return {
        line.key: toml_value(line.value) if isinstance(line.value, list) else line.value for line in lines
    }


def trigger(like: Device, blocks: int) -> list[SettingLine]:
    """When a plane of so many blocks is collected: at the same shares, but a block apart at least."""
    facts, of = like.facts(), int(like.config["geometry"]["blocks_per_plane"])
    trigger = like.config["gc"]["trigger"]
    at = {"start": int(facts["gc_start_blocks"]), "hard": facts["gc_urgent_blocks"]}
    scaled = {
        key: max(1, round(at[key] / of * blocks))
        for key in ("start", "hard")
        if key in trigger and at[key] is not None
    }
    if "start" in scaled:
        scaled["start"] = max(scaled["start"], scaled.get("hard", 0) + 1)
    return [
        SettingLine(
            f"gc.trigger.{key}",
            f"{count} block" + ("s" if count > 1 else ""),
            f"{count / blocks:.1%} of a plane; {at[key] / of:.1%} in {like.config['name']}",
        )
        for key, count in scaled.items()
        if blocks != of
    ]


def raw_bytes(geometry: Mapping[str, Any], page_bytes: int) -> int:
    """Bytes of one block in every plane."""
    planes = math.prod(
        int(geometry[key]) for key in ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die")
    )
    return planes * int(geometry["pages_per_block"]) * page_bytes


def page_bytes(drive: Device) -> int:
    """Give the bytes of a page."""
    facts = drive.facts()
    return int(facts["raw_bytes"] // facts["physical_pages"])


def size_of(option: str, given: str) -> int:
    """Bytes of a size such as 1TB or 960GB."""
    number, unit = quantity(given) or (0, "")
    found = int(number * CAPACITIES.get(unit.strip(), 0))
    if found <= 0:
        raise InputError(f'{option} "{given}": write a size with its unit, as in 1TB, 960GB or 512GiB')
    return found


def made_small(
    large: Device, trace: Trace, fewest: int = FEWEST_BLOCKS, *, scale_trigger: bool = True
) -> tuple[list[SettingLine], Device]:
    """Find the settings of a small drive, and make it.

    Args:
        large: what it is like.
        trace: what it is made for.
        fewest: blocks of a plane, at least.
        scale_trigger: collect at the same shares of a plane; as the large one's file says if not.

    Raises:
        InputError: if the trace writes nothing, or is too large for the drive.
    """
    config, facts = large.config, large.facts(trace)
    geometry, page = config["geometry"], page_bytes(large)
    footprint: float = facts["trace"]["footprint_share"] * facts["user_bytes"]
    if facts["trace"]["drive_writes"] == 0:
        raise InputError(f"{trace.name}: writes nothing, so no drive collects under it")
    pages, spare = int(geometry["pages_per_block"]), float(facts["spare_factor"])
    was = int(geometry["blocks_per_plane"])
    unit = int(config["flash"].get("pages_per_word_line") or 1)

    def blocks_of(pages: int) -> int:
        raw = raw_bytes({**geometry, "pages_per_block": pages}, page)
        return math.ceil(footprint / FOOTPRINT / (1 - spare) / raw)

    smaller = pages
    while (
        blocks_of(smaller) < fewest
        and smaller % 2 == 0
        and smaller // 2 >= max(4, unit)
        and (smaller // 2) % unit == 0
    ):
        smaller //= 2
    blocks = min(max(blocks_of(smaller), fewest), was)
    lines = [
        SettingLine(
            "geometry.blocks_per_plane",
            blocks,
            f"{was:,} in the large one: the trace covers {FOOTPRINT:.0%} of the drive",
        ),
    ]
    if smaller != pages:
        erase_ns = int(facts["erase_ns"] * smaller / pages)
        lines += [
            SettingLine(
                "geometry.pages_per_block",
                smaller,
                f"{pages:,} in the large one; fewer, so that planes have {fewest} blocks",
            ),
            SettingLine("flash.t_erase", f"{erase_ns}ns", "as long for each page of a block as there"),
        ]
    lines += trigger(large, blocks) if scale_trigger else []
    user = footprint / FOOTPRINT
    buffered = str(config["controller"].get("write_buffer", ""))
    buffer = size_of("write_buffer", buffered) if buffered[:1].isdigit() else 0
    if buffer > LARGE_BUFFER * user:
        kept = max(int(LARGE_BUFFER * user / page), 1) * page
        had = written(buffer, "bytes")
        why = f"{had} in the large one; more than {LARGE_BUFFER:.0%} of the capacity hides GC"
        lines.append(SettingLine("controller.write_buffer", f"{kept // 1024}KiB", why))
    run = [
        SettingLine("trace.remap", "compact", "addresses of the trace are brought inside the drive"),
        SettingLine("warmup.kind", "workload", "filled, then played until write amplification is flat"),
    ]
    wanted, given = facts["light_load"]["effective_spare_factor"], spare
    for _ in range(6):
        # What is open and in reserve takes more of few blocks: as much more spare space makes up for it.
        more = [
            SettingLine(
                "geometry.spare_factor",
                f"{given:.2%}",
                f"{spare:.1%} in the large one; leaves as much to garbage as there",
            )
        ]
        small = large.with_settings(values([*lines, *more, *run]))
        off = wanted - small.facts()["light_load"]["effective_spare_factor"]
        if abs(off) < 0.0005:
            break
        given = min(max(given + off, 0.01), 0.9)
    return [*lines, *more, *run], small
