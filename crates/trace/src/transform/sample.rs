//! Spatial sampling as in SHARDS (Waldspurger et al., FAST 2015, section 3.1): a unit of the address space is kept
//! when the hash of its number falls below a threshold, and with it every access to it.

use super::step::{Flow, Step};
use crate::{Op, Record};

/// A trim of more units than this stays whole: units that are not kept hold nothing that it could remove.
const MOST_UNITS_CUT: u64 = 1 << 16;

/// Which part of the address space is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleSpec {
    /// Share of units that is kept, in parts per million: from 1 to 1 000 000.
    pub rate_ppm: u32,
    /// Bytes of a unit: a power of two from 512 up. Larger units tear fewer requests apart and keep neighbours
    /// together; smaller ones represent the trace better.
    pub unit_bytes: u64,
    /// Chooses one of the possible samples.
    pub seed: u64,
}

impl SampleSpec {
    /// Why a sample cannot be made of units of so many bytes; `None` if it can.
    pub fn unit_fault(unit_bytes: u64) -> Option<String> {
        let fits = unit_bytes.is_power_of_two() && (512..=1 << 40).contains(&unit_bytes);
        (!fits).then(|| {
            format!("the sampled unit must be a power of two from 512 bytes to 1 TiB, not {unit_bytes} bytes")
        })
    }

    pub(super) fn fault(&self, align_bytes: Option<u64>) -> Option<String> {
        let Self { rate_ppm, unit_bytes, .. } = *self;
        if !(1..=1_000_000).contains(&rate_ppm) {
            return Some(format!(
                "the share to sample must be above 0% and at most 100%, not {}%",
                f64::from(rate_ppm) / 1e4
            ));
        }
        if let Some(reason) = Self::unit_fault(unit_bytes) {
            return Some(reason);
        }
        match align_bytes {
            Some(align) if !unit_bytes.is_multiple_of(align) => Some(format!(
                "the sampled unit ({unit_bytes} bytes) must be a multiple of the alignment ({align} bytes)"
            )),
            _ => None,
        }
    }
}

pub(super) struct Sample {
    shift: u32,
    threshold: u128,
    key: u64,
}

/// The finaliser of SplitMix64: every bit of the input decides over every bit of the output.
#[inline]
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Sample {
    pub(super) fn new(spec: SampleSpec) -> Self {
        Self {
            shift: spec.unit_bytes.trailing_zeros(),
            threshold: (u128::from(spec.rate_ppm) << 64) / 1_000_000,
            key: mix(spec.seed.wrapping_add(0x9e37_79b9_7f4a_7c15)),
        }
    }

    #[inline]
    fn keeps(&self, unit: u64) -> bool {
        u128::from(mix(unit ^ self.key)) < self.threshold
    }
}

impl Step for Sample {
    fn take(&mut self, record: Record, out: &mut Vec<Record>) -> Result<Flow, String> {
        if record.op == Op::Flush {
            out.push(record);
            return Ok(Flow::Go);
        }
        let (begin, end) = (record.offset_bytes, record.end_bytes());
        let (first, last) = (begin >> self.shift, (end - 1) >> self.shift);
        if record.op == Op::Trim && last - first >= MOST_UNITS_CUT {
            out.push(record);
            return Ok(Flow::Go);
        }
        let mut unit = first;
        while unit <= last {
            if !self.keeps(unit) {
                unit += 1;
                continue;
            }
            let from = unit;
            while unit <= last && self.keeps(unit) {
                unit += 1;
            }
            let piece_begin = begin.max(from << self.shift);
            let piece_end = if unit > last { end } else { unit << self.shift };
            out.push(Record { offset_bytes: piece_begin, size_bytes: piece_end - piece_begin, ..record });
        }
        Ok(Flow::Go)
    }

    fn nothing_left(&self) -> String {
        "no request touches a sampled unit; sample more, or smaller units".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_kept_units_is_the_rate_and_another_seed_keeps_others() {
        let kept = |rate_ppm, seed| {
            let sample = Sample::new(SampleSpec { rate_ppm, unit_bytes: 4096, seed });
            (0..1_000_000).filter(|unit| sample.keeps(*unit)).collect::<Vec<u64>>()
        };
        for rate_ppm in [1_000, 100_000, 500_000, 1_000_000] {
            let (found, expected) = (kept(rate_ppm, 0).len() as f64, f64::from(rate_ppm));
            let deviation = (expected * (1.0 - expected / 1e6)).sqrt();
            assert!((found - expected).abs() <= 4.0 * deviation, "{found} kept at {rate_ppm} ppm");
        }
        assert_ne!(kept(100_000, 0), kept(100_000, 1));
        assert_eq!(kept(100_000, 7), kept(100_000, 7));
    }

    #[test]
    fn a_request_is_cut_where_a_unit_is_left_out() {
        let mut sample = Sample::new(SampleSpec { rate_ppm: 500_000, unit_bytes: 4096, seed: 0 });
        let (offset_bytes, size_bytes) = (100, 40 * 4096);
        let record = Record { time_ns: 5, offset_bytes, size_bytes, op: Op::Write, stream: 0 };
        let mut out = Vec::new();
        assert_eq!(sample.take(record, &mut out), Ok(Flow::Go));
        // That nothing else is lost is seen in `tests/transforms.rs`.
        assert!(out.len() > 5 && out.iter().all(|piece| sample.keeps(piece.offset_bytes / 4096)));
        assert!(out.windows(2).all(|pair| pair[0].end_bytes() < pair[1].offset_bytes));
    }
}
