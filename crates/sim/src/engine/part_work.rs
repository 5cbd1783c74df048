//! How long parts of a die work by themselves: planes that read, an array that programs while data are loaded.

use crate::time::{Nanos, SimTime};

/// Operations of one die that are under way side by side: reads of its planes, from the command until the data have
/// left; or programs, from the command until the array has done with them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PartWork {
    operations: u32,
    /// Those of them that are of the host.
    of_host: u32,
    /// When that changed last.
    since: SimTime,
    /// Time with any since measuring began, ns.
    busy_time: Nanos,
    /// The part of it with one of the host, ns.
    host_time: Nanos,
}

impl PartWork {
    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        self.operations > 0
    }

    /// How many of them are the collector's.
    pub(super) fn of_collector(&self) -> u32 {
        self.operations - self.of_host
    }

    fn pass(&mut self, now: SimTime) {
        let passed = now.since(self.since);
        if self.operations > 0 {
            self.busy_time += passed;
        }
        if self.of_host > 0 {
            self.host_time += passed;
        }
        self.since = now;
    }

    /// Time with any since measuring began, ns, and the part of it with one of the host.
    pub(super) fn worked(&self) -> (Nanos, Nanos) {
        (self.busy_time, self.host_time)
    }

    /// One begins.
    pub(super) fn begin(&mut self, for_host: bool, now: SimTime) {
        self.pass(now);
        self.operations += 1;
        self.of_host += u32::from(for_host);
    }

    /// One has ended.
    pub(super) fn end(&mut self, for_host: bool, now: SimTime) {
        self.pass(now);
        self.operations -= 1;
        self.of_host -= u32::from(for_host);
    }

    /// Measuring begins.
    pub(super) fn start_afresh(&mut self, now: SimTime) {
        (self.busy_time, self.host_time, self.since) = (Nanos(0), Nanos(0), now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the host from 10 to 30, of the collector from 20 to 45; measured from 25 on.
    #[test]
    fn time_with_several_operations_counts_once() {
        let mut work = PartWork::default();
        let at = SimTime;
        work.begin(true, at(10));
        work.begin(false, at(20));
        assert!(work.any());
        let mut late = work;
        late.start_afresh(at(25));
        for each in [&mut work, &mut late] {
            each.end(true, at(30));
            each.end(false, at(45));
            assert!(!each.any());
        }
        assert_eq!(work.worked(), (Nanos(35), Nanos(20)));
        assert_eq!(late.worked(), (Nanos(20), Nanos(5)));
    }
}
