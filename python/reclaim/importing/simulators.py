"""The simulators whose configurations are read: a line for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reclaim.importing import Imported, ImportedLoad, femu, mqsim, nvmevirt, ssdsim


@dataclass(frozen=True)
class Simulator:
    """How the files of a simulator are read."""

    name: str
    file: str
    """What its configuration is called."""
    read: Callable[[Path, int | None], Imported]
    """Reads it; the capacity is for those whose file does not say it."""
    read_workload: Callable[[Path, int, int], list[ImportedLoad]] | None = None
    takes_capacity: bool = False


SIMULATORS = {
    "mqsim": Simulator(
        "MQSim", "ssdconfig.xml", lambda file, _: mqsim.read_configuration(file), mqsim.read_workload
    ),
    "femu": Simulator("FEMU", "run-blackbox.sh", lambda file, _: femu.read_configuration(file)),
    "nvmevirt": Simulator("NVMeVirt", "ssd_config.h", nvmevirt.read_configuration, takes_capacity=True),
    "ssdsim": Simulator("SSDsim", "page.parameters", lambda file, _: ssdsim.read_configuration(file)),
}
