//! Operations on flash, of garbage collection, and bytes written by cause: counted by the engine and, where pages are
//! taken and blocks erased, by the translation layer.

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
        /// Host programs that began before reads that waited, because it was their turn
        /// (`controller.reads_before_write`).
        write_turns: u64 => "operations",
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

/// The figure, unless it is none: a mean over nothing.
pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

figures! {
    /// What garbage collection did, and what it cost the host.
    #[derive(Default)]
    pub struct GcResult {
        /// Bytes programmed over bytes that the host wrote (`written.nand_bytes` / `written.host_bytes`), as a drive's
        /// health log counts them: partly written pages count whole, filler and parity count, pages left empty do not;
        /// host bytes are counted before the write buffer. Null if the host wrote nothing.
        nand_write_amplification: Option<f64> => "bytes per byte",
        /// Write amplification in pages: (pages programmed for the host, moved by garbage collection or static wear
        /// levelling, folded from the SLC cache, of parity, padded and wasted) / pages programmed for the host; null
        /// without these. Use bytes to compare page sizes.
        write_amplification: Option<f64> => "pages per page",
        /// Pages padded (`flash.padded_pages`) for each page of the host; null without host programs.
        padded_pages_per_host_page: Option<f64> => "ratio",
        /// Collection jobs begun: one victim each, without those of wear levelling.
        jobs: u64 => "jobs",
        /// Pages programmed to move them, as `flash.gc_programs`.
        pages_moved: u64 => "pages",
        /// Valid pages of a victim when it was chosen, mean; null without a victim.
        valid_pages_per_victim: Option<f64> => "pages",
        /// Erased pages of a plane (free blocks, and the rest of open ones), in blocks: mean over planes and host page
        /// writes; null without these. They are spare space without garbage: the more, the higher is write
        /// amplification.
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

figures! {
    /// Bytes that the host wrote, and bytes that were programmed, by cause. A page of flash counts whole, however much
    /// of it is data: that is what the health log of a drive counts. With `geometry.mapping_unit` its parts count one
    /// by one, and those that hold nothing are filler, so that the page counts once.
    #[derive(Copy, Default, Eq)]
    pub struct WrittenResult {
        /// Bytes of writes of the host, counted as they enter the write buffer: before pages are merged there, whatever
        /// share of a page they cover, and without trims.
        host_bytes: u64 => "bytes",
        /// Bytes programmed: the sum of the seven causes below.
        nand_bytes: u64 => "bytes",
        /// For writes of the host: the pages of `flash.host_programs`.
        nand_host_bytes: u64 => "bytes",
        /// Moved by garbage collection, by copyback, too: the pages of `flash.gc_programs`.
        nand_collection_bytes: u64 => "bytes",
        /// Folded from the SLC cache into ordinary blocks.
        nand_folding_bytes: u64 => "bytes",
        /// Moved by static wear levelling: the pages of `flash.wear_programs`.
        nand_levelling_bytes: u64 => "bytes",
        /// Parity, and pages of a lost chip that were rebuilt: the pages of `flash.parity_programs`.
        nand_parity_bytes: u64 => "bytes",
        /// Translation pages (`ftl.mapping_cache`), but for those that collection moved.
        nand_translation_bytes: u64 => "bytes",
        /// Filler: pages without data that were programmed together with others of their unit.
        nand_padding_bytes: u64 => "bytes",
        /// Pages that the odd/even rule of copyback left empty: erased with their block, never programmed.
        empty_bytes: u64 => "bytes",
    }
}

impl WrittenResult {
    /// What has been counted, on flash of such pages (or of such parts of pages, where those are mapped).
    pub fn of(counters: &FtlCounters, page_bytes: u32) -> Self {
        let bytes = |pages: u64| pages * u64::from(page_bytes);
        Self {
            host_bytes: counters.host_bytes,
            nand_bytes: bytes(counters.programmed_pages()),
            nand_host_bytes: bytes(counters.host_programs),
            nand_collection_bytes: bytes(counters.gc_programs),
            nand_folding_bytes: bytes(counters.fold_programs),
            nand_levelling_bytes: bytes(counters.wear_programs),
            nand_parity_bytes: bytes(counters.parity_programs),
            nand_translation_bytes: bytes(counters.translation_programs),
            nand_padding_bytes: bytes(counters.filler_pages()),
            empty_bytes: bytes(counters.empty_pages),
        }
    }

    /// Bytes programmed over bytes that the host wrote; `None` where it wrote none.
    pub fn amplification(&self) -> Option<f64> {
        finite(self.nand_bytes as f64 / self.host_bytes as f64)
    }
}
