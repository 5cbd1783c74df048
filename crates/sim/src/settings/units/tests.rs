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
