"""What is run: studies/networks/study.toml, and experiments made of it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from reclaim.device import Device

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "studies" / "networks"
DRIVE = FOLDER / "drive.toml"
STUDY: dict[str, Any] = tomllib.loads((FOLDER / "study.toml").read_text(encoding="utf-8"))
RATES = [rate["channel.rate"] for rate in STUDY["rates"]]
BUS = "bus"

Networks = Mapping[str, Mapping[str, Any]]


class Drive(NamedTuple):
    """What decides how much the bus can do."""

    flash: str
    page: str
    rate: str

    @property
    def key(self) -> str:
        """Its name in the stored figures."""
        return f"{self.flash}, {self.page}, {self.rate}"

    def settings(self) -> dict[str, Any]:
        """Its settings beside drive.toml."""
        rate = next(each for each in STUDY["rates"] if each["channel.rate"] == self.rate)
        return {**STUDY["flash"][self.flash], "geometry.page_size": self.page, **rate}


DRIVES = [Drive(flash, page, rate) for flash in STUDY["flash"] for page in STUDY["pages"] for rate in RATES]


def trace(
    drive: Drive, requests: int, changes: Mapping[str, Any], settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Single pages anywhere, a microsecond between arrivals on average: `host.time_scale` sets their pace."""
    sizes = {key: value for key, value in (settings or {}).items() if key.startswith("geometry.")}
    device = Device.load(DRIVE).with_settings({"geometry.page_size": drive.page, **sizes})
    user_bytes = device.facts()["user_bytes"]
    generate = {
        "requests": requests,
        "size": drive.page,
        "operations": {"write": STUDY["write"]},
        "arrivals": {"kind": "poisson", "interval": "1us"},
        **changes,
    }
    address = {"kind": "uniform", **changes.get("address", {}), "footprint": f"{user_bytes}B"}
    return {"name": "uniform", "generate": {**generate, "address": address}}


def linked(settings: Mapping[str, Any], share: Fraction) -> dict[str, Any]:
    """The settings of a drive whose links have a share of the channel's rate; commands take longer, too."""
    rate, unit = settings["channel.rate"].split()
    cycle = int(settings["channel.command_cycle"].removesuffix("ns"))
    return {
        **settings,
        "channel.rate": f"{float(int(rate) * share):.6f} {unit}",
        "channel.command_cycle": f"{round(cycle / share)}ns",
    }


def schemes(networks: Networks, drive: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each network on a drive, as a scheme of an experiment.

    Keys with a dot are settings beside the network; `link` is the share of the channel's rate of its links.
    """
    made = []
    for name, keys in networks.items():
        others = {key: value for key, value in keys.items() if "." in key or key == "scheduler"}
        network = {key: value for key, value in keys.items() if key not in others and key != "link"}
        own = linked(drive, Fraction(keys["link"])) if "link" in keys else drive
        made.append({"name": name, "set": {**own, **others, "interconnect": network}})
    return made


def paces(loads: Iterable[float], per_us: float) -> dict[str, dict[str, float]]:
    """Loads as values of an axis: shares of what the bus does, requests arrive when they do for all."""
    return {f"{load} %": {"host.time_scale": float(f"{per_us * load / 100:.5g}")} for load in loads}


def experiment(
    name: str,
    played: Mapping[str, Any],
    compared: list[dict[str, Any]],
    cells: Mapping[str, Mapping[str, Any]],
    repeats: int,
) -> dict[str, Any]:
    """An experiment in which every network meets the same requests in every cell."""
    return {
        "name": name,
        "devices": [str(DRIVE)],
        "traces": [dict(played)],
        "schemes": compared,
        "axes": {"cell": dict(cells)},
        "repeats": {"count": repeats, "by": "workload"},
    }
