//! Block traces: what a trace is, how each format is read and written, what a trace contains, and how one is generated
//! or changed.
//!
//! ```
//! use reclaim_trace::{Op, Record, Trace};
//!
//! let records = vec![
//!     Record { time_ns: 0, offset_bytes: 0, size_bytes: 8192, op: Op::Write, stream: 0 },
//!     Record { time_ns: 500, offset_bytes: 4096, size_bytes: 4096, op: Op::Read, stream: 0 },
//! ];
//! let summary = Trace::from_records("two requests", records).scan()?;
//! assert_eq!((summary.requests, summary.footprint_bytes, summary.span_ns), (2, 8192, 500));
//! # Ok::<(), reclaim_trace::TraceError>(())
//! ```
//!
//! This crate knows nothing of flash. `ARCHITECTURE.md` shows who uses it.

pub mod characteristics;
mod checked;
mod cursor;
mod devices;
mod error;
mod first_touch;
mod footprint;
mod foreign;
mod format;
mod formats;
pub mod generate;
mod in_order;
mod input;
mod line_reader;
mod merge_options;
mod open;
mod options;
mod packed;
mod picture;
pub mod quantity;
pub mod random;
mod record;
mod record_reader;
mod register;
mod source;
mod summary;
pub mod toml_place;
mod trace;
mod trace_file;
pub mod transform;
mod uniform;
mod units;
mod volumes;
pub mod wording;
mod write;

pub use characteristics::{Characteristics, CharacteristicsOptions};
pub use error::{BadLines, TraceError};
pub use first_touch::FirstTouch;
pub use formats::{FormatInfo, formats};
pub use generate::GeneratorSpec;
pub use open::{Kind as FileKind, open_existing, open_file};
pub use options::{Event, OnError, OpenOptions};
pub use picture::{Picture, TimeBin};
pub use record::{MAX_TRANSFER_BYTES, Op, Record};
pub use source::{Clock, MemorySource, RecordSource};
pub use summary::Summary;
pub use trace::Trace;
pub use uniform::UniformSpec;
pub use units::TimeUnit;
pub use volumes::{Volume, Volumes};
pub use write::{OutputFormat, Written, write_normalised_csv};
