//! What is to be known of the trace, and whether anything was measured at all.

use super::evidence::Evidence;
use super::remark::{Code, Remark, Verdict, percent};
use crate::settings::WarmupKind;

/// Share of a trace's lines that may be left out before the trace counts as another one.
const LEFT_OUT: f64 = 0.01;

/// Share of the requests, or of the pages read, beyond which it is the rule that nothing serves them.
const MOSTLY: f64 = 0.5;

/// Share of the pages read that may never have been written before it is worth a word.
const UNWRITTEN: f64 = 0.01;

pub(super) fn judge(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    reads_of_nothing(evidence, verdict);
    served_by_nothing(evidence, verdict);
    bad_lines(evidence, verdict);
    let missing = evidence.with.trace.warnings.iter();
    verdict.notes.extend(missing.map(|sign| {
        Remark::new(Code::Incomplete, format!("Parts of the recording seem to be missing: {sign}."))
    }));
}

/// Measuring was to begin later than the trace lasted.
pub(super) fn nothing_measured(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let result = &evidence.run.measure;
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
    let remedy = "a longer trace (--plays N), or --warmup workload with --measure-after start";
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
    let recorder = &evidence.run.recorder;
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
    if evidence.run.config.warmup.kind == WarmupKind::Empty {
        remark = remark.settled_by("--warmup filled");
    }
    let measured = evidence.requests.read.count > 0;
    if share > MOSTLY && measured {
        verdict.doubts.push(remark.of(Evidence::figures_of("read")));
    } else {
        verdict.notes.push(remark);
    }
}

/// Trims change a table, and a flush of nothing waits for nothing: on most drives they take no time.
fn served_by_nothing(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let all: u64 = evidence.classes().map(|(_, class)| class.count).sum();
    let idle: Vec<_> = evidence
        .classes()
        .filter(|(name, class)| matches!(*name, "trim" | "flush") && class.max_ns == 0)
        .collect();
    let count: u64 = idle.iter().map(|(_, class)| class.count).sum();
    if count as f64 <= MOSTLY * all as f64 {
        return;
    }
    let names: Vec<_> = idle
        .iter()
        .map(|(name, class)| match *name {
            "flush" => format!("{} flushes", class.count),
            name => format!("{} {name}s", class.count),
        })
        .collect();
    let message = format!(
        "{} of {all} requests took no time: a trim touches no flash, and a flush with nothing to write waits \
         for nothing. Their latencies and rates are no figures of the drive.",
        names.join(" and ")
    );
    let figures = idle.iter().flat_map(|(name, _)| Evidence::figures_of(name)).collect();
    let remark = Remark::new(Code::NothingServed, message).of(figures);
    verdict.doubts.push(remark.settled_by("reads and writes among them; a host.link times their messages"));
}
