//! Other addresses: whole units only (reads and writes grow outward, trims shrink inward), or all moved up.

use super::step::{Flow, Step};
use crate::{Op, Record};

pub(super) struct Align {
    pub(super) bytes: u64,
}

impl Step for Align {
    fn take(&mut self, mut record: Record, out: &mut Vec<Record>) -> Result<Flow, String> {
        let (begin, end) = (record.offset_bytes, record.end_bytes());
        let (begin, end) = match record.op {
            Op::Flush => (begin, end),
            Op::Read | Op::Write => {
                let rounded = end.checked_next_multiple_of(self.bytes).ok_or_else(|| {
                    format!(
                        "a {} that ends at byte {end}, aligned to {} bytes, ends beyond what 64 bits can \
                         address",
                        record.op.name(),
                        self.bytes
                    )
                })?;
                (begin - begin % self.bytes, rounded)
            }
            Op::Trim => {
                // A beginning that cannot be rounded up lies in the last unit of all, of which a part only is trimmed.
                let Some(begin) = begin.checked_next_multiple_of(self.bytes) else { return Ok(Flow::Go) };
                let end = end - end % self.bytes;
                if begin >= end {
                    return Ok(Flow::Go);
                }
                (begin, end)
            }
        };
        record.offset_bytes = begin;
        record.size_bytes = end - begin;
        out.push(record);
        Ok(Flow::Go)
    }

    fn nothing_left(&self) -> String {
        format!("holds only trims of less than a whole unit of {} bytes", self.bytes)
    }
}

// All addresses moved up.

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
