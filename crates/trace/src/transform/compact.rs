//! Units of the address space numbered in the order in which they are first read or written, so that a trace from a
//! large device fills a small one without a gap.

use super::step::{Flow, Step};
use crate::{FirstTouch, Op, Record};

pub(super) struct Compact {
    unit_bytes: u64,
    numbers: FirstTouch,
}

impl Compact {
    pub(super) fn new(unit_bytes: u64) -> Self {
        Self { unit_bytes, numbers: FirstTouch::default() }
    }

    /// The number of a unit that is read or written.
    fn touch(&mut self, unit: u64) -> Result<u32, String> {
        self.numbers.touch(unit, u32::MAX).ok_or_else(|| {
            format!(
                "touches more than {} units of {} bytes, too many to compact; use a larger unit",
                u32::MAX,
                self.unit_bytes
            )
        })
    }

    /// The piece of `record` that lies in the units of `run`.
    fn piece(&self, record: &Record, run: &Run) -> Record {
        let begin = (run.from * self.unit_bytes).max(record.offset_bytes);
        let end = (run.from + run.count).saturating_mul(self.unit_bytes).min(record.end_bytes());
        let offset_bytes = u64::from(run.number) * self.unit_bytes + begin % self.unit_bytes;
        Record { offset_bytes, size_bytes: end - begin, ..*record }
    }
}

/// Units that lie together before and after.
struct Run {
    from: u64,
    count: u64,
    /// The number of the first.
    number: u32,
}

impl Run {
    fn goes_on_with(&self, unit: u64, number: u32) -> bool {
        self.from + self.count == unit && u64::from(self.number) + self.count == u64::from(number)
    }
}

impl Step for Compact {
    fn take(&mut self, record: Record, out: &mut Vec<Record>) -> Result<Flow, String> {
        if record.op == Op::Flush {
            out.push(record);
            return Ok(Flow::Go);
        }
        let first = record.offset_bytes / self.unit_bytes;
        let last = (record.end_bytes() - 1) / self.unit_bytes;
        if record.op != Op::Trim {
            if last >= FirstTouch::FARTHEST {
                return Err(format!(
                    "reaches byte {}; addresses beyond {} cannot be compacted: check the unit of its offsets",
                    record.end_bytes(),
                    u128::from(FirstTouch::FARTHEST) * u128::from(self.unit_bytes)
                ));
            }
            for unit in first..=last {
                self.touch(unit)?;
            }
        }
        let mut run: Option<Run> = None;
        for (unit, number) in self.numbers.touched(first, last + 1) {
            match &mut run {
                Some(run) if run.goes_on_with(unit, number) => run.count += 1,
                run => {
                    let before = run.replace(Run { from: unit, count: 1, number });
                    out.extend(before.map(|run| self.piece(&record, &run)));
                }
            }
        }
        out.extend(run.map(|run| self.piece(&record, &run)));
        Ok(Flow::Go)
    }

    fn nothing_left(&self) -> String {
        "holds only trims of what is never read or written".to_owned()
    }
}
