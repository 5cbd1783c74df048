//! The results of a run: everything a report needs, and nothing that differs from one run to the next.

use std::borrow::Cow;

use reclaim_trace::Summary;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::figures::{
    AuditResult, Drift, FdpResult, HealthResult, Ingredients, LatencyCdfs, LifetimeResult, Measured,
    NetworkResult, OnePlayResult, PlanesResult, RequestResults, StartResult, StreamResult, UtilisationResult,
    WearResult, WindowResults, cdf, class_result, drift, fdp, health, lifetime, network, planes, streams,
    utilisation, windows,
};
use super::verdict::{Evidence, Verdict, verdict};
use crate::config::Facts;
use crate::engine::PowerCutResult;
use crate::host::BufferResult;
use crate::metric::figures;
use crate::metrics::{FlashResult, GcResult, MeasureResult, PolicyResults, WarmupResult, WrittenResult};
use crate::settings::{Config, Remap};

/// What the `format` key of a results file says. A change of keys or of what they mean raises it.
pub const FORMAT: u32 = 1;

figures! {
    /// The results of one run.
    pub struct Results {
        /// Version of the format of results files: which keys there are and what they mean.
        format: u32,
        /// Version of Reclaim that ran the simulation.
        reclaim_version: String,
        /// Name of the device.
        device: String,
        /// Names of the schemes of the run, joined by `+`; empty without.
        scheme: String,
        /// Seed of everything random.
        seed: u64,
        /// How a trace larger than the drive was brought inside.
        remap: Remap,
        /// What was done to the trace before it was fitted to the drive and played: a phrase for each step, in order.
        /// Empty if nothing was.
        transforms: Vec<String>,
        /// Whether the numbers can be trusted.
        verdict: Verdict,
        /// What requests experienced.
        requests: RequestResults,
        /// Mean latency of all requests, of whatever class; null if none was measured.
        mean_latency_ns: Option<f64> => "ns",
        /// Distributions of their latency.
        latency_cdf: LatencyCdfs,
        /// Operations on flash.
        flash: FlashResult,
        /// What garbage collection did.
        gc: GcResult,
        /// Bytes written by the host, and programmed.
        written: WrittenResult,
        /// The same, as log pages count it.
        health: HealthResult,
        /// The same as a drive with flexible data placement (FDP) counts it; absent where no request names a stream.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fdp: Option<FdpResult>,
        /// Stream by stream, those of which there are requests or data; absent where no request names a stream.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        streams: Vec<StreamResult>,
        /// What the write buffer held.
        buffer: BufferResult,
        /// What the chosen policies have counted of the metrics they declare: policy kind, name of the metric, then its
        /// `value`, `unit` and `about`.
        policies: PolicyResults,
        /// Whether the measured part was steady.
        drift: Drift,
        /// The measured part, window by window.
        windows: WindowResults,
        /// How the drive was prepared.
        warmup: WarmupResult,
        /// What it was then like.
        start: StartResult,
        /// Which part of the run was measured.
        measure: MeasureResult,
        /// Erases of the blocks.
        wear: WearResult,
        /// How long the drive lives under this load; absent without `flash.endurance`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lifetime: Option<LifetimeResult>,
        /// What each plane did.
        planes: PlanesResult,
        /// How busy dies and channels were.
        utilisation: UtilisationResult,
        /// How busy the links of a network of routers were; null for buses.
        network: Option<NetworkResult>,
        /// From where measuring began (the start of the trace) to the last completion.
        simulated_ns: u64 => "ns",
        /// Most requests in flight at once.
        max_outstanding_requests: u64 => "requests",
        /// Events the run took: a deterministic measure of the work simulated.
        events: u64 => "events",
        /// What power cuts would have destroyed; null without `measure.power_cut_every`.
        power_cuts: Option<PowerCutResult>,
        /// What the audit looked at; null without `--audit`.
        audit: Option<AuditResult>,
        /// What the trace contains, after the steps of `transforms`.
        #[schemars(with = "TraceSummary")]
        trace: Summary,
        /// What one play of it writes on this drive: of how much of the drive it can be evidence.
        one_play: OnePlayResult,
        /// What follows from configuration and trace before anything is run.
        facts: Facts,
        /// The resolved configuration: docs/configuration.md has its keys.
        config: Config,
    }
}

/// JSON Schema of results files. Beside the usual, a key has its `unit` and a section the `source` file that declares
/// it.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Results).to_value()
}

/// Makes the results of what was measured.
pub(crate) fn results(run: &Measured, with: Ingredients) -> Results {
    let Measured { recorder, counters, config, .. } = run;
    let class =
        |index: usize| class_result(&recorder.histograms[index], &recorder.sums[index], run.completions_ns);
    let cdf = |index: usize| cdf(&recorder.histograms[index], recorder.sums[index].max_ns);
    let requests = RequestResults { read: class(0), write: class(1), trim: class(2), flush: class(3) };
    let drift = drift(run, with.trace.requests);
    let verdict = verdict(&Evidence { run, with: &with, requests: &requests, drift: &drift });
    let written = WrittenResult::of(counters, run.geometry.page_bytes);
    Results {
        format: FORMAT,
        reclaim_version: env!("CARGO_PKG_VERSION").to_owned(),
        device: config.name.clone(),
        scheme: with.scheme,
        seed: config.seed,
        remap: config.trace.remap,
        transforms: with.transforms,
        verdict,
        mean_latency_ns: mean_of_all(&requests),
        requests,
        latency_cdf: LatencyCdfs { read: cdf(0), write: cdf(1), trim: cdf(2) },
        flash: recorder.flash.with(counters),
        gc: recorder.gc.with(counters, &written, run.low_water, run.erased_blocks),
        fdp: fdp(run, &written),
        streams: streams(run),
        health: health(&written),
        lifetime: lifetime(run, &written, &with.trace, with.facts.user_bytes),
        written,
        buffer: run.buffer.clone(),
        policies: run.policies.clone(),
        drift,
        windows: windows(run),
        warmup: with.warmup,
        start: with.start,
        measure: run.measure.clone(),
        wear: run.wear.clone(),
        planes: planes(&run.planes),
        utilisation: utilisation(run, &with.asked),
        network: network(run),
        simulated_ns: run.completions_ns,
        max_outstanding_requests: recorder.max_outstanding,
        events: run.events,
        power_cuts: run.power_cuts.clone(),
        audit: with.audit,
        trace: with.trace,
        one_play: with.one_play,
        facts: with.facts,
        config: config.clone(),
    }
}

/// Mean latency in ns of all requests, of whatever class.
fn mean_of_all(requests: &RequestResults) -> Option<f64> {
    let RequestResults { read, write, trim, flush } = requests;
    let classes = [read, write, trim, flush];
    let count: u64 = classes.iter().map(|class| class.count).sum();
    let sum: f64 = classes.iter().map(|class| class.mean_ns * class.count as f64).sum();
    (count > 0).then(|| sum / count as f64)
}

/// Stands for [`Summary`] in schemas.
struct TraceSummary;

impl JsonSchema for TraceSummary {
    fn schema_name() -> Cow<'static, str> {
        "Summary".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let entry = |(key, about, unit): &(&str, &str, &str)| {
            let mut says = json!({ "description": about.trim() });
            if !unit.is_empty() {
                says["unit"] = json!(unit);
            }
            ((*key).to_owned(), says)
        };
        let properties: Map<String, Value> = Summary::DECLARED.iter().map(entry).collect();
        json_schema!({
            "type": "object",
            "description": "What a trace contains, summed over all of its requests.",
            "source": Summary::SOURCE,
            "properties": properties,
        })
    }
}
