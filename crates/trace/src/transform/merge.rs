//! Several traces as one, by time.

use super::shift::shifted;
use crate::{BadLines, Record, RecordSource, TraceError};

const AT_ONCE: usize = 1024;

struct Stream {
    /// What a merged trace is called; `None` for the first, into which the others are merged.
    name: Option<String>,
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
            let filled = self.source.fill(&mut self.buffer, AT_ONCE);
            self.ended = filled.map_err(|error| match &self.name {
                Some(name) => error.of_merged(name),
                None => error,
            })? == 0;
        }
        Ok(self.buffer.get(self.at).copied())
    }
}

pub(super) struct Merge {
    name: String,
    streams: Vec<Stream>,
}

impl Merge {
    /// The trace called `name`, and others by their names, each moved up by so many bytes.
    pub(super) fn new(
        name: &str,
        first: Box<dyn RecordSource>,
        others: Vec<(&str, Box<dyn RecordSource>, u64)>,
    ) -> Self {
        let stream = |name: Option<&str>, source, shift_bytes| Stream {
            name: name.map(str::to_owned),
            source,
            shift_bytes,
            buffer: Vec::with_capacity(AT_ONCE),
            at: 0,
            ended: false,
        };
        let mut streams = vec![stream(None, first, 0)];
        streams.extend(others.into_iter().map(|(name, source, bytes)| stream(Some(name), source, bytes)));
        Self { name: name.to_owned(), streams }
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
