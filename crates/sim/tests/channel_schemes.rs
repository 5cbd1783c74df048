//! The four schemes of channel-aware GC as they ship, on a drive so small that every job can be told by hand.

use std::ops::ControlFlow;

use crate::common::{TestDrive, at, request};
use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::flash::Geometry;
use reclaim_sim::random::RandomStream;
use reclaim_sim::{GcLog, RunOptions, simulate};
use reclaim_trace::{Op, Record, Trace};
use rstest::rstest;

/// Begin and end in us, channel, victim (numbered within its plane), valid pages of it: these are relocated.
type Job = (u64, u64, u32, u32, u32);

/// Ten requests, 10 ms apart, on two channels of one plane of ten blocks of four pages, under a scheme of the paper.
fn jobs_of_ten_requests(scheme: &str, more: &[(&str, &str)]) -> Vec<Job> {
    let adaptive = "{ kind = \"adaptive\", idle = true, max_channels = 2 }";
    let set = [
        ("geometry.channels", "2"),
        ("geometry.planes_per_die", "1"),
        ("geometry.blocks_per_plane", "10"),
        ("geometry.pages_per_block", "4"),
        ("geometry.over_provisioning", "100%"),
    ];
    let (schemes, of_scheme) = match scheme {
        "adaptive" => (vec![], &[("gc.trigger.kind", "invalid-ratio"), ("gc.concurrency", adaptive)][..]),
        _ => (vec![scheme.to_owned()], &[][..]),
    };
    let set = [&set[..], of_scheme, more].concat();
    let config = load(&LoadRequest { schemes, ..request("channel-aware", &set) }).unwrap();
    // Of each channel the pages A (0 to 2, 3 being written once only) and B (4 to 7), in turn.
    let parts = [(0, 4), (4, 4), (0, 3), (4, 4), (0, 3), (4, 4), (0, 3), (4, 4), (0, 3), (4, 4)];
    let request = |(k, (first, count)): (u64, (u64, u64))| at(k * 10_000, Op::Write, 2 * first, 2 * count);
    let records = (0..).zip(parts).map(request).collect();
    let trace = Trace::from_records("ten requests", records);
    let options = RunOptions { audit: true, record_gc: true, ..RunOptions::default() };
    let outcome = simulate(&config, &trace, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    let log = outcome.gc_log.unwrap();
    assert!(log.emergency.iter().all(|each| *each == 0), "no write waits for a page");
    assert_eq!(outcome.results.flash.erases, log.start_ns.len() as u64);
    assert_eq!(outcome.results.flash.gc_programs, log.valid_pages.iter().map(|n| u64::from(*n)).sum::<u64>());
    jobs(&log)
}

fn jobs(log: &GcLog) -> Vec<Job> {
    let mut found: Vec<_> = (0..log.start_ns.len())
        .map(|job| {
            let (start, end) = (log.start_ns[job], log.end_ns[job]);
            assert_eq!((start % 1000, end % 1000), (0, 0));
            (start / 1000, end / 1000, log.plane[job], log.victim_block[job] % 10, log.valid_pages[job])
        })
        .collect();
    found.sort_unstable();
    found
}

/// By hand, as follows. Each channel writes one page after the other, 224 us each: three take 672 us, four 896 us. A
/// job takes 249 us for each page that it relocates, and 700 us for the erase. Both channels get the same pages and
/// fall idle at the same time, channel 0 first. 80 pages are all.
///
/// Of each channel, as long as nothing is collected (A3 stays valid for ever):
///
/// | request | written to | pages in use, of both | blocks that now hold at most one valid page |
/// |---|---|--:|---|
/// | 1, A0-3 | b0 = A0 A1 A2 A3 | 8 | |
/// | 2, B4-7 | b1 = B4 B5 B6 B7 | 16 | |
/// | 3, A0-2 | b2 = A0 A1 A2 | 22 | b0 (A3) |
/// | 4, B4-7 | b2 + B4, b3 = B5 B6 B7 | 30 | b1 (none) |
/// | 5, A0-2 | b3 + A0, b4 = A1 A2 | 36 | b2 (B4) |
/// | 6, B4-7 | b4 + B4 B5, b5 = B6 B7 | 44 | b3 (A0); of b2 none is left |
/// | 7, A0-2 | b5 + A0 A1, b6 = A2 | 50 | of b3 none is left |
/// | 8, B4-7 | b6 + B4 B5 B6, b7 = B7 | 58 | b4 (none) |
/// | 9, A0-2 | b7 + A0 A1 A2 | 64 | b5 (none) |
/// | 10, B4-7 | b8 = B4 B5 B6 B7 | 72 | b6 (none) |
///
/// *conv-0-allch* collects on both channels as soon as they are idle. After request 3: b0, and A3 goes to b3, the
/// collector's. After 4 (b2 + B4, b4 = B5 B6 B7): b1. After 5 (b4 + A0, b5 = A1 A2): b2, and B4 goes to b3. After 6
/// (b5 + B4 B5, b6 = B6 B7; B4 of b3 is replaced): b4 has A0 left, which goes to b3. After 7 (b6 + A0 A1, b7 = A2) b5
/// has two valid pages: nothing. After 8 (b7 + B4 B5 B6, then B7 elsewhere): b5, none valid. After 9: b6. After 10:
/// b7.
///
/// *conv-0.7-allch* waits for 56 pages in use, 58 after request 8. Both channels collect b0 at once, with A3. Channel
/// 0 ends first: 58 and two relocated less four is 56, it may go on with b1; channel 1 leaves 52: closed. Then 48 are
/// in use. Request 9 makes it 54: closed. Request 10 makes it 62: b2 on channel 0, b1 on channel 1. Channel 0 ends
/// first and leaves 58: b3; channel 1 leaves 54: closed.
///
/// *conv-0.7-halfch* lets one channel collect. After request 8 (58) b0 of channel 0, which leaves 55: closed. After 9
/// (61) b1 of channel 0, which leaves 57; channel 1 was deferred and goes on with its b0, which leaves 54. After 10
/// (62) b2 of channel 0, which leaves 58; then b1 of channel 1, which leaves 54: closed.
///
/// *adaptive*, with at most two channels: G = 2 (U - 0.5) / 0.35, rounded up: 0 up to 40 pages, 1 from 41 to 54.
/// After request 6 (44) b0 of channel 0, which leaves 41, and of channel 1, which leaves 38. After 7 (44) b1 of
/// channel 0, which leaves 40: G is 0. After 8 (48) b2 of channel 0 (none valid any more), which leaves 44, and b1 of
/// channel 1, which leaves 40. After 9 (46) b3 of channel 0 and, with 42 left, b2 of channel 1: 38. After 10 (46) b4
/// of channel 0 and, with 42 left, b3 of channel 1.
#[rstest]
#[case("conv-0-allch", &[
    (20_672, 21_621, 0, 0, 1), (20_672, 21_621, 1, 0, 1),
    (30_896, 31_596, 0, 1, 0), (30_896, 31_596, 1, 1, 0),
    (40_672, 41_621, 0, 2, 1), (40_672, 41_621, 1, 2, 1),
    (50_896, 51_845, 0, 4, 1), (50_896, 51_845, 1, 4, 1),
    (70_896, 71_596, 0, 5, 0), (70_896, 71_596, 1, 5, 0),
    (80_672, 81_372, 0, 6, 0), (80_672, 81_372, 1, 6, 0),
    (90_896, 91_596, 0, 7, 0), (90_896, 91_596, 1, 7, 0),
])]
#[case("conv-0.7-allch", &[
    (70_896, 71_845, 0, 0, 1), (70_896, 71_845, 1, 0, 1),
    (71_845, 72_545, 0, 1, 0),
    (90_896, 91_596, 0, 2, 0), (90_896, 91_596, 1, 1, 0),
    (91_596, 92_296, 0, 3, 0),
])]
#[case("conv-0.7-halfch", &[
    (70_896, 71_845, 0, 0, 1),
    (80_672, 81_372, 0, 1, 0), (81_372, 82_321, 1, 0, 1),
    (90_896, 91_596, 0, 2, 0), (91_596, 92_296, 1, 1, 0),
])]
#[case("adaptive", &[
    (50_896, 51_845, 0, 0, 1), (51_845, 52_794, 1, 0, 1),
    (60_672, 61_372, 0, 1, 0),
    (70_896, 71_596, 0, 2, 0), (71_596, 72_296, 1, 1, 0),
    (80_672, 81_372, 0, 3, 0), (81_372, 82_072, 1, 2, 0),
    (90_896, 91_596, 0, 4, 0), (91_596, 92_296, 1, 3, 0),
])]
#[rustfmt::skip]
fn every_job_of_ten_requests_is_as_computed_by_hand(#[case] scheme: &str, #[case] expected: &[Job]) {
    assert_eq!(jobs_of_ten_requests(scheme, &[]), expected);
}

/// *conv-0.7-allch* with a gate that remembers. After request 8 (58 pages in use) it is open, and b0 to b4 are listed
/// on both channels: b0 with A3, which takes 949 us, the others without a valid page.
///
/// *until-drained*: both channels collect all of them, until the list is empty with 20 pages in use: 58, two relocated,
/// less five blocks of both. Then the gate is closed: requests 9 and 10 make it 26 and 34, and b5 and b6, which they
/// list, stay.
///
/// *two-thresholds*, closed below 60 % (48 pages): both go on after b0, with 56 and with 52 left. Channel 0 ends b1 and
/// leaves 48, which is not below: it goes on with b2. Channel 1 ends b1 and leaves 44: closed. Requests 9 and 10 make
/// it 46 and 54, with which it stays closed.
#[rstest]
#[case::until_drained(&[("gc.concurrency.gate_memory", "until-drained")], &[
    (70_896, 71_845, 0, 0, 1), (70_896, 71_845, 1, 0, 1),
    (71_845, 72_545, 0, 1, 0), (71_845, 72_545, 1, 1, 0),
    (72_545, 73_245, 0, 2, 0), (72_545, 73_245, 1, 2, 0),
    (73_245, 73_945, 0, 3, 0), (73_245, 73_945, 1, 3, 0),
    (73_945, 74_645, 0, 4, 0), (73_945, 74_645, 1, 4, 0),
])]
#[case::two_thresholds(
    &[("gc.concurrency.gate_memory", "two-thresholds"), ("gc.concurrency.gate_close", "60%")],
    &[
        (70_896, 71_845, 0, 0, 1), (70_896, 71_845, 1, 0, 1),
        (71_845, 72_545, 0, 1, 0), (71_845, 72_545, 1, 1, 0),
        (72_545, 73_245, 0, 2, 0),
    ],
)]
#[rustfmt::skip]
fn a_gate_that_remembers_closes_as_computed_by_hand(
    #[case] memory: &[(&str, &str)],
    #[case] expected: &[Job],
) {
    assert_eq!(jobs_of_ten_requests("conv-0.7-allch", memory), expected);
}

/// Overwrites at random, closer together than the drive can take them.
fn overwrites(pages: u32, count: u64) -> Vec<Record> {
    let mut stream = RandomStream::new(5, "overwrites");
    (0..count).map(|k| at(k * 50, Op::Write, u64::from(stream.below(pages - 4)), 4)).collect()
}

/// With G = 0 throughout no write is refused: where one waits for a page, its plane is collected all the same, and
/// only there.
#[rstest]
fn with_g_zero_throughout_every_write_is_served(
    #[values("serialized-channel", "bus")] interconnect: &str,
    #[values("striping", "dynamic")] allocation: &str,
    #[values("open-loop", "closed-loop")] mode: &str,
    #[values("free-blocks", "invalid-ratio", "frontier-filled")] trigger: &str,
    #[values("at-start", "on-arrival")] assign: &str,
) {
    let drive = TestDrive::of([4, 1, 1, 2])
        .blocks(16, 8)
        .set("gc.trigger", format!("{{ kind = \"{trigger}\" }}"))
        .set("gc.concurrency", "{ kind = \"adaptive\", theta1 = \"100%\", theta2 = \"100%\", idle = true }")
        .set("interconnect.kind", interconnect)
        .set("ftl.allocation.kind", allocation)
        .set("ftl.assign_pages", assign)
        .set("host.mode", mode);
    let pages = Geometry::new(&drive.config()).unwrap().logical_pages;
    let outcome = drive.run(overwrites(pages, 2_000));
    let results = &outcome.results;
    assert_eq!(results.requests.write.count, 2_000);
    assert_eq!(results.flash.host_programs, 8_000);
    assert!(results.gc.stalled_writes > 0);
    let log = outcome.gc_log.unwrap();
    assert!(log.start_ns.len() > 200, "only {} jobs", log.start_ns.len());
    assert!(log.emergency.iter().all(|each| *each == 1), "no job but where a write waits");
    let emergencies = results.policies["gc.concurrency"]["emergency_starts"].value;
    assert_eq!(emergencies, log.start_ns.len() as u64, "and all of them are counted apart");
}

/// A plane that is short of space, but where no write waits, obeys the limit.
#[test]
fn a_plane_with_few_free_blocks_is_no_emergency() {
    let drive = TestDrive::of([1, 1, 1, 1])
        .blocks(16, 8)
        .set("gc.trigger", "{ kind = \"free-blocks\", start = \"5 blocks\", hard = \"5 blocks\" }")
        .set("gc.concurrency", "{ kind = \"adaptive\", theta1 = \"100%\", theta2 = \"100%\" }");
    // 14 blocks of 16 are written, with rests; the next page needs the 15th, which the host may open, and not the 16th.
    let page = |k: u64| at(k * 10_000, Op::Write, k % 32, 1);
    let quiet = drive.run((0..120).map(page).collect());
    assert_eq!(quiet.results.gc.jobs, 0);
    let stalled = drive.run((0..121).map(page).collect());
    assert_eq!((stalled.results.gc.jobs, stalled.gc_log.unwrap().emergency[0]), (1, 1));
}
