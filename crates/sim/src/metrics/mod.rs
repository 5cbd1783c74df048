//! What is recorded while a drive runs.

mod flash;
mod gc;
mod measuring;
mod numbers;
mod phases;
mod policies;
mod recorder;
mod spans;
mod tables;
mod timeline;
mod windows;
mod written;

pub use flash::FlashResult;
pub use gc::GcResult;
pub use measuring::Measuring;
pub(crate) use numbers::finite;
pub use phases::{MeasureResult, OrderOfReplay, WarmupResult};
pub use policies::{PolicyMetric, PolicyReadings, PolicyResults};
pub use recorder::{CLASSES, ClassSums, Recorder};
pub use spans::{Span, SpanKind, SpanRecorder, SpanWindow, Spans};
pub use tables::{GcLog, RequestTable};
pub use timeline::{Sample, Timeline, TimelineRecorder};
pub use windows::{InFlight, Mark, Programs};
pub use written::WrittenResult;
