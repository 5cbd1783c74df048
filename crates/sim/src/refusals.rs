//! What is refused before it can do harm: a run without the memory for it, a state that another program has saved.

use std::path::Path;

use crate::config::{audit_bytes, power_cut_bytes, run_bytes};
use crate::flash::Geometry;
use crate::ftl::SnapshotError;
use crate::settings::{Config, ConfigError};

/// Whether a run has the memory that it needs. Where it has not, allocating would end the whole process.
/// `waiting` is what requests take that must wait, `audited` whether all versions are kept, `limit` what a run may use.
pub(crate) fn fits_memory(
    config: &Config,
    geometry: &Geometry,
    waiting: u64,
    audited: bool,
    limit: Option<u64>,
) -> Result<(), ConfigError> {
    let of_audit = if audited { audit_bytes(geometry) } else { 0 };
    let of_cuts = config.measure.power_cut_every.map_or(0, |_| power_cut_bytes(geometry));
    let of_drive = run_bytes(config, geometry) + of_audit + of_cuts;
    let needed = of_drive + waiting;
    let Some(limit) = limit.filter(|limit| needed > *limit) else { return Ok(()) };
    let shown = |bytes: u64| match bytes {
        0..1_073_741_824 => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    };
    let audited = if audited { "an audited run" } else { "a run" };
    let reason = format!(
        "{audited} of {} needs about {} of memory, and may use {}: what the computer, its container, or a \
         limit of the process (ulimit -v, ulimit -d) leaves; use larger or fewer pages, or set \
         RECLAIM_MEMORY_LIMIT to another size or to \"unlimited\" in the environment",
        config.name,
        shown(needed),
        shown(limit)
    );
    if of_drive <= limit {
        let reason = format!(
            "the trace asks for more than the drive can do, so that requests wait, {} of memory of \
             them at the end: {reason}; or play it slower, in a closed loop, or only its first \
             requests (trace.max_requests)",
            shown(waiting)
        );
        return Err(ConfigError::at("host.time_scale", &reason));
    }
    Err(ConfigError::at("geometry", &reason))
}

/// Whether the state of a drive may be taken up that this build has saved: another may decide otherwise.
pub(crate) fn check_build(
    theirs: &str,
    (ours, accepted): (&str, &[String]),
    path: &Path,
) -> Result<(), SnapshotError> {
    // What comes before the digest says where it is from.
    let digest = |name: &str| name.rsplit('-').next().unwrap_or_default().to_owned();
    let theirs = if theirs.is_empty() { "unknown" } else { theirs };
    let mut known = std::iter::once(ours).chain(accepted.iter().map(String::as_str));
    if ours.is_empty() || known.any(|name| digest(name) == digest(theirs)) {
        return Ok(());
    }
    Err(SnapshotError::Build { path: path.to_owned(), theirs: theirs.to_owned(), ours: ours.to_owned() })
}
