"""Configurations that are refused (docs/model.md, 2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.interconnects.serialized_channel import SerializedChannel
from reference_model.relocation.copyback import by_copyback

if TYPE_CHECKING:
    from reference_model.drive import Drive


def check(drive: Drive) -> None:
    """Raise for what the page refuses; parts refuse wrong values of their own keys themselves."""
    space, jobs, suspension = drive.space, drive.jobs, drive.suspension
    drive.geometry.check_spare(drive.trigger.kept, 1 if space.shared else 2)
    if space.pages_on_arrival and space.shared:
        raise ValueError("ftl.assign_pages = on-arrival needs ftl.gc_frontier = separate")
    if space.pages_on_arrival and jobs.first_operation is by_copyback:
        raise ValueError("ftl.assign_pages = on-arrival needs gc.relocation = controller")
    serialized = isinstance(drive.channels.domains[0].channel, SerializedChannel)
    if serialized and (suspension.programs or suspension.erases):
        raise ValueError("flash.suspend does not go with a serialized-channel")
    if space.shared and drive.trigger.most_jobs > 1:
        raise ValueError("gc.trigger.jobs > 1 needs ftl.gc_frontier = separate")
