//! The results of a run: everything a report needs, and nothing that differs from one run to the next.

use reclaim_trace::Summary;
use serde::{Deserialize, Serialize};

use super::figures::{
    AuditResult, BufferResult, Drift, FlashResult, GcResult, Ingredients, LatencyCdfs, RequestResults,
    UtilisationResult, WearResult, WindowResults, buffer, cdf, class_result, drift, flash, gc, utilisation,
    wear, windows,
};
use super::verdict::{Evidence, Verdict, verdict};
use crate::config::Facts;
use crate::engine::Drive;
use crate::metrics::{MeasureResult, WarmupResult};
use crate::settings::{Config, Remap};

/// The results of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Results {
    pub reclaim_version: String,
    pub device: String,
    /// Names of the schemes put over the device, joined by `+`; empty without.
    pub scheme: String,
    pub seed: u64,
    pub remap: Remap,
    /// What was done to the trace before it was fitted to the drive and played: a phrase for each step, in order. Empty
    /// if nothing was.
    pub transforms: Vec<String>,
    pub verdict: Verdict,
    pub requests: RequestResults,
    pub latency_cdf: LatencyCdfs,
    pub flash: FlashResult,
    pub gc: GcResult,
    pub buffer: BufferResult,
    pub drift: Drift,
    pub windows: WindowResults,
    pub warmup: WarmupResult,
    pub measure: MeasureResult,
    pub wear: WearResult,
    pub utilisation: UtilisationResult,
    /// From where measuring began (the start of the trace) to the last completion.
    pub simulated_ns: u64,
    pub max_outstanding_requests: u64,
    /// Events the run took: a deterministic measure of the work simulated.
    pub events: u64,
    pub audit: Option<AuditResult>,
    pub trace: Summary,
    pub facts: Facts,
    pub config: Config,
}

/// Makes the results of a drive that has come to rest.
pub(crate) fn results(drive: &Drive, with: Ingredients) -> Results {
    let recorder = &drive.recorder;
    let counters = *drive.ftl.counters();
    let elapsed = recorder.last_completion.0.saturating_sub(drive.measured_from().0);
    let class = |index: usize| class_result(&recorder.histograms[index], &recorder.sums[index], elapsed);
    let cdf = |index: usize| cdf(&recorder.histograms[index], recorder.sums[index].max_ns);
    let requests = RequestResults { read: class(0), write: class(1), trim: class(2), flush: class(3) };
    let drift = drift(drive, with.trace.requests);
    let verdict = verdict(&Evidence { drive, with: &with, requests: &requests, drift: &drift });
    Results {
        reclaim_version: env!("CARGO_PKG_VERSION").to_owned(),
        device: drive.config.name.clone(),
        scheme: with.scheme,
        seed: drive.config.seed,
        remap: with.remap,
        transforms: with.transforms,
        verdict,
        requests,
        latency_cdf: LatencyCdfs { read: cdf(0), write: cdf(1), trim: cdf(2) },
        flash: flash(recorder, &counters),
        gc: gc(drive, &counters),
        buffer: buffer(drive),
        drift,
        windows: windows(drive),
        warmup: with.warmup,
        measure: drive.measure_result(),
        wear: wear(drive.ftl.blocks().all_erases()),
        utilisation: utilisation(drive),
        simulated_ns: elapsed,
        max_outstanding_requests: recorder.max_outstanding,
        events: drive.events.scheduled(),
        audit: with.audit,
        trace: with.trace,
        facts: with.facts,
        config: drive.config.clone(),
    }
}
