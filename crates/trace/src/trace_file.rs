//! A trace in a file: opened with options, and read from the start as often as it is played.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::checked::{Order, ReadOptions};
use crate::format::Format;
use crate::formats;
use crate::input::Input;
use crate::streams::Streams;
use crate::{BadLines, MemorySource, OpenOptions, Record, RecordSource, TraceError};

pub(crate) struct TraceFile {
    /// The file that is read.
    pub(crate) path: PathBuf,
    pub(crate) format: &'static Format,
    /// Which events of the file are taken as requests, where its format leaves a choice.
    pub(crate) events: Option<&'static str>,
    pub(crate) options: OpenOptions,
    /// Whether it says in which stream requests write.
    pub(crate) has_streams: bool,
    /// The records in order of time and the lines that could not be read, once they were needed with
    /// [`OpenOptions::sort`].
    sorted: OnceLock<(Arc<[Record]>, BadLines)>,
}

impl TraceFile {
    /// The file at `path`, opened as `input`, which it may be read from under another name (one of the files of a
    /// recording). `named` is the format that the options name.
    pub(crate) fn new(
        path: &Path,
        input: Input,
        named: Option<&'static Format>,
        options: &OpenOptions,
    ) -> Result<Self, TraceError> {
        let format = match named {
            Some(format) => format,
            None => formats::recognise(&input, options)?,
        };
        formats::check_settings(path, format, options)?;
        let events = (format.events)(&input, options);
        let path = input.path().to_path_buf();
        let has_streams = (format.has_streams)(&input, options);
        // Options that make no sense are refused here, not when the trace is first played.
        (format.read)(input, &ReadOptions { order: Order::AsInFile, options, streams: None })?;
        let options = options.clone();
        Ok(Self { path, format, events, options, has_streams, sorted: OnceLock::new() })
    }

    /// A fresh stream of the file's records: sorted, if the options ask for it.
    pub(crate) fn source(&self) -> Result<Box<dyn RecordSource>, TraceError> {
        if !self.options.sort {
            return self.read(Order::Checked);
        }
        let (sorted, bad_lines) = if let Some(sorted) = self.sorted.get() {
            sorted
        } else {
            let loaded = self.load_sorted()?;
            self.sorted.get_or_init(|| loaded)
        };
        Ok(Box::new(Sorted { records: MemorySource::new(Arc::clone(sorted)), bad_lines: bad_lines.clone() }))
    }

    fn read(&self, order: Order) -> Result<Box<dyn RecordSource>, TraceError> {
        self.read_with(order, None)
    }

    fn read_with(&self, order: Order, streams: Option<Streams>) -> Result<Box<dyn RecordSource>, TraceError> {
        (self.format.read)(Input::open(&self.path)?, &ReadOptions { order, options: &self.options, streams })
    }

    /// The first line whose request is of none of these streams is an error.
    pub(crate) fn check_streams(&self, streams: &Streams) -> Result<(), TraceError> {
        let mut source = self.read_with(Order::AsInFile, Some(streams.clone()))?;
        let mut records = Vec::new();
        while source.fill(&mut records, 1 << 12)? > 0 {
            records.clear();
        }
        Ok(())
    }

    fn load_sorted(&self) -> Result<(Arc<[Record]>, BadLines), TraceError> {
        const AT_ONCE: usize = 1 << 16;
        let mut source = self.read(Order::AsInFile)?;
        let mut records = Vec::new();
        while source.fill(&mut records, AT_ONCE)? > 0 {}
        records.sort_by_key(|record| record.time_ns);
        let first_ns = records.first().map_or(0, |record| record.time_ns);
        for record in &mut records {
            record.time_ns -= first_ns;
        }
        Ok((records.into(), source.bad_lines()))
    }
}

/// Records of a file that was read to its end, and what was left out then.
struct Sorted {
    records: MemorySource,
    bad_lines: BadLines,
}

impl RecordSource for Sorted {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        self.records.fill(out, max)
    }

    fn bad_lines(&self) -> BadLines {
        self.bad_lines.clone()
    }
}
