//! A trace in a file: opened with options, and read from the start as often as it is played.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::checked::{Order, ReadOptions};
use crate::format::Format;
use crate::formats;
use crate::in_order::InOrder;
use crate::input::Input;
use crate::options::Setting;
use crate::record::Streams;
use crate::register::Register;
use crate::source::Clock;
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
    /// The recording that it is, or is a part of, by its whole path: all that is read of it goes by one clock.
    clock_of: Arc<Path>,
    /// What was read once it was needed with [`OpenOptions::sort`].
    sorted: OnceLock<Sorted>,
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
        let clock_of = formats::recording(&path).into();
        // Options that make no sense are refused here, not when the trace is first played.
        let how = ReadOptions {
            order: Order::AsInFile,
            options,
            streams: None,
            clock_of: &clock_of,
            register: None,
        };
        (format.read)(input, &how)?;
        let options = options.clone();
        Ok(Self { path, format, events, options, has_streams, clock_of, sorted: OnceLock::new() })
    }

    /// A fresh stream of the file's records: sorted, if the options ask for it, or put in order as they come, if files
    /// of the format need it.
    pub(crate) fn source(&self) -> Result<Box<dyn RecordSource>, TraceError> {
        if !self.options.sort {
            if !self.format.disordered {
                return self.read(Order::Checked);
            }
            let source = self.read(Order::AsInFile)?;
            return Ok(Box::new(InOrder::new(source, &self.path, &self.clock_of)));
        }
        if let Some(sorted) = self.sorted.get() {
            return Ok(Box::new(sorted.clone()));
        }
        let loaded = self.load_sorted()?;
        Ok(Box::new(self.sorted.get_or_init(|| loaded).clone()))
    }

    fn read(&self, order: Order) -> Result<Box<dyn RecordSource>, TraceError> {
        self.read_with(order, None, None)
    }

    fn read_with(
        &self,
        order: Order,
        streams: Option<Streams>,
        register: Option<&Register>,
    ) -> Result<Box<dyn RecordSource>, TraceError> {
        let how = ReadOptions { order, options: &self.options, streams, clock_of: &self.clock_of, register };
        (self.format.read)(Input::open(&self.path)?, &how)
    }

    /// Requests of all devices as they stand in the file, by its clock; `register` then tells whose the last was.
    pub(crate) fn of_all_devices(&self, register: &Register) -> Result<Box<dyn RecordSource>, TraceError> {
        if !self.format.settings.contains(&Setting::Device) {
            let name = self.format.name;
            return Err(TraceError::File {
                path: self.path.clone(),
                reason: format!("is in the format {name}, which names no volumes"),
            });
        }
        self.read_with(Order::AsInFile, None, Some(register))
    }

    /// What was done to the file's requests without being asked for.
    pub(crate) fn done(&self) -> Option<String> {
        (self.format.disordered && !self.options.sort)
            .then(|| format!("put in order of time, in which {} files are not written", self.format.name))
    }

    /// The first line whose request is of none of these streams is an error.
    pub(crate) fn check_streams(&self, streams: &Streams) -> Result<(), TraceError> {
        let mut source = self.read_with(Order::AsInFile, Some(streams.clone()), None)?;
        let mut records = Vec::new();
        while source.fill(&mut records, 1 << 12)? > 0 {
            records.clear();
        }
        Ok(())
    }

    fn load_sorted(&self) -> Result<Sorted, TraceError> {
        const AT_ONCE: usize = 1 << 16;
        let mut source = self.read(Order::AsInFile)?;
        let mut records = Vec::new();
        while source.fill(&mut records, AT_ONCE)? > 0 {}
        records.sort_by_key(|record| record.time_ns);
        let zero_ns = records.first().map_or(0, |record| record.time_ns);
        for record in &mut records {
            record.time_ns -= zero_ns;
        }
        Ok(Sorted {
            records: MemorySource::new(records),
            bad_lines: source.bad_lines(),
            clock: Clock { file: Arc::clone(&self.clock_of), zero_ns },
        })
    }
}

/// Records of a file that was read to its end, and what was left out then.
#[derive(Clone)]
struct Sorted {
    records: MemorySource,
    bad_lines: BadLines,
    clock: Clock,
}

impl RecordSource for Sorted {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        self.records.fill(out, max)
    }

    fn bad_lines(&self) -> BadLines {
        self.bad_lines.clone()
    }

    fn clock(&self) -> Option<Clock> {
        Some(self.clock.clone())
    }
}
