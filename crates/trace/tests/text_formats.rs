//! The text formats of programs and public sets, and Reclaim's own CSV: what lines mean, which are refused, what the
//! error names. `strictness.rs` has what is refused in every one of them.

use crate::common::{file, names, opened, read, record, records, refused, refuses, with};
use reclaim_trace::Op::{Flush as F, Read as R, Trim as T, Write as W};
use reclaim_trace::{Op, OpenOptions, Record, TimeUnit, Trace};
use rstest::rstest;

const HEADER: &str = "time_us,op,offset_bytes,size_bytes\n";
const MSR: &str =
    "128166372003061629,hm,0,Read,383496192,32768,1413\n128166372003061630,hm,0,Write,4096,512,0\n";
const MSR_HEADER: &str = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n";
const MQSIM: &str = "938513000 4 264719034 16 0\n938828000 4 8 24 1\n";
const ALIBABA: &str = "419,W,8792731648,16384,1577808144360767\n419,R,4096,4096,1577808144360967\n";
const TENCENT: &str = "1538323200,8,128,0,1063\n1538323201,16,8,1,1063\n";
const SYSTOR: &str = "Timestamp,Response,IOType,LUN,Offset,Size\n\
                      1456135200.013118000,0.000806000,R,4,7014609920,8192\n\
                      1456135200.013119000,,W,4,4096,4096\n1456135200.013120000,,,4,0,4096\n";
const BIOSNOOP: &str = "Tracing block device I/O... Hit Ctrl-C to end.\n\
     TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)\n\
     0.000000    dd             812    vda     W 2048       4096      0.01    0.75\n\
     0.001200    tokio worker 1 813    vda     R 4096       8192      0.00    1.50\n\
     0.001300    jbd2/vda1-8    214    vda     FW 0         512       0.00    0.10\n";
const SPC: &str = "0,20941264,8192,W,0.551706\n0,8,3584,r,0.554041,optional,more\n";
const FIO_3: &str = "fio version 3 iolog\n2 /dev/nvme0n1 add\n872 /dev/nvme0n1 open\n\
                     878 /dev/nvme0n1 write 0 16384\n888 /dev/nvme0n1 read 16384 4096\n\
                     888 /dev/nvme0n1 trim 0 65536\n900 /dev/nvme0n1 sync 0 0\n\
                     901 /dev/nvme0n1 datasync 7 0\n10001677 /dev/nvme0n1 close\n";

/// Requests: time, operation, offset and size.
type Requests = &'static [(u64, Op, u64, u64)];

fn made(requests: Requests) -> Vec<Record> {
    requests.iter().map(|(time, op, offset, size)| record(*time, *op, *offset, *size)).collect()
}

const TWO_OF_MSR: Requests = &[(0, R, 383496192, 32768), (100, W, 4096, 512)];
const TWO_OF_MQSIM: Requests = &[(0, W, 264719034 * 512, 16 * 512), (315_000, R, 4096, 24 * 512)];

#[rstest]
#[case::msr("msr", MSR, TWO_OF_MSR)]
#[case::msr_with_its_header("msr", &[MSR_HEADER, MSR].concat(), TWO_OF_MSR)]
#[case::msr_in_small_letters("msr", &[&MSR_HEADER.to_lowercase(), MSR].concat(), TWO_OF_MSR)]
#[case::mqsim("mqsim", MQSIM, TWO_OF_MQSIM)]
#[case::mqsim_with_tabs("mqsim", &MQSIM.replace(' ', "\t"), TWO_OF_MQSIM)]
#[case::mqsim_with_blanks_at_the_end("mqsim", &MQSIM.replace('\n', "  \n"), TWO_OF_MQSIM)]
#[case::disksim("disksim", "5265.313 0 6357144 8 0\n5265.703 0 1 64 1\n",
    &[(0, W, 6357144 * 512, 4096), (390_000, R, 512, 32768)])]
#[case::finer_than_a_nanosecond("disksim", "1.0000009 0 0 1 1\n1.0000019 0 0 1 1\n",
    &[(0, R, 0, 512), (1, R, 0, 512)])]
#[case::flags_are_bits("disksim", "0.0 0 0 1 1\n0.0 0 0 1 a\n0.0 0 0 1 B\n0.0 0 0 1 10\n",
    &[(0, R, 0, 512), (0, W, 0, 512), (0, R, 0, 512), (0, W, 0, 512)])]
#[case::alibaba("alibaba", ALIBABA, &[(0, W, 8792731648, 16384), (200_000, R, 4096, 4096)])]
#[case::tencent("tencent", TENCENT, &[(0, R, 4096, 65536), (1_000_000_000, W, 8192, 4096)])]
#[case::systor("systor", SYSTOR, &[(0, R, 7014609920, 8192), (1000, W, 4096, 4096)])]
#[case::systor_out_of_order("systor",
    "1456135201.5,0.1,R,4,0,512\n1456135200.5,0.1,W,4,512,512\n1456135201.5,,W,4,1024,512\n",
    &[(0, W, 512, 512), (1_000_000_000, R, 0, 512), (1_000_000_000, W, 1024, 512)])]
#[case::biosnoop("biosnoop", BIOSNOOP, &[
    (0, W, 2048 * 512, 4096), (450_000, R, 4096 * 512, 8192), (1_950_000, F, 0, 0), (1_950_000, W, 0, 512)])]
#[case::biosnoop_in_sectors("biosnoop",
    "TIME(s) COMM PID DISK T SECTOR SECTORS LAT(ms)\n1.0 a b 1 sda WS 8 16 2.000\n1.1 a 1 sda N 0 0 0.1\n",
    &[(0, W, 4096, 8192)])]
#[case::spc("spc", SPC, &[(0, W, 20941264 * 512, 8192), (2_335_000, R, 4096, 3584)])]
#[case::fio_3("fio", FIO_3, &[
    (0, W, 0, 16384), (10_000, R, 16384, 4096), (10_000, T, 0, 65536), (22_000, F, 0, 0), (23_000, F, 0, 0)])]
#[case::fio_3_in_rounds("fio", "fio version 3 iolog\n1 /a add\n2 /a open\n5 /a write 0 512\n\
    1000 /a write 512 512\n3 /a close\n4 /a open\n7 /a write 0 512\n900 /a write 512 512\n1 /a read 0 512\n",
    &[(0, W, 0, 512), (995_000, W, 512, 512), (1_002_000, W, 0, 512), (1_895_000, W, 512, 512),
      (1_896_000, R, 0, 512)])]
#[case::own("csv",
    &format!("{HEADER}5,write,0,512\n5,W,4096,4096\n5,read,1,1\n5,R,0,4294967296\n5,T,0,1\n5,D,0,1\n"),
    &[(0, W, 0, 512), (0, W, 4096, 4096), (0, R, 1, 1), (0, R, 0, 1 << 32), (0, T, 0, 1), (0, T, 0, 1)])]
#[case::own_trims_and_flushes("csv",
    &format!("{HEADER}5,trim,0,18446744073709551615\n5,flush,0,0\n5,F,0,0\n"),
    &[(0, T, 0, u64::MAX), (0, F, 0, 0), (0, F, 0, 0)])]
#[case::own_times("csv", &format!("{HEADER}7,F,0,0\n7.0,F,0,0\n7.005,F,0,0\n7.05,F,0,0\n7.5,F,0,0\n\
    18446744073709551.615,F,0,0\n"),
    &[(0, F, 0, 0), (0, F, 0, 0), (5, F, 0, 0), (50, F, 0, 0), (500, F, 0, 0), (u64::MAX - 7000, F, 0, 0)])]
#[case::own_in_quotes("csv",
    "\"time_us\",\"op\",\"offset_bytes\",\"size_bytes\"\n17,\"write\",0,512\n\"18.5\",F,0,0\n",
    &[(0, W, 0, 512), (1500, F, 0, 0)])]
fn good_files(#[case] format: &str, #[case] content: &str, #[case] expected: Requests) {
    let (_folder, path) = file("t", content);
    assert_eq!(Trace::open(&path, &OpenOptions::default()).unwrap().format(), format);
    assert_eq!(records(content), Ok(made(expected)));
}

/// What `--trace-device` takes of three requests to two devices, of which the second is refused.
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
    "/b in a trace of file /a"
)]
#[case::msr(
    "0,hm,0,Read,0,512,0\n1,hm,1,Read,0,512,0\n2,hm,0,Write,0,512,0\n",
    "hm_0",
    "hm_1 in a trace of disk hm_0"
)]
#[case::msr_hosts(
    "0,a,0,Read,0,512,0\n1,b,0,Read,0,512,0\n2,a,0,Write,0,512,0\n",
    "a_0",
    "b_0 in a trace of disk a_0"
)]
#[case::mqsim("1 4 8 8 1\n2 5 8 8 1\n3 4 16 8 0\n", "4", "device 5 in a trace of device 4")]
fn one_of_several_devices(#[case] content: &str, #[case] device: &str, #[case] second: &str) {
    names(&records(content).unwrap_err(), &format!("{second}|--trace-device {device}|--trace-device all"));
    let of = |device| {
        opened(content, &with(&[("device", device)])).map(|all| all.iter().map(|each| each.op).collect())
    };
    assert_eq!(of(device), Ok(vec![R, W]));
    assert_eq!(of("all"), Ok(vec![R, R, W]));
    assert!(of("9_9").unwrap_err().contains("9_9"));
}

#[test]
fn devices_that_are_not_there_or_not_so_called() {
    let mqsim = "1 4 8 8 0\n2 5 8 8 0\n4 13 24 8 1\n";
    names(&refused(mqsim, &with(&[("device", "7")])), "no requests to device 7|4, 5, 13");
    names(&refused(mqsim, &with(&[("device", "sda")])), "--trace-device \"sda\"|as in 4,|\"all\"");
    names(&refused(MSR, &with(&[("device", "0")])), "--trace-device \"0\"|host_number|hm_0|\"all\"");
    // Times of other devices may be in any order.
    let alibaba = "1,R,0,512,50\n2,R,0,512,5\n1,R,0,512,60\n";
    assert_eq!(opened(alibaba, &with(&[("device", "1")])).unwrap().len(), 2);
}

const FIO: &str = "fio version 3 iolog\n";

#[rstest]
#[case::own("csv", HEADER, "17,R,0,1", &[
    (",R,0,1", "time_us is missing"),
    ("1e6,R,0,1", "\"e6,R,0,1\" after time_us"),
    ("1.0005,R,0,1", "time_us has more than three decimals"),
    ("1.,R,0,1", "the fraction of time_us is missing"),
    ("17", "ends after time_us"),
    ("17,X,0,1", "unknown op \"X\"; valid: read, write, trim, flush, or R, W, T (also D, discard), F"),
    ("17,", "unknown op \"\""),
    ("17,\"R,0,1", "unknown op \"\"R\""),
    ("17,R", "offset_bytes is missing"),
    ("17,R,0", "ends after offset_bytes"),
    ("17,R,0,", "size_bytes is missing"),
    ("17,R,0,1.5", "\".5\" after size_bytes"),
    ("17,R,0,1,9", "\",9\" after size_bytes"),
    ("17,T,0,0", "a trim of zero bytes"),
    ("17,F,0,9", "a flush addresses nothing|not 0 and 9"),
    ("17,W,18446744073709551615,1", "64 bits|offset 18446744073709551615 + size 1 bytes"),
])]
#[case::stream("csv", "time_us,op,offset_bytes,size_bytes,stream\n", "0,R,0,1,255", &[
    ("0,R,0,1", "ends after size_bytes|stream"),
    ("0,R,0,1,x", "stream is missing or not a number"),
    ("0,R,0,1,256", "stream 256 is above 255"),
    ("0,R,0,1,2,3", "\",3\" after stream"),
])]
#[case::msr("msr", "", "128166372003061629,hm,0,Read,383496192,32768,1413", &[
    (MSR_HEADER.trim_ascii_end(), "Timestamp is missing"),
    ("184467440737095517,hm,0,Read,0,512,9", "Timestamp in nanoseconds is too large"),
    ("128166372003061629,hm,,Read,0,512,9", "DiskNumber is missing"),
    ("128166372003061629,hm,0,read,0,512,9", "unknown Type \"read\"; valid: Read, Write"),
    ("128166372003061629,hm,0,Read,3834", "ends after Offset"),
    ("128166372003061629,hm,0,Read,0,512", "ends after Size"),
    ("128166372003061629,hm,0,Read,0,512,", "ResponseTime is missing"),
    ("128166372003061629,hm,0,Read,0,512,9,1", "\",1\" after ResponseTime"),
    ("128166372003061629,hm,0,Read,0x10,512,9", "\"x10,512,9\" after Offset"),
])]
#[case::mqsim("mqsim", "", "5 0 8 8 0", &[
    ("x 0 8 8 0", "first column is missing"),
    ("5. 0 8 8 0", "first column|no digit after its decimal point"),
    ("5e9 0 8 8 0", "\"e9 0 8 8 0\" after|first column"),
    ("5", "ends after|first column"),
    ("5 a 8 8 0", "second column is missing"),
    ("5 0 36028797018963968 8 0", "start sector is too large for 64 bits of bytes"),
    ("5 0 8 8", "ends after|fourth column"),
    ("5 0 8 8 ", "ends before|fifth column|valid: 0 (write), 1 (read)"),
    ("5 0 8 8 2", "unknown type \"2\"|fifth column|valid: 0 (write), 1 (read)"),
    ("5 0 8 8 0 9", "\"9\" after the fifth column"),
])]
#[case::alibaba("alibaba", "", "419,R,0,1,5", &[
    ("419,X,0,1,5", "unknown opcode \"X\"; valid: R, W"),
    ("419,R,0,1", "ends after length"),
    ("419,R,0,1,5,6", "\",6\" after timestamp"),
])]
#[case::tencent("tencent", "", "1538323200,8,8,1,1", &[
    ("1538323200,8,8,2,1", "unknown IOType \"2\"; valid: 0 (read), 1 (write)"),
    ("1538323200,36028797018963968,8,1,1", "Offset is too large for 64 bits of bytes"),
    ("1538323200,8,8,1,", "VolumeID is missing"),
])]
#[case::systor("systor", "", "1.0,0.1,R,4,0,1", &[
    ("1.0,0.1,T,4,0,1", "unknown IOType \"T\"; valid: R, W, or blank"),
    ("1.,0.1,R,4,0,1", "Timestamp has no digit after its decimal point"),
])]
#[case::spc("spc", "", "0,8,512,R,0.5", &[
    ("0,8,512,x,0.5", "unknown Opcode \"x\"; valid: R, W, r, w"),
    ("0,8,512,R,0.5s", "\"s\" after Timestamp"),
])]
#[case::fio("fio", FIO, "4 /a read 0 512", &[
    ("5 /a raed 0 512", "action \"raed\"; valid: read, write, trim, sync, datasync, add, open, close"),
    ("5 /a wait 0 512", "unknown action \"wait\""),
    ("/a read 0 512", "first column is missing"),
    ("5 /a read 0", "after the offset, before the length"),
    ("5 /a read 0 x", "the length is missing"),
    ("5 /a read 0 512 9", "\"9\" after the length"),
])]
#[case::fio_waits_add_up("fio", "fio version 2 iolog\nf add\nf open\n", "f wait 9446744073709551", &[
    ("f wait 9446744073709551", "the waits add up to more than 64 bits"),
])]
#[case::biosnoop("biosnoop", "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n", "1.0 a 1 sda W 8 512 2.0", &[
    ("1.0 a 1 sda W 8 512", "7 columns, the header names 8"),
    ("x a 1 sda W 8 512 2.0", "TIME(s) is missing or not a number"),
    ("1.0 a 1 sda X 8 512 2.0", "unknown RWBS flags \"X\""),
    ("1.0 a 1 sda W -1 512 2.0", "SECTOR is negative"),
    ("1.0 a 1 sda W 8 512k 2.0", "the size is \"512k\""),
    ("1.0 a 1 sda W 8 512 4500000.0", "over an hour longer than the recording"),
    ("1.0 a 1 sdb W 8 512 2.0", "disk sdb in a trace of disk sda|--trace-device sda"),
])]
#[case::fiolog("fiolog", &"0, 104215, 1, 16384, 8192, 0\n".repeat(30), "0, 104215, 1, 16384, 8192, 0", &[
    ("0, 1, 3, 4096, 8192, 0", "unknown direction 3; valid: 0 (read), 1 (write), 2 (trim)"),
    ("0, 1, 1, 4096, 8192", "5 columns in a log of 6"),
    ("0, 1, 1, 4096, x, 0", "\"x\" in column 5"),
    ("0, 1, 1, 4096, -1, 0", "\"-1\" in column 5"),
    ("0, 1, 1, 0, 4096, 0", "a write of zero bytes"),
    ("99999999999999, 1, 1, 1, 4096, 0", "first column|too large for 64 bits"),
    ("0, 1, 1, 4096, 8192, 0, 0, 0, 0", "more than 7 columns"),
])]
fn bad_lines(#[case] format: &str, #[case] head: &str, #[case] good: &str, #[case] rows: &[(&str, &str)]) {
    refuses(&with(&[("format", format)]), head, good, rows);
}

#[test]
fn headers_must_be_exact() {
    let found = refused("time_us,op,offset,size\n1,R,0,1\n", &OpenOptions::default());
    names(&found, "t:1: |time_us,op,offset_bytes,size_bytes");
    names(&found, "--columns time_us=time:us,op=op,offset=offset:bytes,size=size:bytes|guessed");
    assert_eq!(records(HEADER), Err("t: holds no requests".to_owned()));
    let fio = refused("fio version 1 iolog\n", &with(&[("format", "fio")]));
    names(&fio, "t:1: |\"fio version 2 iolog\"|\"fio version 3 iolog\"");
}

#[test]
fn long_and_unprintable_lines_are_shown_safely() {
    let line = format!("17,\u{1b}[31m{},0,1", "x".repeat(200));
    let told = refused(format!("{HEADER}{line}\n"), &OpenOptions::default());
    let shown = format!("  the line reads: 17,\\u{{1b}}[31m{}…", "x".repeat(112));
    assert_eq!(told.lines().nth(1), Some(&*shown));
}

#[test]
fn sorting_is_stable_and_relative_to_the_earliest() {
    let sorted = opened(format!("{HEADER}3,R,3,1\n1,R,1,1\n3,R,4,1\n1,W,2,1\n"), &with(&[("sort", "")]));
    assert_eq!(sorted, Ok(made(&[(0, R, 1, 1), (0, W, 2, 1), (2000, R, 3, 1), (2000, R, 4, 1)])));
}

#[test]
fn another_unit_of_time_or_name_can_be_given_where_a_format_has_it() {
    for (unit, second_ns) in [("ns", 315_000), ("us", 315_000_000), ("ms", 315_000_000_000)] {
        assert_eq!(opened(MQSIM, &with(&[("time-unit", unit)])).unwrap()[1].time_ns, second_ns);
    }
    names(&"min".parse::<TimeUnit>().unwrap_err().to_string(), "\"min\"|ns, 100ns, us, ms, s");
    let told = refused(format!("{HEADER}0,R,0,1\n"), &with(&[("time-unit", "s")]));
    names(&told, "--time-unit|csv|msr, mqsim, disksim, fio, systor, spc, alibaba, tencent");
    assert_eq!(opened(MQSIM, &with(&[("format", "ssdsim")])), records(MQSIM));
}

#[test]
fn addresses_that_are_probably_bytes_are_not_guessed_at() {
    let bytes = "0.000 0 11562803200 4096 1\n0.5 0 11562991616 4096 1\n0.7 0 512 1024 0\n0.8 0 0 512 1\n";
    names(&records(bytes).unwrap_err(), "DiskSim|every address and size");
    assert_eq!(opened(bytes, &with(&[("format", "disksim")])).unwrap()[0].size_bytes, 4096 * 512);
    assert_eq!(records(format!("{bytes}1 0 8 8 0\n")).unwrap().len(), 5);
}

#[test]
fn sizes_that_are_probably_pages_are_not_guessed_at() {
    let rows = |count: u64, sectors: u64, sizes: [u64; 2]| -> String {
        let row = |at: u64| format!("{at}.5 0 {} {} 1\n", at * 3 * sectors, sizes[(at % 2) as usize]);
        (0..count).map(row).collect()
    };
    let pages = rows(16, 8, [1, 3]);
    let columns = "time:ms,device,offset:sectors,size:4KiB,op:bit0=read";
    let advice = format!("multiple of 8,|--format disksim|--columns {columns} --separator blanks");
    names(&records(&pages).unwrap_err(), &advice);
    names(&records(rows(20, 32, [1, 32])).unwrap_err(), "size:16KiB");
    let read = opened(&pages, &with(&[("columns", columns), ("separator", "blanks")])).unwrap();
    assert_eq!((read[1].offset_bytes, read[1].size_bytes, read[2].size_bytes), (3 * 4096, 3 * 4096, 4096));
    assert_eq!(opened(&pages, &with(&[("format", "disksim")])).unwrap()[1].size_bytes, 3 * 512);
    // Whole pages in sectors, requests that start anywhere, and too few to judge by.
    for plain in [rows(16, 8, [8, 24]), rows(16, 4, [1, 3]), rows(15, 8, [1, 3])] {
        assert!(records(plain).is_ok());
    }
}

const MS: u64 = 1_000_000;

/// The logs that fio writes of latencies, bandwidth and operations: those with offsets are traces.
#[rstest]
#[case::before_priorities("0, 104215, 1, 16384, 3173736448\n3, 98211, 0, 4096, 0\n", 3 * MS)]
#[case::of_today("0, 104215, 1, 16384, 3173736448, 0\n3, 98211, 0, 4096, 0, 1\n", 3 * MS)]
#[case::with_log_prio("0, 104215, 1, 16384, 3173736448, 0x4001\n3, 98211, 0, 4096, 0, 0x0000\n", 3 * MS)]
#[case::issue_times("1, 9, 1, 16384, 3173736448, 0, 1000700\n3, 9, 0, 4096, 0, 0, 1900200\n", 899_500)]
#[case::no_issue_times("0, 104215, 1, 16384, 3173736448, 0, 0\n3, 98211, 0, 4096, 0, 0, 0\n", 3 * MS)]
fn a_log_of_fio_with_offsets_is_a_trace(#[case] content: &str, #[case] second_ns: u64) {
    assert_eq!(
        records(content).unwrap(),
        [record(0, W, 3_173_736_448, 16384), record(second_ns, R, 0, 4096)]
    );
    let (_folder, path) = file("fio_bw.1.log", "0, 104215, 2, 16384, 4096, 0\n");
    assert_eq!(Trace::open(&path, &OpenOptions::default()).unwrap().format(), "fiolog");
    assert_eq!(read(&path, &OpenOptions::default()).unwrap(), [record(0, T, 4096, 16384)]);
}

#[rstest]
#[case::old("0, 104215, 1, 16384\n3, 98211, 0, 4096\n", "without offsets|log_offset=1")]
#[case::of_today("0, 104215, 1, 16384, 0\n3, 98211, 0, 4096, 1\n", "without offsets")]
#[case::with_log_prio("0, 104215, 1, 16384, 0x0000\n", "without offsets")]
#[case::issue_times("0, 104215, 1, 16384, 0, 1000700\n3, 98211, 0, 4096, 0, 1900200\n", "without offsets")]
#[case::mean("500, 104215, 1, 0, 0\n1000, 98211, 1, 0, 0\n", "averages")]
#[case::mean_with_offsets("500, 104215, 0, 0, 0, 0\n500, 104215, 1, 0, 0, 0\n", "averages")]
#[case::both("500, 104215, 204215, 0, 0, 0\n1000, 98211, 104215, 1, 0, 0\n", "averages")]
fn other_logs_of_fio_say_what_logs_requests(#[case] content: &str, #[case] what: &str) {
    names(&records(content).unwrap_err(), &format!("t: is a log of fio|write_iolog=|{what}"));
    for other in ["0,104215,1,16384,8192,0\n", "1, 2, 3, 4\n", "0, 1, 1\n"] {
        assert!(!records(other).unwrap_err().contains("log of fio"), "{other}");
    }
    names(&refused("time_us,op\n", &with(&[("format", "fiolog")])), "t: has no line of a log of fio");
}

/// The gap between the first two requests of a text, read with this unit.
fn gap_ns(text: &str, time_unit: Option<&str>) -> Result<u64, String> {
    let unit = time_unit.map(|unit| ("time-unit", unit));
    opened(text, &with(unit.as_slice())).map(|records| records[1].time_ns)
}

/// fio's documentation says that waits are microseconds, and fio takes them for milliseconds.
#[test]
fn the_unit_of_waits_must_be_said() {
    let waits =
        "fio version 2 iolog\nf add\nf open\nf wait 150 0\nf write 0 4096\nf wait 250\nf read 0 4096\n";
    names(&gap_ns(waits, None).unwrap_err(), "--time-unit us|--time-unit ms");
    assert_eq!(gap_ns(waits, Some("us")), Ok(250_000));
    assert_eq!(gap_ns(waits, Some("ms")), Ok(250_000_000));
    // Without waits there is nothing to doubt.
    assert_eq!(gap_ns("fio version 2 iolog\nf add\nf write 0 512\nf read 0 512\n", None), Ok(0));
}

#[test]
fn an_iolog_in_ns_is_not_taken_for_one_in_us() {
    let iolog = |second_line: &str, gap: u64| {
        let lines = (0..8).map(|k| format!("{} /dev/sda write {} 4096\n", 1000 + k * gap, k * 4096));
        format!("{FIO}{second_line}\n{}", lines.collect::<String>())
    };
    let opened = "5 /dev/sda add";
    for (gap, unit) in [(10_000, None), (12_345, Some("us")), (12_345_678, Some("us"))] {
        assert_eq!(gap_ns(&iolog(opened, gap), unit), Ok(gap * 1000));
    }
    for gap in [10_001, 12_345_678] {
        let told = gap_ns(&iolog(opened, gap), None).unwrap_err();
        names(&told, &format!("{gap}.0 us apart|probably in ns|--time-unit ns|--time-unit us"));
        assert_eq!(gap_ns(&iolog(opened, gap), Some("ns")), Ok(gap));
        // What Reclaim writes is in us, however slow.
        assert_eq!(gap_ns(&iolog("0 trace add", gap), None), Ok(gap * 1000));
    }
}

/// A line of each format with a clock, the same moment of 2019 in another unit than the format's, and that unit.
#[rstest]
#[case::alibaba("419,W,0,4096,{t}\n", ["1577808144360", "1577808144361"], "ms", 1_000_000, "us")]
#[case::alibaba_s("419,W,0,4096,{t}\n", ["1577808144", "1577808145"], "s", 1_000_000_000, "us")]
#[case::systor("{t},0.1,W,4,0,4096\n", ["1577808144360", "1577808144361"], "ms", 1_000_000, "s")]
#[case::spc("0,0,4096,W,{t}\n", ["1577808144360767", "1577808144360768"], "us", 1000, "s")]
#[case::msr("{t},hm,0,Write,0,4096,1\n", ["1577808144360767", "1577808144360768"], "us", 1000, "100ns")]
#[case::msr_ns("{t},hm,0,Write,0,4096,1\n", ["1577808144360767000", "1577808144360768000"], "ns", 1000,
    "100ns")]
fn a_clock_in_another_unit_is_not_guessed_at(
    #[case] line: &str,
    #[case] times: [&str; 2],
    #[case] unit: &str,
    #[case] expected_ns: u64,
    #[case] usual: &str,
) {
    let text = times.map(|time| line.replace("{t}", time)).concat();
    let told = gap_ns(&text, None).unwrap_err();
    names(
        &told,
        &format!("times in {usual} |{}|only in {unit}|--time-unit {unit}|--time-unit {usual}", times[0]),
    );
    assert_eq!(gap_ns(&text, Some(unit)), Ok(expected_ns));
}

#[test]
fn times_too_far_apart_or_too_close_are_not_guessed_at() {
    let spc = |gap: u64| (0..8).map(|k| format!("0,0,512,W,{}\n", k * gap)).collect::<Vec<_>>().concat();
    assert_eq!(gap_ns(&spc(100), None), Ok(100_000_000_000));
    names(&gap_ns(&spc(101), None).unwrap_err(), "probably in us");
    assert_eq!(gap_ns(&spc(101), Some("us")), Ok(101_000));
    let mqsim = |gap: u64| (0..8).map(|k| format!("{} 0 8 8 0\n", k * gap)).collect::<Vec<_>>().concat();
    assert_eq!(gap_ns(&mqsim(100), None), Ok(100));
    assert_eq!(gap_ns(&mqsim(0), None), Ok(0));
    names(&gap_ns(&mqsim(99), None).unwrap_err(), "probably in us");
    assert_eq!(gap_ns(&mqsim(99), Some("us")), Ok(99_000));
}
