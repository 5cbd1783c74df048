//! What is recorded while a drive runs, and the results made of it.

mod breakdown;
mod cdf;
mod recorder;
mod results;
mod tables;
mod verdict;

pub use breakdown::Breakdown;
pub use recorder::{JobRecord, Recorder};
pub use results::{AuditResult, ClassResult, Results, WarmupResult};
pub(crate) use results::{Ingredients, results};
pub use tables::{GcLog, RequestTable};
pub use verdict::{Remark, Verdict};
