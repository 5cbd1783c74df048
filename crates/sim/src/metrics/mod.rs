//! What is recorded while a drive runs, and the results made of it.

mod breakdown;
mod cdf;
mod drift;
mod phases;
mod recorder;
mod results;
mod tables;
mod verdict;
mod windows;

pub use breakdown::Breakdown;
pub use drift::{Drift, Trend, WindowResults};
pub use phases::{MeasureResult, WarmupResult};
pub use recorder::{JobRecord, Recorder};
pub use results::{AuditResult, ClassResult, RequestResults, Results};
pub(crate) use results::{Ingredients, finite, results};
pub use tables::{GcLog, RequestTable};
pub use verdict::{Code, Level, Remark, Verdict};
