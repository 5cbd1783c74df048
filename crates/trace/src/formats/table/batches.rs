//! Batches of rows from a decoder, whose panics over damaged files become errors; a thread of their own decodes them
//! ahead.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

/// Rows of a batch, where the decoder leaves a choice: enough to hide the cost of a batch, few enough for the cache.
pub(in crate::formats) const ROWS_AT_ONCE: usize = 4096;

/// The batches of a table in order, as its decoder gives them.
pub(in crate::formats) type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// The result of `decode`, with a panic turned into an error: the libraries index by numbers that a damaged file may
/// have wrong, and a file must not be able to end the program.
pub(in crate::formats) fn guarded<T, E: From<ArrowError>>(
    decode: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| {
        Err(ArrowError::ParseError("the decoder met a contradiction in the file".to_owned()).into())
    })
}

// Batches decoded ahead, in a thread of their own.
//
// The decoder of Parquet can go round for ever in a page that holds fewer values than it says. It cannot be stopped
// from outside, but it can be given up: the file is then reported as damaged.

type Decoded = Result<RecordBatch, ArrowError>;

/// Batches waiting to be taken; a few hide the time of decoding.
const AHEAD: usize = 4;

/// A batch of a few thousand rows takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });

pub(super) struct Ahead {
    batches: Receiver<Decoded>,
    given_up: bool,
}

impl Ahead {
    pub(super) fn of(batches: Batches) -> Self {
        let (sender, receiver) = sync_channel(AHEAD);
        thread::spawn(move || decode(batches, &sender));
        Self { batches: receiver, given_up: false }
    }
}

/// Ends with the batches, with an error, or when nobody takes them any more.
fn decode(mut batches: Batches, sender: &SyncSender<Decoded>) {
    loop {
        let Some(batch) = guarded(|| batches.next().transpose()).transpose() else { return };
        let last = batch.is_err();
        if sender.send(batch).is_err() || last {
            return;
        }
    }
}

impl Iterator for Ahead {
    type Item = Decoded;

    fn next(&mut self) -> Option<Decoded> {
        if self.given_up {
            return None;
        }
        match self.batches.recv_timeout(PATIENCE) {
            Ok(batch) => Some(batch),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                self.given_up = true;
                let reason = format!("the decoder came to no end in {} s", PATIENCE.as_secs());
                Some(Err(ArrowError::ParseError(reason)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{OpenOptions, Trace};

    /// Found by fuzzing: a page of this file holds fewer values than it says, and the decoder goes on looking for them.
    #[test]
    fn a_file_that_cannot_be_decoded_to_an_end_is_given_up() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/damaged/endless.parquet");
        let trace = Trace::open(path.as_ref(), &OpenOptions::default()).unwrap();
        let error = trace.scan().unwrap_err().to_string();
        assert!(error.contains("the decoder came to no end"), "{error}");
    }
}
