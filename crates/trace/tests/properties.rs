//! What holds for any records and for any bytes.

use crate::common::{collect, file, read};
use proptest::prelude::*;
use reclaim_trace::{MAX_TRANSFER_BYTES, Op, OpenOptions, Record, Trace, formats, write_normalised_csv};

fn any_record() -> impl Strategy<Value = (u64, Record)> {
    let size = prop_oneof![Just(1_u64), Just(4096), Just(MAX_TRANSFER_BYTES), 1..=MAX_TRANSFER_BYTES];
    let op = prop_oneof![Just(Op::Read), Just(Op::Write), Just(Op::Trim), Just(Op::Flush)];
    let gap = prop_oneof![Just(0_u64), 0_u64..5000, 0_u64..1 << 50];
    (gap, 0..u64::MAX - MAX_TRANSFER_BYTES, size, op).prop_map(|(gap, offset, size, op)| {
        let (offset_bytes, size_bytes) = if op == Op::Flush { (0, 0) } else { (offset, size) };
        (gap, Record { time_ns: 0, offset_bytes, size_bytes, op, stream: 0 })
    })
}

fn any_records() -> impl Strategy<Value = Vec<Record>> {
    prop::collection::vec(any_record(), 1..50).prop_map(|parts| {
        let mut time_ns = 0;
        let in_order = parts.into_iter().enumerate().map(|(index, (gap, record))| {
            time_ns += if index == 0 { 0 } else { gap };
            Record { time_ns, ..record }
        });
        in_order.collect()
    })
}

fn as_csv(trace: &Trace) -> Vec<u8> {
    let mut text = Vec::new();
    write_normalised_csv(trace, &mut text).unwrap().unwrap();
    text
}

/// Lines that are nearly right: pieces of good lines in any order.
fn nearly_lines() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "time_us,op,offset_bytes,size_bytes\n",
        "128166372003061629,hm,0,Read,383496192,32768,1413\n",
        "8,0 1 42 0.062712996 4957 D WS 16777088 + 8 [x]\n",
        "1308.875,write,3173736448,4096\n",
        "8,0 1 42 0.062712996 4957 D ",
        "FWS",
        "FN",
        "CPU0",
        "Total (",
        "18446744073709551615",
        "-",
        "9",
        ".",
        ",",
        " ",
        "+",
        "(",
        "[",
        "]",
        "R",
        "W",
        "\r",
        "\n",
        "\0",
        "é",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

/// Every way of reading these bytes ends without a panic, and what it gives is a trace.
fn never_panics(content: &[u8]) -> Result<(), TestCaseError> {
    let (_folder, path) = file("t", content);
    let names = formats().map(|format| Some(format.name.to_owned())).chain([None]);
    for (format, sort) in names.flat_map(|name| [(name.clone(), false), (name, true)]) {
        let Ok(records) = read(&path, &OpenOptions { format, sort, ..OpenOptions::default() }) else {
            continue;
        };
        prop_assert_eq!(records.first().map(|record| record.time_ns), Some(0));
        prop_assert!(records.is_sorted_by_key(|record| record.time_ns));
        let again = Trace::from_records("again", records.clone());
        prop_assert_eq!(again.scan().unwrap().requests, records.len() as u64);
    }
    Ok(())
}

proptest! {
    #[test]
    fn normalised_csv_loses_nothing(records in any_records()) {
        let trace = Trace::from_records("memory", records.clone());
        let (_folder, path) = file("t.csv", &as_csv(&trace));
        let reopened = Trace::open(&path, &OpenOptions::default()).unwrap();
        prop_assert_eq!(collect(reopened.source().unwrap().as_mut()), Ok(records));
        let (from_memory, from_file) = (trace.scan().unwrap(), reopened.scan().unwrap());
        prop_assert_eq!(from_memory.content_hash, from_file.content_hash);
        prop_assert_eq!(from_memory.footprint_bytes, from_file.footprint_bytes);
        prop_assert_eq!(as_csv(&reopened), as_csv(&trace));
    }

    #[test]
    fn any_bytes(content in prop::collection::vec(any::<u8>(), 0..300)) {
        never_panics(&content)?;
    }

    #[test]
    fn nearly_good_lines(content in nearly_lines()) {
        never_panics(&content)?;
    }

    #[test]
    fn a_good_file_with_one_byte_changed(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        which in 0_usize..3,
    ) {
        let mut content = [
            &b"time_us,op,offset_bytes,size_bytes\n0,R,0,1\n1.5,flush,0,0\n2.25,W,4096,512\n"[..],
            b"128166372003061629,hm,0,Read,0,32768,1413\n128166372003061630,hm,0,Write,0,32768,1413\n",
            b"8,0 1 42 0.062712996 4957 D FWS 16 + 8 [x]\n\
              8,0 1 43 0.062712997 4957 D DS 16 + 8 [x]\nCPU0 (8,0):\n",
        ][which].to_vec();
        let at = at.index(content.len());
        content[at] = byte;
        never_panics(&content)?;
    }
}
