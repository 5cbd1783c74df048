//! Writes without time, batched by plane: they wait in a queue for each plane, and what a plane does until its open
//! block is full is done at once, so that what is kept of it stays in the processor's cache and no policy is asked.
//!
//! The drive ends as it does when each is done at once. A page stays in the plane that allocation gives it, so that a
//! plane changes by its own writes alone. Those that fill a block may collect. Where choices of victims have a turn,
//! because they draw or look at the clock, such writes are done in the order in which they came, each after those of
//! its plane before it. Otherwise planes come one after the other, and the clock at which blocks were sealed is set
//! afterwards.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::state::Ftl;
use crate::flash::Geometry;
use crate::gc::events::{BlockEvents, BlockView};
use crate::gc::victim::Losses;
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{BlockState, BlockTable, Mapping, Place, Stream};

/// So many writes before the entry of a page is needed, it is fetched.
const AHEAD: usize = 24;

/// Fewest and most writes that wait; between them, a sixteenth of the drive's pages.
const FEWEST: u32 = 1 << 14;
const MOST: u32 = 1 << 22;

/// Where planes come one after the other, the clock says which write is being done and how many pages that has
/// programmed, with this bit, so that such instants can be told from others.
const WITHIN: u64 = 1 << 63;
const PAGES_BITS: u32 = 24;

/// Writes that wait.
pub(crate) struct Batch {
    /// What waits for each plane, by its number.
    queues: Box<[Queue]>,
    count: u32,
    most: u32,
    /// Of each plane the next write that fills a block, if it has one: its turn comes first, and then the plane.
    filling: BinaryHeap<Reverse<(u32, u32)>>,
    deeds: Vec<Deed>,
}

/// Writes of a plane, in the order in which they came.
#[derive(Default)]
struct Queue {
    waiting: Vec<Waiting>,
    done: usize,
    /// How many more can be done before one fills a block.
    quiet: usize,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    lpn: Lpn,
    /// Its place among all that wait.
    turn: u32,
}

/// What a write of a batch has made its plane do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deed {
    /// Place of the write among those of the batch.
    pub(crate) turn: u32,
    /// Number of pages relocated.
    pub(crate) relocated: u32,
    /// Number of blocks erased.
    pub(crate) erased: u32,
    /// Number of pages relocated by it and all writes of the batch before it.
    until_now: u64,
}

impl Batch {
    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether it should be done before another request is added.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.count >= self.most
    }

    /// What the batch that was done last did beside programming its pages, in their order.
    pub(crate) fn deeds(&self) -> &[Deed] {
        &self.deeds
    }

    /// How many pages the writes of the batch have relocated.
    fn relocated(&self) -> u64 {
        self.deeds.last().map_or(0, |deed| deed.until_now)
    }
}

impl Ftl {
    /// From now on there are no batches.
    pub(crate) fn write_one_by_one(&mut self) {
        self.one_by_one = true;
    }

    /// An empty batch, where writes can be batched by plane.
    pub(crate) fn batch(&mut self) -> Option<Batch> {
        if !self.goes_by_plane() {
            return None;
        }
        let most = (self.geometry.logical_pages / 16).clamp(FEWEST, MOST);
        let queues = (0..self.geometry.planes()).map(|_| Queue::default()).collect();
        Some(Batch { queues, count: 0, most, filling: BinaryHeap::new(), deeds: Vec::new() })
    }

    /// Whether all that a write does follows from the writes of its plane.
    fn goes_by_plane(&mut self) -> bool {
        let policies = &mut self.policies;
        let terms = policies.trigger.terms();
        let hears = policies.somebody_hears != BlockEvents::NONE || self.notes_writes || policies.borrows;
        let remembers = policies.limit_remembers || policies.concurrency.holds_back();
        let by_free_blocks = terms.goes_by_free_blocks && !terms.of_drive;
        let parts = self.superblocks.is_some() || self.cache.is_some() || self.geometry.parts_of_page > 1;
        let parts = parts || self.translation.is_some();
        let moves = policies.every_page.is_none() || self.gc_buffer.is_some() || self.static_wear.is_some();
        !(self.one_by_one || hears || remembers || parts || moves)
            && by_free_blocks
            && policies.victim.by_plane().is_some()
            && !(self.chooses_for_host || self.counts_room || self.chooses_collected)
            && self.geometry.stripes.is_none()
            && self.versions.is_none()
            && self.failing.is_none()
            && self.host_units.is_none()
            && self.map.slots_in_use() == 0
            && self.policies.static_order.is_some()
            && (!self.placed_elsewhere || self.pages_are_at_home())
    }

    /// Whether every page lies in the plane that allocation gives it.
    fn pages_are_at_home(&self) -> bool {
        let Some(order) = &self.policies.static_order else { return false };
        let of_plane = self.geometry.blocks_per_plane * self.geometry.pages_per_block;
        let mut planes = order.planes().iter().cycle().map(|plane| plane.0 * of_plane);
        self.map.places().all(|place| {
            let first = planes.next().unwrap_or(0);
            place.is_none_or(|Ppn(page)| page.wrapping_sub(first) < of_plane)
        })
    }

    /// Adds a write to those that wait.
    #[inline]
    pub(crate) fn write_later(&self, batch: &mut Batch, lpn: Lpn) {
        let Some(order) = &self.policies.static_order else { unreachable!("batches have an order") };
        let queue = &mut batch.queues[order.plane_of(lpn).index()];
        queue.waiting.push(Waiting { lpn, turn: batch.count });
        batch.count += 1;
    }

    /// Does all writes that wait.
    ///
    /// # Panics
    /// As [`Self::write_now`].
    pub(crate) fn write_batch(&mut self, batch: &mut Batch) {
        debug_assert!(self.signals.is_empty(), "whatever was to be collected has been");
        let (began, _) = self.tally.clock();
        batch.deeds.clear();
        let planes = (0..self.geometry.planes()).map(PlaneId);
        if self.policies.victim.chooses_in_turn() {
            for plane in planes.clone() {
                let turn = self.look_for_filling(plane, batch);
                batch.filling.extend(turn.map(|turn| Reverse((turn, plane.0))));
            }
            while let Some(Reverse((turn, plane))) = batch.filling.pop() {
                let plane = PlaneId(plane);
                self.write_quietly::<true>(plane, batch, began);
                let clock = began + u64::from(turn) + batch.relocated();
                self.fill_block(plane, turn, batch, clock);
                let turn = self.look_for_filling(plane, batch);
                batch.filling.extend(turn.map(|turn| Reverse((turn, plane.0))));
            }
            planes.for_each(|plane| self.write_quietly::<true>(plane, batch, began));
        } else {
            for plane in planes {
                while let Some(turn) = self.look_for_filling(plane, batch) {
                    self.write_quietly::<false>(plane, batch, began);
                    self.fill_block(plane, turn, batch, WITHIN | u64::from(turn) << PAGES_BITS);
                }
                self.write_quietly::<false>(plane, batch, began);
            }
            self.date_seals(batch, began);
        }
        for queue in &mut batch.queues {
            queue.waiting.clear();
            queue.done = 0;
        }
        let (_, erased) = self.tally.clock();
        self.tally.set_clock(began + u64::from(std::mem::take(&mut batch.count)) + batch.relocated(), erased);
    }

    /// Blocks were sealed when they would have been, had each write been done at once.
    fn date_seals(&mut self, batch: &mut Batch, began: u64) {
        let deeds = &mut batch.deeds;
        deeds.sort_unstable_by_key(|deed| deed.turn);
        let mut relocated = 0;
        for deed in deeds.iter_mut() {
            relocated += u64::from(deed.relocated);
            deed.until_now = relocated;
        }
        self.blocks.for_seals(|sealed_at| {
            if *sealed_at & WITHIN != 0 {
                let turn = (*sealed_at & !WITHIN) >> PAGES_BITS;
                let of_write = *sealed_at & ((1 << PAGES_BITS) - 1);
                let earlier = deeds.partition_point(|deed| u64::from(deed.turn) < turn);
                let relocated = earlier.checked_sub(1).map_or(0, |last| deeds[last].until_now);
                *sealed_at = began + turn + relocated + of_write;
            }
        });
    }

    /// Finds the turn of a plane's next write that fills a block, or of any while the plane waits for something to
    /// reclaim.
    fn look_for_filling(&self, plane: PlaneId, batch: &mut Batch) -> Option<u32> {
        let queue = &mut batch.queues[plane.index()];
        let left = self.left(self.points.open(plane, Stream::HOST));
        let starved = self.planes[plane.index()].starved;
        queue.quiet = if starved { 0 } else { left.saturating_sub(1) as usize };
        queue.waiting.get(queue.done + queue.quiet).map(|filling| filling.turn)
    }

    /// Does the next writes of a plane, which all find room in its open block, and do not fill it. Between planes that
    /// come in turn, what is kept of each has left the cache.
    fn write_quietly<const IN_TURN: bool>(&mut self, plane: PlaneId, batch: &mut Batch, began: u64) {
        let Batch { queues, deeds, .. } = batch;
        let queue = &mut queues[plane.index()];
        let rest = &queue.waiting[queue.done..];
        let writes = &rest[..queue.quiet.min(rest.len())];
        let Some(first) = writes.first() else { return };
        queue.done += writes.len();
        let Self { geometry, map, blocks, policies, tally, .. } = self;
        let open = self.points.open(plane, Stream::HOST);
        let page = geometry.page(open, blocks.fill(open, writes.len() as u32));
        let reclaimable = match policies.victim.by_plane() {
            Some(Losses::Listed(lists)) => {
                overwrite::<IN_TURN>(geometry, map, blocks, writes, page, |_, blocks, _, block, _| {
                    lists.demote_in(plane, block, blocks.valid(block));
                })
            }
            Some(Losses::Told) => {
                let mut later =
                    deeds[deeds.partition_point(|deed| deed.turn < first.turn)..].iter().peekable();
                let mut relocated = match later.peek() {
                    Some(deed) => deed.until_now - u64::from(deed.relocated),
                    None => deeds.last().map_or(0, |deed| deed.until_now),
                };
                overwrite::<IN_TURN>(geometry, map, blocks, writes, page, |map, blocks, turn, block, old| {
                    while let Some(deed) = later.next_if(|deed| deed.turn < turn) {
                        relocated = deed.until_now;
                    }
                    let programmed = began + u64::from(turn) + 1 + relocated;
                    let view = BlockView { geometry, blocks, map, programmed };
                    policies.victim.on_invalidated(block, old, &view);
                })
            }
            Some(Losses::Ignored) | None => {
                overwrite::<IN_TURN>(geometry, map, blocks, writes, page, |_, _, _, _, _| ())
            }
        };
        self.planes[plane.index()].reclaimable += reclaimable;
        tally.note_host_pages(plane, writes.len() as u32);
    }

    /// Does the next write of a plane as ever, by that clock.
    fn fill_block(&mut self, plane: PlaneId, turn: u32, batch: &mut Batch, clock: u64) {
        let queue = &mut batch.queues[plane.index()];
        let lpn = queue.waiting[queue.done].lpn;
        queue.done += 1;
        let (before, (_, erased)) = (*self.tally.counters(), self.tally.clock());
        self.tally.set_clock(clock, erased);
        self.write_now(lpn);
        let counters = self.tally.counters();
        let relocated = (counters.gc_programs - before.gc_programs) as u32;
        let erased = (counters.erases - before.erases) as u32;
        if relocated > 0 || erased > 0 {
            let until_now = batch.relocated() + u64::from(relocated);
            batch.deeds.push(Deed { turn, relocated, erased, until_now });
        }
    }
}

/// Pages are written to those of flash from `page` on. Each page of a full block that is invalid then is told, with the
/// turn of the write; says how many there are.
#[inline]
fn overwrite<const FROM_AFAR: bool>(
    geometry: &Geometry,
    map: &mut Mapping,
    blocks: &mut BlockTable,
    writes: &[Waiting],
    mut page: Ppn,
    mut lost: impl FnMut(&Mapping, &BlockTable, u32, BlockId, Ppn),
) -> u32 {
    writes.iter().take(AHEAD).for_each(|write| map.prefetch(write.lpn));
    let mut count = 0;
    for (at, write) in writes.iter().enumerate() {
        if let Some(next) = writes.get(at + AHEAD) {
            map.prefetch(next.lpn);
        }
        if FROM_AFAR
            && let Some(next) = writes.get(at + AHEAD / 2)
            && let Place::Flash(old) = map.place(next.lpn)
        {
            map.prefetch_valid(old);
            blocks.prefetch(geometry.block_of(old));
        }
        if let Place::Flash(old) = map.map(write.lpn, page) {
            map.invalidate(old);
            let block = geometry.block_of(old);
            blocks.lose_valid(block);
            if blocks.state(block) == BlockState::Sealed {
                count += 1;
                lost(map, blocks, write.turn, block, old);
            }
        }
        page.0 += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    fn filled(set: &[(&str, &str)]) -> Ftl {
        let small = [
            ("geometry.channels", "2"),
            ("geometry.chips_per_channel", "2"),
            ("geometry.pages_per_block", "16"),
            ("geometry.spare_factor", "28%"),
        ];
        let config = crate::testing::config("gc-bypass-mini", &[&small, set].concat());
        let mut ftl = Ftl::new(&config, &Geometry::new(&config).unwrap(), false);
        ftl.fill_now(0..ftl.geometry.logical_pages);
        ftl
    }

    #[test]
    fn only_drives_whose_planes_go_by_themselves_have_batches() {
        for set in ["greedy", "fifo", "d-choices", "cost-benefit", "random"].map(|name| ("gc.victim", name)) {
            assert!(filled(&[set, ("gc.trigger", "foreground")]).batch().is_some(), "{set:?}");
        }
        for set in [
            ("gc.victim", r#"{ kind = "score", score = "valid" }"#),
            ("gc.victim", "windowed-greedy"),
            ("gc.trigger.of", "drive"),
            ("gc.trigger", "invalid-ratio"),
            ("gc.concurrency", "channels"),
            ("gc.relocation", "coupled"),
            ("ftl.allocation", "dynamic"),
            ("ftl.gc_frontier", "shared"),
            ("ftl.wear.static_threshold", "10"),
            ("ftl.separation", "dac"),
            ("ftl.placement", "level-by-history"),
        ] {
            assert!(filled(&[set]).batch().is_none(), "{set:?}");
        }
        let mut alone = filled(&[]);
        alone.write_one_by_one();
        assert!(alone.batch().is_none());
    }

    /// Batches of any size leave every page, counter and instant as writes that are done at once do.
    #[rstest::rstest]
    fn blocks_are_sealed_when_they_would_have_been(
        #[values("greedy", "fifo", "d-choices", "cost-benefit", "random")] victim: &str,
    ) {
        let [mut batched, mut each] = [(); 2].map(|()| filled(&[("gc.victim", victim)]));
        let (mut random, mut batch) = (RandomStream::new(3, "batches"), batched.batch().unwrap());
        for _ in 0..40 {
            for _ in 0..random.below(3000) {
                let lpn = Lpn(random.below(each.geometry.logical_pages));
                each.write_now(lpn);
                batched.write_later(&mut batch, lpn);
            }
            batched.write_batch(&mut batch);
            assert_eq!(batched.counters(), each.counters());
            assert_eq!(batched.tally.clock(), each.tally.clock());
            for block in (0..each.geometry.blocks()).map(BlockId) {
                assert_eq!(batched.blocks.sealed_at(block), each.blocks.sealed_at(block), "{block:?}");
            }
            assert!(batched.map.places().eq(each.map.places()));
            assert_eq!(batched.policies.save(), each.policies.save());
        }
        assert!(each.counters().erases > 100);
    }
}
