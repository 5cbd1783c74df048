//! VMware's binary traces: both versions, and the errors about bad records.

use crate::common;
use std::path::Path;

use crate::common::{message, read, record, records};
use reclaim_trace::{OnError, Op, OpenOptions, Trace};
use rstest::rstest;

fn fixture(version: u8) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read(folder.join(format!("vscsi-v{version}.bin"))).unwrap()
}

/// Bytes of a record, and where its version and its operation code stand.
fn layout(version: u8) -> (usize, usize, usize) {
    if version == 1 { (32, 15, 12) } else { (40, 3, 0) }
}

#[rstest]
#[case(1)]
#[case(2)]
fn commands_that_touch_blocks(#[case] version: u8) {
    let expected = vec![
        record(0, Op::Write, 42932745 * 512, 512),
        record(78_000, Op::Read, 4096 * 512, 4096),
        record(178_000, Op::Flush, 0, 0),
    ];
    assert_eq!(records(&fixture(version)), Ok(expected));
}

#[rstest]
#[case(1)]
#[case(2)]
fn bad_records(#[case] version: u8) {
    let good = fixture(version);
    let (bytes, version_at, code_at) = layout(version);
    let damaged = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut content = good.repeat(6);
        change(&mut content);
        content
    };
    // The times of the second copy begin anew.
    let reason = message(&damaged(&|_| ()), None);
    assert!(reason.starts_with("t: record 5: time goes backwards: "), "{reason}");
    // Far from the beginning, where the format is not looked for.
    let late = 21 * bytes;
    let sorted = |content: &[u8]| {
        let (_folder, path) = common::file("t", content);
        read(&path, &OpenOptions { sort: true, ..OpenOptions::default() }).map_err(|error| error.to_string())
    };
    let reason = sorted(&damaged(&|content| content[late + version_at] = 7)).unwrap_err();
    assert!(
        reason.ends_with(&format!("record 22: is not of version {version}, as the first is")),
        "{reason}"
    );
    let reason = sorted(&damaged(&|content| content[late + code_at] = 0xEE)).unwrap_err();
    assert!(reason.ends_with("record 22: unknown SCSI operation code 0xee"), "{reason}");
    let reason = sorted(&damaged(&|content| content.truncate(late + 9))).unwrap_err();
    let after = format!(
        "ends in the middle of a record: 9 of {bytes} bytes are there after byte {late}; copy or download \
         it again"
    );
    assert!(reason.ends_with(&after), "{reason}");
}

#[test]
fn bad_records_can_be_left_out() {
    let mut content = fixture(1);
    content[32 + 4..32 + 8].fill(0);
    assert_eq!(message(&content, None), "t: record 2: a read of zero bytes is not a request");
    let (_folder, path) = common::file("t", &content);
    let options = OpenOptions { on_error: OnError::Report, ..OpenOptions::default() };
    let summary = Trace::open(&path, &options).unwrap().scan().unwrap();
    assert_eq!((summary.requests, summary.bad_lines), (2, 1));
    assert_eq!(summary.first_bad_lines, ["record 2: a read of zero bytes is not a request"]);
}

#[test]
fn what_is_no_vscsi_is_refused() {
    let content = [b'x'; 100];
    assert_eq!(
        message(&content, Some("vscsi")),
        "t: is no vscsi trace: its first records have no version 1 or 2"
    );
}
