//! Batches of rows from a decoder, whose panics over damaged files become errors.

use std::panic::{AssertUnwindSafe, catch_unwind};

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
