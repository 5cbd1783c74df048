"""Whether a drive is a larger one made smaller: what docs/scaling-down.md says to keep, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reclaim.device import Device
from reclaim.layers import below, differing, flat
from reclaim.units import MISSING, Kind, written

TOLERANCE = 0.05
"""By how much a figure that only follows from settings may differ, as a fraction of the larger drive's."""
NOT_THE_DRIVE = (
    *("seed", "trace", "warmup", "measure"),
    *("host.mode", "host.queue_depth", "host.time_scale"),
    *("host.target_utilisation", "host.target_total_utilisation"),
)
"""What says how a run goes on and how much the host asks for, and nothing of the drive."""
MAY_SHRINK = (
    "geometry.blocks_per_plane",
    "geometry.pages_per_block",
    "geometry.user_capacity",
    "geometry.spare_factor",
    "flash.t_erase",
    "controller.write_buffer",
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
    >>> never = drive.set("gc.trigger.hard", "off")
    >>> [each.what.split()[0] for each in compare(never, drive) if not each.holds]
    ['blocks']
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
            what = f"write amplification (pages) of uniform overwrites under {title} load"
            yield _figure(what, "ratio", factors, "how much collection there is")
    yield _gap(mine, other)


def _gap(mine: Mapping[str, Any], other: Mapping[str, Any]) -> Kept:
    """How long collection waits before it goes first: a block, if the larger drive's does, or for ever."""
    small, large = (_blocks_to_urgency(found) for found in (mine, other))
    holds = small is large if small is None or large is None else small >= min(1, large)
    what = "blocks between the start of collection and its going before the host"
    because = "without a block collection goes before the host at once"
    return Kept(what, written(large, "count"), written(small, "count"), holds, because)


def _blocks_to_urgency(facts: Mapping[str, Any]) -> int | None:
    """None where collection never goes before the host."""
    urgent: int | None = facts["gc_urgent_blocks"]
    return None if urgent is None else int(facts["gc_start_blocks"]) - urgent


def _figure(what: str, kind: Kind, values: Sequence[float], because: str) -> Kept:
    """A figure of the smaller and of the larger drive, which may differ a little."""
    small, large = values
    holds = abs(small - large) <= TOLERANCE * abs(large)
    return Kept(what, written(large, kind), written(small, kind), holds, because)


def _settings(small: Mapping[str, Any], large: Mapping[str, Any]) -> Iterator[Kept]:
    mine, other = flat(small), flat(large)
    for key in differing(other, mine):
        if any(below(key, each) for each in (*NOT_THE_DRIVE, *MAY_SHRINK)):
            continue
        before, now = other.get(key, MISSING), mine.get(key, MISSING)
        why = "how much works at once" if below(key, "geometry") else "a setting that need not shrink"
        yield Kept(key, str(before), str(now), holds=False, because=why)
