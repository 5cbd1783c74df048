//! Transforms of a trace as it is played: every step takes a stream of records and gives one.
//!
//! The steps always come in the same order, whatever order they were asked for in (see [`Transforms`]). They look at
//! one record at a time (jitter at those that lie close together), so memory does not grow with the trace, but for a
//! round whose requests come in another order. Random are only the choice of sampled units, which is a hash, and that
//! order and jitter, which draw from named streams.

mod addresses;
mod compact;
mod jitter;
mod merge;
mod repeat;
mod rotate;
mod sample;
mod shuffle;
mod step;
mod streams;
mod times;

use std::sync::Arc;

pub use jitter::JitterSpec;
pub use repeat::RepeatSpec;
pub use rotate::RotateSpec;
pub use sample::SampleSpec;
pub use shuffle::Shuffle;
pub use streams::StreamRange;

use crate::generate::Time;
use crate::trace::Transformation;
use crate::{RecordSource, Trace, TraceError};

/// Another trace to merge in.
#[derive(Debug, Clone)]
pub struct MergeSpec {
    /// The trace. Its time 0 is that of the first trace, unless both are of one recording: then both keep its clock.
    pub trace: Trace,
    /// Added to all its addresses, in bytes.
    pub shift_bytes: u64,
    /// The stream that all its requests are of, in place of those that it names.
    pub stream: Option<u8>,
}

/// What is done to a trace, in this order. Nothing by default.
#[derive(Debug, Clone, Default)]
pub struct Transforms {
    /// Merge other traces in by time; of requests at the same time the first trace's come first, then those of the
    /// others in the order given.
    pub merge: Vec<MergeSpec>,
    /// All merged files were recorded by one clock, as volumes at the same time, and keep it.
    pub common_clock: bool,
    /// Leave out requests that arrive before this, in ns since the first.
    pub from_ns: Option<u64>,
    /// Leave out requests that arrive at this time or later; what lies behind it is not read.
    pub to_ns: Option<u64>,
    /// Added to all addresses, in bytes.
    pub shift_bytes: u64,
    /// Reads and writes grow outward to whole multiples of so many bytes; trims shrink inward to them, and those in
    /// which none is left are left out.
    pub align_bytes: Option<u64>,
    /// Keep a part of the address space, chosen by a hash.
    pub sample: Option<SampleSpec>,
    /// Streams of requests that begin in these ranges, in place of those that the trace names.
    pub streams: Vec<StreamRange>,
    /// Stop after so many requests; what lies behind them is not read.
    pub max_requests: Option<u64>,
    /// Begin with another of the requests that are left; those before it follow after the last, the gap between them
    /// being the mean gap between arrivals.
    pub rotate: Option<RotateSpec>,
    /// Play what is left several times, at the same addresses.
    pub repeat: Option<RepeatSpec>,
    /// Move every arrival but the first at random, and play requests in the order of their new times; of those at the
    /// same time, the earlier one first.
    pub jitter: Option<JitterSpec>,
    /// Number units of so many bytes in the order in which they are first read or written. A request whose units no
    /// longer lie together is cut; trims of units never read or written are left out.
    pub compact_unit_bytes: Option<u64>,
    /// Play it so many times as fast.
    pub time_scale: Option<f64>,
}

/// Largest alignment that is accepted, bytes.
const MAX_ALIGN_BYTES: u64 = 1 << 30;
/// Largest unit of compaction.
const MAX_COMPACT_UNIT_BYTES: u64 = 1 << 30;
/// Slowest and fastest time scale.
const TIME_SCALES: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

impl Transforms {
    /// Whether nothing is done.
    pub fn is_identity(&self) -> bool {
        self.describe().is_empty()
    }

    /// What is done, a phrase for each step in their order; empty if nothing is.
    pub fn describe(&self) -> Vec<String> {
        let mut steps = Vec::new();
        for MergeSpec { trace, shift_bytes, stream } in &self.merge {
            let place =
                if *shift_bytes == 0 { String::new() } else { format!(" shifted by {shift_bytes} B") };
            let named = stream.map_or_else(String::new, |stream| format!(" as stream {stream}"));
            let own = trace.transforms();
            let own = if own.is_empty() { own.join("") } else { format!(" ({})", own.join(", ")) };
            let clock = if self.common_clock { " by their common clock" } else { "" };
            steps.push(format!("merged with {}{own}{place}{named}{clock}", trace.name()));
        }
        match (self.from_ns, self.to_ns) {
            (None, None) => {}
            (from, None) => steps.push(format!("from {} ns", from.unwrap_or(0))),
            (None, Some(to)) => steps.push(format!("up to {to} ns")),
            (Some(from), Some(to)) => steps.push(format!("from {from} ns up to {to} ns")),
        }
        if self.shift_bytes > 0 {
            steps.push(format!("shifted by {} B", self.shift_bytes));
        }
        if let Some(bytes) = self.align_bytes {
            steps.push(format!("aligned to {bytes} B"));
        }
        if let Some(sample) = self.sample {
            steps.push(format!(
                "sampled {} ppm of units of {} B (seed {})",
                sample.rate_ppm, sample.unit_bytes, sample.seed
            ));
        }
        if let Some(count) = self.max_requests {
            steps.push(format!("first {count} requests"));
        }
        steps.extend(self.streams.iter().map(StreamRange::describe));
        steps.extend(self.rotate.map(RotateSpec::describe));
        steps.extend(self.repeat.map(RepeatSpec::describe));
        steps.extend(self.jitter.map(JitterSpec::describe));
        if let Some(bytes) = self.compact_unit_bytes {
            steps.push(format!("units of {bytes} B numbered as they are first touched"));
        }
        if let Some(scale) = self.time_scale {
            steps.push(format!("played {scale} times as fast as recorded"));
        }
        steps
    }

    /// Why this cannot be done to any trace, if it cannot.
    pub fn fault(&self) -> Option<String> {
        if let Some(bytes) = self.align_bytes
            && !(1..=MAX_ALIGN_BYTES).contains(&bytes)
        {
            return Some(format!("align must be from 1 byte to 1 GiB, not {bytes} bytes"));
        }
        if let (Some(from), Some(to)) = (self.from_ns, self.to_ns)
            && from >= to
        {
            let (from, to) = (Time(from), Time(to));
            return Some(format!("the window from {from} to {to} is empty; \"to\" must be later"));
        }
        if let Some(fault) = self.sample.and_then(|sample| sample.fault(self.align_bytes)) {
            return Some(fault);
        }
        if let Some(bytes) = self.compact_unit_bytes
            && !(512..=MAX_COMPACT_UNIT_BYTES).contains(&bytes)
        {
            return Some(format!(
                "the unit to compact by must be from 512 bytes to 1 GiB, not {bytes} bytes"
            ));
        }
        if let Some(scale) = self.time_scale
            && !TIME_SCALES.contains(&scale)
        {
            return Some(format!(
                "the time scale {scale} is not a factor between 1e-6 and 1e6 (2 plays the trace twice as \
                 fast)"
            ));
        }
        let of_time =
            self.rotate.and_then(RotateSpec::fault).or_else(|| self.jitter.and_then(JitterSpec::fault));
        if of_time.is_some() {
            return of_time;
        }
        if let Some(fault) = streams::fault(&self.streams) {
            return Some(fault);
        }
        if self.max_requests == Some(0) {
            return Some("max_requests is 0, so there are no requests".to_owned());
        }
        self.repeat.and_then(RepeatSpec::fault)
    }

    fn one_round(self: &Arc<Self>, base: &Trace) -> Result<Box<dyn RecordSource>, TraceError> {
        let Some(spec) = self.rotate else { return self.unrotated(base) };
        let (steps, again) = (Arc::clone(self), base.clone());
        let make = Box::new(move || steps.unrotated(&again));
        Ok(Box::new(rotate::Rotate::new(base.name(), make, spec)?))
    }

    fn unrotated(&self, base: &Trace) -> Result<Box<dyn RecordSource>, TraceError> {
        let name = base.name();
        let mut source = base.source()?;
        if !self.merge.is_empty() {
            let mut others = Vec::with_capacity(self.merge.len());
            for MergeSpec { trace, shift_bytes, stream } in &self.merge {
                let (name, shift_bytes, stream) = (trace.name(), *shift_bytes, *stream);
                let source = trace.source().map_err(|error| error.of_merged(name))?;
                others.push(merge::Other { name, source, shift_bytes, stream });
            }
            source = Box::new(merge::Merge::new(name, source, others, self.common_clock));
        }
        if self.from_ns.is_some() || self.to_ns.is_some() {
            source = step::stepped(name, source, times::Window::new(self.from_ns, self.to_ns));
        }
        if self.shift_bytes > 0 {
            source = step::stepped(name, source, addresses::Shift { bytes: self.shift_bytes });
        }
        if let Some(bytes) = self.align_bytes {
            source = step::stepped(name, source, addresses::Align { bytes });
        }
        if let Some(spec) = self.sample {
            source = step::stepped(name, source, sample::Sample::new(spec));
        }
        if let Some(left) = self.max_requests {
            source = step::stepped(name, source, times::Limit { left });
        }
        if !self.streams.is_empty() {
            source = step::stepped(name, source, streams::ByRange::new(&self.streams));
        }
        Ok(step::stepped(name, source, times::Rebase::default()))
    }
}

impl Transformation for Transforms {
    fn describe(&self) -> Vec<String> {
        Self::describe(self)
    }

    fn has_streams(&self) -> bool {
        let by_range = self.streams.iter().any(|range| range.stream > 0);
        by_range
            || self.merge.iter().any(|merged| match merged.stream {
                Some(stream) => stream > 0,
                None => merged.trace.has_streams(),
            })
    }

    fn source(self: Arc<Self>, base: &Trace) -> Result<Box<dyn RecordSource>, TraceError> {
        let name = base.name();
        let mut source = match self.repeat {
            Some(spec) if spec.times > 1 => {
                let (steps, base) = (Arc::clone(&self), base.clone());
                let make = Box::new(move || steps.one_round(&base));
                Box::new(repeat::Repeat::new(name, make, spec)?)
            }
            _ => self.one_round(base)?,
        };
        if let Some(spec) = self.jitter {
            source = Box::new(jitter::Jitter::new(source, spec));
        }
        if let Some(bytes) = self.compact_unit_bytes {
            source = step::stepped(name, source, compact::Compact::new(bytes));
            source = step::stepped(name, source, times::Rebase::default());
        }
        if let Some(scale) = self.time_scale {
            source = step::stepped(name, source, times::Pace { scale });
        }
        Ok(source)
    }
}

impl Trace {
    /// This trace with `transforms` done to it; it keeps its name and format. Without any, the same trace.
    ///
    /// # Errors
    /// When the transforms cannot be done to any trace; what only shows on the way ends the stream.
    pub fn transformed(&self, transforms: Transforms) -> Result<Self, TraceError> {
        if let Some(reason) = transforms.fault() {
            return Err(TraceError::Records { name: self.name().to_owned(), reason });
        }
        if transforms.is_identity() {
            return Ok(self.clone());
        }
        // A trace to merge may be another one under the same name.
        let key = transforms.merge.is_empty().then(|| format!("{transforms:?}"));
        Ok(self.with_transformation(Arc::new(transforms), key))
    }
}
