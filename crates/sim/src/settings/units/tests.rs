use super::*;
use rstest::rstest;

#[rstest]
#[case("75us", Some(75_000))]
#[case("3.8ms", Some(3_800_000))]
#[case("0.5 ns", None)] // not a whole nanosecond
#[case("20ns", Some(20))]
#[case("12", None)]
#[case("us", None)]
#[case("1.2.3us", None)]
#[case("-5us", None)]
#[case("99999999999999s", None)]
fn times(#[case] text: &str, #[case] expected: Option<u64>) {
    assert_eq!(Time::parse(text).map(|t| t.0.0), expected);
}

#[rstest]
#[case("16KiB", 16_384)]
#[case("4 KiB", 4_096)]
#[case("1.5MiB", 1_572_864)]
#[case("64GB", 64_000_000_000)]
fn sizes(#[case] text: &str, #[case] expected: u64) {
    assert_eq!(Size::parse(text), Some(Size(expected)));
}

#[rstest]
#[case("25 blocks", BlockCount::Blocks(25))]
#[case("1 block", BlockCount::Blocks(1))]
#[case("5%", BlockCount::Share(Ratio { ppm: 50_000 }))]
fn block_counts(#[case] text: &str, #[case] expected: BlockCount) {
    assert_eq!(BlockCount::parse(text), Some(expected));
    assert_eq!(BlockCount::parse(&expected.to_string()), Some(expected));
}

#[rstest]
#[case("25%", Rotation::Share(Ratio { ppm: 250_000 }))]
#[case("1 request", Rotation::Requests(1))]
#[case("1000 requests", Rotation::Requests(1000))]
fn rotations(#[case] text: &str, #[case] expected: Rotation) {
    assert_eq!(Rotation::parse(text), Some(expected));
    assert_eq!(Rotation::parse(&expected.to_string()), Some(expected));
    assert_eq!(Rotation::parse("100%"), None);
}

#[rstest]
#[case("16MiB", Some(4096))]
#[case("5KiB", Some(1))]
#[case("4095B", Some(0))]
#[case("unlimited", None)]
fn buffer_sizes_in_pages(#[case] text: &str, #[case] expected: Option<u32>) {
    let size = BufferSize::parse(text).unwrap();
    assert_eq!(size.pages(4096), expected);
    assert_eq!(BufferSize::parse(&size.to_string()), Some(size));
    assert_eq!(BufferSize::parse("without bound"), None);
}

#[test]
fn every_text_form_reads_back() {
    for ns in [0, 1, 999, 1_000, 75_000, 3_800_000, 1_000_000_000] {
        let time = Time(Nanos(ns));
        assert_eq!(Time::parse(&time.to_string()), Some(time), "{time}");
    }
    for rate in [333_000_000, 1_000_000_000, 1_200_000_000, 333_333_333] {
        let rate = TransferRate(rate);
        assert_eq!(TransferRate::parse(&rate.to_string()), Some(rate), "{rate}");
    }
    for ppm in [0, 1, 50_000, 125_000, 1_000_000] {
        let ratio = Ratio { ppm };
        assert_eq!(Ratio::parse(&ratio.to_string()), Some(ratio), "{ratio}");
    }
}

#[test]
fn a_bare_number_is_refused_with_a_hint() {
    #[derive(Debug, Deserialize)]
    struct Probe {
        #[allow(dead_code)]
        t: Time,
    }
    let error = toml::from_str::<Probe>("t = 75").unwrap_err().to_string();
    assert!(error.contains("the bare number 75 has no unit"), "{error}");
    assert!(error.contains("\"75us\""), "{error}");
}

/// What reading a value of a type says of one that it does not take.
fn said<T: serde::de::DeserializeOwned + fmt::Debug>(value: &str) -> String {
    let table: toml::Table = format!("v = {value}").parse().unwrap();
    T::deserialize(table["v"].clone()).expect_err(value).to_string().trim().to_owned()
}

/// Wrong spellings, and what the message has in it: every unit that there is, and what was probably meant.
fn wrong<T: serde::de::DeserializeOwned + fmt::Debug>(cases: &[(&str, &str)]) {
    for (given, expected) in cases {
        let message = said::<T>(given);
        assert!(message.contains(expected), "{given}:\n  {message}\ninstead of\n  {expected}");
    }
}

const TIMES: &str = "valid: ns, us, µs, ms, s, min, h; did you mean";

#[test]
fn wrong_times_name_the_units() {
    wrong::<Time>(&[
        ("25", &format!("the bare number 25 has no unit; {TIMES} \"25us\"?")),
        ("2.5", &format!("the bare number 2.5 has no unit; {TIMES} \"2.5us\"?")),
        ("\"25\"", &format!("\"25\" has no unit; {TIMES} \"25us\"?")),
        ("\"25ps\"", &format!("\"25ps\" has the unknown unit \"ps\"; {TIMES} \"25us\"?")),
        ("\"25US\"", &format!("the unknown unit \"US\"; {TIMES} \"25us\"?")),
        ("\"3 Min\"", &format!("the unknown unit \"Min\"; {TIMES} \"3min\"?")),
        ("\"1h30\"", "\"1h30\" is not understood; expected a time with its unit"),
        ("\"0.5ns\"", "\"0.5ns\" has too many decimals: the smallest step is 1ns"),
        (
            "\"99999999999999h\"",
            "is too large; expected a time with its unit, such as \"75us\", \"3.8ms\" or \"20ns\"",
        ),
        ("\"1.2.3us\"", "\"1.2.3us\" is not understood; expected "),
        (
            "\"-5us\"",
            "\"-5us\" is below zero; expected a time with its unit, such as \"75us\", \"3.8ms\" or \"20ns\"",
        ),
        ("-5", "the bare number -5 is below zero; expected "),
        ("nan", "nan is no number; expected a time with its unit, such as \"75us\", \"3.8ms\" or \"20ns\""),
        ("\"fast\"", "\"fast\" is not understood; expected "),
        ("\"\"", "\"\" is empty; expected a time with its unit, such as \"75us\", \"3.8ms\" or \"20ns\""),
    ]);
}

#[test]
fn wrong_times_of_levels_are_those_of_times() {
    wrong::<crate::settings::LevelTimes>(&[
        ("25", &format!("the bare number 25 has no unit; {TIMES} \"25us\"?")),
        ("\"25ps\"", &format!("\"25ps\" has the unknown unit \"ps\"; {TIMES} \"25us\"?")),
        ("[\"25us\", 50]", &format!("the bare number 50 has no unit; {TIMES} \"50us\"?")),
        ("true", "expected one time such as \"75us\", or a list with one time per page level"),
    ]);
    let list: crate::settings::LevelTimes =
        toml::Value::try_from(["20us", "30us"]).unwrap().try_into().unwrap();
    assert_eq!(list, crate::settings::LevelTimes::PerLevel(vec![Time(Nanos(20_000)), Time(Nanos(30_000))]));
}

#[test]
fn wrong_sizes_and_rates_name_the_units() {
    let sizes = "valid: B, KiB, MiB, GiB, TiB, kB, KB, MB, GB, TB; did you mean";
    wrong::<Size>(&[
        ("16", &format!("the bare number 16 has no unit; {sizes} \"16KiB\"?")),
        ("4096", &format!("{sizes} \"4096B\"?")),
        ("\"16k\"", &format!("the unknown unit \"k\"; {sizes} \"16KiB\"?")),
        ("\"16kib\"", &format!("the unknown unit \"kib\"; {sizes} \"16KiB\"?")),
        ("\"2G\"", &format!("the unknown unit \"G\"; {sizes} \"2GiB\"?")),
        ("\"4QiB\"", &format!("the unknown unit \"QiB\"; {sizes} \"4KiB\"?")),
        ("\"1PiB\"", "the unknown unit \"PiB\"; valid: B, KiB, MiB, GiB, TiB, kB, KB, MB, GB, TB"),
        ("\"0.3B\"", "\"0.3B\" has too many decimals: the smallest step is 1B"),
    ]);
    wrong::<BufferSize>(&[
        ("16", "valid: B, KiB, MiB, GiB, TiB, kB, KB, MB, GB, TB, \"unlimited\"; did you mean \"16MiB\"?"),
        ("\"unlimted\"", "expected a size such as \"16MiB\", or \"unlimited\"; did you mean \"unlimited\"?"),
    ]);
    wrong::<TransferRate>(&[
        ("333", "the bare number 333 has no unit; valid: MT/s, GT/s; did you mean \"333 MT/s\"?"),
        ("\"333 mt/s\"", "the unknown unit \"mt/s\"; valid: MT/s, GT/s; did you mean \"333 MT/s\"?"),
        ("\"1.2 Gbps\"", "the unknown unit \"Gbps\"; valid: MT/s, GT/s; did you mean \"1.2 MT/s\"?"),
        (
            "\"0 MT/s\"",
            "is out of range; expected a transfer rate with its unit, such as \"333 MT/s\" or \"1.2 GT/s\"",
        ),
    ]);
}

#[test]
fn wrong_shares_and_counts_name_the_units() {
    wrong::<Ratio>(&[
        ("7", "the bare number 7 has no unit; valid: %; did you mean \"7%\"?"),
        ("0.07", "the bare number 0.07 has no unit; valid: %; did you mean \"7%\"?"),
        ("\"7 percent\"", "the unknown unit \"percent\"; valid: %; did you mean \"7%\"?"),
        ("\"0.00001%\"", "\"0.00001%\" has too many decimals: the smallest step is 0.0001%"),
        ("\"10001%\"", "\"10001%\" is out of range; expected a percentage such as \"7%\" or \"12.5%\""),
    ]);
    wrong::<BlockCount>(&[
        ("5", "the bare number 5 has no unit; valid: blocks, block, %; did you mean \"5 blocks\"?"),
        ("\"5 Block\"", "the unknown unit \"Block\"; valid: blocks, block, %; did you mean \"5 block\"?"),
        ("\"2.5 blocks\"", "\"2.5 blocks\" has too many decimals: the smallest step is 1 block"),
        ("\"101%\"", "\"101%\" is out of range; expected "),
    ]);
    wrong::<Rotation>(&[
        ("7", "the bare number 7 has no unit; valid: requests, request, %; did you mean \"7 requests\"?"),
        ("\"100%\"", "\"100%\" is out of range; expected "),
    ]);
    wrong::<MeasureAfter>(&[
        ("25", "25 has no unit; valid: %, \"start\", \"first-round\"; did you mean \"25%\"?"),
        ("\"first-roud\"", "such as \"25%\"; did you mean \"first-round\"?"),
        ("\"100%\"", "\"100%\" is out of range; expected "),
    ]);
}
