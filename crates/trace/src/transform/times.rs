//! Times: a trace played faster or slower than it was recorded, or from the first request that is left; a window of
//! time, or the first so many requests.

use super::step::{Flow, Step};
use crate::Record;
use crate::source::Clock;

pub(super) struct Pace {
    /// How many times as fast.
    pub(super) scale: f64,
}

impl Step for Pace {
    fn take(&mut self, mut record: Record, out: &mut Vec<Record>) -> Result<Flow, String> {
        // As a simulation does with its time scale, to the nanosecond.
        let at = (record.time_ns as f64 / self.scale).round();
        if at >= u64::MAX as f64 {
            return Err(format!(
                "a request at {} ns, played {} times as fast as recorded, arrives beyond what 64 bits of \
                 ns can hold",
                record.time_ns, self.scale
            ));
        }
        record.time_ns = at as u64;
        out.push(record);
        Ok(Flow::Go)
    }

    fn nothing_left(&self) -> String {
        "holds no requests".to_owned()
    }

    /// No clock runs so fast.
    fn clock(&self, _clock: Clock) -> Option<Clock> {
        None
    }
}

// Time 0 at the first request that is left.

#[derive(Default)]
pub(super) struct Rebase {
    first_ns: Option<u64>,
}

impl Step for Rebase {
    fn take(&mut self, mut record: Record, out: &mut Vec<Record>) -> Result<Flow, String> {
        record.time_ns -= *self.first_ns.get_or_insert(record.time_ns);
        out.push(record);
        Ok(Flow::Go)
    }

    fn nothing_left(&self) -> String {
        "holds no requests".to_owned()
    }

    fn clock(&self, clock: Clock) -> Option<Clock> {
        Some(Clock { zero_ns: clock.zero_ns.checked_add(self.first_ns?)?, ..clock })
    }
}

pub(super) struct Window {
    from_ns: u64,
    to_ns: Option<u64>,
}

impl Window {
    pub(super) fn new(from_ns: Option<u64>, to_ns: Option<u64>) -> Self {
        Self { from_ns: from_ns.unwrap_or(0), to_ns }
    }
}

impl Step for Window {
    fn take(&mut self, record: Record, out: &mut Vec<Record>) -> Result<Flow, String> {
        if self.to_ns.is_some_and(|to_ns| record.time_ns >= to_ns) {
            return Ok(Flow::Stop);
        }
        if record.time_ns >= self.from_ns {
            out.push(record);
        }
        Ok(Flow::Go)
    }

    fn nothing_left(&self) -> String {
        match self.to_ns {
            Some(to) => format!("no request arrives from {} ns up to {to} ns", self.from_ns),
            None => format!("no request arrives {} ns after the first or later", self.from_ns),
        }
    }
}

// The first so many requests.

pub(super) struct Limit {
    pub(super) left: u64,
}

impl Step for Limit {
    fn take(&mut self, record: Record, out: &mut Vec<Record>) -> Result<Flow, String> {
        out.push(record);
        self.left -= 1;
        Ok(if self.left == 0 { Flow::Stop } else { Flow::Go })
    }

    fn nothing_left(&self) -> String {
        "holds no requests".to_owned()
    }
}
