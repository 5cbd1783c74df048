//! How fast the drive sees the times of a trace.

use super::{Config, FlushClock, HostMode, WarmupPadding};
use crate::time::Nanos;

impl Config {
    /// When something of the trace is due on the drive.
    pub(crate) fn scaled(&self, time_ns: u64) -> u64 {
        let scale = self.host.time_scale;
        if scale == 1.0 { time_ns } else { (time_ns as f64 / scale).round() as u64 }
    }

    /// How long the first page of a unit waits for the others, in the drive's time.
    pub(crate) fn flush_after(&self) -> Nanos {
        let Nanos(given) = self.flash.flush_after.0;
        let scales = self.flash.flush_clock == FlushClock::Trace && self.host.mode == HostMode::OpenLoop;
        Nanos(if scales { self.scaled(given) } else { given })
    }

    /// Whether warm-up pads units whose other pages came too late for the timer of a timed run.
    pub(crate) fn warm_up_pads(&self) -> bool {
        (self.flash.programs_word_lines() || self.geometry.parts_of_page() > 1)
            && self.warmup.kind.plays_the_trace()
            && self.warmup.padding == WarmupPadding::ByArrival
            && self.host.mode == HostMode::OpenLoop
    }
}
