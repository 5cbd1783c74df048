//! Of what a trace that is played again and again can be evidence.

use super::evidence::Evidence;
use super::remark::{Code, Remark, Verdict, percent};
use crate::order_of_replay::may_matter;

/// User capacities that one play must write to be taken for a workload of its own: a trace that writes less must be
/// repeated until collection is what it was, and with it what is written often.
const WHOLE: f64 = 1.0;

/// Difference of write amplification between two orders of replay from which on it is a figure of the order. The same
/// as between warm-up and what is measured.
const TOLERANCE: f64 = 0.05;

/// Write amplification of random overwrites from which on victims that are all empty need a reason.
const MOVES: f64 = 1.1;

pub(super) fn judge(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    order(evidence, verdict);
    empty_victims(evidence, verdict);
    repeated(evidence, verdict);
}

/// What another order of the same requests did to write amplification.
fn order(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let warmup = &evidence.with.warmup;
    let same_order = evidence.run.config.trace.repeat_order.is_same();
    // Where another scheme has warmed the drive up, it is a figure of that one.
    let Some(found) = warmup.order_of_replay.filter(|_| same_order && warmup.prepared_by.is_none()) else {
        return;
    };
    let (Some(same), Some(shuffled)) = (found.same, found.shuffled) else { return };
    // Less in another order: what is sequential is kept whole, and that can be less mixed than the trace.
    if shuffled / same - 1.0 <= TOLERANCE {
        return;
    }
    let capacities = found.host_programs as f64 / f64::from(evidence.run.geometry.logical_pages);
    let message = format!(
        "Write amplification depends on the order of replay: it is {same:.2} when the trace is always \
         replayed in the same order, and about {shuffled:.2} (not settled, after {capacities:.2} drive \
         capacities) in another order. {} of the pages that a replay writes are written once in it: only the \
         next replay overwrites them, and in the same order it empties one block after the other.",
        percent(found.written_once_share),
    );
    let remark = Remark::new(Code::OrderOfReplay, message).of(evidence.figures_of_collection());
    verdict
        .doubts
        .push(remark.settled_by("--repeat-order shuffled, or a trace that overwrites its own pages"));
}

/// Victims that were all empty, where nobody has looked whether that is due to the order of replay.
fn empty_victims(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let run = evidence.run;
    let counters = run.counters;
    let warmup = &evidence.with.warmup;
    let replayed = run.config.trace.repeat > 1 || run.config.warmup.kind.plays_the_trace();
    let may_be_order = replayed
        && run.config.trace.repeat_order.is_same()
        && warmup.order_of_replay.is_none()
        && may_matter(&evidence.with.one_play);
    if counters.jobs == 0 || counters.victim_valid_pages > 0 || !may_be_order {
        return;
    }
    let expected = evidence.with.facts.heavy_load.write_amplification;
    let Some(expected) = expected.filter(|expected| *expected > MOVES) else { return };
    let message = format!(
        "All {} victims were empty, where random overwrites would make write amplification \
         {expected:.2} or more. The trace is replayed in the same order, which may be what empties blocks \
         one after the other: these figures say nothing of policies that choose or move.",
        counters.jobs
    );
    let remark = Remark::new(Code::EmptyVictims, message).of(evidence.figures_of_collection());
    let remedy = if run.config.warmup.kind.plays_the_trace() {
        "--repeat-order shuffled"
    } else {
        "--repeat-order shuffled, or --warmup workload, which looks at the order"
    };
    verdict.doubts.push(remark.settled_by(remedy));
}

fn repeated(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let config = &evidence.run.config;
    let one = &evidence.with.one_play;
    let times = config.trace.repeat;
    let warm_up_plays_it = config.warmup.kind.plays_the_trace();
    if one.pages_written == 0 || one.written_share >= WHOLE || times <= 1 && !warm_up_plays_it {
        return;
    }
    let plays = match (times, warm_up_plays_it) {
        (..=1, _) => "Warm-up played it, too".to_owned(),
        (_, true) => format!("It was played {times} times, and in warm-up, too"),
        (_, false) => format!("It was played {times} times"),
    };
    let (order, remedy) = if config.trace.repeat_order.is_same() {
        (
            "always in the same order, so what is written often never changes: the figures hold for a \
             workload that repeats exactly so. One that goes on otherwise may have others, and may order \
             schemes otherwise.",
            "a longer trace; --repeat-order shuffled shows whether the order of its requests matters",
        )
    } else {
        (
            "each time in another order, but with the same requests, so which pages are written often never \
             changes: the figures are no evidence of a workload in which that moves.",
            "a longer trace",
        )
    };
    let message = format!(
        "One play of the trace writes {} of the user capacity, to {} of its pages. {plays}, {order}",
        percent(one.written_share),
        percent(one.distinct_share),
    );
    verdict.notes.push(Remark::new(Code::RepeatedTrace, message).settled_by(remedy));
}
