"""Policies of the user (docs/own-policies.md): they see what this model knows."""

from __future__ import annotations

import inspect
import runpy
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from reference_model.configuration import Table

if TYPE_CHECKING:
    from reference_model.drive import Drive


class Named:
    """A function, or what was made of a class, as a configuration names it."""

    def __init__(self, drive: Drive, policy: Table, method: str) -> None:
        file, _, name = str(policy.take("function")).rpartition(":")
        policy.take("code", None)
        params: Any = policy.take("params", {})
        self.shown = shown(drive)
        found: Any = runpy.run_path(file)[name]
        self.made: Any = None
        if inspect.isclass(found):
            make: Any = found
            self.made = make(self.shown, **params)
        decide = partial(found, **params) if params else found
        self.decide: Any = decide if self.made is None else getattr(self.made, method)

    def method(self, name: str) -> Any:
        """Return a method that not every class has; or none."""
        return getattr(self.made, name, None)


def shown(drive: Drive) -> SimpleNamespace:
    """Return the dimensions that a policy is told."""
    geometry = drive.geometry
    return SimpleNamespace(
        channels=geometry.channels,
        dies=geometry.dies,
        planes=geometry.planes,
        blocks_per_plane=geometry.blocks_per_plane,
        pages_per_block=geometry.pages_per_block,
        logical_pages=geometry.user_pages,
        levels=drive.timing.durations.levels,
    )


def channel_idle(drive: Drive, plane: int) -> bool:
    """Whether no die of the plane's channel has any operation."""
    channel = drive.geometry.channel_of_plane(plane)
    dies = (die for die in drive.dies.all if drive.geometry.channel_of_die(die.number) == channel)
    return all(die.load == 0 for die in dies)


def jobs_of_channels(drive: Drive) -> list[int]:
    """Return how many jobs each channel has."""
    jobs = [0] * drive.geometry.channels
    for plane in drive.space.planes:
        jobs[drive.geometry.channel_of_plane(plane.number)] += plane.jobs
    return jobs


def valid_pages(drive: Drive) -> int:
    """Return how many pages of flash are valid."""
    return sum(block.valid for block in drive.space.blocks)
