//! What every output format is: a place for records that says what it could not express.

use std::io;

use crate::Record;

/// Where the records of a trace go, in one format.
pub(super) trait Sink {
    /// Write records, which are in order of time.
    fn write(&mut self, records: &[Record]) -> io::Result<()>;

    /// Write what comes after the last record, and return what the format could not express.
    fn finish(self: Box<Self>) -> io::Result<Losses>;
}

/// What a format could not express.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Number of requests that are not in the output at all.
    pub(super) left_out: u64,
    /// A sentence for each kind of loss, for the user.
    pub(super) told: Vec<String>,
}
