//! Files as such: compressed, cut, empty, missing, or no trace at all.

use std::fmt::Write as _;
use std::io::Write as _;

use crate::common::{collect, file, message, read, record, records};
use niffler::Level;
use niffler::send::compression::Format as Compression;
use reclaim_trace::{Op, OpenOptions, Trace, formats};
use rstest::rstest;

/// A trace that no compression makes so small that it arrives in one piece, and what it holds.
fn content() -> (String, usize) {
    let mut text = "time_us,op,offset_bytes,size_bytes\n".to_owned();
    let mut noise = 1_u64;
    let count = 30_000;
    for time in 0..count {
        noise = noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        writeln!(text, "{time},R,{},512", noise >> 20).unwrap();
    }
    (text, count)
}

fn packed(content: &[u8], format: Compression) -> Vec<u8> {
    let (_folder, path) = file("packed", b"");
    let output = std::fs::File::create(&path).unwrap();
    let mut writer = niffler::send::get_writer(Box::new(output), format, Level::Three).unwrap();
    writer.write_all(content).unwrap();
    drop(writer);
    std::fs::read(&path).unwrap()
}

#[rstest]
#[case::plain(Compression::No, "")]
#[case::gzip(Compression::Gzip, "gzip")]
#[case::zstd(Compression::Zstd, "zstd")]
#[case::xz(Compression::Lzma, "xz")]
#[case::bzip2(Compression::Bzip, "bzip2")]
fn compressions_whole_cut_and_damaged(#[case] format: Compression, #[case] name: &str) {
    let (text, count) = content();
    let bytes = packed(text.as_bytes(), format);
    assert_eq!(records(&bytes).map(|r| r.len()), Ok(count));
    if name.is_empty() {
        return;
    }
    // Cut in the body, and just before the end mark.
    for length in [bytes.len() / 2, bytes.len() - 1] {
        let message = message(&bytes[..length], None);
        let (start, end) = (
            format!("t: the {name} data ends before its end mark (somewhere after line "),
            "): the file is cut short, or something was put behind it; copy or download it again",
        );
        assert!(message.starts_with(&start) && message.ends_with(end), "{length} bytes: {message}");
    }
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0x5a);
    // Whatever the lines turn into, the damage is what is reported.
    let message = message(&damaged, None);
    assert!(message.contains(&format!("the {name} data is damaged (")), "{message}");
}

#[test]
fn several_packed_pieces_in_one_file() {
    let (text, count) = content();
    let (first, second) = text.split_at(text.len() / 3);
    for format in [Compression::Gzip, Compression::Zstd, Compression::Bzip, Compression::Lzma] {
        let (first, second) = (packed(first.as_bytes(), format), packed(second.as_bytes(), format));
        let nothing = packed(b"", format);
        for pieces in [vec![&first, &second], vec![&nothing, &first, &nothing, &second, &nothing]] {
            let bytes: Vec<u8> = pieces.into_iter().flatten().copied().collect();
            assert_eq!(records(&bytes).map(|r| r.len()), Ok(count), "{format:?}");
        }
        // The second cut short, and what is no piece behind it.
        let cut = [&first[..], &second[..second.len() / 2]].concat();
        assert!(message(&cut, None).contains(" data "), "{format:?}: {}", message(&cut, None));
        for garbage in [&b"garbage"[..], b"x", b"\xFD7zXZ\0"] {
            let garbled = [&first[..], &second, garbage].concat();
            let found = message(&garbled, None);
            assert!(found.contains(" data is damaged (") || found.contains(" data ends before"), "{found}");
        }
        assert_eq!(message(&nothing, None), "t: is empty", "{format:?}");
    }
}

/// xz pads with zero bytes in fours; zstd has frames to be skipped, before, between and behind those of data, and
/// windows of up to 2 GiB.
#[test]
fn padding_frames_to_skip_and_wide_windows() {
    let (text, count) = content();
    let (first, second) = text.split_at(text.len() / 3);
    let [first_xz, second_xz] = [first, second].map(|part| packed(part.as_bytes(), Compression::Lzma));
    let padded = [&first_xz[..], &[0; 8], &second_xz, &[0; 4]].concat();
    assert_eq!(records(&padded).map(|r| r.len()), Ok(count));
    let askew = [&first_xz[..], &[0; 3]].concat();
    assert!(message(&askew, None).contains("the xz data "), "{}", message(&askew, None));
    let [first, second] = [first, second].map(|part| packed(part.as_bytes(), Compression::Zstd));
    let skip: &[u8] = b"\x53\x2A\x4D\x18\x05\0\0\0hello";
    let skipping = [skip, &first, skip, skip, &second, skip].concat();
    assert_eq!(records(&skipping).map(|r| r.len()), Ok(count));
    assert_eq!(message(skip, None), "t: is empty");
    assert!(
        message(&skip[..10], None).contains("the zstd data ends before"),
        "{}",
        message(&skip[..10], None)
    );
    let mut wide = zstd::Encoder::new(Vec::new(), 1).unwrap();
    wide.window_log(31).unwrap();
    wide.long_distance_matching(true).unwrap();
    wide.write_all(text.as_bytes()).unwrap();
    assert_eq!(records(&wide.finish().unwrap()).map(|r| r.len()), Ok(count));
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let (folder, path) = file("t", b"x");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let socket = folder.path().join("socket");
    let _bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let open = |path: &std::path::Path| Trace::open(path, &OpenOptions::default()).unwrap_err().to_string();
    let why = "not a regular file; a trace is read more than once, so save it to a file";
    for (path, what) in [
        (pipe.as_path(), "a named pipe"),
        (&socket, "a socket"),
        (std::path::Path::new("/dev/zero"), "a device of the system"),
    ] {
        assert_eq!(open(path), format!("{}: is {what}, {why}", path.display()));
    }
    drop(path);
}

#[rstest]
#[case::empty(b"", "t: is empty")]
#[case::byte_order_mark(b"\xEF\xBB\xBF", "t: is empty")]
#[case::packed_nothing(
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00",
    "t: is empty"
)]
fn empty_files(#[case] content: &[u8], #[case] expected: &str) {
    assert_eq!(message(content, None), expected);
}

#[rstest]
#[case::text(b"Hello,\r\nworld\n", "Hello,")]
#[case::short(b"x", "x")]
#[case::blank(b"\n\n", "")]
#[case::control(b"\x7fELF\x01\xff\n", "\\u{7f}ELF\\u{1}\u{fffd}")]
fn unknown_content(#[case] content: &[u8], #[case] first_line: &str) {
    let found = message(content, None);
    let start = format!(
        "t: is in no trace format known here\n  the first line reads: {first_line}\n  \
         known formats, each with an example line:\n    \
         csv        Reclaim's own table, with the header time_us,op,offset_bytes,size_bytes\n               \
         1308.875,write,3173736448,4096\n"
    );
    assert!(found.starts_with(&start), "{found}");
    for format in formats() {
        let listed = format!("\n    {:<10} {}\n               {}", format.name, format.about, format.example);
        assert!(found.contains(&listed), "{found}");
    }
}

/// Every format by all its names, in the order in which they are tried.
const KNOWN: &str = "csv, msr, blkparse, ftrace, mqsim, ssdsim, disksim, fio, fiolog, systor, spc, alibaba, \
     tencent, vscsi, blktrace, parquet, arrow, feather, columns";

#[test]
fn a_format_can_be_forced_and_its_name_must_exist() {
    assert_eq!(
        message(b"x", Some("blkprase")),
        format!("unknown trace format \"blkprase\"; did you mean \"blkparse\"?; known formats: {KNOWN}")
    );
    assert_eq!(message(b"x", Some("z")), format!("unknown trace format \"z\"; known formats: {KNOWN}"));
    assert_eq!(
        message(b"Hello\n", Some("msr")),
        "t:1: Timestamp is missing or not a number\n  the line reads: Hello\n  \
         expected: 128166372003061629,hm,0,Read,383496192,32768,1413"
    );
}

#[test]
fn one_damaged_line_does_not_hide_the_format() {
    let content = "rubbish\n128166372003061629,hm,0,Read,383496192,32768,1413\n";
    assert!(message(content.as_bytes(), None).starts_with("t:1: Timestamp is missing or not a number\n"));
}

#[test]
fn missing_files_and_folders() {
    let (folder, path) = file("varmail.blkparse.zst", b"x");
    let open = |path: &std::path::Path| {
        let error = Trace::open(path, &OpenOptions::default()).unwrap_err();
        error.to_string().replace(&folder.path().display().to_string(), "F")
    };
    assert_eq!(
        open(&folder.path().join("varmial.blkparse.zst")),
        "F/varmial.blkparse.zst: no such file; did you mean F/varmail.blkparse.zst?"
    );
    assert_eq!(open(&folder.path().join("QQQ")), "F/QQQ: no such file");
    assert_eq!(open(&folder.path().join("none/x")), "F/none/x: no such file (nor is there a folder F/none)");
    assert_eq!(open(folder.path()), "F: is a directory, not a trace file; name one file in it");
    assert_eq!(open(&path.join("x")), "F/varmail.blkparse.zst/x: cannot be opened: Not a directory");
}

#[test]
fn a_line_without_end_is_refused_in_constant_memory() {
    let mut content = b"time_us,op,offset_bytes,size_bytes\n".to_vec();
    content.resize(content.len() + (1 << 20), b'1');
    assert_eq!(message(&content, None), "t: line 2 is longer than 262144 bytes; this is not a text trace");
}

#[test]
fn records_before_an_error_are_delivered_and_the_error_is_reported_again() {
    let (_folder, path) = file("t", b"time_us,op,offset_bytes,size_bytes\n0,R,0,1\n0,R,8,1\nrubbish\n");
    let mut source = Trace::open(&path, &OpenOptions::default()).unwrap().source().unwrap();
    let mut out = Vec::new();
    assert_eq!(source.fill(&mut out, 100), Ok(2));
    let first = source.fill(&mut out, 100).unwrap_err();
    assert_eq!(source.fill(&mut out, 100).unwrap_err(), first);
    assert_eq!(out, [record(0, Op::Read, 0, 1), record(0, Op::Read, 8, 1)]);
}

#[test]
fn a_trace_can_be_played_many_times() {
    let (_folder, path) = file("t.csv", b"time_us,op,offset_bytes,size_bytes\n5,R,0,1\n6,W,8,1\n");
    for sort in [false, true] {
        let trace = Trace::open(&path, &OpenOptions { sort, ..OpenOptions::default() }).unwrap();
        assert_eq!((trace.name(), trace.format(), trace.events()), ("t.csv", "csv", None));
        let first = collect(trace.clone().source().unwrap().as_mut());
        assert_eq!(first, Ok(vec![record(0, Op::Read, 0, 1), record(1000, Op::Write, 8, 1)]));
        assert_eq!(collect(trace.source().unwrap().as_mut()), first);
    }
}

#[test]
fn at_most_as_many_records_as_asked_for() {
    let (_folder, path) =
        file("t", b"8,0 0 1 0.000000000 5 D FWS 8 + 8 [x]\n8,0 0 1 0.000000000 5 D FWS 8 + 8 [x]\n");
    let mut source = Trace::open(&path, &OpenOptions::default()).unwrap().source().unwrap();
    let mut out = Vec::new();
    let mut counts = Vec::new();
    loop {
        counts.push(source.fill(&mut out, 1).unwrap());
        if counts.last() == Some(&0) {
            break;
        }
    }
    assert_eq!(counts, [1, 1, 1, 1, 0]);
    assert_eq!(read(&path, &OpenOptions::default()), Ok(out));
}

/// A tar archive's first entry is called `name`.
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

fn utf_16(text: &str, mark: bool, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = mark.then_some('\u{feff}');
    mark.into_iter().chain(text.chars()).flat_map(|character| bytes(character as u16)).collect()
}

#[rstest]
#[case::tar(tar("hm_0.csv", LINES), "t: is a tar archive, whose first entry is called hm_0.csv; unpack it")]
#[case::packed_tar(packed(&tar("hm_0.csv", LINES), Compression::Gzip), "t: unpacked from gzip, is a tar \
    archive")]
#[case::lfs(
    b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n".to_vec(),
    "t: is a git-LFS pointer, not the file it stands for"
)]
#[case::zip(b"PK\x03\x04\x14\x00hm_0.csv".to_vec(), "t: is a ZIP archive")]
#[case::page(b"\n<!DOCTYPE HTML><html>".to_vec(), "t: is a web page, not a trace")]
#[case::utf_16_with_mark(utf_16(LINES, true, u16::to_le_bytes), "t: is UTF-16LE text; make it UTF-8")]
#[case::utf_16_without(utf_16(LINES, false, u16::to_le_bytes), "t: is UTF-16LE text; make it UTF-8")]
#[case::utf_16_turned_round(utf_16(LINES, true, u16::to_be_bytes), "t: is UTF-16BE text; make it UTF-8")]
fn files_of_another_kind_are_named(#[case] content: Vec<u8>, #[case] told: &str) {
    for format in [None, Some("msr")] {
        let message = message(&content, format);
        assert!(message.starts_with(told), "{message}");
    }
    let (_folder, path) = file("t", &content);
    let columns = Some("time:us,op,offset:bytes,size:bytes".to_owned());
    let message =
        Trace::open(&path, &OpenOptions { columns, ..OpenOptions::default() }).unwrap_err().to_string();
    assert!(message.contains(&told[3..]), "{message}");
}

#[test]
fn binary_files_of_no_format_are_said_to_be_binary() {
    let binary = b"\x01\x02\x00\x00record\n\x00\xff\n";
    assert!(
        message(binary, None).starts_with(
            "t: is a binary file in no format known here\n  it begins with the bytes 01 02 00 00 72 65 63 \
             6f 72 64 0a 00 ff 0a\n"
        ),
        "{}",
        message(binary, None)
    );
    assert!(
        message(binary, Some("msr"))
            .contains("; the line has zero bytes: the file is no text, or damaged here")
    );
}
