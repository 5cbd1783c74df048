//! Parquet and Arrow: columns by name and by place, of every type that makes sense, and the errors about the others.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::{file, kept, names, opened, packed, read, record, with};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, DurationMicrosecondArray, Float32Array, Float64Array,
    Int16Array, Int32Array, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
    TimestampMillisecondArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use niffler::send::compression::Format as Compression;
use parquet::arrow::ArrowWriter;
use reclaim_trace::Op::{Flush as F, Read as R, Trim as T, Write as W};
use reclaim_trace::{OpenOptions, Record, Trace};
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

fn table(columns: &str) -> OpenOptions {
    with(&[("columns", columns)])
}

/// The requests of a table in each of the three forms, which must be the same, or what is said of it.
fn taken(columns: &Columns, options: &OpenOptions) -> Result<Vec<Record>, String> {
    let in_form = |write| opened(std::fs::read(written(write, columns.clone()).1).unwrap(), options);
    let [first, second, third] = KINDS.map(in_form);
    assert_eq!((&first, &first), (&second, &third));
    first
}

fn text(words: &[&'static str]) -> ArrayRef {
    Arc::new(StringArray::from(words.to_vec()))
}

fn numbers(values: &[u64]) -> ArrayRef {
    Arc::new(UInt64Array::from(values.to_vec()))
}

fn signed(values: [i64; 4]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn reals(values: [f64; 4]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

fn stamps() -> ArrayRef {
    Arc::new(TimestampMillisecondArray::from(vec![5, 6, 7, 8]))
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

fn good_records() -> Vec<Record> {
    vec![record(0, W, 4096, 512), record(0, R, 0, 1), record(1, T, 8192, 1 << 40), record(999_900, F, 0, 0)]
}

/// `good` with one column in place of the one of the same role.
fn changed(at: usize, name: &'static str, values: ArrayRef) -> Columns {
    let mut columns = good();
    columns[at] = (name, values);
    columns
}

/// `good` with one column more.
fn also(name: &'static str, values: ArrayRef) -> Columns {
    good().into_iter().chain([(name, values)]).collect()
}

#[test]
fn known_names_need_no_option_and_columns_may_be_named_or_counted() {
    assert_eq!(taken(&good(), &OpenOptions::default()), Ok(good_records()));
    for (write, format) in KINDS.into_iter().zip(["parquet", "arrow", "arrow"]) {
        let (_folder, path) = written(write, good());
        assert_eq!(Trace::open(&path, &OpenOptions::default()).unwrap().format(), format);
    }
    for columns in [
        "time_ns=time:ns,op=op,offset_bytes=offset:bytes,size_bytes=size:bytes",
        "op,size:bytes,_,time:ns,offset:bytes",
        "op,size:bytes,_,time:ns,offset:bytes,_*",
    ] {
        assert_eq!(taken(&good(), &table(columns)), Ok(good_records()), "{columns}");
    }
    for name in ["parquet.parquet", "arrow-file.arrow", "arrow-zstd.arrow", "arrow-stream.arrows"] {
        // What polars wrote.
        let expected = [
            record(0, W, 4096, 4096),
            record(1500, R, 0, 512),
            record(2250, T, 1 << 30, 1 << 20),
            record(1_000_000_000, F, 0, 0),
        ];
        assert_eq!(
            read(&kept(&format!("fixtures/{name}")), &OpenOptions::default()).unwrap(),
            expected,
            "{name}"
        );
    }
}

/// The number of a stream may stand in a column of numbers; nothing there is 0.
#[rstest]
#[case::small(Arc::new(UInt8Array::from(vec![Some(0), None, Some(255), Some(3)])))]
#[case::signed(Arc::new(Int32Array::from(vec![Some(0), None, Some(255), Some(3)])))]
#[case::real(Arc::new(Float64Array::from(vec![Some(0.0), None, Some(255.0), Some(3.0)])))]
fn streams_have_a_column(#[case] streams: ArrayRef) {
    let columns = also("stream", streams);
    let found = |options: &OpenOptions| {
        taken(&columns, options).unwrap().iter().map(|each| each.stream).collect::<Vec<_>>()
    };
    assert_eq!(found(&OpenOptions::default()), [0, 0, 255, 3]);
    assert_eq!(found(&table("op,size:bytes,_,time:ns,offset:bytes,stream")), [0, 0, 255, 3]);
    for write in KINDS {
        let (_folder, path) = written(write, columns.clone());
        let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
        assert!(trace.has_streams());
        names(&trace.check_streams(4, "k").unwrap_err().to_string(), "row 3: stream 255|0 to 3 with k = 4");
        let (_folder, path) = written(write, good());
        assert!(!Trace::open(&path, &OpenOptions::default()).unwrap().has_streams());
    }
}

#[rstest]
#[case::whole("time_us", Arc::new(UInt8Array::from(vec![0, 1, 1, 255])), [0, 1000, 1000, 255_000])]
#[case::signed("time_ms", Arc::new(Int16Array::from(vec![1, 1, 2, 3])), [0, 0, 1_000_000, 2_000_000])]
#[case::real("time_s", reals([0.0, 0.25, 0.000_000_001, 1.5]), [0, 1, 250_000_000, 1_500_000_000])]
#[case::short_real("time_s", Arc::new(Float32Array::from(vec![0.0, 0.25, 0.5, 1.5])),
    [0, 250_000_000, 500_000_000, 1_500_000_000])]
#[case::timestamp("time", stamps(), [0, 1_000_000, 2_000_000, 3_000_000])]
#[case::duration("time", Arc::new(DurationMicrosecondArray::from(vec![5, 6, 7, 8])), [0, 1000, 2000, 3000])]
fn times_in_any_type(#[case] name: &'static str, #[case] values: ArrayRef, #[case] times: [u64; 4]) {
    let found = taken(&changed(3, name, values), &with(&[("sort", "")])).unwrap();
    assert_eq!(found.iter().map(|record| record.time_ns).collect::<Vec<_>>(), times);
}

#[test]
fn operations_as_words_in_any_type() {
    let words = ["W", "r", "discard", "sync"];
    let dictionary = words.into_iter().collect::<DictionaryArray<Int8Type>>();
    let large = LargeStringArray::from(words.to_vec());
    for words in
        [Arc::new(large) as ArrayRef, Arc::new(StringViewArray::from(words.to_vec())), Arc::new(dictionary)]
    {
        let columns = changed(0, "op", words);
        assert_eq!(taken(&columns, &OpenOptions::default()), Ok(good_records()));
        assert_eq!(taken(&columns, &table("op,size:bytes,_,time:ns,offset:bytes")), Ok(good_records()));
    }
}

#[rstest]
#[case::truth(Arc::new(BooleanArray::from(vec![true, false, false, true])), "op:1=write")]
#[case::one(Arc::new(Int32Array::from(vec![0, 1, 1, 0])), "op:1=read")]
#[case::bit(numbers(&[7, 2, u64::MAX - 1, 1]), "op:bit0=write")]
fn operations_as_numbers(#[case] codes: ArrayRef, #[case] item: &str) {
    let mut columns = changed(0, "kind", codes);
    columns[1] = ("size_sectors", numbers(&[1, 2, 3, 4]));
    let named = format!("kind={item},size_sectors=size:sectors,time_ns=time:ns,offset_bytes=offset:sectors");
    let records = taken(&columns, &table(&named)).unwrap();
    assert_eq!(records.iter().map(|record| record.op).collect::<Vec<_>>(), [W, R, R, W]);
    assert_eq!((records[0].offset_bytes, records[3].size_bytes), (4096 * 512, 2048));
}

#[test]
fn whole_numbers_that_a_program_made_real_are_read() {
    // The size of a flush is of no interest.
    let found =
        taken(&changed(1, "size_bytes", reals([512.0, 1.0, 1e12, f64::NAN])), &OpenOptions::default());
    assert_eq!(found.unwrap()[2].size_bytes, 1_000_000_000_000);
}

#[test]
fn one_device_of_several() {
    let columns = also("device", text(&["a", "b", "a", "b"]));
    assert_eq!(taken(&columns, &with(&[("device", "b")])).unwrap().len(), 2);
    names(&taken(&columns, &OpenOptions::default()).unwrap_err(), "row 2: |device b in a trace of device a");
    names(&taken(&columns, &with(&[("device", "c")])).unwrap_err(), "no requests to device c; it has a, b");
    let numbered = also("volume", Arc::new(UInt32Array::from(vec![7, 7, 8, 8])));
    let by_place = [("columns", "op,size:bytes,_,time:ns,offset:bytes,device"), ("device", "8")];
    assert_eq!(taken(&numbered, &with(&by_place)).unwrap().len(), 2);
}

#[rstest]
#[case::negative_time(3, "time_ns", signed([0, -1, 2, 3]), "row 2: time_ns is negative (-1)")]
#[case::null_time(3, "time_ns", Arc::new(Int64Array::from(vec![Some(0), None, Some(2), Some(3)])),
    "row 2: time_ns is null")]
#[case::time_overflow(3, "time_s", numbers(&[0, u64::MAX, 2, 3]), "row 2: time_s is too large for 64 bits")]
#[case::real_overflow(3, "time_s", reals([0.0, 1e300, 2.0, 3.0]), "row 2: time_s is too large for 64 bits")]
#[case::no_number(3, "time_s", reals([0.0, f64::NAN, 2.0, 3.0]), "row 2: time_s is not a number")]
#[case::backwards(3, "time_ns", numbers(&[5, 4, 6, 7]), "row 2: time goes backwards|--sort")]
#[case::null_op(0, "op", Arc::new(StringArray::from(vec![Some("R"), None, Some("T"), Some("F")])),
    "row 2: op is null")]
#[case::odd_op(0, "op", text(&["R", "erase", "T", "F"]),
    "row 2: unknown op \"erase\"; valid: |op:2a=write,28=read")]
#[case::negative_size(1, "size_bytes", signed([1, -1, 1, 1]), "row 2: size_bytes is negative (-1)")]
#[case::half_a_byte(1, "size_bytes", reals([1.0, 0.5, 1.0, 1.0]), "row 2: size_bytes is 0.5")]
#[case::nothing(1, "size_bytes", numbers(&[1, 0, 1, 1]), "row 2: a read of zero bytes")]
#[case::too_far(4, "offset_sectors", numbers(&[1, 1 << 62, 1, 1]),
    "row 2: offset_sectors is too large for 64 bits")]
#[case::large_stream(2, "stream", signed([0, 256, 0, 0]), "row 2: stream 256 is above 255")]
#[case::negative_stream(2, "stream", signed([0, -1, 0, 0]), "row 2: stream is negative (-1)")]
#[case::half_a_stream(2, "stream", reals([0.0, 0.5, 0.0, 0.0]), "row 2: stream is 0.5")]
fn rows_that_are_no_requests(
    #[case] at: usize,
    #[case] name: &'static str,
    #[case] values: ArrayRef,
    #[case] reason: &str,
) {
    let columns = changed(at, name, values);
    names(&taken(&columns, &OpenOptions::default()).unwrap_err(), &format!("t: {reason}"));
    for write in KINDS {
        let (_folder, path) = written(write, columns.clone());
        let summary = Trace::open(&path, &with(&[("report", "")])).and_then(|trace| trace.scan()).unwrap();
        assert_eq!((summary.requests, summary.bad_lines), (3, 1));
        names(&summary.first_bad_lines[0], reason);
    }
}

#[rstest]
#[case::time(3, "time_ns", text(&["0", "1", "2", "3"]),
    "\"time_ns\" is of type Utf8|a number, a timestamp or a duration")]
#[case::contradiction(3, "time_ns", stamps(), "\"time_ns\" is of type Timestamp(ms)|time:ms")]
#[case::op(0, "op", numbers(&[0, 1, 0, 1]),
    "\"op\" is of type UInt64|op=op:1=read|1=write, bit0=read, bit0=write|=")]
#[case::offset(4, "offset_bytes", text(&["0", "1", "2", "3"]),
    "\"offset_bytes\" is of type Utf8|a whole number")]
#[case::stream(2, "stream", text(&["a", "b", "c", "d"]), "\"stream\" is of type Utf8|a whole number")]
#[case::no_time(3, "when", numbers(&[1, 2, 3, 4]),
    "the time (time_ns, time_us, time_ms, time_s)|op, size_bytes, \
    comment, when, offset_bytes; |--columns op=op,size_bytes=size:bytes,when=time:us,offset_bytes=offset:")]
#[case::two_sizes(2, "size_sectors", numbers(&[1, 2, 3, 4]),
    "more than one|the size (size_bytes, size_sectors)|op, \
    size_bytes, size_sectors, time_ns, offset_bytes; |--columns op=op,size_bytes=size:bytes,time_ns=time:")]
fn columns_that_make_no_sense(
    #[case] at: usize,
    #[case] name: &'static str,
    #[case] values: ArrayRef,
    #[case] parts: &str,
) {
    names(&taken(&changed(at, name, values), &OpenOptions::default()).unwrap_err(), &format!("t: |{parts}"));
}

#[test]
fn options_that_do_not_fit_the_table() {
    let said = |options: &OpenOptions| taken(&good(), options).unwrap_err();
    let odd = said(&table("tim_ns=time:ns,op=op,offset_bytes=offset:bytes,size_bytes=size:bytes"));
    let has = "op, size_bytes, comment, time_ns, offset_bytes";
    names(&odd, &format!("\"tim_ns\"; did you mean \"time_ns\"?; it has {has}"));
    names(&said(&table("op,size:bytes,time:ns,offset:bytes")), &format!("4 columns|has 5: {has}"));
    let (_folder, path) = written(parquet, good());
    let separator = Trace::open(&path, &with(&[("separator", "tab")])).unwrap_err();
    names(&separator.to_string(), "--separator|parquet");
}

#[test]
fn cut_and_packed_files_are_refused() {
    for (write, kind) in KINDS.into_iter().zip(["Parquet", "Arrow", "Arrow"]) {
        let whole = std::fs::read(written(write, good()).1).unwrap();
        let mut refused = 0;
        for length in (8..whole.len()).step_by(7) {
            // A stream may lack its end mark; otherwise a cut must be noticed.
            match opened(&whole[..length], &OpenOptions::default()) {
                Ok(records) => assert_eq!(records, good_records()),
                Err(error) => {
                    refused += 1;
                    assert!(error.contains(kind) || error.contains("holds no requests"), "{error}");
                }
            }
        }
        assert!(refused > 20, "{refused}");
        match opened(packed(&whole, Compression::Gzip), &OpenOptions::default()) {
            Ok(records) => {
                assert_eq!(records, good_records());
                assert!(std::ptr::fn_addr_eq(write, arrow_stream as Write));
            }
            Err(error) => names(&error, "packed with gzip; unpack it first"),
        }
    }
}

/// The library makes room for as many bytes as a number in the file asks for; four pebibytes end the program.
#[test]
fn arrow_files_that_claim_to_be_enormous_are_refused() {
    let whole = std::fs::read(kept("fixtures/arrow-zstd.arrow")).unwrap();
    let known = ["the place of a block", "the place of a buffer", "the length of a buffer"];
    let mut found = BTreeSet::new();
    for place in (0..whole.len() - 8).step_by(4) {
        let mut damaged = whole.clone();
        damaged[place..place + 8].copy_from_slice(&(1_i64 << 52).to_le_bytes());
        if let Err(error) = opened(&damaged, &with(&[("format", "arrow")])) {
            found.extend(
                known.into_iter().filter(|reason| error.contains(&format!("{reason} cannot be true"))),
            );
        }
    }
    assert_eq!(found, BTreeSet::from(known));
}

#[test]
fn a_compression_that_is_not_read_is_named() {
    let error = read(&kept("damaged/brotli.parquet"), &OpenOptions::default()).unwrap_err();
    names(&error.to_string(), "Parquet|Brotli");
}
