//! Parquet and Arrow: columns by name and by place, of every type that makes sense, and the errors about the others.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::{file, read, record};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, DurationMicrosecondArray, Float32Array, Float64Array,
    Int16Array, Int32Array, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
    TimestampMillisecondArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use reclaim_trace::{OnError, Op, OpenOptions, Record, Trace};
use rstest::rstest;
use tempfile::TempDir;

type Columns = Vec<(&'static str, ArrayRef)>;

fn parquet(path: &Path, batch: &RecordBatch) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn arrow_file(path: &Path, batch: &RecordBatch) {
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

fn arrow_stream(path: &Path, batch: &RecordBatch) {
    let mut writer = StreamWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

type Write = fn(&Path, &RecordBatch);

const KINDS: [Write; 3] = [parquet, arrow_file, arrow_stream];

fn written(write: Write, columns: Columns) -> (TempDir, PathBuf) {
    let (folder, path) = file("t", b"");
    // Every column may hold nulls.
    let columns = columns.into_iter().map(|(name, values)| (name, values, true));
    write(&path, &RecordBatch::try_from_iter_with_nullable(columns).unwrap());
    (folder, path)
}

fn with(columns: &str) -> OpenOptions {
    OpenOptions { columns: Some(columns.to_owned()), ..OpenOptions::default() }
}

fn message(columns: Columns, options: &OpenOptions) -> String {
    let (folder, path) = written(parquet, columns);
    let error = read(&path, options).expect_err("this table has a fault").to_string();
    error.replace(&format!("{}/", folder.path().display()), "")
}

fn text(words: &[&'static str]) -> ArrayRef {
    Arc::new(StringArray::from(words.to_vec()))
}

fn numbers(values: &[u64]) -> ArrayRef {
    Arc::new(UInt64Array::from(values.to_vec()))
}

fn good() -> Columns {
    vec![
        ("op", text(&["write", "R", "trim", "flush"])),
        ("size_bytes", numbers(&[512, 1, 1 << 40, 0])),
        ("comment", text(&["a", "b", "c", "d"])),
        ("time_ns", numbers(&[100, 100, 101, 1_000_000])),
        ("offset_bytes", numbers(&[4096, 0, 8192, 0])),
    ]
}

/// The number of a stream may stand in a column of numbers; nothing there is 0.
#[rstest]
#[case::small(Arc::new(UInt8Array::from(vec![Some(0), None, Some(255), Some(3)])))]
#[case::signed(Arc::new(Int32Array::from(vec![Some(0), None, Some(255), Some(3)])))]
#[case::real(Arc::new(Float64Array::from(vec![Some(0.0), None, Some(255.0), Some(3.0)])))]
fn streams_have_a_column(#[case] streams: ArrayRef) {
    for write in KINDS {
        let mut columns = good();
        columns.insert(2, ("stream", Arc::clone(&streams)));
        let (_folder, path) = written(write, columns);
        let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
        assert!(trace.has_streams());
        let found: Vec<_> =
            read(&path, &OpenOptions::default()).unwrap().iter().map(|each| each.stream).collect();
        assert_eq!(found, [0, 0, 255, 3]);
        let named =
            with("op=op,size_bytes=size:bytes,stream=stream,time_ns=time:ns,offset_bytes=offset:bytes");
        assert_eq!(read(&path, &named).unwrap()[2].stream, 255);
        let said = trace.check_streams(4, "k").unwrap_err().to_string();
        assert!(
            said.contains("row 3: stream 255 is none of the drive's, which are 0 to 3 with k = 4"),
            "{said}"
        );
        let (_folder, path) = written(write, good());
        assert!(!Trace::open(&path, &OpenOptions::default()).unwrap().has_streams());
    }
}

#[rstest]
#[case::too_large(
    Arc::new(Int32Array::from(vec![0, 256, 0, 0])),
    "row 2: stream 256 is above 255, the highest there is"
)]
#[case::negative(Arc::new(Int32Array::from(vec![0, 0, -1, 0])), "row 3: stream is negative (-1)")]
#[case::no_whole_number(
    Arc::new(Float64Array::from(vec![0.5, 0.0, 0.0, 0.0])),
    "row 1: stream is 0.5, which is not a whole number"
)]
#[case::text(text(&["a", "b", "c", "d"]), "the column \"stream\" is of type Utf8; a whole number is needed")]
fn what_is_no_stream_is_refused(#[case] streams: ArrayRef, #[case] reason: &str) {
    let mut columns = good();
    columns.push(("stream", streams));
    let said = message(columns, &OpenOptions::default());
    assert!(said.contains(reason), "{said}");
}

fn good_records() -> Vec<Record> {
    vec![
        record(0, Op::Write, 4096, 512),
        record(0, Op::Read, 0, 1),
        record(1, Op::Trim, 8192, 1 << 40),
        record(999_900, Op::Flush, 0, 0),
    ]
}

/// `good` with one column in place of the one of the same role.
fn changed(at: usize, name: &'static str, values: ArrayRef) -> Columns {
    let mut columns = good();
    columns[at] = (name, values);
    columns
}

#[test]
fn known_names_need_no_option_in_any_of_the_three_forms() {
    for (write, format) in KINDS.into_iter().zip(["parquet", "arrow", "arrow"]) {
        let (_folder, path) = written(write, good());
        let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
        assert_eq!(trace.format(), format);
        assert_eq!(read(&path, &OpenOptions::default()), Ok(good_records()));
    }
}

#[test]
fn columns_may_be_named_or_counted() {
    for write in KINDS {
        let (_folder, path) = written(write, good());
        for columns in [
            "time_ns=time:ns,op=op,offset_bytes=offset:bytes,size_bytes=size:bytes",
            "op,size:bytes,_,time:ns,offset:bytes",
            "op,size:bytes,_,time:ns,offset:bytes,_*",
        ] {
            assert_eq!(read(&path, &with(columns)), Ok(good_records()), "{columns}");
        }
    }
}

#[rstest]
#[case::whole("time_us", Arc::new(UInt8Array::from(vec![0, 1, 1, 255])), [0, 1000, 1000, 255_000])]
#[case::signed("time_ms", Arc::new(Int16Array::from(vec![1, 1, 2, 3])), [0, 0, 1_000_000, 2_000_000])]
#[case::real(
    "time_s",
    Arc::new(Float64Array::from(vec![0.0, 0.25, 0.000_000_001, 1.5])),
    [0, 250_000_000, 1, 1_500_000_000]
)]
#[case::short_real(
    "time_s",
    Arc::new(Float32Array::from(vec![0.0, 0.25, 0.5, 1.5])),
    [0, 250_000_000, 500_000_000, 1_500_000_000]
)]
#[case::timestamp(
    "time",
    Arc::new(TimestampMillisecondArray::from(vec![5, 6, 7, 8])),
    [0, 1_000_000, 2_000_000, 3_000_000]
)]
#[case::duration("time", Arc::new(DurationMicrosecondArray::from(vec![5, 6, 7, 8])), [0, 1000, 2000, 3000])]
fn times_in_any_type(#[case] name: &'static str, #[case] values: ArrayRef, #[case] mut times: [u64; 4]) {
    times.sort_unstable();
    let options = OpenOptions { sort: true, ..OpenOptions::default() };
    for write in KINDS {
        let (_folder, path) = written(write, changed(3, name, Arc::clone(&values)));
        let found: Vec<_> = read(&path, &options).unwrap().iter().map(|record| record.time_ns).collect();
        assert_eq!(found, times);
    }
}

#[rstest]
#[case::large(Arc::new(LargeStringArray::from(vec!["W", "r", "discard", "sync"])), "op")]
#[case::view(Arc::new(StringViewArray::from(vec!["W", "r", "discard", "sync"])), "op")]
#[case::dictionary(
    Arc::new(vec!["W", "r", "discard", "sync"].into_iter().collect::<DictionaryArray<Int8Type>>()),
    "op"
)]
fn operations_as_words_in_any_type(#[case] words: ArrayRef, #[case] item: &str) {
    for write in KINDS {
        let (_folder, path) = written(write, changed(0, "op", Arc::clone(&words)));
        assert_eq!(read(&path, &OpenOptions::default()), Ok(good_records()));
        let options =
            with(&format!("op={item},size_bytes=size:bytes,time_ns=time:ns,offset_bytes=offset:bytes"));
        assert_eq!(read(&path, &options), Ok(good_records()));
    }
}

#[rstest]
#[case::truth(Arc::new(BooleanArray::from(vec![true, false, false, true])), "op:1=write")]
#[case::one(Arc::new(Int32Array::from(vec![0, 1, 1, 0])), "op:1=read")]
#[case::bit(Arc::new(UInt64Array::from(vec![7, 2, u64::MAX - 1, 1])), "op:bit0=write")]
fn operations_as_numbers(#[case] codes: ArrayRef, #[case] item: &str) {
    let mut columns = changed(0, "kind", codes);
    columns[1] = ("size_sectors", numbers(&[1, 2, 3, 4]));
    let (_folder, path) = written(parquet, columns);
    let options =
        with(&format!("kind={item},size_sectors=size:sectors,time_ns=time:ns,offset_bytes=offset:sectors"));
    let records = read(&path, &options).unwrap();
    let ops: Vec<_> = records.iter().map(|record| record.op).collect();
    assert_eq!(ops, [Op::Write, Op::Read, Op::Read, Op::Write]);
    assert_eq!((records[0].offset_bytes, records[3].size_bytes), (4096 * 512, 2048));
}

#[test]
fn whole_numbers_that_a_program_made_real_are_read() {
    let (_folder, path) = written(
        parquet,
        changed(1, "size_bytes", Arc::new(Float64Array::from(vec![512.0, 1.0, 1e12, f64::NAN]))),
    );
    // The size of a flush is of no interest.
    assert_eq!(read(&path, &OpenOptions::default()).unwrap()[2].size_bytes, 1_000_000_000_000);
}

#[test]
fn one_device_of_several() {
    let mut columns = good();
    columns.push(("device", text(&["a", "b", "a", "b"])));
    let (_folder, path) = written(parquet, columns.clone());
    let options = OpenOptions { device: Some("b".to_owned()), ..OpenOptions::default() };
    assert_eq!(read(&path, &options).unwrap().len(), 2);
    assert!(
        message(columns.clone(), &OpenOptions::default())
            .contains("row 2: a request to device b in a trace of device a")
    );
    let options = OpenOptions { device: Some("c".to_owned()), ..OpenOptions::default() };
    assert!(message(columns, &options).ends_with("t: holds no requests to device c; it has a, b"));
    let mut numbered = good();
    numbered.push(("volume", Arc::new(UInt32Array::from(vec![7, 7, 8, 8]))));
    let (_folder, path) = written(parquet, numbered);
    let by_number = "op,size:bytes,_,time:ns,offset:bytes,device";
    let options = OpenOptions { device: Some("8".to_owned()), ..with(by_number) };
    assert_eq!(read(&path, &options).unwrap().len(), 2);
}

#[rstest]
#[case::negative_time(
    3,
    "time_ns",
    Arc::new(Int64Array::from(vec![0, -1, 2, 3])),
    "row 2: time_ns is negative (-1)"
)]
#[case::null_time(
    3,
    "time_ns",
    Arc::new(Int64Array::from(vec![Some(0), None, Some(2), Some(3)])),
    "row 2: time_ns is null"
)]
#[case::time_overflow(
    3,
    "time_s",
    Arc::new(UInt64Array::from(vec![0, u64::MAX, 2, 3])),
    "row 2: time_s is too large for 64 bits of nanoseconds"
)]
#[case::real_overflow(
    3,
    "time_s",
    Arc::new(Float64Array::from(vec![0.0, 1e300, 2.0, 3.0])),
    "row 2: time_s is too large for 64 bits of nanoseconds"
)]
#[case::no_number(
    3,
    "time_s",
    Arc::new(Float64Array::from(vec![0.0, f64::NAN, 2.0, 3.0])),
    "row 2: time_s is not a number"
)]
#[case::backwards(
    3,
    "time_ns",
    numbers(&[5, 4, 6, 7]),
    "row 2: time goes backwards: 0.000000004 s after 0.000000005 s; use --sort to put the requests in \
     order of time first"
)]
#[case::null_op(
    0,
    "op",
    Arc::new(StringArray::from(vec![Some("R"), None, Some("T"), Some("F")])),
    "row 2: op is null"
)]
#[case::odd_op(
    0,
    "op",
    text(&["R", "erase", "T", "F"]),
    "row 2: unknown op \"erase\"; valid: read, write, trim (or discard), flush (or sync), R, W, T (or D), \
     F, in either case, also RS, WS; other words or \
     numbers need a map, as in op:2a=write,28=read"
)]
#[case::negative_size(
    1,
    "size_bytes",
    Arc::new(Int32Array::from(vec![1, -1, 1, 1])),
    "row 2: size_bytes is negative (-1)"
)]
#[case::half_a_byte(
    1,
    "size_bytes",
    Arc::new(Float64Array::from(vec![1.0, 0.5, 1.0, 1.0])),
    "row 2: size_bytes is 0.5, which is not a whole number"
)]
#[case::nothing(1, "size_bytes", numbers(&[1, 0, 1, 1]), "row 2: a read of zero bytes is not a request")]
#[case::too_far(
    4,
    "offset_sectors",
    numbers(&[1, 1 << 62, 1, 1]),
    "row 2: offset_sectors is too large for 64 bits of bytes"
)]
fn rows_that_are_no_requests(
    #[case] at: usize,
    #[case] name: &'static str,
    #[case] values: ArrayRef,
    #[case] reason: &str,
) {
    for write in KINDS {
        let (folder, path) = written(write, changed(at, name, Arc::clone(&values)));
        let error = read(&path, &OpenOptions::default()).expect_err("this table has a fault").to_string();
        assert_eq!(error, format!("{}/t: {reason}", folder.path().display()));
        let summary =
            Trace::open(&path, &OpenOptions { on_error: OnError::Report, ..OpenOptions::default() })
                .and_then(|trace| trace.scan())
                .unwrap();
        assert_eq!((summary.requests, summary.bad_lines), (3, 1));
        assert_eq!(summary.first_bad_lines, [reason]);
    }
}

const ASK: &str = "say what they hold: --columns op=op,size_bytes=size:bytes,";

#[test]
fn tables_whose_columns_do_not_say_what_they_hold() {
    let has = "op, size_bytes, comment, when, offset_bytes";
    assert_eq!(
        message(changed(3, "when", numbers(&[1, 2, 3, 4])), &OpenOptions::default()),
        format!(
            "t: has no column for the time (time_ns, time_us, time_ms, time_s); it has {has}; \
             {ASK}when=time:us,offset_bytes=offset:bytes (guessed, so check: time:us)"
        )
    );
    assert_eq!(
        message(changed(2, "size_sectors", numbers(&[1, 2, 3, 4])), &OpenOptions::default()),
        format!(
            "t: has more than one column for the size (size_bytes, size_sectors); it has op, size_bytes, \
             size_sectors, time_ns, offset_bytes; {ASK}time_ns=time:ns,offset_bytes=offset:bytes"
        )
    );
    assert_eq!(
        message(good(), &with("tim_ns=time:ns,op=op,offset_bytes=offset:bytes,size_bytes=size:bytes")),
        "t: has no column \"tim_ns\"; did you mean \"time_ns\"?; it has op, size_bytes, comment, time_ns, \
         offset_bytes"
    );
    assert!(message(good(), &with("op,size:bytes,time:ns,offset:bytes")).starts_with(
        "t: --columns names 4 columns, the table has 5: op, size_bytes, comment, time_ns, offset_bytes; \
         columns are better named"
    ));
}

#[rstest]
#[case::time(
    3,
    "time_ns",
    text(&["0", "1", "2", "3"]),
    "the column \"time_ns\" is of type Utf8; a time is a number, a timestamp or a duration"
)]
#[case::contradiction(
    3,
    "time_ns",
    Arc::new(TimestampMillisecondArray::from(vec![5, 6, 7, 8])),
    "the column \"time_ns\" is of type Timestamp(ms); its unit is ms, so write time:ms"
)]
#[case::op(
    0,
    "op",
    numbers(&[0, 1, 0, 1]),
    "the column \"op\" is of type UInt64; if its numbers are operations, say how, as in op=op:1=read (also \
     1=write, bit0=read, bit0=write, \
     or a map, as in 42=write,40=read)"
)]
#[case::offset(
    4,
    "offset_bytes",
    text(&["0", "1", "2", "3"]),
    "the column \"offset_bytes\" is of type Utf8; a whole number is needed"
)]
fn columns_of_types_that_make_no_sense(
    #[case] at: usize,
    #[case] name: &'static str,
    #[case] values: ArrayRef,
    #[case] reason: &str,
) {
    assert_eq!(message(changed(at, name, values), &OpenOptions::default()), format!("t: {reason}"));
}

#[test]
fn options_for_text_have_no_meaning_here() {
    let options = OpenOptions { separator: Some("tab".to_owned()), ..OpenOptions::default() };
    assert!(message(good(), &options).contains("--separator has no meaning for the format parquet"));
}

#[test]
fn tables_that_polars_wrote() {
    let expected = [
        record(0, Op::Write, 4096, 4096),
        record(1500, Op::Read, 0, 512),
        record(2250, Op::Trim, 1 << 30, 1 << 20),
        record(1_000_000_000, Op::Flush, 0, 0),
    ];
    for name in ["parquet.parquet", "arrow-file.arrow", "arrow-zstd.arrow", "arrow-stream.arrows"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
        assert_eq!(read(&path, &OpenOptions::default()).unwrap(), expected, "{name}");
    }
}

#[test]
fn cut_and_packed_files_are_refused() {
    for (write, kind) in KINDS.into_iter().zip(["Parquet", "Arrow", "Arrow"]) {
        let (_folder, path) = written(write, good());
        let whole = std::fs::read(&path).unwrap();
        let mut refused = 0;
        for length in (8..whole.len()).step_by(7) {
            std::fs::write(&path, &whole[..length]).unwrap();
            // A stream may lack its end mark; otherwise a cut must be noticed.
            match read(&path, &OpenOptions::default()) {
                Ok(records) => assert_eq!(records, good_records()),
                Err(error) => {
                    refused += 1;
                    let message = error.to_string();
                    assert!(message.contains(kind) || message.contains("holds no requests"), "{message}");
                }
            }
        }
        assert!(refused > 20, "{refused}");
        let (_packed_folder, packed) = file("t.gz", b"");
        let file = Box::new(File::create(&packed).unwrap());
        let mut writer =
            niffler::send::get_writer(file, niffler::send::compression::Format::Gzip, niffler::Level::One)
                .unwrap();
        std::io::Write::write_all(&mut writer, &whole).unwrap();
        drop(writer);
        match read(&packed, &OpenOptions::default()) {
            Ok(records) => {
                assert_eq!(records, good_records());
                assert!(std::ptr::fn_addr_eq(write, arrow_stream as Write));
            }
            Err(error) => {
                assert!(error.to_string().contains("packed with gzip; unpack it first"), "{error}");
            }
        }
    }
}

/// The library makes room for as many bytes as a number in the file asks for; four pebibytes end the program.
#[test]
fn arrow_files_that_claim_to_be_enormous_are_refused() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/arrow-zstd.arrow");
    let whole = std::fs::read(fixture).unwrap();
    let mut reasons = std::collections::BTreeMap::<_, u32>::new();
    for place in (0..whole.len() - 8).step_by(4) {
        let mut damaged = whole.clone();
        damaged[place..place + 8].copy_from_slice(&(1_i64 << 52).to_le_bytes());
        let (_folder, path) = file("t.arrow", &damaged);
        let options = OpenOptions { format: Some("arrow".to_owned()), ..OpenOptions::default() };
        if let Err(error) = read(&path, &options) {
            let error = error.to_string();
            for reason in ["the place of a block", "the place of a buffer", "the length of a buffer"] {
                if error.contains(&format!("{reason} cannot be true")) {
                    *reasons.entry(reason).or_default() += 1;
                }
            }
        }
    }
    assert_eq!(reasons.len(), 3, "{reasons:?}");
}

/// Found by fuzzing: a page of this file holds fewer values than it says, and the decoder goes on looking for them.
#[test]
fn a_file_that_cannot_be_decoded_to_an_end_is_given_up() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/damaged/endless.parquet");
    let error = read(&path, &OpenOptions::default()).expect_err("values are missing").to_string();
    assert!(error.contains("the decoder came to no end in 10 s; copy or download it again"), "{error}");
}

#[test]
fn a_compression_that_is_not_read_is_named() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/damaged/brotli.parquet");
    let error = read(&path, &OpenOptions::default()).expect_err("there is no decoder").to_string();
    assert!(error.contains("is Parquet packed inside with Brotli, which is not read here"), "{error}");
}
