//! The description of a generated trace: these structs are the file format.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Deserializer, IntoDeserializer, Visitor};
use serde::{Deserialize, Serialize};

use super::draw::apportion;
use crate::Op;

mod address;
mod units;

pub use address::{AddressSpec, PartSpec, ZoneSpec};
pub use units::{Size, Time};

/// A generated trace. The same description makes the same requests on every machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorSpec {
    /// Version of this description: 1. A file is recognised by this key.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<OperationShares>,
    /// Sizes of requests, for every operation that has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<SizeSpec>,
    /// Where streams end: a request that begins below the first of these addresses is of stream 0, below the second of
    /// stream 1, and so on; behind the last one of as many as there are. Without any, all are of stream 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stream_ends: Vec<Size>,
    /// When requests arrive; without it, all at time 0, for closed-loop runs.
    #[serde(default)]
    pub arrivals: ArrivalSpec,
    /// What this trace stands in for, if it stands in for a real one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<StandIn>,
    /// Where requests go, for every operation that has no address pattern of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<AddressSpec>,
    /// Sizes and addresses of reads, where they differ from those of the other operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Class>,
    /// Sizes and addresses of writes, where they differ from those of the other operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Class>,
    /// Sizes and addresses of trims, where they differ from those of the other operations.
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
    /// Share of writes among all requests.
    pub write: f64,
    /// Share of trims among all requests.
    pub trim: f64,
    /// Share of flushes among all requests.
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SizeSpec {
    /// All the same.
    Fixed(Size),
    /// Sizes with weights.
    Weighted(Vec<(Size, f64)>),
}

/// Not derived: of a size that is none, the message is the size's own.
impl<'de> Deserialize<'de> for SizeSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrList;
        impl<'de> Visitor<'de> for OneOrList {
            type Value = SizeSpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size such as \"4KiB\", or a list such as [[\"4KiB\", 80], [\"64KiB\", 20]]")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<SizeSpec, E> {
                Size::deserialize(text.into_deserializer()).map(SizeSpec::Fixed)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<SizeSpec, E> {
                Size::deserialize(value.into_deserializer()).map(SizeSpec::Fixed)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<SizeSpec, E> {
                Size::deserialize(value.into_deserializer()).map(SizeSpec::Fixed)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<SizeSpec, E> {
                Size::deserialize(value.into_deserializer()).map(SizeSpec::Fixed)
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> Result<SizeSpec, A::Error> {
                Vec::deserialize(de::value::SeqAccessDeserializer::new(list)).map(SizeSpec::Weighted)
            }
        }
        deserializer.deserialize_any(OneOrList)
    }
}

/// What a synthetic stand-in stands in for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandIn {
    /// The trace stood in for.
    pub of: String,
    /// The publication or the trace that the figures it is to match come from.
    pub source: String,
    /// Day on which it was synthesized, as it is to be shown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// Under which terms figures and stand-in can be used.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub terms: String,
    /// Which of its parameters no figure determines, and what was taken for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<String>,
    /// The figures it is to match, by their path in the trace's characteristics.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, f64>,
}

impl GeneratorSpec {
    /// Where the requests come from, as results report it.
    pub fn provenance(&self) -> String {
        match &self.stand_in {
            None => "generated".to_owned(),
            Some(StandIn { of, source, .. }) => {
                format!(
                    "synthetic stand-in, not a recording: generated requests in place of {of}, made to \
                     match {source}"
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
                if jumps && self.shares().trim == 0.0 && align.is_none_or(|align| align == *size) =>
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

    /// Shares of the operations.
    pub(super) fn shares(&self) -> OperationShares {
        self.operations.unwrap_or_default()
    }

    /// How many requests of each operation there are, in the order of [`Op`]'s numbers.
    pub(super) fn counts(&self) -> [u64; 4] {
        let OperationShares { write, trim, flush } = self.shares();
        let exact = apportion(self.requests, &[(1.0 - write - trim - flush).max(0.0), write, trim, flush]);
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

/// When requests arrive. `interval` is the mean gap between them over the whole trace, unless said otherwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ArrivalSpec {
    /// All at time 0: for replay by queue depth.
    #[default]
    ClosedLoop,
    /// At equal gaps.
    Constant {
        /// The gap between one arrival and the next.
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
