//! Whole recordings: those in `examples/traces`, and more of them where a checkout has them.

use std::path::{Path, PathBuf};

use reclaim_trace::{OpenOptions, Summary, Trace};
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
