//! Requests of streams that a drive has not: which is the first.

use crate::streams::Streams;
use crate::{Record, Trace, TraceError};

/// Records taken from the trace at once.
const AT_ONCE: usize = 1 << 12;

impl Trace {
    /// Whether all requests are of the streams that a drive keeps apart, of which `key` says that there are `count`.
    ///
    /// # Errors
    /// Names the first request that is of another: its line, where the trace is a file.
    pub fn check_streams(&self, count: u32, key: &str) -> Result<(), TraceError> {
        if u32::from(self.scan()?.last_stream) < count {
            return Ok(());
        }
        let streams = Streams { count, key: key.to_owned() };
        if let Some(file) = self.file() {
            file.check_streams(&streams)?;
        }
        let (mut source, mut records, mut before) = (self.source()?, Vec::new(), 0);
        while source.fill(&mut records, AT_ONCE)? > 0 {
            let fault = |(at, record): (usize, &Record)| {
                streams.fault(record).map(|fault| format!("record {} (from 0): {fault}", before + at))
            };
            if let Some(reason) = records.iter().enumerate().find_map(fault) {
                return Err(TraceError::Records { name: self.name().to_owned(), reason });
            }
            before += records.len();
            records.clear();
        }
        Ok(())
    }
}
