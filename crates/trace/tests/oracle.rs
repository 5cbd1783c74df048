//! libCacheSim's oracleGeneral: how objects become pages, and which files are taken for one.

use crate::common::{names, opened, record, records, refused, with};
use reclaim_trace::Op;

const S: u64 = 1_000_000_000;

/// Time in s, object, bytes, the next request for it, from 1.
fn bytes(asked: &[(u32, u64, u32, i64)]) -> Vec<u8> {
    let record = |(time, object, size, next): &(u32, u64, u32, i64)| {
        [&time.to_le_bytes()[..], &object.to_le_bytes(), &size.to_le_bytes(), &next.to_le_bytes()].concat()
    };
    asked.iter().flat_map(record).collect()
}

#[test]
fn objects_become_pages_in_the_order_in_which_they_are_first_asked_for() {
    let content = bytes(&[
        (100, 7, 512, 4),
        (100, u64::MAX, 9000, 6),
        (100, 5, 0, -1),
        (101, 7, 4096, 5),
        // It has outgrown its page, and then fits again.
        (101, 7, 4097, 7),
        (102, u64::MAX, 1, i64::MAX),
        (u32::MAX, 7, 4097, -1),
    ]);
    let expected = vec![
        record(0, Op::Write, 0, 4096),
        record(0, Op::Write, 4096, 12288),
        record(S, Op::Read, 0, 4096),
        record(S, Op::Write, 16384, 8192),
        record(2 * S, Op::Read, 4096, 4096),
        record((u64::from(u32::MAX) - 100) * S, Op::Read, 16384, 8192),
    ];
    assert_eq!(records(&content), Ok(expected.clone()));
    assert_eq!(opened(&content, &with(&[("format", "oracleGeneral")])), Ok(expected));
}

#[test]
fn other_binary_files_are_not_taken_for_one() {
    // The next request is of another object, came before, or is none; time goes backwards.
    for asked in [
        [(1, 7, 512, 2), (1, 8, 512, -1)],
        [(1, 7, 512, 1), (1, 7, 512, -1)],
        [(1, 7, 512, 2), (1, 7, 512, -2)],
        [(2, 7, 512, 2), (1, 7, 512, -1)],
    ] {
        names(&refused(bytes(&asked), &with(&[])), "t: is a binary file in no format known here");
    }
    let mut cut = bytes(&[(1, 7, 512, 2), (1, 7, 512, -1)]);
    cut.truncate(30);
    names(&records(&cut).unwrap_err(), "6 of 24 bytes");
    let late = bytes(&[(1, 7, 512, 3), (2, 8, 512, -1), (1, 7, 512, -1)]);
    names(&refused(late, &with(&[("format", "oracle")])), "record 3: time goes backwards");
}
