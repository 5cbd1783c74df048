"""A point: one run of an experiment, and the name under which it is stored."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from reclaim import _core
from reclaim.bench.parts import Record
from reclaim.device import Device
from reclaim.policies.marks import KINDS
from reclaim.traces.trace import Trace

Made = tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]]
LAYOUT = 1
"""Counts up when the files of a stored point change, so that points stored before are run again."""
ID_BYTES = 8


@dataclass(frozen=True)
class Point:
    """One run: what it is called in tables, and all that is needed to run it."""

    experiment: str
    device: str
    trace: str
    scheme: str
    axes: dict[str, str]
    """Name of every axis and of everything that is varied: the value here, as text."""
    repeat: int
    perturbation: str
    """In what it differs from repeat 0; empty for repeat 0."""
    vary: str
    """What is varied alone here, as `axis=value`; empty for points that are crossed."""
    id: str
    record: Record = field(repr=False)
    drive: Device | None = field(repr=False, compare=False)
    """None where the configuration refuses this combination."""
    opened: Trace | None = field(repr=False, compare=False)
    source: str = field(default="", repr=False)
    """What opens the trace; the file that a generated one is written to is found by its name."""
    refused: str = ""
    """Why there is no drive."""
    made: Made = field(default=("", (), ()), repr=False)
    """What its drive is made of: device, schemes, settings; also where it is refused."""
    same_run: str = field(default="", repr=False)
    """Equal for points whose runs are the same but for what they are called."""

    def label(self) -> str:
        """Name it in a line: everything in which it can differ from others.

        >>> Point("e", "d", "t", "greedy", {"seed": "1"}, 2, "", "", "", Record(), None, None).label()
        'd, t, greedy, seed 1, repeat 2'
        """
        parts = [self.device, self.trace, self.scheme]
        parts += [f"{name} {value}" for name, value in self.axes.items()]
        return ", ".join([*parts, f"repeat {self.repeat}"])

    def row(self) -> dict[str, Any]:
        """Give its columns of the points' table."""
        return {
            "point": self.id,
            "experiment": self.experiment,
            "device": self.device,
            "trace": self.trace,
            "scheme": self.scheme,
            "repeat": self.repeat,
            "perturbation": self.perturbation,
            "vary": self.vary,
            **self.axes,
        }


def digest(value: Any) -> str:
    """Give a short name for anything that JSON can hold; the same on every machine.

    >>> digest({"b": 1, "a": [2]}) == digest({"a": [2], "b": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return blake2b(text.encode(), digest_size=ID_BYTES).hexdigest()


def identity(
    config: dict[str, Any], raw: dict[str, str], merged: list[str], record: Record
) -> dict[str, Any]:
    """Give all that the files of a point follow from.

    Args:
        config: the resolved configuration.
        raw: `name` and `hash` of the trace as it is opened.
        merged: hashes of the traces that are merged into it.
        record: what is kept.
    """
    config = json.loads(json.dumps(config))
    for entry in config["trace"].get("merge") or []:
        # Where the file is does not matter; what is in it does.
        entry.pop("file", None)
    for section, kind in (key.split(".") for key in KINDS):
        if "code" in (choice := config[section][kind]):
            # The same of the file of a policy.
            choice["function"] = choice["function"].rpartition(":")[2]
    return {
        "layout": LAYOUT,
        "version": _core.__version__,
        "format": _core.RESULTS_FORMAT,
        "config": config,
        "trace": raw,
        "merged": merged,
        "record": [record.timeline, record.gc, record.requests, record.audit],
    }
