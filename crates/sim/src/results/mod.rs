//! The results of a run, made of what was recorded: everything a report needs.

mod figures;
#[allow(clippy::module_inception)]
mod results;
mod verdict;

pub(crate) use figures::Ingredients;
pub use figures::{
    AuditResult, BufferResult, ClassResult, Drift, FlashResult, GcResult, LatencyCdfs, MeanBreakdown,
    RequestResults, Trend, UtilisationResult, WearResult, WindowResults,
};
pub use results::Results;
pub(crate) use results::results;
pub use verdict::{Code, Level, Remark, Verdict};
