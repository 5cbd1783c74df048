//! Streams by address: a request is of the stream of the range in which it begins, as where a host has a placement
//! handle for each partition.

use super::step::{Flow, Step};
use crate::{Op, Record};

/// Which stream requests are of that begin in a range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamRange {
    /// Where the range begins, bytes.
    pub first_bytes: u64,
    /// How long it is, bytes.
    pub size_bytes: u64,
    /// The stream of requests that begin in it.
    pub stream: u8,
}

impl StreamRange {
    /// The byte behind it.
    fn end(&self) -> u64 {
        self.first_bytes.saturating_add(self.size_bytes)
    }

    pub(super) fn describe(&self) -> String {
        let Self { first_bytes, stream, .. } = self;
        format!("stream {stream} from byte {first_bytes} up to {}", self.end())
    }
}

/// Why these can be the ranges of no trace, if they cannot.
pub(super) fn fault(ranges: &[StreamRange]) -> Option<String> {
    if let Some(empty) = ranges.iter().find(|range| range.size_bytes == 0) {
        return Some(format!("streams: the range of {} is empty", empty.describe()));
    }
    let sorted = ByRange::new(ranges).ranges;
    let pair = sorted.windows(2).find(|pair| pair[1].first_bytes < pair[0].end())?;
    let (one, other) = (pair[0].describe(), pair[1].describe());
    Some(format!("streams: two ranges overlap: {one}, and {other}"))
}

pub(super) struct ByRange {
    /// In the order of their addresses.
    ranges: Vec<StreamRange>,
}

impl ByRange {
    pub(super) fn new(ranges: &[StreamRange]) -> Self {
        let mut ranges = ranges.to_vec();
        ranges.sort_by_key(|range| range.first_bytes);
        Self { ranges }
    }
}

impl Step for ByRange {
    fn take(&mut self, mut record: Record, out: &mut Vec<Record>) -> Result<Flow, String> {
        let behind = self.ranges.partition_point(|range| range.first_bytes <= record.offset_bytes);
        let range = behind.checked_sub(1).map(|at| self.ranges[at]);
        if let Some(range) = range.filter(|range| record.op != Op::Flush && record.offset_bytes < range.end())
        {
            record.stream = range.stream;
        }
        out.push(record);
        Ok(Flow::Go)
    }

    fn nothing_left(&self) -> String {
        "holds no requests".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn range(first_bytes: u64, size_bytes: u64, stream: u8) -> StreamRange {
        StreamRange { first_bytes, size_bytes, stream }
    }

    #[test]
    fn a_request_is_of_the_stream_of_the_range_in_which_it_begins() {
        let mut step = ByRange::new(&[range(8192, 4096, 2), range(0, 4096, 1)]);
        let mut stream = |op, offset_bytes| {
            let mut out = Vec::new();
            let record = Record { time_ns: 0, offset_bytes, size_bytes: 8192, op, stream: 7 };
            assert_eq!(step.take(record, &mut out), Ok(Flow::Go));
            out[0].stream
        };
        let found = [0, 4095, 4096, 8191, 8192, 12_287, 12_288].map(|offset| stream(Op::Write, offset));
        assert_eq!(found, [1, 1, 7, 7, 2, 2, 7]);
        assert_eq!([stream(Op::Read, 0), stream(Op::Trim, 0), stream(Op::Flush, 0)], [1, 1, 7]);
    }

    #[test]
    fn ranges_are_not_empty_and_do_not_overlap() {
        assert_eq!(fault(&[range(8192, 4096, 2), range(0, 8192, 1)]), None);
        let overlap = fault(&[range(8192, u64::MAX, 2), range(4096, 4097, 1)]).unwrap();
        assert!(
            overlap.contains("stream 1 from byte 4096 up to 8193, and stream 2 from byte 8192"),
            "{overlap}"
        );
        assert!(fault(&[range(4096, 0, 3)]).unwrap().contains("stream 3 from byte 4096 up to 4096 is empty"));
    }
}
