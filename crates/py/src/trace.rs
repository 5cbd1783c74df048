//! Traces: files, records in memory, generators.

use std::collections::HashMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use reclaim_sim::config::{Found, Size, TraceConfig, load_trace};
use reclaim_trace::characteristics::Characteristics;
use reclaim_trace::transform::Transforms;
use reclaim_trace::{
    BadLines, CharacteristicsOptions, GeneratorSpec, Op, OpenOptions, OutputFormat, Record, Summary,
    TraceError, UniformSpec, write_normalised_csv,
};

use crate::errors::{self, INPUT_ERROR};
use crate::watch::watch;

/// Requests, kinds of loss, lines that were left out, the first of them, and signs of missing parts.
type Converted = (u64, Vec<String>, u64, Vec<String>, Vec<String>);

/// Of what runs made of a trace, so many requests are kept for others: each takes 7 to 10 bytes.
const MOST_KEPT: u64 = 4_000_000;

/// A block trace; reading it starts when it is scanned or simulated.
#[pyclass(frozen, module = "reclaim._core")]
pub struct Trace {
    pub inner: reclaim_trace::Trace,
    summary: OnceLock<Summary>,
    /// What runs made of it by the steps of their configurations, the latest last, with how many requests it has.
    kept: Mutex<Vec<(reclaim_trace::Trace, u64)>>,
}

impl Trace {
    fn new(inner: reclaim_trace::Trace) -> Self {
        Self { inner, summary: OnceLock::new(), kept: Mutex::default() }
    }

    /// Keep what a run made of this trace and has read, so that another run that makes the same need not.
    pub fn keep(&self, made: reclaim_trace::Trace) {
        // A file that the run opened with other options was read as another trace.
        let Some(&Summary { requests, .. }) = made.scanned() else { return };
        if requests > MOST_KEPT {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(each, _)| !each.is(&made));
        kept.push((made, requests));
        while kept.iter().map(|(_, requests)| requests).sum::<u64>() > MOST_KEPT {
            kept.remove(0);
        }
    }

    /// This trace with the steps of a configuration done to it; the same one, with what is known of it, without any.
    pub fn changed_by(&self, steps: &TraceConfig, places: &Places, seed: u64) -> PyResult<Self> {
        let made = located(steps, places).apply(&self.inner, seed).map_err(|error| errors::trace(&error))?;
        Ok(self.became(made))
    }

    fn became(&self, made: reclaim_trace::Trace) -> Self {
        let summary = if made.is(&self.inner) { self.summary.clone() } else { OnceLock::new() };
        Self { inner: made, summary, kept: Mutex::default() }
    }

    /// Remember what a pass made for another purpose found.
    pub fn keep_summary(&self, summary: Summary) {
        self.summary.get_or_init(|| summary);
    }

    /// One validating pass over everything; only the first call pays for it.
    pub fn summary(&self, py: Python<'_>) -> PyResult<Summary> {
        if let Some(known) = self.summary.get() {
            return Ok(known.clone());
        }
        let trace = self.inner.clone();
        let summary =
            watch(py, move || trace.scan(), |_| Ok(()), || ())?.map_err(|error| errors::trace(&error))?;
        Ok(self.summary.get_or_init(|| summary).clone())
    }
}

/// Where traces to merge are that are named otherwise than by their path: file, and the device to take from it.
pub type Places = HashMap<String, (PathBuf, Option<String>)>;

/// `steps` with the places of the traces to merge.
pub fn located(steps: &TraceConfig, places: &Places) -> TraceConfig {
    let mut steps = steps.clone();
    for merge in &mut steps.merge {
        merge.found = places
            .get(&merge.file)
            .map(|(path, device)| Found { path: path.clone(), device: device.clone() });
    }
    steps
}

/// The traces to merge as settings name them (`trace.merge`): files, or names that only the caller knows the place of.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // Python hands over an owned list
pub fn merged_files(settings: Vec<(String, String)>) -> PyResult<Vec<String>> {
    load_trace(&settings).map(|steps| files_of(&steps)).map_err(|error| errors::config(&error))
}

/// What `trace.merge` names.
pub fn files_of(steps: &TraceConfig) -> Vec<String> {
    steps.merge.iter().map(|each| each.file.clone()).collect()
}

/// Trace formats that can be read: (name, what it is, a good line).
#[pyfunction]
pub fn formats() -> Vec<(&'static str, &'static str, &'static str)> {
    reclaim_trace::formats().map(|each| (each.name, each.about, each.example)).collect()
}

fn op(name: &str) -> PyResult<Op> {
    match name {
        "read" => Ok(Op::Read),
        "write" => Ok(Op::Write),
        "trim" => Ok(Op::Trim),
        "flush" => Ok(Op::Flush),
        _ => Err(INPUT_ERROR
            .new_err(format!("unknown operation \"{name}\" in a record; valid: read, write, trim, flush"))),
    }
}

/// A word for one of several values.
fn parsed<T: FromStr<Err = TraceError>>(word: Option<&str>) -> PyResult<Option<T>> {
    word.map(str::parse).transpose().map_err(|error| errors::trace(&error))
}

#[pymethods]
impl Trace {
    /// Open a trace file; its compression and format are recognised by content.
    #[staticmethod]
    #[pyo3(signature = (path, format=None, sort=false, device=None, event=None, time_unit=None,
        columns=None, separator=None, on_error=None))]
    // Python hands over owned values, by keyword.
    #[allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]
    fn open(
        path: PathBuf,
        format: Option<String>,
        sort: bool,
        device: Option<String>,
        event: Option<String>,
        time_unit: Option<String>,
        columns: Option<String>,
        separator: Option<String>,
        on_error: Option<String>,
    ) -> PyResult<Self> {
        let options = OpenOptions {
            format,
            sort,
            device,
            event: parsed(event.as_deref())?,
            time_unit: parsed(time_unit.as_deref())?,
            columns,
            separator,
            on_error: parsed(on_error.as_deref())?.unwrap_or_default(),
        };
        reclaim_trace::Trace::open(&path, &options).map(Self::new).map_err(|error| errors::trace(&error))
    }

    /// Records in memory: (`time_ns`, operation, `offset_bytes`, `size_bytes`, stream) in order of time.
    #[staticmethod]
    fn from_records(name: &str, records: Vec<(u64, String, u64, u64, u8)>) -> PyResult<Self> {
        let records = records
            .into_iter()
            .map(|(time_ns, name, offset_bytes, size_bytes, stream)| {
                Ok(Record { time_ns, offset_bytes, size_bytes, op: op(&name)?, stream })
            })
            .collect::<PyResult<Vec<_>>>()?;
        Ok(Self::new(reclaim_trace::Trace::from_records(name, records)))
    }

    /// Requests spread evenly over a footprint, with exponential gaps between them.
    #[staticmethod]
    #[pyo3(signature = (footprint_bytes, request_bytes, count, write_fraction, trim_fraction,
        mean_interarrival_ns, seed))]
    fn uniform(
        footprint_bytes: u64,
        request_bytes: u64,
        count: u64,
        write_fraction: f64,
        trim_fraction: f64,
        mean_interarrival_ns: u64,
        seed: u64,
    ) -> Self {
        Self::new(reclaim_trace::Trace::uniform(UniformSpec {
            footprint_bytes,
            request_bytes,
            count,
            write_fraction,
            trim_fraction,
            mean_interarrival_ns,
            seed,
        }))
    }

    /// What a description (TOML, or JSON) describes; `name` is used where it has none of its own, and in errors.
    #[staticmethod]
    fn generated(text: &str, name: &str) -> PyResult<Self> {
        GeneratorSpec::parse(text, name)
            .and_then(|spec| reclaim_trace::Trace::generated(spec, name))
            .map(Self::new)
            .map_err(|error| errors::trace(&error))
    }

    /// What kind of thing the trace is.
    #[getter]
    fn provenance(&self) -> String {
        self.inner.provenance()
    }

    /// The description of a generated trace as TOML; None for other traces.
    fn generator(&self) -> Option<String> {
        self.inner.generator().map(GeneratorSpec::to_toml)
    }

    /// Write all requests as normalised CSV.
    fn write_csv(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let trace = self.inner.clone();
        let shown = path.display().to_string();
        let work = move || -> Result<std::io::Result<()>, TraceError> {
            match std::fs::File::create(&path) {
                Ok(file) => write_normalised_csv(&trace, &mut std::io::BufWriter::new(file)),
                Err(error) => Ok(Err(error)),
            }
        };
        match watch(py, work, |_| Ok(()), || ())? {
            Err(error) => Err(errors::trace(&error)),
            Ok(Err(error)) => Err(INPUT_ERROR.new_err(format!("{shown}: cannot be written: {error}"))),
            Ok(Ok(())) => Ok(()),
        }
    }

    /// Write all requests in another format, streaming: how many, a sentence for each kind of loss, how many lines
    /// were left out, the first of them, and signs that parts of the recording are missing. `format` defaults to what
    /// the name of the file ends with.
    #[pyo3(signature = (path, format=None, force=false))]
    fn convert(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: Option<&str>,
        force: bool,
    ) -> PyResult<Converted> {
        let trace = self.inner.clone();
        let format = parsed::<OutputFormat>(format)?;
        let written = watch(py, move || trace.convert(&path, format, force), |_| Ok(()), || ())?
            .map_err(|error| errors::trace(&error))?;
        let BadLines { count, first, warnings } = written.bad_lines;
        Ok((written.requests, written.losses, count, first, warnings))
    }

    /// What the trace calls itself: the file name, or the given name.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// The recognised format.
    #[getter]
    fn format(&self) -> &str {
        self.inner.format()
    }

    /// The trace with steps done to it, given as settings: (`trace.align`, `4KiB`) and so on.
    ///
    /// Then units of `compact_unit` (such as `4KiB`), if given, are numbered as they are first touched, and the whole
    /// is played `time_scale` times as fast. `places` says where traces to merge are that are not named by their path,
    /// `seed` what arrival times that move at random are drawn from.
    #[pyo3(signature = (settings, *, seed, places=Places::new(), compact_unit=None, time_scale=None))]
    #[allow(clippy::needless_pass_by_value)] // Python hands over owned values
    fn transformed(
        &self,
        settings: Vec<(String, String)>,
        seed: u64,
        places: Places,
        compact_unit: Option<&str>,
        time_scale: Option<f64>,
    ) -> PyResult<Self> {
        let steps = load_trace(&settings).map_err(|error| errors::config(&error))?;
        let compact_unit_bytes = compact_unit
            .map(|unit| {
                Size::parse(unit).map(|size| size.0).ok_or_else(|| {
                    INPUT_ERROR.new_err(format!(
                        "the unit to compact by, \"{unit}\", is not understood; expected a size such as 4KiB"
                    ))
                })
            })
            .transpose()?;
        let made = self.changed_by(&steps, &places, seed)?;
        let last = Transforms { compact_unit_bytes, time_scale, ..Transforms::default() };
        let changed = made.inner.transformed(last).map_err(|error| errors::trace(&error))?;
        Ok(made.became(changed))
    }

    /// What was done to the trace: a phrase for each step, in order.
    #[getter]
    fn transforms(&self) -> Vec<String> {
        self.inner.transforms()
    }

    /// How many traces are kept that runs made of it by the steps of their configurations.
    #[getter]
    fn kept(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The volumes of a file and what each is asked for, as JSON.
    fn volumes(&self, py: Python<'_>) -> PyResult<String> {
        let inner = self.inner.clone();
        let found = watch(py, move || inner.volumes(), |_| Ok(()), || ())?;
        let found = found.map_err(|error| errors::trace(&error))?;
        Ok(serde_json::to_string(&found).expect("volumes have only JSON values"))
    }

    /// What the trace contains, as JSON.
    fn scan(&self, py: Python<'_>) -> PyResult<String> {
        let summary = self.summary(py)?;
        Ok(serde_json::to_string(&summary).expect("a summary has only JSON values"))
    }
}

// What a trace is like, as JSON.

/// What `trace` is like: one validating pass over everything. `unit_bytes` and `stream_window` as in
/// `CharacteristicsOptions`.
#[pyfunction]
#[pyo3(signature = (trace, *, unit_bytes=4096, stream_window=32))]
pub fn characteristics(
    py: Python<'_>,
    trace: &Trace,
    unit_bytes: u64,
    stream_window: usize,
) -> PyResult<String> {
    let options = CharacteristicsOptions { unit_bytes, stream_window };
    let inner = trace.inner.clone();
    let (summary, found) = watch(py, move || inner.describe(options), |_| Ok(()), || ())?
        .map_err(|error| errors::trace(&error))?;
    trace.keep_summary(summary);
    Ok(serde_json::to_string(&found).expect("characteristics have only JSON values"))
}

/// The trace over time and address space, in at most so many bins of each, as JSON; `characteristics` is what was found
/// of it before, as JSON.
#[pyfunction]
pub fn picture(
    py: Python<'_>,
    trace: &Trace,
    characteristics: &str,
    time_bins: usize,
    address_bins: usize,
) -> PyResult<String> {
    let of: Characteristics =
        serde_json::from_str(characteristics).map_err(|error| INPUT_ERROR.new_err(error.to_string()))?;
    let inner = trace.inner.clone();
    let drawn = watch(py, move || inner.picture(&of, time_bins, address_bins), |_| Ok(()), || ())?
        .map_err(|error| errors::trace(&error))?;
    Ok(serde_json::to_string(&drawn).expect("a picture has only JSON values"))
}
