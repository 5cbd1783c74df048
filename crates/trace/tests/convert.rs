//! Writing traces: what comes back is the same trace, or what was lost is reported.

use std::path::Path;

use crate::common::{collect, file, record};
use reclaim_trace::{BadLines, OnError, Op, OpenOptions, OutputFormat, Record, Trace, Written};
use rstest::rstest;
use tempfile::TempDir;

fn trace(records: Vec<Record>) -> Trace {
    Trace::from_records("memory", records)
}

/// Requests that every format can express: whole microseconds and sectors, reads and writes only.
fn plain() -> Vec<Record> {
    (0..10_000)
        .map(|index| {
            let op = if index % 3 == 0 { Op::Read } else { Op::Write };
            record(index * 7000, op, index * 7919 % 4096 * 512, 512 * (1 + index % 64))
        })
        .collect()
}

fn awkward() -> Vec<Record> {
    vec![
        record(0, Op::Write, 100, 1000),
        record(1, Op::Trim, 0, 1 << 40),
        record(1500, Op::Flush, 0, 0),
        record(2000, Op::Read, 512, 512),
    ]
}

fn reopened(trace: &Trace, name: &str) -> (Written, Trace) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    let written = trace.convert(&path, None, false).unwrap();
    let reopened = Trace::open(&path, &OpenOptions::default()).unwrap();
    // Scanned while the file is still there.
    reopened.scan().unwrap();
    (written, reopened)
}

#[rstest]
#[case("t.csv", "csv")]
#[case("t.csv.zst", "csv")]
#[case("t.csv.gz", "csv")]
#[case("t.parquet", "parquet")]
#[case("t.mqsim", "mqsim")]
#[case("t.trace", "mqsim")]
#[case("t.trace.xz", "mqsim")]
#[case("t.fio", "fio")]
#[case("T.IOLOG.BZ2", "fio")]
fn what_a_format_can_express_comes_back_the_same(#[case] name: &str, #[case] format: &str) {
    let original = trace(plain());
    let (written, reopened) = reopened(&original, name);
    assert_eq!(written, Written { requests: 10_000, bad_lines: BadLines::default(), losses: Vec::new() });
    assert_eq!(reopened.format(), format);
    assert_eq!(reopened.scan().unwrap().content_hash, original.scan().unwrap().content_hash);
}

#[test]
fn csv_and_parquet_lose_nothing() {
    for name in ["t.csv", "t.parquet"] {
        let original = trace(awkward());
        let (written, reopened) = reopened(&original, name);
        assert!(written.losses.is_empty());
        assert_eq!(collect(reopened.source().unwrap().as_mut()), Ok(awkward()));
    }
}

/// Streams have a column where a trace has any; formats without one say so.
#[test]
fn streams_come_back_from_what_has_a_column_for_them() {
    let records =
        || awkward().into_iter().zip([0, 3, 0, 255]).map(|(each, stream)| Record { stream, ..each });
    let original = trace(records().collect());
    let before = original.scan().unwrap();
    assert_ne!(before.content_hash, trace(awkward()).scan().unwrap().content_hash);
    for name in ["t.csv.gz", "t.parquet"] {
        let (written, reopened) = reopened(&original, name);
        assert!(written.losses.is_empty() && reopened.has_streams());
        assert_eq!(
            collect(reopened.source().unwrap().as_mut()),
            Ok(records().collect()),
            "packed by the scan"
        );
        let after = reopened.scan().unwrap();
        assert_eq!((after.last_stream, &after.content_hash), (255, &before.content_hash), "{name}");
    }
    for name in ["t.csv", "t.parquet"] {
        assert!(!reopened(&trace(awkward()), name).1.has_streams(), "{name}: no column without a stream");
    }
    let whole = trace(plain().into_iter().map(|each| Record { stream: 1, ..each }).collect());
    let (written, reopened) = reopened(&whole, "t.mqsim");
    assert_eq!(written.losses, ["streams left out: only csv and parquet have a column for them"]);
    assert_eq!(reopened.scan().unwrap().last_stream, 0);
}

#[test]
fn a_stream_that_a_drive_has_not_is_named_with_its_line() {
    let lines =
        "time_us,op,offset_bytes,size_bytes,stream\n0,W,0,512,3\n\n1,W,0,512,\n2,W,0,512,4\n3,F,0,0,9\n";
    let (folder, path) = file("t.csv", lines.as_bytes());
    let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
    assert_eq!((trace.check_streams(10, "k"), trace.scan().unwrap().last_stream), (Ok(()), 9));
    let said = trace.check_streams(4, "k").unwrap_err().to_string();
    assert_eq!(
        said.replace(&format!("{}/", folder.path().display()), ""),
        "t.csv:5: stream 4 is none of the drive's, which are 0 to 3 with k = 4\n  \
         the line reads: 2,W,0,512,4\n  expected: 1308.875,write,3173736448,4096"
    );
    let of_memory = Trace::from_records("m", collect(trace.source().unwrap().as_mut()).unwrap());
    let said = of_memory.check_streams(4, "k").unwrap_err().to_string();
    assert_eq!(
        said,
        "trace \"m\": record 2 (from 0): stream 4 is none of the drive's, which are 0 to 3 with k = 4"
    );
}

#[test]
fn mqsim_says_what_it_has_no_words_for() {
    let (written, reopened) = reopened(&trace(awkward()), "t.mqsim");
    assert_eq!(
        written.losses,
        [
            "1 trims left out: MQSim's format has none",
            "1 flushes left out: MQSim's format has none",
            "1 requests widened to whole sectors of 512 bytes"
        ]
    );
    assert_eq!(written.requests, 2);
    let expected = vec![record(0, Op::Write, 0, 1536), record(2000, Op::Read, 512, 512)];
    assert_eq!(collect(reopened.source().unwrap().as_mut()), Ok(expected));
}

#[test]
fn fio_says_that_times_were_rounded() {
    let (written, reopened) = reopened(&trace(awkward()), "t.fio");
    assert_eq!(
        written.losses,
        ["2 times rounded down to whole microseconds, which is all that fio's format has"]
    );
    let expected = awkward()
        .into_iter()
        .map(|record| Record { time_ns: record.time_ns / 1000 * 1000, ..record })
        .collect::<Vec<_>>();
    assert_eq!(collect(reopened.source().unwrap().as_mut()), Ok(expected));
}

#[test]
fn nothing_is_overwritten_by_accident_and_nothing_half_written_stays() {
    let (folder, path) = file("t.csv", b"precious");
    let error = trace(plain()).convert(&path, None, false).unwrap_err().to_string();
    assert!(error.ends_with("t.csv: exists already; --force overwrites it"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");

    let (_source, bad) = file("bad", b"time_us,op,offset_bytes,size_bytes\n0,R,0,512\nrubbish\n");
    let bad = Trace::open(&bad, &OpenOptions::default()).unwrap();
    assert!(bad.convert(&path, None, true).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    trace(plain()).convert(&path, Some(OutputFormat::Fio), true).unwrap();
    assert!(std::fs::read(&path).unwrap().starts_with(b"fio version 3 iolog\n"));
}

#[test]
fn a_file_without_a_request_is_not_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("t.mqsim");
    let flushes = trace(vec![record(0, Op::Flush, 0, 0)]);
    let error = flushes.convert(&path, None, false).unwrap_err().to_string();
    assert!(
        error.ends_with("would hold no requests: 1 flushes left out: MQSim's format has none"),
        "{error}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn what_is_overwritten_keeps_its_kind_and_permissions() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let (folder, path) = file("t.csv", b"old");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let link = folder.path().join("link.csv");
    symlink(&path, &link).unwrap();
    trace(plain()).convert(&link, None, true).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_ne!(std::fs::read(&path).unwrap(), b"old");

    for force in [false, true] {
        let device = trace(plain()).convert(Path::new("/dev/null"), Some(OutputFormat::Csv), force);
        assert!(device.unwrap_err().to_string().contains("is not a regular file"));
    }
}

#[test]
fn lines_that_are_left_out_are_reported() {
    let (_folder, path) = file("t.csv", b"time_us,op,offset_bytes,size_bytes\n0,R,0,512\nrubbish\n");
    let options = OpenOptions { on_error: OnError::Report, ..OpenOptions::default() };
    let written = Trace::open(&path, &options).unwrap().convert(&path, None, true).unwrap();
    assert_eq!((written.requests, written.bad_lines.count), (1, 1));
    assert_eq!(written.bad_lines.first, ["line 3: time_us is missing or not a number (rubbish)"]);
}

#[test]
fn a_trace_may_be_converted_onto_itself() {
    let (_folder, path) = file("t.csv", b"time_us,op,offset_bytes,size_bytes\n0,R,0,512\n");
    let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
    trace.convert(&path, Some(OutputFormat::Mqsim), true).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"0 0 0 1 1\n");
}

#[rstest]
#[case("t", "t: the name does not tell the format; end it with .csv, .parquet, .mqsim or .fio, or use --as")]
#[case(
    "t.zst",
    "t.zst: the name does not tell the format; end it with .csv, .parquet, .mqsim or .fio, or use --as"
)]
#[case("t.parquet.gz", "t.parquet.gz: Parquet is packed inside; leave out the second extension")]
#[case("none/t.csv", "none/t.csv: cannot be written: No such file or directory (os error 2)")]
fn impossible_outputs(#[case] name: &str, #[case] reason: &str) {
    let folder = TempDir::new().unwrap();
    let error = trace(plain()).convert(&folder.path().join(name), None, false).unwrap_err().to_string();
    assert_eq!(error.replace(&format!("{}/", folder.path().display()), ""), reason);
    let unknown = "excel".parse::<OutputFormat>().unwrap_err().to_string();
    assert_eq!(unknown, "unknown output format \"excel\"; valid: csv, parquet, mqsim, fio");
}

#[rstest]
#[case("t.parquet")]
#[case("t.csv.zst")]
fn a_flipped_bit_in_what_was_written_is_noticed(#[case] name: &str) {
    let original = trace(plain());
    let hash = original.scan().unwrap().content_hash;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    original.convert(&path, None, false).unwrap();
    let good = std::fs::read(&path).unwrap();
    for place in 1..60 {
        let mut damaged = good.clone();
        let at = good.len() * place / 60;
        damaged[at] ^= 1 << (place % 8);
        std::fs::write(&path, &damaged).unwrap();
        let read = Trace::open(&path, &OpenOptions::default()).and_then(|trace| trace.scan());
        // A bit that says nothing of the requests, such as one of the statistics of a page, may be another.
        if let Ok(summary) = read {
            assert_eq!(summary.content_hash, hash, "byte {at} of {}", good.len());
        }
    }
}

#[test]
fn zstd_frames_have_a_checksum_and_parquet_files_one_of_their_requests() {
    let folder = TempDir::new().unwrap();
    let packed = folder.path().join("t.csv.zst");
    trace(plain()).convert(&packed, None, false).unwrap();
    // Bit 2 of the byte behind the magic number (RFC 8878, 3.1.1.1.1).
    assert_eq!(std::fs::read(&packed).unwrap()[4] & 4, 4);

    let table = folder.path().join("t.parquet");
    trace(awkward()).convert(&table, None, false).unwrap();
    let mut bytes = std::fs::read(&table).unwrap();
    let key = b"reclaim.blake3";
    let at = bytes.windows(key.len()).position(|window| window == key).unwrap() + key.len();
    let digit = at + bytes[at..].iter().position(u8::is_ascii_hexdigit).unwrap() + 2;
    bytes[digit] = if bytes[digit] == b'0' { b'1' } else { b'0' };
    std::fs::write(&table, &bytes).unwrap();
    let scanned = |options: &OpenOptions| Trace::open(&table, options).unwrap().scan();
    let error = scanned(&OpenOptions::default()).unwrap_err().to_string();
    assert!(error.contains("its requests are not those that were written, by their checksum"), "{error}");
    // Read as another table, it is not what was written.
    let columns = Some("time_ns=time:us,op=op,offset_bytes=offset:bytes,size_bytes=size:bytes".to_owned());
    assert!(scanned(&OpenOptions { columns, ..OpenOptions::default() }).is_ok());
}
