//! What happened before the measured part of a run.

use serde::{Deserialize, Serialize};

/// How the drive was prepared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WarmupResult {
    /// Setting `warmup.kind`.
    pub kind: String,
    /// Pages written.
    pub host_writes: u64,
    /// Whole rounds, after any filling: of random writes a drive capacity each, of the trace as many replays as write
    /// that much.
    pub rounds: u32,
    /// Of the last round; null when there was none.
    pub write_amplification: Option<f64>,
    /// Of each round.
    pub amplification_by_round: Vec<f64>,
    /// Whether write amplification was flat over the last three rounds. Null for kinds without rounds, and where there
    /// were fewer; `steady` and `workload`, which go on until it is, say false when they gave up.
    pub steady: Option<bool>,
}

/// Which part of the run was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasureResult {
    /// Setting `measure.after`.
    pub after: String,
    /// When measuring began, in simulated time; null if it never did.
    pub from_ns: Option<u64>,
    /// Requests that had arrived by then and are not counted.
    pub requests_before: u64,
    /// Planes that had to end a first round of collection, and those that did.
    pub planes_awaited: u32,
    /// The latter.
    pub planes_ready: u32,
}
