//! The sums over a trace (requests, bytes, span, footprint, hash), from one pass.

use serde::{Deserialize, Serialize};

use crate::footprint::{Footprint, UNIT_BYTES};
use crate::record::Checksum;
use crate::{Op, Record, RecordSource, TraceError};

/// Declares the sums: each line a key with its type, what it says, its unit and, in braces, how it is stored.
macro_rules! sums {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[doc = $says:literal])* $key:ident: $type:ty => $unit:literal $({ $(#[$stored:meta])* })?,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name {
            $($(#[doc = $says])* $($(#[$stored])*)? pub $key: $type,)*
        }

        impl $name {
            /// Key, meaning and unit (empty where there is none) of each entry, for documentation.
            pub const DECLARED: &'static [(&'static str, &'static str, &'static str)] =
                &[$((stringify!($key), concat!($($says),*), $unit)),*];

            /// The file that declares them.
            pub const SOURCE: &'static str = file!();
        }
    };
}

sums! {
    /// What a trace contains, summed over all of its requests.
    pub struct Summary {
        /// The trace's name.
        name: String => "",
        /// The format it was read from.
        format: String => "",
        /// What kind of thing the trace is: a file, records in memory, generated, or a synthetic stand-in and for what.
        provenance: String => "" { #[serde(default)] },
        /// Number of requests of any operation.
        requests: u64 => "requests",
        /// Reads among them.
        reads: u64 => "requests",
        /// Writes among them.
        writes: u64 => "requests",
        /// Trims among them.
        trims: u64 => "requests",
        /// Flushes among them.
        flushes: u64 => "requests",
        /// Sum of the sizes of all reads.
        read_bytes: u64 => "bytes",
        /// Sum of the sizes of all writes.
        write_bytes: u64 => "bytes",
        /// Sum of the sizes of all trims: the same bytes may be trimmed many times.
        trim_bytes: u64 => "bytes",
        /// Time from the first arrival to the last.
        span_ns: u64 => "ns",
        /// One more than the highest byte that any request addresses: the least capacity that can hold the trace as
        /// it is.
        max_end_bytes: u64 => "bytes",
        /// Distinct 4 KiB units read or written.
        footprint_bytes: u64 => "bytes",
        /// Distinct 4 KiB units written.
        write_footprint_bytes: u64 => "bytes",
        /// The highest stream of a request. Absent where all are of stream 0, as in a trace that says nothing of
        /// streams.
        last_stream: u8 => "" { #[serde(default, skip_serializing_if = "is_zero")] },
        /// Reads, writes and trims whose offset or size is not a multiple of 4 KiB.
        unaligned_requests: u64 => "requests",
        /// BLAKE3 of the records as the simulator sees them: the same for the same requests in any format or
        /// compression.
        content_hash: String => "",
        /// Number of lines that could not be read and were left out, where that was asked for; otherwise 0.
        bad_lines: u64 => "lines" { #[serde(default)] },
        /// The first of them: number, what is wrong, and the text. Absent where there are none.
        first_bad_lines: Vec<String> => "" { #[serde(default, skip_serializing_if = "Vec::is_empty")] },
        /// Signs that parts of a recording are missing, a sentence each. Absent where there are none.
        warnings: Vec<String> => "" { #[serde(default, skip_serializing_if = "Vec::is_empty")] },
    }
}

impl Summary {
    /// Pages of so many bytes that are written, each as often as it is, and how many of them are different: where the
    /// sums tell, because all requests are whole pages.
    pub fn whole_pages_written(&self, page_bytes: u64) -> Option<(u64, u64)> {
        let are_whole = UNIT_BYTES.is_multiple_of(page_bytes) && self.unaligned_requests == 0;
        are_whole.then(|| (self.write_bytes / page_bytes, self.write_footprint_bytes / page_bytes))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// Sum up all records of `source`; `also` gets them, too, a batch at a time.
pub(crate) fn scan(
    name: &str,
    format: &str,
    provenance: String,
    source: &mut dyn RecordSource,
    mut also: impl FnMut(&[Record]),
) -> Result<Summary, TraceError> {
    const AT_ONCE: usize = 4096;
    let mut tally = Tally::new(name, format, provenance);
    let mut records = Vec::with_capacity(AT_ONCE);
    while source.fill(&mut records, AT_ONCE)? > 0 {
        tally.add(&records);
        also(&records);
        records.clear();
    }
    let mut summary = tally.finish();
    let bad_lines = source.bad_lines();
    (summary.bad_lines, summary.first_bad_lines) = (bad_lines.count, bad_lines.first);
    summary.warnings = bad_lines.warnings;
    Ok(summary)
}

struct Tally {
    summary: Summary,
    /// Requests and bytes of each operation, in the order of [`Op`].
    of_each: [(u64, u64); 4],
    footprint: Footprint,
    first_ns: Option<u64>,
    checksum: Checksum,
}

impl Tally {
    fn new(name: &str, format: &str, provenance: String) -> Self {
        let summary = Summary {
            name: name.to_owned(),
            format: format.to_owned(),
            provenance,
            requests: 0,
            reads: 0,
            writes: 0,
            trims: 0,
            flushes: 0,
            read_bytes: 0,
            write_bytes: 0,
            trim_bytes: 0,
            span_ns: 0,
            max_end_bytes: 0,
            footprint_bytes: 0,
            write_footprint_bytes: 0,
            last_stream: 0,
            unaligned_requests: 0,
            content_hash: String::new(),
            bad_lines: 0,
            first_bad_lines: Vec::new(),
            warnings: Vec::new(),
        };
        Self {
            summary,
            of_each: [(0, 0); 4],
            footprint: Footprint::default(),
            first_ns: None,
            checksum: Checksum::default(),
        }
    }

    fn add(&mut self, records: &[Record]) {
        let (Some(first), Some(last)) = (records.first(), records.last()) else { return };
        let first_ns = *self.first_ns.get_or_insert(first.time_ns);
        self.summary.span_ns = last.time_ns - first_ns;
        let (mut end_bytes, mut places, mut streams) = (0, 0, 0);
        for record in records {
            let (requests, bytes) = &mut self.of_each[record.op as usize];
            *requests += 1;
            // Only trims of nearly the whole 64-bit space could get this far.
            *bytes = bytes.saturating_add(record.size_bytes);
            end_bytes = record.end_bytes().max(end_bytes);
            places |= record.offset_bytes | record.size_bytes;
            streams |= record.stream;
            self.footprint.add(record);
        }
        let summary = &mut self.summary;
        summary.max_end_bytes = summary.max_end_bytes.max(end_bytes);
        // What most traces have none of is counted by itself.
        if !places.is_multiple_of(UNIT_BYTES) {
            let is_unaligned =
                |record: &&Record| !(record.offset_bytes | record.size_bytes).is_multiple_of(UNIT_BYTES);
            summary.unaligned_requests += records.iter().filter(is_unaligned).count() as u64;
        }
        if streams > 0 {
            let last = records.iter().map(|record| record.stream).fold(0, u8::max);
            summary.last_stream = summary.last_stream.max(last);
        }
        self.checksum.add(records);
    }

    fn finish(mut self) -> Summary {
        let summary = &mut self.summary;
        (summary.reads, summary.read_bytes) = self.of_each[Op::Read as usize];
        (summary.writes, summary.write_bytes) = self.of_each[Op::Write as usize];
        (summary.trims, summary.trim_bytes) = self.of_each[Op::Trim as usize];
        (summary.flushes, _) = self.of_each[Op::Flush as usize];
        summary.requests = self.of_each.iter().map(|(requests, _)| requests).sum();
        (summary.footprint_bytes, summary.write_footprint_bytes) = self.footprint.bytes();
        self.summary.content_hash = self.checksum.text();
        self.summary
    }
}
