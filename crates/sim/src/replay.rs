//! Warming a drive up with the trace itself: everything it writes and trims, in its order, without time.

use std::ops::ControlFlow;

use reclaim_trace::{Op, Record, Trace};

use crate::config::WarmupConfig;
use crate::engine::{Fault, Progress};
use crate::ftl::Ftl;
use crate::host::{FitError, Placer};
use crate::metrics::WarmupResult;

const AT_ONCE: usize = 4096;

/// Plays `trace` on the drive as often as `settings` say.
///
/// Reads only give their pages a place, so that the timed run, which meets the same pages in the same order, finds
/// every page where it was.
///
/// # Errors
/// When the trace cannot be read or fitted, or the caller interrupts.
pub(crate) fn replay(
    settings: &WarmupConfig,
    ftl: &mut Ftl,
    trace: &Trace,
    placer: &mut Placer,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<WarmupResult, Fault> {
    let mut host_writes = 0;
    let mut amplification = None;
    for _ in 0..settings.replays {
        let before = *ftl.counters();
        let mut source = trace.source()?;
        let mut records = Vec::with_capacity(AT_ONCE);
        let mut round_writes = 0;
        while source.fill(&mut records, AT_ONCE)? > 0 {
            for record in records.drain(..) {
                round_writes += play(ftl, &record, placer)?;
            }
            let done = host_writes + round_writes;
            let progress = Progress { phase: "warm-up", done, total: 0, simulated_ns: 0 };
            if control(&progress).is_break() {
                return Err(Fault::Interrupted);
            }
        }
        host_writes += round_writes;
        amplification = (round_writes > 0).then(|| ftl.counters().amplification_since(&before));
    }
    Ok(WarmupResult {
        kind: "replay".to_owned(),
        host_writes,
        write_amplification: amplification,
        steady: None,
    })
}

/// Gives every page of `trace` the place that a replay would, without writing any.
///
/// # Errors
/// When the trace cannot be read or fitted.
pub(crate) fn place_all(trace: &Trace, placer: &mut Placer) -> Result<(), Fault> {
    let mut source = trace.source()?;
    let mut records = Vec::with_capacity(AT_ONCE);
    while source.fill(&mut records, AT_ONCE)? > 0 {
        for record in records.drain(..) {
            if matches!(record.op, Op::Read | Op::Write) {
                let (first, count) = placer.pages(record.offset_bytes, record.size_bytes);
                for page in first..first + count {
                    placer.place(page)?;
                }
            }
        }
    }
    Ok(())
}

/// Does what a request does to the state of the drive; says how many pages it wrote.
fn play(ftl: &mut Ftl, record: &Record, placer: &mut Placer) -> Result<u64, FitError> {
    match record.op {
        Op::Read | Op::Write => {
            let (first, count) = placer.pages(record.offset_bytes, record.size_bytes);
            for page in first..first + count {
                let lpn = placer.place(page)?;
                if record.op == Op::Write {
                    ftl.write_now(lpn);
                }
            }
            return Ok(if record.op == Op::Write { count } else { 0 });
        }
        Op::Trim => {
            let (first, count) = placer.whole_pages(record.offset_bytes, record.size_bytes);
            if placer.is_identity() {
                let (mut from, end) = (first as u32, (first + count) as u32);
                while let Some(lpn) = ftl.map().next_mapped(from, end.max(from)) {
                    ftl.trim(lpn);
                    from = lpn.0 + 1;
                }
            } else {
                placer.for_touched(first, count, |lpn| {
                    ftl.trim(lpn);
                });
            }
        }
        Op::Flush => {}
    }
    Ok(0)
}
