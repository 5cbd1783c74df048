//! What every output format is: a place for records that says what it could not express.

use std::io;

use crate::Record;

/// Where the records of a trace go, in one format.
pub(super) trait Sink {
    /// Write records, which are in order of time.
    fn write(&mut self, records: &[Record]) -> io::Result<()>;

    /// Write what comes after the last, and say what the format could not express.
    fn finish(self: Box<Self>) -> io::Result<Losses>;
}

/// What a format could not express.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Requests that are not in the output at all.
    pub(super) left_out: u64,
    /// A sentence for each kind.
    pub(super) told: Vec<String>,
}
