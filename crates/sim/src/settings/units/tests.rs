use super::*;

#[test]
fn values_with_their_units() {
    for (text, ns) in [("75us", 75_000), ("3.8ms", 3_800_000), ("20ns", 20)] {
        assert_eq!(Time::parse(text).map(|t| t.0.0), Some(ns));
    }
    // Half a nanosecond is none, and so are times without a number, a unit or an end.
    for text in ["0.5 ns", "12", "us", "1.2.3us", "-5us", "99999999999999s"] {
        assert_eq!(Time::parse(text).map(|t| t.0.0), None, "{text}");
    }
    for (text, bytes) in
        [("16KiB", 16_384), ("4 KiB", 4_096), ("1.5MiB", 1_572_864), ("64GB", 64_000_000_000)]
    {
        assert_eq!(Size::parse(text), Some(Size(bytes)));
    }
    let five_percent = BlockCount::Share(Ratio { ppm: 50_000 });
    for (text, count) in
        [("25 blocks", BlockCount::Blocks(25)), ("1 block", BlockCount::Blocks(1)), ("5%", five_percent)]
    {
        assert_eq!(BlockCount::parse(text), Some(count));
        assert_eq!(BlockCount::parse(&count.to_string()), Some(count));
    }
    let quarter = Rotation::Share(Ratio { ppm: 250_000 });
    for (text, rotation) in
        [("25%", quarter), ("1 request", Rotation::Requests(1)), ("1000 requests", Rotation::Requests(1000))]
    {
        assert_eq!(Rotation::parse(text), Some(rotation));
        assert_eq!(Rotation::parse(&rotation.to_string()), Some(rotation));
    }
    assert_eq!(Rotation::parse("100%"), None);
    for (text, pages) in [("16MiB", Some(4096)), ("5KiB", Some(1)), ("4095B", Some(0)), ("unlimited", None)] {
        let size = BufferSize::parse(text).unwrap();
        assert_eq!(size.pages(4096), pages);
        assert_eq!(BufferSize::parse(&size.to_string()), Some(size));
    }
    assert_eq!(BufferSize::parse("without bound"), None);
}

#[test]
fn every_text_form_reads_back() {
    for ns in [0, 1, 999, 1_000, 75_000, 3_800_000, 1_000_000_000] {
        let time = Time(Nanos(ns));
        assert_eq!(Time::parse(&time.to_string()), Some(time), "{time}");
    }
    for rate in [333_000_000, 1_000_000_000, 1_200_000_000, 333_333_333].map(TransferRate) {
        assert_eq!(TransferRate::parse(&rate.to_string()), Some(rate), "{rate}");
    }
    for ratio in [0, 1, 50_000, 125_000, 1_000_000].map(|ppm| Ratio { ppm }) {
        assert_eq!(Ratio::parse(&ratio.to_string()), Some(ratio), "{ratio}");
    }
}

/// Wrong spellings, each with what is wrong and what was probably meant, or "" where nothing is suggested; wherever a
/// unit is wrong or missing, the units that there are.
fn wrong<T: serde::de::DeserializeOwned + fmt::Debug>(units: &str, cases: &[(&str, &str, &str)]) {
    for (given, fault, meant) in cases {
        let table: toml::Table = format!("v = {given}").parse().unwrap();
        let message = T::deserialize(table["v"].clone()).expect_err(given).to_string();
        assert!(message.contains(fault), "{given}: {message}");
        assert!(
            !fault.contains("unit") || message.contains(&format!("valid: {units}")),
            "{given}: {message}"
        );
        let hint = format!("did you mean \"{meant}\"?");
        assert_eq!(message.contains("did you mean"), !meant.is_empty(), "{given}: {message}");
        assert!(meant.is_empty() || message.contains(&hint), "{given}: {message}");
    }
}

const TIMES: &str = "ns, us, µs, ms, s, min, h";
const SIZES: &str = "B, KiB, MiB, GiB, TiB, kB, KB, MB, GB, TB";

#[test]
fn wrong_times_name_the_units() {
    let cases = [
        ("25", "the bare number 25 has no unit", "25us"),
        ("2.5", "the bare number 2.5 has no unit", "2.5us"),
        ("\"25\"", "\"25\" has no unit", "25us"),
        ("\"25ps\"", "the unknown unit \"ps\"", "25us"),
        ("\"25US\"", "the unknown unit \"US\"", "25us"),
        ("\"3 Min\"", "the unknown unit \"Min\"", "3min"),
        ("\"1h30\"", "\"1h30\" is not understood", ""),
        ("\"0.5ns\"", "the smallest step is 1ns", ""),
        ("\"99999999999999h\"", "is too large", ""),
        ("\"1.2.3us\"", "is not understood", ""),
        ("\"-5us\"", "\"-5us\" is below zero", ""),
        ("-5", "-5 is below zero", ""),
        ("nan", "nan is no number", ""),
        ("\"fast\"", "\"fast\" is not understood", ""),
        ("\"\"", "is empty", ""),
    ];
    wrong::<Time>(TIMES, &cases);
    wrong::<crate::settings::LevelTimes>(
        TIMES,
        &[cases[0], cases[3], ("[\"25us\", 50]", "has no unit", "50us")],
    );
    let list: crate::settings::LevelTimes =
        toml::Value::try_from(["20us", "30us"]).unwrap().try_into().unwrap();
    assert_eq!(list, crate::settings::LevelTimes::PerLevel(vec![Time(Nanos(20_000)), Time(Nanos(30_000))]));
}

#[test]
fn wrong_sizes_and_rates_name_the_units() {
    let cases = [
        ("16", "the bare number 16 has no unit", "16KiB"),
        ("4096", "the bare number 4096 has no unit", "4096B"),
        ("\"16k\"", "the unknown unit \"k\"", "16KiB"),
        ("\"16kib\"", "the unknown unit \"kib\"", "16KiB"),
        ("\"2G\"", "the unknown unit \"G\"", "2GiB"),
        ("\"4QiB\"", "the unknown unit \"QiB\"", "4KiB"),
        ("\"0.3B\"", "the smallest step is 1B", ""),
    ];
    wrong::<Size>(SIZES, &cases);
    let cases = [("16", "has no unit", "16MiB"), ("\"unlimted\"", "unlimited", "unlimited")];
    wrong::<BufferSize>(&format!("{SIZES}, \"unlimited\""), &cases);
    let cases = [
        ("333", "the bare number 333 has no unit", "333 MT/s"),
        ("\"333 mt/s\"", "the unknown unit \"mt/s\"", "333 MT/s"),
        ("\"1.2 Gbps\"", "the unknown unit \"Gbps\"", "1.2 MT/s"),
        ("\"0 MT/s\"", "is out of range", ""),
    ];
    wrong::<TransferRate>("MT/s, GT/s", &cases);
}

#[test]
fn wrong_shares_and_counts_name_the_units() {
    let cases = [
        ("7", "the bare number 7 has no unit", "7%"),
        ("0.07", "the bare number 0.07 has no unit", "7%"),
        ("\"7 percent\"", "the unknown unit \"percent\"", "7%"),
        ("\"0.00001%\"", "the smallest step is 0.0001%", ""),
        ("\"10001%\"", "is out of range", ""),
    ];
    wrong::<Ratio>("%", &cases);
    let cases = [
        ("5", "the bare number 5 has no unit", "5 blocks"),
        ("\"5 Block\"", "the unknown unit \"Block\"", "5 block"),
        ("\"2.5 blocks\"", "the smallest step is 1 block", ""),
        ("\"101%\"", "is out of range", ""),
    ];
    wrong::<BlockCount>("blocks, block, %", &cases);
    let cases = [("7", "7 has no unit", "7 requests"), ("\"100%\"", "is out of range", "")];
    wrong::<Rotation>("requests, request, %", &cases);
    let cases = [
        ("25", "25 has no unit", "25%"),
        ("\"first-roud\"", "\"25%\"", "first-round"),
        ("\"100%\"", "is out of range", ""),
    ];
    wrong::<MeasureAfter>("%, \"start\", \"first-round\"", &cases);
}
