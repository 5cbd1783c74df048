//! Writing traces: what comes back is the same trace, or what was lost is reported.

use std::path::Path;

use crate::common::{collect, file, in_order, names, record, with};
use proptest::prelude::*;
use reclaim_trace::{
    BadLines, MAX_TRANSFER_BYTES, Op, OpenOptions, OutputFormat, Record, Trace, Written, write_normalised_csv,
};
use rstest::rstest;
use tempfile::TempDir;

fn trace(records: Vec<Record>) -> Trace {
    Trace::from_records("memory", records)
}

/// Requests that every format can express: whole microseconds and sectors, reads and writes only.
fn plain() -> Vec<Record> {
    let request = |index: u64| {
        let op = if index.is_multiple_of(3) { Op::Read } else { Op::Write };
        record(index * 7000, op, index * 7919 % 4096 * 512, 512 * (1 + index % 64))
    };
    (0..10_000).map(request).collect()
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
    let (written, again) = reopened(&original, name);
    assert_eq!(written, Written { requests: 10_000, bad_lines: BadLines::default(), losses: Vec::new() });
    assert_eq!(again.format(), format);
    assert_eq!(again.scan().unwrap().content_hash, original.scan().unwrap().content_hash);
    if ["csv", "parquet"].contains(&format) {
        let (written, again) = reopened(&trace(awkward()), name);
        assert!(written.losses.is_empty());
        assert_eq!(collect(again.source().unwrap().as_mut()), Ok(awkward()));
    }
}

/// Streams have a column where a trace has any; formats without one say so.
#[test]
fn streams_come_back_from_what_has_a_column_for_them() {
    let streams = awkward().into_iter().zip([0, 3, 0, 255]);
    let records: Vec<_> = streams.map(|(each, stream)| Record { stream, ..each }).collect();
    let original = trace(records.clone());
    let before = original.scan().unwrap();
    assert_ne!(before.content_hash, trace(awkward()).scan().unwrap().content_hash);
    for name in ["t.csv.gz", "t.parquet"] {
        let (written, again) = reopened(&original, name);
        assert!(written.losses.is_empty() && again.has_streams());
        assert_eq!(collect(again.source().unwrap().as_mut()).as_ref(), Ok(&records), "packed by the scan");
        let after = again.scan().unwrap();
        assert_eq!((after.last_stream, &after.content_hash), (255, &before.content_hash), "{name}");
        assert!(!reopened(&trace(awkward()), name).1.has_streams(), "{name}: no column without a stream");
    }
    let whole = trace(plain().into_iter().map(|each| Record { stream: 1, ..each }).collect());
    let (written, again) = reopened(&whole, "t.mqsim");
    names(&written.losses.join("\n"), "streams left out|csv and parquet");
    assert_eq!((written.losses.len(), again.scan().unwrap().last_stream), (1, 0));
}

#[test]
fn a_stream_that_a_drive_has_not_is_named_with_its_line() {
    let lines =
        "time_us,op,offset_bytes,size_bytes,stream\n0,W,0,512,3\n\n1,W,0,512,\n2,W,0,512,4\n3,F,0,0,9\n";
    let (_folder, path) = file("t.csv", lines);
    let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
    assert_eq!((trace.check_streams(10, "k"), trace.scan().unwrap().last_stream), (Ok(()), 9));
    let said = |trace: &Trace| trace.check_streams(4, "k").unwrap_err().to_string();
    names(&said(&trace), "t.csv:5: stream 4|0 to 3 with k = 4|the line reads: 2,W,0,512,4\n");
    let of_memory = Trace::from_records("m", collect(trace.source().unwrap().as_mut()).unwrap());
    names(&said(&of_memory), "\"m\": record 2 (from 0): stream 4|0 to 3 with k = 4");
}

#[test]
fn mqsim_and_fio_say_what_they_have_no_words_for() {
    let (written, again) = reopened(&trace(awkward()), "t.mqsim");
    assert_eq!((written.losses.len(), written.requests), (3, 2));
    names(&written.losses.join("\n"), "1 trims left out|1 flushes left out|1 requests widened|512 bytes");
    let expected = vec![record(0, Op::Write, 0, 1536), record(2000, Op::Read, 512, 512)];
    assert_eq!(collect(again.source().unwrap().as_mut()), Ok(expected));

    let (written, again) = reopened(&trace(awkward()), "t.fio");
    assert_eq!(written.losses.len(), 1);
    names(&written.losses[0], "2 times rounded down to whole microseconds");
    let whole = |record: Record| Record { time_ns: record.time_ns / 1000 * 1000, ..record };
    let expected: Vec<_> = awkward().into_iter().map(whole).collect();
    assert_eq!(collect(again.source().unwrap().as_mut()), Ok(expected));
}

#[test]
fn nothing_is_overwritten_by_accident_and_nothing_half_written_stays() {
    let (folder, path) = file("t.csv", b"precious");
    let error = trace(plain()).convert(&path, None, false).unwrap_err().to_string();
    names(&error, "t.csv: exists already|--force");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");

    let (_source, bad) = file("bad", b"time_us,op,offset_bytes,size_bytes\n0,R,0,512\nrubbish\n");
    let bad = Trace::open(&bad, &OpenOptions::default()).unwrap();
    assert!(bad.convert(&path, None, true).is_err());
    // Nor is a file without a request written.
    let flushes = trace(vec![record(0, Op::Flush, 0, 0)]);
    let error = flushes.convert(&path, Some(OutputFormat::Mqsim), true).unwrap_err().to_string();
    names(&error, "no requests|1 flushes left out");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    trace(plain()).convert(&path, Some(OutputFormat::Fio), true).unwrap();
    assert!(std::fs::read(&path).unwrap().starts_with(b"fio version 3 iolog\n"));
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
        names(&device.unwrap_err().to_string(), "not a regular file");
    }
}

#[test]
fn a_trace_may_be_converted_onto_itself_without_the_lines_that_are_left_out() {
    let (_folder, path) = file("t.csv", b"time_us,op,offset_bytes,size_bytes\n0,R,0,512\nrubbish\n");
    let bad = Trace::open(&path, &with(&[("report", "")])).unwrap();
    let written = bad.convert(&path, None, true).unwrap();
    assert_eq!((written.requests, written.bad_lines.count), (1, 1));
    names(&written.bad_lines.first[0], "line 3: time_us|(rubbish)");
    let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
    trace.convert(&path, Some(OutputFormat::Mqsim), true).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"0 0 0 1 1\n");
}

#[test]
fn impossible_outputs() {
    let folder = TempDir::new().unwrap();
    for (name, parts) in [
        ("t", "/t: |.csv, .parquet, .mqsim or .fio, or use --as"),
        ("t.zst", "/t.zst: |.csv, .parquet, .mqsim or .fio, or use --as"),
        ("t.parquet.gz", "/t.parquet.gz: |packed inside"),
        ("none/t.csv", "none/t.csv: cannot be written: No such file"),
    ] {
        let error = trace(plain()).convert(&folder.path().join(name), None, false).unwrap_err();
        names(&error.to_string(), parts);
    }
    let unknown = "excel".parse::<OutputFormat>().unwrap_err().to_string();
    names(&unknown, "\"excel\"; valid: csv, parquet, mqsim, fio");
}

#[rstest]
fn a_flipped_bit_in_what_was_written_is_noticed(#[values("t.parquet", "t.csv.zst")] name: &str) {
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
        // A bit that says nothing of the requests, such as one of the statistics of a page, may be another.
        if let Ok(summary) = Trace::open(&path, &OpenOptions::default()).and_then(|trace| trace.scan()) {
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
    names(&scanned(&OpenOptions::default()).unwrap_err().to_string(), "checksum");
    // Read as another table, it is not what was written.
    let columns = "time_ns=time:us,op=op,offset_bytes=offset:bytes,size_bytes=size:bytes";
    assert!(scanned(&with(&[("columns", columns)])).is_ok());
}

fn any_records() -> impl Strategy<Value = Vec<Record>> {
    let size = prop_oneof![Just(1_u64), Just(4096), Just(MAX_TRANSFER_BYTES), 1..=MAX_TRANSFER_BYTES];
    let op = prop_oneof![Just(Op::Read), Just(Op::Write), Just(Op::Trim), Just(Op::Flush)];
    let gap = prop_oneof![Just(0_u64), 0_u64..5000, 0_u64..1 << 50];
    let one = (gap, 0..u64::MAX - MAX_TRANSFER_BYTES, size, op);
    prop::collection::vec(one, 1..50).prop_map(in_order)
}

fn as_csv(trace: &Trace) -> Vec<u8> {
    let mut text = Vec::new();
    write_normalised_csv(trace, &mut text).unwrap().unwrap();
    text
}

proptest! {
    #[test]
    fn normalised_csv_loses_nothing(records in any_records()) {
        let trace = trace(records.clone());
        let (_folder, path) = file("t.csv", as_csv(&trace));
        let reopened = Trace::open(&path, &OpenOptions::default()).unwrap();
        prop_assert_eq!(collect(reopened.source().unwrap().as_mut()), Ok(records));
        let (from_memory, from_file) = (trace.scan().unwrap(), reopened.scan().unwrap());
        prop_assert_eq!(from_memory.content_hash, from_file.content_hash);
        prop_assert_eq!(from_memory.footprint_bytes, from_file.footprint_bytes);
        prop_assert_eq!(as_csv(&reopened), as_csv(&trace));
    }
}
