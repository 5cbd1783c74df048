//! Operations counted, and the write amplification they amount to.

use serde::{Deserialize, Serialize};

/// Page and block operations counted since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FtlCounters {
    /// Bytes of writes of the host that have entered the write buffer.
    pub host_bytes: u64,
    /// Pages programmed for the host.
    pub host_programs: u64,
    /// Pages programmed by garbage collection.
    pub gc_programs: u64,
    /// Pages programmed by static wear levelling.
    pub wear_programs: u64,
    /// Pages programmed to fold the SLC cache.
    pub fold_programs: u64,
    /// Of the pages programmed for the host, those that the SLC cache took.
    pub cached_pages: u64,
    /// Pages of parity programmed because the host wrote.
    pub parity_programs: u64,
    /// Translation pages programmed, but for those that were relocated.
    pub translation_programs: u64,
    /// Pages without data that fill up a unit which was programmed with too few pages.
    pub padded_pages: u64,
    /// Pages without data because a rule of relocation forbade them.
    pub wasted_pages: u64,
    /// Of the wasted pages, those of units that nothing was programmed in: they stay as they were erased.
    pub empty_pages: u64,
    /// Blocks erased after collection.
    pub erases: u64,
    /// Blocks erased by static wear levelling.
    pub wear_erases: u64,
    /// Of both, blocks that have failed.
    pub failed_blocks: u64,
    /// Blocks of the SLC cache erased after they were folded.
    pub fold_erases: u64,
    /// Collection jobs begun.
    pub jobs: u64,
    /// Valid pages of the victims at the moment they were chosen.
    pub victim_valid_pages: u64,
}

impl FtlCounters {
    /// Pages taken beyond those of the host: relocated, folded, of parity, of the mapping, padded and wasted.
    pub fn pages_beyond_host(&self) -> u64 {
        let relocated = self.gc_programs + self.wear_programs + self.fold_programs;
        let beside = self.parity_programs + self.translation_programs;
        relocated + beside + self.padded_pages + self.wasted_pages
    }

    /// Pages without data that were programmed, because others of their unit were.
    pub fn filler_pages(&self) -> u64 {
        self.padded_pages + self.wasted_pages - self.empty_pages
    }

    /// Pages programmed, with data or without.
    pub fn programmed_pages(&self) -> u64 {
        self.host_programs + self.pages_beyond_host() - self.empty_pages
    }

    /// (host + GC + wear + fold + parity + translation programs + padded + wasted pages) / host programs; NaN before
    /// the first host program.
    pub fn write_amplification(&self) -> f64 {
        self.amplification_since(&Self::default())
    }

    /// The same for what was counted after `start`.
    pub fn amplification_since(&self, start: &Self) -> f64 {
        let all = |counters: &Self| counters.host_programs + counters.pages_beyond_host();
        (all(self) - all(start)) as f64 / (self.host_programs - start.host_programs) as f64
    }
}

/// What was counted of the data of one stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamCounters {
    /// Bytes of its writes that have entered the write buffer.
    pub host_bytes: u64,
    /// Pages programmed for the host.
    pub host_programs: u64,
    /// Pages programmed to move them, by garbage collection, static wear levelling or folding.
    pub relocated_pages: u64,
}

/// The same of one plane, for what tells whether all planes do their share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaneCounters {
    /// Collection jobs begun.
    pub jobs: u64,
    /// Blocks erased after they were emptied, by garbage collection, static wear levelling or folding.
    pub erases: u64,
    /// Pages programmed for the host.
    pub host_programs: u64,
    /// Pages of parity programmed because the host wrote, or a chip is rebuilt.
    pub parity_programs: u64,
    /// Pages programmed to move them, by garbage collection, static wear levelling or folding.
    pub relocated_pages: u64,
}
