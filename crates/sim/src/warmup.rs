//! Untimed preparation of a drive: filled, overwritten, steady.

use std::ops::ControlFlow;

use crate::config::{Config, WarmupKind};
use crate::engine::{Fault, Progress, Stream};
use crate::ftl::{Ftl, FtlCounters, TOGETHER};
use crate::ids::Lpn;
use crate::metrics::WarmupResult;

/// Pages written between two looks at the caller.
const PAGES_PER_LOOK: u64 = 1 << 16;

/// Brings the drive into the state the configuration asks for; of `replay` it does what comes before the trace.
///
/// # Errors
/// Only when the caller interrupts.
pub fn warm_up(
    config: &Config,
    ftl: &mut Ftl,
    control: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<WarmupResult, Fault> {
    let settings = &config.warmup;
    let capacity = u64::from(ftl.geometry().logical_pages);
    let random_writes = match settings.kind {
        WarmupKind::Empty | WarmupKind::Filled | WarmupKind::Replay => 0,
        WarmupKind::Overwrite => (settings.overwrites * capacity as f64).round() as u64,
        WarmupKind::Steady => (settings.limit * capacity as f64).round() as u64,
    };
    let stays_empty = match settings.kind {
        WarmupKind::Empty => true,
        WarmupKind::Replay => !settings.fill,
        WarmupKind::Filled | WarmupKind::Overwrite | WarmupKind::Steady => false,
    };
    let fill = if stays_empty { 0 } else { capacity };
    // How long `steady` takes is not known; the limit would make the bar lie.
    let total = if settings.kind == WarmupKind::Steady { 0 } else { fill + random_writes };
    let mut pace = Pace { control, done: 0, total };
    for lpn in 0..fill {
        ftl.write_now(Lpn(lpn as u32));
        pace.step()?;
    }
    let mut stream = Stream::new(config.seed, "warmup");
    let mut window = Window { start: *ftl.counters(), amplification: Vec::new() };
    let mut steady = None;
    let mut drawn = [Lpn::NONE; TOGETHER];
    for written in 1..=random_writes {
        let at = ((written - 1) % TOGETHER as u64) as usize;
        if at == 0 {
            drawn.fill_with(|| Lpn(stream.below(capacity as u32)));
            ftl.bring_near(&drawn);
        }
        ftl.write_now(drawn[at]);
        pace.step()?;
        if written.is_multiple_of(capacity) {
            window.close(ftl.counters());
            if settings.kind == WarmupKind::Steady && window.is_flat(settings.tolerance.value()) {
                steady = Some(true);
                break;
            }
        }
    }
    if settings.kind == WarmupKind::Steady {
        steady = Some(steady.unwrap_or(false));
    }
    let kind = serde_json::to_value(settings.kind).ok().and_then(|v| v.as_str().map(str::to_owned));
    Ok(WarmupResult {
        kind: kind.unwrap_or_default(),
        host_writes: pace.done,
        write_amplification: window.amplification.last().copied(),
        steady,
    })
}

struct Pace<'a> {
    control: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>,
    done: u64,
    total: u64,
}

impl Pace<'_> {
    #[inline]
    fn step(&mut self) -> Result<(), Fault> {
        self.done += 1;
        if self.done.is_multiple_of(PAGES_PER_LOOK) {
            let progress = Progress { phase: "warm-up", done: self.done, total: self.total, simulated_ns: 0 };
            if (self.control)(&progress).is_break() {
                return Err(Fault::Interrupted);
            }
        }
        Ok(())
    }
}

/// Write amplification of consecutive drive capacities of random writes.
struct Window {
    start: FtlCounters,
    amplification: Vec<f64>,
}

impl Window {
    fn close(&mut self, counters: &FtlCounters) {
        self.amplification.push(counters.amplification_since(&self.start));
        self.start = *counters;
    }

    /// Two changes in a row within the tolerance: one alone can be the turn of a curve.
    fn is_flat(&self, tolerance: f64) -> bool {
        let Some(last) = self.amplification.last_chunk::<3>() else { return false };
        last.windows(2).all(|pair| (pair[1] / pair[0] - 1.0).abs() <= tolerance)
    }
}
