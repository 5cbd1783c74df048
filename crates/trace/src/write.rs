//! Writing a trace in Reclaim's own format, which loses nothing.

use std::io::{self, Write};

use crate::formats::CSV_HEADER;
use crate::{RecordSource, TraceError};

/// Write all records of `source` as normalised CSV.
///
/// # Errors
/// The outer error is of the trace being read, the inner one of the output.
pub fn write_normalised_csv(
    source: &mut dyn RecordSource,
    output: &mut dyn Write,
) -> Result<io::Result<()>, TraceError> {
    const AT_ONCE: usize = 4096;
    let mut records = Vec::with_capacity(AT_ONCE);
    let mut text = format!("{CSV_HEADER}\n").into_bytes();
    loop {
        if let Err(error) = output.write_all(&text) {
            return Ok(Err(error));
        }
        text.clear();
        records.clear();
        if source.fill(&mut records, AT_ONCE)? == 0 {
            return Ok(output.flush());
        }
        for record in &records {
            let (whole_us, fraction_ns) = (record.time_ns / 1000, record.time_ns % 1000);
            let fraction = if fraction_ns == 0 { String::new() } else { format!(".{fraction_ns:03}") };
            let (name, offset, size) = (record.op.name(), record.offset_bytes, record.size_bytes);
            writeln!(text, "{whole_us}{fraction},{name},{offset},{size}").expect("a vector takes any text");
        }
    }
}
