//! A run without time: the trace is played as a warm-up plays it, each request done before the next comes, and what
//! that programs and erases is counted; `docs/model.md`, 7.7.

use std::ops::ControlFlow;

use reclaim_trace::{Op, Trace};

use crate::engine::{Drive, Fault, Progress};
use crate::ftl::Ftl;
use crate::host::AddressMapper;
use crate::look_ahead::LookAhead;
use crate::replay::play;

/// Records are fetched in batches of this many, and the caller is looked at after each.
const BATCH: usize = 4096;

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
    let scaled = |time_ns| config.scaled(time_ns);
    ftl.pad_by_arrival(config.pads_by_arrival().then(|| config.flush_after()));
    // Whatever warm-up by other policies or a restored state left to collect.
    ftl.collect_all_now();
    let mut source = trace.source()?;
    let mut batch = Vec::with_capacity(BATCH);
    let mut ahead = LookAhead::new();
    let mut done = 0;
    while source.fill(&mut batch, BATCH)? > 0 {
        for (next, record) in batch.iter().enumerate() {
            ahead.before(next, &batch, ftl, mapper);
            ftl.arrives(scaled(record.time_ns));
            let mut on_flash = 0;
            let found = |ftl: &Ftl, lpn| on_flash += u64::from(ftl.map().flash_copy(lpn).is_some());
            let played = play(ftl, record, mapper, found)?;
            recorder.flash.host_reads += on_flash;
            recorder.flash.unmapped_reads += played.read - on_flash;
            recorder.flash.trimmed_pages += played.trimmed;
            if record.op == Op::Write {
                ftl.note_host_bytes(record.size_bytes);
                recorder.pages_programmed(ftl.counters());
            }
        }
        done += batch.len() as u64;
        batch.clear();
        if control(&Progress::of("run", done, total)).is_break() {
            return Err(Fault::Interrupted);
        }
    }
    ftl.arrivals_end();
    ftl.finish_host_units();
    Ok(())
}
