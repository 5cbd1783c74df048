"""Drives small enough to have a formula, and the formula's numbers read off their configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reclaim.device import Device, Value
from reclaim.units import NANOSECONDS, SIZES, quantity
from reclaim.validation.closed_forms.channel import Timing

DIMENSIONS = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die")
SCALES = NANOSECONDS | {name: int(size) for size, name in SIZES} | {"MT/s": 1_000_000}


def drive(
    preset: str = "gc-bypass",
    *,
    dies: int = 1,
    blocks: int,
    pages_per_block: int,
    user_pages: int,
    page_size: str | None = None,
    settings: Mapping[str, Value] | None = None,
) -> Device:
    """One channel of single-plane chips; collection only when one free block is left."""
    device = Device.preset(preset)
    size = page_size or str(device.config["geometry"]["page_size"])
    base: dict[str, Value] = {f"geometry.{dimension}": 1 for dimension in DIMENSIONS}
    base |= {
        "geometry.chips_per_channel": dies,
        "geometry.blocks_per_plane": blocks,
        "geometry.pages_per_block": pages_per_block,
        "geometry.user_capacity": f"{_plain(size) * user_pages}B",
        "geometry.page_size": size,
        "gc.trigger.start": "1 block",
    }
    return device.with_settings(base | dict(settings or {}))


def timing(device: Device) -> Timing:
    """The numbers of the closed form, from the text of the configuration; times of the first page level.

    >>> timing(Device.preset("gc-bypass")).read
    79103
    """
    config = device.config
    channel, flash = config["channel"], config["flash"]
    commands, cycle = channel["commands"], _plain(channel["command_cycle"])

    def command(kind: str) -> int:
        return int(commands[f"{kind}_cycles"]) * cycle + _plain(commands[f"{kind}_overhead"])

    def first(times: Any) -> int:
        return _plain(times[0] if isinstance(times, list) else times)

    return Timing(
        page_bytes=_plain(config["geometry"]["page_size"]),
        transfers_per_second=_plain(channel["rate"]),
        width_bits=channel["width_bits"],
        t_read=first(flash["t_read"]),
        t_program=first(flash["t_program"]),
        t_erase=_plain(flash["t_erase"]),
        read_command=command("read"),
        program_command=command("program"),
        erase_command=command("erase"),
        host_buffer=_plain(channel.get("host_buffer", "0ns")),
    )


def _plain(text: str) -> int:
    """A time in ns, a size in bytes or transfers per second, as configurations write them.

    >>> _plain("75us"), _plain("8KiB"), _plain("38.787878 MT/s")
    (75000, 8192, 38787878)
    """
    found = quantity(text)
    assert found is not None, text  # noqa: S101 - the configuration of a drive that was made
    number, unit = found
    return round(number * SCALES[unit.strip()])
