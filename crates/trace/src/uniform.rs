//! The simplest generator: requests spread evenly over a footprint.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::{MAX_TRANSFER_BYTES, Op, Record, RecordSource, TraceError};

/// Requests of one size, at addresses drawn evenly (with repetition) from a footprint, with exponentially distributed
/// gaps between them.
#[derive(Debug, Clone, PartialEq)]
pub struct UniformSpec {
    /// Addresses are below this; a rest too small for a whole request is not used.
    pub footprint_bytes: u64,
    /// Size of every request. Addresses are multiples of it.
    pub request_bytes: u64,
    /// Number of requests.
    pub count: u64,
    /// Share of writes, from 0 to 1. What is neither written nor trimmed is read.
    pub write_fraction: f64,
    /// Share of trims, from 0 to 1.
    pub trim_fraction: f64,
    /// Mean gap between arrivals (a Poisson process); 0 lets all arrive at time 0.
    pub mean_interarrival_ns: u64,
    /// Chooses one of the possible traces.
    pub seed: u64,
}

impl UniformSpec {
    /// Whether every request arrives at time 0.
    pub(crate) fn is_at_once(&self) -> bool {
        self.mean_interarrival_ns == 0
    }

    /// What every request does, where none does anything else.
    fn only_op(&self) -> Option<Op> {
        // What is drawn is below 1.
        if self.write_fraction == 1.0 {
            Some(Op::Write)
        } else if self.trim_fraction == 1.0 {
            Some(Op::Trim)
        } else {
            (self.write_fraction + self.trim_fraction == 0.0).then_some(Op::Read)
        }
    }

    fn fault(&self) -> Option<String> {
        let Self { footprint_bytes, request_bytes, count, write_fraction, trim_fraction, .. } = self;
        let share = |value: &f64| (0.0..=1.0).contains(value);
        if *count == 0 {
            Some("count is 0, so there are no requests".to_owned())
        } else if !(1..=MAX_TRANSFER_BYTES).contains(request_bytes) {
            Some(format!("request_bytes must be from 1 to {MAX_TRANSFER_BYTES}, not {request_bytes}"))
        } else if footprint_bytes < request_bytes {
            Some(format!("footprint_bytes ({footprint_bytes}) is less than request_bytes ({request_bytes})"))
        } else if !share(write_fraction) {
            Some(format!("write_fraction must be from 0 to 1, not {write_fraction}"))
        } else if !share(trim_fraction) {
            Some(format!("trim_fraction must be from 0 to 1, not {trim_fraction}"))
        } else if write_fraction + trim_fraction > 1.0 {
            Some(format!(
                "write_fraction ({write_fraction}) and trim_fraction ({trim_fraction}) are more than 1 \
                 together"
            ))
        } else {
            None
        }
    }
}

/// Plays a [`UniformSpec`]. Addresses, operations and times are drawn from streams of their own, so that changing one
/// of them leaves the others as they were, and so that nothing need be drawn where there is no choice.
pub(crate) struct UniformSource {
    spec: UniformSpec,
    only_op: Option<Op>,
    slots: u64,
    left: u64,
    time_ns: u64,
    addresses: Pcg64,
    operations: Pcg64,
    gaps: Pcg64,
}

impl UniformSource {
    pub(crate) fn new(spec: &UniformSpec) -> Result<Self, TraceError> {
        if let Some(reason) = spec.fault() {
            return Err(TraceError::Records { name: "uniform".to_owned(), reason });
        }
        Ok(Self {
            only_op: spec.only_op(),
            slots: spec.footprint_bytes / spec.request_bytes,
            left: spec.count,
            time_ns: 0,
            addresses: stream(spec.seed, "addresses"),
            operations: stream(spec.seed, "operations"),
            gaps: stream(spec.seed, "gaps"),
            spec: spec.clone(),
        })
    }

    #[inline]
    fn next(&mut self) -> Record {
        let record = Record {
            time_ns: self.time_ns,
            offset_bytes: self.addresses.random_range(0..self.slots) * self.spec.request_bytes,
            size_bytes: self.spec.request_bytes,
            op: self.op(),
            stream: 0,
        };
        self.time_ns = self.time_ns.saturating_add(self.gap());
        record
    }

    #[inline]
    fn op(&mut self) -> Op {
        if let Some(op) = self.only_op {
            return op;
        }
        let draw: f64 = self.operations.random();
        if draw < self.spec.write_fraction {
            Op::Write
        } else if draw < self.spec.write_fraction + self.spec.trim_fraction {
            Op::Trim
        } else {
            Op::Read
        }
    }

    #[inline]
    fn gap(&mut self) -> u64 {
        if self.spec.is_at_once() {
            return 0;
        }
        // The logarithm comes from `libm`, not from the system, whose last bit differs between machines.
        let draw: f64 = self.gaps.random();
        (-libm::log(1.0 - draw) * self.spec.mean_interarrival_ns as f64).round() as u64
    }
}

/// The named random stream of a seed. The hash keeps streams apart that PCG's own stream numbers would leave related.
fn stream(seed: u64, name: &str) -> Pcg64 {
    Pcg64::from_seed(blake3::derive_key(&format!("reclaim-trace uniform {name}"), &seed.to_le_bytes()))
}

impl RecordSource for UniformSource {
    fn fill(&mut self, out: &mut Vec<Record>, max: usize) -> Result<usize, TraceError> {
        let count = usize::try_from(self.left).unwrap_or(usize::MAX).min(max);
        out.extend((0..count).map(|_| self.next()));
        self.left -= count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_choice_nothing_need_be_drawn() {
        for (write_fraction, trim_fraction, mean_interarrival_ns, only_op) in [
            (1.0, 0.0, 0, Some(Op::Write)),
            (0.0, 1.0, 0, Some(Op::Trim)),
            (0.0, 0.0, 100, Some(Op::Read)),
            (0.5, 0.5, 100, None),
        ] {
            let (footprint_bytes, request_bytes, count, seed) = (1 << 20, 4096, 100, 7);
            let spec = UniformSpec {
                footprint_bytes,
                request_bytes,
                count,
                write_fraction,
                trim_fraction,
                mean_interarrival_ns,
                seed,
            };
            let [mut source, mut choosing] = [(); 2].map(|()| UniformSource::new(&spec).unwrap());
            assert_eq!(source.only_op, only_op);
            choosing.only_op = None;
            let (mut played, mut expected) = (Vec::new(), Vec::new());
            source.fill(&mut played, usize::MAX).unwrap();
            choosing.fill(&mut expected, usize::MAX).unwrap();
            assert_eq!(played, expected);
        }
    }
}
