//! Writes without time, batched by plane: they wait in a queue for each plane, and those of a plane are done one after
//! the other, so that what is kept of it stays in the processor's cache and no policy is asked before a block fills up.
//!
//! The drive ends as it does when each is done at once: a page stays in the plane that allocation gives it, and the
//! policies that are allowed here go by what happened in one plane alone. What goes by all planes is set afterwards:
//! the clock at which blocks were sealed, and what had been counted by each write ([`Deed`]).

use super::state::Ftl;
use crate::gc::events::BlockEvents;
use crate::gc::victim::Losses;
use crate::ids::{BlockId, Lpn, PlaneId, Ppn};
use crate::mapping::{BlockState, Place, Stream};

/// So many writes before the entry of a page is needed, it is fetched.
const AHEAD: usize = 24;

/// Fewest and most writes that wait; between them, a thirty-second of the drive's pages.
const FEWEST: u32 = 1 << 14;
const MOST: u32 = 1 << 22;

/// While a batch is done, the clock says which write is being done and how many pages that has programmed, with this
/// bit, so that such instants can be told from others.
const WITHIN: u64 = 1 << 63;
const PAGES_BITS: u32 = 24;

/// Writes that wait.
pub(crate) struct Batch {
    /// By plane, in the order in which they came.
    queues: Box<[Vec<Waiting>]>,
    count: u32,
    most: u32,
    deeds: Vec<Deed>,
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
        let most = (self.geometry.logical_pages / 32).clamp(FEWEST, MOST);
        let queues = (0..self.geometry.planes()).map(|_| Vec::new()).collect();
        Some(Batch { queues, count: 0, most, deeds: Vec::new() })
    }

    /// Whether all that a write does follows from the writes of its plane.
    fn goes_by_plane(&mut self) -> bool {
        let policies = &mut self.policies;
        let terms = policies.trigger.terms();
        let hears = policies.somebody_hears != BlockEvents::NONE || self.notes_writes || policies.borrows;
        let remembers = policies.limit_remembers || policies.concurrency.holds_back();
        let by_free_blocks = terms.goes_by_free_blocks && !terms.of_drive;
        let parts = self.superblocks.is_some() || self.cache.is_some() || self.geometry.parts_of_page > 1;
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
            && self.pages_are_at_home()
    }

    /// Whether every page lies in the plane that allocation gives it: it need not where another policy placed it.
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
        batch.queues[order.plane_of(lpn).index()].push(Waiting { lpn, turn: batch.count });
        batch.count += 1;
    }

    /// Does all writes that wait.
    ///
    /// # Panics
    /// As [`Self::write_now`].
    pub(crate) fn write_batch(&mut self, batch: &mut Batch) {
        debug_assert!(self.signals.is_empty(), "whatever was to be collected has been");
        let Batch { queues, count, deeds, .. } = batch;
        let (began, _) = self.tally.clock();
        deeds.clear();
        for (plane, queue) in (0..).map(PlaneId).zip(queues.iter_mut()) {
            self.write_in_plane(plane, queue, deeds);
            queue.clear();
        }
        deeds.sort_unstable_by_key(|deed| deed.turn);
        self.set_clock_after(began, std::mem::take(count), deeds);
    }

    /// The clock goes on from before the batch, and blocks were sealed when they would have been, had each write been
    /// done at once.
    fn set_clock_after(&mut self, began: u64, count: u32, deeds: &[Deed]) {
        let mut sum = 0;
        let before = |deed: &Deed| {
            let before = sum;
            sum += u64::from(deed.relocated);
            before
        };
        let relocated_before: Vec<u64> = deeds.iter().map(before).collect();
        self.blocks.for_seals(|sealed_at| {
            if *sealed_at & WITHIN != 0 {
                let turn = (*sealed_at & !WITHIN) >> PAGES_BITS;
                let of_write = *sealed_at & ((1 << PAGES_BITS) - 1);
                let earlier = deeds.partition_point(|deed| u64::from(deed.turn) < turn);
                let relocated = relocated_before.get(earlier).copied().unwrap_or(sum);
                *sealed_at = began + turn + relocated + of_write;
            }
        });
        let (_, erased) = self.tally.clock();
        self.tally.set_clock(began + u64::from(count) + sum, erased);
    }

    fn write_in_plane(&mut self, plane: PlaneId, queue: &[Waiting], deeds: &mut Vec<Deed>) {
        queue.iter().take(AHEAD).for_each(|waiting| self.map.prefetch(waiting.lpn));
        let mut rest = queue;
        while let Some(next) = rest.first() {
            let open = self.points.open(plane, Stream::HOST);
            // The last page of a block seals it: what follows from that is done as ever.
            let quiet = rest.len().min(self.left(open).saturating_sub(1) as usize);
            if quiet > 0 && !self.planes[plane.index()].starved {
                self.write_quietly(plane, open, rest, quiet);
                rest = &rest[quiet..];
            } else {
                self.write_at_turn(*next, deeds);
                rest = &rest[1..];
            }
        }
    }

    /// Does the first writes of a plane, which all find room in its open block, and beyond which it has room.
    fn write_quietly(&mut self, plane: PlaneId, open: BlockId, queue: &[Waiting], count: usize) {
        let Self { geometry, map, blocks, policies, .. } = self;
        let first = blocks.fill(open, count as u32);
        let mut page = geometry.page(open, first);
        let mut losses = policies.victim.by_plane();
        let mut reclaimable = 0;
        for (at, waiting) in queue[..count].iter().enumerate() {
            if let Some(later) = queue.get(at + AHEAD) {
                map.prefetch(later.lpn);
            }
            if let Place::Flash(old) = map.map(waiting.lpn, page) {
                map.invalidate(old);
                let block = geometry.block_of(old);
                blocks.lose_valid(block);
                if blocks.state(block) == BlockState::Sealed {
                    reclaimable += 1;
                    if let Some(Losses::Listed(lists)) = &mut losses {
                        lists.demote_in(plane, block, blocks.valid(block));
                    }
                }
            }
            page.0 += 1;
        }
        self.planes[plane.index()].reclaimable += reclaimable;
        self.tally.note_host_pages(plane, count as u32);
    }

    /// Does one write as ever, by a clock that says which it is.
    fn write_at_turn(&mut self, Waiting { lpn, turn }: Waiting, deeds: &mut Vec<Deed>) {
        let (before, (_, erased)) = (*self.tally.counters(), self.tally.clock());
        self.tally.set_clock(WITHIN | u64::from(turn) << PAGES_BITS, erased);
        self.write_now(lpn);
        let counters = self.tally.counters();
        let relocated = (counters.gc_programs - before.gc_programs) as u32;
        let erased = (counters.erases - before.erases) as u32;
        if relocated > 0 || erased > 0 {
            deeds.push(Deed { turn, relocated, erased });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::Geometry;
    use crate::random::RandomStream;

    fn filled(set: &[(&str, &str)]) -> Ftl {
        let config = crate::testing::config("gc-bypass-mini", set);
        let mut ftl = Ftl::new(&config, &Geometry::new(&config).unwrap(), false);
        ftl.fill_now(0..ftl.geometry.logical_pages);
        ftl
    }

    #[test]
    fn only_drives_whose_planes_go_by_themselves_have_batches() {
        for set in [("gc.victim", "greedy"), ("gc.victim", "fifo"), ("gc.trigger", "foreground")] {
            assert!(filled(&[set]).batch().is_some(), "{set:?}");
        }
        for set in [
            ("gc.victim", "d-choices"),
            ("gc.victim", "cost-benefit"),
            ("gc.trigger.of", "drive"),
            ("gc.trigger", "invalid-ratio"),
            ("gc.concurrency", "channels"),
            ("gc.relocation", "coupled"),
            ("ftl.allocation", "dynamic"),
            ("ftl.gc_frontier", "shared"),
            ("ftl.wear.static_threshold", "10"),
            ("ftl.separation", "dac"),
            ("ftl.placement", "odd-even"),
        ] {
            assert!(filled(&[set]).batch().is_none(), "{set:?}");
        }
        let mut alone = filled(&[]);
        alone.write_one_by_one();
        assert!(alone.batch().is_none());
    }

    /// Batches of any size leave every page, counter and instant as writes that are done at once do.
    #[test]
    fn blocks_are_sealed_when_they_would_have_been() {
        let [mut batched, mut each] = [filled(&[]), filled(&[])];
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
        }
        assert!(each.counters().erases > 100);
    }
}
