//! Formats whose times other programs write in other units: these are doubted, and can be said.

use crate::common::{file, read};
use reclaim_trace::OpenOptions;
use rstest::rstest;

/// A log of version 2, with waits of 250 between its requests.
const FIO_2: &str =
    "fio version 2 iolog\nf add\nf open\nf wait 150 0\nf write 0 4096\nf wait 250\nf read 0 4096\nf close\n";

/// The gap between the first two requests of a text, read with this unit.
fn gap_ns(text: &str, time_unit: Option<&str>) -> Result<u64, String> {
    let (_folder, path) = file("t", text.as_bytes());
    let time_unit = time_unit.map(|name| name.parse().unwrap());
    let found = read(&path, &OpenOptions { time_unit, ..OpenOptions::default() });
    found.map(|records| records[1].time_ns).map_err(|error| error.to_string())
}

/// fio's documentation says that waits are microseconds, and fio takes them for milliseconds.
#[test]
fn the_unit_of_waits_must_be_said() {
    let told = gap_ns(FIO_2, None).unwrap_err();
    assert!(told.ends_with("say which with --time-unit us or --time-unit ms"), "{told}");
    assert_eq!(gap_ns(FIO_2, Some("us")), Ok(250_000));
    assert_eq!(gap_ns(FIO_2, Some("ms")), Ok(250_000_000));
    // Without waits there is nothing to doubt.
    assert_eq!(gap_ns("fio version 2 iolog\nf add\nf write 0 512\nf read 0 512\n", None), Ok(0));
}

/// Requests a time apart in an iolog of fio.
fn iolog(second_line: &str, gap: u64) -> String {
    let lines = (0..8).map(|k| format!("{} /dev/sda write {} 4096\n", 1000 + k * gap, k * 4096));
    format!("fio version 3 iolog\n{second_line}\n{}", lines.collect::<String>())
}

#[test]
fn an_iolog_in_ns_is_not_taken_for_one_in_us() {
    let opened = "5 /dev/sda add";
    for (gap, unit) in [(10_000, None), (12_345, Some("us")), (12_345_678, Some("us"))] {
        assert_eq!(gap_ns(&iolog(opened, gap), unit), Ok(gap * 1000));
    }
    for gap in [10_001, 80_000, 12_345_678] {
        let told = gap_ns(&iolog(opened, gap), None).unwrap_err();
        assert!(
            told.ends_with(&format!(
                "{gap}.0 us apart on average: they are probably in ns; say which with \
            --time-unit ns or --time-unit us"
            )),
            "{told}"
        );
        assert_eq!(gap_ns(&iolog(opened, gap), Some("ns")), Ok(gap));
        // What Reclaim writes is in us, however slow.
        assert_eq!(gap_ns(&iolog("0 trace add", gap), None), Ok(gap * 1000));
    }
}

/// A line of each format with a clock, the same moment of 2019 in another unit than the format's, and that unit.
#[rstest]
#[case::alibaba(|t: &str| format!("419,W,0,4096,{t}\n"), "1577808144360", "1577808144361", "ms", "us")]
#[case::alibaba_s(|t: &str| format!("419,W,0,4096,{t}\n"), "1577808144", "1577808145", "s", "us")]
#[case::systor(|t: &str| format!("{t},0.1,W,4,0,4096\n"), "1577808144360", "1577808144361", "ms", "s")]
#[case::spc(|t: &str| format!("0,0,4096,W,{t}\n"), "1577808144360767", "1577808144360768", "us", "s")]
#[case::msr(
    |t: &str| format!("{t},hm,0,Write,0,4096,1\n"),
    "1577808144360767", "1577808144360768", "us", "100ns"
)]
#[case::msr_ns(
    |t: &str| format!("{t},hm,0,Write,0,4096,1\n"),
    "1577808144360767000", "1577808144360768000", "ns", "100ns"
)]
fn a_clock_in_another_unit_is_not_guessed_at(
    #[case] line: fn(&str) -> String,
    #[case] first: &str,
    #[case] second: &str,
    #[case] unit: &str,
    #[case] usual: &str,
) {
    let text = line(first) + &line(second);
    let told = gap_ns(&text, None).unwrap_err();
    assert!(
        told.ends_with(&format!(
            "has times in {usual} by its format, but {first} is a time of this century only in {unit}; say \
             which with --time-unit {unit} or --time-unit {usual}"
        )),
        "{told}"
    );
    let difference = second.parse::<u64>().unwrap() - first.parse::<u64>().unwrap();
    let unit_ns = match unit {
        "s" => 1_000_000_000,
        "ms" => 1_000_000,
        "us" => 1000,
        _ => 1,
    };
    assert_eq!(gap_ns(&text, Some(unit)), Ok(difference * unit_ns));
}

#[test]
fn times_too_far_apart_or_too_close_are_not_guessed_at() {
    let lines = |line: &dyn Fn(u64) -> String| (0..8).map(line).collect::<String>();
    let spc = |gap: u64| lines(&|k| format!("0,0,512,W,{}\n", k * gap));
    assert_eq!(gap_ns(&spc(100), None), Ok(100_000_000_000));
    assert!(gap_ns(&spc(101), None).unwrap_err().contains("probably in us"));
    assert_eq!(gap_ns(&spc(101), Some("us")), Ok(101_000));
    let mqsim = |gap: u64| lines(&|k| format!("{} 0 8 8 0\n", k * gap));
    assert_eq!(gap_ns(&mqsim(100), None), Ok(100));
    assert_eq!(gap_ns(&mqsim(0), None), Ok(0));
    assert!(gap_ns(&mqsim(99), None).unwrap_err().contains("probably in us"));
    assert_eq!(gap_ns(&mqsim(99), Some("us")), Ok(99_000));
}
