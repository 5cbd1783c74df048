//! Named random streams: those of the crate of traces, whose steps draw from them, too.

pub use reclaim_trace::random::RandomStream;
