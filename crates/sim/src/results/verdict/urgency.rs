//! Reads of the host that came to a die whose collection goes before them, because a plane is short of space.

use super::evidence::Evidence;
use super::remark::{Code, Remark, Verdict, percent};
use crate::building::BuildContext;
use crate::results::figures::Measured;
use crate::scheduler::{self, Class, DieView};

/// Share of the reads queued at dies beyond which it is worth a word that they met an urgent one.
const WORTH_A_WORD: f64 = 0.01;

/// Share beyond which their latencies are those of the level at which collection becomes urgent.
const URGENT_READS: f64 = 0.10;

pub(super) fn judge(evidence: &Evidence<'_>, verdict: &mut Verdict) {
    let flash = &evidence.run.recorder.flash;
    let share = flash.urgent_reads as f64 / flash.queued_reads.max(1) as f64;
    if share <= WORTH_A_WORD || !urgency_comes_before_reads(evidence.run) {
        return;
    }
    let message = format!(
        "{} of the reads queued at dies ({} of {}) came while collection of the die was urgent, so that it \
         went before them: a plane was down to gc.trigger.hard.",
        percent(share),
        flash.urgent_reads,
        flash.queued_reads
    );
    let figures = evidence.latencies().into_iter().filter(|path| path.starts_with("requests.read."));
    let remark = Remark::new(Code::UrgentReads, message).of(figures.collect());
    let remedy = "gc.trigger.hard = \"off\", or a higher gc.trigger.start";
    if share > URGENT_READS {
        verdict.doubts.push(remark.settled_by(remedy));
    } else {
        verdict.notes.push(remark);
    }
}

/// Whether a read that goes before collection at other times has to wait for it where that is urgent.
fn urgency_comes_before_reads(run: &Measured) -> bool {
    let context = BuildContext::new(&run.config, &run.geometry);
    let mut scheduler = scheduler::MEMBERS.build_checked(&run.config.scheduler, &context);
    let mut picks = |gc_urgent: bool| {
        let mut oldest = [u64::MAX; Class::COUNT];
        (oldest[Class::HostRead as usize], oldest[Class::GcRead as usize]) = (0, 1);
        scheduler.pick(&DieView { oldest, gc_urgent })
    };
    picks(false) == Some(Class::HostRead) && picks(true) == Some(Class::GcRead)
}
