//! Why a simulation has no results.

use reclaim_trace::TraceError;

use crate::engine::Fault;
use crate::ftl::SnapshotError;
use crate::host::RemapError;
use crate::settings::ConfigError;

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The trace holds no request.
    #[error("{0}: the trace has no requests")]
    EmptyTrace(String),
    /// The trace's addresses cannot be mapped to the drive's.
    #[error(transparent)]
    Remap(#[from] RemapError),
    /// A saved state cannot be used.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// An audit or an inner check failed.
    #[error("audit failed: {0}")]
    Audit(String),
}

impl From<Fault> for SimError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Interrupted => Self::Interrupted,
            Fault::Trace(error) => Self::Trace(error),
            Fault::Remap(error) => Self::Remap(error),
            Fault::Inconsistent(what) => Self::Audit(what),
            Fault::WindowIsOver => unreachable!("a run ends with its window"),
        }
    }
}
