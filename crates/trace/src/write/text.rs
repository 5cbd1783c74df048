//! What every output format is, a place for records that says what it could not express, and what all text formats
//! share.

use std::io::{self, Write};

use crate::Record;

/// A text format: a record in, a line out.
pub(super) trait Encoder {
    /// What the file begins with.
    fn begin(&mut self, text: &mut Vec<u8>);

    /// Writes the line of one record.
    fn record(&mut self, record: &Record, text: &mut Vec<u8>);

    /// What the file ends with.
    fn end(&mut self, _text: &mut Vec<u8>) {}

    /// What could not be expressed.
    fn losses(&self) -> Losses {
        Losses::default()
    }
}

/// A text file being written.
pub(super) struct TextSink<W, E> {
    output: W,
    encoder: E,
    text: Vec<u8>,
}

impl<W: Write, E: Encoder> TextSink<W, E> {
    pub(super) fn new(output: W, mut encoder: E) -> Self {
        let mut text = Vec::new();
        encoder.begin(&mut text);
        Self { output, encoder, text }
    }

    fn put(&mut self) -> io::Result<()> {
        self.output.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

impl<W: Write, E: Encoder> Sink for TextSink<W, E> {
    fn write(&mut self, records: &[Record]) -> io::Result<()> {
        for record in records {
            self.encoder.record(record, &mut self.text);
        }
        self.put()
    }

    fn finish(mut self: Box<Self>) -> io::Result<Losses> {
        self.encoder.end(&mut self.text);
        self.put()?;
        self.output.flush()?;
        Ok(self.encoder.losses())
    }
}

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
