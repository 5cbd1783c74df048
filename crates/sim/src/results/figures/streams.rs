//! What became of the data of each stream, and the statistics of a drive with flexible data placement.

use super::measured::Measured;
use super::{ClassResult, class_result};
use crate::mapping::StreamCounters;
use crate::metric::figures;
use crate::metrics::{ClassSums, WrittenResult, finite};

figures! {
    /// What requests of one stream experienced, and what was programmed of its data. A page is of the stream that wrote
    /// it last, whatever open block it is in; parity and filler are of none.
    pub struct StreamResult {
        /// The stream, as the trace names it; 0 has all that was written without one, by warm-up, too.
        stream: u8,
        /// Bytes of its writes, counted as `written.host_bytes`.
        host_bytes: u64 => "bytes",
        /// Bytes programmed of its data, for its writes and to move them.
        nand_bytes: u64 => "bytes",
        /// The part of `nand_bytes` that moved its data: by garbage collection, static wear levelling or folding.
        relocated_bytes: u64 => "bytes",
        /// Write amplification of its data, in pages: (pages programmed for its writes and moved) / pages programmed
        /// for its writes; null without these. Parity and filler are of no stream, so that the whole drive can have
        /// more than any.
        write_amplification: Option<f64> => "pages per page",
        /// Pages in flash that hold the newest copy of its data, at the end of the run.
        valid_pages: u64 => "pages",
        /// Its reads; null in a run without time.
        read: Option<ClassResult>,
        /// Its writes; null in a run without time.
        write: Option<ClassResult>,
    }
}

figures! {
    /// What the log page *FDP Statistics* of NVMe counts of a drive with flexible data placement, over the measured
    /// part of the run. Flash has no metadata of the host here.
    #[derive(Copy, Eq)]
    pub struct FdpResult {
        /// Host Bytes with Metadata Written (HBMW): as `written.host_bytes`.
        host_bytes_with_metadata_written: u64 => "bytes",
        /// Media Bytes with Metadata Written (MBMW): as `written.nand_bytes`. Over HBMW it is the write amplification
        /// in bytes.
        media_bytes_with_metadata_written: u64 => "bytes",
        /// Media Bytes Erased (MBE): of all blocks that were erased, for whatever cause, each with all its pages,
        /// written or not.
        media_bytes_erased: u64 => "bytes",
    }
}

/// Of every stream that a request was of, or that has data.
pub(crate) fn streams(run: &Measured) -> Vec<StreamResult> {
    let bytes = |pages: u64| pages * u64::from(run.geometry.page_bytes);
    let none = &[ClassSums::default(); 2];
    let mut found = Vec::new();
    for (stream, (counters, valid_pages)) in run.streams.iter().enumerate() {
        let latencies = run.recorder.streams.as_ref().map(|streams| &streams[stream]);
        let sums = latencies.map_or(none, |latencies| &latencies.sums);
        let requests: u64 = sums.iter().map(|sums| sums.count).sum();
        if *counters == StreamCounters::default() && *valid_pages == 0 && requests == 0 {
            continue;
        }
        let all = counters.host_programs + counters.relocated_pages;
        let class = |at: usize| {
            let timed = latencies.filter(|_| !run.config.measure.untimed);
            timed.map(|latencies| class_result(&latencies.histogram(at), &sums[at], run.completions_ns))
        };
        found.push(StreamResult {
            stream: stream as u8,
            host_bytes: counters.host_bytes,
            nand_bytes: bytes(all),
            relocated_bytes: bytes(counters.relocated_pages),
            write_amplification: finite(all as f64 / counters.host_programs as f64),
            valid_pages: *valid_pages,
            read: class(0),
            write: class(1),
        });
    }
    found
}

/// The statistics, where requests name streams.
pub(crate) fn fdp(run: &Measured, written: &WrittenResult) -> Option<FdpResult> {
    let (counters, geometry) = (&run.counters, &run.geometry);
    let cache_pages = geometry.cache.map_or(0, |cache| cache.pages_per_block);
    let erased = (counters.erases + counters.wear_erases) * u64::from(geometry.pages_per_block)
        + counters.fold_erases * u64::from(cache_pages);
    (!run.streams.is_empty()).then(|| FdpResult {
        host_bytes_with_metadata_written: written.host_bytes,
        media_bytes_with_metadata_written: written.nand_bytes,
        media_bytes_erased: erased * u64::from(geometry.page_bytes),
    })
}
