//! Where the requests of a generated trace go, as its description has it.

use serde::{Deserialize, Serialize};

use super::units::Size;

/// Where requests go. `footprint` is the stretch of addresses used, beginning at `offset`; addresses are multiples of
/// `align` from there (default: the smallest size of the operation's requests).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum AddressSpec {
    /// Every place is as likely as any other.
    Uniform {
        /// Length of the stretch of addresses used, in bytes.
        footprint: Size,
        /// First byte used.
        #[serde(default = "zero", skip_serializing_if = "is_nothing")]
        offset: Size,
        /// Addresses are multiples of this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        align: Option<Size>,
        /// Whether every place comes once, in random order, before any comes again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        once: bool,
        /// With `once`, in `[address]`: whether the operations without a pattern of their own take places from one
        /// order, instead of one each.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shared: bool,
    },
    /// The place of rank k is drawn with a probability in proportion to k to the power of -theta.
    Zipf {
        /// Length of the stretch of addresses used, in bytes.
        footprint: Size,
        /// First byte used.
        #[serde(default = "zero", skip_serializing_if = "is_nothing")]
        offset: Size,
        /// Addresses are multiples of this; it is also what is ranked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        align: Option<Size>,
        /// Exponent, above 0.
        theta: f64,
        /// Whether ranks are scattered over the footprint (the default) or rise with the address.
        #[serde(default = "yes")]
        shuffled: bool,
    },
    /// Zones behind one another, each with its share of the space and of the requests, uniform inside. A request larger
    /// than its zone goes to the next zone that holds it.
    HotCold {
        /// Length of the stretch of addresses used, in bytes.
        footprint: Size,
        /// First byte used.
        #[serde(default = "zero", skip_serializing_if = "is_nothing")]
        offset: Size,
        /// Addresses are multiples of this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        align: Option<Size>,
        /// The zones in order of address.
        zones: Vec<ZoneSpec>,
        /// Mean number of requests (at least 1) that stay in a zone before another is drawn, or the same again;
        /// without it, a zone is drawn for each request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<f64>,
    },
    /// Sequential streams, each in its own equal part of the footprint; every request continues one of them, drawn
    /// evenly, and a stream that reaches the end of its part goes on at its beginning.
    Streams {
        /// Length of the stretch of addresses used, in bytes.
        footprint: Size,
        /// First byte used.
        #[serde(default = "zero", skip_serializing_if = "is_nothing")]
        offset: Size,
        /// Addresses are multiples of this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        align: Option<Size>,
        /// Number of streams.
        #[serde(default = "one")]
        streams: u64,
        /// Mean number of requests (at least 1) after which a stream jumps elsewhere in its part; without it, never.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<f64>,
    },
    /// Every place once before any place a second time, in many sequential lanes visited in turn, so that neighbours in
    /// time are not neighbours in space.
    Sweep {
        /// Length of the stretch of addresses used, in bytes.
        footprint: Size,
        /// First byte used.
        #[serde(default = "zero", skip_serializing_if = "is_nothing")]
        offset: Size,
        /// What counts as a place. Requests begin at multiples of it; those that are sequential, where another ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        align: Option<Size>,
        /// Number of lanes.
        #[serde(default = "many")]
        lanes: u64,
    },
    /// Several patterns, one drawn for each request.
    Mixed {
        /// The patterns with their weights.
        parts: Vec<PartSpec>,
    },
}

fn one() -> u64 {
    1
}

fn zero() -> Size {
    Size(0)
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_nothing(size: &Size) -> bool {
    size.0 == 0
}

fn many() -> u64 {
    1024
}

fn yes() -> bool {
    true
}

/// A zone of [`AddressSpec::HotCold`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneSpec {
    /// Share of the footprint, from 0 to 1; those of all zones add up to 1.
    pub space: f64,
    /// Share of the requests, from 0 to 1; those of all zones add up to 1.
    pub access: f64,
    /// Share of the zone in use at a time, from 0 to 1. Below 1, the part in use moves through the zone once in the
    /// course of the trace (and wraps around at its end), which shortens the time between updates of the same place.
    #[serde(default = "all", skip_serializing_if = "is_all")]
    pub window: f64,
}

fn all() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_all(value: &f64) -> bool {
    *value == 1.0
}

/// A part of [`AddressSpec::Mixed`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartSpec {
    /// Weight of any scale.
    pub weight: f64,
    /// The address pattern of the requests that are drawn for this part.
    pub address: AddressSpec,
}
