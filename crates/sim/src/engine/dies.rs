//! All dies: what each does, how much there is for it to do, and which of them start nothing yet.

use super::die::Die;
use super::stalls::PlaneClocks;
use crate::flash::Geometry;
use crate::ids::{ChannelId, DieId, PlaneId};
use crate::settings::FlashConfig;
use crate::time::{Nanos, SimTime};

/// The dies of a drive, by their numbers.
///
/// Where planes read by themselves, parts of dies have states of their own, which wait and have events as dies do:
/// behind the dies the *reader* of each plane, and behind these its *outlet*, the cache register. Where programs are
/// loaded while the array works, the *array* of each die comes last.
#[derive(Debug)]
pub struct Dies {
    states: Box<[Die]>,
    /// Of each die what its planes read by themselves; empty where they do not.
    reading: Box<[PartWork]>,
    /// Whether the reader of each plane reads, and whether for the collector.
    readers: Box<[Option<bool>]>,
    /// Of each die whether no plane begins a read, because something of the collector that waits for all of them to
    /// have read goes first.
    held: Box<[bool]>,
    /// How long each plane read for the collector, or could not because its die was held.
    collector_reads: PlaneClocks,
    /// How long any plane of a die was occupied by one of them, data that still had to leave included: kept by the
    /// first plane of the die.
    collector_parts: PlaneClocks,
    /// Of each die the programs that are loaded or in the array; empty where a die does one after the other.
    programming: Box<[PartWork]>,
    first_array: u32,
    planes: u32,
    planes_per_die: u32,
    /// Operations waiting or running on each.
    pending: Box<[u32]>,
    /// Several operations are being queued together: dies that got one of them start none until all are queued.
    gathers: bool,
    gathered: Vec<DieId>,
    /// Channels of dies that have had nothing to do since triggers were asked last, where one waits for that.
    idle_channels: Vec<ChannelId>,
}

impl Dies {
    /// Those of a drive, with nothing to do.
    pub(super) fn new(geometry: &Geometry, flash: &FlashConfig) -> Self {
        let (dies, planes) = (geometry.dies() as usize, geometry.planes() as usize);
        let parts = usize::from(!flash.plane_reads.are_shared()) + usize::from(flash.cache_reads);
        let arrays = if flash.cache_programs { dies } else { 0 };
        let first_array = dies + parts * planes;
        let reading_planes = if parts > 0 { geometry.planes() } else { 0 };
        Self {
            states: vec![Die::default(); first_array + arrays].into(),
            reading: vec![PartWork::default(); if parts > 0 { dies } else { 0 }].into(),
            programming: vec![PartWork::default(); arrays].into(),
            first_array: first_array as u32,
            readers: vec![None; reading_planes as usize].into(),
            held: vec![false; if parts > 0 { dies } else { 0 }].into(),
            collector_reads: PlaneClocks::new(reading_planes),
            collector_parts: PlaneClocks::new(reading_planes),
            planes: geometry.planes(),
            planes_per_die: geometry.planes() / geometry.dies(),
            pending: vec![0; dies].into(),
            gathers: false,
            gathered: Vec::new(),
            idle_channels: Vec::new(),
        }
    }

    /// Each of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Die> {
        self.states[..self.pending.len()].iter()
    }

    /// Of each the time it was occupied since measuring began, ns, and the part of it in which it did operations of the
    /// host.
    pub(crate) fn worked(&self) -> impl Iterator<Item = (Nanos, Nanos)> {
        let of_parts = |parts: &[PartWork], at: usize| parts.get(at).copied().unwrap_or_default().worked();
        self.iter().enumerate().map(move |(at, die)| {
            let (reading, programming) = (of_parts(&self.reading, at), of_parts(&self.programming, at));
            (die.busy_time() + reading.0 + programming.0, die.host_time() + reading.1 + programming.1)
        })
    }

    /// Measuring begins.
    pub(super) fn start_afresh(&mut self, now: SimTime) {
        self.states.iter_mut().for_each(|die| die.start_afresh(now));
        self.reading.iter_mut().chain(&mut self.programming).for_each(|parts| parts.start_afresh(now));
    }

    /// Operations waiting or running on a die.
    #[inline]
    pub(super) fn pending(&self, die: DieId) -> u32 {
        self.pending[die.index()]
    }

    /// The same of each.
    #[inline]
    pub(super) fn pending_per_die(&self) -> &[u32] {
        &self.pending
    }

    /// There is one more operation for a die; how many there were before.
    #[inline]
    pub(super) fn one_more_pending(&mut self, die: DieId) -> u32 {
        let pending = &mut self.pending[die.index()];
        *pending += 1;
        *pending - 1
    }

    /// There is one operation less for a die; how many are left.
    #[inline]
    pub(super) fn one_less_pending(&mut self, die: DieId) -> u32 {
        let pending = &mut self.pending[die.index()];
        *pending -= 1;
        *pending
    }

    /// Whether operations are only queued.
    #[inline]
    pub(super) fn gathers_starts(&self) -> bool {
        self.gathers
    }

    /// From now on operations are only queued.
    #[inline]
    pub(super) fn begin_gathering(&mut self) {
        debug_assert!(!self.gathers, "the end of one would end the other");
        self.gathers = true;
    }

    /// An operation was queued for a die, which is to start it when all are.
    #[inline]
    pub(super) fn gather_start(&mut self, die: DieId) {
        self.gathered.push(die);
    }

    /// All are queued: dies that were to start something follow, until [`Self::forget_gathered`].
    #[inline]
    pub(super) fn end_gathering(&mut self) {
        self.gathers = false;
    }

    /// A die that was to start something, by the order in which operations were queued.
    #[inline]
    pub(super) fn gathered_start(&self, at: usize) -> Option<DieId> {
        self.gathered.get(at).copied()
    }

    /// All of them have been offered what was queued for them.
    #[inline]
    pub(super) fn forget_gathered(&mut self) {
        self.gathered.clear();
    }

    /// A die of a channel has nothing left to do.
    pub(super) fn note_idle_channel(&mut self, channel: ChannelId) {
        self.idle_channels.push(channel);
    }

    /// Whether any was noted since they were taken last.
    pub(super) fn has_idle_channels(&self) -> bool {
        !self.idle_channels.is_empty()
    }

    /// Those that were noted, in that order.
    pub(super) fn take_idle_channels(&mut self) -> impl Iterator<Item = ChannelId> {
        self.idle_channels.drain(..)
    }
}

// Planes that read by themselves.
impl Dies {
    /// Dies, and parts of them that wait and have events by themselves.
    pub(super) fn stations(&self) -> u32 {
        self.states.len() as u32
    }

    /// Of each station the die that it belongs to.
    pub(super) fn homes(&self) -> impl Iterator<Item = DieId> {
        (0..self.stations()).map(|station| self.home(DieId(station)))
    }

    /// The die that a station belongs to; of a die itself.
    #[inline]
    pub(super) fn home(&self, station: DieId) -> DieId {
        if station.index() < self.pending.len() { station } else { self.home_of_part(station) }
    }

    #[cold]
    #[inline(never)]
    fn home_of_part(&self, station: DieId) -> DieId {
        if station.0 >= self.first_array {
            return DieId(station.0 - self.first_array);
        }
        DieId(self.plane_of(station).0 / self.planes_per_die)
    }

    /// The plane whose reader or outlet this is.
    pub(super) fn plane_of(&self, part: DieId) -> PlaneId {
        PlaneId((part.0 - self.pending.len() as u32) % self.planes)
    }

    /// What reads the pages of a plane.
    pub(super) fn reader(&self, plane: PlaneId) -> DieId {
        DieId(self.pending.len() as u32 + plane.0)
    }

    /// What their data leave by.
    pub(super) fn outlet(&self, plane: PlaneId) -> DieId {
        DieId(self.pending.len() as u32 + self.planes + plane.0)
    }

    /// Whether a plane can begin a read.
    pub(super) fn may_read(&self, plane: PlaneId) -> bool {
        self[self.reader(plane)].may_choose()
    }

    /// Whether any plane of a die reads, or still has data to send.
    pub(super) fn reads(&self, die: DieId) -> bool {
        self.reading[die.index()].any()
    }

    /// A plane of a die begins a read.
    pub(super) fn read_begins(&mut self, die: DieId, for_host: bool, now: SimTime) {
        self.reading[die.index()].begin(for_host, now);
    }

    /// The data of one have left.
    pub(super) fn read_ends(&mut self, die: DieId, for_host: bool, now: SimTime) {
        self.reading[die.index()].end(for_host, now);
    }

    /// The reader of a plane reads from now on, perhaps for the collector, or has done so (`None`); the collection
    /// clock of its die shows `die_time`.
    pub(super) fn reader_does(
        &mut self,
        plane: PlaneId,
        for_gc: Option<bool>,
        now: SimTime,
        die_time: Nanos,
    ) {
        self.readers[plane.index()] = for_gc;
        self.keep_clock(plane, now, die_time);
    }

    /// Something of the collector that is no read goes first on a die and waits for the planes that read, or does so no
    /// longer.
    pub(super) fn hold(&mut self, die: DieId, held: bool, now: SimTime, die_time: Nanos) {
        if std::mem::replace(&mut self.held[die.index()], held) != held {
            let first = self.first_plane(die).0;
            (first..first + self.planes_per_die)
                .for_each(|plane| self.keep_clock(PlaneId(plane), now, die_time));
        }
    }

    /// The clock of a plane runs while it reads for the collector, or could read but for it.
    fn keep_clock(&mut self, plane: PlaneId, now: SimTime, die_time: Nanos) {
        let held = self.held[(plane.0 / self.planes_per_die) as usize];
        let runs = self.collector_reads.runs(plane);
        if self.readers[plane.index()].unwrap_or(held) == runs {
            return;
        }
        if runs {
            self.collector_reads.end(plane, now, die_time);
        } else {
            self.collector_reads.begin(plane, now, die_time);
        }
    }

    /// Data of the collector are in a plane from now on.
    pub(super) fn collector_data_comes(&mut self, die: DieId, now: SimTime, die_time: Nanos) {
        if self.reading[die.index()].of_collector() == 1 {
            self.collector_parts.begin(self.first_plane(die), now, die_time);
        }
    }

    /// The data of one have left.
    pub(super) fn collector_data_is_out(&mut self, die: DieId, now: SimTime, die_time: Nanos) {
        if self.reading[die.index()].of_collector() == 0 {
            self.collector_parts.end(self.first_plane(die), now, die_time);
        }
    }

    fn first_plane(&self, die: DieId) -> PlaneId {
        PlaneId(die.0 * self.planes_per_die)
    }

    /// Time that a plane has read for the collector, beside what the collection clock of its die counts.
    pub(super) fn collector_read_time(&self, plane: PlaneId, now: SimTime, die_time: Nanos) -> Nanos {
        self.collector_reads.time(plane, now, die_time)
    }

    /// The same of any plane of a die, until the data have left.
    pub(super) fn collector_part_time(&self, die: DieId, now: SimTime, die_time: Nanos) -> Nanos {
        self.collector_parts.time(self.first_plane(die), now, die_time)
    }
}

// Programs that are loaded while the array works for itself.
impl Dies {
    /// What programs the pages of a die.
    pub(super) fn array(&self, die: DieId) -> DieId {
        DieId(self.first_array + die.0)
    }

    /// Whether it does.
    pub(super) fn programs(&self, die: DieId) -> bool {
        !self[self.array(die)].may_choose()
    }

    /// Programs begin to be loaded.
    pub(super) fn program_begins(&mut self, die: DieId, for_host: bool, now: SimTime) {
        self.programming[die.index()].begin(for_host, now);
    }

    /// The array has done with them.
    pub(super) fn program_ends(&mut self, die: DieId, for_host: bool, now: SimTime) {
        self.programming[die.index()].end(for_host, now);
    }
}

impl std::ops::Index<DieId> for Dies {
    type Output = Die;
    #[inline]
    fn index(&self, die: DieId) -> &Die {
        &self.states[die.index()]
    }
}

impl std::ops::IndexMut<DieId> for Dies {
    #[inline]
    fn index_mut(&mut self, die: DieId) -> &mut Die {
        &mut self.states[die.index()]
    }
}

// How long parts of a die work by themselves: planes that read, an array that programs while data are loaded.

/// Operations of one die that are under way side by side: reads of its planes, from the command until the data have
/// left; or programs, from the command until the array has done with them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PartWork {
    operations: u32,
    /// Those of them that are of the host.
    of_host: u32,
    /// When that changed last.
    since: SimTime,
    /// Time with any since measuring began, ns.
    busy_time: Nanos,
    /// The part of it with one of the host, ns.
    host_time: Nanos,
}

impl PartWork {
    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        self.operations > 0
    }

    /// How many of them are the collector's.
    pub(super) fn of_collector(&self) -> u32 {
        self.operations - self.of_host
    }

    fn pass(&mut self, now: SimTime) {
        let passed = now.since(self.since);
        if self.operations > 0 {
            self.busy_time += passed;
        }
        if self.of_host > 0 {
            self.host_time += passed;
        }
        self.since = now;
    }

    /// Time with any since measuring began, ns, and the part of it with one of the host.
    pub(super) fn worked(&self) -> (Nanos, Nanos) {
        (self.busy_time, self.host_time)
    }

    /// One begins.
    pub(super) fn begin(&mut self, for_host: bool, now: SimTime) {
        self.pass(now);
        self.operations += 1;
        self.of_host += u32::from(for_host);
    }

    /// One has ended.
    pub(super) fn end(&mut self, for_host: bool, now: SimTime) {
        self.pass(now);
        self.operations -= 1;
        self.of_host -= u32::from(for_host);
    }

    /// Measuring begins.
    pub(super) fn start_afresh(&mut self, now: SimTime) {
        (self.busy_time, self.host_time, self.since) = (Nanos(0), Nanos(0), now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the host from 10 to 30, of the collector from 20 to 45; measured from 25 on.
    #[test]
    fn time_with_several_operations_counts_once() {
        let mut work = PartWork::default();
        let at = SimTime;
        work.begin(true, at(10));
        work.begin(false, at(20));
        assert!(work.any());
        let mut late = work;
        late.start_afresh(at(25));
        for each in [&mut work, &mut late] {
            each.end(true, at(30));
            each.end(false, at(45));
            assert!(!each.any());
        }
        assert_eq!(work.worked(), (Nanos(35), Nanos(20)));
        assert_eq!(late.worked(), (Nanos(20), Nanos(5)));
    }
}
