//! A file as a sequence of lines, or of bytes, in constant memory and without copying a line.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::TraceError;
use crate::foreign;
use crate::open::{Opened, open, read_up_to};

/// Bytes read at once; also how much a format may look at to recognise itself. Small enough for a second-level cache.
const BUFFER_BYTES: usize = 256 << 10;
/// Unpacked bytes that are searched for damage behind a line that makes no sense.
const MOST_CHECKED_BYTES: usize = 256 << 20;
/// What some Windows programs put before the first character of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// An open trace file. Until the first line is taken, [`Input::head`] shows how it begins.
pub(crate) struct Input {
    path: PathBuf,
    compression: Option<&'static str>,
    stream: Box<dyn Read + Send>,
    buffer: Box<[u8]>,
    unread: Range<usize>,
    at_end: bool,
    lines: u64,
    taken_bytes: u64,
}

impl Input {
    /// Open a file and read its head.
    pub(crate) fn open(path: &Path) -> Result<Self, TraceError> {
        let Opened { stream, compression } = open(path)?;
        let mut input = Self {
            path: path.to_path_buf(),
            compression,
            stream,
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            unread: 0..0,
            at_end: false,
            lines: 0,
            taken_bytes: 0,
        };
        input.refill()?;
        if input.head().starts_with(BYTE_ORDER_MARK) {
            input.unread.start += BYTE_ORDER_MARK.len();
        }
        if input.unread.is_empty() {
            return Err(input.fail("is empty".to_owned()));
        }
        if let Some(reason) = foreign::recognise(input.head()) {
            let inside = compression.map(|name| format!("unpacked from {name}, ")).unwrap_or_default();
            return Err(input.fail(format!("{inside}{reason}")));
        }
        Ok(input)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How the file is packed, unless it is plain.
    pub(crate) fn compression(&self) -> Option<&'static str> {
        self.compression
    }

    /// The whole file as a stream of bytes, for a format that has a library to read it. Nothing may have been taken
    /// yet.
    pub(crate) fn into_stream(self) -> impl Read + Send {
        let Self { buffer, unread, stream, .. } = self;
        let mut head = buffer.into_vec();
        head.truncate(unread.end);
        head.drain(..unread.start);
        io::Cursor::new(head).chain(stream)
    }

    /// Number of the line last taken, from 1.
    pub(crate) fn line_number(&self) -> u64 {
        self.lines
    }

    /// The beginning of the file, before any line was taken: all of it, or as much as fits the buffer.
    pub(crate) fn head(&self) -> &[u8] {
        &self.buffer[self.unread.clone()]
    }

    /// The lines of the head that are there in full.
    pub(crate) fn head_lines(&self) -> impl Iterator<Item = &[u8]> {
        let head = self.head();
        let whole =
            if self.at_end { head.len() } else { memchr::memrchr(b'\n', head).map_or(0, |at| at + 1) };
        head[..whole].split(|byte| *byte == b'\n').map(without_carriage_return)
    }

    /// Take the next line, without its line ending. [`Input::line`] then shows it.
    #[inline]
    pub(crate) fn next_line(&mut self) -> Result<Option<Range<usize>>, TraceError> {
        let mut searched = 0;
        loop {
            let unread = &self.buffer[self.unread.clone()];
            if let Some(found) = memchr::memchr(b'\n', &unread[searched..]) {
                let line = self.unread.start..self.unread.start + searched + found;
                self.unread.start = line.end + 1;
                self.lines += 1;
                return Ok(Some(line));
            }
            searched = unread.len();
            if self.at_end {
                if searched == 0 {
                    return Ok(None);
                }
                let line = self.unread.clone();
                self.unread.start = self.unread.end;
                self.lines += 1;
                return Ok(Some(line));
            }
            if searched == self.buffer.len() {
                self.check_packing(&format!("line {} makes no sense", self.lines + 1))?;
                return Err(self.fail(format!(
                    "line {} is longer than {BUFFER_BYTES} bytes; this is not a text trace",
                    self.lines + 1
                )));
            }
            self.refill()?;
        }
    }

    /// What has been read of the file and not been taken.
    #[inline]
    pub(crate) fn ahead(&self) -> &[u8] {
        &self.buffer[self.unread.clone()]
    }

    /// Take a line that is the first so many bytes of [`Input::ahead`], with its line ending.
    #[inline]
    pub(crate) fn take_line(&mut self, bytes: usize) {
        self.unread.start += bytes;
        self.lines += 1;
    }

    /// The bytes of a line that [`Input::next_line`] has just found.
    #[inline]
    pub(crate) fn line(&self, line: Range<usize>) -> &[u8] {
        without_carriage_return(&self.buffer[line])
    }

    /// Take the next `count` bytes of a file that is no text. [`Input::bytes`] then shows them. `None` at the end of
    /// the file; an error if it ends before the last of them.
    #[inline]
    pub(crate) fn next_bytes(&mut self, count: usize) -> Result<Option<Range<usize>>, TraceError> {
        while self.unread.len() < count {
            if self.at_end {
                return if self.unread.is_empty() { Ok(None) } else { Err(self.cut(count)) };
            }
            self.refill()?;
        }
        let taken = self.unread.start..self.unread.start + count;
        self.unread.start = taken.end;
        self.taken_bytes += count as u64;
        Ok(Some(taken))
    }

    /// The bytes that [`Input::next_bytes`] has just found.
    #[inline]
    pub(crate) fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    #[cold]
    fn cut(&self, count: usize) -> TraceError {
        self.fail(format!(
            "ends in the middle of a record: {} of {count} bytes are there after byte {}; copy or download \
             it again",
            self.unread.len(),
            self.taken_bytes
        ))
    }

    /// An error about the whole file.
    #[cold]
    pub(crate) fn fail(&self, reason: String) -> TraceError {
        TraceError::File { path: self.path.clone(), reason }
    }

    /// Read on because of a `sign` that the file may be damaged: if it is packed, and the rest cannot be unpacked, that
    /// is the error, not the line or record that made no sense. Nothing can be taken afterwards.
    #[cold]
    pub(crate) fn check_packing(&mut self, sign: &str) -> Result<(), TraceError> {
        let Some(compression) = self.compression else { return Ok(()) };
        let mut looked_at = 0;
        while looked_at < MOST_CHECKED_BYTES {
            match read_up_to(&mut self.stream, &mut self.buffer) {
                Ok(count) if count < self.buffer.len() => return Ok(()),
                Ok(count) => looked_at += count,
                Err(error) => {
                    let reason = format!("the {compression} data is damaged ({sign}): {error}");
                    return Err(self.fail(format!("{reason}; copy or download it again")));
                }
            }
        }
        Ok(())
    }

    /// Move what is unread to the front and fill the rest of the buffer.
    fn refill(&mut self) -> Result<(), TraceError> {
        self.buffer.copy_within(self.unread.clone(), 0);
        self.unread = 0..self.unread.len();
        let room = &mut self.buffer[self.unread.end..];
        match read_up_to(&mut self.stream, room) {
            Ok(count) => {
                self.at_end = count < room.len();
                self.unread.end += count;
                Ok(())
            }
            Err(error) => Err(self.fail(self.explain(&error))),
        }
    }

    #[cold]
    fn explain(&self, error: &io::Error) -> String {
        let place = match (self.taken_bytes, self.lines) {
            (0, 0) => "the beginning".to_owned(),
            (0, lines) => format!("line {lines}"),
            (bytes, _) => format!("byte {bytes}"),
        };
        let Some(compression) = self.compression else {
            return format!("cannot be read after {place}: {error}");
        };
        if error.kind() == io::ErrorKind::UnexpectedEof {
            format!(
                "the {compression} data ends before its end mark (somewhere after {place}): the file is \
                 cut short, or something was put behind it; copy or download it again"
            )
        } else {
            format!(
                "the {compression} data is damaged (somewhere after {place}): {error}; copy or download it \
                 again"
            )
        }
    }
}

fn without_carriage_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
