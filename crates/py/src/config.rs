//! Device configurations and what can be written in them.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use reclaim_sim::Demand;
use reclaim_sim::config;
use reclaim_sim::flash::Geometry;
use reclaim_trace::toml_place;

use crate::errors;
use crate::own_policy;
use crate::trace::{Places, Trace, files_of, located};
use crate::watch::watch;

fn pairs(listed: Vec<config::Listed>) -> Vec<(String, String)> {
    listed.into_iter().map(|each| (each.name, each.about)).collect()
}

/// What the user wrote, which may be bytes that are no text: arguments and names of files need not be.
fn text(what: &str, given: OsString) -> PyResult<String> {
    given.into_string().map_err(|given| {
        let shown = given.to_string_lossy();
        errors::INPUT_ERROR.new_err(format!("{what} \"{shown}\" is not UTF-8 text; use a name that is"))
    })
}

/// Built-in devices: (name, what it is).
#[pyfunction]
pub fn presets() -> Vec<(String, String)> {
    pairs(config::presets())
}

/// Named combinations of policies: (name, what it is).
#[pyfunction]
pub fn schemes() -> Vec<(String, String)> {
    pairs(config::schemes())
}

/// The settings of a scheme, as TOML.
#[pyfunction]
pub fn scheme_toml(name: &str) -> PyResult<String> {
    config::scheme_toml(name).map_err(|error| errors::config(&error))
}

/// The text of a built-in device.
#[pyfunction]
pub fn preset_toml(name: &str) -> PyResult<String> {
    config::preset_toml(name).map_err(|error| errors::config(&error))
}

/// Settings that are given at once, so that none undoes another: in an order in which one may follow the other.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // Python hands over owned values
pub fn at_once(settings: Vec<(OsString, OsString)>) -> PyResult<Vec<(String, String)>> {
    let setting = |(key, value)| Ok((text("a setting", key)?, text("a setting", value)?));
    let settings: Vec<_> = settings.into_iter().map(setting).collect::<PyResult<_>>()?;
    config::at_once(&settings).map_err(|error| errors::config(&error))
}

/// The other keys that say what a key of a setting says.
#[pyfunction]
pub fn same_settings(key: &str) -> Vec<&'static str> {
    config::same_settings(key)
}

/// JSON Schema of the configuration.
#[pyfunction]
pub fn schema() -> String {
    config::schema().to_string()
}

/// Every exchangeable part of the drive, its policies and their parameters, as JSON.
#[pyfunction]
pub fn catalogue() -> String {
    config::catalogue().to_string()
}

/// What a line of TOML that is none was probably meant to say, to put behind what is wrong with it; or nothing.
#[pyfunction]
pub fn meant(line: &str) -> String {
    reclaim_trace::wording::meant(line).unwrap_or_default()
}

/// A key of a table, or the place of an entry in a list.
#[derive(FromPyObject)]
pub enum Step {
    Entry(usize),
    Key(String),
}

/// The line of what a path leads to in a TOML text, or of the nearest above it.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 hands a list over")]
pub fn toml_line(text: &str, path: Vec<Step>) -> Option<usize> {
    let steps = path.iter().map(|step| match step {
        Step::Entry(at) => toml_place::Step::Entry(*at),
        Step::Key(key) => toml_place::Step::Key(key),
    });
    toml_place::toml_place(text, steps).map(|place| place.line)
}

/// What a device with settings on top of it says of traces, as JSON; nothing else of it is checked.
#[pyfunction]
#[pyo3(signature = (device, set=Vec::new(), folders=Vec::new()))]
#[allow(clippy::needless_pass_by_value)] // Python hands over owned values
pub fn trace_section(
    device: OsString,
    set: Vec<(OsString, OsString)>,
    folders: Vec<PathBuf>,
) -> PyResult<String> {
    let device = text("the device", device)?;
    let setting = |(key, value)| Ok((text("a setting", key)?, text("a setting", value)?));
    let set = set.into_iter().map(setting).collect::<PyResult<_>>()?;
    let request = config::LoadRequest { device, schemes: Vec::new(), set };
    let section = config::load_trace_of(&request, &folders).map_err(|error| errors::config(&error))?;
    Ok(serde_json::to_string(&section).expect("a configuration has only JSON values"))
}

/// All that is wrong with a device, schemes and settings on it, as far as it can be told at once: a message each.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // Python hands over owned values
pub fn mistakes(
    py: Python<'_>,
    device: String,
    schemes: Vec<String>,
    set: Vec<(String, String)>,
    folders: Vec<PathBuf>,
) -> PyResult<Vec<String>> {
    let request = config::LoadRequest { device, schemes, set };
    // Policies of the user's are made, to see that they can be.
    let found = watch(py, move || config::mistakes(&request, &folders, &[]), |_| Ok(()), || ())?;
    Ok(found.iter().map(ToString::to_string).collect())
}

/// A resolved and validated configuration.
#[pyclass(frozen, module = "reclaim._core")]
pub struct Config {
    pub inner: config::Config,
    /// What results call the schemes on it.
    pub scheme: String,
    /// The settings on top of it, as `key=value`, in order of their keys.
    settings: Vec<String>,
    /// Which of them take the place of what is below, in other words.
    replaced: Vec<String>,
    /// What it was read from.
    files: Vec<PathBuf>,
}

#[pymethods]
impl Config {
    /// Resolve `device` (a preset or a TOML file), then `schemes` in order, then single settings. `folders` have device
    /// files that are known by name. `own` are keys of settings that belong to the schemes: a drive
    /// that prepares this one does without them.
    #[new]
    #[pyo3(signature = (device, schemes=Vec::new(), set=Vec::new(), folders=Vec::new(), own=Vec::new()))]
    #[allow(clippy::needless_pass_by_value)] // Python hands over owned values
    fn new(
        py: Python<'_>,
        device: OsString,
        schemes: Vec<OsString>,
        set: Vec<(OsString, OsString)>,
        folders: Vec<PathBuf>,
        own: Vec<String>,
    ) -> PyResult<Self> {
        let device = text("the device", device)?;
        let schemes: Vec<_> =
            schemes.into_iter().map(|scheme| text("a scheme", scheme)).collect::<PyResult<_>>()?;
        let setting = |(key, value)| Ok((text("a setting", key)?, text("a setting", value)?));
        let set = set.into_iter().map(setting).collect::<PyResult<_>>()?;
        let scheme = schemes.join("+");
        let request = config::LoadRequest { device, schemes, set };
        let work = move || {
            let mut inner =
                config::load_near(&request, &folders, &own).map_err(|error| errors::config(&error))?;
            own_policy::note_code(&mut inner)?;
            let files =
                config::device_files(&request.device, &folders).map_err(|error| errors::config(&error))?;
            let replaced = config::replaced(&request, &folders).map_err(|error| errors::config(&error))?;
            Ok(Self { inner, scheme, settings: request.settings(), replaced, files })
        };
        // Policies of the user's are made, to see that they can be.
        watch(py, work, |_| Ok(()), || ())?
    }

    /// The file that describes the drive and those it is based on, in order; none for a preset.
    #[getter]
    fn files(&self) -> Vec<PathBuf> {
        self.files.clone()
    }

    /// Which settings take the place of what device or schemes say in other words, a sentence each.
    #[getter]
    fn replaced(&self) -> Vec<String> {
        self.replaced.clone()
    }

    /// The settings on top of device and schemes, as `key=value`, in order of their keys.
    #[getter]
    fn settings(&self) -> Vec<String> {
        self.settings.clone()
    }

    /// Everything resolved, as TOML that can be loaded again.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    /// Everything resolved, as JSON.
    fn to_json(&self) -> String {
        serde_json::to_string(&self.inner).expect("a configuration has only JSON values")
    }

    /// The traces to merge as the `trace` section names them: files, or names that only the caller knows the place of.
    fn merged_files(&self) -> Vec<String> {
        files_of(&self.inner.trace)
    }

    /// The trace with the steps of the configuration's `trace` section done to it; `places` as in `run`.
    #[pyo3(signature = (trace, *, places=Places::new()))]
    #[allow(clippy::needless_pass_by_value)] // Python hands over an owned mapping
    fn transformed(&self, trace: &Trace, places: Places) -> PyResult<Trace> {
        trace.changed_by(&self.inner.trace, &places, self.inner.seed)
    }

    /// The key of the state in which a run of the trace starts, as hexadecimal text: of two runs with the same key,
    /// each may load the state that the other has saved after its warm-up. `places` as in `run`.
    #[pyo3(signature = (trace, *, places=Places::new()))]
    #[allow(clippy::needless_pass_by_value)] // Python hands over an owned mapping
    fn warm_up_key(&self, py: Python<'_>, trace: &Trace, places: Places) -> PyResult<String> {
        let steps = located(&self.inner.trace, &places);
        let config = config::Config { trace: steps, ..self.inner.clone() };
        let trace = trace.inner.clone();
        watch(py, move || reclaim_sim::warm_up_key(&config, &trace), |_| Ok(()), || ())?
            .map_err(|error| errors::simulation(&error, &[]))
    }

    /// The same without reading a trace, and whether the warm-up plays one: two runs of one trace share a warm-up if it
    /// is the same for both, and runs of whatever traces where none is played.
    fn warm_up_key_of_any_trace(&self, py: Python<'_>) -> PyResult<(String, bool)> {
        let config = self.inner.clone();
        let key = watch(py, move || reclaim_sim::warm_up_key_of_any_trace(&config), |_| Ok(()), || ())?;
        Ok((key.map_err(|error| errors::simulation(&error, &[]))?, self.inner.warmup.kind.plays_the_trace()))
    }

    /// What the pages of a trace are for the dies, as JSON: pages, the time they take dies in ns, and the die
    /// utilisation when the trace is played as recorded (null if it has no time).
    fn demand(&self, py: Python<'_>, trace: &Trace) -> PyResult<String> {
        let (config, inner) = (self.inner.clone(), trace.inner.clone());
        let work = move || {
            let geometry = Geometry::new(&config).expect("a loaded configuration is checked");
            let demand = Demand::of(&inner, geometry.page_bytes)?;
            Ok((demand, demand.flash_ns(&config, &geometry), geometry.dies()))
        };
        let (demand, flash_ns, dies) =
            watch(py, work, |_| Ok(()), || ())?.map_err(|error| errors::trace(&error))?;
        let span_ns = trace.summary(py)?.span_ns;
        let utilisation = (span_ns > 0).then(|| flash_ns / (f64::from(dies) * span_ns as f64));
        let found = serde_json::json!({
            "pages_read": demand.pages_read,
            "pages_written": demand.pages_written,
            "pages_written_in_part": demand.pages_written_in_part,
            "flash_ns": flash_ns,
            "utilisation": utilisation,
        });
        Ok(found.to_string())
    }

    /// What follows from the configuration (and the trace, where given), as JSON. The steps of the `trace` section are
    /// done to the trace before, unless it is `transformed` already; `places` as in `run`. With `load_state`, the drive
    /// starts from that saved state and not from the configured warm-up.
    #[pyo3(signature = (trace=None, *, transformed=false, places=Places::new(), load_state=None))]
    #[allow(clippy::needless_pass_by_value)] // Python hands over owned values
    fn facts(
        &self,
        py: Python<'_>,
        trace: Option<&Trace>,
        transformed: bool,
        places: Places,
        load_state: Option<PathBuf>,
    ) -> PyResult<String> {
        let summary = match trace {
            None => None,
            Some(trace) if transformed => Some(trace.summary(py)?),
            Some(trace) => Some(trace.changed_by(&self.inner.trace, &places, self.inner.seed)?.summary(py)?),
        };
        let config = self.inner.clone();
        let work = move || match load_state {
            None => Ok(reclaim_sim::derive_facts(&config, summary.as_ref())),
            Some(path) => reclaim_sim::facts_of_state(&config, summary.as_ref(), &path),
        };
        let facts = watch(py, work, |_| Ok(()), || ())?.map_err(|error| errors::simulation(&error, &[]))?;
        Ok(serde_json::to_string(&facts).expect("facts have only JSON values"))
    }

    /// Memory of a process that runs the drive, and what an audited run needs beside that, bytes.
    fn memory_bytes(&self) -> (u64, u64) {
        config::memory_of(&self.inner)
    }

    /// What requests of a trace take in memory while they wait, at least, bytes: 0 for a drive that may keep up. Of the
    /// trace, the share `kept` of its requests is played in the share `time` of its time.
    fn backlog_bytes(&self, py: Python<'_>, trace: &Trace, kept: f64, time: f64) -> PyResult<u64> {
        let geometry = Geometry::new(&self.inner).expect("a loaded configuration is checked");
        let mut summary = trace.summary(py)?;
        let of = |number: u64| (number as f64 * kept) as u64;
        (summary.reads, summary.writes) = (of(summary.reads), of(summary.writes));
        summary.write_bytes = of(summary.write_bytes);
        summary.span_ns = (summary.span_ns as f64 * time) as u64;
        Ok(reclaim_sim::backlog_bytes(&self.inner, &geometry, &summary, self.inner.host.time_scale))
    }

    /// Raise what a run of the trace would raise before it begins: the trace has no place on the drive, and the like.
    /// `places` as in `run`.
    #[pyo3(signature = (trace, *, places=Places::new()))]
    #[allow(clippy::needless_pass_by_value)] // Python hands over an owned mapping
    fn check_run(&self, py: Python<'_>, trace: &Trace, places: Places) -> PyResult<()> {
        let steps = located(&self.inner.trace, &places);
        let config = config::Config { trace: steps, ..self.inner.clone() };
        let trace = trace.inner.clone();
        watch(py, move || reclaim_sim::check_run(&config, &trace), |_| Ok(()), || ())?
            .map_err(|error| errors::simulation(&error, &[]))
    }

    /// How many pages a second the drive reads and writes at most while nothing is collected, as JSON; found by
    /// running it.
    fn peak_rates(&self, py: Python<'_>) -> PyResult<String> {
        let config = self.inner.clone();
        let rates = watch(py, move || reclaim_sim::peak_rates(&config), |_| Ok(()), || ())?;
        Ok(serde_json::to_string(&rates).expect("rates have only JSON values"))
    }
}
