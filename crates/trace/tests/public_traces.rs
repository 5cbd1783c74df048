//! The pieces of public traces that a checkout may have beside it, each validated against the counts written beside
//! it.
//!
//! None of them ships with Reclaim; without them these tests say so and pass.

use std::path::{Path, PathBuf};

use crate::common::collect;
use reclaim_trace::{OpenOptions, Record, Summary, Trace};

/// How to open a file.
type Options = fn() -> OpenOptions;

/// What `PROVENANCE.md` says of a trace.
struct Piece {
    folder: &'static str,
    /// The file as its authors published it, and how to open it. `None` where only the normalised table is there.
    raw: Option<(&'static str, Options)>,
    format: &'static str,
    reads: u64,
    writes: u64,
    trims: u64,
    span_s: f64,
    read_mib: f64,
    write_mib: f64,
    max_end_gib: f64,
    footprint_mib: f64,
    write_footprint_mib: f64,
}

fn plain() -> OpenOptions {
    OpenOptions::default()
}

/// MQSim, too, takes the addresses of all devices for one space.
fn all_devices() -> OpenOptions {
    OpenOptions { device: Some("all".to_owned()), ..plain() }
}

fn columns(columns: &str, separator: &str) -> OpenOptions {
    OpenOptions { columns: Some(columns.to_owned()), separator: Some(separator.to_owned()), ..plain() }
}

/// FlashSim's release traces: DiskSim's columns with sizes in pages.
fn in_pages() -> OpenOptions {
    columns("time:ms,_,offset:sectors,size:4KiB,op:1=read", "blanks")
}

/// Heimdall's cuts of MSR: DiskSim's columns in bytes.
fn in_bytes() -> OpenOptions {
    columns("time:ms,_,offset:bytes,size:bytes,op:1=read", "blanks")
}

/// Sysinternals DiskMon.
fn disk_mon() -> OpenOptions {
    columns("_,time:s,_,device,op,offset:sectors,size:sectors", "tab")
}

/// BIOTracer on Android: bit 0 of the flags is set for a write; times as the clock was set.
fn bio_tracer() -> OpenOptions {
    let columns = columns("offset:sectors,_,size:bytes,op:bit0=write,time:s,_*", "blanks");
    OpenOptions { sort: true, ..columns }
}

fn sorted() -> OpenOptions {
    OpenOptions { sort: true, ..plain() }
}

fn disk_sim_sectors() -> OpenOptions {
    OpenOptions { format: Some("disksim".to_owned()), ..plain() }
}

macro_rules! piece {
    ($folder:literal, $raw:expr, $format:literal, $reads:literal, $writes:literal, $trims:literal,
     $span:literal, $read:literal, $write:literal, $end:literal, $touched:literal, $written:literal) => {
        Piece {
            folder: $folder,
            raw: $raw,
            format: $format,
            reads: $reads,
            writes: $writes,
            trims: $trims,
            span_s: $span,
            read_mib: $read,
            write_mib: $write,
            max_end_gib: $end,
            footprint_mib: $touched,
            write_footprint_mib: $written,
        }
    };
}

#[rustfmt::skip]
const PIECES: [Piece; 22] = [
    piece!("bench_iozone_100k", Some(("ssd-iozone-aligned2-100K.trace.zst", plain)), "disksim",
        0, 100000, 0, 936.449, 0.0, 35148.4, 16.071, 1059.8, 1059.8),
    piece!("bench_pcmark", Some(("pcmark.zst", plain)), "disksim",
        41848, 14240, 0, 1466.26, 3144.5, 2948.6, 105.364, 2271.8, 513.6),
    piece!("bench_postmark", Some(("ssd-postmark-aligned2.trace.zst", plain)), "disksim",
        51780, 10477, 0, 490.437, 4993.7, 8522.9, 21.32, 5989.8, 5986.2),
    piece!("blk_ycsb_ext4", Some(("blkparseout_ext4.txt.zst", sorted)), "blkparse",
        9038, 848, 0, 810.38, 999.0, 240.3, 8.125, 1238.8, 239.8),
    piece!("blk_ycsb_f2fs", Some(("blkparseout_f2fs.txt.zst", sorted)), "blkparse",
        4722, 1005, 0, 1651.023, 512.3, 419.5, 2.557, 908.2, 397.5),
    piece!("flashsim_jpeg_copy", Some(("jpeg_copy.trace.zst", in_pages)), "columns",
        35344, 11776, 0, 810.149, 2195.7, 2214.6, 429.495, 4413.4, 2217.6),
    piece!("mqsim_tpcc_small", Some(("tpcc-small.trace.zst", all_devices)), "mqsim",
        4381, 2618, 0, 0.136, 34.6, 22.3, 216.731, 79.8, 30.7),
    piece!("mqsim_wsrch_small", Some(("wsrch-small.trace.zst", all_devices)), "mqsim",
        24779, 4, 0, 60.055, 364.4, 0.0, 16.673, 360.4, 0.0),
    piece!("ms_dtrs_100m", Some(("DTRS100M.trace.zst", plain)), "mqsim",
        113123, 13920, 0, 29999.952, 6138.8, 725.6, 153.211, 4969.8, 718.9),
    piece!("msr_heimdall_1006", Some(("msr.cut.per_10k.most_thpt_rand_iops.1006.trace.zst", in_bytes)),
        "columns", 8316, 1684, 0, 1.017, 33.9, 90.2, 11.795, 113.4, 90.2),
    piece!("msr_heimdall_105", Some(("msr.cut.per_10k.rw_20_80.105.trace.zst", in_bytes)), "columns",
        2020, 7980, 0, 242.905, 3.6, 48.7, 13.931, 28.8, 22.7),
    piece!("msr_heimdall_1370", Some(("msr.cut.per_10k.rw_40_60.1370.trace.zst", in_bytes)), "columns",
        4054, 5946, 0, 85.915, 18.6, 27.9, 13.837, 35.0, 16.8),
    piece!("msr_prxy_0_reads", Some(("PRXY_0_read.zst", disk_sim_sectors)), "disksim",
        29360, 0, 0, 46653.542, 278.6, 0.0, 20.676, 78.2, 0.0),
    piece!("rocksdb_ycsb_a_0702", None, "csv",
        1, 64188, 231, 24.651, 0.0, 7977.8, 174.663, 1703.4, 1703.4),
    piece!("smartphone_booting", Some(("Booting_log176.txt.zst", bio_tracer)), "columns",
        12327, 6090, 0, 112.911, 736.1, 223.2, 29.121, 908.2, 185.4),
    piece!("smartphone_movie", Some(("Movie_log121.txt.zst", bio_tracer)), "columns",
        4523, 258, 0, 997.481, 123.1, 4.3, 28.158, 127.0, 3.9),
    piece!("umass_fin1_50k", Some(("fin1.trace.zst", in_pages)), "columns",
        29199, 20801, 0, 853.403, 212.5, 129.0, 0.478, 121.7, 34.7),
    piece!("umass_web1_50k", Some(("web1.trace.zst", in_pages)), "columns",
        49990, 10, 0, 128.661, 739.4, 0.1, 16.673, 724.4, 0.0),
    piece!("vmware_cloudphysics", Some(("cloudPhysicsIO.vscsi.zst", plain)), "vscsi",
        46974, 66898, 0, 7200.09, 1714.1, 2297.0, 31.278, 1051.6, 815.2),
    piece!("winpc_mayun", Some(("mayun.txt.zst", disk_mon)), "columns",
        14180, 10664, 0, 6529.906, 117.2, 223.5, 60.601, 269.5, 150.7),
    piece!("winpc_mayun2", Some(("mayun2.txt.zst", disk_mon)), "columns",
        36705, 50455, 0, 11719.769, 777.4, 899.9, 132.522, 821.5, 522.2),
    piece!("winpc_mayun4", Some(("mayun4.txt.zst", disk_mon)), "columns",
        6424, 11004, 0, 1548.766, 162.3, 276.0, 132.773, 319.1, 211.2),
];

/// The folder with the pieces, if this machine has one.
fn public() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces");
    let folder = std::env::var_os("RECLAIM_TRACES").map_or(beside, PathBuf::from).join("public");
    let found = folder.is_dir();
    if !found {
        println!("skipped: no folder {} (name one above it in RECLAIM_TRACES)", folder.display());
    }
    found.then_some(folder)
}

fn scan(path: &Path, options: &OpenOptions) -> Summary {
    Trace::open(path, options).and_then(|trace| trace.scan()).unwrap_or_else(|error| panic!("{error}"))
}

/// What differs between a summary and what was written down, rounded as that was.
fn differences(piece: &Piece, summary: &Summary) -> Vec<String> {
    const MIB: f64 = (1 << 20) as f64;
    // How long the requests before the jumps of its clock really waited was estimated.
    let span_rounding = if piece.folder == "smartphone_booting" { 0.05 } else { 0.00051 };
    let counts = [
        ("reads", summary.reads, piece.reads),
        ("writes", summary.writes, piece.writes),
        ("trims", summary.trims, piece.trims),
        ("flushes", summary.flushes, 0),
        ("bad lines", summary.bad_lines, 0),
    ];
    let sizes = [
        ("span_s", summary.span_ns as f64 / 1e9, piece.span_s, span_rounding),
        ("read_MiB", summary.read_bytes as f64 / MIB, piece.read_mib, 0.051),
        ("write_MiB", summary.write_bytes as f64 / MIB, piece.write_mib, 0.051),
        ("max_end_GiB", summary.max_end_bytes as f64 / MIB / 1024.0, piece.max_end_gib, 0.00051),
        ("footprint_MiB", summary.footprint_bytes as f64 / MIB, piece.footprint_mib, 0.051),
        ("write_footprint_MiB", summary.write_footprint_bytes as f64 / MIB, piece.write_footprint_mib, 0.051),
    ];
    let counts = counts
        .into_iter()
        .filter(|(_, found, noted)| found != noted)
        .map(|(name, found, noted)| format!("{name} {found} instead of {noted}"));
    let sizes = sizes
        .into_iter()
        .filter(|(_, found, noted, rounding)| (found - noted).abs() > *rounding)
        .map(|(name, found, noted, _)| format!("{name} {found} instead of {noted}"));
    counts.chain(sizes).collect()
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

#[test]
fn the_files_as_published_reproduce_the_counts_written_beside_them() {
    let Some(public) = public() else { return };
    let mut wrong = Vec::new();
    for piece in &PIECES {
        let Some((file, options)) = piece.raw else { continue };
        let trace = Trace::open(&public.join(piece.folder).join(file), &options()).unwrap();
        assert_eq!(trace.format(), piece.format, "{}", piece.folder);
        let mut records = collect(trace.source().unwrap().as_mut()).unwrap();
        repair(piece.folder, &mut records);
        let summary = Trace::from_records(piece.folder, records).scan().unwrap();
        let differences = differences(piece, &summary);
        println!("{}: {} requests, {differences:?}", piece.folder, summary.requests);
        if !differences.is_empty() {
            wrong.push(format!("{}: {}", piece.folder, differences.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn their_normalised_tables_reproduce_them_too() {
    let Some(public) = public() else { return };
    for piece in &PIECES {
        let summary = scan(&public.join(piece.folder).join(format!("{}.csv.zst", piece.folder)), &plain());
        assert_eq!(differences(piece, &summary), Vec::<String>::new(), "{}", piece.folder);
    }
}
