//! The simulated drive: trace → host → FTL → GC → scheduler → interconnect → flash → metrics.
//!
//! [`simulate`] is the way in; [`config`] says what can be asked for. `ARCHITECTURE.md` is the map of the house.

pub mod audit;
pub mod config;
mod drive;
pub mod engine;
pub mod flash;
pub mod ftl;
pub mod gc;
pub mod host;
pub mod ids;
pub mod interconnect;
pub mod metrics;
pub mod redundancy;
pub mod registry;
mod replay;
pub mod scheduler;
mod simulate;
pub mod validate;
pub mod warmup;

pub use config::{Config, Facts, derive_facts};
pub use drive::Drive;
pub use engine::Progress;
pub use host::Fit;
pub use metrics::{GcLog, RequestTable, Results};
pub use simulate::{Outcome, RunOptions, SimError, facts_of_state, simulate};
