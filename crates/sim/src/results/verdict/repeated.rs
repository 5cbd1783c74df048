//! Of what a trace that is played again and again can be evidence.

use super::codes::Code;
use super::evidence::Evidence;
use super::remark::{Remark, Verdict, percent};

/// User capacities that one play must write to be taken for a workload of its own: a trace that writes less must be
/// repeated until collection is what it was, and with it what is written often.
const WHOLE: f64 = 1.0;

pub(super) fn judge(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let config = &evidence.drive.config;
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
