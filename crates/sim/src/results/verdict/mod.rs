//! Whether the numbers of a run can be trusted, which of them cannot, and what would settle it.
//!
//! `docs/verdicts.md` has every rule with its threshold.

mod arrivals;
mod collection;
mod evidence;
mod input;
mod percentiles;
mod remark;
mod repeated;
mod urgency;

pub use collection::LARGE_BUFFER;
pub(crate) use evidence::Evidence;
pub use remark::{Code, Level, Remark, Verdict};

pub(crate) fn verdict(evidence: &Evidence<'_>) -> Verdict {
    let mut verdict = Verdict::default();
    if evidence.run.config.measure.untimed {
        collection::judge(evidence, &mut verdict);
    } else if evidence.classes().next().is_some() {
        collection::judge(evidence, &mut verdict);
        arrivals::judge(evidence, &mut verdict);
        urgency::judge(evidence, &mut verdict);
        percentiles::judge(evidence, &mut verdict);
    } else {
        input::nothing_measured(evidence, &mut verdict);
    }
    input::judge(evidence, &mut verdict);
    repeated::judge(evidence, &mut verdict);
    verdict.level = if !verdict.warnings.is_empty() {
        Level::NotTrustworthy
    } else if !verdict.doubts.is_empty() {
        Level::NotEstablished
    } else {
        Level::Trustworthy
    };
    verdict
}
