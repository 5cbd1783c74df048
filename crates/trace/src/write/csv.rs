//! Reclaim's own format, which loses nothing.

use std::io::Write;

use super::text::Encoder;
use crate::Record;
use crate::formats::CSV_HEADER;

pub(super) struct Csv;

impl Encoder for Csv {
    fn begin(&mut self, text: &mut Vec<u8>) {
        writeln!(text, "{CSV_HEADER}").expect("a vector takes any text");
    }

    fn record(&mut self, record: &Record, text: &mut Vec<u8>) {
        let (whole_us, fraction_ns) = (record.time_ns / 1000, record.time_ns % 1000);
        let (name, offset, size) = (record.op.name(), record.offset_bytes, record.size_bytes);
        if fraction_ns == 0 {
            writeln!(text, "{whole_us},{name},{offset},{size}")
        } else {
            writeln!(text, "{whole_us}.{fraction_ns:03},{name},{offset},{size}")
        }
        .expect("a vector takes any text");
    }
}
