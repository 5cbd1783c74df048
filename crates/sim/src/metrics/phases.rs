//! What happened before the measured part of a run.

use crate::metric::figures;

figures! {
    /// How the drive was prepared.
    #[derive(Default)]
    pub struct WarmupResult {
        /// Setting `warmup.kind`.
        kind: String,
        /// The scheme whose policies prepared the drive, if it is not the one that was run.
        prepared_by: Option<String>,
        /// Pages written to the drive, those of filling it included.
        host_writes: u64 => "pages",
        /// Whole rounds, after any filling: of random writes a drive capacity each, of the trace as many replays as
        /// write that much.
        rounds: u32 => "rounds",
        /// Write amplification of the last round, in pages: warm-up writes whole pages. Null when there was none.
        write_amplification: Option<f64> => "pages per page",
        /// The same of each round.
        amplification_by_round: Vec<f64> => "pages per page",
        /// Whether write amplification was flat over the last three rounds. Null for kinds without rounds, and where
        /// there were fewer; `steady` and `workload`, which go on until it is, say false when they gave up.
        steady: Option<bool>,
    }
}

figures! {
    /// Which part of the run was measured.
    pub struct MeasureResult {
        /// Setting `measure.after`.
        after: String,
        /// When measuring began, in simulated time; null if it never did.
        from_ns: Option<u64> => "ns",
        /// Requests that had arrived by then and are not counted.
        requests_before: u64 => "requests",
        /// Planes that had to end a first round of collection before measuring began.
        planes_awaited: u32 => "planes",
        /// Those of them that did.
        planes_ready: u32 => "planes",
    }
}
