//! The state of the translation layer, and what can be asked of it.

use std::collections::VecDeque;

use super::policies::{Policies, Readings};
use super::recovery::Recovered;
use super::separation::{Separation, Terms};
use super::spare::{most_failed_blocks, settle_bound};
use super::versions::{Lost, Versions};
use crate::flash::{Geometry, Timing};
#[cfg(test)]
use crate::gc::concurrency::Concurrency;
use crate::gc::events::BlockEvent;
use crate::gc::relocation::GcBuffer;
#[cfg(test)]
use crate::gc::victim::VictimPolicy;
use crate::ids::{BlockId, Lpn, PlaneId, Ppn, SlotId};
use crate::mapping::{
    AppendPoints, BlockTable, CacheSpace, Classes, Failing, FtlCounters, Mapping, Place, PlaneCounters,
    PlaneState, StreamCounters, Streams, Superblocks, Tally, Translation, TranslationCounts, fresh_planes,
};
use crate::prefetch::prefetch;
use crate::settings::{Config, GcFrontier};
use crate::time::Nanos;

/// The state of the translation layer.
pub struct Ftl {
    pub(super) geometry: Geometry,
    pub(super) map: Mapping,
    pub(super) blocks: BlockTable,
    pub(super) planes: Vec<PlaneState>,
    /// Number of those in which collection must go before host operations.
    pub(super) urgent_planes: u32,
    pub(super) policies: Policies,
    /// Where relocation has pages wait for the erase of their victim.
    pub(super) gc_buffer: Option<GcBuffer>,
    /// Where the next page of everything goes.
    pub(super) points: AppendPoints,
    /// Whether what the host may take must be counted: the collector's pages share its blocks, or are owed.
    pub(super) counts_room: bool,
    /// Whether placement or separation choose among several open blocks of the host, and the level of each page of a
    /// block.
    pub(super) chooses_for_host: bool,
    pub(super) level_of_page: Box<[u32]>,
    /// Where classes of pages are kept apart: which they are.
    pub(super) separated: Option<Box<Separated>>,
    /// Whether it matters to anybody what the host writes: to who chooses among open blocks, or counts by stream.
    pub(super) notes_writes: bool,
    /// Whether separation chooses among several open blocks of collection.
    pub(super) chooses_collected: bool,
    /// Blocks in single-level mode, where there is a cache.
    pub(super) cache: Option<Box<CacheSpace>>,
    /// Translation pages, where the mapping does not all lie in memory.
    pub(super) translation: Option<Box<Translation>>,
    /// Blocks that planes open, collect and erase together, where they do.
    pub(super) superblocks: Option<Box<Superblocks>>,
    /// Whether pages of parity go to open blocks of their own.
    pub(super) own_parity_blocks: bool,
    /// Where stripes ask for room: number of pages that a plane may hold, valid or on their way.
    pub(super) settle_bound: Option<u32>,
    /// By plane, where there are stripes: pages in it, or on their way, whose home is another.
    pub(super) guests: Box<[u32]>,
    pub(super) static_wear: Option<u32>,
    /// Blocks that fail, where any do.
    pub(super) failing: Option<Box<Failing>>,
    /// Erases of every block before the drive was made.
    pub(super) initial_erases: u32,
    pub(super) tally: Tally,
    /// Jobs under way on each channel, where no time passes: none.
    pub(super) no_jobs: Vec<u32>,
    /// Where a warm-up pads: units of the host since their requests arrived.
    pub(super) host_units: Option<Box<HostUnits>>,
    /// Whether pages came with a state, so that another allocation may have placed them.
    pub(super) placed_elsewhere: bool,
    /// Whether writes without time are never batched by plane.
    pub(super) one_by_one: bool,
    /// Slots of a victim that is emptied without time.
    pub(super) lifted_now: Vec<SlotId>,
    /// Erased blocks of all planes.
    pub(super) free_blocks: u32,
    /// Planes whose trigger should be asked, because their space changed.
    pub(super) signals: Vec<PlaneId>,
    pub(super) versions: Option<Box<Versions>>,
}

impl std::fmt::Debug for Ftl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ftl").field("tally", &self.tally).finish_non_exhaustive()
    }
}

impl Ftl {
    /// A factory-fresh drive. With `audit`, every write carries a version number from the start.
    pub fn new(config: &Config, geometry: &Geometry, audit: bool) -> Self {
        let policies = Policies::new(config, geometry);
        let logical_pages = geometry.stored_pages;
        let classes = policies.separation.terms();
        let open_blocks = policies.placement.open_blocks().or(classes.map(|terms| terms.classes));
        let relocated = classes.map_or(1, |terms| terms.relocated);
        let shares = config.ftl.gc_frontier == GcFrontier::Shared;
        let timing = Timing::new(config);
        let gc_buffer = policies.relocation.buffer_rules().map(GcBuffer::new);
        let mut ftl = Self {
            points: AppendPoints::new(
                geometry.planes(),
                open_blocks.unwrap_or(1),
                (!shares).then_some(relocated),
                geometry.superblock_planes > 1,
            ),
            chooses_for_host: open_blocks.is_some(),
            level_of_page: (0..geometry.pages_per_block).map(|page| timing.level(page)).collect(),
            cache: geometry.cache.map(|cache| Box::new(CacheSpace::new(geometry, cache))),
            translation: geometry.translation.map(|pages| Box::new(Translation::new(pages))),
            superblocks: Superblocks::new(geometry),
            // Superblocks are chosen when a unit is sent to a plane.
            chooses_collected: relocated > 1 && geometry.superblock_planes == 1,
            separated: classes
                .map(|terms| Box::new(Separated::new(policies.separation.as_ref(), terms, geometry))),
            notes_writes: open_blocks.is_some(),
            settle_bound: settle_bound(config, geometry),
            map: Mapping::new(logical_pages, geometry.pages()),
            blocks: BlockTable::new(geometry.blocks(), config.flash.initial_erases),
            urgent_planes: 0,
            planes: fresh_planes(geometry, config.ftl.wear.dynamic, config.flash.initial_erases),
            counts_room: shares
                || gc_buffer.is_some()
                || geometry.cache.is_some()
                || geometry.superblock_planes > 1
                || open_blocks.is_some(),
            own_parity_blocks: policies.redundancy.has_own_blocks(),
            policies,
            gc_buffer,
            host_units: None,
            placed_elsewhere: false,
            one_by_one: false,
            lifted_now: Vec::with_capacity(geometry.pages_per_block as usize),
            no_jobs: vec![0; geometry.channels as usize],
            guests: vec![0; if geometry.stripes.is_some() { geometry.planes() as usize } else { 0 }].into(),
            static_wear: config.ftl.wear.static_threshold,
            failing: Failing::new(config, geometry, || most_failed_blocks(config, geometry)),
            initial_erases: config.flash.initial_erases,
            free_blocks: geometry.ordinary_blocks() * geometry.planes(),
            tally: Tally::new(geometry.planes(), geometry.translation),
            signals: Vec::with_capacity(geometry.planes() as usize),
            versions: audit.then(|| {
                Box::new(Versions::new(logical_pages, geometry, config.measure.power_cut_every.is_some()))
            }),
            geometry: geometry.clone(),
        };
        ftl.fail_before(config.flash.initial_erases);
        ftl
    }

    /// The same with a victim policy that configuration does not name, before anything is written.
    #[cfg(test)]
    pub(crate) fn with_victim(mut self, victim: Box<dyn VictimPolicy>) -> Self {
        self.policies.victim_hears = victim.listens();
        self.policies.somebody_hears = victim.listens().and(self.policies.trigger_hears);
        self.policies.victim = victim;
        self
    }

    /// The same with a limit of jobs that configuration does not name.
    #[cfg(test)]
    pub(crate) fn with_limit(mut self, limit: Box<dyn Concurrency>) -> Self {
        self.policies.concurrency = limit;
        self
    }

    /// The mapping.
    pub fn map(&self) -> &Mapping {
        &self.map
    }

    /// The block table.
    pub fn blocks(&self) -> &BlockTable {
        &self.blocks
    }

    /// Where the next pages go.
    pub fn points(&self) -> &AppendPoints {
        &self.points
    }

    /// The state of a plane.
    pub fn plane(&self, plane: PlaneId) -> &PlaneState {
        &self.planes[plane.index()]
    }

    /// The dimensions.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Erased blocks of all planes.
    pub fn free_blocks(&self) -> u32 {
        self.free_blocks
    }

    /// Whether any block was erased since the drive was made.
    pub fn has_erased(&self) -> bool {
        self.blocks.all_erases().iter().any(|erases| *erases > self.initial_erases)
    }

    /// Number of pages written and not erased since, valid or not: a gauge of how full the flash is.
    #[inline]
    pub fn used_pages(&self) -> u64 {
        self.tally.used_pages()
    }

    /// What a power cut would destroy now, if blocks that begin with these pages are being erased.
    ///
    /// # Panics
    /// When the drive keeps no versions.
    pub(crate) fn lost_by_power_cut(&mut self, erasing: &[Ppn]) -> Lost {
        let versions = self.versions.as_mut().expect("versions are kept where the power may be cut");
        versions.lost_by_power_cut(&self.map, erasing)
    }

    /// What a controller finds of stripes after a power cut; nothing without stripes.
    ///
    /// # Errors
    /// When a stripe comes back otherwise than it was acknowledged.
    pub(crate) fn recover_stripes(&mut self, erasing: &[Ppn]) -> Result<Recovered, String> {
        let (Some(versions), Some(stripes)) = (&mut self.versions, &self.geometry.stripes) else {
            return Ok(Recovered::default());
        };
        versions.recover_stripes(&self.map, stripes, erasing)
    }

    /// Version numbers, when audited.
    pub fn versions(&self) -> Option<&Versions> {
        self.versions.as_deref()
    }

    /// Operations since the last reset.
    pub fn counters(&self) -> &FtlCounters {
        self.tally.counters()
    }

    /// The same of each plane, by its number.
    pub fn plane_counters(&self) -> &[PlaneCounters] {
        self.tally.of_planes()
    }

    /// Where the counters of the policies that decide without time stand.
    pub fn policy_readings(&self) -> Readings {
        let mut readings = self.policies.readings();
        let elsewhere = self.separated.as_ref().map_or([0; 2], |separated| separated.elsewhere);
        readings.separation = self.policies.separation.metrics(elsewhere);
        readings.slc_cache = self.policies.slc_cache.metrics(&self.cache_counts());
        let counts = self.translation.as_ref().map(|translation| translation.counts).unwrap_or_default();
        let counts = TranslationCounts { programs: self.tally.translation_programs(), ..counts };
        readings.mapping_cache = self.policies.mapping_cache.metrics(&counts);
        readings.relocation.extend(self.gc_buffer.iter().flat_map(GcBuffer::readings));
        readings
    }

    /// The weight that the victim policy keeps of a block, if it keeps one.
    pub fn block_weight(&self, block: BlockId) -> Option<u64> {
        self.policies.victim.block_weight(block)
    }

    /// The same, added up anew.
    pub(crate) fn recounted_weight(&self, block: BlockId) -> Option<u64> {
        self.policies.victim.recounted_weight(block, &block_view!(self))
    }

    /// Pages taken since counting began, whatever for.
    pub(crate) fn pages_taken(&self) -> u64 {
        self.tally.pages_taken()
    }

    /// From now on what is written and relocated is counted by stream, too.
    pub(crate) fn count_streams(&mut self) {
        self.tally.count_streams(Streams::new(self.geometry.logical_pages));
        self.notes_writes = true;
    }

    /// Whether it is.
    pub(crate) fn counts_streams(&self) -> bool {
        self.tally.streams().is_some()
    }

    /// What was counted of each stream since the last reset, by its number, and how many valid pages it has; nothing
    /// where that is not counted.
    pub(crate) fn stream_counters(&self) -> Vec<(StreamCounters, u64)> {
        let Some(streams) = self.tally.streams() else { return Vec::new() };
        let mut counters: Vec<_> = streams.counters().iter().map(|counters| (*counters, 0)).collect();
        for lpn in (0..self.geometry.logical_pages).map(Lpn) {
            counters[usize::from(streams.of(lpn))].1 += u64::from(self.map.flash_copy(lpn).is_some());
        }
        counters
    }

    /// Start counting afresh; low-water marks too.
    pub fn reset_counters(&mut self) {
        self.tally.reset();
        for plane in &mut self.planes {
            plane.low_water = plane.free.len();
        }
    }

    // Tells policies what happens to blocks, if they listen.

    /// Something has happened to a block.
    #[inline]
    pub(super) fn tell(&mut self, event: BlockEvent, block: BlockId) {
        if self.policies.somebody_hears.has(event.kind()) {
            self.tell_policies(event, block);
        }
    }

    /// A page was relocated from one block to another, and somebody may hear of that.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_relocated(&mut self, from: Ppn, to: Ppn) {
        let [left, reached] = [from, to].map(|page| self.geometry.block_of(page));
        self.tell(BlockEvent::Invalidated(from), left);
        self.tell(BlockEvent::Programmed(to), reached);
    }

    #[cold]
    #[inline(never)]
    fn tell_policies(&mut self, event: BlockEvent, block: BlockId) {
        // No policy knows of those of the SLC cache.
        if self.geometry.is_cache_block(block) {
            return;
        }
        if self.settle_bound.is_some() {
            let valid = &mut self.planes[self.geometry.plane_of(block).index()].valid_pages;
            match event {
                BlockEvent::Programmed(_) => *valid += 1,
                BlockEvent::Invalidated(_) => *valid -= 1,
                BlockEvent::Sealed | BlockEvent::Removed | BlockEvent::Erased => {}
            }
        }
        let view = block_view!(self);
        if self.policies.victim_hears.has(event.kind()) {
            self.policies.victim.on_block(event, block, &view);
        }
        if self.policies.trigger_hears.has(event.kind())
            && let Some(plane) = self.policies.trigger.on_block(event, block, &view)
        {
            self.signals.push(plane);
        }
    }

    // What is fetched before it is needed. The mapping tables of a large drive are far larger than any cache, so every
    // host write and every relocated page would wait for memory a few times. Which pages come next is known a little
    // ahead, though.

    /// An operation of a plane will begin or end soon.
    #[inline]
    pub(crate) fn prefetch_plane(&self, plane: PlaneId) {
        prefetch(&self.planes, plane.index());
    }

    /// The entry of a page will be needed soon: the page is read or written, and [`Self::prefetch_read`] or
    /// [`Self::prefetch_replaced`] follows before, or the program ends with which it is relocated.
    #[inline]
    pub(crate) fn prefetch(&self, lpn: Lpn) {
        self.map.prefetch(lpn);
    }

    /// A page, whose entry has been fetched, will be read.
    #[inline]
    pub(crate) fn prefetch_read(&self, lpn: Lpn) {
        if let Place::Flash(ppn) = self.map.place(lpn) {
            self.map.prefetch_valid(ppn);
            self.map.prefetch_owner(ppn);
        }
    }

    /// A page, whose entry has been fetched, will be written: what it replaces becomes invalid. Once what that touches
    /// `is_here`, what it points to follows.
    #[inline]
    pub(crate) fn prefetch_replaced(&self, lpn: Lpn, is_here: bool) {
        if let Place::Flash(ppn) = self.map.place(lpn) {
            let block = self.geometry.block_of(ppn);
            if !is_here {
                self.map.prefetch_valid(ppn);
                self.blocks.prefetch(block);
            }
            self.policies.victim.prefetch(block, is_here, &block_view!(self));
        }
    }

    /// A page to be relocated is about to arrive, and whether it is still wanted will be asked.
    #[inline]
    pub(crate) fn prefetch_source(&self, page: Ppn) {
        self.map.prefetch_valid(page);
    }
}

/// Since when units of the host have been begun. Without time, that is when their requests arrive.
pub(super) struct HostUnits {
    flush_after: Nanos,
    now_ns: u64,
    /// In the order in which they were begun.
    begun: VecDeque<BegunUnit>,
}

/// A unit that the host has begun, and may have filled since.
#[derive(Debug, Clone, Copy)]
pub(super) struct BegunUnit {
    since_ns: u64,
    /// Its first page.
    pub(super) page: Ppn,
    /// How often its block was erased before.
    pub(super) erases: u32,
}

impl HostUnits {
    pub(super) fn new(flush_after: Nanos) -> Self {
        Self { flush_after, now_ns: 0, begun: VecDeque::new() }
    }

    /// The time of requests from now on.
    pub(super) fn arrives(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
    }

    /// The host has taken a page that begins a unit, in a block that was erased so often.
    pub(super) fn begin(&mut self, page: Ppn, erases: u32) {
        self.begun.push_back(BegunUnit { since_ns: self.now_ns, page, erases });
    }

    /// The next unit that was begun long enough ago.
    pub(super) fn next_due(&mut self) -> Option<BegunUnit> {
        let due = |begun: &mut BegunUnit| begun.since_ns + self.flush_after.0 <= self.now_ns;
        self.begun.pop_front_if(due)
    }

    /// Those begun so far have been padded.
    pub(super) fn forget(&mut self) {
        self.begun.clear();
    }
}

/// What a drive has where classes are kept apart.
pub(super) struct Separated {
    /// The class of every page.
    pub(super) classes: Classes,
    /// Number of pages of the host, and of collection, that went to the block of another class.
    pub(super) elsewhere: [u64; 2],
}

impl Separated {
    /// Nothing was written, and no block is open.
    pub(super) fn new(policy: &dyn Separation, terms: Terms, geometry: &Geometry) -> Self {
        let blocks = terms.knows_blocks().then(|| geometry.blocks());
        let mut classes = Classes::new(geometry.stored_pages, policy.unwritten(), terms.knows_ages(), blocks);
        if let Some(pages) = geometry.translation {
            let class = policy.of_translation_pages();
            (0..pages.count).for_each(|index| classes.set(pages.page(index), class));
        }
        Self { classes, elsewhere: [0; 2] }
    }

    /// The host writes a page, while so many are valid: it gets its class.
    #[cold]
    pub(super) fn classify(&mut self, policy: &mut dyn Separation, lpn: Lpn, valid_pages: u64) {
        let pages = self.classes.begins();
        if pages > 0 {
            policy.on_request(lpn, pages, valid_pages);
        }
        let write = self.classes.write(lpn, valid_pages);
        self.classes.set(lpn, policy.class(&write));
    }
}
