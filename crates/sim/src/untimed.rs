//! A run without time: the trace is played as a warm-up plays it, each request done before the next comes, and what
//! that programs and erases is counted; `docs/model.md`, 7.7.

use std::ops::ControlFlow;

use reclaim_trace::Trace;

use crate::engine::{Drive, Fault, Progress};
use crate::host::AddressMapper;
use crate::replay::Player;

/// Plays a trace of so many requests on a drive to its end.
///
/// # Errors
/// When the trace cannot be read or its addresses cannot be mapped to the drive's, or the caller interrupts.
pub(crate) fn play_untimed(
    drive: &mut Drive,
    trace: &Trace,
    mapper: &mut AddressMapper,
    total: u64,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<(), Fault> {
    let Drive { config, ftl, recorder, .. } = drive;
    ftl.pad_by_arrival(config.pads_by_arrival().then(|| config.flush_after()));
    // Whatever warm-up by other policies or a restored state left to collect.
    ftl.collect_all_now();
    Player::new((config, total), ftl, mapper, Some(recorder), control).play_all(trace)?;
    ftl.finish_host_units();
    Ok(())
}
