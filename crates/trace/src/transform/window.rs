//! A window of time, or the first so many requests.

use super::step::{Flow, Step};
use crate::Record;

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
