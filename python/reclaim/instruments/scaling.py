"""Whether a drive is a larger one made smaller: what docs/scaling-down.md says to keep, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reclaim.device import Device
from reclaim.units import MISSING, Kind, written

TOLERANCE = 0.05
"""By how much a figure that only follows from settings may differ, as a fraction of the larger drive's."""
NOT_THE_DRIVE = ("name", "seed", "trace", "warmup", "measure")
"""Names, and how a run goes on: they say nothing of the drive."""
OF_THE_LOAD = ("mode", "queue_depth", "time_scale", "target_utilisation", "target_total_utilisation")
"""Settings of the host that say how much it asks for."""
MAY_SHRINK = (
    "geometry.blocks_per_plane",
    "geometry.pages_per_block",
    "geometry.user_capacity",
    "geometry.spare_factor",
    "flash.t_erase",
    "gc.trigger.start",
    "gc.trigger.stop",
    "gc.trigger.hard",
)
"""Settings that a smaller drive must alter; what they are for is compared instead."""


@dataclass(frozen=True)
class Kept:
    """One thing that a smaller drive keeps, or does not."""

    what: str
    large: str
    small: str
    holds: bool
    because: str
    """What results hang on it by."""


def compare(small: Device, large: Device) -> list[Kept]:
    """What `small` must keep of `large`, and whether it does: figures first, then every setting that differs.

    A figure holds within `TOLERANCE`; a setting must be the same.

    >>> drive = Device.preset("deferred-raid")
    >>> [each.what for each in compare(Device.preset("deferred-raid-mini"), drive) if not each.holds]
    []
    >>> slow = drive.set("flash.t_erase", "9ms").set("channel.width_bits", 16)
    >>> [each.what for each in compare(slow, drive) if not each.holds]
    ['erase, for each page of a block', 'channel.width_bits']
    """
    mine, other = small.facts(), large.facts()
    return [*_figures(small, mine, large, other), *_settings(small.config, large.config)]


def _figures(
    small: Device, mine: Mapping[str, Any], large: Device, other: Mapping[str, Any]
) -> Iterator[Kept]:
    erases = [
        found["erase_ns"] / int(each.config["geometry"]["pages_per_block"])
        for each, found in ((small, mine), (large, other))
    ]
    what, why = "erase, for each page of a block", "what a page that was programmed costs in erasing"
    yield _figure(what, "time", erases, why)
    for load, title in (("light_load", "light"), ("heavy_load", "heavy")):
        shares = [found[load]["effective_spare_factor"] for found in (mine, other)]
        what = f"left to garbage under {title} load"
        yield _figure(what, "share", shares, "write amplification follows from it")
        factors = [found[load]["write_amplification"] for found in (mine, other)]
        if None not in factors:
            what = f"write amplification of uniform overwrites under {title} load"
            yield _figure(what, "ratio", factors, "how much collection there is")
    gap, larger = (found["gc_start_blocks"] - found["gc_urgent_blocks"] for found in (mine, other))
    yield Kept(
        "blocks between the start of collection and its going before the host",
        written(larger, "count"),
        written(gap, "count"),
        holds=gap >= min(1, larger),
        because="without a block collection goes before the host at once",
    )


def _figure(what: str, kind: Kind, values: Sequence[float], because: str) -> Kept:
    """A figure of the smaller and of the larger drive, which may differ a little."""
    small, large = values
    holds = abs(small - large) <= TOLERANCE * abs(large)
    return Kept(what, written(large, kind), written(small, kind), holds, because)


def _settings(small: Mapping[str, Any], large: Mapping[str, Any]) -> Iterator[Kept]:
    mine, other = dict(_leaves(small)), dict(_leaves(large))
    for key in [*other, *(key for key in mine if key not in other)]:
        section, _, last = key.partition(".")
        of_a_run = section in NOT_THE_DRIVE or (section == "host" and last in OF_THE_LOAD)
        if of_a_run or key in MAY_SHRINK or mine.get(key) == other.get(key):
            continue
        before, now = other.get(key, MISSING), mine.get(key, MISSING)
        why = "how much works at once" if section == "geometry" else "a setting that need not shrink"
        yield Kept(key, str(before), str(now), holds=False, because=why)


def _leaves(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{above}{key}.")
        else:
            yield above + key, value
