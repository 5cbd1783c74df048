//! The list of address patterns; each is a file in this folder.

mod hot_cold;
mod mixed;
mod pattern;
mod streams;
mod sweep;
mod uniform;
mod zipf;

use super::spec::{AddressSpec, PartSpec};

use pattern::Region;
pub(super) use pattern::{Address, Shared};

/// Put a checked description to work. `align` is used where the description names none; `name` keeps the random
/// streams of several patterns apart.
pub(super) fn build(spec: &AddressSpec, align: u64, seed: u64, name: &str) -> Box<dyn Address> {
    if let AddressSpec::Mixed { parts } = spec {
        let build_part = |(index, part): (usize, &PartSpec)| {
            let pattern = build(&part.address, align, seed, &format!("{name} part {index}"));
            (part.weight, pattern)
        };
        return Box::new(mixed::Mixed::new(parts.iter().enumerate().map(build_part).collect(), seed, name));
    }
    let (footprint, offset, own_align) = spec.region().expect("only a mixture has no region");
    let region = Region { start: offset, bytes: footprint, align: own_align.unwrap_or(align) };
    match spec {
        AddressSpec::Uniform { once: false, .. } => Box::new(uniform::Uniform::new(region, seed, name)),
        AddressSpec::Uniform { once: true, .. } => Box::new(uniform::Once::new(region, seed, name)),
        AddressSpec::Zipf { theta, shuffled, .. } => {
            Box::new(zipf::Zipf::new(region, *theta, *shuffled, seed, name))
        }
        AddressSpec::HotCold { zones, run, .. } => {
            Box::new(hot_cold::HotCold::new(region, zones, *run, seed, name))
        }
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
