//! The units that a trace writes, numbered without the gaps between them.

use super::UNIT;
use crate::Record;

/// Collects what is written.
#[derive(Default)]
pub(super) struct Written {
    /// First and end unit of stretches; sorted and joined now and then.
    stretches: Vec<(u64, u64)>,
    joined: usize,
}

impl Written {
    pub(super) fn add(&mut self, record: &Record) {
        let end = (record.offset_bytes + record.size_bytes).div_ceil(UNIT);
        self.stretches.push((record.offset_bytes / UNIT, end));
        if self.stretches.len() > 2 * self.joined + (1 << 16) {
            self.join();
        }
    }

    fn join(&mut self) {
        self.stretches.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (first, end) in self.stretches.drain(..) {
            match joined.last_mut() {
                Some(last) if first <= last.1 => last.1 = last.1.max(end),
                _ => joined.push((first, end)),
            }
        }
        self.joined = joined.len();
        self.stretches = joined;
    }

    pub(super) fn finish(mut self) -> Compact {
        self.join();
        let mut before = vec![0];
        for (first, end) in &self.stretches {
            before.push(before[before.len() - 1] + (end - first));
        }
        Compact { stretches: self.stretches, before }
    }
}

/// The numbers of units.
pub(super) struct Compact {
    stretches: Vec<(u64, u64)>,
    /// Units in the stretches before each, and in all.
    before: Vec<u64>,
}

impl Compact {
    pub(super) fn units(&self) -> u64 {
        self.before[self.stretches.len()]
    }

    /// The written units among those of which a byte lies from `start` to `end`.
    pub(super) fn range(&self, start: u64, end: u64) -> (u32, u32) {
        let (first, end) = (self.rank(start / UNIT), self.rank(end.div_ceil(UNIT)));
        (first as u32, end.max(first) as u32)
    }

    /// How many written units lie before this one.
    fn rank(&self, unit: u64) -> u64 {
        let index = self.stretches.partition_point(|(_, end)| *end <= unit);
        let inside = self.stretches.get(index).map_or(0, |(first, _)| unit.saturating_sub(*first));
        self.before[index] + inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;

    #[test]
    fn gaps_are_left_out() {
        let mut written = Written::default();
        for (unit, units) in [(10, 2), (100, 4), (12, 1), (102, 3)] {
            let (offset_bytes, size_bytes) = (unit * UNIT, units * UNIT);
            written.add(&Record { time_ns: 0, offset_bytes, size_bytes, op: Op::Write });
        }
        let compact = written.finish();
        assert_eq!(compact.units(), 8);
        assert_eq!(compact.range(10 * UNIT, 13 * UNIT), (0, 3));
        assert_eq!(compact.range(0, 50 * UNIT), (0, 3));
        assert_eq!(compact.range(50 * UNIT, 101 * UNIT + 1), (3, 5));
        assert_eq!(compact.range(1000 * UNIT, 2000 * UNIT), (8, 8));
    }
}
