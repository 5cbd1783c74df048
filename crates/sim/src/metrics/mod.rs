//! What is recorded while a drive runs.

mod measuring;
mod numbers;
mod phases;
mod recorder;
mod tables;
mod windows;

pub use measuring::Measuring;
pub(crate) use numbers::finite;
pub use phases::{MeasureResult, WarmupResult};
pub use recorder::{CLASSES, ClassSums, JobRecord, Recorder};
pub use tables::{GcLog, RequestTable};
pub use windows::{InFlight, Mark, Programs};
