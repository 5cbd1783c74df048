//! Whether write amplification, and what depends on it, is a figure of this workload on this drive.
//!
//! It is one if the measured part was steady and the drive was in the state that this workload leaves: because warm-up
//! played the workload until its rounds agreed, or because the measured part itself wrote enough to bring it there.
//! Steady under uniform overwrites is not steady under anything else.

use super::evidence::{AMPLIFICATION, Evidence};
use super::remark::{Code, Remark, Verdict, percent};
use crate::results::figures::Trend;
use crate::settings::WarmupKind;

/// Change of write amplification over the measured part that counts as drift. Differences between policies that papers
/// report begin at about this size.
const DRIFT: f64 = 0.05;

/// Half-width of the 95 % confidence interval of write amplification beyond which its mean says too little.
const IMPRECISE: f64 = 0.10;

/// Erased pages used up or gained, as a share of what the host wrote. Write amplification is off by about this share
/// times itself: collection must make good for what was used up, and has already paid for what was gained.
const FREE_SPACE: f64 = 0.05;

/// Difference between the measured write amplification and that of the last round of warm-up with the same workload.
const AGREES: f64 = 0.05;

/// What the host must write while it is measured, in capacities, to bring a drive from the state that another workload
/// left into its own. Every block has then been collected about once; what has not settled by then shows as drift.
const CAPACITIES: f64 = 2.0;

/// Share of the pages read and written that must be writes for write amplification to be of interest.
const WRITES: f64 = 0.01;

/// Share of the user capacity in the write buffer beyond which it counts as spare space of its own: every buffered page
/// has already made room in flash.
pub const LARGE_BUFFER: f64 = 0.01;

pub(super) fn judge(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let run = evidence.run;
    let counters = run.counters;
    if counters.host_programs == 0 {
        let message = "The trace wrote nothing, so garbage collection had nothing to do.";
        verdict.notes.push(Remark::new(Code::NoWrites, message.to_owned()));
        return;
    }
    buffer(evidence, verdict);
    let collected_before = run.has_erased;
    if counters.jobs == 0 && !collected_before {
        let message = format!(
            "{} Start from a used drive (--warmup workload), use a smaller one, or write more.",
            never_ran(evidence)
        );
        let remark = Remark::new(Code::GcNeverRan, message).of(evidence.figures_of_collection());
        verdict.warnings.push(remark.settled_by("--warmup workload"));
        return;
    }
    let recorder = &run.recorder;
    let reads = recorder.flash.host_reads + recorder.flash.buffer_hits + recorder.flash.unmapped_reads;
    if (counters.host_programs as f64) < WRITES * (reads + counters.host_programs) as f64 {
        let message = format!(
            "The trace writes next to nothing ({} of {} pages): what reads experienced stands, write \
             amplification is no figure.",
            counters.host_programs,
            reads + counters.host_programs
        );
        let figures = AMPLIFICATION.map(str::to_owned).into();
        verdict.notes.push(Remark::new(Code::FewWrites, message).of(figures));
        return;
    }
    if counters.jobs == 0 {
        let message = format!("{} The drive had collected before, and would again.", never_ran(evidence));
        let remark = Remark::new(Code::GcNeverRan, message).of(evidence.figures_of_collection());
        verdict.doubts.push(remark.settled_by(longer(evidence)));
        return;
    }
    if agrees_with_warmup(evidence) {
        return;
    }
    let was_steady = is_steady(evidence, verdict);
    if evidence.drift.capacities_written >= CAPACITIES {
        return;
    }
    if !is_settled(evidence) {
        is_of_another_workload(evidence, verdict);
    } else if was_steady && prepared_itself(evidence) {
        differs_from_warmup(evidence, verdict);
    }
}

fn never_ran(evidence: &Evidence<'_>) -> String {
    let run = evidence.run;
    let low_water = run.low_water;
    format!(
        "Garbage collection never ran: {} pages were written and no plane had fewer than {low_water} free \
         blocks.",
        run.counters.host_programs
    )
}

/// The trace so often that it writes what brings a drive into its state.
fn longer(evidence: &Evidence<'_>) -> String {
    evidence.played_times(CAPACITIES / evidence.drift.capacities_written)
}

/// Warm-up was by the same workload, and its last rounds agreed.
fn is_settled(evidence: &Evidence<'_>) -> bool {
    let kind = evidence.run.config.warmup.kind;
    let same = kind.plays_the_trace()
        || evidence.with.writes_are_uniform && matches!(kind, WarmupKind::Steady | WarmupKind::Overwrite);
    same && evidence.with.warmup.steady == Some(true)
}

/// Where another scheme has warmed the drive up, its write amplification says nothing of this one's.
fn prepared_itself(evidence: &Evidence<'_>) -> bool {
    evidence.with.warmup.prepared_by.is_none()
}

/// Without time and with it, the same came out: then neither chance nor the phase of collection matters.
fn agrees_with_warmup(evidence: &Evidence<'_>) -> bool {
    is_settled(evidence)
        && prepared_itself(evidence)
        && difference(evidence).is_some_and(|difference| difference.abs() <= AGREES)
}

/// By how much the measured part amplifies more than the last round of warm-up.
fn difference(evidence: &Evidence<'_>) -> Option<f64> {
    let round = evidence.with.warmup.write_amplification?;
    Some(evidence.run.counters.write_amplification() / round - 1.0)
}

/// Looks at drift inside the measured part; tells whether there was none.
fn is_steady(evidence: &Evidence<'_>, verdict: &mut Verdict) -> bool {
    let before = verdict.doubts.len();
    let figures = || evidence.figures_of_collection();
    match evidence.drift.write_amplification {
        Some(trend) if trend.moves(DRIFT) => {
            let message = format!(
                "Write amplification in pages {} by {} of its mean ({:.2}) from one end of what was measured \
                 to the other: the mean depends on how long the trace is.",
                if trend.change_share > 0.0 { "rose" } else { "fell" },
                percent(trend.change_share.abs()),
                trend.mean
            );
            let remedy = if evidence.run.config.warmup.kind.plays_the_trace() {
                longer(evidence)
            } else {
                "--warmup workload".to_owned()
            };
            let remark = Remark::new(Code::AmplificationDrifts, message).of(figures());
            verdict.doubts.push(remark.settled_by(remedy));
        }
        Some(Trend { half_width_share, mean, .. }) if half_width_share > IMPRECISE => {
            let message = format!(
                "Write amplification in pages varied so much from part to part of what was measured that its \
                 mean ({mean:.2}) is known to ± {} only (95 % confidence).",
                percent(half_width_share)
            );
            let remedy = evidence.played_times((half_width_share / IMPRECISE).powi(2));
            let remark = Remark::new(Code::AmplificationImprecise, message).of(figures());
            verdict.doubts.push(remark.settled_by(remedy));
        }
        _ => {}
    }
    free_space(evidence, verdict);
    verdict.doubts.len() == before
}

fn free_space(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let Some(share) = evidence.drift.free_pages_gained_share else { return };
    if share.abs() <= FREE_SPACE {
        return;
    }
    let run = evidence.run;
    let counters = run.counters;
    let moves = counters.gc_programs + counters.wear_programs;
    let erased = (counters.erases + counters.wear_erases) * u64::from(run.geometry.pages_per_block);
    let balanced = if erased > moves {
        format!(
            " Weighed against the {} pages that collection freed, it was {:.2}.",
            erased - moves,
            erased as f64 / (erased - moves) as f64
        )
    } else {
        String::new()
    };
    let amplification = counters.write_amplification();
    let message = if share > 0.0 {
        format!(
            "Collection freed space for later: {} of what the host wrote was free at the end and not at \
             the beginning, so write amplification ({amplification:.2} in pages) is too high.{balanced}",
            percent(share)
        )
    } else {
        format!(
            "{} of what the host wrote went into space that was free at the beginning and was not freed \
             again, so write amplification ({amplification:.2} in pages) is too low.{balanced}",
            percent(-share)
        )
    };
    // A round more or less does not grow with the trace.
    let mut remedy = evidence.played_times(share.abs() / FREE_SPACE);
    if share > 0.0 && !run.config.warmup.kind.plays_the_trace() {
        remedy += ", or --measure-after first-round";
    }
    let remark = Remark::new(Code::FreeSpaceDrifts, message).of(evidence.figures_of_collection());
    verdict.doubts.push(remark.settled_by(remedy));
}

/// What the host wrote, where that was too little to bring the drive into the state of the workload.
fn wrote(evidence: &Evidence<'_>) -> String {
    let capacities = evidence.drift.capacities_written;
    format!("the host wrote {capacities:.2} drive capacities while it was measured, less than {CAPACITIES}")
}

fn differs_from_warmup(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let difference = difference(evidence).unwrap_or_default();
    let message = format!(
        "Write amplification in pages was {} {} than in the last round of warm-up with the same workload, \
         and {}: the drive may be on its way from one state to the other, or this is only a part of what \
         comes back in every round.",
        percent(difference.abs()),
        if difference > 0.0 { "higher" } else { "lower" },
        wrote(evidence),
    );
    let remark = Remark::new(Code::UnlikeWarmup, message).of(evidence.figures_of_collection());
    verdict.doubts.push(remark.settled_by(longer(evidence)));
}

fn is_of_another_workload(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let warmup = &evidence.with.warmup;
    let kind = evidence.run.config.warmup.kind;
    if !kind.plays_the_trace() && warmup.steady != Some(false) {
        let message = format!(
            "The drive was in the state that --warmup {} leaves, which is not that of this workload, and \
             {}: write amplification is that of a transition.",
            kind.name(),
            wrote(evidence),
        );
        let remark = Remark::new(Code::AnotherWorkload, message).of(evidence.figures_of_collection());
        verdict.doubts.push(remark.settled_by("--warmup workload"));
        return;
    }
    let how = match warmup.amplification_by_round.last_chunk::<3>() {
        Some([first, second, third]) => format!("{first:.3}, {second:.3}, {third:.3} in the last rounds"),
        None => format!("there were {} whole rounds, and it takes three", warmup.rounds),
    };
    let message =
        format!("Warm-up ended before write amplification was flat ({how}), and {}.", wrote(evidence));
    let remedy = match kind {
        WarmupKind::Workload | WarmupKind::Steady => "a higher warmup.limit or warmup.tolerance",
        _ => "--warmup workload",
    };
    let remark = Remark::new(Code::WarmupNotSteady, message).of(evidence.figures_of_collection());
    verdict.doubts.push(remark.settled_by(remedy));
}

fn buffer(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let run = evidence.run;
    let most = run.buffer.max_pages;
    let share = f64::from(most) / f64::from(run.geometry.logical_pages);
    if share <= LARGE_BUFFER {
        return;
    }
    let message = format!(
        "The write buffer held up to {most} pages, {} of the user capacity. Each has already made room in \
         flash, as more spare space would, and lowers write amplification.",
        percent(share)
    );
    let figures = AMPLIFICATION.map(str::to_owned).into();
    let remark = Remark::new(Code::LargeBuffer, message).of(figures);
    let slower = evidence.slower(None);
    verdict.doubts.push(remark.settled_by(format!("a smaller controller.write_buffer, or {slower}")));
}
