//! Values that carry their unit in the text: `"4KiB"`, `"75us"`. A bare number is refused.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// Units of size, the ones printed first.
const SIZES: &[(&str, u128)] = &[
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
const TIMES: &[(&str, u128)] = &[
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
    ("µs", 1_000),
    ("min", 60_000_000_000),
];

/// The whole number of units that `text` says, if it says one that fits.
fn parse(text: &str, units: &[(&str, u128)]) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))?;
    let number = text[..end].replace('_', "");
    let (_, factor) = units.iter().find(|(name, _)| *name == text[end..].trim())?;
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if fraction.len() > 12 || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let scaled = format!("{whole}{fraction}").parse::<u128>().ok()?.checked_mul(*factor)?;
    let divisor = 10_u128.pow(fraction.len() as u32);
    scaled.is_multiple_of(divisor).then_some(scaled / divisor)?.try_into().ok()
}

/// `value` in the largest of the first `count` units in which it is whole.
fn print(value: u64, units: &[(&str, u128)], count: usize, smallest: &str) -> String {
    let value = u128::from(value);
    let found = units[..count].iter().find(|(_, factor)| value != 0 && value.is_multiple_of(*factor));
    found.map_or_else(|| format!("{value}{smallest}"), |(name, factor)| format!("{}{name}", value / factor))
}

macro_rules! textual {
    ($type:ident, $doc:literal, $expected:literal, $units:ident, $printed:literal, $smallest:literal) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $type(pub u64);

        impl $type {
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
                        $type::parse(text).ok_or_else(|| {
                            E::custom(format!(
                                concat!("\"{}\" is not understood; expected ", $expected),
                                text
                            ))
                        })
                    }
                }
                deserializer.deserialize_str(Text)
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
    "B"
);
textual!(
    Time,
    "A length of time in nanoseconds.",
    "a time with its unit in quotes, such as \"75us\", \"3.8ms\" or \"20ns\"",
    TIMES,
    4,
    "ns"
);

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("16KiB", Some(16_384))]
    #[case("4 KiB", Some(4_096))]
    #[case("1.5MiB", Some(1_572_864))]
    #[case("64GB", Some(64_000_000_000))]
    #[case("0.3B", None)]
    #[case("4096", None)]
    #[case("-4KiB", None)]
    #[case("KiB", None)]
    #[case("1.2.3KiB", None)]
    #[case("99999999999TiB", None)]
    fn sizes(#[case] text: &str, #[case] expected: Option<u64>) {
        assert_eq!(Size::parse(text).map(|size| size.0), expected);
    }

    #[test]
    fn every_text_form_reads_back() {
        for value in [0, 1, 512, 4096, 4097, 1 << 30, 75_000, 3_800_000, 1_000_000_000] {
            assert_eq!(Size::parse(&Size(value).to_string()), Some(Size(value)));
            assert_eq!(Time::parse(&Time(value).to_string()), Some(Time(value)));
        }
    }
}
