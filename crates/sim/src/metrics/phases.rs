//! What happened before the measured part of a run.

use crate::metric::figures;

figures! {
    /// What writing the trace in another order than it has does to a copy of the drive, after warm-up and without time.
    #[derive(Copy)]
    pub struct OrderOfReplay {
        /// Of the pages that a play writes, those that it writes once: only the next play overwrites them.
        written_once_share: f64 => "share",
        /// Runs of a play: requests that go on where another ended keep their order.
        runs: u64 => "runs",
        /// Host pages written to the copy in another order; 0 where the order cannot matter: few pages are written
        /// once, or there are few runs.
        host_programs: u64 => "pages",
        /// Write amplification, in pages, when the trace is replayed in its own order.
        same: Option<f64> => "pages per page",
        /// The same in another order, over the second half of what was written.
        shuffled: Option<f64> => "pages per page",
    }
}

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
        /// What another order of the requests does to write amplification; null where replaying in the same order
        /// cannot matter, or was not looked at.
        order_of_replay: Option<OrderOfReplay>,
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
