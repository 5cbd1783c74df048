//! Whole recordings: those in `examples/traces`, and more of them where a checkout has them.

use std::path::{Path, PathBuf};

use reclaim_trace::{CharacteristicsOptions, OpenOptions, Summary, Trace};
use rstest::rstest;

fn scan(path: &Path) -> Summary {
    Trace::open(path, &OpenOptions::default())
        .and_then(|trace| trace.scan())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

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
    let summary = scan(&repository().join(format!("examples/traces/{name}.blkparse.txt.zst")));
    assert_eq!(summary.format, "blkparse");
    let Summary { requests, reads, writes, trims, flushes, .. } = summary;
    assert_eq!([requests, reads, writes, trims, flushes], counts);
    assert!((summary.write_footprint_bytes as f64 / f64::from(1 << 20) - written_mib).abs() < 0.05);
    assert_eq!(summary.unaligned_requests, unaligned);
}

/// The folder of recordings and public traces that are too large or not ours to ship, if this machine has one.
fn more_traces() -> Option<PathBuf> {
    let folder = match std::env::var_os("RECLAIM_TRACES") {
        Some(folder) => PathBuf::from(folder),
        None => repository().join("../shared/traces"),
    };
    let found = folder.is_dir();
    if !found {
        println!("skipped: no folder {} (name one in RECLAIM_TRACES)", folder.display());
    }
    found.then_some(folder)
}

/// The files in the folders below `folder` whose names end with `ending`.
fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
    };
    let mut found: Vec<PathBuf> = list(folder).iter().flat_map(|below| list(below)).collect();
    found.retain(|path| path.to_string_lossy().ends_with(ending));
    found.sort();
    found
}

#[test]
fn public_traces_in_normalised_csv() {
    let Some(folder) = more_traces() else { return };
    for path in files_below(&folder.join("public"), ".csv.zst") {
        let summary = scan(&path);
        assert_eq!(summary.format, "csv");
        println!("{}: {} requests", path.display(), summary.requests);
    }
}

/// Requests without flushes, flushes, and the shares of reads, writes and discards as they were when recorded.
const RECORDED: [(&str, u64, u64, [f64; 3]); 7] = [
    ("cassandra", 352235, 4610, [94.5, 5.2, 0.28]),
    ("dbench", 1149280, 25596, [46.4, 43.3, 10.26]),
    ("mysql", 1907274, 92726, [71.1, 28.8, 0.05]),
    ("sqlite", 1757830, 242170, [11.9, 83.4, 4.74]),
    ("mongodb_wt", 680065, 6980, [59.6, 40.4, 0.02]),
    ("rocksdb", 1069594, 2009, [97.3, 2.5, 0.16]),
    ("varmail", 1257918, 136789, [24.4, 63.5, 12.14]),
];

#[test]
fn whole_recordings() {
    let Some(folder) = more_traces() else { return };
    for path in files_below(&folder.join("recorded"), ".blkparse.txt.zst") {
        let summary = scan(&path);
        let (_, requests, flushes, shares) = RECORDED
            .into_iter()
            .find(|(name, ..)| path.to_string_lossy().ends_with(&format!("/{name}.blkparse.txt.zst")))
            .unwrap_or_else(|| panic!("{}: an unknown recording", path.display()));
        assert_eq!(
            (summary.requests - summary.flushes, summary.flushes),
            (requests, flushes),
            "{}",
            path.display()
        );
        for (count, share) in [summary.reads, summary.writes, summary.trims].into_iter().zip(shares) {
            let found = count as f64 / requests as f64 * 100.0;
            assert!((found - share).abs() <= 0.051, "{}: {found} % instead of {share} %", path.display());
        }
        println!("{}: {} requests", path.display(), summary.requests);
    }
}

/// Figures noted when the recordings were made, counted then by another program: shares in % of reads and writes next
/// to the previous one of their kind and in a stream of the last 64, GiB rewritten, rewritten while live, live and
/// trimmed, and live at the end.
const RECORDED_SPACE: [(&str, [f64; 4], [f64; 4]); 7] = [
    ("cassandra", [3.3, 78.0, 15.3, 92.7], [1.93, 0.11, 7.14, 1.68]),
    ("dbench", [11.3, 5.0, 34.6, 25.2], [31.32, 26.13, 6.05, 0.56]),
    ("mysql", [2.4, 35.5, 22.5, 43.2], [13.07, 12.98, 1.14, 1.57]),
    ("sqlite", [0.0, 4.1, 0.1, 27.3], [11.68, 7.21, 5.48, 1.19]),
    ("mongodb_wt", [7.3, 3.2, 10.2, 4.5], [22.88, 22.78, 2.14, 3.92]),
    ("rocksdb", [0.9, 87.7, 1.6, 91.6], [15.43, 0.04, 19.11, 3.52]),
    ("varmail", [0.0, 14.3, 0.0, 40.4], [6.34, 6.33, 2.14, 3.56]),
];

#[test]
fn order_and_overwriting_of_whole_recordings() {
    let Some(folder) = more_traces() else { return };
    for path in files_below(&folder.join("recorded"), ".blkparse.txt.zst") {
        let known = |(name, ..): &&(&str, _, _)| {
            path.to_string_lossy().ends_with(&format!("/{name}.blkparse.txt.zst"))
        };
        let (name, order, gib) = RECORDED_SPACE.iter().find(known).expect("a known recording");
        let options = CharacteristicsOptions { stream_window: 64, ..CharacteristicsOptions::default() };
        let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
        let (_, found) = trace.describe(options).unwrap_or_else(|error| panic!("{error}"));
        let (read, write, over) = (&found.sequentiality.read, &found.sequentiality.write, &found.overwrites);
        let shares = [
            read.next_to_previous_share,
            write.next_to_previous_share,
            read.in_stream_share,
            write.in_stream_share,
        ];
        for (share, noted) in shares.iter().zip(order) {
            assert!((share * 100.0 - noted).abs() <= 0.051, "{name}: {shares:?} instead of {order:?} %");
        }
        let units = [
            over.rewritten_units,
            over.rewritten_live_units,
            over.trimmed_live_units,
            over.live_units_at_end,
        ];
        for (count, noted) in units.iter().zip(gib) {
            let found = *count as f64 * 4096.0 / f64::from(1 << 30);
            assert!((found - noted).abs() <= 0.0051, "{name}: {found} GiB in {units:?} instead of {noted}");
        }
    }
}

/// The figures in the provenance notes of the public traces: whole numbers, and the rest as rounded there.
#[test]
fn public_traces_are_as_their_notes_say() {
    let Some(folder) = more_traces() else { return };
    let mut compared = 0;
    for path in files_below(&folder.join("public"), ".csv.zst") {
        let provenance = std::fs::read_to_string(path.with_file_name("PROVENANCE.md")).unwrap();
        let (_, json) = provenance.split_once("```json").expect("statistics in the notes");
        let noted: serde_json::Value = serde_json::from_str(json.split("```").next().unwrap()).unwrap();
        let trace = Trace::open(&path, &OpenOptions::default()).unwrap();
        let found = trace.characteristics().unwrap_or_else(|error| panic!("{error}"));
        let found_trims = found.requests.trims > 0;
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let figures = [
            ("requests", (found.requests.reads + found.requests.writes) as f64, 0.0),
            ("reads", found.requests.reads as f64, 0.0),
            ("writes", found.requests.writes as f64, 0.0),
            ("span_s", found.arrivals.span_ns as f64 / 1e9, 0.0006),
            ("write_frac", found.requests.write_ratio, 0.00006),
            ("read_MiB", mib(found.requests.read_bytes), 0.06),
            ("write_MiB", mib(found.requests.write_bytes), 0.06),
            ("avg_read_KiB", found.sizes.read.mean_bytes / 1024.0, 0.006),
            ("avg_write_KiB", found.sizes.write.mean_bytes / 1024.0, 0.006),
            ("max_end_GiB", found.space.max_end_bytes as f64 / f64::from(1 << 30), 0.0006),
            ("footprint_MiB", mib(found.space.footprint_bytes), 0.06),
            ("write_footprint_MiB", mib(found.space.write_footprint_bytes), 0.06),
            ("page_writes_per_unique", found.overwrites.writes_per_written_unit, 0.006),
            ("seq_frac", found.sequentiality.next_to_any_share, 0.0006),
        ];
        for (key, found, tolerance) in figures {
            // The notes leave trims out of account, which changes what comes next to what.
            let other = key == "seq_frac" && found_trims;
            let Some(noted) = noted[key].as_f64().filter(|_| !other) else { continue };
            let off = (found - noted).abs();
            assert!(off <= tolerance, "{}: {key} is {found}, noted as {noted}", path.display());
            compared += 1;
        }
    }
    println!("{compared} figures");
}
