//! Values that carry their unit in the text: `"4KiB"`, `"75us"`. A bare number is refused.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::quantity::{Notation, Units, parse};

/// Units of size, the ones printed first.
const SIZES: Units = &[
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("kB", 1_000),
];
/// Units of time, the ones printed first.
const TIMES: Units = &[
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
    ("µs", 1_000),
    ("min", 60_000_000_000),
];

/// `value` in the largest of the first `count` units in which it is whole.
fn print(value: u64, units: Units, count: usize, smallest: &str) -> String {
    let value = u128::from(value);
    let found = units[..count].iter().find(|(_, factor)| value != 0 && value.is_multiple_of(*factor));
    found.map_or_else(|| format!("{value}{smallest}"), |(name, factor)| format!("{}{name}", value / factor))
}

macro_rules! textual {
    (
        $type:ident,
        $doc:literal,
        $expected:literal,
        $units:ident,
        $printed:literal,
        $smallest:literal,
        $usual:literal
    ) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $type(pub u64);

        impl $type {
            const NOTATION: Notation = Notation {
                expected: $expected,
                units: $units,
                usual: $usual,
                finest: concat!("1", $smallest),
                words: &[],
            };

            /// Read the text form; `None` when it is not understood.
            pub fn parse(text: &str) -> Option<Self> {
                parse(text, $units).map(Self)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&print(self.0, $units, $printed, $smallest))
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl Visitor<'_> for Text {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expected)
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$type, E> {
                        $type::parse(text).ok_or_else(|| E::custom($type::NOTATION.amiss(text)))
                    }
                    fn visit_i64<E: de::Error>(self, value: i64) -> Result<$type, E> {
                        Err(E::custom($type::NOTATION.bare(value)))
                    }
                    fn visit_u64<E: de::Error>(self, value: u64) -> Result<$type, E> {
                        Err(E::custom($type::NOTATION.bare(value)))
                    }
                    fn visit_f64<E: de::Error>(self, value: f64) -> Result<$type, E> {
                        Err(E::custom($type::NOTATION.bare(value)))
                    }
                }
                deserializer.deserialize_any(Text)
            }
        }
    };
}

textual!(
    Size,
    "A number of bytes.",
    "a size with its unit in quotes, such as \"4KiB\", \"512B\" or \"60GiB\"",
    SIZES,
    5,
    "B",
    "KiB"
);
textual!(
    Time,
    "A length of time in nanoseconds.",
    "a time with its unit in quotes, such as \"75us\", \"3.8ms\" or \"20ns\"",
    TIMES,
    4,
    "ns",
    "us"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times() {
        let sizes = [("16KiB", 16_384), ("4 KiB", 4_096), ("1.5MiB", 1_572_864), ("64GB", 64_000_000_000)];
        for (text, bytes) in sizes {
            assert_eq!(Size::parse(text), Some(Size(bytes)), "{text}");
        }
        for text in ["0.3B", "4096", "-4KiB", "KiB", "1.2.3KiB", "99999999999TiB"] {
            assert_eq!(Size::parse(text), None, "{text}");
        }
        for value in [0, 1, 512, 4096, 4097, 1 << 30, 75_000, 3_800_000, 1_000_000_000] {
            assert_eq!(Size::parse(&Size(value).to_string()), Some(Size(value)));
            assert_eq!(Time::parse(&Time(value).to_string()), Some(Time(value)));
        }
    }
}
