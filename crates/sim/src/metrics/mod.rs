//! What is recorded while a drive runs.

mod block_frames;
mod counters;
mod measuring;
mod recorder;
mod spans;
mod timeline;
mod windows;

pub use block_frames::{BlockFrames, BlockFramesRecorder};
pub(crate) use counters::finite;
pub use counters::{FlashResult, GcResult, WrittenResult};
pub use measuring::{
    MeasureResult, MeasuredWindow, Measuring, OrderOfReplay, PolicyMetric, PolicyReadings, PolicyResults,
    WarmupResult,
};
pub use recorder::{CLASSES, ClassSums, GcLog, Recorder, RequestTable, StreamLatencies};
pub use spans::{Span, SpanKind, SpanRecorder, SpanWindow, Spans};
pub use timeline::{Sample, Timeline, TimelineRecorder};
pub use windows::{InFlight, Mark, Programs};
