//! The text formats of public trace sets and of fio: units, devices, and the errors about bad lines.

use crate::common::{file, message, read, record, records};
use reclaim_trace::{Op, OpenOptions, Record, Trace, TraceError};
use rstest::rstest;

const ALIBABA: &str = "419,W,8792731648,16384,1577808144360767\n419,R,4096,4096,1577808144360967\n";
const TENCENT: &str = "1538323200,8,128,0,1063\n1538323201,16,8,1,1063\n";
const SYSTOR: &str = "Timestamp,Response,IOType,LUN,Offset,Size\n\
                      1456135200.013118000,0.000806000,R,4,7014609920,8192\n\
                      1456135200.013119000,,W,4,4096,4096\n";
const SPC: &str = "0,20941264,8192,W,0.551706\n0,8,3584,r,0.554041,optional,more\n";
const FIO_3: &str = "fio version 3 iolog\n2 /dev/nvme0n1 add\n872 /dev/nvme0n1 open\n\
                     878 /dev/nvme0n1 write 0 16384\n888 /dev/nvme0n1 read 16384 4096\n\
                     888 /dev/nvme0n1 trim 0 65536\n900 /dev/nvme0n1 sync 0 0\n\
                     901 /dev/nvme0n1 datasync 7 0\n10001677 /dev/nvme0n1 close\n";

#[rstest]
#[case::alibaba("alibaba", ALIBABA, vec![
    record(0, Op::Write, 8792731648, 16384), record(200_000, Op::Read, 4096, 4096)])]
#[case::tencent("tencent", TENCENT, vec![
    record(0, Op::Read, 4096, 65536), record(1_000_000_000, Op::Write, 8192, 4096)])]
#[case::systor("systor", SYSTOR, vec![
    record(0, Op::Read, 7014609920, 8192), record(1000, Op::Write, 4096, 4096)])]
#[case::spc("spc", SPC, vec![
    record(0, Op::Write, 20941264 * 512, 8192), record(2_335_000, Op::Read, 4096, 3584)])]
#[case::fio_3("fio", FIO_3, vec![
    record(0, Op::Write, 0, 16384), record(10_000, Op::Read, 16384, 4096), record(10_000, Op::Trim, 0, 65536),
    record(22_000, Op::Flush, 0, 0), record(23_000, Op::Flush, 0, 0)])]
fn good_files(#[case] format: &str, #[case] content: &str, #[case] expected: Vec<Record>) {
    let (_folder, path) = file("t", content.as_bytes());
    assert_eq!(Trace::open(&path, &OpenOptions::default()).unwrap().format(), format);
    for content in [content.to_owned(), content.replace('\n', "\r\n"), content.trim_end().to_owned()] {
        assert_eq!(records(content.as_bytes()).as_ref(), Ok(&expected));
    }
}

#[test]
fn a_blank_type_of_systor_is_no_request() {
    let content = format!("{SYSTOR}1456135200.013120000,,,4,0,4096\n");
    assert_eq!(records(content.as_bytes()).unwrap().len(), 2);
}

#[rstest]
#[case::alibaba("1,R,0,512,5\n2,R,512,512,6\n1,W,0,512,7\n", "1", "device 2 in a trace of device 1")]
#[case::tencent(
    "1538323200,8,8,0,1\n1538323200,16,8,0,2\n1538323200,8,8,1,1\n",
    "1",
    "volume 2 in a trace of volume 1"
)]
#[case::systor("1.5,0.1,R,4,0,512\n1.6,0.1,R,6,0,512\n1.7,0.1,W,4,0,512\n", "4", "LUN 6 in a trace of LUN 4")]
#[case::spc("0,8,512,R,0.5\n3,8,512,R,0.6\n0,8,512,W,0.7\n", "0", "ASU 3 in a trace of ASU 0")]
#[case::fio(
    "fio version 3 iolog\n1 /a read 0 512\n2 /b read 0 512\n3 /a write 0 512\n",
    "/a",
    "file /b in a trace of file /a"
)]
#[case::msr(
    "0,hm,0,Read,0,512,0\n1,hm,1,Read,0,512,0\n2,hm,0,Write,0,512,0\n",
    "hm_0",
    "disk hm_1 in a trace of disk hm_0"
)]
fn one_of_several_devices(#[case] content: &str, #[case] device: &str, #[case] second: &str) {
    assert!(message(content.as_bytes(), None).contains(&format!("a request to {second}: ")));
    let (_folder, path) = file("t", content.as_bytes());
    let of = |device: &str| {
        read(&path, &OpenOptions { device: Some(device.to_owned()), ..OpenOptions::default() })
    };
    let ops = |records: Vec<Record>| records.iter().map(|record| record.op).collect::<Vec<_>>();
    assert_eq!(of(device).map(ops), Ok(vec![Op::Read, Op::Write]));
    assert_eq!(of("all").map(ops), Ok(vec![Op::Read, Op::Read, Op::Write]));
    assert!(of("9_9").unwrap_err().to_string().contains("9_9"));
}

#[test]
fn a_disk_of_msr_is_named_by_its_host_and_number() {
    let (_folder, path) = file("t", b"0,hm,0,Read,0,512,0\n");
    let options = OpenOptions { device: Some("0".to_owned()), ..OpenOptions::default() };
    let error = Trace::open(&path, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "--trace-device \"0\": this format's disks are host_number, as in hm_0, or \"all\""
    );
}

#[rstest]
#[case::alibaba_opcode("alibaba", "419,X,0,1,5", "unknown opcode \"X\"; valid: R, W")]
#[case::alibaba_negative("alibaba", "419,R,-1,1,5", "offset is negative")]
#[case::alibaba_cut("alibaba", "419,R,0,1", "the line ends after length; five columns are needed")]
#[case::alibaba_zero("alibaba", "419,R,0,0,5", "a read of zero bytes is not a request")]
#[case::alibaba_time("alibaba", "419,R,0,1,99999999999999999999", "timestamp is too large for 64 bits")]
#[case::alibaba_more("alibaba", "419,R,0,1,5,6", "unexpected \",6\" after timestamp")]
#[case::tencent_type("tencent", "1538323200,8,8,2,1", "unknown IOType \"2\"; valid: 0 (read), 1 (write)")]
#[case::tencent_bytes(
    "tencent",
    "1538323200,36028797018963968,8,1,1",
    "Offset is too large for 64 bits of bytes"
)]
#[case::tencent_volume("tencent", "1538323200,8,8,1,", "VolumeID is missing or not a number")]
#[case::systor_type("systor", "1.0,0.1,T,4,0,1", "unknown IOType \"T\"; valid: R, W, or blank (no request)")]
#[case::systor_time("systor", "1.,0.1,R,4,0,1", "Timestamp has no digit after its decimal point")]
#[case::systor_size("systor", "1.0,0.1,R,4,0,-8", "Size is negative")]
#[case::spc_opcode("spc", "0,8,512,x,0.5", "unknown Opcode \"x\"; valid: R, W, r, w")]
#[case::spc_time("spc", "0,8,512,R,0.5s", "unexpected \"s\" after Timestamp")]
#[case::spc_overflow("spc", "0,18446744073709551616,512,R,0.5", "LBA is too large for 64 bits")]
#[case::fio_header(
    "fio",
    "fio version 1 iolog",
    "the first line must be \"fio version 2 iolog\" or \"fio version 3 iolog\""
)]
fn bad_lines(#[case] format: &str, #[case] line: &str, #[case] reason: &str) {
    let found = message(format!("{line}\n").as_bytes(), Some(format));
    assert!(found.starts_with(&format!("t:1: {reason}\n  the line reads: {line}\n  expected: ")), "{found}");
}

#[rstest]
#[case::action(
    "5 /a raed 0 512",
    "unknown action \"raed\"; valid: read, write, trim, sync, datasync, add, open, close"
)]
#[case::wait(
    "5 /a wait 0 512",
    "unknown action \"wait\"; valid: read, write, trim, sync, datasync, add, open, close"
)]
#[case::time("/a read 0 512", "the time in the first column is missing or not a number")]
#[case::cut("5 /a read 0", "the line ends after the offset, before the length")]
#[case::length("5 /a read 0 x", "the length is missing or not a number")]
#[case::more("5 /a read 0 512 9", "unexpected \"9\" after the length")]
#[case::zero("5 /a write 0 0", "a write of zero bytes is not a request")]
#[case::backwards(
    "3 /a write 0 1",
    "time goes backwards: 0.000003000 s after 0.000004000 s; use --sort to put the requests in order of \
     time first"
)]
fn bad_lines_of_fio(#[case] line: &str, #[case] reason: &str) {
    let content = format!("fio version 3 iolog\n4 /a read 0 512\n{line}\n5 /a read 0 512\n");
    let found = message(content.as_bytes(), None);
    assert!(found.starts_with(&format!("t:3: {reason}\n")), "{found}");
}

#[test]
fn waits_of_fio_add_up_to_the_time_and_may_not_overflow() {
    let content = "fio version 2 iolog\nf wait 18446744073709551 0\nf wait 1\n";
    assert!(
        message(content.as_bytes(), Some("fio")).starts_with("t:3: the waits add up to more than 64 bits")
    );
}

#[test]
fn times_of_other_devices_may_be_in_any_order() -> Result<(), TraceError> {
    let (_folder, path) = file("t", b"1,R,0,512,50\n2,R,0,512,5\n1,R,0,512,60\n");
    let options = OpenOptions { device: Some("1".to_owned()), ..OpenOptions::default() };
    assert_eq!(read(&path, &options)?.len(), 2);
    Ok(())
}
