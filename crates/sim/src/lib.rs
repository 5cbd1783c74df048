//! The simulated drive: trace → host → FTL → GC → scheduler → interconnect → flash → metrics.
//!
//! [`simulate`] is the way in; [`config`] says what can be asked for. `ARCHITECTURE.md` explains how the parts fit
//! together.

pub mod audit;
mod before;
pub mod building;
pub mod config;
mod demand;
pub mod engine;
mod expression;
pub mod fill;
pub mod flash;
pub mod ftl;
pub mod future;
pub mod gc;
pub mod host;
pub mod ids;
pub mod interconnect;
pub mod latency;
mod load_ends;
pub mod log_structured;
mod look_ahead;
mod losses;
pub mod mapping;
pub mod metric;
pub mod metrics;
mod order_of_replay;
pub mod own;
mod page_accesses;
mod prefetch;
mod probe;
pub mod redundancy;
pub mod registry;
mod replay;
pub mod results;
pub mod scheduler;
pub mod scout_experiment;
pub mod settings;
mod sim_error;
mod simulate;
#[cfg(test)]
mod testing;
pub mod ties;
pub mod time;
mod total_utilisation;
mod untimed;
pub mod wa_experiment;
mod warm_up_key;
pub mod warmup;
mod windows;
pub mod word_line_experiment;

pub use before::check_run;
pub use config::Facts;
pub use demand::{Demand, backlog_bytes};
pub use engine::{Drive, PowerCutResult, Progress, Round};
pub use load_ends::LoadEnd;
pub use losses::Losses;
pub use metrics::{BlockFrames, GcLog, RequestTable, SpanWindow, Spans, Timeline};
pub use probe::{PeakRates, derive_facts, peak_rates};
pub use reclaim_trace::random;
pub use results::Results;
pub use settings::{Config, Remap};
pub use sim_error::SimError;
pub use simulate::{Outcome, RunOptions, facts_of_state, simulate};
pub use warm_up_key::{warm_up_key, warm_up_key_of_any_trace};
