//! All addresses moved up.

use super::step::{Flow, Step};
use crate::{Op, Record};

pub(super) struct Shift {
    pub(super) bytes: u64,
}

/// `record` with its address moved up by `bytes`.
#[inline]
pub(super) fn shifted(mut record: Record, bytes: u64) -> Result<Record, String> {
    if record.op == Op::Flush {
        return Ok(record);
    }
    if record.end_bytes().checked_add(bytes).is_none() {
        let at = record.offset_bytes;
        return Err(format!(
            "a {} at byte {at} shifted by {bytes} bytes ends beyond what 64 bits can address",
            record.op.name()
        ));
    }
    record.offset_bytes += bytes;
    Ok(record)
}

impl Step for Shift {
    fn take(&mut self, record: Record, out: &mut Vec<Record>) -> Result<Flow, String> {
        out.push(shifted(record, self.bytes)?);
        Ok(Flow::Go)
    }

    fn nothing_left(&self) -> String {
        "holds no requests".to_owned()
    }
}
