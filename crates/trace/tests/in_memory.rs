//! Traces that are no files: records in memory and the generator; and what a scan reports of them.

use crate::common::{collect, record};
use reclaim_trace::{Op, Record, Summary, Trace, UniformSpec};
use rstest::rstest;

fn spec() -> UniformSpec {
    UniformSpec {
        footprint_bytes: 1 << 20,
        request_bytes: 4096,
        count: 20_000,
        write_fraction: 0.5,
        trim_fraction: 0.2,
        mean_interarrival_ns: 1000,
        seed: 7,
    }
}

fn generate(spec: UniformSpec) -> Vec<Record> {
    collect(Trace::uniform(spec).source().unwrap().as_mut()).unwrap()
}

#[test]
fn a_scan_counts_everything() {
    let records = vec![
        record(10, Op::Read, 0, 512),
        record(10, Op::Write, 4096, 8192),
        record(20, Op::Write, 6144, 4096),
        record(25, Op::Trim, 1 << 40, 4096),
        record(30, Op::Flush, 0, 0),
    ];
    let summary = Trace::from_records("five", records).scan().unwrap();
    let expected = Summary {
        name: "five".to_owned(),
        format: "memory".to_owned(),
        provenance: "records in memory".to_owned(),
        requests: 5,
        reads: 1,
        writes: 2,
        trims: 1,
        flushes: 1,
        read_bytes: 512,
        write_bytes: 12288,
        trim_bytes: 4096,
        span_ns: 20,
        max_end_bytes: (1 << 40) + 4096,
        // Units 0 (read), 1 and 2 (written); the trim touches nothing.
        footprint_bytes: 3 * 4096,
        write_footprint_bytes: 2 * 4096,
        last_stream: 0,
        unaligned_requests: 2,
        content_hash: "f1c1113a1e03fc737252709f834a315fbe20d85570126d38643a519196938c25".to_owned(),
        bad_lines: 0,
        first_bad_lines: Vec::new(),
        warnings: Vec::new(),
    };
    assert_eq!(summary, expected);
    let json = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&json).unwrap(), summary);
}

#[test]
fn the_hash_is_of_the_requests_and_nothing_else() {
    let hash = |name: &str, size| {
        Trace::from_records(name, vec![record(0, Op::Read, 0, size)]).scan().unwrap().content_hash
    };
    assert_eq!(hash("one", 512), hash("two", 512));
    assert_ne!(hash("one", 512), hash("one", 513));
}

#[rstest]
#[case::none(vec![], "trace \"m\": holds no requests")]
#[case::zero(
    vec![record(0, Op::Write, 0, 0)],
    "trace \"m\": record 0 (from 0): a write of zero bytes is not a request"
)]
#[case::backwards(
    vec![record(5, Op::Read, 0, 1), record(4, Op::Read, 0, 1)],
    "trace \"m\": record 1 (from 0): time goes backwards: 4 ns after 5 ns; sort the records by time"
)]
fn bad_records(#[case] records: Vec<Record>, #[case] message: &str) {
    let trace = Trace::from_records("m", records);
    assert_eq!(trace.source().err().unwrap().to_string(), message);
    assert_eq!(trace.scan().unwrap_err().to_string(), message);
}

#[test]
fn the_generator_does_as_asked() {
    let records = generate(spec());
    let share = |op| records.iter().filter(|r| r.op == op).count() as f64 / records.len() as f64;
    assert_eq!(records.len(), 20_000);
    assert!((share(Op::Write) - 0.5).abs() < 0.02 && (share(Op::Trim) - 0.2).abs() < 0.02);
    assert!((share(Op::Read) - 0.3).abs() < 0.02);
    let mean_ns = records.last().unwrap().time_ns as f64 / 20_000.0;
    assert!((mean_ns - 1000.0).abs() < 30.0, "{mean_ns}");
    assert!(records.iter().all(|r| r.offset_bytes % 4096 == 0 && r.size_bytes == 4096));
    let summary = Trace::uniform(spec()).scan().unwrap();
    assert_eq!((summary.footprint_bytes, summary.max_end_bytes), (1 << 20, 1 << 20));
}

#[test]
fn one_setting_changes_one_thing() {
    let records = generate(spec());
    assert_eq!(records, generate(spec()));
    assert_ne!(records, generate(UniformSpec { seed: 8, ..spec() }));

    let slower = generate(UniformSpec { mean_interarrival_ns: 0, ..spec() });
    assert!(slower.iter().all(|r| r.time_ns == 0));
    assert!(records.iter().zip(&slower).all(|(a, b)| (a.op, a.offset_bytes) == (b.op, b.offset_bytes)));

    let reads = generate(UniformSpec { write_fraction: 0.0, trim_fraction: 0.0, ..spec() });
    assert!(
        records.iter().zip(&reads).all(|(a, b)| (a.time_ns, a.offset_bytes) == (b.time_ns, b.offset_bytes))
    );
}

/// Results quoted in papers and kept as golden files rest on these values never changing.
#[test]
fn the_generator_never_changes() {
    let first: Vec<_> = generate(spec())
        .iter()
        .take(3)
        .map(|record| (record.time_ns, record.op, record.offset_bytes))
        .collect();
    assert_eq!(first, [(0, Op::Read, 499712), (418, Op::Write, 69632), (2575, Op::Read, 798720)]);
}

#[rstest]
#[case::count(UniformSpec { count: 0, ..spec() }, "count is 0, so there are no requests")]
#[case::request(
    UniformSpec { request_bytes: 0, ..spec() },
    "request_bytes must be from 1 to 4294967296, not 0"
)]
#[case::footprint(
    UniformSpec { footprint_bytes: 4095, ..spec() },
    "footprint_bytes (4095) is less than request_bytes (4096)"
)]
#[case::writes(UniformSpec { write_fraction: 1.5, ..spec() }, "write_fraction must be from 0 to 1, not 1.5")]
#[case::nan(UniformSpec { trim_fraction: f64::NAN, ..spec() }, "trim_fraction must be from 0 to 1, not NaN")]
#[case::both(
    UniformSpec { write_fraction: 0.9, ..spec() },
    "write_fraction (0.9) and trim_fraction (0.2) are more than 1 together"
)]
fn impossible_generators(#[case] spec: UniformSpec, #[case] reason: &str) {
    let message = Trace::uniform(spec).source().err().unwrap().to_string();
    assert_eq!(message, format!("trace \"uniform\": {reason}"));
}
