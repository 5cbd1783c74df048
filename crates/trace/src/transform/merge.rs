//! Several traces as one, by time. The first request of each is at time 0, but for traces of the same recording as the
//! first: these keep the clock that they share with it.

use super::addresses::shifted;
use crate::source::Clock;
use crate::{BadLines, Record, RecordSource, TraceError};

const AT_ONCE: usize = 1024;

struct Stream {
    /// What a merged trace is called; `None` for the first, into which the others are merged.
    name: Option<String>,
    source: Box<dyn RecordSource>,
    shift_bytes: u64,
    /// The stream that its requests are of; those that they name without it.
    named: Option<u8>,
    /// When its time 0 is, in the time of the merged trace.
    begins_ns: u64,
    buffer: Vec<Record>,
    at: usize,
    ended: bool,
}

impl Stream {
    fn head(&mut self) -> Result<Option<Record>, TraceError> {
        if self.at == self.buffer.len() && !self.ended {
            self.buffer.clear();
            self.at = 0;
            let filled = self.source.fill(&mut self.buffer, AT_ONCE);
            self.ended = filled.map_err(|error| match &self.name {
                Some(name) => error.of_merged(name),
                None => error,
            })? == 0;
        }
        Ok(self.buffer.get(self.at).copied())
    }

    /// When its next request arrives, in the time of the merged trace.
    fn next_ns(&mut self) -> Result<Option<u64>, TraceError> {
        let begins_ns = self.begins_ns;
        Ok(self.head()?.map(|record| record.time_ns.saturating_add(begins_ns)))
    }
}

/// A trace to be merged in: its name, what is added to its addresses, and the stream that its requests are of.
pub(super) struct Other<'a> {
    pub(super) name: &'a str,
    pub(super) source: Box<dyn RecordSource>,
    pub(super) shift_bytes: u64,
    pub(super) stream: Option<u8>,
}

pub(super) struct Merge {
    name: String,
    streams: Vec<Stream>,
    /// Whether the clocks of all files are one.
    common_clock: bool,
    begun: bool,
}

impl Merge {
    /// The trace called `name`, and others as they are to be merged in.
    pub(super) fn new(
        name: &str,
        first: Box<dyn RecordSource>,
        others: Vec<Other<'_>>,
        common_clock: bool,
    ) -> Self {
        let stream = |name: Option<&str>, source, shift_bytes, named| Stream {
            name: name.map(str::to_owned),
            source,
            shift_bytes,
            named,
            begins_ns: 0,
            buffer: Vec::with_capacity(AT_ONCE),
            at: 0,
            ended: false,
        };
        let mut streams = vec![stream(None, first, 0, None)];
        streams.extend(others.into_iter().map(|Other { name, source, shift_bytes, stream: named }| {
            stream(Some(name), source, shift_bytes, named)
        }));
        Self { name: name.to_owned(), streams, common_clock, begun: false }
    }

    /// Find when each begins: the recording of the first may have begun with another's requests.
    fn begin(&mut self) -> Result<(), TraceError> {
        self.begun = true;
        for stream in &mut self.streams {
            stream.head()?;
        }
        if self.common_clock
            && let Some(without) = self.streams.iter().find(|stream| stream.source.clock().is_none())
        {
            let who = without.name.as_ref().unwrap_or(&self.name);
            let reason = format!(
                "common_clock: {who} has no clock of a recording: it was generated, or its times were changed"
            );
            return Err(TraceError::Records { name: self.name.clone(), reason });
        }
        let Some(first) = self.streams[0].source.clock() else { return Ok(()) };
        let zeros: Vec<u64> = self
            .streams
            .iter()
            .map(|stream| match stream.source.clock() {
                Some(Clock { file, zero_ns }) if self.common_clock || file == first.file => zero_ns,
                _ => first.zero_ns,
            })
            .collect();
        let earliest_ns = zeros.iter().min().copied().unwrap_or(0);
        for (stream, zero_ns) in self.streams.iter_mut().zip(zeros) {
            stream.begins_ns = zero_ns - earliest_ns;
        }
        Ok(())
    }
}

impl RecordSource for Merge {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        if max > 0 && !self.begun {
            self.begin()?;
        }
        for count in 0..max {
            let mut earliest: Option<(u64, usize)> = None;
            for (index, stream) in self.streams.iter_mut().enumerate() {
                if let Some(time_ns) = stream.next_ns()?
                    && earliest.is_none_or(|(earliest_ns, _)| time_ns < earliest_ns)
                {
                    earliest = Some((time_ns, index));
                }
            }
            let Some((time_ns, index)) = earliest else { return Ok(count) };
            let stream = &mut self.streams[index];
            let record = stream.buffer[stream.at];
            let record = Record { time_ns, stream: stream.named.unwrap_or(record.stream), ..record };
            let record = shifted(record, stream.shift_bytes)
                .map_err(|reason| TraceError::Records { name: self.name.clone(), reason })?;
            stream.at += 1;
            out.push(record);
        }
        Ok(max)
    }

    /// The clock of the first trace, which shows less than at its first request if another of the recording is earlier.
    fn clock(&self) -> Option<Clock> {
        let first = &self.streams[0];
        let clock = first.source.clock()?;
        Some(Clock { zero_ns: clock.zero_ns - first.begins_ns, ..clock })
    }

    fn bad_lines(&self) -> BadLines {
        BadLines::of_all(self.streams.iter().map(|stream| {
            let mut bad_lines = stream.source.bad_lines();
            if let Some(name) = &stream.name {
                // A line number alone would be taken for one of the first trace.
                let said = bad_lines.first.iter_mut().chain(&mut bad_lines.warnings);
                said.for_each(|line| *line = format!("{name}: {line}"));
            }
            bad_lines
        }))
    }
}
