//! blktrace's binary recordings: the same requests as blkparse's text of them, from one file or one per processor.

use std::path::Path;

use crate::common::{file, read, record, records};
use reclaim_trace::{Event, OnError, Op, OpenOptions, Record, Trace, TraceError};
use rstest::rstest;
use tempfile::TempDir;

/// What blkparse 1.2.0 prints of the recording in `fixtures/blktrace-little.bin`.
const TEXT: &str = "\
  8,16   0        1     0.000000000     7  Q  WS 2048 + 8 [jbd2/vdb-8]
  8,16   0        2     0.000000100     7  F  WS 2048 + 8 [jbd2/vdb-8]
  8,16   0        3     0.000000200     7  D  WS 2048 + 16 [jbd2/vdb-8]
  8,16   0        4     0.000000250     7  D   R 36 (12 00 00 00 24 00 ..) [jbd2/vdb-8]
  8,16   0        5     0.000000300     7  C  WS 2048 + 16 [0]
  8,16   0        6     0.000000400     7  D FWS [jbd2/vdb-8]
  8,16   0        7     0.000000500     7  D FWFS 4096 + 32 [jbd2/vdb-8]
  8,16   0        8     0.000000600     7  D   D 8192 + 2048 [jbd2/vdb-8]
  8,16   0        9     0.000000700     7  D  RM 64 + 1 [jbd2/vdb-8]
  8,16   0        0     0.000000800     0  m   N cfq message
";

/// Actions and categories of <linux/blktrace_api.h>.
const QUEUE: u32 = 1 | 1 << 20;
const ISSUE: u32 = 7 | 1 << 22;
const COMPLETE: u32 = 8 | 1 << 23;
const MESSAGE: u32 = 2 | 1 << 26;
const WRITE: u32 = 1 << 17;

struct Event48 {
    sequence: u32,
    time_ns: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    device: (u32, u32),
    more: &'static [u8],
}

const WRITTEN: Event48 = Event48 {
    sequence: 1,
    time_ns: 0,
    sector: 8,
    bytes: 4096,
    action: ISSUE | WRITE,
    device: (8, 0),
    more: b"",
};

fn bytes(events: &[Event48]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for event in events {
        bytes.extend(0x6561_7407_u32.to_le_bytes());
        bytes.extend(event.sequence.to_le_bytes());
        bytes.extend(event.time_ns.to_le_bytes());
        bytes.extend(event.sector.to_le_bytes());
        bytes.extend(event.bytes.to_le_bytes());
        bytes.extend(event.action.to_le_bytes());
        bytes.extend(77_u32.to_le_bytes());
        bytes.extend((event.device.0 << 20 | event.device.1).to_le_bytes());
        bytes.extend(0_u32.to_le_bytes());
        bytes.extend(0_u16.to_le_bytes());
        bytes.extend((event.more.len() as u16).to_le_bytes());
        bytes.extend(event.more);
    }
    bytes
}

fn at(time_ns: u64, sector: u64) -> Event48 {
    Event48 { time_ns, sector, ..WRITTEN }
}

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn reason(content: &[u8], options: &OpenOptions) -> String {
    let (folder, path) = file("t", content);
    let error = read(&path, options).expect_err("this recording has a fault").to_string();
    error.replace(&format!("{}/", folder.path().display()), "")
}

#[rstest]
#[case(None, 6)]
#[case(Some(Event::Queued), 1)]
#[case(Some(Event::Issued), 6)]
#[case(Some(Event::Completed), 1)]
fn a_recording_is_what_blkparse_prints_of_it(#[case] event: Option<Event>, #[case] count: usize) {
    let options = OpenOptions { event, ..OpenOptions::default() };
    let (_folder, text) = file("t", TEXT.as_bytes());
    let printed = read(&text, &options).unwrap();
    assert_eq!(printed.len(), count);
    for name in ["blktrace-little.bin", "blktrace-big.bin"] {
        let trace = Trace::open(&fixture(name), &options).unwrap();
        assert_eq!(trace.format(), "blktrace");
        assert_eq!(trace.events(), Trace::open(&text, &options).unwrap().events());
        assert_eq!(read(&fixture(name), &options).unwrap(), printed, "{name}");
    }
}

#[test]
fn what_the_fixture_holds() {
    let expected = [
        record(0, Op::Write, 2048 * 512, 8192),
        record(200, Op::Flush, 0, 0),
        record(300, Op::Flush, 0, 0),
        record(300, Op::Write, 4096 * 512, 16384),
        record(400, Op::Trim, 8192 * 512, 1 << 20),
        record(500, Op::Read, 64 * 512, 512),
    ];
    assert_eq!(read(&fixture("blktrace-little.bin"), &OpenOptions::default()).unwrap(), expected);
}

/// A folder with these files.
fn recording(files: &[(&str, Vec<u8>)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn sectors(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.offset_bytes / 512).collect()
}

#[rstest]
#[case("sdb.blktrace.0")]
#[case("sdb.blktrace.1")]
#[case("sdb.blktrace.2")]
#[case("sdb")]
fn one_file_of_a_recording_stands_for_all(#[case] name: &str) {
    let tie = |sequence, sector| Event48 { sequence, ..at(30, sector) };
    let message = Event48 { action: MESSAGE, more: b"hello", ..at(5, 0) };
    let folder = recording(&[
        ("sdb.blktrace.0", Vec::new()),
        ("sdb.blktrace.1", bytes(&[at(10, 1), tie(9, 4), at(40, 5)])),
        ("sdb.blktrace.2", bytes(&[message, at(20, 2), tie(8, 3), at(50, 7)])),
        ("sdb.blktrace.10", bytes(&[at(45, 6)])),
        ("sdc.blktrace.0", bytes(&[at(0, 99)])),
        ("sdb.blktrace.x", bytes(&[at(0, 99)])),
    ]);
    let path = folder.path().join(name);
    let found = read(&path, &OpenOptions::default()).unwrap();
    assert_eq!(sectors(&found), [1, 2, 3, 4, 5, 6, 7]);
    let times: Vec<_> = found.iter().map(|record| record.time_ns).collect();
    assert_eq!(times, [0, 10, 20, 20, 30, 35, 40]);
}

#[test]
fn files_of_processors_that_are_not_there_are_missed() {
    let warnings = |names: &[&str]| {
        let files: Vec<_> =
            names.iter().zip(1..).map(|(name, at_ns)| (*name, bytes(&[at(at_ns, 1)]))).collect();
        let folder = recording(&files);
        let sort = OpenOptions { sort: true, ..OpenOptions::default() };
        let path = folder.path().join(names[0]);
        let scan = |options: &OpenOptions| Trace::open(&path, options).unwrap().scan().unwrap().warnings;
        assert_eq!(scan(&sort), scan(&OpenOptions::default()));
        scan(&sort)
    };
    assert!(warnings(&["d.blktrace.0", "d.blktrace.1"]).is_empty());
    assert!(warnings(&["all"]).is_empty());
    assert_eq!(
        warnings(&["d.blktrace.0", "d.blktrace.2", "d.blktrace.4"]),
        ["of 5 files of the recording some are not here (d.blktrace.1, d.blktrace.3): unless those \
             processors \
             were off, their requests are missing"]
    );
    let many = warnings(&["d.blktrace.9.gz", "d.blktrace.0"]);
    assert!(
        many[0].contains("(d.blktrace.0.gz, d.blktrace.1.gz,") && many[0].contains(" and 5 more"),
        "{many:?}"
    );
    // A processor that did nothing has an empty file, which is no gap.
    let folder = recording(&[("d.blktrace.0", Vec::new()), ("d.blktrace.1", bytes(&[at(0, 1)]))]);
    let trace = Trace::open(&folder.path().join("d.blktrace.1"), &OpenOptions::default()).unwrap();
    assert!(trace.scan().unwrap().warnings.is_empty());
}

#[test]
fn a_completion_of_nothing_closes_a_request_whose_parts_completed_before() {
    const FLUSH: u32 = 1 << 18;
    const DISCARD: u32 = 1 << 29;
    let completed = |time_ns, bytes, kind| Event48 { action: COMPLETE | kind, bytes, ..at(time_ns, 8) };
    let content = bytes(&[
        completed(0, 4096, WRITE),
        completed(1, 0, WRITE),
        completed(2, 0, WRITE | FLUSH),
        completed(3, 0, WRITE | DISCARD),
        completed(4, 0, FLUSH),
        completed(5, 0, 0),
        completed(6, 512, 0),
    ]);
    let (_folder, binary) = file("t", &content);
    let options = OpenOptions { event: Some(Event::Completed), ..OpenOptions::default() };
    let expected =
        [record(0, Op::Write, 4096, 4096), record(4, Op::Flush, 0, 0), record(6, Op::Read, 4096, 512)];
    assert_eq!(read(&binary, &options).unwrap(), expected);
    // As blkparse prints it.
    let text = "8,0 0 1 0.000000000 0 C W 8 + 8 [0]\n8,0 0 1 0.000000001 0 C W 8 [0]\n\
                8,0 0 1 0.000000002 0 C FW 8 [0]\n8,0 0 1 0.000000003 0 C D 8 [0]\n\
                8,0 0 1 0.000000004 0 C FN 8 [0]\n8,0 0 1 0.000000005 0 C N 8 [0]\n\
                8,0 0 1 0.000000006 0 C R 8 + 1 [0]\n";
    let (_folder, text) = file("t", text.as_bytes());
    assert_eq!(read(&text, &options).unwrap(), expected);
}

#[test]
fn a_file_that_is_there_is_opened_as_it_is() {
    let folder = recording(&[
        ("sdb", bytes(&[at(0, 1)])),
        ("sdb.blktrace.0", bytes(&[at(0, 2)])),
        ("all", bytes(&[at(20, 3), at(10, 4)])),
    ]);
    assert_eq!(sectors(&read(&folder.path().join("sdb"), &OpenOptions::default()).unwrap()), [1]);
    // Files of several processors one behind the other go back in time.
    let all = folder.path().join("all");
    let error = read(&all, &OpenOptions::default()).unwrap_err().to_string();
    assert!(error.contains("record 2: time goes backwards") && error.contains("--sort"), "{error}");
    let sorted = OpenOptions { sort: true, ..OpenOptions::default() };
    assert_eq!(sectors(&read(&all, &sorted).unwrap()), [4, 3]);
    let missing = Trace::open(&folder.path().join("sdz"), &OpenOptions::default()).unwrap_err();
    assert!(missing.to_string().contains("sdz: no such file"), "{missing}");
}

#[test]
fn packed_recordings_are_merged_too() {
    let pack = |content: Vec<u8>| {
        let (_folder, path) = file("t", b"");
        let file = Box::new(std::fs::File::create(&path).unwrap());
        let format = niffler::send::compression::Format::Zstd;
        let mut writer = niffler::send::get_writer(file, format, niffler::Level::One).unwrap();
        std::io::Write::write_all(&mut writer, &content).unwrap();
        drop(writer);
        std::fs::read(&path).unwrap()
    };
    let folder = recording(&[
        ("d.blktrace.0.zst", pack(bytes(&[at(10, 1), at(30, 3)]))),
        ("d.blktrace.1.zst", pack(bytes(&[at(20, 2)]))),
        ("d.blktrace.1", bytes(&[at(20, 99)])),
    ]);
    let found = read(&folder.path().join("d.blktrace.0.zst"), &OpenOptions::default()).unwrap();
    assert_eq!(sectors(&found), [1, 2, 3]);
}

#[test]
fn a_bad_event_is_named_by_its_file() {
    let bad = || Event48 { action: 99, ..at(20, 9) };
    let folder = recording(&[
        ("d.blktrace.0", bytes(&[at(10, 1), at(30, 3)])),
        ("d.blktrace.1", bytes(&[at(15, 2), bad()])),
    ]);
    let path = folder.path().join("d.blktrace.0");
    let error = read(&path, &OpenOptions::default()).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "d.blktrace.0: record 2 of d.blktrace.1: unknown action 99; the block layer has 1 (queued) to 17"
        ),
        "{error}"
    );
    let report = OpenOptions { on_error: OnError::Report, ..OpenOptions::default() };
    let summary = Trace::open(&path, &report).unwrap().scan().unwrap();
    assert_eq!((summary.requests, summary.bad_lines), (3, 1));
}

#[test]
fn several_devices() {
    let two = bytes(&[at(0, 1), Event48 { device: (259, 5), ..at(1, 2) }]);
    let message = reason(&two, &OpenOptions::default());
    assert!(
        message.starts_with("t: record 2: a request to device 259,5 in a trace of device 8,0"),
        "{message}"
    );
    let (_folder, path) = file("t", &two);
    let options = OpenOptions { device: Some("259,5".to_owned()), ..OpenOptions::default() };
    assert_eq!(sectors(&read(&path, &options).unwrap()), [2]);
}

#[test]
fn which_event_counts() {
    let queued = |time_ns, sector| Event48 { action: QUEUE | WRITE, ..at(time_ns, sector) };
    let completed = Event48 { action: COMPLETE | WRITE, ..at(9, 3) };
    assert_eq!(sectors(&records(&bytes(&[queued(0, 1), at(1, 2), completed])).unwrap()), [2]);
    let only_queued = bytes(&[queued(0, 1), queued(1, 2)]);
    assert_eq!(sectors(&records(&only_queued).unwrap()), [1, 2]);
    let issued = OpenOptions { event: Some(Event::Issued), ..OpenOptions::default() };
    assert_eq!(
        reason(&only_queued, &issued),
        "t: holds no requests: no D (issued) events; there are Q (queued) events: take them with --event Q"
    );
    assert_eq!(
        reason(&bytes(&[Event48 { action: MESSAGE, ..at(0, 0) }]), &OpenOptions::default()),
        "t: holds no requests: neither D (issued) nor Q (queued) events"
    );
}

#[rstest]
#[case::cut_record(
    |bytes: &mut Vec<u8>| bytes.truncate(70),
    "t: ends in the middle of a record: 22 of 48 bytes are there after byte 48; copy or download it again"
)]
#[case::cut_before_what_follows(
    |bytes: &mut Vec<u8>| { bytes[46] = 1; bytes.truncate(48) },
    "t: ends in the middle of a record: 1 bytes are missing; copy or download it again"
)]
#[case::lost(
    |bytes: &mut Vec<u8>| bytes.insert(48, 0),
    "t: record 2 does not begin with blktrace's magic number: something is missing before it"
)]
#[case::other_version(
    |bytes: &mut Vec<u8>| bytes[48] = 8,
    "t: record 2 is of version 8 of blktrace's format; version 7 is known"
)]
#[case::too_far(
    |bytes: &mut Vec<u8>| bytes[48 + 23] = 0xFF,
    "t: record 2: the start sector is too large for 64 bits of bytes"
)]
#[case::nothing(
    |bytes: &mut Vec<u8>| bytes[48 + 25] = 0,
    "t: record 2: a write of zero bytes is not a request"
)]
fn damaged_recordings(#[case] damage: fn(&mut Vec<u8>), #[case] expected: &str) {
    let mut content = bytes(&[at(0, 1), at(1, 2)]);
    damage(&mut content);
    assert_eq!(reason(&content, &OpenOptions::default()), expected);
}

#[test]
fn a_file_that_is_no_recording_is_refused_when_forced() {
    let options = OpenOptions { format: Some("blktrace".to_owned()), ..OpenOptions::default() };
    assert_eq!(
        reason(b"Hello, world, this is a text of more than one record's length", &options),
        "t: is no blktrace recording: it does not begin with its magic number"
    );
    let (_folder, path) = file("t", b"");
    assert!(matches!(Trace::open(&path, &OpenOptions::default()), Err(TraceError::File { .. })));
}

#[test]
fn a_requeued_request_counts_once() {
    const REQUEUE: u32 = 6 | 1 << 24;
    let event =
        |time_ns, action, sector, bytes| Event48 { action: action | WRITE, bytes, ..at(time_ns, sector) };
    let events = [
        event(0, QUEUE, 8, 4096),
        event(10, ISSUE, 8, 4096),
        event(20, REQUEUE, 8, 4096),
        // Merged with what follows it, meanwhile.
        event(30, ISSUE, 8, 8192),
        event(40, COMPLETE, 8, 8192),
    ];
    let taken = |event| {
        let (_folder, path) = file("t", &bytes(&events));
        read(&path, &OpenOptions { event, ..OpenOptions::default() }).unwrap()
    };
    let twice = [record(0, Op::Write, 8 * 512, 4096), record(20, Op::Write, 16 * 512, 4096)];
    assert_eq!(taken(None), twice);
    assert_eq!(taken(Some(Event::Issued)), twice);
    assert_eq!(taken(Some(Event::Queued)), twice[..1]);
    assert_eq!(taken(Some(Event::Completed)), [record(0, Op::Write, 8 * 512, 8192)]);
}
