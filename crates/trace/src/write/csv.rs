//! Reclaim's own format, which loses nothing.

use std::io::Write;

use super::text::Encoder;
use crate::Record;
use crate::formats::{CSV_HEADER, CSV_STREAM_HEADER};

pub(super) struct Csv {
    /// Whether there is a column for the streams.
    pub(super) streams: bool,
}

impl Encoder for Csv {
    fn begin(&mut self, text: &mut Vec<u8>) {
        let header = if self.streams { CSV_STREAM_HEADER } else { CSV_HEADER };
        writeln!(text, "{header}").expect("a vector takes any text");
    }

    fn record(&mut self, record: &Record, text: &mut Vec<u8>) {
        let (whole_us, fraction_ns) = (record.time_ns / 1000, record.time_ns % 1000);
        let (name, offset, size) = (record.op.name(), record.offset_bytes, record.size_bytes);
        if fraction_ns == 0 {
            write!(text, "{whole_us},{name},{offset},{size}")
        } else {
            write!(text, "{whole_us}.{fraction_ns:03},{name},{offset},{size}")
        }
        .expect("a vector takes any text");
        if self.streams {
            write!(text, ",{}", record.stream).expect("a vector takes any text");
        }
        text.push(b'\n');
    }
}
