//! The messages of an Arrow stream, looked at before the library reads them.
//!
//! The library makes room for as many bytes as a message claims to have before it reads them, and takes a stream that
//! breaks off between messages for one that has ended. Here a message is first read as far as it goes.

use std::io::{self, Read};

use arrow_ipc::{RecordBatch, root_as_message};

use crate::open::read_up_to;

/// What stands before the length of a message.
const MARK: [u8; 4] = [0xFF; 4];
/// The description of a message names its columns and buffers; a megabyte has room for ten thousand of them.
const MOST_DESCRIPTION_BYTES: u64 = 64 << 20;
/// A compressed buffer that claims to be larger is damaged.
const MOST_UNPACKED_BYTES: i64 = 1 << 30;

/// A stream of messages, each complete.
pub(super) struct Messages<R> {
    input: R,
    ended: bool,
    description: Vec<u8>,
    /// The current message with its mark and length.
    message: Vec<u8>,
    read: usize,
}

impl<R: Read> Messages<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, ended: false, description: Vec::new(), message: Vec::new(), read: 0 }
    }

    fn next_message(&mut self) -> io::Result<()> {
        self.message.clear();
        self.read = 0;
        let mut length = [0; 4];
        match read_up_to(&mut self.input, &mut length)? {
            0 => {
                self.ended = true;
                return Ok(());
            }
            4 => {}
            _ => return Err(cut()),
        }
        self.message.extend(length);
        if length == MARK {
            if read_up_to(&mut self.input, &mut length)? < length.len() {
                return Err(cut());
            }
            self.message.extend(length);
        }
        let length = i32::from_le_bytes(length);
        if length == 0 {
            self.ended = true;
            return Ok(());
        }
        let length = u64::try_from(length).ok().filter(|length| *length <= MOST_DESCRIPTION_BYTES);
        let length = length.ok_or_else(|| contradiction("the length of a message"))?;
        self.description.clear();
        append(&mut self.input, length, &mut self.description)?;
        self.message.extend(&self.description);
        let message = root_as_message(&self.description).map_err(|error| damaged(error.to_string()))?;
        let body = self.message.len();
        let body_bytes =
            u64::try_from(message.bodyLength()).map_err(|_| contradiction("the length of a body"))?;
        append(&mut self.input, body_bytes, &mut self.message)?;
        let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
        match message.header_as_record_batch().or(dictionary) {
            Some(batch) => check_unpacked(batch, &self.message[body..]),
            None => Ok(()),
        }
    }
}

impl<R: Read> Read for Messages<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.message.len() && !self.ended {
            // The library takes this kind of error for the end of the stream.
            self.next_message().map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => damaged(error.to_string()),
                _ => error,
            })?;
        }
        let count = buffer.len().min(self.message.len() - self.read);
        buffer[..count].copy_from_slice(&self.message[self.read..self.read + count]);
        self.read += count;
        Ok(count)
    }
}

/// The next `count` bytes, behind those already in `bytes`.
fn append(input: &mut impl Read, count: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let found = input.take(count).read_to_end(bytes)?;
    if found as u64 == count { Ok(()) } else { Err(cut()) }
}

/// A compressed buffer in the `body` of its batch begins with its length when unpacked; -1 says that it is not
/// compressed after all.
pub(super) fn check_unpacked(batch: RecordBatch, body: &[u8]) -> io::Result<()> {
    if batch.compression().is_none() {
        return Ok(());
    }
    for buffer in batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() > 0) {
        let place = usize::try_from(buffer.offset()).ok();
        let length = place.and_then(|place| body.get(place..)?.first_chunk::<8>());
        let length = length.ok_or_else(|| contradiction("the place of a buffer"))?;
        if !(-1..=MOST_UNPACKED_BYTES).contains(&i64::from_le_bytes(*length)) {
            return Err(contradiction("the length of a buffer"));
        }
    }
    Ok(())
}

fn cut() -> io::Error {
    damaged("it ends before its end mark".to_owned())
}

pub(super) fn contradiction(what: &str) -> io::Error {
    damaged(format!("{what} cannot be true"))
}

pub(super) fn damaged(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
