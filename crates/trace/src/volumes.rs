//! The volumes of a trace that holds requests to several: which there are, and how much each is read and written.

use serde::Serialize;

use crate::footprint::Footprint;
use crate::register::Register;
use crate::trace::Trace;
use crate::{Op, Record, TraceError};

/// All volumes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Volumes {
    /// What the format calls a volume: device, disk, LUN, ASU.
    pub called: String,
    /// Those that most is written to first; then in the order in which the file has them.
    pub volumes: Vec<Volume>,
    /// Number of lines that could not be read and were left out, where that was asked for.
    pub bad_lines: u64,
}

/// What a volume is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Volume {
    /// Its name, as `--trace-device` takes it.
    pub name: String,
    /// Number of requests of any operation.
    pub requests: u64,
    /// Reads among them.
    pub reads: u64,
    /// Writes among them.
    pub writes: u64,
    /// Trims among them.
    pub trims: u64,
    /// Sum of the sizes of all reads.
    pub read_bytes: u64,
    /// Sum of the sizes of all writes.
    pub write_bytes: u64,
    /// Distinct 4 KiB units read or written.
    pub footprint_bytes: u64,
    /// Distinct 4 KiB units written.
    pub write_footprint_bytes: u64,
    /// One more than the highest byte that any request addresses.
    pub max_end_bytes: u64,
    /// From the first request of the file to the first of the volume, by the clock of the file, ns.
    pub begins_ns: u64,
    /// From its first request to its last, ns.
    pub span_ns: u64,
}

#[derive(Default)]
struct Tally {
    of_each: [u64; 4],
    bytes: [u64; 4],
    footprint: Footprint,
    max_end_bytes: u64,
    first_ns: u64,
    last_ns: u64,
}

impl Tally {
    fn add(&mut self, record: &Record) {
        if self.of_each == [0; 4] {
            (self.first_ns, self.last_ns) = (record.time_ns, record.time_ns);
        }
        let op = record.op as usize;
        self.of_each[op] += 1;
        self.bytes[op] = self.bytes[op].saturating_add(record.size_bytes);
        self.footprint.add(record);
        self.max_end_bytes = self.max_end_bytes.max(record.end_bytes());
        self.first_ns = self.first_ns.min(record.time_ns);
        self.last_ns = self.last_ns.max(record.time_ns);
    }

    fn volume(&self, name: String, zero_ns: u64) -> Volume {
        let (footprint_bytes, write_footprint_bytes) = self.footprint.bytes();
        let count = |op: Op| self.of_each[op as usize];
        Volume {
            name,
            requests: self.of_each.iter().sum(),
            reads: count(Op::Read),
            writes: count(Op::Write),
            trims: count(Op::Trim),
            read_bytes: self.bytes[Op::Read as usize],
            write_bytes: self.bytes[Op::Write as usize],
            footprint_bytes,
            write_footprint_bytes,
            max_end_bytes: self.max_end_bytes,
            begins_ns: self.first_ns - zero_ns,
            span_ns: self.last_ns - self.first_ns,
        }
    }
}

impl Trace {
    /// The volumes of a file, from one pass; its requests may be in any order.
    ///
    /// # Errors
    /// For a trace that is no file or whose format names no volumes, and for a file that cannot be read.
    pub fn volumes(&self) -> Result<Volumes, TraceError> {
        let Some(file) = self.file() else {
            return Err(TraceError::Records {
                name: self.name().to_owned(),
                reason: "is no trace file: it names no volumes".to_owned(),
            });
        };
        let register = Register::default();
        let mut source = file.of_all_devices(&register)?;
        let (mut tallies, mut record): (Vec<Tally>, Vec<Record>) = (Vec::new(), Vec::new());
        // One at a time: the register tells whose the last one is.
        while source.fill(&mut record, 1)? > 0 {
            let at = register.last().unwrap_or(0);
            if at >= tallies.len() {
                tallies.resize_with(at + 1, Tally::default);
            }
            for record in record.drain(..) {
                tallies[at].add(&record);
            }
        }
        let (mut names, noun) = register.names();
        // Tables may lack a column for the device.
        if names.is_empty() {
            names.push("the only one".to_owned());
        }
        let zero_ns = tallies.iter().map(|tally| tally.first_ns).min().unwrap_or(0);
        let mut volumes: Vec<Volume> =
            names.into_iter().zip(&tallies).map(|(name, tally)| tally.volume(name, zero_ns)).collect();
        volumes.sort_by_key(|volume| std::cmp::Reverse(volume.write_bytes));
        let called = if noun.is_empty() { "device" } else { noun }.to_owned();
        Ok(Volumes { called, volumes, bad_lines: source.bad_lines().count })
    }
}
