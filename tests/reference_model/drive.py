"""The drive: all parts put together, and the run (docs/model.md, 8.4 to 8.7)."""

from __future__ import annotations

from reference_model import (
    allocation,
    limits,
    mapping_cache,
    multi_plane,
    placement,
    schedulers,
    separation,
    slc_cache,
    superblocks,
    triggers,
    victims,
)
from reference_model.active_units import ActiveUnits
from reference_model.activity import Activity, start_of
from reference_model.addresses import Addresses
from reference_model.blocked import Blocked
from reference_model.buffer import Buffer
from reference_model.cache_programs import CachePrograms
from reference_model.channels import Channels
from reference_model.choosing import Choosing
from reference_model.collection import Collection
from reference_model.configuration import Configuration
from reference_model.counters import Counters
from reference_model.deferral.dgc import make as make_deferral
from reference_model.delays import Delays
from reference_model.dies import Dies
from reference_model.durations import Durations
from reference_model.events import Events, Kind
from reference_model.failing import Failing
from reference_model.flushes import Flushes
from reference_model.gc_buffer import GcBuffer
from reference_model.geometry import Geometry
from reference_model.groups import Groups
from reference_model.held_circuits import HeldCircuits
from reference_model.jobs import Jobs
from reference_model.link import Link
from reference_model.mapping import Mapping
from reference_model.measuring import Measuring
from reference_model.pace import Pace
from reference_model.passages import Passages
from reference_model.plane_reads import PlaneReads
from reference_model.power_cuts import PowerCuts, Versions
from reference_model.program_units import ProgramUnits
from reference_model.redundancy import superblock_parity
from reference_model.redundancy.raid5 import Raid5
from reference_model.request import Request
from reference_model.requests import Requests
from reference_model.space import Space
from reference_model.suspension import Suspension
from reference_model.timing import Timing
from reference_model.units import rounded
from reference_model.warmup import WarmUp
from reference_model.wear import WearLevelling

TOP_UP = 4_096


class Drive:
    """Every part finds the others here."""

    def __init__(self, config: Configuration, requests: list[Request]) -> None:
        self.config = config
        self.left = requests[::-1]  # not taken yet, the next one last
        self.events = Events()
        self.counters = Counters()
        self.geometry = Geometry(config)
        self.timing = Timing(Durations(config, self.geometry), lambda page: self.space.block_of(page).erases)
        self.addresses = Addresses(self, requests)
        self.trigger = triggers.make(self)
        self.separation = separation.make(self)
        self.superblocks = superblocks.make(self)
        self.parity = superblock_parity.make(self)
        self.victims = victims.make(self)
        self.collection = Collection(self)
        self.slc_cache = self.timing.durations.cache = slc_cache.make(self)
        self.space = Space(self)
        self.versions = Versions()
        self.mapping = Mapping(self)
        self.gc_buffer = GcBuffer(self)
        self.wear, self.failing = WearLevelling(self), Failing(self)
        self.allocation, self.placement = allocation.make(self), placement.make(self)
        self.channels = Channels(self)
        self.held_circuits = HeldCircuits(self)
        self.dies = Dies(self)
        self.plane_reads, self.cache_programs = PlaneReads(self), CachePrograms(self)
        self.scheduler = schedulers.make(config.scheduler)
        self.channels.ask(self.scheduler)
        self.choosing = Choosing(self)
        self.multi_plane = multi_plane.make(self)
        self.program_units = ProgramUnits(self)
        self.active_units = ActiveUnits(self)
        self.groups, self.suspension = Groups(self), Suspension(self)
        self.jobs, self.activity = Jobs(self), Activity(self)
        self.pace, self.measuring = Pace(self), Measuring(self, len(requests))
        self.power_cuts = PowerCuts(self)
        self.blocked, self.buffer = Blocked(self), Buffer(self)
        self.mapping_cache = mapping_cache.make(self)
        self.passages, self.flushes, self.requests = Passages(self), Flushes(self), Requests(self)
        self.raid = Raid5(self, self.geometry.layout) if self.geometry.layout is not None else None
        self.deferral = make_deferral(self)
        self.delays = Delays(self)
        self.running = False
        self.link = Link(self, config.link) if config.link is not None else None
        host = config.host
        self.closed_loop = host.choice("mode", ("open-loop", "closed-loop"), "open-loop") == "closed-loop"
        self.queue_depth = host.whole("queue_depth", 32)
        self.time_scale = host.number("time_scale", 1.0)
        self.warm_up = WarmUp(self)
        config.finish()
        limits.check(self)
        self.failing.begin()

    @property
    def stripes(self) -> Raid5:
        """The redundancy, for those who have to do with stripes."""
        assert self.raid is not None
        return self.raid

    def run(self) -> None:
        """8.4."""
        self._begin()
        if not self.closed_loop:
            self._schedule_arrival()
        rebuild = self.raid.rebuild if self.raid is not None else None
        if rebuild is not None:
            rebuild.lose()
        for plane in reversed(self.space.planes):
            self.collection.signal(plane)
        self.collection.run_triggers()
        if rebuild is not None:
            rebuild.go_on()
        while True:
            topped_up = self.closed_loop and self._top_up()
            if topped_up:
                self.jobs.consider_stalled()
                self.pace.look()
            event = self.events.next()
            if event is None and not topped_up:
                self.measuring.run_ends()
                return
            if event is not None:
                self.activity.before_event()
                self._handle(*event)
                self.collection.after_event()
                self.power_cuts.event_handled()

    def foresee(self, requests: list[Request]) -> None:
        """4.33, 13.29a: tell those of what comes who may know it."""
        if self.placement is not None:
            self.placement.lifetimes.begin(requests)
        if self.separation is not None:
            self.separation.classes.begin(requests)
        self.jobs.relocation.foresee(requests)

    def run_untimed(self, requests: list[Request]) -> None:
        """A run without time."""
        self._begin()
        self.running = False
        self.warm_up.play_untimed(requests)
        self.left.clear()
        self.gc_buffer.fallen = False

    def _begin(self) -> None:
        self.running = True
        self.start = start_of(self)
        self.space.valid_pages = sum(block.valid for block in self.space.blocks)
        if self.measuring.began is not None:
            self.activity.begin()
        if self.deferral is not None:
            self.deferral.begin()

    def _handle(self, kind: Kind, index: int) -> None:
        match kind:
            case Kind.DIE:
                self._phase_ends(index)
            case Kind.WAKE_UP:
                self.channels.wake_up(index)
            case Kind.LINK:
                assert self.link is not None
                self.link.arrives(index)
            case Kind.TIMER if index == self.passages.index:
                self.passages.end()
            case Kind.TIMER if index >= self.geometry.planes:
                self.delays.end(index)
            case Kind.TIMER:
                self.dies.offer(self.dies.of_plane(index))
            case Kind.ARRIVAL:
                request = self.left.pop()
                if self.deferral is not None:
                    self.deferral.look_ahead()
                self.requests.take(request)
                self._schedule_arrival()

    def _phase_ends(self, index: int) -> None:
        if index >= self.cache_programs.first_event:
            self.cache_programs.array_ends(index)
        elif index >= self.geometry.dies:
            self.plane_reads.phase_ends(self.plane_reads.station(index))
        else:
            self.groups.phase_ends(self.dies.all[index])

    def _schedule_arrival(self) -> None:
        """8.6."""
        if self.left:
            self.events.schedule(max(self.events.now, self.scaled_time(self.left[-1])), Kind.ARRIVAL)

    def scaled_time(self, request: Request) -> int:
        """8.6."""
        return self.scaled(request.time)

    def scaled(self, time: int) -> int:
        """8.6: a time of the trace, in the drive's."""
        return time if self.time_scale == 1 else rounded(time / self.time_scale)

    def _top_up(self) -> bool:
        """8.7: return whether a request was let in."""
        taken = 0
        while self.left and self.requests.outstanding < self.queue_depth and taken < TOP_UP:
            self.requests.take(self.left.pop())
            taken += 1
        return taken > 0
