//! The ASCII traces of MQSim, SSDsim and DiskSim: units, devices, and the errors about bad lines.

use crate::common::{file, message, read, record, records};
use reclaim_trace::{Op, OpenOptions, TimeUnit, Trace};
use rstest::rstest;

const MQSIM: &str = "938513000 4 264719034 16 0\n938828000 4 8 24 1\n";
const DISKSIM: &str = "5265.313 0 6357144 8 0\n5265.703 0 1 64 1\n";

fn opened_with(content: &str, options: &OpenOptions) -> Result<Vec<reclaim_trace::Record>, String> {
    let (folder, path) = file("t", content.as_bytes());
    read(&path, options)
        .map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
}

fn of_device(name: &str) -> OpenOptions {
    OpenOptions { device: Some(name.to_owned()), ..OpenOptions::default() }
}

#[test]
fn nanoseconds_and_sectors() {
    let expected =
        vec![record(0, Op::Write, 264719034 * 512, 16 * 512), record(315_000, Op::Read, 4096, 24 * 512)];
    for content in [MQSIM.to_owned(), MQSIM.replace(' ', "\t"), MQSIM.replace('\n', "  \r\n")] {
        assert_eq!(records(content.as_bytes()), Ok(expected.clone()));
    }
}

#[test]
fn a_decimal_point_means_disksim_and_milliseconds() {
    let expected = Ok(vec![record(0, Op::Write, 6357144 * 512, 4096), record(390_000, Op::Read, 512, 32768)]);
    assert_eq!(records(DISKSIM.as_bytes()), expected);
    let (_folder, path) = file("t", DISKSIM.as_bytes());
    assert_eq!(Trace::open(&path, &OpenOptions::default()).unwrap().format(), "disksim");
    let (_folder, path) = file("t", MQSIM.as_bytes());
    assert_eq!(Trace::open(&path, &OpenOptions::default()).unwrap().format(), "mqsim");
}

#[rstest]
#[case("ns", 315_000)]
#[case("us", 315_000_000)]
#[case("ms", 315_000_000_000)]
fn another_unit_of_time_can_be_stated(#[case] unit: &str, #[case] second_ns: u64) {
    let options = OpenOptions { time_unit: Some(unit.parse().unwrap()), ..OpenOptions::default() };
    assert_eq!(opened_with(MQSIM, &options).unwrap()[1].time_ns, second_ns);
    assert_eq!(
        "minutes".parse::<TimeUnit>().unwrap_err().to_string(),
        "unknown unit of time \"minutes\"; valid: ns, 100ns, us, ms, s"
    );
}

#[test]
fn a_unit_is_refused_where_the_format_has_only_one() {
    let options = OpenOptions { time_unit: Some(TimeUnit::Seconds), ..OpenOptions::default() };
    let message = opened_with("time_us,op,offset_bytes,size_bytes\n0,R,0,1\n", &options).unwrap_err();
    assert_eq!(
        message,
        "t: --time-unit has no meaning for the format csv; it is for msr, mqsim, disksim, fio, \
         systor, spc, alibaba, tencent"
    );
}

#[test]
fn ssdsim_is_another_name_for_the_same_format() {
    let options = OpenOptions { format: Some("ssdsim".to_owned()), ..OpenOptions::default() };
    assert_eq!(opened_with(MQSIM, &options), records(MQSIM.as_bytes()).map_err(|error| error.to_string()));
}

const TWO_DEVICES: &str = "1 4 8 8 0\n2 5 8 8 0\n3 4 16 8 1\n4 13 24 8 1\n";

#[test]
fn one_of_several_devices_or_all_but_never_a_second_by_accident() {
    assert_eq!(
        message(TWO_DEVICES.as_bytes(), None),
        "t:2: a request to device 5 in a trace of device 4: their addresses would overlap; take one with \
         --trace-device 4, or all with --trace-device all\n  the line reads: 2 5 8 8 0\n  \
         expected: 938513000 4 264719034 16 0"
    );
    let of_4 = vec![record(0, Op::Write, 4096, 4096), record(2, Op::Read, 8192, 4096)];
    assert_eq!(opened_with(TWO_DEVICES, &of_device("4")), Ok(of_4));
    assert_eq!(opened_with(TWO_DEVICES, &of_device("all")).unwrap().len(), 4);
    assert_eq!(
        opened_with(TWO_DEVICES, &of_device("7")).unwrap_err(),
        "t: holds no requests to device 7; it has 4, 5, 13"
    );
    assert_eq!(
        opened_with(TWO_DEVICES, &of_device("sda")).unwrap_err(),
        "--trace-device \"sda\": this format's devices are whole numbers, as in 4, or \"all\""
    );
}

#[test]
fn addresses_that_are_probably_bytes_are_not_guessed_at() {
    let bytes = "0.000 0 11562803200 4096 1\n0.5 0 11562991616 4096 1\n0.7 0 512 1024 0\n0.8 0 0 512 1\n";
    let message = message(bytes.as_bytes(), None);
    assert!(
        message.starts_with("t: has the five columns of DiskSim, but every address and size"),
        "{message}"
    );
    let named = OpenOptions { format: Some("disksim".to_owned()), ..OpenOptions::default() };
    assert_eq!(opened_with(bytes, &named).unwrap()[0].size_bytes, 4096 * 512);
    assert_eq!(records(format!("{bytes}1 0 8 8 0\n").as_bytes()).unwrap().len(), 5);
}

#[test]
fn sizes_that_are_probably_pages_are_not_guessed_at() {
    let rows = |count: u64, sectors: u64, sizes: [u64; 2]| -> String {
        let row =
            |index: u64| format!("{index}.5 0 {} {} 1\n", index * 3 * sectors, sizes[(index % 2) as usize]);
        (0..count).map(row).collect()
    };
    let told = message(rows(16, 8, [1, 3]).as_bytes(), None);
    let options = "--format disksim (sectors) or --columns \
        time:ms,device,offset:sectors,size:4KiB,op:bit0=read --separator blanks";
    assert!(
        told.contains("every address in its first lines is a multiple of 8,") && told.contains(options),
        "{told}"
    );
    assert!(message(rows(20, 32, [1, 32]).as_bytes(), None).contains("size:16KiB"));
    let advised = OpenOptions {
        columns: Some("time:ms,device,offset:sectors,size:4KiB,op:bit0=read".to_owned()),
        separator: Some("blanks".to_owned()),
        ..OpenOptions::default()
    };
    let read = opened_with(&rows(16, 8, [1, 3]), &advised).unwrap();
    assert_eq!((read[1].offset_bytes, read[1].size_bytes, read[2].size_bytes), (3 * 4096, 3 * 4096, 4096));
    let named = OpenOptions { format: Some("disksim".to_owned()), ..OpenOptions::default() };
    assert_eq!(opened_with(&rows(16, 8, [1, 3]), &named).unwrap()[1].size_bytes, 3 * 512);
    // Whole pages in sectors, requests that start anywhere, and too few to judge by.
    for plain in [rows(16, 8, [8, 24]), rows(16, 4, [1, 3]), rows(15, 8, [1, 3])] {
        assert!(records(plain.as_bytes()).is_ok());
    }
}

#[test]
fn flags_of_disksim_are_bits() {
    let content = "0.0 0 0 1 1\n0.0 0 0 1 a\n0.0 0 0 1 B\n0.0 0 0 1 10\n";
    let ops: Vec<Op> = records(content.as_bytes()).unwrap().iter().map(|record| record.op).collect();
    assert_eq!(ops, [Op::Read, Op::Write, Op::Read, Op::Write]);
}

#[test]
fn decimals_beyond_the_nanosecond_are_dropped() {
    let content = "1.0000009 0 0 1 1\n1.0000019 0 0 1 1\n";
    assert_eq!(records(content.as_bytes()).unwrap()[1].time_ns, 1);
}

#[rstest]
#[case::no_time("x 0 8 8 0", "the time in the first column is missing or not a number")]
#[case::negative_time("-5 0 8 8 0", "the time in the first column is negative")]
#[case::bare_point("5. 0 8 8 0", "the time in the first column has no digit after its decimal point")]
#[case::exponent("5e9 0 8 8 0", "unexpected \"e9 0 8 8 0\" after the time in the first column")]
#[case::only_time("5", "the line ends after the time in the first column; five columns are needed")]
#[case::device("5 a 8 8 0", "the device in the second column is missing or not a number")]
#[case::sector("5 0 -8 8 0", "the start sector in the third column is negative")]
#[case::overflow(
    "5 0 18446744073709551616 8 0",
    "the start sector in the third column is too large for 64 bits"
)]
#[case::bytes("5 0 36028797018963968 8 0", "the start sector is too large for 64 bits of bytes")]
#[case::sectors("5 0 8 -8 0", "the number of sectors in the fourth column is negative")]
#[case::zero("5 0 8 0 0", "a write of zero bytes is not a request")]
#[case::cut(
    "5 0 8 8",
    "the line ends after the number of sectors in the fourth column; five columns are needed"
)]
#[case::cut_after_blank(
    "5 0 8 8 ",
    "the line ends before the type in the fifth column; valid: 0 (write), 1 (read)"
)]
#[case::kind("5 0 8 8 2", "unknown type \"2\" in the fifth column; valid: 0 (write), 1 (read)")]
#[case::six("5 0 8 8 0 9", "unexpected \"9\" after the fifth column")]
#[case::backwards(
    "3 0 8 8 0",
    "time goes backwards: 0.000000003 s after 0.000000004 s; use --sort to put the requests in order of \
     time first"
)]
fn bad_lines(#[case] line: &str, #[case] reason: &str) {
    let content = format!("4 0 8 8 0\n{line}\n5 0 8 8 0\n");
    assert_eq!(
        message(content.as_bytes(), None),
        format!("t:2: {reason}\n  the line reads: {line}\n  expected: 938513000 4 264719034 16 0")
    );
}
