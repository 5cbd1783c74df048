//! Block traces: what one is, how each format is read, and what a trace contains.
//!
//! Knows nothing of flash. See `ARCHITECTURE.md` for where this crate stands in the house.

mod error;
mod record;
mod source;

pub use error::TraceError;
pub use record::{Op, Record};
pub use source::{MemorySource, RecordSource};
