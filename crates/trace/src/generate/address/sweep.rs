//! Every place once before any place a second time. A place is a multiple of `align`: what is left of one that a
//! request fills in part is taken only by a request that follows it.

use super::pattern::{Address, Region};

/// Lanes that a request tries before it runs over the end of one.
const PATIENCE: usize = 64;

pub(super) struct Sweep {
    lanes: Vec<Region>,
    heads: Vec<u64>,
    /// Lanes that still have room in this sweep, in an order in which neighbours are far apart.
    open: Vec<u32>,
    turn: usize,
    end: u64,
}

impl Sweep {
    pub(super) fn new(region: Region, count: u64) -> Self {
        let places = region.bytes / region.align;
        let cut =
            |index: u64| region.slot((u128::from(places) * u128::from(index) / u128::from(count)) as u64);
        let lanes: Vec<Region> = (0..count)
            .map(|index| {
                let (start, end) =
                    (cut(index), if index + 1 == count { region.end() } else { cut(index + 1) });
                Region { start, bytes: end - start, align: region.align }
            })
            .collect();
        let mut sweep = Self { heads: Vec::new(), lanes, open: Vec::new(), turn: 0, end: region.end() };
        sweep.begin();
        sweep
    }

    fn begin(&mut self) {
        self.heads = self.lanes.iter().map(|lane| lane.start).collect();
        let count = self.lanes.len() as u32;
        // Evens before odds: lanes side by side are never neighbours in time.
        self.open = (0..count).step_by(2).chain((1..count).step_by(2)).collect();
        self.turn = 0;
    }
}

impl Sweep {
    /// The first place of a lane from `at` on.
    fn next_place(&self, lane: usize, at: u64) -> u64 {
        let Region { start, align, .. } = self.lanes[lane];
        start + (at - start).next_multiple_of(align)
    }

    /// A large request where no lane in turn has room for it: over the end of one into the next, or up to the end of
    /// all.
    fn overrun(&mut self, size_bytes: u64) -> u64 {
        self.turn %= self.open.len();
        let mut lane = self.open[self.turn] as usize;
        let offset = self.heads[lane].min(self.end - size_bytes);
        let end = offset + size_bytes;
        while lane < self.lanes.len() && self.lanes[lane].start < end {
            let taken = end.min(self.lanes[lane].end());
            self.heads[lane] = self.heads[lane].max(self.next_place(lane, taken));
            lane += 1;
        }
        self.turn += 1;
        offset
    }
}

impl Address for Sweep {
    fn next(&mut self, size_bytes: u64, _progress: f64) -> u64 {
        for _ in 0..PATIENCE {
            if self.turn >= self.open.len() {
                self.turn = 0;
            }
            let lane = self.open[self.turn] as usize;
            let head = self.heads[lane];
            if self.lanes[lane].holds(head, size_bytes) {
                self.heads[lane] = self.next_place(lane, head + size_bytes);
                self.turn += 1;
                return head;
            }
            if self.lanes[lane].holds(head, self.lanes[lane].align) {
                self.turn += 1;
            } else {
                self.open.remove(self.turn);
                if self.open.is_empty() {
                    self.begin();
                }
            }
        }
        self.overrun(size_bytes)
    }

    fn go_on(&mut self, at: u64, size_bytes: u64) -> bool {
        let lane = self.lanes.partition_point(|lane| lane.start < at).saturating_sub(1);
        let room = self.lanes[lane].holds(at, size_bytes) && self.heads[lane] == self.next_place(lane, at);
        if room {
            self.heads[lane] = self.next_place(lane, at + size_bytes);
        }
        room
    }
}
