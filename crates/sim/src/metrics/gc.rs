//! What garbage collection did, counted by the engine and, where victims are chosen, by the translation layer.

use super::{WrittenResult, finite};
use crate::mapping::FtlCounters;
use crate::metric::figures;

figures! {
    /// What garbage collection did, and what it cost the host.
    #[derive(Default)]
    pub struct GcResult {
        /// Bytes programmed over bytes that the host wrote (`written.nand_bytes` / `written.host_bytes`), as the health
        /// log of a drive has it: pages written in part count whole, filler and parity count, pages left empty do not,
        /// and what the host wrote is counted before the write buffer. Null if it wrote nothing.
        nand_write_amplification: Option<f64> => "bytes per byte",
        /// Write amplification in pages: (pages programmed for the host, moved by garbage collection or static wear
        /// levelling, folded from the SLC cache, of parity, padded and wasted) / pages programmed for the host; null
        /// without these. It does not see how much of a page the host wrote, so it cannot compare page sizes.
        write_amplification: Option<f64> => "pages per page",
        /// Pages padded (`flash.padded_pages`) for each page of the host; null without host programs.
        padded_pages_per_host_page: Option<f64> => "ratio",
        /// Collection jobs begun: one victim each, without those of wear levelling.
        jobs: u64 => "jobs",
        /// Pages programmed to move them, as `flash.gc_programs`.
        pages_moved: u64 => "pages",
        /// Valid pages of a victim when it was chosen, mean; null without a victim.
        valid_pages_per_victim: Option<f64> => "pages",
        /// Erased pages of a plane (free blocks and what is not yet written of open ones), in blocks: mean over the
        /// planes and over the pages the host wrote; null if it wrote none. They are spare space that holds no garbage
        /// yet, so the more there are, the higher is write amplification.
        mean_erased_blocks_per_plane: Option<f64> => "blocks",
        /// Moves given up because the host overwrote or trimmed the page first.
        dropped_moves: u64 => "pages",
        /// Fewest free blocks any plane had.
        free_blocks_low_water: u32 => "blocks",
        /// Time for which host writes could go nowhere for want of space, summed over planes.
        host_write_stall_ns: u64 => "ns",
        /// How often that happened.
        stalled_writes: u64 => "stalls",
    }
}

impl GcResult {
    /// The same with what the translation layer has counted; `low_water` are the fewest free blocks any plane had,
    /// `erased` the blocks' worth of pages that a plane kept erased.
    pub(crate) fn with(
        &self,
        counters: &FtlCounters,
        written: &WrittenResult,
        low_water: u32,
        erased: Option<f64>,
    ) -> Self {
        Self {
            nand_write_amplification: written.amplification(),
            write_amplification: finite(counters.write_amplification()),
            padded_pages_per_host_page: finite(counters.padded_pages as f64 / counters.host_programs as f64),
            jobs: counters.jobs,
            pages_moved: counters.gc_programs,
            valid_pages_per_victim: finite(counters.victim_valid_pages as f64 / counters.jobs as f64),
            mean_erased_blocks_per_plane: erased,
            free_blocks_low_water: low_water,
            ..self.clone()
        }
    }
}
