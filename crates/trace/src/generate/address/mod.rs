//! Address patterns: one file each.

mod hot_cold;
mod mixed;
mod once;
mod shared;
mod streams;
mod sweep;
mod uniform;
mod zipf;

use super::spec::AddressSpec;

pub(super) use shared::Shared;

/// Where requests of one operation go.
pub(super) trait Address: Send {
    /// First byte of a request of `size_bytes`, which fits the pattern's footprint; `progress` is the share of the
    /// trace's requests made so far.
    fn next(&mut self, size_bytes: u64, progress: f64) -> u64;

    /// Make a request of `size_bytes` begin at `at`, where one of the last requests ended, if the pattern has room for it
    /// there.
    fn go_on(&mut self, at: u64, size_bytes: u64) -> bool;
}

/// A stretch of addresses and the grid on it.
#[derive(Debug, Clone, Copy)]
struct Region {
    start: u64,
    bytes: u64,
    align: u64,
}

impl Region {
    /// Number of places in it where a request of this size can begin; at least the first, even where it does not fit.
    #[inline]
    fn slots(&self, size_bytes: u64) -> u64 {
        self.bytes.saturating_sub(size_bytes) / self.align + 1
    }

    #[inline]
    fn slot(&self, index: u64) -> u64 {
        self.start + index * self.align
    }

    fn end(&self) -> u64 {
        self.start + self.bytes
    }

    /// Whether a request that ended at `at` lay in here.
    #[inline]
    fn ended_here(&self, at: u64) -> bool {
        self.start < at && at <= self.end()
    }

    /// Whether a request from `at` on fits in here.
    #[inline]
    fn holds(&self, at: u64, size_bytes: u64) -> bool {
        self.start <= at && at.checked_add(size_bytes).is_some_and(|end| end <= self.end())
    }
}

/// Put a checked description to work. `align` is used where the description names none; `name` keeps the random
/// streams of several patterns apart.
pub(super) fn build(spec: &AddressSpec, align: u64, seed: u64, name: &str) -> Box<dyn Address> {
    if let AddressSpec::Mixed { parts } = spec {
        return Box::new(mixed::Mixed::new(parts, align, seed, name));
    }
    let (footprint, offset, own_align) = spec.region().expect("only a mixture has no region");
    let region = Region { start: offset, bytes: footprint, align: own_align.unwrap_or(align) };
    match spec {
        AddressSpec::Uniform { once: false, .. } => Box::new(uniform::Uniform::new(region, seed, name)),
        AddressSpec::Uniform { once: true, .. } => Box::new(once::Once::new(region, seed, name)),
        AddressSpec::Zipf { theta, shuffled, .. } => {
            Box::new(zipf::Zipf::new(region, *theta, *shuffled, seed, name))
        }
        AddressSpec::HotCold { zones, .. } => Box::new(hot_cold::HotCold::new(region, zones, seed, name)),
        AddressSpec::Streams { streams, run, .. } => {
            Box::new(streams::Streams::new(region, *streams, *run, seed, name))
        }
        AddressSpec::Sweep { lanes, .. } => Box::new(sweep::Sweep::new(region, *lanes)),
        AddressSpec::Mixed { .. } => unreachable!("handled above"),
    }
}

impl AddressSpec {
    /// Footprint, first byte and own alignment in bytes; `None` for a mixture.
    pub(super) fn region(&self) -> Option<(u64, u64, Option<u64>)> {
        match self {
            Self::Uniform { footprint, offset, align, .. }
            | Self::Zipf { footprint, offset, align, .. }
            | Self::HotCold { footprint, offset, align, .. }
            | Self::Streams { footprint, offset, align, .. }
            | Self::Sweep { footprint, offset, align, .. } => {
                Some((footprint.0, offset.0, align.map(|align| align.0)))
            }
            Self::Mixed { .. } => None,
        }
    }
}
