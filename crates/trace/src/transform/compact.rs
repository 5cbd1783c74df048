//! Units of the address space numbered in the order in which they are first read or written, so that a trace from a
//! large device fills a small one without a gap.

use super::step::{Flow, Step};
use crate::{Op, Record};

const CHUNK: u64 = 1024;

/// Units up to this number can be compacted (256 TiB of 4 KiB units): the first table has 8 bytes for 1024 of them.
const FARTHEST_UNIT: u64 = 1 << 36;

/// A unit that has no number yet.
const NONE: u32 = u32::MAX;

pub(super) struct Compact {
    unit_bytes: u64,
    /// The number of each unit, in chunks made when first touched.
    table: Vec<Option<Box<[u32; CHUNK as usize]>>>,
    next: u32,
}

impl Compact {
    pub(super) fn new(unit_bytes: u64) -> Self {
        Self { unit_bytes, table: Vec::new(), next: 0 }
    }

    fn known(&self, unit: u64) -> u32 {
        let chunk = self.table.get((unit / CHUNK) as usize).and_then(Option::as_ref);
        chunk.map_or(NONE, |chunk| chunk[(unit % CHUNK) as usize])
    }

    /// The number of a unit that is read or written.
    fn place(&mut self, unit: u64) -> Result<u32, String> {
        let index = (unit / CHUNK) as usize;
        if index >= self.table.len() {
            self.table.resize(index + 1, None);
        }
        let chunk = self.table[index].get_or_insert_with(|| Box::new([NONE; CHUNK as usize]));
        let entry = &mut chunk[(unit % CHUNK) as usize];
        if *entry == NONE {
            if self.next == NONE {
                return Err(format!(
                    "touches more than {NONE} units of {} bytes, too many to compact; use a larger unit",
                    self.unit_bytes
                ));
            }
            *entry = self.next;
            self.next += 1;
        }
        Ok(*entry)
    }

    /// The piece of `record` that lies in `count` units from `unit` on, which are now those from `number` on.
    fn piece(&self, record: &Record, unit: u64, count: u64, number: u32) -> Record {
        let begin = (unit * self.unit_bytes).max(record.offset_bytes);
        let end = (unit + count).saturating_mul(self.unit_bytes).min(record.end_bytes());
        let offset_bytes = u64::from(number) * self.unit_bytes + begin % self.unit_bytes;
        Record { offset_bytes, size_bytes: end - begin, ..*record }
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
        let trim = record.op == Op::Trim;
        if !trim && last >= FARTHEST_UNIT {
            return Err(format!(
                "reaches byte {}; addresses beyond {} cannot be compacted: check the unit of its offsets",
                record.end_bytes(),
                FARTHEST_UNIT * self.unit_bytes
            ));
        }
        // A trim may reach far behind everything that was ever touched.
        let end = if trim { (last + 1).min(self.table.len() as u64 * CHUNK) } else { last + 1 };
        // Units that lie together before and after stay one request.
        let mut run: Option<(u64, u64, u32)> = None;
        let mut unit = first;
        while unit < end {
            if trim && self.table[(unit / CHUNK) as usize].is_none() {
                unit = (unit / CHUNK + 1) * CHUNK;
                continue;
            }
            let number = if trim { self.known(unit) } else { self.place(unit)? };
            if number != NONE {
                run = match run {
                    Some((from, count, to))
                        if from + count == unit && u64::from(to) + count == u64::from(number) =>
                    {
                        Some((from, count + 1, to))
                    }
                    before => {
                        out.extend(before.map(|(from, count, to)| self.piece(&record, from, count, to)));
                        Some((unit, 1, number))
                    }
                };
            }
            unit += 1;
        }
        out.extend(run.map(|(from, count, to)| self.piece(&record, from, count, to)));
        Ok(Flow::Go)
    }

    fn nothing_left(&self) -> String {
        "holds only trims of what is never read or written".to_owned()
    }
}
