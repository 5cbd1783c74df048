//! Whole recordings: those in `examples/traces`, and more of them, with pieces of public traces, where a checkout has
//! them beside it. None of the latter ships with Reclaim; without them these tests say so and pass.

use std::path::{Path, PathBuf};

use crate::common::{collect, with};
use reclaim_trace::characteristics::Characteristics;
use reclaim_trace::{CharacteristicsOptions, OpenOptions, Record, Summary, Trace};
use rstest::rstest;

fn open(path: &Path) -> Trace {
    Trace::open(path, &OpenOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

const MIB: f64 = (1 << 20) as f64;

/// The numbers in the README beside the files.
#[rstest]
#[case("varmail", [35000, 7088, 20506, 3527, 3879], 158.7, 0)]
#[case("sqlite", [43000, 6835, 25673, 2729, 7763], 124.3, 0)]
#[case("mysql", [40000, 27495, 10763, 234, 1508], 137.1, 458)]
#[case("dbench", [38000, 18734, 16450, 1979, 837], 230.9, 0)]
#[case("cassandra", [32000, 30161, 1683, 38, 118], 1083.8, 0)]
#[case("mongodb_wt", [37000, 22980, 13901, 0, 119], 963.7, 0)]
#[case("rocksdb", [36000, 34821, 964, 121, 94], 860.1, 0)]
fn bundled(#[case] name: &str, #[case] counts: [u64; 5], #[case] written_mib: f64, #[case] unaligned: u64) {
    let trace = open(&repository().join(format!("examples/traces/{name}.blkparse.txt.zst")));
    let summary = trace.scan().unwrap();
    let Summary { requests, reads, writes, trims, flushes, .. } = summary;
    assert_eq!((trace.format(), [requests, reads, writes, trims, flushes]), ("blkparse", counts));
    assert!((summary.write_footprint_bytes as f64 / MIB - written_mib).abs() < 0.05);
    assert_eq!(summary.unaligned_requests, unaligned);
}

/// The folder of recordings and public traces that are too large or not ours to ship, if this machine has one.
fn more_traces(kind: &str) -> Option<PathBuf> {
    let beside = repository().join("../shared/traces");
    let folder = std::env::var_os("RECLAIM_TRACES").map_or(beside, PathBuf::from).join(kind);
    let found = folder.is_dir();
    if !found {
        println!("skipped: no folder {} (name one above it in RECLAIM_TRACES)", folder.display());
    }
    found.then_some(folder)
}

/// Of whole recordings: requests without flushes, flushes, and the shares of reads, writes and discards; counted then
/// by another program, shares in % of reads and writes next to the previous one of their kind and in a stream of the
/// last 64, and GiB rewritten, rewritten while live, live and trimmed, and live at the end.
#[rstest]
#[case("cassandra", [352235, 4610], [94.5, 5.2, 0.28], [3.3, 78.0, 15.3, 92.7], [1.93, 0.11, 7.14, 1.68])]
#[case("dbench", [1149280, 25596], [46.4, 43.3, 10.26], [11.3, 5.0, 34.6, 25.2], [31.32, 26.13, 6.05, 0.56])]
#[case("mysql", [1907274, 92726], [71.1, 28.8, 0.05], [2.4, 35.5, 22.5, 43.2], [13.07, 12.98, 1.14, 1.57])]
#[case("sqlite", [1757830, 242170], [11.9, 83.4, 4.74], [0.0, 4.1, 0.1, 27.3], [11.68, 7.21, 5.48, 1.19])]
#[case("mongodb_wt", [680065, 6980], [59.6, 40.4, 0.02], [7.3, 3.2, 10.2, 4.5], [22.88, 22.78, 2.14, 3.92])]
#[case("rocksdb", [1069594, 2009], [97.3, 2.5, 0.16], [0.9, 87.7, 1.6, 91.6], [15.43, 0.04, 19.11, 3.52])]
#[case("varmail", [1257918, 136789], [24.4, 63.5, 12.14], [0.0, 14.3, 0.0, 40.4], [6.34, 6.33, 2.14, 3.56])]
fn whole_recordings(
    #[case] name: &str,
    #[case] counts: [u64; 2],
    #[case] kinds: [f64; 3],
    #[case] order: [f64; 4],
    #[case] gib: [f64; 4],
) {
    let Some(folder) = more_traces("recorded") else { return };
    let trace = open(&folder.join(format!("{name}/{name}.blkparse.txt.zst")));
    let options = CharacteristicsOptions { stream_window: 64, ..CharacteristicsOptions::default() };
    let (summary, found) = trace.describe(options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!([summary.requests - summary.flushes, summary.flushes], counts);
    let percent = |count: u64| count as f64 / counts[0] as f64 * 100.0;
    let (read, write, over) = (&found.sequentiality.read, &found.sequentiality.write, &found.overwrites);
    let next = [read, write].map(|order| order.next_to_previous_share * 100.0);
    let stream = [read, write].map(|order| order.in_stream_share * 100.0);
    let units =
        [over.rewritten_units, over.rewritten_live_units, over.trimmed_live_units, over.live_units_at_end];
    let close = |found: &[f64], noted: &[f64], within: f64| {
        assert!(
            found.iter().zip(noted).all(|(a, b)| (a - b).abs() <= within),
            "{found:?} instead of {noted:?}"
        );
    };
    close(&[summary.reads, summary.writes, summary.trims].map(percent), &kinds, 0.051);
    close(&[next, stream].concat(), &order, 0.051);
    close(&units.map(|count| count as f64 * 4096.0 / f64::from(1 << 30)), &gib, 0.0051);
}

fn columns(columns: &str, separator: &str) -> OpenOptions {
    with(&[("columns", columns), ("separator", separator)])
}

/// How the file is to be opened that its authors published, and what format it is in.
fn published(file: &str) -> (&'static str, OpenOptions) {
    match file.split('.').next().unwrap_or_default() {
        // FlashSim's release traces: DiskSim's columns with sizes in pages. Heimdall's cuts of MSR: in bytes.
        "jpeg_copy" | "fin1" | "web1" => {
            ("columns", columns("time:ms,_,offset:sectors,size:4KiB,op:1=read", "blanks"))
        }
        "msr" => ("columns", columns("time:ms,_,offset:bytes,size:bytes,op:1=read", "blanks")),
        // Sysinternals DiskMon.
        "mayun" | "mayun2" | "mayun4" => {
            ("columns", columns("_,time:s,_,device,op,offset:sectors,size:sectors", "tab"))
        }
        // BIOTracer on Android: bit 0 of the flags is set for a write; times as the clock was set.
        "Booting_log176" | "Movie_log121" => {
            let columns = columns("offset:sectors,_,size:bytes,op:bit0=write,time:s,_*", "blanks");
            ("columns", OpenOptions { sort: true, ..columns })
        }
        "blkparseout_ext4" | "blkparseout_f2fs" => ("blkparse", with(&[("sort", "")])),
        // MQSim, too, takes the addresses of all devices for one space.
        "tpcc-small" | "wsrch-small" => ("mqsim", with(&[("device", "all")])),
        "PRXY_0_read" => ("disksim", with(&[("format", "disksim")])),
        "DTRS100M" => ("mqsim", OpenOptions::default()),
        "cloudPhysicsIO" => ("vscsi", OpenOptions::default()),
        _ => ("disksim", OpenOptions::default()),
    }
}

/// Do what was done to two of the files before they were counted.
fn repair(folder: &str, records: &mut Vec<Record>) {
    const MINUTES_10: u64 = 600_000_000_000;
    match folder {
        // One request has a time of 40 years; sorted, it is the last.
        "blk_ycsb_ext4" => {
            records.pop();
        }
        // The clock of the telephone was set while it started: sorted, the jumps are gaps of more than ten minutes.
        "smartphone_booting" => {
            let (mut removed_ns, mut last_ns) = (0, 0);
            for record in records {
                if record.time_ns - last_ns > MINUTES_10 {
                    removed_ns += record.time_ns - last_ns;
                }
                last_ns = record.time_ns;
                record.time_ns -= removed_ns;
            }
        }
        _ => {}
    }
}

/// The figures in the notes beside a trace: whole numbers, and the rest as rounded there.
fn compare(name: &str, noted: &serde_json::Value, found: &Characteristics) {
    // How long the requests before the jumps of its clock really waited was estimated.
    let span_rounding = if name == "smartphone_booting" { 0.05 } else { 0.0006 };
    let mib = |bytes: u64| bytes as f64 / MIB;
    for (key, figure, tolerance) in [
        ("requests", (found.requests.reads + found.requests.writes) as f64, 0.0),
        ("reads", found.requests.reads as f64, 0.0),
        ("writes", found.requests.writes as f64, 0.0),
        ("trims", found.requests.trims as f64, 0.0),
        ("span_s", found.arrivals.span_ns as f64 / 1e9, span_rounding),
        ("write_frac", found.requests.write_ratio, 0.00006),
        ("read_MiB", mib(found.requests.read_bytes), 0.06),
        ("write_MiB", mib(found.requests.write_bytes), 0.06),
        ("avg_read_KiB", found.sizes.read.mean_bytes / 1024.0, 0.006),
        ("avg_write_KiB", found.sizes.write.mean_bytes / 1024.0, 0.006),
        ("max_end_GiB", mib(found.space.max_end_bytes) / 1024.0, 0.0006),
        ("footprint_MiB", mib(found.space.footprint_bytes), 0.06),
        ("write_footprint_MiB", mib(found.space.write_footprint_bytes), 0.06),
        ("page_writes_per_unique", found.overwrites.writes_per_written_unit, 0.006),
        ("seq_frac", found.sequentiality.next_to_any_share, 0.0006),
    ] {
        // The notes leave trims out of account, which changes what comes next to what.
        let other = key == "seq_frac" && found.requests.trims > 0;
        let Some(noted) = noted[key].as_f64().filter(|_| !other) else { continue };
        assert!((figure - noted).abs() <= tolerance, "{name}: {key} is {figure}, noted as {noted}");
    }
}

#[test]
fn public_traces_are_as_their_notes_say() {
    let Some(public) = more_traces("public") else { return };
    for folder in std::fs::read_dir(public).unwrap().map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let provenance = std::fs::read_to_string(folder.join("PROVENANCE.md")).unwrap();
        let (_, json) = provenance.split_once("```json").expect("statistics in the notes");
        let noted: serde_json::Value = serde_json::from_str(json.split("```").next().unwrap()).unwrap();
        let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        let packed = names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "zst"));
        for file in packed.map(|name| name.to_string_lossy().into_owned()) {
            let trace = if file == format!("{name}.csv.zst") {
                let trace = open(&folder.join(&file));
                assert_eq!(trace.format(), "csv");
                trace
            } else {
                let (format, options) = published(&file);
                let trace = Trace::open(&folder.join(&file), &options).unwrap();
                assert_eq!(trace.format(), format, "{file}");
                let mut records = collect(trace.source().unwrap().as_mut()).unwrap();
                repair(&name, &mut records);
                Trace::from_records(&name, records)
            };
            compare(
                &name,
                &noted,
                &trace.characteristics().unwrap_or_else(|error| panic!("{file}: {error}")),
            );
            println!("{file}: {} requests", trace.scan().unwrap().requests);
        }
    }
}
