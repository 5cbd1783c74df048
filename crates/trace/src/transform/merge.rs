//! Several traces as one, by time.

use super::shift::shifted;
use crate::{Faults, Record, RecordSource, TraceError};

const AT_ONCE: usize = 1024;

struct Stream {
    source: Box<dyn RecordSource>,
    shift_bytes: u64,
    buffer: Vec<Record>,
    at: usize,
    ended: bool,
}

impl Stream {
    fn head(&mut self) -> Result<Option<Record>, TraceError> {
        if self.at == self.buffer.len() && !self.ended {
            self.buffer.clear();
            self.at = 0;
            self.ended = self.source.fill(&mut self.buffer, AT_ONCE)? == 0;
        }
        Ok(self.buffer.get(self.at).copied())
    }
}

pub(super) struct Merge {
    name: String,
    streams: Vec<Stream>,
}

impl Merge {
    pub(super) fn new(name: &str, sources: Vec<(Box<dyn RecordSource>, u64)>) -> Self {
        let stream = |(source, shift_bytes)| Stream {
            source,
            shift_bytes,
            buffer: Vec::with_capacity(AT_ONCE),
            at: 0,
            ended: false,
        };
        Self { name: name.to_owned(), streams: sources.into_iter().map(stream).collect() }
    }
}

impl RecordSource for Merge {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        for count in 0..max {
            let mut earliest: Option<(u64, usize)> = None;
            for (index, stream) in self.streams.iter_mut().enumerate() {
                if let Some(record) = stream.head()?
                    && earliest.is_none_or(|(time_ns, _)| record.time_ns < time_ns)
                {
                    earliest = Some((record.time_ns, index));
                }
            }
            let Some((_, index)) = earliest else { return Ok(count) };
            let stream = &mut self.streams[index];
            let record = shifted(stream.buffer[stream.at], stream.shift_bytes)
                .map_err(|reason| TraceError::Records { name: self.name.clone(), reason })?;
            stream.at += 1;
            out.push(record);
        }
        Ok(max)
    }

    fn faults(&self) -> Faults {
        Faults::of_all(self.streams.iter().map(|stream| stream.source.faults()))
    }
}
