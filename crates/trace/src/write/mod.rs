//! Writing a trace to a file: the list of output formats (each is a file in this folder), and the conversion from any
//! trace to any of them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use niffler::Level;
use niffler::send::compression::Format as Compression;
use zstd::stream::write::Encoder;

use crate::wording::choice;
use crate::{BadLines, RecordSource, Trace, TraceError};

mod csv;
mod fio;
mod mqsim;
mod packed;
mod parquet;
mod text;

use packed::PackedFile;
use text::{Sink, TextSink};

/// Records taken from the trace at once.
const AT_ONCE: usize = 4096;

/// A format that traces can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// Reclaim's own table; loses nothing.
    Csv,
    /// A Parquet file with the columns `time_ns`, `op`, `offset_bytes`, `size_bytes`; loses nothing.
    Parquet,
    /// MQSim ASCII: reads and writes of whole sectors.
    Mqsim,
    /// A fio iolog, version 3: times in whole microseconds.
    Fio,
}

const NAMES: [(&str, OutputFormat); 4] = [
    ("csv", OutputFormat::Csv),
    ("parquet", OutputFormat::Parquet),
    ("mqsim", OutputFormat::Mqsim),
    ("fio", OutputFormat::Fio),
];

const EXTENSIONS: [(&str, OutputFormat); 6] = [
    ("csv", OutputFormat::Csv),
    ("parquet", OutputFormat::Parquet),
    ("mqsim", OutputFormat::Mqsim),
    ("trace", OutputFormat::Mqsim),
    ("fio", OutputFormat::Fio),
    ("iolog", OutputFormat::Fio),
];

const COMPRESSIONS: [(&str, Compression); 4] = [
    ("gz", Compression::Gzip),
    ("zst", Compression::Zstd),
    ("bz2", Compression::Bzip),
    ("xz", Compression::Lzma),
];

impl FromStr for OutputFormat {
    type Err = TraceError;

    fn from_str(name: &str) -> Result<Self, TraceError> {
        choice("output format", name, &NAMES)
    }
}

/// What a conversion wrote, and what it left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Number of requests in the output.
    pub requests: u64,
    /// Lines of the trace that could not be read and were left out, with [`crate::OnError::Report`].
    pub bad_lines: BadLines,
    /// What the output could not express, a sentence for each kind; empty if it holds the same trace.
    pub losses: Vec<String>,
}

impl Trace {
    /// Write the trace to `path`, streaming. `format` defaults to what the name ends with (`.csv`, `.parquet`, `.mqsim`
    /// or `.trace`, `.fio` or `.iolog`); `.gz`, `.zst`, `.bz2` or `.xz` behind that packs text. The file appears under
    /// its name when it is complete.
    ///
    /// # Errors
    /// A name that tells no format, a file that exists (unless `force`), an error of the trace or of the output.
    pub fn convert(
        &self,
        path: &Path,
        format: Option<OutputFormat>,
        force: bool,
    ) -> Result<Written, TraceError> {
        let fail = |reason: String| TraceError::File { path: path.to_path_buf(), reason };
        let (named, compression) = by_name(path);
        let format = format.or(named).ok_or_else(|| {
            fail(
                "the name does not tell the format; end it with .csv, .parquet, .mqsim or .fio, or use --as"
                    .to_owned(),
            )
        })?;
        if format == OutputFormat::Parquet && compression != Compression::No {
            return Err(fail("Parquet is packed inside; leave out the second extension".to_owned()));
        }
        if path.is_dir() {
            return Err(fail("is a directory".to_owned()));
        }
        let existing = path.metadata().ok();
        if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
            return Err(fail("is not a regular file; name one to be written".to_owned()));
        }
        if existing.is_some() && !force {
            return Err(fail("exists already; --force overwrites it".to_owned()));
        }
        // A link stays a link: what it leads to is replaced.
        let place = if existing.is_some() { path.canonicalize() } else { Ok(path.to_path_buf()) };
        let place = place.map_err(|error| fail(format!("cannot be written: {error}")))?;
        let partial = Partial::next_to(&place);
        let mut source = self.source()?;
        let streams = self.has_streams();
        let sink = sink(&partial.path, format, compression, streams);
        let unwritten = |error: io::Error| fail(format!("cannot be written: {error}"));
        let keeps_streams = matches!(format, OutputFormat::Csv | OutputFormat::Parquet);
        let poured = pour(source.as_mut(), sink.map_err(unwritten)?, keeps_streams)?;
        let mut written = poured.map_err(unwritten)?;
        if streams && !keeps_streams {
            written.losses.push("streams left out: only csv and parquet have a column for them".to_owned());
        }
        if written.requests == 0 {
            return Err(fail(format!("would hold no requests: {}", written.losses.join("; "))));
        }
        if let Some(existing) = existing {
            std::fs::set_permissions(&partial.path, existing.permissions()).map_err(unwritten)?;
        }
        std::fs::rename(&partial.path, &place).map_err(unwritten)?;
        Ok(written)
    }
}

/// Write all records of `trace` as normalised CSV.
///
/// # Errors
/// The outer error is of the trace being read, the inner one of the output.
pub fn write_normalised_csv(trace: &Trace, output: &mut dyn Write) -> Result<io::Result<()>, TraceError> {
    let csv = csv::Csv { streams: trace.has_streams() };
    Ok(pour(trace.source()?.as_mut(), Box::new(TextSink::new(output, csv)), true)?.map(|_| ()))
}

/// Everything from `source` into `sink`. The outer error is of the trace, the inner one of the output.
fn pour(
    source: &mut dyn RecordSource,
    mut sink: Box<dyn Sink + '_>,
    keeps_streams: bool,
) -> Result<io::Result<Written>, TraceError> {
    let mut records = Vec::with_capacity(AT_ONCE);
    let mut requests = 0;
    while source.fill(&mut records, AT_ONCE)? > 0 {
        if !keeps_streams {
            // What a file says of its own checksum is of what it has.
            for record in &mut records {
                record.stream = 0;
            }
        }
        if let Err(error) = sink.write(&records) {
            return Ok(Err(error));
        }
        requests += records.len() as u64;
        records.clear();
    }
    let bad_lines = source.bad_lines();
    Ok(sink.finish().map(|losses| Written {
        requests: requests - losses.left_out,
        bad_lines,
        losses: losses.told,
    }))
}

fn sink(
    path: &Path,
    format: OutputFormat,
    compression: Compression,
    streams: bool,
) -> io::Result<Box<dyn Sink>> {
    let file = File::create(path)?;
    if format == OutputFormat::Parquet {
        return Ok(Box::new(parquet::ParquetSink::new(BufWriter::new(file), streams)?));
    }
    let output: Box<dyn Write + Send> = match compression {
        Compression::No => Box::new(BufWriter::new(file)),
        Compression::Zstd => Box::new(ZstdFile::new(BufWriter::new(file))?),
        _ => Box::new(PackedFile::new(file, compression, Level::Six)?),
    };
    Ok(match format {
        OutputFormat::Mqsim => Box::new(TextSink::new(output, mqsim::Mqsim::default())),
        OutputFormat::Fio => Box::new(TextSink::new(output, fio::Fio::default())),
        OutputFormat::Csv | OutputFormat::Parquet => Box::new(TextSink::new(output, csv::Csv { streams })),
    })
}

/// The format and the compression that the name of a file stands for.
fn by_name(path: &Path) -> (Option<OutputFormat>, Compression) {
    let ends = |path: &Path| path.extension().map(|end| end.to_string_lossy().to_lowercase());
    let look = |path: &Path| {
        let end = ends(path)?;
        EXTENSIONS.iter().find(|(name, _)| *name == end).map(|(_, format)| *format)
    };
    let packed = ends(path).and_then(|end| COMPRESSIONS.iter().find(|(name, _)| *name == end).copied());
    match packed {
        Some((_, compression)) => (look(&path.with_extension("")), compression),
        None => (look(path), Compression::No),
    }
}

/// A file that is being written; removed unless it gets its own name.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn next_to(path: &Path) -> Self {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.partial", std::process::id()));
        Self { path: path.with_file_name(name) }
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // After the renaming there is nothing to remove.
        let _ = std::fs::remove_file(&self.path);
    }
}

// Zstandard with the checksum of what was packed at the end of its frame: readers notice a flipped bit by it.

/// The same effort as for the other compressions.
const LEVEL: i32 = 6;

/// A packed file. Flushing it ends the frame, so it comes last; an error of that is not lost as it would be on
/// dropping.
struct ZstdFile {
    encoder: Option<Encoder<'static, BufWriter<File>>>,
}

impl ZstdFile {
    fn new(output: BufWriter<File>) -> io::Result<Self> {
        let mut encoder = Encoder::new(output, LEVEL)?;
        encoder.include_checksum(true)?;
        Ok(Self { encoder: Some(encoder) })
    }
}

impl Write for ZstdFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.encoder {
            Some(encoder) => encoder.write(bytes),
            None => Err(io::Error::other("the frame has been ended")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.take().map_or(Ok(()), |encoder| encoder.finish()?.flush())
    }
}
