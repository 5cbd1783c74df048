//! What all text formats share when they are written.

use std::io::{self, Write};

use super::sink::{Losses, Sink};
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
