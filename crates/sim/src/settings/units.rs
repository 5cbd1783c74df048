//! Values that carry their unit in the text: `"75us"`, `"16KiB"`, `"333 MT/s"`, `"5%"`.

use std::fmt;

use reclaim_trace::quantity::{Notation, Units, parse as with_unit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::time::Nanos;

const TIME_UNITS: Units = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

const SIZE_UNITS: Units = &[
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

const RATE_UNITS: Units = &[("MT/s", 1_000_000), ("GT/s", 1_000_000_000)];

const PERCENT: Units = &[("%", 10_000)];

fn largest_unit(value: u64, units: &[(&'static str, u128)]) -> String {
    let value = u128::from(value);
    let (name, factor) = units
        .iter()
        .rev()
        .find(|(_, factor)| value != 0 && value.is_multiple_of(*factor))
        .unwrap_or(&units[0]);
    format!("{}{name}", value / factor)
}

struct TextVisitor<T> {
    notation: &'static Notation,
    parse: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.notation.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.parse)(text).ok_or_else(|| E::custom(self.notation.amiss(text)))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        Err(E::custom(self.notation.bare(value)))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        Err(E::custom(self.notation.bare(value)))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
        Err(E::custom(self.notation.bare(value)))
    }
}

/// Text form of a unit-carrying type: how it reads, prints and describes itself.
macro_rules! textual {
    (
        $type:ident,
        $expected:literal,
        $units:expr,
        $usual:literal,
        $finest:literal,
        $words:expr,
        $parse:expr,
        $print:expr
    ) => {
        impl $type {
            /// How it is written.
            pub const NOTATION: Notation = Notation {
                expected: $expected,
                units: $units,
                usual: $usual,
                finest: $finest,
                words: $words,
            };

            /// Reads the text form; `None` when it is not understood.
            pub fn parse(text: &str) -> Option<Self> {
                ($parse)(text)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&($print)(self))
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(TextVisitor { notation: &Self::NOTATION, parse: Self::parse })
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "description": $expected })
            }
        }
    };
}

/// A length of time in configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time(pub Nanos);

textual!(
    Time,
    "a time with its unit, such as \"75us\", \"3.8ms\" or \"20ns\"",
    TIME_UNITS,
    "us",
    "1ns",
    &[],
    |text| with_unit(text, TIME_UNITS).map(|ns| Time(Nanos(ns))),
    |time: &Time| if time.0.0.is_multiple_of(1000) {
        // "us" in ASCII: the µ of the table would print two ways.
        largest_unit(time.0.0, &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)])
    } else {
        format!("{}ns", time.0.0)
    }
);

/// A number of bytes in configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

textual!(
    Size,
    "a size with its unit, such as \"4KiB\", \"512B\" or \"60GiB\"",
    SIZE_UNITS,
    "KiB",
    "1B",
    &[],
    |text| with_unit(text, SIZE_UNITS).map(Size),
    |size: &Size| largest_unit(size.0, &SIZE_UNITS[..5])
);

/// A transfer rate of a channel or of a lane of the host link, in transfers per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferRate(pub u64);

textual!(
    TransferRate,
    "a transfer rate with its unit, such as \"333 MT/s\" or \"1.2 GT/s\"",
    RATE_UNITS,
    " MT/s",
    "0.000001 MT/s",
    &[],
    |text| with_unit(text, RATE_UNITS).filter(|rate| *rate > 0).map(TransferRate),
    |rate: &TransferRate| {
        let mega = rate.0 / 1_000_000;
        let rest = rate.0 % 1_000_000;
        if rest == 0 {
            format!("{mega} MT/s")
        } else {
            format!("{mega}.{rest:06} MT/s").replace("000 MT/s", " MT/s")
        }
    }
);

/// A share of something, kept as parts per million so that it compares exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    /// Parts per million.
    pub ppm: u32,
}

impl Ratio {
    /// All of something.
    pub(crate) const WHOLE: Self = Self { ppm: 1_000_000 };

    /// The share as a number, 0.05 for 5 %.
    pub fn value(self) -> f64 {
        f64::from(self.ppm) / 1e6
    }

    /// That share of `total`, rounded down.
    pub fn of(self, total: u64) -> u64 {
        (u128::from(total) * u128::from(self.ppm) / 1_000_000) as u64
    }
}

fn percent(ppm: u32) -> String {
    let text = format!("{}.{:04}", ppm / 10_000, ppm % 10_000);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

textual!(
    Ratio,
    "a percentage such as \"7%\" or \"12.5%\"",
    PERCENT,
    "%",
    "0.0001%",
    &[],
    |text: &str| with_unit(text, PERCENT)
        .and_then(|ppm| u32::try_from(ppm).ok())
        .filter(|ppm| *ppm <= 100_000_000)
        .map(|ppm| Ratio { ppm }),
    |ratio: &Ratio| percent(ratio.ppm)
);

/// A number of blocks of a plane, absolute or as a share of the plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockCount {
    /// So many blocks.
    Blocks(u32),
    /// This share of the plane's blocks, rounded down.
    Share(Ratio),
}

impl BlockCount {
    /// The number of blocks in a plane of `blocks_per_plane`.
    pub fn resolve(self, blocks_per_plane: u32) -> u32 {
        match self {
            Self::Blocks(blocks) => blocks,
            Self::Share(ratio) => ratio.of(u64::from(blocks_per_plane)) as u32,
        }
    }
}

textual!(
    BlockCount,
    "a number of blocks of a plane such as \"25 blocks\", \"1 block\" or \"5%\"",
    &[("blocks", 1), ("block", 1), ("%", 10_000)],
    " blocks",
    "1 block",
    &[],
    |text: &str| match with_unit(text, &[("blocks", 1), ("block", 1)]) {
        Some(blocks) => u32::try_from(blocks).ok().map(BlockCount::Blocks),
        None => Ratio::parse(text).filter(|r| r.ppm <= 1_000_000).map(BlockCount::Share),
    },
    |count: &BlockCount| match count {
        BlockCount::Blocks(1) => "1 block".to_owned(),
        BlockCount::Blocks(blocks) => format!("{blocks} blocks"),
        BlockCount::Share(ratio) => percent(ratio.ppm),
    }
);

/// At how many free blocks of a plane collection goes before the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HardLevel {
    /// At so many, or fewer.
    At(BlockCount),
    /// At no number of free blocks.
    Off,
}

textual!(
    HardLevel,
    "a number of blocks of a plane such as \"1 block\", \"0 blocks\" or \"0.5%\", or \"off\"",
    &[("blocks", 1), ("block", 1), ("%", 10_000)],
    " blocks",
    "1 block",
    &["off"],
    |text: &str| match text.trim() {
        "off" => Some(HardLevel::Off),
        count => BlockCount::parse(count).map(HardLevel::At),
    },
    |level: &HardLevel| match level {
        HardLevel::At(count) => count.to_string(),
        HardLevel::Off => "off".to_owned(),
    }
);

/// With which of its requests a trace begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// With the one that so many others precede.
    Requests(u64),
    /// With the one that this share of all requests, rounded down, precedes.
    Share(Ratio),
}

textual!(
    Rotation,
    "a share of the requests below 100% such as \"25%\", or a number such as \"1000 requests\"",
    &[("requests", 1), ("request", 1), ("%", 10_000)],
    " requests",
    "1 request",
    &[],
    |text: &str| match with_unit(text, &[("requests", 1), ("request", 1)]) {
        Some(requests) => Some(Rotation::Requests(requests)),
        None => Ratio::parse(text).filter(|share| share.ppm < 1_000_000).map(Rotation::Share),
    },
    |rotation: &Rotation| match rotation {
        Rotation::Requests(1) => "1 request".to_owned(),
        Rotation::Requests(requests) => format!("{requests} requests"),
        Rotation::Share(share) => percent(share.ppm),
    }
);

/// Room in the controller for pages of host writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferSize {
    /// Whatever arrives finds room.
    Unlimited,
    /// So many bytes.
    Limited(Size),
}

impl BufferSize {
    /// Whole pages it has room for; `None` is without bound.
    pub fn pages(self, page_bytes: u32) -> Option<u32> {
        match self {
            Self::Unlimited => None,
            Self::Limited(size) => Some(u32::try_from(size.0 / u64::from(page_bytes)).unwrap_or(u32::MAX)),
        }
    }
}

textual!(
    BufferSize,
    "a size such as \"16MiB\", or \"unlimited\"",
    SIZE_UNITS,
    "MiB",
    "1B",
    &["unlimited"],
    |text: &str| match text.trim() {
        "unlimited" => Some(BufferSize::Unlimited),
        size => Size::parse(size).map(BufferSize::Limited),
    },
    |size: &BufferSize| match size {
        BufferSize::Unlimited => "unlimited".to_owned(),
        BufferSize::Limited(size) => size.to_string(),
    }
);

/// What must have happened before a run is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MeasureAfter {
    /// Nothing: all of the trace counts.
    #[default]
    Start,
    /// Every plane has ended a round of collection.
    FirstRound,
    /// This share of the trace's requests has arrived.
    Share(Ratio),
}

textual!(
    MeasureAfter,
    "\"start\", \"first-round\", or a share of the requests below 100% such as \"25%\"",
    PERCENT,
    "%",
    "0.0001%",
    &["start", "first-round"],
    |text: &str| match text.trim() {
        "start" => Some(MeasureAfter::Start),
        "first-round" => Some(MeasureAfter::FirstRound),
        share => Ratio::parse(share).filter(|share| share.ppm < 1_000_000).map(MeasureAfter::Share),
    },
    |after: &MeasureAfter| match after {
        MeasureAfter::Start => "start".to_owned(),
        MeasureAfter::FirstRound => "first-round".to_owned(),
        MeasureAfter::Share(share) => percent(share.ppm),
    }
);

/// How many pages collection relocates for each page that the host writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GcPace {
    /// As many as it can.
    Off,
    /// As many as win the host a page: the valid pages of the victim over its invalid ones.
    ByVictim,
    /// This share of a page.
    Share(Ratio),
}

impl GcPace {
    /// Whether nothing holds jobs back.
    pub fn is_off(&self) -> bool {
        *self == Self::Off
    }
}

textual!(
    GcPace,
    "pages for each page that the host writes as a percentage such as \"150%\", or \"by-victim\", or \"off\"",
    PERCENT,
    "%",
    "0.0001%",
    &["off", "by-victim"],
    |text: &str| match text.trim() {
        "off" => Some(GcPace::Off),
        "by-victim" => Some(GcPace::ByVictim),
        share => Ratio::parse(share).map(GcPace::Share),
    },
    |pace: &GcPace| match pace {
        GcPace::Off => "off".to_owned(),
        GcPace::ByVictim => "by-victim".to_owned(),
        GcPace::Share(share) => percent(share.ppm),
    }
);

#[cfg(test)]
mod tests;
