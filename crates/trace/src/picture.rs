//! A trace as a picture: requests and bytes in bins of time and of the address space; what it is like.

use serde::{Deserialize, Serialize};

use crate::characteristics::{Characteriser, Characteristics, CharacteristicsOptions};
use crate::{Op, Record, RecordSource, Summary, Trace, TraceError};

/// Requests that arrived in one stretch of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct TimeBin {
    pub reads: u64,
    pub writes: u64,
    pub trims: u64,
    pub flushes: u64,
    pub read_bytes: u64,
    pub write_bytes: u64,
}

/// A trace over time and over the address space, in bins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Length of a bin of time, in ns: 1, 2 or 5 times a power of ten.
    pub time_bin_ns: u64,
    /// Bins of time from the first arrival on.
    pub timeline: Vec<TimeBin>,
    /// Bytes of a bin of the address space: a power of two.
    pub address_bin_bytes: u64,
    /// Where the first of these bins begins.
    pub first_address_bytes: u64,
    /// (bin of time, bin of the address space, bytes read), for every pair in which anything was.
    pub read: Vec<(u32, u32, u64)>,
    /// The same of bytes written.
    pub write: Vec<(u32, u32, u64)>,
}

/// Least bin of the address space.
const LEAST_BIN_BYTES: u64 = 4096;

struct Canvas {
    picture: Picture,
    addresses: usize,
    read: Vec<u64>,
    write: Vec<u64>,
}

impl Canvas {
    fn new(of: &Characteristics, time_bins: usize, address_bins: usize) -> Self {
        let time_bin_ns = round_up(of.arrivals.span_ns / time_bins as u64 + 1);
        let times = (of.arrivals.span_ns / time_bin_ns + 1) as usize;
        let (begin, end) = (of.space.min_offset_bytes, of.space.max_end_bytes);
        let range = (end - begin).max(1);
        // One bin may be lost to the rounding of the first.
        let wanted = (range / (address_bins as u64 - 1).max(1) + 1).max(LEAST_BIN_BYTES);
        let address_bin_bytes = wanted.checked_next_power_of_two().unwrap_or(1 << 63);
        let first_address_bytes = begin - begin % address_bin_bytes;
        let addresses = ((end.max(1) - 1 - first_address_bytes) / address_bin_bytes + 1) as usize;
        Self {
            picture: Picture {
                time_bin_ns,
                timeline: vec![TimeBin::default(); times],
                address_bin_bytes,
                first_address_bytes,
                read: Vec::new(),
                write: Vec::new(),
            },
            addresses,
            read: vec![0; times * addresses],
            write: vec![0; times * addresses],
        }
    }

    fn add(&mut self, record: &Record) {
        let time = (record.time_ns / self.picture.time_bin_ns) as usize;
        let bin = &mut self.picture.timeline[time];
        let heat = match record.op {
            Op::Read => {
                bin.reads += 1;
                bin.read_bytes += record.size_bytes;
                &mut self.read
            }
            Op::Write => {
                bin.writes += 1;
                bin.write_bytes += record.size_bytes;
                &mut self.write
            }
            Op::Trim => return bin.trims += 1,
            Op::Flush => return bin.flushes += 1,
        };
        let Picture { address_bin_bytes, first_address_bytes, .. } = self.picture;
        let mut begin = record.offset_bytes - first_address_bytes;
        let end = record.end_bytes() - first_address_bytes;
        while begin < end {
            let address = begin / address_bin_bytes;
            let piece_end = end.min((address + 1).saturating_mul(address_bin_bytes));
            heat[time * self.addresses + address as usize] += piece_end - begin;
            begin = piece_end;
        }
    }

    fn finish(mut self) -> Picture {
        let cells = |heat: &[u64]| {
            let filled = heat.iter().enumerate().filter(|(_, bytes)| **bytes > 0);
            let place = |at: usize| ((at / self.addresses) as u32, (at % self.addresses) as u32);
            filled.map(|(at, bytes)| (place(at).0, place(at).1, *bytes)).collect()
        };
        (self.picture.read, self.picture.write) = (cells(&self.read), cells(&self.write));
        self.picture
    }
}

/// The least of 1, 2, 5, 10, 20, … that is not below `value`.
fn round_up(value: u64) -> u64 {
    let mut decade = 1_u64;
    loop {
        for step in [1, 2, 5] {
            match decade.checked_mul(step) {
                Some(round) if round >= value => return round,
                Some(_) => {}
                None => return u64::MAX,
            }
        }
        decade = decade.saturating_mul(10);
    }
}

/// Draw the records of `source`, which are those that `of` was made of, in at most so many bins (of each at least 2).
pub(crate) fn draw(
    source: &mut dyn RecordSource,
    of: &Characteristics,
    time_bins: usize,
    address_bins: usize,
) -> Result<Picture, TraceError> {
    const AT_ONCE: usize = 4096;
    let mut canvas = Canvas::new(of, time_bins.max(2), address_bins.max(2));
    let mut records = Vec::with_capacity(AT_ONCE);
    while source.fill(&mut records, AT_ONCE)? > 0 {
        for record in records.drain(..) {
            canvas.add(&record);
        }
    }
    Ok(canvas.finish())
}

// What a trace is like, and how it looks.

impl Trace {
    /// Read everything once for the characteristics of the trace, in 4 KiB units.
    pub fn characteristics(&self) -> Result<Characteristics, TraceError> {
        self.describe(CharacteristicsOptions::default()).map(|(_, characteristics)| characteristics)
    }

    /// The trace over time and address space, in at most so many bins of each. `of` are the [`Trace::characteristics`]
    /// of this trace, which tell how far time and addresses go.
    pub fn picture(
        &self,
        of: &Characteristics,
        time_bins: usize,
        address_bins: usize,
    ) -> Result<Picture, TraceError> {
        draw(self.source()?.as_mut(), of, time_bins, address_bins)
    }

    /// The same with other units or another stream window, together with the summary, in one pass.
    pub fn describe(
        &self,
        options: CharacteristicsOptions,
    ) -> Result<(Summary, Characteristics), TraceError> {
        let mut characteriser = Characteriser::new(self.name(), options)?;
        let summary = self.scan_with(|records| characteriser.add(records))?;
        Ok((summary, characteriser.finish()))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Op, Record, Trace};

    fn record(time_ns: u64, op: Op, offset_bytes: u64, size_bytes: u64) -> Record {
        Record { time_ns, offset_bytes, size_bytes, op, stream: 0 }
    }

    #[test]
    fn every_byte_is_in_one_cell_and_every_request_in_one_bin() {
        let request = |index: u64| {
            let op = if index.is_multiple_of(3) { Op::Read } else { Op::Write };
            record(index * 1_234_567, op, (1 << 33) + index * 7919 * 512, 512 + index * 100)
        };
        let trace = Trace::from_records("memory", (0..1000).map(request).collect());
        let found = trace.characteristics().unwrap();
        let picture = trace.picture(&found, 50, 40).unwrap();
        assert_eq!((picture.time_bin_ns, picture.timeline.len()), (50_000_000, 25));
        assert!(picture.address_bin_bytes.is_power_of_two());
        assert!(picture.first_address_bytes <= 1 << 33);
        let last = picture.write.iter().map(|cell| cell.1).max().unwrap();
        assert!((20..40).contains(&last), "{last}");
        let sum = |cells: &[(u32, u32, u64)]| cells.iter().map(|cell| cell.2).sum::<u64>();
        assert_eq!(sum(&picture.read), found.requests.read_bytes);
        assert_eq!(sum(&picture.write), found.requests.write_bytes);
        assert_eq!(picture.timeline.iter().map(|bin| bin.reads + bin.writes).sum::<u64>(), 1000);
    }

    #[test]
    fn the_ends_of_the_address_space_and_a_moment_can_be_drawn() {
        let ends = vec![record(0, Op::Write, 0, 1), record(0, Op::Write, u64::MAX - 1, 1)];
        for (records, cells) in [(ends, 2), (vec![record(0, Op::Flush, 0, 0)], 0)] {
            let trace = Trace::from_records("memory", records);
            let picture = trace.picture(&trace.characteristics().unwrap(), 100, 100).unwrap();
            assert_eq!((picture.timeline.len(), picture.write.len()), (1, cells));
        }
    }
}
