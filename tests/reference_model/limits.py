"""Configurations that are refused (docs/model.md, 2.5, 13.10 and 16.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_model.allocation.dynamic import Dynamic
from reference_model.allocation.ospada import Ospada
from reference_model.allocation.striping import Striping
from reference_model.concurrency.all_planes import AllPlanes
from reference_model.interconnects.serialized_channel import SerializedChannel
from reference_model.multi_plane.anywhere import Anywhere
from reference_model.multi_plane.heads import Heads
from reference_model.redundancy.layout import Layout
from reference_model.relocation.buffered import Buffered
from reference_model.relocation.controller import Controller
from reference_model.relocation.copyback import Copyback
from reference_model.relocation.copyback_odd_even import CopybackOddEven
from reference_model.separation.classes import ByLifetime, ByStream
from reference_model.triggers.foreground import Foreground
from reference_model.triggers.free_blocks import FreeBlocks
from reference_model.victims.score import Score
from reference_model.victims.word_line import WordLine

if TYPE_CHECKING:
    from reference_model.drive import Drive


def check(drive: Drive) -> None:
    """Raise for what the page refuses; parts refuse wrong values of their own keys themselves."""
    space, jobs = drive.space, drive.jobs
    drive.geometry.check_spare(space.needed_blocks() + (0 if drive.raid is None else 1))
    if space.pages_on_arrival and space.shared:
        raise ValueError("ftl.assign_pages = on-arrival needs ftl.gc_frontier = separate")
    if space.pages_on_arrival and not jobs.relocation.over_channel_only:
        raise ValueError("ftl.assign_pages = on-arrival needs gc.relocation = controller")
    if isinstance(drive.channels.domains[0].channel, SerializedChannel):
        _check_serialized(drive)
    if space.shared and drive.trigger.most_jobs > 1:
        raise ValueError("gc.trigger.jobs > 1 needs ftl.gc_frontier = separate")
    if drive.timing.durations.whole_word_lines:
        _check_word_lines(drive)
    _check_parts(drive)
    if isinstance(jobs.relocation, CopybackOddEven) and (space.shared or drive.trigger.most_jobs > 1):
        raise ValueError("copyback-odd-even needs ftl.gc_frontier = separate and gc.trigger.jobs = 1")
    if isinstance(jobs.relocation, Buffered):
        _check_buffered(drive)
    if drive.geometry.layout is not None:
        _check_raid5(drive, drive.geometry.layout)
    _check_placement(drive)
    _check_separation(drive)
    _check_pace(drive)
    _check_cache(drive)
    _check_cache_programs(drive)
    _check_superblocks(drive)
    _check_mapping(drive)


def _check_mapping(drive: Drive) -> None:
    """4.49."""
    space = drive.space
    refused = drive.raid is not None or drive.parity is not None or drive.placement is not None
    refused |= not isinstance(drive.jobs.relocation, Controller | Copyback)
    refused |= space.shared or space.pages_on_arrival
    if refused and drive.mapping_cache is not None:
        raise ValueError("ftl.mapping_cache does not go with what 4.49 names")


def _check_superblocks(drive: Drive) -> None:
    """4.43."""
    if drive.superblocks is None:
        return
    space, jobs, trigger = drive.space, drive.jobs, drive.trigger
    by_room = isinstance(drive.allocation, Dynamic | Ospada) or (
        isinstance(drive.allocation, Striping) and not drive.allocation.by_page
    )
    counts = isinstance(trigger, FreeBlocks) and not isinstance(trigger, Foreground)
    refused = not by_room or not counts or trigger.all_asked_at is not None
    refused |= not isinstance(jobs.relocation, Controller | Copyback)
    refused |= not isinstance(jobs.concurrency, AllPlanes)
    refused |= drive.placement is not None or drive.raid is not None
    separation = drive.separation
    as_written = separation is not None and isinstance(separation.classes, ByStream | ByLifetime)
    refused |= separation is not None and separation.gc is not None and not as_written
    refused |= isinstance(drive.victims, WordLine | Score)
    refused |= drive.pace.active
    refused |= space.shared or space.pages_on_arrival
    refused |= isinstance(drive.channels.domains[0].channel, SerializedChannel)
    if refused:
        raise ValueError("ftl.superblock does not go with what 4.43 names")


def _check_cache(drive: Drive) -> None:
    """2.9."""
    if drive.slc_cache is None:
        return
    space, jobs = drive.space, drive.jobs
    refused = not isinstance(jobs.relocation, Controller | Copyback)
    refused |= not isinstance(jobs.concurrency, AllPlanes)
    refused |= drive.placement is not None or drive.raid is not None
    separation = drive.separation
    as_written = separation is not None and isinstance(separation.classes, ByStream | ByLifetime)
    refused |= separation is not None and separation.gc is not None and not as_written
    refused |= drive.timing.durations.levels == 1 or bool(drive.timing.durations.wear.rows)
    refused |= drive.trigger.most_jobs > 1 or isinstance(drive.trigger, Foreground)
    refused |= space.shared or space.pages_on_arrival
    if refused:
        raise ValueError("ftl.slc_cache does not go with what 2.9 names")


def _check_cache_programs(drive: Drive) -> None:
    """11.25."""
    refused = isinstance(drive.channels.domains[0].channel, SerializedChannel) or drive.suspension.programs
    refused |= drive.timing.durations.whole_word_lines and drive.timing.durations.levels > 1
    if refused and drive.cache_programs.active:
        raise ValueError("flash.cache_programs does not go with what 11.25 names")


def _joins_by_number(drive: Drive) -> bool:
    joins = drive.multi_plane
    return isinstance(joins, Anywhere) or (isinstance(joins, Heads) and joins.same_page)


def _check_parts(drive: Drive) -> None:
    """2.8."""
    space = drive.space
    refused = not isinstance(drive.jobs.relocation, Controller)
    refused |= drive.placement is not None or space.shared or space.pages_on_arrival
    if refused and drive.geometry.parts > 1:
        raise ValueError("geometry.mapping_unit does not go with what 2.8 names")


def _check_pace(drive: Drive) -> None:
    """13.35: what could wait for a job that waits for the host."""
    others = drive.gc_buffer.capacity is not None or drive.blocked.blocks_access
    others |= drive.deferral is not None
    channel = drive.channels.domains[0].channel
    whole = isinstance(channel, SerializedChannel) and drive.channels.whole_tasks
    if drive.pace.active and (others or whole or drive.trigger.most_jobs > 1):
        raise ValueError("gc.pace does not go with what could wait for a job in turn")


def _check_serialized(drive: Drive) -> None:
    """What a channel that is held for whole operations, and perhaps kept for whole jobs, does not go with."""
    if drive.suspension.programs or drive.suspension.erases:
        raise ValueError("flash.suspend does not go with a serialized-channel")
    if drive.plane_reads.independent:
        raise ValueError("flash.plane_reads = independent does not go with a serialized-channel")
    if drive.channels.whole_tasks and drive.trigger.most_jobs > 1:
        raise ValueError("gc_tasks = whole needs gc.trigger.jobs = 1")


def _check_raid5(drive: Drive, layout: Layout) -> None:
    """16.3; what the layout, the allocation and the spare blocks ask for is asked there."""
    if drive.gc_buffer.capacity is not None:
        raise ValueError("redundancy = raid5 does not go with gc.relocation = buffered")
    if drive.space.pages_on_arrival:
        raise ValueError("redundancy = raid5 needs ftl.assign_pages = at-start")
    if drive.blocked.blocks_access:
        raise ValueError("redundancy = raid5 does not go with gc.block_victim_access")
    if drive.passages.length:
        raise ValueError("redundancy = raid5 does not go with channel.host_buffer_path = controller")
    if drive.buffer.capacity is not None and drive.buffer.capacity < layout.stripe_chips:
        raise ValueError("redundancy = raid5 needs a controller.write_buffer of a stripe")
    if layout.own_blocks and (drive.space.shared or drive.timing.durations.program_unit > 1):
        raise ValueError("redundancy.parity_blocks = own needs separate open blocks and units of one page")


def _check_buffered(drive: Drive) -> None:
    """2.5, 13.10: pages of elsewhere could fill a plane to which writes go whether it has room or not."""
    if drive.timing.durations.program_unit > 1:
        raise ValueError("gc.relocation = buffered needs program units of one page")
    if drive.buffer.merges:
        raise ValueError("controller.merge_overwrites does not go with gc.relocation = buffered")
    if drive.space.shared or drive.space.pages_on_arrival:
        raise ValueError("gc.relocation = buffered needs a GC open block of its own and pages at-start")
    by_page = isinstance(drive.allocation, Striping) and drive.allocation.by_page
    if by_page and drive.gc_buffer.destination != "home":
        raise ValueError("gc.relocation.destination other than home does not go with striping by lpn")
    if drive.gc_buffer.batches > 1 and drive.channels.whole_tasks:
        raise ValueError("gc.relocation.batches > 1 does not go with gc_tasks = whole")


def _check_word_lines(drive: Drive) -> None:
    """What a program unit of a word line asks of others."""
    durations, space = drive.timing.durations, drive.space
    if drive.geometry.flash_pages_per_block % durations.levels:
        raise ValueError("flash.program_unit = word-line needs blocks of whole word lines")
    if durations.pages_per_word_line != durations.levels:
        raise ValueError("flash.program_unit = word-line needs as many pages in a word line as levels")
    if space.shared or space.pages_on_arrival:
        raise ValueError("flash.program_unit = word-line needs a GC open block of its own and pages at-start")


def _check_placement(drive: Drive) -> None:
    """What a placement by level does not go with."""
    if drive.placement is not None:
        if drive.space.shared or drive.space.pages_on_arrival or _joins_by_number(drive):
            raise ValueError("ftl.placement by level needs separate blocks, and planes that need not agree")
        if drive.raid is not None or drive.timing.durations.program_unit > 1:
            raise ValueError("ftl.placement by level needs pages programmed one by one, no raid5")


def _check_separation(drive: Drive) -> None:
    """What classes that are kept apart do not go with."""
    if drive.separation is None:
        return
    if drive.space.shared or drive.space.pages_on_arrival:
        raise ValueError("ftl.separation needs separate blocks and pages at-start")
    if drive.separation.gc is not None and _joins_by_number(drive):
        raise ValueError("ftl.separation.relocated = by-class does not go with multi_plane of the same page")
    if drive.separation.gc is not None and drive.timing.durations.program_unit > 1:
        raise ValueError("ftl.separation.relocated = by-class needs program units of one page")
    if drive.placement is not None:
        raise ValueError("ftl.separation needs ftl.placement = append")
    if drive.deferral is not None:
        raise ValueError("ftl.separation does not go with gc.deferral")
    plans = isinstance(drive.jobs.relocation, CopybackOddEven | Buffered)
    if drive.separation.gc is not None and plans:
        raise ValueError("ftl.separation.relocated = by-class needs gc.relocation = controller or copyback")
