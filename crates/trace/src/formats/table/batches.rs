//! Batches of rows as a decoder gives them, and what keeps a damaged file from ending the program.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

/// Rows decoded at once.
pub(in crate::formats) const ROWS_AT_ONCE: usize = 4096;

/// Where the rows come from.
pub(in crate::formats) type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// What decoding gives, with a panic of the decoder turned into an error: the libraries index into what a damaged file
/// says of itself, and a file must not be able to end the program.
pub(in crate::formats) fn guarded<T, E: From<ArrowError>>(
    decode: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| {
        Err(ArrowError::ParseError("the decoder met a contradiction in the file".to_owned()).into())
    })
}
