//! The units in which traces count time and space.

use std::str::FromStr;

use crate::TraceError;
use crate::wording::choice;

/// Bytes of a sector (logical block) of block layers, SCSI and ATA, unless a format defines another.
pub(crate) const SECTOR_BYTES: u64 = 512;

/// A unit of time in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Nanoseconds, in which Reclaim itself counts time.
    Nanoseconds,
    /// Ticks of 100 ns, in which Windows counts time.
    Ticks,
    /// Microseconds, of 1000 ns.
    Microseconds,
    /// Milliseconds, of 1 000 000 ns.
    Milliseconds,
    /// Seconds, of 1 000 000 000 ns.
    Seconds,
}

impl TimeUnit {
    /// As it is written in options and in the names of columns.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Ticks => "100ns",
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
        }
    }

    /// Its length in ns.
    pub(crate) fn ns(self) -> u64 {
        10_u64.pow(self.decimals() as u32)
    }

    /// Number of decimals with which a time in this unit is exact to the nanosecond.
    pub(crate) fn decimals(self) -> usize {
        match self {
            Self::Nanoseconds => 0,
            Self::Ticks => 2,
            Self::Microseconds => 3,
            Self::Milliseconds => 6,
            Self::Seconds => 9,
        }
    }
}

impl FromStr for TimeUnit {
    type Err = TraceError;

    fn from_str(name: &str) -> Result<Self, TraceError> {
        let valid = [
            ("ns", Self::Nanoseconds),
            ("100ns", Self::Ticks),
            ("us", Self::Microseconds),
            ("ms", Self::Milliseconds),
            ("s", Self::Seconds),
        ];
        choice("unit of time", name, &valid)
    }
}

/// `count` units of `unit_bytes`, in bytes.
#[inline]
pub(crate) fn in_bytes(count: u64, unit_bytes: u64, what: &str) -> Result<u64, String> {
    count.checked_mul(unit_bytes).ok_or_else(|| too_large(what))
}

#[cold]
fn too_large(what: &str) -> String {
    format!("{what} is too large for 64 bits of bytes")
}
