//! What is recorded while a drive runs.

mod flash;
mod measuring;
mod phases;
mod policies;
mod recorder;
mod spans;
mod tables;
mod timeline;
mod windows;

pub(crate) use flash::finite;
pub use flash::{FlashResult, GcResult, WrittenResult};
pub use measuring::Measuring;
pub use phases::{MeasureResult, OrderOfReplay, WarmupResult};
pub use policies::{PolicyMetric, PolicyReadings, PolicyResults};
pub use recorder::{CLASSES, ClassSums, Recorder};
pub use spans::{Span, SpanKind, SpanRecorder, SpanWindow, Spans};
pub use tables::{GcLog, RequestTable};
pub use timeline::{Sample, Timeline, TimelineRecorder};
pub use windows::{InFlight, Mark, Programs};
