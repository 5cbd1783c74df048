//! Zstandard with the checksum of what was packed at the end of its frame: readers notice a flipped bit by it.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use zstd::stream::write::Encoder;

/// The same effort as for the other compressions.
const LEVEL: i32 = 6;

/// A packed file. Flushing it ends the frame, so it comes last; an error of that is not lost as it would be on
/// dropping.
pub(super) struct ZstdFile {
    encoder: Option<Encoder<'static, BufWriter<File>>>,
}

impl ZstdFile {
    pub(super) fn new(output: BufWriter<File>) -> io::Result<Self> {
        let mut encoder = Encoder::new(output, LEVEL)?;
        encoder.include_checksum(true)?;
        Ok(Self { encoder: Some(encoder) })
    }
}

impl Write for ZstdFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.encoder {
            Some(encoder) => encoder.write(bytes),
            None => Err(io::Error::other("the frame has been ended")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.take().map_or(Ok(()), |encoder| encoder.finish()?.flush())
    }
}
