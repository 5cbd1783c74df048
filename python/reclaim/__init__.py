"""Reclaim: a deterministic, trace-driven simulator of garbage collection in solid-state drives.

>>> import reclaim
>>> drive = reclaim.Device.preset("gc-bypass-mini")
>>> trace = reclaim.uniform_trace(footprint_bytes=1 << 20, count=100, mean_interarrival_ns=100_000)
>>> result = reclaim.simulate(drive, trace, warmup="workload")
>>> result.write.count, result.verdict.level  # so few writes never made the drive collect
(100, 'not-established')
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

from reclaim import _core
from reclaim.device import Device, known_drives
from reclaim.device_schema import schema
from reclaim.errors import AuditError, InputError, ReclaimError, ResultWarning, SimulationError
from reclaim.experiment.experiment import Experiment
from reclaim.experiment.studies import STUDIES
from reclaim.log_replay import LogReplay, replay_log
from reclaim.policy.marks import (
    allocation_policy,
    concurrency_policy,
    separation_policy,
    trigger_policy,
    victim_policy,
)
from reclaim.result.result import Result
from reclaim.simulate import simulate
from reclaim.trace.catalogue import entries as _trace_entries
from reclaim.trace.generate import fio_trace, generate_trace
from reclaim.trace.generate.uniform import uniform_trace
from reclaim.trace.trace import Trace, open_trace

if TYPE_CHECKING:
    from reclaim.result.sets.result_set import ResultSet
    from reclaim.study.ablation.ablate import ablate
    from reclaim.study.comparing import compare
    from reclaim.study.fitting.fit import fit
    from reclaim.study.judging.judge import judge
    from reclaim.study.judging.league import league
    from reclaim.study.measuring.measure import measure
    from reclaim.study.sensitivity.sensitivity import sensitivity
    from reclaim.study.sweep import sweep
    from reclaim.study.tuning.tune import tune

__version__ = _core.__version__

__all__ = [
    "AuditError",
    "Device",
    "Experiment",
    "InputError",
    "LogReplay",
    "ReclaimError",
    "Result",
    "ResultSet",
    "ResultWarning",
    "SimulationError",
    "Trace",
    "ablate",
    "allocation_policy",
    "catalogue",
    "compare",
    "concurrency_policy",
    "devices",
    "fio_trace",
    "fit",
    "formats",
    "generate_trace",
    "judge",
    "league",
    "measure",
    "open_trace",
    "presets",
    "replay_log",
    "schema",
    "schemes",
    "sensitivity",
    "separation_policy",
    "simulate",
    "sweep",
    "traces",
    "trigger_policy",
    "tune",
    "uniform_trace",
    "victim_policy",
]


_LAZY = {
    "ResultSet": "reclaim.result.sets.result_set",
    "league": "reclaim.study.judging.league",
    **{name: f"reclaim.study.{each.module}" for name, each in STUDIES.items()},
}
"""What needs arrays or tables is imported when it is asked for: `reclaim --help` must not wait for that."""


def __getattr__(name: str) -> Any:
    """Import what is imported late."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    """Give the public names; the modules that define them are nobody else's."""
    return [*__all__, *(STUDIES.keys() - {*__all__}), "__version__"]


def devices() -> dict[str, str]:
    """List every drive that can be given by its name, anywhere: name to what it is.

    Drives to start from come first, then models of products, then the drives of papers (`presets`).

    >>> next(iter(devices())), "samsung-pm9a3" in devices(), "gc-bypass-mini" in devices()
    ('small', True, True)
    """
    return {each.name: each.about for each in known_drives()}


def presets() -> dict[str, str]:
    """List the drives of papers, which are built in: name to what it is."""
    return dict(_core.presets())


def schemes() -> dict[str, str]:
    """List the named combinations of policies: name to what it is."""
    return dict(_core.schemes())


def formats() -> dict[str, str]:
    """List the trace formats that can be read: name to what it is, with a sample line."""
    return {name: f"{about}\n{sample}" for name, about, sample in _core.formats()}


def traces() -> list[dict[str, Any]]:
    """List every trace that can be opened by name: recordings, stand-ins, your own files, public sets.

    Each has a `name`, a `kind`, what it is `about`, its `path` (None if it has to be fetched first),
    `where` to get it and under which `terms`.

    >>> [each["kind"] for each in traces() if each["name"] == "msr-like/hm_0"]
    ['synthetic stand-in']
    """
    return [each.to_dict() for each in _trace_entries()]


def catalogue() -> list[dict[str, Any]]:
    """Describe every kind of policy: its `key`, and its `policies` with their parameters."""
    return list(json.loads(_core.catalogue()))
