//! What is to be known of the trace, and whether anything was measured at all.

use super::codes::Code;
use super::evidence::Evidence;
use super::remark::{Remark, Verdict, percent};
use crate::settings::WarmupKind;

/// Share of a trace's lines that may be left out before the trace counts as another one.
const LEFT_OUT: f64 = 0.01;

/// Share of the pages read that may never have been written before it is worth a word.
const UNWRITTEN: f64 = 0.01;

pub(super) fn judge(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    reads_of_nothing(evidence, verdict);
    bad_lines(evidence, verdict);
    let missing = evidence.with.trace.warnings.iter();
    verdict.notes.extend(missing.map(|sign| {
        Remark::new(Code::Incomplete, format!("Parts of the recording seem to be missing: {sign}."))
    }));
}

/// Measuring was to begin later than the trace lasted.
pub(super) fn nothing_measured(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let result = evidence.drive.measure_result();
    let message = match result.from_ns {
        None => format!(
            "Measuring never began: it was to wait until every plane had ended its first round of \
             collection, but only {} of {} planes had when the trace ended.",
            result.planes_ready, result.planes_awaited
        ),
        Some(_) => format!(
            "Measuring never began: the last of the {} requests arrived before the first round of \
             collection was over.",
            result.requests_before
        ),
    };
    let remedy = "a longer trace (--repeat N), or --warmup workload with --measure-after start";
    verdict.warnings.push(Remark::new(Code::NeverMeasured, message).settled_by(remedy));
}

fn bad_lines(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let trace = &evidence.with.trace;
    let Some(first) = trace.first_bad_lines.first() else { return };
    let share = trace.bad_lines as f64 / (trace.bad_lines + trace.requests) as f64;
    let message = format!(
        "Lines of the trace that could not be read and were left out, as asked for (--on-error report): \
         {}; first {first}.",
        trace.bad_lines
    );
    let remarks = if share > LEFT_OUT { &mut verdict.warnings } else { &mut verdict.notes };
    remarks.push(Remark::new(Code::BadLines, message));
}

fn reads_of_nothing(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let recorder = &evidence.drive.recorder;
    let pages = recorder.flash.unmapped_reads + recorder.flash.host_reads + recorder.flash.buffer_hits;
    let share = recorder.flash.unmapped_reads as f64 / pages.max(1) as f64;
    if share <= UNWRITTEN {
        return;
    }
    let message = format!(
        "{} of the pages read were never written{}; they are answered at once, without touching flash, and \
         lower the read latencies.",
        percent(share),
        if recorder.flash.trimmed_pages > 0 { ", or trimmed before" } else { "" },
    );
    let mut remark = Remark::new(Code::UnwrittenReads, message);
    if evidence.drive.config.warmup.kind == WarmupKind::Empty {
        remark = remark.settled_by("--warmup filled");
    }
    verdict.notes.push(remark);
}
