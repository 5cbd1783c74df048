//! Bytes: what the host wrote, and what was programmed for it, by cause.

use super::finite;
use crate::mapping::FtlCounters;
use crate::metric::figures;

figures! {
    /// Bytes that the host wrote, and bytes that were programmed, by cause. A page of flash counts whole, however much
    /// of it is data: that is what the health log of a drive counts. With `geometry.mapping_unit` its parts count one
    /// by one, and those that hold nothing are filler, so that the page counts once.
    #[derive(Copy, Default, Eq)]
    pub struct WrittenResult {
        /// Bytes of writes of the host, counted as they enter the write buffer: before pages are merged there, whatever
        /// share of a page they cover, and without trims.
        host_bytes: u64 => "bytes",
        /// Bytes programmed: the sum of the six causes below.
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
            nand_padding_bytes: bytes(counters.filler_pages()),
            empty_bytes: bytes(counters.empty_pages),
        }
    }

    /// Bytes programmed over bytes that the host wrote; `None` where it wrote none.
    pub fn amplification(&self) -> Option<f64> {
        finite(self.nand_bytes as f64 / self.host_bytes as f64)
    }
}
