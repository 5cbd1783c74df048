//! VMware's binary traces: both versions, and the errors about bad records.

use crate::common::{file, kept, names, opened, record, records, refused, with};
use reclaim_trace::{Op, Trace};
use rstest::rstest;

/// A version, the bytes of its record, and where its version and its operation code stand.
#[rstest]
#[case(1, 32, 15, 12)]
#[case(2, 40, 3, 0)]
fn commands_that_touch_blocks_and_bad_records(
    #[case] version: u8,
    #[case] bytes: usize,
    #[case] version_at: usize,
    #[case] code_at: usize,
) {
    let good = std::fs::read(kept(&format!("fixtures/vscsi-v{version}.bin"))).unwrap();
    let expected = vec![
        record(0, Op::Write, 42932745 * 512, 512),
        record(78_000, Op::Read, 4096 * 512, 4096),
        record(178_000, Op::Flush, 0, 0),
    ];
    assert_eq!(records(&good), Ok(expected));
    // The times of the second copy begin anew.
    let copies = good.repeat(6);
    names(&records(&copies).unwrap_err(), "t: record 5: time goes backwards");
    // Far from the beginning, where the format is not looked for.
    let late = 21 * bytes;
    let sorted = |content: &[u8]| refused(content, &with(&[("sort", "")]));
    let changed = |at: usize, byte: u8| {
        let mut content = copies.clone();
        content[late + at] = byte;
        sorted(&content)
    };
    names(&changed(version_at, 7), &format!("record 22: |version {version}"));
    names(&changed(code_at, 0xEE), "record 22: |operation code 0xee");
    names(&sorted(&copies[..late + 9]), &format!("9 of {bytes} bytes|after byte {late}"));
}

#[test]
fn bad_records_can_be_left_out_and_other_files_are_refused() {
    let mut content = std::fs::read(kept("fixtures/vscsi-v1.bin")).unwrap();
    content[32 + 4..32 + 8].fill(0);
    names(&records(&content).unwrap_err(), "t: record 2: a read of zero bytes");
    assert_eq!(opened(&content, &with(&[("report", "")])).unwrap().len(), 2);
    let (_folder, path) = file("t", &content);
    let summary = Trace::open(&path, &with(&[("report", "")])).unwrap().scan().unwrap();
    assert_eq!((summary.requests, summary.bad_lines), (2, 1));
    names(&summary.first_bad_lines[0], "record 2: a read of zero bytes");
    names(&refused([b'x'; 100], &with(&[("format", "vscsi")])), "t: is no vscsi trace|version 1 or 2");
}
