//! Files as such: compressed, cut, empty, missing, or no trace at all; and going on without the lines that cannot be
//! read.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use crate::common::{collect, file, names, packed, read, record, records, refused, with};
use niffler::send::compression::Format as Compression;
use reclaim_trace::transform::{MergeSpec, RepeatSpec, Transforms};
use reclaim_trace::{OnError, Op, OpenOptions, Summary, Trace, TraceError, formats};
use rstest::rstest;

/// A trace that no compression makes so small that it arrives in one piece, and what it holds.
fn content() -> (String, usize) {
    let mut text = HEADER.to_owned();
    let mut noise = 1_u64;
    let count = 30_000;
    for time in 0..count {
        noise = noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        writeln!(text, "{time},R,{},512", noise >> 20).unwrap();
    }
    (text, count)
}

fn count(content: &[u8]) -> Result<usize, String> {
    records(content).map(|records| records.len())
}

fn told(content: &[u8]) -> String {
    records(content).unwrap_err()
}

/// Pieces one behind the other, whole, cut and damaged.
#[rstest]
#[case::gzip(Compression::Gzip, "gzip")]
#[case::zstd(Compression::Zstd, "zstd")]
#[case::xz(Compression::Lzma, "xz")]
#[case::bzip2(Compression::Bzip, "bzip2")]
fn compressions_whole_cut_and_damaged(#[case] format: Compression, #[case] name: &str) {
    let (text, lines) = content();
    let bytes = packed(text.as_bytes(), format);
    assert_eq!(count(&bytes), Ok(lines));
    // Cut in the body, and just before the end mark.
    for length in [bytes.len() / 2, bytes.len() - 1] {
        names(
            &told(&bytes[..length]),
            &format!("t: the {name} data ends before its end mark (somewhere after line "),
        );
    }
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0x5a);
    // Whatever the lines turn into, the damage is what is reported.
    names(&told(&damaged), &format!("the {name} data is damaged ("));

    let (first, second) = text.split_at(text.len() / 3);
    let [first, second, nothing] = [first, second, ""].map(|part| packed(part.as_bytes(), format));
    assert_eq!(count(&[&first[..], &second].concat()), Ok(lines));
    assert_eq!(count(&[&nothing[..], &first, &nothing, &second, &nothing].concat()), Ok(lines));
    // The second cut short, and what is no piece behind it.
    names(&told(&[&first[..], &second[..second.len() / 2]].concat()), " data ");
    for garbage in [&b"garbage"[..], b"x", b"\xFD7zXZ\0"] {
        let found = told(&[&first[..], &second, garbage].concat());
        assert!(found.contains(" data is damaged (") || found.contains(" data ends before"), "{found}");
    }
    assert_eq!(told(&nothing), "t: is empty", "{format:?}");
    // Nor are lines left out because what holds them is cut.
    names(&refused(&bytes[..bytes.len() / 2], &with(&[("report", "")])), &format!("{name} data"));
}

/// xz pads with zero bytes in fours; zstd has frames to be skipped, before, between and behind those of data, and
/// windows of up to 2 GiB.
#[test]
fn padding_frames_to_skip_and_wide_windows() {
    let (text, lines) = content();
    let (first, second) = text.split_at(text.len() / 3);
    let [first_xz, second_xz] = [first, second].map(|part| packed(part.as_bytes(), Compression::Lzma));
    assert_eq!(count(&[&first_xz[..], &[0; 8], &second_xz, &[0; 4]].concat()), Ok(lines));
    names(&told(&[&first_xz[..], &[0; 3]].concat()), "the xz data ");
    let [first, second] = [first, second].map(|part| packed(part.as_bytes(), Compression::Zstd));
    let skip: &[u8] = b"\x53\x2A\x4D\x18\x05\0\0\0hello";
    assert_eq!(count(&[skip, &first, skip, skip, &second, skip].concat()), Ok(lines));
    assert_eq!(told(skip), "t: is empty");
    names(&told(&skip[..10]), "the zstd data ends before");
    let mut wide = zstd::Encoder::new(Vec::new(), 1).unwrap();
    wide.window_log(31).unwrap();
    wide.long_distance_matching(true).unwrap();
    wide.write_all(text.as_bytes()).unwrap();
    assert_eq!(count(&wide.finish().unwrap()), Ok(lines));
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let (folder, _path) = file("t", b"x");
    let [pipe, socket] = ["pipe", "socket"].map(|name| folder.path().join(name));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for (path, what) in
        [(&*pipe, "a named pipe"), (&socket, "a socket"), (Path::new("/dev/zero"), "a device of the system")]
    {
        let error = Trace::open(path, &OpenOptions::default()).unwrap_err().to_string();
        names(&error, &format!("{}: is {what}|not a regular file", path.display()));
    }
}

#[test]
fn unknown_content_is_shown_with_all_that_is_known() {
    for empty in [&b""[..], b"\xEF\xBB\xBF", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0"] {
        assert_eq!(told(empty), "t: is empty");
    }
    for (content, first_line) in [
        (&b"Hello,\r\nworld\n"[..], "Hello,"),
        (b"x", "x"),
        (b"\n\n", ""),
        (b"\x7fELF\x01\xff\n", "\\u{7f}ELF\\u{1}\u{fffd}"),
    ] {
        let found = told(content);
        names(&found, &format!("the first line reads: {first_line}\n"));
        for format in formats() {
            names(
                &found,
                &format!("\n    {:<10} {}\n               {}", format.name, format.about, format.example),
            );
        }
    }
    let binary = b"\x01\x02\x00\x00record\n\x00\xff\n";
    names(&told(binary), "t: is a binary file|the bytes 01 02 00 00 72 65 63 6f 72 64 0a 00 ff 0a\n");
    names(&refused(binary, &with(&[("format", "msr")])), "zero bytes");
}

/// Every format by all its names, in the order in which they are tried.
const KNOWN: &str = "csv, msr, blkparse, ftrace, biosnoop, mqsim, ssdsim, disksim, fio, fiolog, systor, spc, \
     alibaba, tencent, vscsi, blktrace, oracle, oracleGeneral, parquet, arrow, feather, columns";

#[test]
fn a_format_can_be_forced_and_its_name_must_exist() {
    let forced = |name| refused("Hello\n", &with(&[("format", name)]));
    names(&forced("blkprase"), &format!("format \"blkprase\"; did you mean \"blkparse\"?|: {KNOWN}"));
    assert!(!forced("z").contains("did you mean"));
    names(&forced("msr"), "t:1: Timestamp is missing|the line reads: Hello\n|128166372003061629,hm,0,Read,3");
    // Nor does one damaged line hide the format.
    names(
        &told(b"rubbish\n128166372003061629,hm,0,Read,383496192,32768,1413\n"),
        "t:1: Timestamp is missing",
    );
}

#[test]
fn missing_files_and_folders() {
    let (folder, path) = file("varmail.blkparse.zst", b"x");
    for (path, parts) in [
        (folder.path().join("varmial.blkparse.zst"), "/varmail.blkparse.zst?|no such file; did you mean"),
        (folder.path().join("none/x"), "none/x: no such file|/none)"),
        (folder.path().to_owned(), "is a directory"),
        (path.join("x"), "varmail.blkparse.zst/x: |Not a directory"),
    ] {
        names(&Trace::open(&path, &OpenOptions::default()).unwrap_err().to_string(), parts);
    }
    let missing = Trace::open(&folder.path().join("QQQ"), &OpenOptions::default()).unwrap_err().to_string();
    assert!(missing.ends_with("QQQ: no such file"), "{missing}");
}

#[test]
fn a_line_without_end_is_refused_in_constant_memory() {
    let mut content = HEADER.as_bytes().to_vec();
    content.resize(content.len() + (1 << 20), b'1');
    names(&told(&content), "line 2 is longer than 262144 bytes");
}

#[test]
fn records_before_an_error_are_delivered_and_the_error_is_reported_again() {
    let (_folder, path) = file("t", format!("{HEADER}0,R,0,1\n0,R,8,1\nrubbish\n"));
    let mut source = Trace::open(&path, &OpenOptions::default()).unwrap().source().unwrap();
    let mut out = Vec::new();
    assert_eq!(source.fill(&mut out, 100), Ok(2));
    let first = source.fill(&mut out, 100).unwrap_err();
    assert_eq!(source.fill(&mut out, 100).unwrap_err(), first);
    assert_eq!(out, [record(0, Op::Read, 0, 1), record(0, Op::Read, 8, 1)]);
}

#[test]
fn a_trace_can_be_played_many_times_and_record_by_record() {
    let (_folder, path) = file("t.csv", format!("{HEADER}5,R,0,1\n6,W,8,1\n"));
    for sort in [false, true] {
        let trace = Trace::open(&path, &OpenOptions { sort, ..OpenOptions::default() }).unwrap();
        assert_eq!((trace.name(), trace.format(), trace.events()), ("t.csv", "csv", None));
        let first = collect(trace.clone().source().unwrap().as_mut());
        assert_eq!(first, Ok(vec![record(0, Op::Read, 0, 1), record(1000, Op::Write, 8, 1)]));
        assert_eq!(collect(trace.source().unwrap().as_mut()), first);
    }
    // A line may be two records, of which one is asked for.
    let (_folder, path) = file("t", "8,0 0 1 0.000000000 5 D FWS 8 + 8 [x]\n".repeat(2));
    let mut source = Trace::open(&path, &OpenOptions::default()).unwrap().source().unwrap();
    let mut out = Vec::new();
    let counts = [(); 6].map(|()| source.fill(&mut out, 1).unwrap());
    assert_eq!(counts, [1, 1, 1, 1, 0, 0]);
    assert_eq!(read(&path, &OpenOptions::default()), Ok(out));
}

/// A tar archive whose first entry is called `name`.
fn tar(name: &str, content: &str) -> Vec<u8> {
    let mut bytes = name.as_bytes().to_vec();
    bytes.resize(257, 0);
    bytes.extend(b"ustar\x0000");
    bytes.resize(512, 0);
    bytes.extend(content.as_bytes());
    bytes
}

const LINES: &str =
    "128166372003061629,hm,0,Read,383496192,32768,1413\n128166372003061630,hm,0,Read,0,512,1\n";

fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.chars().flat_map(|character| bytes(character as u16)).collect()
}

#[rstest]
#[case::tar(tar("hm_0.csv", LINES), "is a tar archive|hm_0.csv")]
#[case::packed_tar(packed(&tar("hm_0.csv", LINES), Compression::Gzip), "gzip|is a tar archive")]
#[case::lfs(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n".to_vec(),
    "is a git-LFS pointer")]
#[case::zip(b"PK\x03\x04\x14\x00hm_0.csv".to_vec(), "is a ZIP archive")]
#[case::page(b"\n<!DOCTYPE HTML><html>".to_vec(), "is a web page")]
#[case::utf_16_with_mark(utf_16(&format!("\u{feff}{LINES}"), u16::to_le_bytes), "is UTF-16LE text")]
#[case::utf_16_without(utf_16(LINES, u16::to_le_bytes), "is UTF-16LE text")]
#[case::utf_16_turned_round(utf_16(&format!("\u{feff}{LINES}"), u16::to_be_bytes), "is UTF-16BE text")]
fn files_of_another_kind_are_named(#[case] content: Vec<u8>, #[case] what: &str) {
    let columns = [("columns", "time:us,op,offset:bytes,size:bytes")];
    for options in [OpenOptions::default(), with(&[("format", "msr")]), with(&columns)] {
        names(&refused(&content, &options), what);
    }
}

const HEADER: &str = "time_us,op,offset_bytes,size_bytes\n";

fn report() -> OpenOptions {
    OpenOptions { on_error: "report".parse().unwrap(), ..OpenOptions::default() }
}

fn scan(content: &str, options: &OpenOptions) -> Result<Summary, TraceError> {
    let (_folder, path) = file("t", content);
    Trace::open(&path, options)?.scan()
}

#[test]
fn bad_lines_are_counted_and_the_first_kept_with_their_numbers() {
    let content = format!(
        "{HEADER}0,R,0,512\nrubbish\n5,W,0,0\n4,R,0,512\n4,W,-1,512\n\n3,R,0,512\nx\ny\nz\n6,W,512,512\n"
    );
    let summary = scan(&content, &report()).unwrap();
    assert_eq!((summary.requests, summary.reads, summary.writes), (3, 2, 1));
    assert_eq!((summary.bad_lines, summary.span_ns, summary.first_bad_lines.len()), (7, 6000, 5));
    let parts = [
        "line 3: time_us is missing|(rubbish)",
        "line 4: a write of zero bytes|(5,W,0,0)",
        "line 6: offset_bytes is negative|(4,W,-1,512)",
        "line 8: time goes backwards: 0.000003000 s after 0.000004000 s|(3,R,0,512)",
        "line 9: time_us is missing|(x)",
    ];
    summary.first_bad_lines.iter().zip(parts).for_each(|(line, parts)| names(line, parts));
    let unknown = "skip".parse::<OnError>().unwrap_err().to_string();
    names(&unknown, "\"skip\"; valid: stop, report");
}

#[test]
fn what_is_left_is_the_same_trace_as_without_the_bad_lines() {
    let good = scan(&format!("{HEADER}0,R,0,512\n6,W,512,512\n"), &OpenOptions::default()).unwrap();
    // A first line that is refused must not set the origin of time.
    let damaged = format!("{HEADER}100,W,0,0\n200,R,0,512\n201,?\n206,W,512,512\n");
    let damaged = scan(&damaged, &report()).unwrap();
    assert_eq!((damaged.content_hash, damaged.bad_lines), (good.content_hash, 2));
    assert_eq!((good.bad_lines, good.first_bad_lines.len()), (0, 0));
    let sorted = OpenOptions { sort: true, ..report() };
    let device = "1 4 8 8 0\n2 5 8 8 0\n3 4 16 8 1\n";
    for (content, options) in
        [(&*format!("{HEADER}9,R,0,512\nrubbish\n5,W,0,512\n"), &sorted), (device, &report())]
    {
        let summary = scan(content, options).unwrap();
        assert_eq!((summary.requests, summary.bad_lines), (2, 1), "{content}");
    }
}

#[test]
fn a_trace_of_which_nothing_is_left_is_refused() {
    let message = scan("time_us,op,offset,size\n0,R,0,512\n", &report()).unwrap_err().to_string();
    names(
        &message,
        "t: holds no requests|wrong: 2, first line 1: |time_us,op,offset_bytes,size_bytes|(time_us,op,",
    );
    names(&message, "--columns time_us=time:us,op=op,offset=offset:bytes,size=size:bytes");
    let columns = Some("T=time:us,O=op,A=offset:bytes,S=size:bytes".to_owned());
    let message = scan("T,O,S,L\n0,R,0,512\n1,R,0,512\n", &OpenOptions { columns, ..report() }).unwrap_err();
    names(&message.to_string(), "wrong: 3, first line 1: |no column \"A\"");
}

#[test]
fn what_was_left_out_is_reported_for_a_transformed_trace_too() {
    let (_folder, path) = file("t", format!("{HEADER}0,R,0,512\nrubbish\n6,W,512,512\n"));
    let trace = Trace::open(&path, &report()).unwrap();
    let merge = vec![MergeSpec { trace: trace.clone(), shift_bytes: 4096, stream: None }];
    // Once scanned, a trace is played from memory.
    assert_eq!(trace.scan().unwrap().bad_lines, 1);
    let shifted = Transforms { shift_bytes: 4096, ..Transforms::default() };
    let repeat = Some(RepeatSpec { times: 3, gap_ns: None, shuffled_by: None });
    let repeated = Transforms { repeat, ..Transforms::default() };
    for (transforms, bad) in [(shifted, 1), (repeated, 1), (Transforms { merge, ..Transforms::default() }, 2)]
    {
        let summary = trace.transformed(transforms).unwrap().scan().unwrap();
        assert_eq!((summary.bad_lines, summary.first_bad_lines.len()), (bad, bad as usize));
    }
}

#[test]
fn what_is_not_played_is_not_left_out() {
    let good = |lines: std::ops::Range<u64>| {
        lines.map(|time| format!("{time},R,0,512\n")).collect::<Vec<_>>().concat()
    };
    let bad = "rubbish\n".repeat(20);
    let (_folder, path) = file("t", format!("{HEADER}{bad}{}{bad}{}{bad}", good(0..100), good(100..9000)));
    let first = |requests| Transforms { max_requests: Some(requests), ..Transforms::default() };
    let until = |to_ns| Transforms { to_ns: Some(to_ns), ..Transforms::default() };
    for scanned_before in [false, true] {
        let trace = Trace::open(&path, &report()).unwrap();
        if scanned_before {
            assert_eq!(trace.scan().unwrap().bad_lines, 60);
        }
        let ways = [(first(1), 20), (first(100), 20), (first(101), 40), (first(8900), 40)];
        for (transforms, bad) in ways.into_iter().chain([(until(50_000), 20), (until(200_000), 40)]) {
            let summary = trace.transformed(transforms).unwrap().scan().unwrap();
            assert_eq!(summary.bad_lines, bad, "of {} requests", summary.requests);
        }
    }
}
