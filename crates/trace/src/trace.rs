//! A block trace from any origin: it has a name, can be summed up, and is played from the start any number of times.

use std::fmt::{self, Debug, Formatter};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::formats;
use crate::generate::{self, GeneratedSource, GeneratorSpec};
use crate::input::Input;
use crate::packed::{Packed, PackedSource, Packer};
use crate::record::Streams;
use crate::source::{self, Clock};
use crate::summary::{self, Summary};
use crate::trace_file::TraceFile;
use crate::uniform::{UniformSource, UniformSpec};
use crate::{MemorySource, OpenOptions, Record, RecordSource, TraceError};

/// Records taken from the trace at once where streams are checked.
const AT_ONCE: usize = 1 << 12;

/// A block trace. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Trace {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    kind: Kind,
    /// What the first scan found.
    scanned: OnceLock<Scanned>,
    /// Draws and transforms of it that somebody has.
    derived: Derived<Inner>,
}

impl Inner {
    fn new(name: String, kind: Kind) -> Self {
        Self { name, kind, scanned: OnceLock::new(), derived: Derived::default() }
    }
}

struct Scanned {
    summary: Summary,
    /// The records, unless they are not packed (see [`Kind::is_packed`]) or too many.
    packed: Option<Packed>,
    clock: Option<Clock>,
}

enum Kind {
    File(TraceFile),
    Memory { records: Arc<[Record]>, checked: OnceLock<Result<(), TraceError>> },
    Uniform(UniformSpec),
    Generated(Box<GeneratorSpec>),
    Transformed { base: Trace, transforms: Arc<dyn Transformation> },
}

/// What is done to the records of a trace as they are played. A trace knows no more of its transforms, which in turn
/// may hold traces to merge.
pub(crate) trait Transformation: Debug + Send + Sync {
    /// A phrase for each step, in order.
    fn describe(&self) -> Vec<String>;

    /// Whether they bring in requests of streams.
    fn has_streams(&self) -> bool;

    /// A fresh stream of the records of `base` with all steps done to them.
    fn source(self: Arc<Self>, base: &Trace) -> Result<Box<dyn RecordSource>, TraceError>;
}

impl Trace {
    /// A trace file, its compression recognised by content, and its format too unless `options` name one.
    ///
    /// Looks only at the beginning of the file: [`Trace::scan`] validates all of it. The description of a generated
    /// trace (see [`crate::generate`]) is taken for the trace it describes.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Self, TraceError> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self::open_as(name, path, options)
    }

    /// A trace file under another name than its own.
    fn open_as(name: String, path: &Path, options: &OpenOptions) -> Result<Self, TraceError> {
        let named = options.format.as_deref().map(formats::by_name).transpose()?;
        let entry = formats::entry(path);
        let input = Input::open(&entry)?;
        if named.is_none() && generate::recognise(input.head()) {
            return Self::open_generator(path, input.head());
        }
        let file = TraceFile::new(path, input, named, options)?;
        Ok(Self::new(name, Kind::File(file)))
    }

    /// Records already in memory, with their times as they are. They must be in order of time.
    pub fn from_records(name: &str, records: Vec<Record>) -> Self {
        Self::new(name.to_owned(), Kind::Memory { records: records.into(), checked: OnceLock::new() })
    }

    /// Requests spread evenly over a footprint; the same `spec` gives the same requests on every machine.
    pub fn uniform(spec: UniformSpec) -> Self {
        Self::new("uniform".to_owned(), Kind::Uniform(spec))
    }

    /// What `spec` describes; `name` is used where it has none of its own.
    ///
    /// # Errors
    /// If the description cannot be played.
    pub fn generated(spec: GeneratorSpec, name: &str) -> Result<Self, TraceError> {
        spec.check()?;
        Ok(Self::new(spec.name.clone().unwrap_or_else(|| name.to_owned()), Kind::Generated(Box::new(spec))))
    }

    fn open_generator(path: &Path, head: &[u8]) -> Result<Self, TraceError> {
        let text = std::str::from_utf8(head).map_err(|_| TraceError::File {
            path: path.to_path_buf(),
            reason: "begins like the description of a generated trace, but is not UTF-8 text".to_owned(),
        })?;
        let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self::generated(GeneratorSpec::parse(text, &path.display().to_string())?, &stem)
    }

    /// This trace opened with `options` besides its own: its file is opened again if they are new to it. Options mean
    /// nothing to a trace that is no file.
    ///
    /// # Errors
    /// When it was opened with another value of an option; when the file cannot be opened so.
    pub fn opened_with(&self, options: &OpenOptions) -> Result<Self, TraceError> {
        match &self.inner.kind {
            Kind::File(file) => {
                let both = file.options.with(options)?;
                if both == file.options {
                    return Ok(self.clone());
                }
                Self::open_as(self.name().to_owned(), &file.path, &both)
            }
            Kind::Transformed { base, transforms } => {
                let opened = base.opened_with(options)?;
                if opened.is(base) {
                    return Ok(self.clone());
                }
                let kind = Kind::Transformed { base: opened, transforms: Arc::clone(transforms) };
                Ok(Self::new(self.name().to_owned(), kind))
            }
            Kind::Memory { .. } | Kind::Uniform(_) | Kind::Generated(_) => Ok(self.clone()),
        }
    }

    /// A trace that is to be merged into this one: opened with its `own` options and, where it has none, with those
    /// that are `shared` by all, as far as they make sense for it (see [`OpenOptions::for_merged`]).
    ///
    /// # Errors
    /// As [`Trace::open`]; advice names the options of a merged trace.
    pub fn open_merged(
        &self,
        path: &Path,
        own: &OpenOptions,
        shared: &OpenOptions,
    ) -> Result<Self, TraceError> {
        let first = self.file().map(|file| file.path.as_path());
        let opened = own.for_merged(path, shared, first).and_then(|options| Self::open(path, &options));
        opened.map_err(|error| error.of_merged(&path.display().to_string()))
    }

    /// How the file was opened; the default for a trace that is no file.
    pub fn options(&self) -> OpenOptions {
        self.file().map(|file| file.options.clone()).unwrap_or_default()
    }

    pub(crate) fn file(&self) -> Option<&TraceFile> {
        match &self.inner.kind {
            Kind::File(file) => Some(file),
            Kind::Transformed { base, .. } => base.file(),
            Kind::Memory { .. } | Kind::Uniform(_) | Kind::Generated(_) => None,
        }
    }

    /// This trace with `transforms` done to its records; it keeps its name and format. What `key` tells all of is made
    /// once while somebody has it.
    pub(crate) fn with_transformation(
        &self,
        transforms: Arc<dyn Transformation>,
        key: Option<String>,
    ) -> Self {
        let kind = Kind::Transformed { base: self.clone(), transforms };
        match key {
            Some(key) => self.derived(key, kind),
            None => Self::new(self.name().to_owned(), kind),
        }
    }

    fn derived(&self, key: String, kind: Kind) -> Self {
        Self { inner: self.inner.derived.get(key, || Inner::new(self.name().to_owned(), kind)) }
    }

    /// Whether the other is this one, and not one that was made anew.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// What was done to the trace as it was read or made: a phrase for each step, in order.
    pub fn transforms(&self) -> Vec<String> {
        match &self.inner.kind {
            Kind::Transformed { base, transforms } => {
                let mut steps = base.transforms();
                steps.extend(transforms.describe());
                steps
            }
            Kind::File(file) => file.done().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn new(name: String, kind: Kind) -> Self {
        Self { inner: Arc::new(Inner::new(name, kind)) }
    }

    /// Another draw of a generated trace: its seed is `draw` higher. What was done to the trace is done to the draw.
    ///
    /// # Errors
    /// For records that were not generated: there is only one of them.
    pub fn drawn(&self, draw: u64) -> Result<Self, TraceError> {
        if draw == 0 {
            return Ok(self.clone());
        }
        let kind = match &self.inner.kind {
            Kind::Uniform(spec) => {
                Kind::Uniform(UniformSpec { seed: spec.seed.wrapping_add(draw), ..spec.clone() })
            }
            Kind::Generated(spec) => Kind::Generated(Box::new(GeneratorSpec {
                seed: spec.seed.wrapping_add(draw),
                ..(**spec).clone()
            })),
            Kind::Transformed { base, transforms } => {
                Kind::Transformed { base: base.drawn(draw)?, transforms: Arc::clone(transforms) }
            }
            Kind::File(_) | Kind::Memory { .. } => {
                return Err(TraceError::Option {
                    reason: format!(
                        "trace.draw {draw}: \"{}\" was not generated, so there is no other draw of \
                         it; trace.rotate makes it begin elsewhere",
                        self.name()
                    ),
                });
            }
        };
        Ok(self.derived(format!("draw {draw}"), kind))
    }

    /// The file's name without its folder, or the name the trace was given.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The format of the file, `memory` or `generated`.
    pub fn format(&self) -> &str {
        match &self.inner.kind {
            Kind::File(file) => file.format.name,
            Kind::Memory { .. } => "memory",
            Kind::Uniform(_) | Kind::Generated(_) => "generated",
            Kind::Transformed { base, .. } => base.format(),
        }
    }

    /// Where the requests come from, for whoever reads a result: a file, memory, a generator, or a synthetic stand-in
    /// and for which trace.
    pub fn provenance(&self) -> String {
        match &self.inner.kind {
            Kind::File(_) => "trace file".to_owned(),
            Kind::Memory { .. } => "records in memory".to_owned(),
            Kind::Uniform(_) => "generated".to_owned(),
            Kind::Generated(spec) => spec.provenance(),
            Kind::Transformed { base, .. } => base.provenance(),
        }
    }

    /// The description the trace is generated from; `None` for other traces.
    pub fn generator(&self) -> Option<&GeneratorSpec> {
        match &self.inner.kind {
            Kind::Generated(spec) => Some(spec),
            Kind::File(_) | Kind::Memory { .. } | Kind::Uniform(_) | Kind::Transformed { .. } => None,
        }
    }

    /// Footprint and request size in bytes, where it is known of a trace that its writes are all of one size and go to
    /// any place of a footprint that begins at address 0, every place as likely as any other, and that it trims
    /// nothing.
    pub fn uniform_writes(&self) -> Option<(u64, u64)> {
        match &self.inner.kind {
            Kind::Uniform(spec) if spec.trim_fraction == 0.0 => {
                Some((spec.footprint_bytes, spec.request_bytes))
            }
            Kind::Generated(spec) => spec.uniform_writes(),
            _ => None,
        }
    }

    /// Which events of the file are taken as requests, where its format leaves a choice (blkparse: `D` or `Q`).
    pub fn events(&self) -> Option<&'static str> {
        match &self.inner.kind {
            Kind::File(file) => file.events,
            Kind::Memory { .. } | Kind::Uniform(_) | Kind::Generated(_) => None,
            Kind::Transformed { base, .. } => base.events(),
        }
    }

    /// A fresh stream of all records from the start. Can be called any number of times.
    pub fn source(&self) -> Result<Box<dyn RecordSource>, TraceError> {
        if let Some(Scanned { packed: Some(packed), summary, clock }) = self.inner.scanned.get() {
            return Ok(Box::new(PackedSource::new(packed.clone(), summary.warnings.clone(), clock.clone())));
        }
        match &self.inner.kind {
            Kind::File(file) => file.source(),
            Kind::Memory { records, checked } => {
                checked.get_or_init(|| source::check(&self.inner.name, records)).clone()?;
                Ok(Box::new(MemorySource::new(Arc::clone(records))))
            }
            Kind::Uniform(spec) => Ok(Box::new(UniformSource::new(spec)?)),
            Kind::Generated(spec) => Ok(Box::new(GeneratedSource::new(spec))),
            Kind::Transformed { base, transforms } => Arc::clone(transforms).source(base),
        }
    }

    /// Whether the trace says in which stream its requests write.
    pub fn has_streams(&self) -> bool {
        match &self.inner.kind {
            Kind::File(file) => file.has_streams,
            Kind::Memory { records, .. } => records.iter().any(|record| record.stream > 0),
            Kind::Uniform(_) => false,
            Kind::Generated(spec) => !spec.stream_ends.is_empty(),
            Kind::Transformed { base, transforms } => base.has_streams() || transforms.has_streams(),
        }
    }

    /// Read everything once: an error if anything in it is wrong, otherwise what it contains. Only the first scan
    /// reads; what it has read is what later calls of [`Trace::source`] play, even if the file has changed.
    pub fn scan(&self) -> Result<Summary, TraceError> {
        if let Some(scanned) = self.inner.scanned.get() {
            return Ok(scanned.summary.clone());
        }
        self.scan_with(|_| ())
    }

    /// What [`Trace::scan`] has found, if it was called.
    pub fn scanned(&self) -> Option<&Summary> {
        self.inner.scanned.get().map(|scanned| &scanned.summary)
    }

    /// Read everything; `also` gets the records, a batch at a time.
    pub(crate) fn scan_with(&self, mut also: impl FnMut(&[Record])) -> Result<Summary, TraceError> {
        let mut packer = self.inner.kind.is_packed().then(Packer::default);
        let mut source = self.source()?;
        let summary =
            summary::scan(self.name(), self.format(), self.provenance(), source.as_mut(), |records| {
                also(records);
                if let Some(packer) = &mut packer {
                    packer.add(records);
                }
            })?;
        // Whoever plays only the beginning leaves out only what is bad there, which the packed records do not tell.
        let kept = packer.and_then(Packer::finish).filter(|_| summary.bad_lines == 0);
        let found = || Scanned { summary, packed: kept, clock: source.clock() };
        Ok(self.inner.scanned.get_or_init(found).summary.clone())
    }

    /// Whether all requests are of the streams that a drive keeps apart, of which `key` says that there are `count`.
    ///
    /// # Errors
    /// Names the first request that is of another: its line, where the trace is a file.
    pub fn check_streams(&self, count: u32, key: &str) -> Result<(), TraceError> {
        if u32::from(self.scan()?.last_stream) < count {
            return Ok(());
        }
        let streams = Streams { count, key: key.to_owned() };
        if let Some(file) = self.file() {
            file.check_streams(&streams)?;
        }
        let (mut source, mut records, mut before) = (self.source()?, Vec::new(), 0);
        while source.fill(&mut records, AT_ONCE)? > 0 {
            let fault = |(at, record): (usize, &Record)| {
                streams.fault(record).map(|fault| format!("record {} (from 0): {fault}", before + at))
            };
            if let Some(reason) = records.iter().enumerate().find_map(fault) {
                return Err(TraceError::Records { name: self.name().to_owned(), reason });
            }
            before += records.len();
            records.clear();
        }
        Ok(())
    }
}

impl Kind {
    /// Whether the records are packed as they are scanned: not if they are in memory anyway, nor if they are generated
    /// as quickly as they would be unpacked.
    fn is_packed(&self) -> bool {
        match self {
            Self::File(file) => !file.options.sort,
            Self::Memory { .. } => false,
            Self::Uniform(spec) => !spec.is_at_once(),
            Self::Generated(_) | Self::Transformed { .. } => true,
        }
    }
}

impl Debug for Scanned {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanned").field("summary", &self.summary).finish_non_exhaustive()
    }
}

impl Debug for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => f
                .debug_struct("File")
                .field("path", &file.path)
                .field("options", &file.options)
                .finish_non_exhaustive(),
            Self::Memory { records, .. } => {
                f.debug_struct("Memory").field("records", &records.len()).finish_non_exhaustive()
            }
            Self::Uniform(spec) => spec.fmt(f),
            Self::Generated(spec) => spec.fmt(f),
            Self::Transformed { base, transforms } => f
                .debug_struct("Transformed")
                .field("base", base)
                .field("transforms", &transforms.describe())
                .finish(),
        }
    }
}

/// What was made of something, by how it was made: who asks for the same while somebody has it gets that, with what is
/// known of it. It keeps nothing alive.
struct Derived<T> {
    made: Mutex<Vec<(String, Weak<T>)>>,
}

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Self { made: Mutex::default() }
    }
}

impl<T> Derived<T> {
    /// What is made in the way of `key`: it must say all of it.
    fn get(&self, key: String, make: impl FnOnce() -> T) -> Arc<T> {
        let mut known = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(_, each)| each.strong_count() > 0);
        let same = known.iter().find(|(way, _)| *way == key);
        if let Some(found) = same.and_then(|(_, found)| found.upgrade()) {
            return found;
        }
        let fresh = Arc::new(make());
        known.push((key, Arc::downgrade(&fresh)));
        fresh
    }
}

impl<T> Debug for Derived<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Derived").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_any_more_is_made_anew() {
        let derived = Derived::default();
        let first = derived.get("a".to_owned(), || 1);
        assert_eq!(*derived.get("a".to_owned(), || 2), 1);
        assert_eq!(*derived.get("b".to_owned(), || 3), 3);
        drop(first);
        assert_eq!(*derived.get("a".to_owned(), || 4), 4);
    }
}
