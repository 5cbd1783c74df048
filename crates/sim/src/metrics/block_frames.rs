//! What every block of a small drive held at some moments of a run, as a table of what changed from one to the next:
//! for a picture that moves. As with timelines, the moments lie twice as far apart when there are too many of them.

use crate::ids::BlockId;
use crate::mapping::BlockTable;
use crate::metric::figures;
use crate::time::{Nanos, SimTime};

/// Moments of a table at most, without that of the end.
const MOST_FRAMES: usize = 256;

/// How far moments lie apart at first.
const FIRST_INTERVAL: Nanos = Nanos(10_000);

figures! {
    /// One row per block whose content has changed since the moment before; of the first moment, one of each block.
    #[derive(Default, Eq)]
    pub struct BlockFrames {
        /// The moment, after the start of the trace.
        at_ns: Vec<u64> => "ns",
        /// Number of the block in the drive: those of a plane follow each other.
        block: Vec<u32>,
        /// 0 erased, 1 open, 2 full with programs under way, 3 full, 4 being collected, 5 full in the
        /// SLC cache.
        state: Vec<u8>,
        /// Pages taken for programs since it was erased.
        written_pages: Vec<u32> => "pages",
        /// Those of them that hold the newest copy of a logical page.
        valid_pages: Vec<u32> => "pages",
    }
}

/// What a block holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Content {
    state: u8,
    written: u32,
    valid: u32,
}

/// Records what blocks hold: asked whenever an interval of the timeline has ended, before the next event.
#[derive(Debug)]
pub struct BlockFramesRecorder {
    blocks: usize,
    moments: Vec<SimTime>,
    /// All blocks of the first moment, then of the next.
    contents: Vec<Content>,
    interval: Nanos,
    next: SimTime,
}

impl BlockFramesRecorder {
    /// For a drive of so many blocks.
    pub fn new(blocks: usize) -> Self {
        Self {
            blocks,
            moments: Vec::with_capacity(MOST_FRAMES + 1),
            contents: Vec::with_capacity((MOST_FRAMES + 1) * blocks),
            interval: FIRST_INTERVAL,
            next: SimTime::ZERO,
        }
    }

    /// Recording begins, whatever there was before.
    pub fn begin(&mut self, now: SimTime, table: &BlockTable) {
        self.moments.clear();
        self.contents.clear();
        self.interval = FIRST_INTERVAL;
        self.take(now, table);
        self.next = now + self.interval;
    }

    /// The next event is at `at`, and blocks have held what they hold now since the last.
    pub fn look(&mut self, at: SimTime, table: &BlockTable) {
        if at < self.next {
            return;
        }
        if self.moments.len() == MOST_FRAMES {
            self.halve();
        }
        let from = self.moments[0];
        let passed = at.since(from).0 / self.interval.0;
        let moment = from + Nanos(passed * self.interval.0);
        if moment >= self.next {
            self.take(moment, table);
        }
        self.next = moment + self.interval;
    }

    /// The run is over.
    pub fn end(&mut self, now: SimTime, table: &BlockTable) {
        if self.moments.last() != Some(&now) {
            self.take(now, table);
        }
    }

    fn take(&mut self, moment: SimTime, table: &BlockTable) {
        self.moments.push(moment);
        self.contents.extend((0..self.blocks).map(|block| {
            let block = BlockId(block as u32);
            Content {
                state: table.state(block) as u8,
                written: table.allocated(block),
                valid: table.valid(block),
            }
        }));
    }

    /// Every second moment goes, and the next lie twice as far apart.
    fn halve(&mut self) {
        for kept in 0..self.moments.len() / 2 {
            self.moments[kept] = self.moments[2 * kept];
            let from = 2 * kept * self.blocks;
            self.contents.copy_within(from..from + self.blocks, kept * self.blocks);
        }
        self.moments.truncate(self.moments.len() / 2);
        self.contents.truncate(self.moments.len() * self.blocks);
        self.interval = Nanos(2 * self.interval.0);
    }

    /// What has been recorded.
    pub fn table(&self) -> BlockFrames {
        let mut table = BlockFrames::default();
        let frames: Vec<_> = self.contents.chunks_exact(self.blocks).collect();
        for (at, (moment, frame)) in self.moments.iter().zip(&frames).enumerate() {
            for (block, content) in (0..).zip(*frame) {
                if at > 0 && frames[at - 1][block as usize] == *content {
                    continue;
                }
                table.at_ns.push(moment.0);
                table.block.push(block);
                table.state.push(content.state);
                table.written_pages.push(content.written);
                table.valid_pages.push(content.valid);
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_any_length_has_a_bounded_number_of_moments() {
        let mut table = BlockTable::new(2, 0);
        let mut frames = BlockFramesRecorder::new(2);
        frames.begin(SimTime(500), &table);
        for event in 1..10_000_u64 {
            frames.look(SimTime(500 + 10_000 * event), &table);
            if event.is_multiple_of(100) {
                table.set_valid(BlockId(1), (event / 100) as u32);
            }
        }
        frames.end(SimTime(100_000_000), &table);
        assert!((MOST_FRAMES / 2..=MOST_FRAMES + 1).contains(&frames.moments.len()));
        assert!(frames.moments.is_sorted());
        assert_eq!(frames.contents.capacity(), (MOST_FRAMES + 1) * 2, "nothing is allocated on the way");
        let rows = frames.table();
        assert_eq!(rows.block[..2], [0, 1]);
        assert!(rows.block[2..].iter().all(|block| *block == 1), "the other never changes");
        assert_eq!(*rows.valid_pages.last().unwrap(), 99);
    }

    #[test]
    fn a_long_rest_is_one_moment() {
        let table = BlockTable::new(1, 0);
        let mut frames = BlockFramesRecorder::new(1);
        frames.begin(SimTime(0), &table);
        frames.look(SimTime(1_000_000_000_000), &table);
        frames.look(SimTime(1_000_000_000_001), &table);
        assert_eq!(frames.moments, [SimTime(0), SimTime(1_000_000_000_000)]);
    }
}
