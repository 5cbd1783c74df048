//! The first so many requests.

use super::step::{Flow, Step};
use crate::Record;

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
