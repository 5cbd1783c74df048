"""How many runs used which setting, and in how many what happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from differential.case import Case
from differential.compare import Outcome
from differential.rules import Exercised

_CHOICES = """
geometry.channels geometry.chips_per_channel geometry.dies_per_chip geometry.planes_per_die flash.cell
flash.program_unit flash.flush_after flash.flush_clock flash.level_order flash.multi_plane flash.dies_overlap
flash.suspend.program flash.suspend.erase flash.plane_reads flash.cache_reads flash.cache_programs
flash.read_retry.rate flash.initial_erases channel.order channel.partial_programs interconnect.kind
interconnect.rows interconnect.columns interconnect.hop interconnect.entry interconnect.gc_controller
interconnect.elevate interconnect.elevate_after interconnect.resend interconnect.distance
ftl.allocation.kind ftl.allocation.by ftl.placement.kind ftl.placement.short_lived
ftl.placement.open_blocks ftl.separation.kind ftl.separation.open_blocks
ftl.separation.relocated ftl.superblock ftl.slc_cache.kind ftl.slc_cache.rested
ftl.gc_frontier ftl.assign_pages ftl.wear.dynamic gc.trigger.kind
gc.trigger.ratio gc.trigger.of
gc.victim.kind gc.victim.ties gc.relocation.kind gc.relocation.carry gc.relocation.capacity
gc.relocation.destination gc.relocation.chip gc.relocation.planes gc.relocation.batches
gc.relocation.hold gc.relocation.host_writes
gc.concurrency.kind gc.concurrency.theta1 gc.concurrency.theta2
gc.concurrency.max_channels gc.concurrency.rounding
gc.concurrency.usage gc.pages_in_flight gc.pace controller.merge_overwrites
controller.reads_before_write interconnect.picks
gc.block_victim_access scheduler.kind scheduler.gc_first
host.mode trace.remap trace.repeat_order warmup.kind warmup.padding measure.after redundancy.kind
redundancy.stripe_chips
redundancy.parity_blocks redundancy.rebuild_order redundancy.read_around gc.deferral.kind gc.deferral.redirect
gc.deferral.take gc.deferral.parity gc.deferral.same_stripe gc.deferral.idle
gc.deferral.ties gc.relocation.ties ftl.wear.ties interconnect.ties
"""
CHOICES = _CHOICES.split()
"""Settings of few values."""
_GIVEN = """
geometry.mapping_unit flash.wear flash.pages_per_word_line channel.granularity channel.width_bits
channel.commands.read_further_plane
ftl.wear.static_threshold flash.endurance.failures
gc.trigger.stop gc.trigger.jobs gc.victim.weights interconnect.controllers
interconnect.gc_controllers interconnect.gc_at host.link host.time_scale redundancy.unreadable_chip
redundancy.rebuild_chip
ftl.separation.base ftl.slc_cache.t_read ftl.slc_cache.t_program
redundancy.xor controller.lookup controller.command controller.cores gc.deferral.lookahead
"""
GIVEN = _GIVEN.split()
"""Settings of which it counts whether they are given."""
_NEW = """
flash.cache_programs=true flash.plane_reads=independent flash.cache_reads=true flash.read_retry.rate
flash.wear flash.initial_erases!0 flash.program_unit=word-line flash.suspend.program=true
flash.multi_plane!off geometry.mapping_unit ftl.slc_cache.kind=static ftl.superblock ftl.separation.kind
ftl.separation.relocated=by-class ftl.placement.kind ftl.assign_pages=on-arrival ftl.wear.static_threshold
controller.merge_overwrites=true controller.cores!1 channel.order=by-class gc.pace!off gc.pages_in_flight!1
gc.relocation.kind=copyback-odd-even|pcgc|coupled gc.relocation.carry=true gc.relocation.kind=buffered
gc.concurrency.idle=true gc.concurrency.gate_memory!none redundancy.kind=raid5 measure.after=first-round
measure.power_cut_every warmup.scheme
"""
NEW = _NEW.split()
"""Settings of which every two that can go together do so in some run."""
_IN_PLACES = "ftl.separation.relocated=by-class ftl.placement.kind ftl.assign_pages=on-arrival"
_COPIES = "gc.relocation.kind=copyback-odd-even|pcgc|coupled gc.relocation.carry=true"
_OTHERS = f"{_COPIES} gc.relocation.kind=buffered"
_LIMITS = "gc.concurrency.idle=true gc.concurrency.gate_memory!none"
_REFUSED = {
    # 11.25, 2.5, 2.8, 2.9, 4.43: by the first setting.
    "flash.cache_programs=true": "flash.program_unit=word-line flash.suspend.program=true",
    "flash.wear": "ftl.slc_cache.kind=static",
    "flash.program_unit=word-line": _IN_PLACES,
    "geometry.mapping_unit": f"{_IN_PLACES} {_OTHERS}",
    "ftl.slc_cache.kind=static": f"""{_IN_PLACES} {_OTHERS} {_LIMITS} redundancy.kind=raid5
        warmup.scheme""",
    "ftl.superblock": f"""ftl.placement.kind ftl.assign_pages=on-arrival gc.pace!off {_OTHERS}
        {_LIMITS} redundancy.kind=raid5 warmup.scheme""",
    # 2.5: classes that are kept apart, places by level, pages on arrival.
    "ftl.separation.kind": "ftl.placement.kind ftl.assign_pages=on-arrival",
    "ftl.separation.relocated=by-class": f"ftl.placement.kind ftl.assign_pages=on-arrival {_OTHERS}",
    "ftl.placement.kind": "ftl.assign_pages=on-arrival redundancy.kind=raid5",
    "ftl.assign_pages=on-arrival": f"{_OTHERS} redundancy.kind=raid5",
    # 9.8a, 13.35, 16.3; a drive has one way of relocating.
    "controller.merge_overwrites=true": "gc.relocation.kind=buffered redundancy.kind=raid5",
    "gc.pace!off": "gc.relocation.kind=buffered",
    "gc.relocation.kind=copyback-odd-even|pcgc|coupled": "gc.relocation.kind=buffered",
    "gc.relocation.carry=true": "gc.relocation.kind=buffered",
    "gc.relocation.kind=buffered": "redundancy.kind=raid5",
}
APART = frozenset(f"{one}+{other}" for one, others in _REFUSED.items() for other in others.split())
"""Those that cannot, by the rules of docs/model.md that are named."""
_EVENTS = """
flash.gc_programs flash.wear_programs flash.padded_pages flash.wasted_pages flash.wear_erases
flash.copybacks flash.multi_plane_operations flash.suspends flash.write_turns wear.failed_blocks
flash.rmw_reads flash.unmapped_reads
flash.buffer_hits flash.trimmed_pages gc.dropped_moves gc.stalled_writes buffer.waits
redundancy.stripe_reads redundancy.full_stripe_writes redundancy.update_writes redundancy.rebuild_writes
redundancy.stripe_waits redundancy.room_waits redundancy.degraded_reads
redundancy.read_arounds redundancy.trim_updates gc.deferral.warnings gc.deferral.redirects
gc.deferral.refused_redirects gc.deferral.deferred_jobs gc.deferral.idle_jobs
gc.deferral.same_stripe_redirects power_cuts.torn_stripes power_cuts.revived_pages
redundancy.rebuilt_pages redundancy.rebuilding_reads interconnect.preemptions interconnect.elevations
interconnect.circuits_resumed gc.relocation.absorbed_writes
ftl.separation.host_pages_elsewhere ftl.separation.relocated_pages_elsewhere
ftl.slc_cache.cached_pages ftl.slc_cache.host_pages_past_full_cache ftl.slc_cache.folded_pages
"""
EVENTS = _EVENTS.split()
"""Counters of which it counts in how many runs they are above zero."""


class Coverage:
    """Adds runs up."""

    def __init__(self) -> None:
        self.runs = 0
        self.requests = 0
        self.jobs = 0
        self.used: Counter[str] = Counter()
        self.pairs: Counter[str] = Counter()
        self.rules = Exercised()

    def add(self, case: Case, outcome: Outcome) -> None:
        """Count one run."""
        self.runs += 1
        self.requests += len(outcome.requests)
        self.jobs += len(outcome.gc_jobs)
        self.used.update(_settings(case.drive))
        self.pairs.update(pairs_of([setting for setting in NEW if has_setting(case.drive, setting)]))
        events = [f"{name} > 0" for name in EVENTS if outcome.counters.get(name)]
        self.used.update(events)
        if has_setting(case.drive, "redundancy.kind=raid5"):
            self.used.update(f"with raid5: {event}" for event in events)

    def merge(self, other: Coverage) -> None:
        """Add the runs of another process."""
        self.runs += other.runs
        self.requests += other.requests
        self.jobs += other.jobs
        self.used.update(other.used)
        self.pairs.update(other.pairs)
        self.rules.merge(other.rules)

    def table(self) -> str:
        """The counts as text."""
        lines = [f"{self.runs} runs, {self.requests} requests, {self.jobs} collection jobs"]
        lines += [f"{count:6}  {name}" for name, count in sorted(self.used.items())]
        return "\n".join(lines)


def _settings(drive: Mapping[str, Any]) -> Iterator[str]:
    for key in CHOICES:
        value = _at(drive, key)
        if value is not None:
            yield f"{key} = {value}"
    yield from (f"{key} is given" for key in GIVEN if _at(drive, key) is not None)


def has_setting(drive: Mapping[str, Any], setting: str) -> bool:
    """Whether a drive has a setting: `key=value`, `key` alone for any value, `key!value` for any other.

    >>> drive = {"gc": {"relocation": {"carry": True}}}
    >>> has_setting(drive, "gc.relocation.carry=true|maybe"), has_setting(drive, "gc.relocation.carry!true")
    (True, False)
    """
    key, equals, values = setting.partition("=")
    key, _, other = key.partition("!")
    found = _at(drive, key)
    if found is None or not equals:
        return found is not None and (not other or str(found).lower() != other)
    return str(found).lower() in values.lower().split("|")


def pairs_of(settings: Iterable[str]) -> list[str]:
    """Name every two of some settings; settings that are wanted together are joined in the same way.

    >>> pairs_of(["a", "b=1", "c"])
    ['a+b=1', 'a+c', 'b=1+c']
    """
    return ["+".join(two) for two in combinations(settings, 2)]


def _at(drive: Mapping[str, Any], key: str) -> Any:
    node: Any = drive
    for part in key.split("."):
        if not isinstance(node, Mapping) or part not in node:
            return None
        node = node[part]
    return node
