//! Operations on flash, counted by the engine and, where pages are taken and blocks erased, by the translation layer.

use crate::mapping::FtlCounters;
use crate::metric::figures;

figures! {
    /// Operations on flash, and pages of requests that needed none.
    #[derive(Default, Eq)]
    pub struct FlashResult {
        /// Pages read for reads of the host, counted when the read is finished.
        host_reads: u64 => "pages",
        /// Pages read to move them, by garbage collection or wear levelling.
        gc_reads: u64 => "pages",
        /// Pages programmed for writes of the host, counted when the page is taken.
        host_programs: u64 => "pages",
        /// Pages programmed to move them, by garbage collection.
        gc_programs: u64 => "pages",
        /// Pages programmed to move them, by static wear levelling.
        wear_programs: u64 => "pages",
        /// Pages of parity programmed because the host wrote, counted when the page is taken.
        parity_programs: u64 => "pages",
        /// Pages without data that fill up units which were programmed with too few pages: by the flush timer, and at
        /// the end of a victim. They are programmed with the others of the unit.
        padded_pages: u64 => "pages",
        /// Pages without data because the odd/even rule of copyback forbade them. Where others of their unit were
        /// programmed they were, too (`written.nand_padding_bytes`); the rest stayed empty (`written.empty_bytes`).
        wasted_pages: u64 => "pages",
        /// Blocks erased by garbage collection.
        erases: u64 => "blocks",
        /// Blocks erased by static wear levelling.
        wear_erases: u64 => "blocks",
        /// Pages moved inside their plane, counted when the move begins; `gc_programs` or `wear_programs` has them,
        /// too.
        copybacks: u64 => "pages",
        /// Operations that covered more than one plane of a die.
        multi_plane_operations: u64 => "operations",
        /// Times a program or an erase was set aside for a read.
        suspends: u64 => "suspensions",
        /// Pages read because only a part of them was written, so that the rest had to be kept.
        rmw_reads: u64 => "pages",
        /// Pages read that were never written, or trimmed before: answered without touching flash.
        unmapped_reads: u64 => "pages",
        /// Pages read that were on their way to flash: answered from the write buffer.
        buffer_hits: u64 => "pages",
        /// Pages trimmed that held data.
        trimmed_pages: u64 => "pages",
        /// Reads for the host that were queued at a die, each time they were.
        queued_reads: u64 => "reads",
        /// Those of them that came while a plane of the die was urgent: collection there goes before them.
        urgent_reads: u64 => "reads",
    }
}

impl FlashResult {
    /// The same with what the translation layer has counted.
    pub(crate) fn with(&self, counters: &FtlCounters) -> Self {
        Self {
            host_programs: counters.host_programs,
            gc_programs: counters.gc_programs,
            wear_programs: counters.wear_programs,
            parity_programs: counters.parity_programs,
            padded_pages: counters.padded_pages,
            wasted_pages: counters.wasted_pages,
            erases: counters.erases,
            wear_erases: counters.wear_erases,
            ..self.clone()
        }
    }
}
