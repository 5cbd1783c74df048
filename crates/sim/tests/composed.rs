//! Features that go together: what each pair does to the nanosecond, and that all of them run, collect and pass the
//! audit.

use crate::common::prelude::*;

type Set = &'static [(&'static str, &'static str)];

/// One plane of 20 blocks of 12 pages of three levels, a word line of which is programmed at once.
fn word_lines() -> TestDrive {
    TestDrive::one_plane()
        .blocks(20, 12)
        .set("flash.cell", "TLC")
        .set("flash.t_program", r#"["500us", "2000us", "5500us"]"#)
        .set("flash.program_unit", "word-line")
        .set("gc.pages_in_flight", 1)
}

const CACHE: Set = &[
    ("flash.cell", "TLC"),
    ("ftl.slc_cache", "static"),
    ("ftl.slc_cache.blocks", "1 block"),
    ("ftl.slc_cache.t_program", "200us"),
];
const CACHED: u64 = TRANSFER + 200_000;
const WORD_LINE: u64 = 5_500_000;
/// Two pages of the cache together, and the first page behind it.
const BOTH: u64 = 2 * TRANSFER + 200_000;
const BEHIND: u64 = TRANSFER + 500_000;

/// One page of so many, as good as any.
fn scattered(k: u64, pages: u64) -> u64 {
    let mixed = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) % pages
}

/// Writes of one page each, at once, each of a stream.
fn of_streams(streams: &[u8]) -> Vec<Record> {
    let records = streams.iter().zip(0..);
    records.map(|(stream, page)| Record { stream: *stream, ..at(0, Op::Write, page, 1) }).collect()
}

/// The cache takes four pages one by one, without waiting for others; three more fill a word line behind it. The fold
/// programs a word line of three, and one of one page and padding.
#[test]
fn a_cache_before_word_lines() {
    let outcome = word_lines().with(CACHE).run((0..7).map(|page| at(0, Op::Write, page, 1)).collect());
    let word_line = 4 * CACHED + 3 * TRANSFER + WORD_LINE;
    let ends = [CACHED, 2 * CACHED, 3 * CACHED, 4 * CACHED, word_line, word_line, word_line];
    assert_eq!(outcome.requests.as_ref().unwrap().completion_ns, ends);
    let log = outcome.gc_log.as_ref().unwrap();
    let folding = 4 * READ + 4 * TRANSFER + 2 * WORD_LINE + ERASE;
    assert_eq!((&log.cause[..], log.start_ns[0], log.end_ns[0]), (&[2][..], 4 * CACHED, word_line + folding));
    assert_eq!(outcome.results.flash.padded_pages, 2);
}

/// Four parts share a program of the cache; a fifth waits for others, and is programmed with padding.
#[test]
fn a_cache_of_pages_in_parts() {
    let drive = TestDrive::one_plane().blocks(20, 4).with(CACHE).with(&[
        ("geometry.page_size", "16KiB"),
        ("geometry.mapping_unit", "4KiB"),
        ("ftl.slc_cache.blocks", "2 blocks"),
    ]);
    let outcome = drive.run((0..5).map(|part| at(0, Op::Write, part, 1)).collect());
    let [whole, alone] = [4, 1].map(|parts| COMMAND + parts * DATA + 200_000);
    assert_eq!(rows(&outcome), [whole, whole, whole, whole, 1_000_000 + alone]);
    assert_eq!(counted(&outcome, "ftl.slc_cache", "cached_pages"), 5);
    assert_eq!(outcome.results.flash.padded_pages, 3);
}

/// Streams 0, 0, 1, 0, 1, 1: the first three of stream 0 are a word line when the fourth page has come, those of
/// stream 1 the next. Two more wait for others of their streams, and each is padded by itself.
#[test]
fn a_word_line_has_pages_of_one_stream() {
    let drive = word_lines().set("ftl.separation", "by-stream").set("ftl.separation.open_blocks", 2);
    let outcome = drive.run(of_streams(&[0, 0, 1, 0, 1, 1, 0, 1]));
    let requests = outcome.requests.as_ref().unwrap();
    let pages: Vec<u64> = requests.offset_bytes.iter().map(|offset| offset / 4096).collect();
    assert_eq!(pages, [0, 1, 3, 2, 4, 5, 6, 7]);
    let word_line = 3 * TRANSFER + WORD_LINE;
    assert_eq!(requests.completion_ns[..6], [1, 1, 1, 2, 2, 2].map(|count| count * word_line));
    let alone = TRANSFER + WORD_LINE;
    assert_eq!(requests.completion_ns[6..], [1, 2].map(|count| 2 * word_line + count * alone));
    assert_eq!(outcome.results.flash.padded_pages, 4);
    assert_eq!(counted(&outcome, "ftl.separation", "host_pages_elsewhere"), 0);
}

/// Four parts of one stream share a page, whatever stands between them.
#[test]
fn a_page_has_parts_of_one_stream() {
    let drive = TestDrive::one_plane().blocks(24, 4).with(&[
        ("geometry.page_size", "16KiB"),
        ("geometry.mapping_unit", "4KiB"),
        ("ftl.separation", "by-stream"),
    ]);
    let outcome = drive.run(of_streams(&[3, 1, 1, 3, 1, 3, 3, 1]));
    let whole = COMMAND + 4 * DATA + T_PROG;
    let requests = outcome.requests.unwrap();
    let pages: Vec<u64> = requests.offset_bytes.iter().map(|offset| offset / 4096).collect();
    assert_eq!(pages, [0, 3, 5, 6, 1, 2, 4, 7]);
    assert_eq!(requests.completion_ns, [1, 1, 1, 1, 2, 2, 2, 2].map(|count| count * whole));
    assert_eq!(outcome.results.flash.padded_pages, 0);
}

/// The cache takes pages of any stream. Behind it both pages are the first of a block of their stream's own.
#[test]
fn behind_a_cache_streams_have_blocks_of_their_own() {
    let times = [("flash.t_program", r#"["500us", "2000us", "5500us"]"#), ("ftl.separation", "by-stream")];
    let drive = TestDrive::one_plane().blocks(20, 6).with(CACHE).with(&times);
    let fastest = TRANSFER + 500_000;
    let ends = [CACHED, 2 * CACHED, 2 * CACHED + fastest, 2 * CACHED + 2 * fastest];
    assert_eq!(drive.run(of_streams(&[0, 1, 0, 1])).requests.unwrap().completion_ns, ends);
}

/// Twelve pages in turn: each two of them are cached and folded, so that the cache is erased far more often than the
/// blocks that are collected.
fn cached(set: &[(&str, &str)]) -> Outcome {
    let pages: Vec<u64> = (0..300).map(|k| k % 12).collect();
    TestDrive::one_plane().blocks(16, 6).with(CACHE).with(set).run(spaced_writes(&pages))
}

/// Blocks of the cache are none that static wear levelling compares others with.
#[test]
fn a_cache_wears_by_itself() {
    let outcome = cached(&[("ftl.wear.static_threshold", "20")]);
    assert!(outcome.results.wear.max_erases > 100, "{}", outcome.results.wear.max_erases);
    assert!(!outcome.gc_log.unwrap().cause.contains(&1));
}

/// What is folded goes through the controller, what is collected does not.
#[test]
fn a_fold_is_no_copyback() {
    let pages: Vec<u64> = (0..400).map(|k| scattered(k, 48)).collect();
    let drive = TestDrive::one_plane().blocks(16, 6).with(CACHE).set("gc.relocation", "copyback");
    let outcome = drive.run(spaced_writes(&pages));
    let flash = &outcome.results.flash;
    assert!(flash.copybacks > 0);
    assert_eq!(flash.copybacks, flash.gc_programs);
    assert_eq!(flash.gc_reads, counted(&outcome, "ftl.slc_cache", "folded_pages"));
}

/// Two planes of one die, of 32 blocks of two units of three pages, that share superblocks.
fn superblocks(set: &[(&str, &str)]) -> TestDrive {
    let base = [("ftl.superblock", "die"), ("ftl.allocation", "striping"), ("ftl.allocation.by", "arrival")];
    TestDrive::of([1, 1, 1, 2]).with(&base).with(set)
}

const UNITS_OF_LINES: Set = &[
    ("geometry.blocks_per_plane", "32"),
    ("geometry.pages_per_block", "6"),
    ("flash.cell", "TLC"),
    ("flash.t_program", "5500us"),
    ("flash.program_unit", "word-line"),
];
const UNITS_OF_PARTS: Set = &[
    ("geometry.blocks_per_plane", "32"),
    ("geometry.pages_per_block", "2"),
    ("geometry.page_size", "12KiB"),
    ("geometry.mapping_unit", "4KiB"),
];

/// Superblock 0 has twelve pages, one after the other in planes in turn, parts three by three. Of as many as are
/// overwritten each part may pad two: with eight valid ones four units of three are needed, which is all of it. Seven
/// need three. The two that are left of one plane are a unit with a page of padding, the five of the other two units.
#[rstest]
#[case::word_lines(UNITS_OF_LINES, [0, 2, 4, 6], 1, [8, 10], [3, 5, 7, 9, 11])]
#[case::parts(UNITS_OF_PARTS, [0, 1, 2, 6], 3, [7, 8], [4, 5, 9, 10, 11])]
fn a_superblock_is_collected_in_whole_units(
    #[case] set: Set,
    #[case] overwritten: [u32; 4],
    #[case] fifth: u32,
    #[case] of_first: [u32; 2],
    #[case] of_second: [u32; 5],
) {
    let mut ftl = superblocks(set).ftl();
    (0..12).chain(overwritten).for_each(|page| ftl.write_now(Lpn(page)));
    assert!(!ftl.collect_now(PlaneId(0)), "four pages of twelve may be won by nobody");
    ftl.write_now(Lpn(fifth));
    assert!(ftl.collect_now(PlaneId(0)));
    let places = |pages: &[u32]| pages.iter().map(|page| place(&ftl, *page)).collect::<Vec<_>>();
    // Superblock 1 has what was overwritten.
    assert_eq!(places(&of_first), [(2, 0), (2, 1)]);
    assert_eq!(places(&of_second), [(34, 0), (34, 1), (34, 2), (34, 3), (34, 4)]);
    assert_eq!((ftl.counters().gc_programs, ftl.counters().padded_pages), (7, 2));
    audit::check(&ftl, true).unwrap();
}

/// Each stream has a superblock of its own, open in both planes.
#[test]
fn a_stream_has_a_superblock() {
    let streams = [("geometry.blocks_per_plane", "32"), ("geometry.pages_per_block", "6"), STREAMS[0]];
    let mut ftl = superblocks(&streams).ftl();
    for (page, stream) in [(0, 1), (1, 0), (2, 0), (3, 1), (4, 1)] {
        ftl.set_stream(stream);
        ftl.write_now(Lpn(page));
        audit::check(&ftl, true).unwrap();
    }
    let places = [0, 1, 2, 3, 4].map(|page| place(&ftl, page));
    assert_eq!(places, [(0, 0), (33, 0), (1, 0), (32, 0), (0, 1)]);
}

/// Writes go to planes in turn. Page 0 is of stream 0 when the first plane promises it a place, and so it is programmed
/// with pages 1 and 2, although stream 1 has written it again meanwhile: for a place in the other plane, with page 9.
#[test]
fn a_write_has_the_stream_of_its_promise() {
    let streams = [(0, 0), (9, 1), (1, 0), (0, 1), (2, 0), (3, 1)];
    let write = |(page, stream): &(u64, u8)| Record { stream: *stream, ..at(0, Op::Write, *page, 1) };
    let drive = superblocks(UNITS_OF_LINES).with(STREAMS).set("ftl.separation.open_blocks", 2);
    let outcome = drive.run(streams.iter().map(write).collect());
    let word_line = 3 * TRANSFER + WORD_LINE;
    let ends = [1, 1, 1, 2, 2, 2].map(|count| count * word_line);
    assert_eq!(outcome.requests.unwrap().completion_ns, ends);
    assert_eq!(outcome.results.flash.padded_pages, 0);
}

/// Each plane has two pages of cache, and promises them first; the fifth and the sixth page are the first of superblock
/// 0. Both caches are folded, as soon as each is full, into superblock 1.
#[test]
fn planes_that_share_superblocks_have_a_cache_each() {
    let blocks = [("geometry.blocks_per_plane", "32"), ("geometry.pages_per_block", "6")];
    let times = [("flash.t_program", r#"["500us", "2000us", "5500us"]"#), ("gc.pages_in_flight", "1")];
    let drive = superblocks(&blocks).with(CACHE).with(&times);
    let outcome = drive.run((0..6).map(|page| at(0, Op::Write, page, 1)).collect());
    let fastest = TRANSFER + 500_000;
    let ends = [1, 2, 3, 4, 4, 4].map(|count| count * CACHED);
    let behind = [0, 0, 0, 0, fastest, 2 * fastest];
    assert_eq!(rows(&outcome), [0, 1, 2, 3, 4, 5].map(|at| ends[at] + behind[at]));
    let log = outcome.gc_log.as_ref().unwrap();
    assert_eq!(
        (&log.cause[..], &log.plane[..], &log.victim_block[..]),
        (&[2, 2][..], &[0, 1][..], &[31, 63][..])
    );
    assert_eq!(log.start_ns, [3 * CACHED, 4 * CACHED]);
    assert_eq!(counted(&outcome, "ftl.slc_cache", "host_pages_past_full_cache"), 2);
    assert_eq!(counted(&outcome, "ftl.slc_cache", "folded_pages"), 4);
}

/// Of two pages in the cache of the first plane, and one in that of the second, whose cache is not full, two are
/// folded, together with a page of padding.
#[test]
fn a_cache_is_folded_into_a_superblock_in_whole_units() {
    let mut ftl = superblocks(UNITS_OF_LINES).with(CACHE).ftl();
    (0..3).for_each(|page| ftl.write_now(Lpn(page)));
    let places = [0, 1, 2].map(|page| place(&ftl, page));
    assert_eq!(places, [(0, 0), (63, 0), (0, 1)]);
    assert_eq!((ftl.counters().fold_programs, ftl.counters().padded_pages), (2, 1));
    audit::check(&ftl, true).unwrap();
}

/// Of the first eight superblocks one is written again and again. The others are moved, all parts of one at once, so
/// that no part is erased twice as often as the threshold more than another.
#[test]
fn a_superblock_is_moved_so_that_it_wears() {
    let blocks = [("geometry.blocks_per_plane", "16"), ("geometry.pages_per_block", "4")];
    let mut ftl = superblocks(&blocks).set("ftl.wear.static_threshold", 2).ftl();
    for write in (0..64).chain((0..800).map(|k| k % 8)) {
        ftl.write_now(Lpn(write));
        audit::check(&ftl, true).unwrap();
    }
    let erases: Vec<_> = (0..32).map(|block| ftl.blocks().erases(BlockId(block))).collect();
    assert_eq!(erases[..16], erases[16..]);
    let (least, most) = (erases.iter().min().unwrap(), erases.iter().max().unwrap());
    assert!(*least > 0 && most - least <= 4, "{erases:?}");
    let counters = ftl.counters();
    assert!(counters.wear_programs > 0 && counters.wear_erases.is_multiple_of(2), "{counters:?}");
}

/// What stays in its plane is copied back, which the audit holds it to; the rest is read and programmed elsewhere.
#[test]
fn copybacks_stay_in_their_plane_of_a_superblock() {
    let blocks = [("geometry.blocks_per_plane", "16"), ("geometry.pages_per_block", "4")];
    let pages: Vec<u64> = (0..2000).map(|k| scattered(k, 60)).collect();
    let outcome = superblocks(&blocks).set("gc.relocation", "copyback").run(spaced_writes(&pages));
    let flash = &outcome.results.flash;
    assert!(flash.copybacks > 100 && flash.gc_reads > 10, "{} and {}", flash.copybacks, flash.gc_reads);
    assert_eq!(flash.copybacks + flash.gc_reads, flash.gc_programs);
}

/// Two planes of one die that program pages of the same number together.
fn same_pages(set: &[(&str, &str)]) -> TestDrive {
    TestDrive::of([1, 1, 1, 2]).blocks(20, 6).set("flash.multi_plane", "same-page").with(set)
}

/// The first page begins alone. Those of stream 1 are the first of a block in both planes, and are programmed together.
/// The next of stream 0 is the first of its block in the second plane, and the second in the first.
#[test]
fn planes_agree_on_a_page_of_the_streams_that_are_next() {
    let order = [("ftl.allocation", "striping"), ("ftl.allocation.by", "arrival"), STREAMS[0]];
    let outcome = same_pages(&order).run(of_streams(&[0, 1, 1, 0, 0]));
    let (alone, both) = (TRANSFER + T_PROG, 2 * TRANSFER + T_PROG);
    let ends = [alone, alone + both, alone + both, 2 * alone + both, 3 * alone + both];
    assert_eq!(rows(&outcome), ends);
    assert_eq!(outcome.results.flash.multi_plane_operations, 1);
}

/// Even pages are of the first plane. Its second page of cache goes with that of the second plane; its first page
/// behind the cache does not go with a first page in the cache.
#[rstest]
#[case([0, 1, 2, 3], [CACHED, 2 * CACHED, 2 * CACHED + BOTH, 2 * CACHED + BOTH])]
#[case([0, 2, 4, 1], [CACHED, 2 * CACHED, 2 * CACHED + BEHIND, 3 * CACHED + BEHIND])]
fn planes_agree_on_the_mode(#[case] pages: [u64; 4], #[case] ends: [u64; 4]) {
    let times = [("flash.t_program", r#"["500us", "2000us", "5500us"]"#), ("ftl.allocation", "striping")];
    let writes = pages.iter().map(|page| at(0, Op::Write, *page, 1)).collect();
    let requests = same_pages(CACHE).with(&times).run(writes).requests.unwrap();
    let found = requests.offset_bytes.iter().zip(&requests.completion_ns);
    let mut expected: Vec<_> = pages.iter().map(|page| page * 4096).zip(ends).collect();
    expected.sort_unstable_by_key(|(page, end)| (*end, *page));
    assert_eq!(found.map(|(page, end)| (*page, *end)).collect::<Vec<_>>(), expected);
}

const PARTS: Set = &[("geometry.page_size", "16KiB"), ("geometry.mapping_unit", "4KiB")];
const LINES: Set = &[("flash.cell", "TLC"), ("flash.program_unit", "word-line")];
const STREAMS: Set = &[("ftl.separation", "by-stream")];
const STRIPES: Set =
    &[("ftl.allocation", "striping"), ("redundancy", "raid5"), ("redundancy.stripe_chips", "2")];
const PACE: Set = &[("gc.pace", "100%")];
const PARITY: Set = &[("redundancy", "superblock-parity")];
const SUPERBLOCKS: Set =
    &[("ftl.superblock", "drive"), ("ftl.allocation", "striping"), ("ftl.allocation.by", "arrival")];

/// Random overwrites on two chips, of four streams.
#[rstest]
#[case::stripes_of_parts(&[STRIPES, PARTS])]
#[case::stripes_of_streams(&[STRIPES, STREAMS])]
#[case::stripes_at_a_pace(&[STRIPES, PACE])]
#[case::stripes_of_streams_in_parts(&[STRIPES, STREAMS, PARTS])]
#[case::a_cache_at_a_pace(&[CACHE, PACE])]
#[case::a_cache_before_streams_in_word_lines_of_parts(&[CACHE, STREAMS, LINES, PARTS])]
#[case::superblocks_of_word_lines(&[SUPERBLOCKS, LINES])]
#[case::superblocks_of_parts(&[SUPERBLOCKS, PARTS])]
#[case::superblocks_of_streams(&[SUPERBLOCKS, STREAMS])]
#[case::superblocks_of_streams_in_word_lines_of_parts(&[SUPERBLOCKS, STREAMS, LINES, PARTS])]
#[case::superblocks_behind_a_cache(&[SUPERBLOCKS, CACHE])]
#[case::superblocks_with_parity(&[SUPERBLOCKS, PARITY])]
#[case::superblocks_with_parity_behind_a_cache(&[SUPERBLOCKS, PARITY, CACHE])]
#[case::an_ordinary_drive(&[SUPERBLOCKS, PARITY, CACHE, STREAMS, LINES, PARTS])]
#[case::all_of_a_plane(&[CACHE, STREAMS, LINES, PARTS, PACE])]
fn together(#[case] features: &[Set]) {
    let base = [("geometry.spare_factor", "60%"), ("controller.write_buffer", "unlimited")];
    let drive = features
        .iter()
        .fold(TestDrive::of([2, 1, 1, 1]).blocks(40, 12).with(&base), |drive, set| drive.with(set));
    let write = |k: u64| Record { stream: (k % 4) as u8, ..at(400 * k, Op::Write, scattered(k, 190), 1) };
    let outcome = drive.run((0..12_000).map(write).collect());
    assert!(outcome.results.audit.is_some());
    assert!(outcome.results.gc.jobs > 10, "{}", outcome.results.gc.jobs);
}

// Of twelve features of drives that are sold, every three.

const FEATURES: [(&str, Set); 12] = [
    ("word lines", LINES),
    ("superblocks", SUPERBLOCKS),
    ("SLC cache", CACHE),
    ("streams", STREAMS),
    ("cache programs", &[("flash.cache_programs", "true")]),
    ("suspension", &[("flash.suspend.program", "true"), ("flash.suspend.erase", "true")]),
    ("4 KiB mapping", PARTS),
    ("RAID", STRIPES),
    ("static wear levelling", &[("ftl.wear.static_threshold", "3")]),
    ("paced GC", PACE),
    ("multi-plane", &[("flash.multi_plane", "same-page")]),
    ("copyback", &[("gc.relocation", "copyback")]),
];
/// Pairs that are refused; `docs/configuration.md` says why of each.
const REFUSED: [[&str; 2]; 5] = [
    ["word lines", "cache programs"],
    ["superblocks", "paced GC"],
    ["SLC cache", "RAID"],
    ["cache programs", "suspension"],
    ["4 KiB mapping", "copyback"],
];

fn drive_with(features: &[(&str, Set)]) -> TestDrive {
    let base = [
        ("geometry.spare_factor", "60%"),
        ("controller.write_buffer", "unlimited"),
        ("geometry.page_size", "16KiB"),
    ];
    let drive = TestDrive::of([2, 1, 1, 2]).blocks(40, 12).with(&base);
    let spans = features.iter().any(|feature| feature.0 == "superblocks");
    // Of superblocks the parity is another: it covers what they hold, and is never replaced.
    let of_kind = |(name, set): &(&str, Set)| if spans && *name == "RAID" { PARITY } else { *set };
    features.iter().fold(drive, |drive, feature| drive.with(of_kind(feature)))
}

/// A drive is refused because of two of its features, and never of three; every other one loads.
#[test]
fn features_are_refused_by_pairs() {
    let mut refused = Vec::new();
    for (place, first) in FEATURES.iter().enumerate() {
        for second in &FEATURES[place + 1..] {
            if drive_with(&[*first, *second]).loaded().is_err() {
                refused.push([first.0, second.0]);
            }
        }
    }
    assert_eq!(refused, REFUSED);
}

/// Nine tenths of the pages are overwritten at random, in four streams, with reads between, on every drive with the
/// feature and two of those behind it: all run, collect, and pass the audit.
#[rstest]
fn every_three_features_go_together(#[values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)] place: usize) {
    let goes = |features: &[(&str, Set)]| {
        let has = |name: &str| features.iter().any(|feature| feature.0 == name);
        let parity_of_superblocks = has("superblocks") && has("RAID");
        let refused = |[one, other]: &[&str; 2]| has(one) && has(other);
        !REFUSED.iter().any(|pair| refused(pair) && !(parity_of_superblocks && pair[1] == "RAID"))
    };
    for (second, third) in (place + 1..FEATURES.len())
        .flat_map(|second| (second + 1..FEATURES.len()).map(move |third| (second, third)))
    {
        let features = [FEATURES[place], FEATURES[second], FEATURES[third]];
        let drive = drive_with(&features);
        if !goes(&features) {
            assert!(drive.loaded().is_err(), "{features:?}");
            continue;
        }
        let config = drive.loaded().unwrap_or_else(|why| panic!("{features:?}: {why}"));
        let geometry = Geometry::new(&config).unwrap();
        let (pages, bytes) = (u64::from(geometry.logical_pages) * 9 / 10, geometry.page_bytes);
        let request = |k: u64| Record {
            op: if k % 100 < 12 { Op::Read } else { Op::Write },
            stream: (k % 4) as u8,
            offset_bytes: scattered(k, pages) * u64::from(bytes),
            size_bytes: u64::from(bytes),
            ..at(150 * k, Op::Write, 0, 1)
        };
        let results = drive.run((0..4 * pages).map(request).collect()).results;
        let names = features.map(|feature| feature.0);
        assert!(results.audit.is_some() && results.gc.jobs > 10, "{names:?}: {} jobs", results.gc.jobs);
    }
}
