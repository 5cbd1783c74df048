//! The description of a generated trace: these structs are the file format.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::units::{Size, Time};
use crate::Op;

/// A generated trace. The same description makes the same requests on every machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorSpec {
    /// Version of this description, 1. A file is recognised by this key.
    pub generator: u32,
    /// What the trace is called; without it, by its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of requests.
    pub requests: u64,
    /// Chooses one of the possible traces.
    #[serde(default = "one")]
    pub seed: u64,
    /// Shares of the operations.
    #[serde(default)]
    pub operations: OperationShares,
    /// Sizes of requests, for every operation that has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<SizeSpec>,
    /// When requests arrive; without it, all at time 0, for closed-loop runs.
    #[serde(default)]
    pub arrivals: ArrivalSpec,
    /// What this trace stands in for, if it stands in for a real one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<StandIn>,
    /// Where requests go, for every operation that has no address pattern of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<AddressSpec>,
    /// Reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Class>,
    /// Writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Class>,
    /// Trims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<Class>,
}

fn one() -> u64 {
    1
}

/// Shares of the operations among all requests, from 0 to 1. What is left are reads. Shares are met exactly: so many
/// requests of each kind in random order.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OperationShares {
    /// Writes.
    pub write: f64,
    /// Trims.
    pub trim: f64,
    /// Flushes.
    pub flush: f64,
}

impl Default for OperationShares {
    fn default() -> Self {
        Self { write: 1.0, trim: 0.0, flush: 0.0 }
    }
}

/// The requests of one operation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Sizes; where `sequential_size` is given, only of those that are not sequential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<SizeSpec>,
    /// Share, from 0 to 1, that begins where the request of this operation before it ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sequential: f64,
    /// Share, from 0 to 1, that begins where one of the 31 requests of this operation before that one ended:
    /// sequential streams that take turns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub interleaved: f64,
    /// Sizes of sequential and interleaved requests; without it, the same as of the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential_size: Option<SizeSpec>,
    /// Where the others go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<AddressSpec>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Sizes of requests: one size, or several with weights of any scale. Like shares, weights are met exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a size such as \"4KiB\", or a list such as [[\"4KiB\", 80], [\"64KiB\", 20]]")]
pub enum SizeSpec {
    /// All the same.
    Fixed(Size),
    /// Sizes with weights.
    Weighted(Vec<(Size, f64)>),
}

/// Where requests go. `footprint` is the stretch of addresses used, beginning at `offset`; addresses are multiples of
/// `align` from there (default: the smallest size of the operation's requests).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum AddressSpec {
    /// Every place is as likely as any other.
    Uniform {
        /// Bytes used.
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
        /// With `once`, in `[address]`: whether the operations without a pattern of their own take places from one order,
        /// instead of one each.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shared: bool,
    },
    /// The place of rank k is drawn with a probability in proportion to k to the power of -theta.
    Zipf {
        /// Bytes used.
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
        /// Bytes used.
        footprint: Size,
        /// First byte used.
        #[serde(default = "zero", skip_serializing_if = "is_nothing")]
        offset: Size,
        /// Addresses are multiples of this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        align: Option<Size>,
        /// The zones in order of address.
        zones: Vec<ZoneSpec>,
    },
    /// Sequential streams, each in its own equal part of the footprint; every request continues one of them, drawn
    /// evenly, and a stream that reaches the end of its part goes on at its beginning.
    Streams {
        /// Bytes used.
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
        /// Bytes used.
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
    /// The pattern.
    pub address: AddressSpec,
}

/// When requests arrive. `interval` is the mean gap between them over the whole trace, unless said otherwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ArrivalSpec {
    /// All at time 0: for replay by queue depth.
    #[default]
    ClosedLoop,
    /// At equal gaps.
    Constant {
        /// The gap.
        interval: Time,
    },
    /// With independent exponential gaps.
    Poisson {
        /// The mean gap.
        interval: Time,
    },
    /// Bursts and pauses of exponential length; within a burst, exponential gaps (an interrupted Poisson process).
    OnOff {
        /// The mean gap within a burst.
        interval: Time,
        /// Mean length of a burst.
        on: Time,
        /// Mean length of a pause.
        off: Time,
    },
    /// With independent log-normal gaps.
    LogNormal {
        /// The mean gap.
        interval: Time,
        /// Standard deviation of the gap's natural logarithm: 0 is a constant rate; the larger, the burstier.
        sigma: f64,
    },
    /// Windows of equal length, each with a rate of its own; within a window, requests arrive at random.
    Windows {
        /// The mean gap over the whole trace.
        interval: Time,
        /// Length of a window.
        window: Time,
        /// The rates and how often each occurs.
        levels: Vec<LevelSpec>,
    },
}

/// A rate of [`ArrivalSpec::Windows`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelSpec {
    /// Rate as a multiple of the mean (all are scaled so that the mean is met).
    pub rate: f64,
    /// Weight of windows with this rate, of any scale.
    pub weight: f64,
}

/// What a synthetic stand-in stands in for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandIn {
    /// The trace stood in for.
    pub of: String,
    /// Where the figures it was fitted to come from.
    pub source: String,
    /// When it was fitted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// Under which terms figures and stand-in can be used.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub terms: String,
    /// What of the stand-in is not fitted to a figure, and what was taken instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<String>,
    /// The figures it was fitted to, by their path in the trace's characteristics.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, f64>,
}

impl GeneratorSpec {
    /// What a result says of where its requests come from.
    pub fn provenance(&self) -> String {
        match &self.stand_in {
            None => "generated".to_owned(),
            Some(StandIn { of, source, .. }) => {
                format!(
                    "synthetic stand-in, not a recording: generated requests in place of {of}, fitted to {source}"
                )
            }
        }
    }

    /// The class of `op`'s requests; `None` for flushes and for operations not described.
    pub(super) fn class(&self, op: Op) -> Option<&Class> {
        match op {
            Op::Read => self.read.as_ref(),
            Op::Write => self.write.as_ref(),
            Op::Trim => self.trim.as_ref(),
            Op::Flush => None,
        }
    }

    /// Footprint and request size of writes as [`crate::Trace::uniform_writes`] means them.
    pub(crate) fn uniform_writes(&self) -> Option<(u64, u64)> {
        let jumps = self.write.as_ref().is_none_or(|class| class.sequential + class.interleaved == 0.0);
        let (Some(SizeSpec::Fixed(size)), Some(address)) =
            (self.size_of(Op::Write), self.address_of(Op::Write))
        else {
            return None;
        };
        match address {
            AddressSpec::Uniform { footprint, offset: Size(0), align, once: false, .. }
                if jumps && self.operations.trim == 0.0 && align.is_none_or(|align| align == *size) =>
            {
                Some((footprint.0, size.0))
            }
            _ => None,
        }
    }

    /// The address pattern of `op`'s requests.
    pub(super) fn address_of(&self, op: Op) -> Option<&AddressSpec> {
        self.class(op).and_then(|class| class.address.as_ref()).or(self.address.as_ref())
    }

    /// The sizes of `op`'s requests.
    pub(super) fn size_of(&self, op: Op) -> Option<&SizeSpec> {
        self.class(op).and_then(|class| class.size.as_ref()).or(self.size.as_ref())
    }

    /// How many requests of each operation there are, in the order of [`Op`]'s numbers.
    pub(super) fn counts(&self) -> [u64; 4] {
        let OperationShares { write, trim, flush } = self.operations;
        let exact = super::quota::apportion(
            self.requests,
            &[(1.0 - write - trim - flush).max(0.0), write, trim, flush],
        );
        [exact[0], exact[1], exact[2], exact[3]]
    }
}

impl SizeSpec {
    /// Sizes in bytes and their weights.
    pub(super) fn weights(&self) -> Vec<(u64, f64)> {
        match self {
            Self::Fixed(size) => vec![(size.0, 1.0)],
            Self::Weighted(list) => list.iter().map(|(size, weight)| (size.0, *weight)).collect(),
        }
    }
}
