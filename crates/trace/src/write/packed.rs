//! Packed files whose end is not lost: the encoders of gzip, bzip2 and xz write it when they are dropped, and tell
//! nobody if that fails.

use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};

use niffler::Level;
use niffler::send::compression::Format as Compression;

/// The first error of a file, for whoever asks after it.
type Fault = Arc<Mutex<Option<io::Error>>>;

/// A file that keeps the first error of writing to it.
struct Noting<W> {
    file: W,
    fault: Fault,
}

impl<W> Noting<W> {
    fn note<T>(&self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let told = io::Error::from(error.kind());
            // Asked again, it would go on where it stopped.
            if error.kind() != io::ErrorKind::Interrupted {
                self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
            told
        })
    }
}

impl<W: Write> Write for Noting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.file.write(bytes);
        self.note(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.file.flush();
        self.note(done)
    }
}

/// A packed file. Flushing it ends it, so it comes last.
pub(super) struct PackedFile {
    encoder: Option<Box<dyn Write + Send>>,
    fault: Fault,
}

impl PackedFile {
    pub(super) fn new(
        file: impl Write + Send + 'static,
        compression: Compression,
        level: Level,
    ) -> io::Result<Self> {
        let fault = Fault::default();
        let noting = BufWriter::new(Noting { file, fault: Arc::clone(&fault) });
        let encoder = niffler::send::get_writer(Box::new(noting), compression, level);
        Ok(Self { encoder: Some(encoder.map_err(io::Error::other)?), fault })
    }

    /// What went wrong with the file so far, or else what the encoder says.
    fn told<T>(&self, done: io::Result<T>) -> io::Result<T> {
        match self.fault.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => done,
        }
    }
}

impl Write for PackedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(encoder) = &mut self.encoder else {
            return Err(io::Error::other("the packed file has been ended"));
        };
        let done = encoder.write(bytes);
        self.told(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        // Dropping the encoder writes what it still has and the end.
        drop(self.encoder.take());
        self.told(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// A disk with room for so many bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let written = bytes.len().min(self.0);
            self.0 -= written;
            Ok(written)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[rstest]
    fn the_end_of_a_file_that_does_not_fit_is_an_error(
        #[values(Compression::Gzip, Compression::Bzip, Compression::Lzma)] packed: Compression,
    ) {
        let written = |room: usize| {
            let mut file = PackedFile::new(Disk(room), packed, Level::Six)?;
            file.write_all(b"0,read,0,4096\n")?;
            file.flush()
        };
        // The smallest of them is larger than ten bytes.
        for room in [0, 1, 10] {
            assert_eq!(written(room).unwrap_err().kind(), io::ErrorKind::StorageFull, "{room}");
        }
        written(1000).unwrap();
    }
}
