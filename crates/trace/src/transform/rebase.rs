//! Time 0 at the first request that is left.

use super::step::{Flow, Step};
use crate::Record;
use crate::source::Clock;

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
