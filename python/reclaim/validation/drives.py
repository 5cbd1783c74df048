"""Drives small enough to have a formula, and the formula's numbers read off their configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reclaim.device import Device, Value
from reclaim.validation.closed_forms.channel import Timing

DIMENSIONS = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die")
UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


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
        "geometry.user_capacity": f"{_bytes(size) * user_pages}B",
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
    commands, cycle = channel["commands"], _ns(channel["command_cycle"])

    def command(kind: str) -> int:
        return int(commands[f"{kind}_cycles"]) * cycle + _ns(commands[f"{kind}_overhead"])

    def first(times: Any) -> int:
        return _ns(times[0] if isinstance(times, list) else times)

    return Timing(
        page_bytes=_bytes(config["geometry"]["page_size"]),
        transfers_per_second=_rate(channel["rate"]),
        width_bits=channel["width_bits"],
        t_read=first(flash["t_read"]),
        t_program=first(flash["t_program"]),
        t_erase=_ns(flash["t_erase"]),
        read_command=command("read"),
        program_command=command("program"),
        erase_command=command("erase"),
        host_buffer=_ns(channel.get("host_buffer", "0ns")),
    )


def _ns(text: str) -> int:
    """A time as configurations write it.

    >>> _ns("75us"), _ns("2500ns")
    (75000, 2500)
    """
    digits = text.rstrip("mnsu")
    return int(digits) * UNITS[text.removeprefix(digits)]


def _bytes(text: str) -> int:
    """A size as configurations write it.

    >>> _bytes("8KiB")
    8192
    """
    return int(text.removesuffix("KiB")) * 1024 if text.endswith("KiB") else int(text.removesuffix("B"))


def _rate(text: str) -> int:
    """Transfers per second as configurations write them.

    >>> _rate("38.787878 MT/s")
    38787878
    """
    return round(float(text.removesuffix(" MT/s")) * 1e6)
