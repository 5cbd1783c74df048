//! The flash translation layer: mapping, blocks, space, and the untimed half of garbage collection.
//!
//! Timed simulation and untimed warm-up drive the same state through the same methods; the timed engine only puts
//! time between *taking* a page and *committing* what was programmed there.

pub mod allocation;
mod bits;
mod blocks;
mod mapping;
mod near;
mod planes;
mod snapshot;
mod space;
mod table;
mod untimed;
mod wear;

pub use bits::Bits;
pub use blocks::{BlockState, BlockTable};
pub use mapping::{Mapping, Place, Slot};
pub use near::TOGETHER;
pub use planes::{FreeBlocks, Plane};
pub use snapshot::{SnapshotError, noted};
pub use space::{GC_RESERVE_BLOCKS, check_space};

use crate::audit::Versions;
use crate::config::{Config, GcFrontier};
use crate::engine::Stream;
use crate::flash::Geometry;
use crate::gc::trigger::{SpaceView, Trigger};
use crate::gc::victim::{BlockView, VictimPolicy};
use crate::ids::{BlockId, Lpn, PlaneId, Ppn, SlotId};
use allocation::Allocation;
use planes::Plane as PlaneBooks;

/// What victim policies see. A macro, because a method would borrow the policy too.
macro_rules! block_view {
    ($ftl:expr) => {
        BlockView {
            geometry: &$ftl.geometry,
            blocks: &$ftl.blocks,
            map: &$ftl.map,
            programmed: $ftl.programmed,
        }
    };
}

/// Page and block operations counted since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FtlCounters {
    /// Pages programmed for the host.
    pub host_programs: u64,
    /// Pages programmed by garbage collection.
    pub gc_programs: u64,
    /// Pages programmed by static wear levelling.
    pub wear_programs: u64,
    /// Blocks erased after collection.
    pub erases: u64,
    /// Blocks erased by static wear levelling.
    pub wear_erases: u64,
    /// Collection jobs begun.
    pub jobs: u64,
    /// Valid pages of the victims at the moment they were chosen.
    pub victim_valid_pages: u64,
}

impl FtlCounters {
    /// (host + GC + wear programs) / host programs; NaN before the first host program.
    pub fn write_amplification(&self) -> f64 {
        self.amplification_since(&Self::default())
    }

    /// The same for what was counted after `start`.
    pub fn amplification_since(&self, start: &Self) -> f64 {
        let all = |counters: &Self| counters.host_programs + counters.gc_programs + counters.wear_programs;
        (all(self) - all(start)) as f64 / (self.host_programs - start.host_programs) as f64
    }
}

/// Why a block is being emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Garbage collection: to win space.
    Gc,
    /// Static wear levelling: to spread erases.
    Wear,
}

/// The state of the translation layer.
pub struct Ftl {
    geometry: Geometry,
    map: Mapping,
    blocks: BlockTable,
    planes: Vec<PlaneBooks>,
    victim: Box<dyn VictimPolicy>,
    victim_stream: Stream,
    allocation: Box<dyn Allocation>,
    trigger: Box<dyn Trigger>,
    shared_frontier: bool,
    static_wear: Option<u32>,
    /// What the trigger says about space: free blocks out of the host's reach, and most jobs at once in a plane.
    host_stop: u32,
    jobs_per_plane: u32,
    /// Pages programmed since the drive was made: the clock that ages blocks.
    programmed: u64,
    counters: FtlCounters,
    /// Erased blocks of all planes.
    free_blocks: u32,
    /// Planes whose trigger should be looked at.
    signals: Vec<PlaneId>,
    versions: Option<Box<Versions>>,
}

impl std::fmt::Debug for Ftl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ftl").field("counters", &self.counters).finish_non_exhaustive()
    }
}

impl Ftl {
    /// A factory-fresh drive. With `audit`, every write carries a version number from the start.
    pub fn new(config: &Config, geometry: &Geometry, audit: bool) -> Self {
        let victim = (crate::gc::victim::MEMBERS.get(&config.gc.victim).build)(&config.gc.victim, geometry);
        let trigger = crate::gc::trigger::build(&config.gc.trigger, geometry)
            .expect("a loaded configuration is checked");
        let allocation =
            (allocation::MEMBERS.get(&config.ftl.allocation).build)(&config.ftl.allocation, geometry);
        let redundancy =
            (crate::redundancy::MEMBERS.get(&config.redundancy).build)(&config.redundancy, geometry);
        let logical_pages = geometry.logical_pages + redundancy.extra_logical_pages(geometry.logical_pages);
        Self {
            map: Mapping::new(logical_pages, geometry.pages()),
            blocks: BlockTable::new(geometry.blocks()),
            planes: space::fresh_planes(geometry, config.ftl.wear.dynamic),
            victim,
            victim_stream: Stream::new(config.seed, "victim"),
            allocation,
            host_stop: trigger.host_stop_blocks(),
            jobs_per_plane: trigger.jobs_per_plane(),
            trigger,
            shared_frontier: config.ftl.gc_frontier == GcFrontier::Shared,
            static_wear: config.ftl.wear.static_threshold,
            programmed: 0,
            free_blocks: geometry.blocks(),
            counters: FtlCounters::default(),
            signals: Vec::with_capacity(geometry.planes() as usize),
            versions: audit
                .then(|| Box::new(Versions::new(logical_pages, geometry.pages(), geometry.pages_per_block))),
            geometry: geometry.clone(),
        }
    }

    /// The mapping.
    pub fn map(&self) -> &Mapping {
        &self.map
    }

    /// The block table.
    pub fn blocks(&self) -> &BlockTable {
        &self.blocks
    }

    /// The books of a plane.
    pub fn plane(&self, plane: PlaneId) -> &Plane {
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

    /// Version numbers, when audited.
    pub fn versions(&self) -> Option<&Versions> {
        self.versions.as_deref()
    }

    /// Operations since the last reset.
    pub fn counters(&self) -> &FtlCounters {
        &self.counters
    }

    /// Start counting afresh; low-water marks too.
    pub fn reset_counters(&mut self) {
        self.counters = FtlCounters::default();
        for plane in &mut self.planes {
            plane.low_water = plane.free.len();
        }
    }

    /// The host writes `lpn`: the data is in the buffer, what it replaces is invalid. A `partial` write keeps the
    /// flash copy it does not replace wholly until [`Self::drop_backing`].
    #[inline]
    pub fn accept_write(&mut self, lpn: Lpn, partial: bool) -> SlotId {
        let before = self.map.place(lpn);
        let backing = match before {
            Place::Flash(ppn) => ppn,
            Place::Buffer(slot) => self.map.set_backing(slot, Ppn::NONE),
            Place::Nowhere => Ppn::NONE,
        };
        let (slot, _) = self.map.buffer(lpn, if partial { backing } else { Ppn::NONE });
        if !partial && backing.is_some() {
            self.invalidate(backing);
        }
        if let Some(versions) = &mut self.versions {
            versions.accepted(lpn, slot, partial && backing.is_some());
            if let Place::Buffer(older) = before {
                versions.settled(older);
            }
        }
        slot
    }

    /// A partial write has read what it needs of the old flash copy.
    pub fn drop_backing(&mut self, slot: SlotId) {
        let backing = self.map.set_backing(slot, Ppn::NONE);
        if backing.is_some() {
            self.invalidate(backing);
        }
    }

    /// The audit is told that the rest of a partly written page has come from flash.
    pub(crate) fn note_rest_read(&mut self, slot: SlotId) {
        if let Some(versions) = &mut self.versions {
            versions.settled(slot);
        }
    }

    /// The host no longer needs `lpn`. Tells whether there was anything to forget.
    pub fn trim(&mut self, lpn: Lpn) -> bool {
        let before = self.map.unmap(lpn);
        match before {
            Place::Nowhere => return false,
            Place::Flash(ppn) => self.invalidate(ppn),
            Place::Buffer(slot) => self.drop_backing(slot),
        }
        if let Some(versions) = &mut self.versions {
            versions.trimmed(lpn);
            if let Place::Buffer(slot) = before {
                versions.settled(slot);
            }
        }
        true
    }

    /// Where a host write of `lpn` should go, given the operations pending on each die.
    #[inline]
    pub fn place_write(&mut self, lpn: Lpn, pending_per_die: &[u32]) -> Option<PlaneId> {
        let books = SpaceBooks {
            ftl_planes: &self.planes,
            blocks: &self.blocks,
            geometry: &self.geometry,
            shared: self.shared_frontier,
            host_stop: self.host_stop,
        };
        let view = allocation::PlacementView { ftl: &books, geometry: &self.geometry, pending_per_die };
        self.allocation.place(lpn, &view)
    }

    /// A plane was chosen for a write that has no page yet.
    #[inline]
    pub fn promise(&mut self, plane: PlaneId) {
        self.planes[plane.index()].promised += 1;
    }

    /// The promised write got its page (or was dropped).
    #[inline]
    pub fn redeem(&mut self, plane: PlaneId) {
        self.planes[plane.index()].promised -= 1;
    }

    /// Take the next page for a host write of `lpn`, if the plane has one to give.
    #[inline]
    pub fn take_host_page(&mut self, plane: PlaneId, lpn: Lpn) -> Option<Ppn> {
        if !self.host_can_take(plane) {
            return None;
        }
        if self.left(self.planes[plane.index()].host_frontier) == 0 {
            let block = self.open_block(plane)?;
            let books = &mut self.planes[plane.index()];
            books.host_frontier = block;
            if self.shared_frontier {
                books.gc_frontier = block;
            }
        }
        self.counters.host_programs += 1;
        Some(self.take(plane, self.planes[plane.index()].host_frontier, lpn))
    }

    /// Open the block after one that has just been filled, as far as space allows, so that the trigger is asked now and
    /// not at the next write. Tells whether it did.
    pub fn open_ahead(&mut self, plane: PlaneId, for_gc: Option<Cause>) -> bool {
        let books = &self.planes[plane.index()];
        if self.shared_frontier {
            return false;
        }
        match for_gc {
            Some(cause) if !books.gc_frontier.is_some() && !books.free.is_empty() => {
                let block = self.open_gc_block(plane, cause);
                self.planes[plane.index()].gc_frontier = block;
                true
            }
            None if !books.host_frontier.is_some() && self.host_can_take(plane) => {
                let Some(block) = self.open_block(plane) else { return false };
                self.planes[plane.index()].host_frontier = block;
                true
            }
            _ => false,
        }
    }

    /// Take the next page for a collected page that holds `lpn`.
    ///
    /// # Panics
    /// When there is none: the reserve kept from the host must make that impossible.
    #[inline]
    pub fn take_gc_page(&mut self, plane: PlaneId, lpn: Lpn, cause: Cause) -> Ppn {
        if self.left(self.planes[plane.index()].gc_frontier) == 0 {
            let block = self.open_gc_block(plane, cause);
            let books = &mut self.planes[plane.index()];
            books.gc_frontier = block;
            if self.shared_frontier {
                books.host_frontier = block;
            }
        }
        match cause {
            Cause::Gc => self.counters.gc_programs += 1,
            Cause::Wear => self.counters.wear_programs += 1,
        }
        self.take(plane, self.planes[plane.index()].gc_frontier, lpn)
    }

    #[inline]
    fn take(&mut self, plane: PlaneId, block: BlockId, lpn: Lpn) -> Ppn {
        let page = self.blocks.allocate(block);
        if page + 1 == self.geometry.pages_per_block {
            self.blocks.set_state(block, BlockState::Filling);
            // A full block is no frontier: it may be collected and erased before the next one is opened.
            let books = &mut self.planes[plane.index()];
            for frontier in [&mut books.host_frontier, &mut books.gc_frontier] {
                if *frontier == block {
                    *frontier = BlockId::NONE;
                }
            }
        }
        let ppn = self.geometry.page(block, page);
        self.map.claim(ppn, lpn);
        self.programmed += 1;
        ppn
    }

    /// The page a host write or a collected page would get next, without taking it: its number in the block.
    pub fn next_page_number(&self, plane: PlaneId, for_gc: bool) -> u32 {
        let books = &self.planes[plane.index()];
        let frontier = if for_gc { books.gc_frontier } else { books.host_frontier };
        if self.left(frontier) == 0 { 0 } else { self.blocks.allocated(frontier) }
    }

    /// The program of a host page ended. Tells whether its data was still the newest.
    #[inline]
    pub fn commit_host(&mut self, ppn: Ppn, slot: SlotId) -> bool {
        if let Some(versions) = &mut self.versions {
            versions.programmed_from_slot(ppn, slot);
        }
        let newest = self.map.unbuffer(slot, ppn);
        let block = self.geometry.block_of(ppn);
        if newest {
            self.blocks.gain_valid(block);
        }
        self.settle(block);
        newest
    }

    /// The program of a collected page ended. Tells whether the copy was still wanted.
    #[inline]
    pub fn commit_move(&mut self, from: Ppn, to: Ppn) -> bool {
        if let Some(versions) = &mut self.versions {
            versions.copied(from, to);
        }
        let to_block = self.geometry.block_of(to);
        let wanted = self.map.is_valid(from);
        if wanted {
            self.map.relocate(from, to);
            self.blocks.lose_valid(self.geometry.block_of(from));
            self.blocks.gain_valid(to_block);
        }
        self.settle(to_block);
        wanted
    }

    /// A program of `block` ended; the last one seals it.
    #[inline]
    fn settle(&mut self, block: BlockId) {
        self.blocks.settle(block);
        if self.blocks.state(block) == BlockState::Filling && self.blocks.in_flight(block) == 0 {
            self.seal(block);
        }
    }

    fn seal(&mut self, block: BlockId) {
        self.blocks.set_state(block, BlockState::Sealed);
        let plane = self.geometry.plane_of(block);
        let invalid = self.geometry.pages_per_block - self.blocks.valid(block);
        self.victim.on_sealed(block, &block_view!(self));
        self.gain_reclaimable(plane, invalid);
    }

    fn gain_reclaimable(&mut self, plane: PlaneId, pages: u32) {
        let books = &mut self.planes[plane.index()];
        books.reclaimable += pages;
        if books.starved && pages > 0 {
            books.starved = false;
            self.signals.push(plane);
        }
    }

    /// The flash copy at `ppn` is no longer needed.
    #[inline]
    fn invalidate(&mut self, ppn: Ppn) {
        self.map.invalidate(ppn);
        let block = self.geometry.block_of(ppn);
        self.blocks.lose_valid(block);
        if self.blocks.state(block) == BlockState::Sealed {
            self.victim.on_invalidated(block, ppn, &block_view!(self));
            self.gain_reclaimable(self.geometry.plane_of(block), 1);
        }
    }

    /// Whether the plane's trigger asks for (more) collection, and another job finds room for what it would move: each
    /// has less than a block.
    #[inline]
    pub fn wants_collection(&self, plane: PlaneId, under_way: bool) -> bool {
        let books = &self.planes[plane.index()];
        if books.jobs > 0 && (books.jobs >= self.jobs_per_plane || books.free.len() <= books.jobs) {
            return false;
        }
        self.trigger.wants(&self.space_view(plane), under_way)
    }

    /// Whether collection of the plane must go before host operations.
    #[inline]
    pub fn collection_is_urgent(&self, plane: PlaneId) -> bool {
        self.planes[plane.index()].urgent
    }

    /// The plane's free blocks have changed.
    fn note_free(&mut self, plane: PlaneId) {
        let urgent = self.trigger.urgent(&self.space_view(plane));
        self.planes[plane.index()].urgent = urgent;
    }

    #[inline]
    fn space_view(&self, plane: PlaneId) -> SpaceView {
        let books = &self.planes[plane.index()];
        SpaceView { plane, free_blocks: books.free.len(), reclaimable_pages: books.reclaimable }
    }

    /// A plane whose trigger should be looked at, because its space changed.
    #[inline]
    pub fn next_signal(&mut self) -> Option<PlaneId> {
        self.signals.pop()
    }

    /// Look at every plane's trigger: what warm-up or a restored state left to do.
    pub fn signal_all(&mut self) {
        self.signals.clear();
        self.signals.extend((0..self.geometry.planes()).rev().map(PlaneId));
    }

    /// Choose a victim of the plane and take it out of circulation.
    pub fn begin_collection(&mut self, plane: PlaneId) -> Option<BlockId> {
        let chosen = if self.planes[plane.index()].reclaimable == 0 {
            None
        } else {
            let view = block_view!(self);
            self.victim.select(plane, &view, &mut self.victim_stream)
        };
        let Some(block) = chosen else {
            self.planes[plane.index()].starved = true;
            return None;
        };
        self.remove_from_circulation(block);
        self.counters.jobs += 1;
        self.counters.victim_valid_pages += u64::from(self.blocks.valid(block));
        Some(block)
    }

    fn remove_from_circulation(&mut self, block: BlockId) {
        assert_eq!(self.blocks.state(block), BlockState::Sealed, "only a sealed block can be a victim");
        self.victim.on_removed(block, &block_view!(self));
        self.blocks.set_state(block, BlockState::Victim);
        let books = &mut self.planes[self.geometry.plane_of(block).index()];
        books.reclaimable -= self.geometry.pages_per_block - self.blocks.valid(block);
        books.jobs += 1;
        books.victim = block;
    }

    /// The emptied victim was erased.
    pub fn end_collection(&mut self, block: BlockId, cause: Cause) {
        self.blocks.erase(block);
        let books = &mut self.planes[self.geometry.plane_of(block).index()];
        books.free.push(block, self.blocks.erases(block));
        self.free_blocks += 1;
        books.jobs -= 1;
        if books.jobs == 0 {
            books.victim = BlockId::NONE;
        }
        books.erases_since_check += 1;
        self.note_free(self.geometry.plane_of(block));
        match cause {
            Cause::Gc => self.counters.erases += 1,
            Cause::Wear => self.counters.wear_erases += 1,
        }
        if let Some(versions) = &mut self.versions {
            let first = self.geometry.page(block, 0);
            versions.erased(first, self.geometry.pages_per_block);
        }
    }
}

/// The books a placement may look at.
pub(crate) struct SpaceBooks<'a> {
    ftl_planes: &'a [PlaneBooks],
    blocks: &'a BlockTable,
    geometry: &'a Geometry,
    shared: bool,
    host_stop: u32,
}
