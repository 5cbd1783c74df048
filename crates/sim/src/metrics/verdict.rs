//! Whether the numbers of a run can be trusted, and why not.

use serde::{Deserialize, Serialize};

use super::results::Ingredients;
use crate::config::{HostMode, WarmupKind};
use crate::drive::Drive;
use reclaim_trace::Summary;

/// One thing a reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// Stable name, for programs.
    pub code: String,
    /// One or two sentences, for people.
    pub message: String,
}

/// Whether the numbers can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Verdict {
    /// No warnings.
    pub trustworthy: bool,
    /// Reasons not to trust the numbers.
    pub warnings: Vec<Remark>,
    /// Things to know that do not make the numbers wrong.
    pub notes: Vec<Remark>,
}

/// Change of write amplification between the last two quarters of a run that counts as not steady.
const STEADY_TOLERANCE: f64 = 0.05;

pub(super) fn verdict(drive: &Drive, with: &Ingredients) -> Verdict {
    let mut verdict = Verdict::default();
    garbage_collection(drive, &mut verdict);
    steadiness(drive, with, &mut verdict);
    backlog(drive, &mut verdict);
    reads_of_nothing(drive, &mut verdict);
    bad_lines(&with.trace, &mut verdict);
    verdict.trustworthy = verdict.warnings.is_empty();
    verdict
}

fn remark(code: &str, message: String) -> Remark {
    Remark { code: code.to_owned(), message }
}

fn garbage_collection(drive: &Drive, verdict: &mut Verdict) {
    let counters = drive.ftl.counters();
    if counters.host_programs == 0 {
        verdict.notes.push(remark(
            "no-writes",
            "The trace wrote nothing, so garbage collection had nothing to do.".to_owned(),
        ));
    } else if counters.jobs == 0 {
        let low_water = (0..drive.geometry.planes())
            .map(|plane| drive.ftl.plane(crate::ids::PlaneId(plane)).low_water)
            .min()
            .unwrap_or(0);
        let what = format!(
            "Garbage collection never ran: {} pages were written and no plane had fewer than {low_water} free blocks.",
            counters.host_programs,
        );
        // On a drive that was collecting already, a trace that writes next to nothing is a fair experiment.
        if matches!(drive.config.warmup.kind, WarmupKind::Overwrite | WarmupKind::Steady) {
            verdict.notes.push(remark("gc-never-ran", what));
        } else {
            let advice = "Start from a used drive (--warmup steady), use a smaller one, or write more.";
            verdict.warnings.push(remark("gc-never-ran", format!("{what} {advice}")));
        }
    }
}

fn steadiness(drive: &Drive, with: &Ingredients, verdict: &mut Verdict) {
    if with.warmup.steady == Some(false) {
        verdict.warnings.push(remark(
            "warmup-not-steady",
            "Warm-up gave up before write amplification was flat; raise warmup.limit or warmup.tolerance."
                .to_owned(),
        ));
    }
    let windows = &drive.recorder.wa_windows;
    if drive.ftl.counters().jobs == 0 {
        return;
    }
    if windows.len() < 8 {
        let share = drive.ftl.counters().host_programs as f64 / f64::from(drive.geometry.logical_pages);
        verdict.notes.push(remark(
            "short",
            format!(
                "The host wrote {share:.2} drive capacities while it was measured; whether write amplification \
                 was steady cannot be told from less than 1."
            ),
        ));
        return;
    }
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let quarter = windows.len() / 4;
    let last = mean(&windows[windows.len() - quarter..]);
    let before = mean(&windows[windows.len() - 2 * quarter..windows.len() - quarter]);
    if (last / before - 1.0).abs() > STEADY_TOLERANCE {
        verdict.warnings.push(remark(
            "not-steady",
            format!(
                "Write amplification was still moving: {before:.2}, then {last:.2} in the last two quarters of the \
                 run. Means over the run depend on its length."
            ),
        ));
    }
}

/// Share of the trace's span that the drive may need after the last arrival before that counts as a backlog.
const BACKLOG: f64 = 0.1;

fn backlog(drive: &Drive, verdict: &mut Verdict) {
    if drive.config.host.mode == HostMode::ClosedLoop {
        return;
    }
    let recorder = &drive.recorder;
    let mean = |part: &[u64]| part.iter().sum::<u64>() as f64 / part.len().max(1) as f64;
    let samples = &recorder.outstanding_at;
    let eighth = samples.len() / 8;
    let parts: Vec<f64> = (3..8).map(|k| mean(&samples[k * eighth..(k + 1) * eighth])).collect();
    let grows = samples.len() >= 32 && parts.windows(2).all(|pair| pair[1] > pair[0]);
    // A hundred requests more than can be at work on the dies is a queue, not a burst.
    let long = parts[4] > f64::from(drive.geometry.dies()) + 100.0;
    let span = recorder.last_arrival.0 as f64;
    let drain = recorder.last_completion.0.saturating_sub(recorder.last_arrival.0) as f64;
    // A trace of a moment proves nothing: its last request alone can outlast it.
    let late =
        recorder.max_outstanding > u64::from(drive.geometry.dies()) && span > 1e9 && drain > BACKLOG * span;
    if (grows && long) || late {
        verdict.warnings.push(remark(
            "unbounded-queue",
            format!(
                "The drive could not keep up: up to {} requests were in flight, and the last ended {:.3} s after the \
                 last had arrived, so latencies measure the backlog. Slow the trace down (--time-scale below 1) or \
                 replay it with --mode closed-loop.",
                recorder.max_outstanding,
                drain / 1e9
            ),
        ));
    }
}

/// Share of a trace's lines that may be left out before the trace counts as another one.
const LEFT_OUT: f64 = 0.01;

fn bad_lines(trace: &Summary, verdict: &mut Verdict) {
    let Some(first) = trace.first_bad_lines.first() else { return };
    let share = trace.bad_lines as f64 / (trace.bad_lines + trace.requests) as f64;
    let message = format!(
        "Lines of the trace that could not be read and were left out, as asked for (--on-error report): {}; first {first}.",
        trace.bad_lines
    );
    let remarks = if share > LEFT_OUT { &mut verdict.warnings } else { &mut verdict.notes };
    remarks.push(remark("bad-lines", message));
}

fn reads_of_nothing(drive: &Drive, verdict: &mut Verdict) {
    let recorder = &drive.recorder;
    let pages = recorder.unmapped_reads + recorder.host_reads + recorder.buffer_hits;
    let share = recorder.unmapped_reads as f64 / pages.max(1) as f64;
    let fresh = drive.config.warmup.kind == WarmupKind::Empty;
    if share > 0.01 {
        verdict.notes.push(remark(
            "reads-of-unwritten-pages",
            format!(
                "{:.1} % of the pages read were never written{}; they are answered at once, without touching flash, \
                 and lower the read latencies.{}",
                share * 100.0,
                if recorder.trimmed_pages > 0 { ", or trimmed before" } else { "" },
                if fresh { " --warmup filled writes every page first." } else { "" },
            ),
        ));
    }
}
