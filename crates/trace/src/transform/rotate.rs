//! The trace begun with another of its requests, those before it after the last.

use crate::{BadLines, Record, RecordSource, TraceError};

/// With which request a trace begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RotateSpec {
    /// The one that so many others precede.
    Requests(u64),
    /// The one that this share of all requests, rounded down, precedes.
    Share {
        /// Parts per million, less than all of them.
        ppm: u32,
    },
}

impl RotateSpec {
    pub(super) fn describe(self) -> String {
        match self {
            Self::Requests(requests) => format!("begun after {requests} requests, these at its end"),
            Self::Share { ppm } => format!("begun after {ppm} ppm of the requests, these at its end"),
        }
    }

    pub(super) fn fault(self) -> Option<String> {
        match self {
            Self::Share { ppm: 1_000_000.. } => {
                Some("rotate must leave a request to begin with: a share below 100%".to_owned())
            }
            Self::Requests(_) | Self::Share { .. } => None,
        }
    }
}

type Make = Box<dyn Fn() -> Result<Box<dyn RecordSource>, TraceError> + Send>;

/// Records taken from the source at once.
const AT_ONCE: usize = 4096;

/// Reads the trace again for what comes at the end, so that memory does not grow with it.
pub(super) struct Rotate {
    name: String,
    make: Make,
    source: Box<dyn RecordSource>,
    /// How many requests go to the end, and of them how many are still to come, once they are being played.
    moved: u64,
    left: Option<u64>,
    /// How many were read, and when the last of them arrived.
    requests: u64,
    last_ns: u64,
    /// When the request arrives with which the trace begins.
    from_ns: Option<u64>,
    /// When the end begins, in new time.
    end_ns: u64,
    /// The bad lines of the whole trace.
    bad_lines: BadLines,
}

impl Rotate {
    /// What `make` makes, whose first request arrives at time 0. `name` is the trace's, for messages.
    pub(super) fn new(name: &str, make: Make, spec: RotateSpec) -> Result<Self, TraceError> {
        let moved = match spec {
            RotateSpec::Requests(requests) => requests,
            RotateSpec::Share { ppm } => {
                (u128::from(passed(make()?.as_mut(), u64::MAX)?) * u128::from(ppm) / 1_000_000) as u64
            }
        };
        let mut source = make()?;
        let requests = passed(source.as_mut(), moved)?;
        let bad_lines = BadLines::default();
        let name = name.to_owned();
        Ok(Self {
            name,
            make,
            source,
            moved,
            left: None,
            requests,
            last_ns: 0,
            from_ns: None,
            end_ns: 0,
            bad_lines,
        })
    }

    /// The trace has been read to its end: what was moved follows after the mean gap between arrivals.
    fn turn(&mut self, from_ns: u64) -> Result<(), TraceError> {
        let gap_ns = self.last_ns / (self.requests - 1).max(1);
        self.end_ns = (self.last_ns - from_ns).saturating_add(gap_ns);
        self.left = Some(self.moved);
        self.bad_lines = self.source.bad_lines();
        self.source = (self.make)()?;
        Ok(())
    }

    #[cold]
    fn nothing_left(&self) -> TraceError {
        let reason = format!("cannot begin after {} requests: it holds only {}", self.moved, self.requests);
        TraceError::Records { name: self.name.clone(), reason }
    }
}

/// Reads past so many records, as far as there are; says how many there were.
fn passed(source: &mut dyn RecordSource, count: u64) -> Result<u64, TraceError> {
    let mut records = Vec::with_capacity(AT_ONCE);
    let mut read = 0;
    while read < count {
        records.clear();
        match source.fill(&mut records, AT_ONCE.min((count - read).try_into().unwrap_or(AT_ONCE)))? {
            0 => break,
            found => read += found as u64,
        }
    }
    Ok(read)
}

impl RecordSource for Rotate {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let start = out.len();
        if self.left.is_none() {
            let found = self.source.fill(out, max)?;
            if found > 0 {
                let from_ns = *self.from_ns.get_or_insert(out[start].time_ns);
                for record in &mut out[start..] {
                    self.last_ns = record.time_ns;
                    record.time_ns -= from_ns;
                }
                self.requests += found as u64;
                return Ok(found);
            }
            if max == 0 {
                return Ok(0);
            }
            let Some(from_ns) = self.from_ns else { return Err(self.nothing_left()) };
            self.turn(from_ns)?;
        }
        let left = self.left.unwrap_or(0);
        let found = self.source.fill(out, max.min(left.try_into().unwrap_or(max)))?;
        self.left = Some(left - found as u64);
        for record in &mut out[start..] {
            record.time_ns = record.time_ns.saturating_add(self.end_ns);
        }
        Ok(found)
    }

    fn bad_lines(&self) -> BadLines {
        if self.left.is_some() { self.bad_lines.clone() } else { self.source.bad_lines() }
    }
}
