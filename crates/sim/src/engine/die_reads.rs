//! How long the planes of a die read by themselves.

use crate::time::{Nanos, SimTime};

/// Reads under way on the planes of one die, each by itself, from the command until the data have left.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DieReads {
    reads: u32,
    /// Those of them that are of the host.
    host_reads: u32,
    /// When that changed last.
    since: SimTime,
    /// Time with any read since measuring began, ns.
    busy_time: Nanos,
    /// The part of it with one of the host, ns.
    host_time: Nanos,
}

impl DieReads {
    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        self.reads > 0
    }

    fn pass(&mut self, now: SimTime) {
        let passed = now.since(self.since);
        if self.reads > 0 {
            self.busy_time += passed;
        }
        if self.host_reads > 0 {
            self.host_time += passed;
        }
        self.since = now;
    }

    /// Time with any read since measuring began, ns, and the part of it with one of the host.
    pub(super) fn worked(&self) -> (Nanos, Nanos) {
        (self.busy_time, self.host_time)
    }

    /// One begins.
    pub(super) fn begin(&mut self, for_host: bool, now: SimTime) {
        self.pass(now);
        self.reads += 1;
        self.host_reads += u32::from(for_host);
    }

    /// One has ended.
    pub(super) fn end(&mut self, for_host: bool, now: SimTime) {
        self.pass(now);
        self.reads -= 1;
        self.host_reads -= u32::from(for_host);
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
    fn time_with_several_reads_counts_once() {
        let mut reading = DieReads::default();
        let at = SimTime;
        reading.begin(true, at(10));
        reading.begin(false, at(20));
        assert!(reading.any());
        let mut late = reading;
        late.start_afresh(at(25));
        for reading in [&mut reading, &mut late] {
            reading.end(true, at(30));
            reading.end(false, at(45));
            assert!(!reading.any());
        }
        assert_eq!(reading.worked(), (Nanos(35), Nanos(20)));
        assert_eq!(late.worked(), (Nanos(20), Nanos(5)));
    }
}
