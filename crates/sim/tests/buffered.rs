//! Buffered relocation: the victim is erased before its pages are written back.

use crate::common;
use crate::common::refusals::{names, refused};
use crate::common::{TestDrive, at};
use reclaim_sim::flash::Geometry;
use reclaim_sim::ftl::Ftl;
use reclaim_sim::gc::relocation::GcBuffer;
use reclaim_sim::ids::{Lpn, PlaneId, SlotId};
use reclaim_sim::random::RandomStream;
use reclaim_sim::{Outcome, Results};
use reclaim_trace::{Op, Record};
use rstest::rstest;

fn counted(results: &Results, name: &str) -> u64 {
    results.policies["gc.relocation"][name].value
}

fn overwrites(pages: u32, count: u64, gap_us: u64) -> Vec<Record> {
    let mut stream = RandomStream::new(4, "pages");
    let op = |draw| if draw == 0 { Op::Read } else { Op::Write };
    (0..count).map(|k| at(k * gap_us, op(stream.below(4)), u64::from(stream.below(pages)), 1)).collect()
}

fn drive(destination: &str) -> TestDrive {
    TestDrive::of([2, 2, 1, 1])
        .blocks(24, 16)
        .set("geometry.spare_factor", "25%")
        .set("warmup.kind", "overwrite")
        .set("gc.trigger.start", "3 blocks")
        .set("gc.trigger.hard", "1 block")
        .set("ftl.allocation", "dynamic")
        .set("gc.relocation", "buffered")
        .set("gc.relocation.destination", destination)
}

fn run(drive: &TestDrive, gap_us: u64) -> Outcome {
    let pages = Geometry::new(&drive.config()).unwrap().logical_pages;
    drive.run(overwrites(pages, 4_000, gap_us))
}

#[rstest]
#[case("home", 0)]
#[case("free", 1)]
fn every_page_comes_back(#[case] destination: &str, #[case] redirected: u64) {
    let results = run(&drive(destination), 400).results;
    let [lifted, elsewhere] = ["lifted_pages", "redirected_pages"].map(|name| counted(&results, name));
    assert!(results.gc.jobs > 100 && lifted > 0, "{} jobs, {lifted} pages", results.gc.jobs);
    // A write-back that was sent is programmed, unless the host replaced its page first.
    let cancelled = counted(&results, "cancelled_write_backs");
    assert!((lifted - cancelled..=lifted).contains(&results.flash.gc_programs));
    assert_eq!(elsewhere.min(1), redirected);
}

/// A job's row ends with its erase, and the programs of its pages begin after that: with the same victims, buffered
/// jobs are over sooner than those that write back before they erase.
#[test]
fn the_erase_comes_before_the_write_back() {
    let timing = reclaim_sim::flash::Timing::new(&TestDrive::one_plane().config());
    let two_programs = 2 * (timing.unloaded_program().0);
    let length = |relocation: &str, after_ns: u64| {
        let drive = TestDrive::one_plane()
            .set("gc.relocation.kind", relocation)
            .set("warmup.kind", "filled")
            .set("gc.trigger.start", "2 blocks");
        // Every block keeps half of its pages: a job has two to relocate.
        let writes: Vec<u64> = (0..32).filter(|page| page % 2 == 0).chain((0..32).step_by(4)).collect();
        let log = drive.run(common::spaced_writes(&writes)).gc_log.unwrap();
        assert_eq!(log.valid_pages[0], 2);
        assert_eq!(log.written_back_ns[0] - log.end_ns[0], after_ns);
        log.end_ns[0] - log.start_ns[0]
    };
    assert_eq!(length("controller", 0) - length("buffered", two_programs), two_programs);
}

/// Pages of jobs that ended before measuring began go back to flash without a row; those of all others have one.
#[test]
fn every_job_says_when_its_pages_are_back() {
    let log = run(&drive("free").set("measure.after", "50%"), 60).gc_log.unwrap();
    let later = log.written_back_ns.iter().zip(&log.end_ns).filter(|(back, end)| back > end).count();
    assert!(later > 10, "{later} of {}", log.end_ns.len());
    assert!(log.written_back_ns.iter().zip(&log.end_ns).all(|(back, end)| back >= end));
}

/// Overwritten while it waits in the buffer: the page is not written back.
#[test]
fn a_host_write_cancels_a_write_back() {
    let mut ftl = drive("home").written(4);
    let slot = lifted(&mut ftl, 0);
    assert_eq!(ftl.map().flash_copy(Lpn(0)), None, "the buffer answers for it");
    assert_eq!(ftl.map().host_slots(), 0, "and it is none of the write buffer's pages");
    ftl.accept_write(Lpn(0), false);
    assert!(ftl.is_replaced(slot));
    assert_eq!(ftl.map().host_slots(), 1);
}

/// The write buffer counts pages of the host alone, and a buffer of a block makes jobs wait for each other.
#[test]
fn jobs_wait_for_room_in_the_buffer() {
    let small = run(&drive("home").set("controller.write_buffer", "16KiB"), 60).results;
    let large = run(&drive("home").set("gc.relocation.capacity", "20 blocks"), 60).results;
    assert!(small.buffer.max_pages <= 4, "{} pages", small.buffer.max_pages);
    assert!(counted(&small, "buffer_stalls") > 0);
    assert_eq!(counted(&large, "buffer_stalls"), 0);
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let set = [
        ("interconnect", "serialized-channel"),
        ("ftl.allocation", "dynamic"),
        ("gc.relocation", "buffered"),
        ("gc.relocation.batches", "2"),
        ("gc.relocation.destination", "free"),
    ];
    for (key, value, parts) in [
        ("ftl.gc_frontier", "shared", "ftl.gc_frontier = \"separate\""),
        ("ftl.assign_pages", "on-arrival", "ftl.assign_pages = \"at-start\""),
        ("ftl.allocation", "striping", "free, chip"),
        ("gc.relocation.capacity", "0 blocks", "at least a block"),
        ("gc.relocation.batches", "0", "batches 0|one at least"),
        // With two batches.
        ("interconnect.gc_tasks", "whole", "gc.relocation.batches = 1, or gc_tasks = \"interleaved\""),
    ] {
        names(&refused("gc-bypass", &[&set[..], &[(key, value)]].concat()), parts);
    }
}

#[test]
fn warm_up_goes_through_the_buffer() {
    let drive = drive("free");
    let mut ftl = drive.ftl();
    let pages = ftl.geometry().logical_pages;
    let mut stream = RandomStream::new(9, "pages");
    (0..pages).for_each(|page| ftl.write_now(Lpn(page)));
    (0..4 * pages).for_each(|_| ftl.write_now(Lpn(stream.below(pages))));
    reclaim_sim::audit::check(&ftl, true).unwrap();
    assert_eq!(ftl.gc_buffer().map(GcBuffer::occupied), Some(0));
    let redirected = ftl.policy_readings().relocation[2].count;
    assert!(redirected > 100, "{redirected} pages went to another plane");
    assert!((0..4).map(PlaneId).all(|plane| ftl.plane(plane).owed_pages == 0));
}

/// Three chips of one plane, to which pages go in turn: page k is on chip k mod 3, four pages in a block.
fn three_chips(destination: &str) -> TestDrive {
    TestDrive::of([3, 1, 1, 1])
        .set("ftl.allocation", "{ kind = \"striping\", by = \"arrival\" }")
        .set("gc.relocation", format!("{{ kind = \"buffered\", destination = \"{destination}\" }}"))
}

/// A page in the buffer.
fn lifted(ftl: &mut Ftl, page: u32) -> SlotId {
    let copy = ftl.map().flash_copy(Lpn(page)).unwrap();
    ftl.lift(copy).expect("nobody waits for it")
}

/// Chips 0 and 1 have been erased once, so a page of chip 0 goes to chip 2, which has not.
#[rstest]
fn pages_go_where_the_fewest_blocks_were_erased(#[values("free", "chip")] destination: &str) {
    let mut ftl = three_chips(destination).written(24);
    common::trim(&mut ftl, [0, 3, 6, 9, 1, 4, 7, 10]);
    assert!(ftl.collect_now(PlaneId(0)) && ftl.collect_now(PlaneId(1)));
    let slot = lifted(&mut ftl, 12);
    assert_eq!(ftl.send_back(slot, PlaneId(0), &[0, 0, 0], false), Some(PlaneId(2)));
}

/// Without time nobody is idle or busy: pages of chip 0 go to one after the other, to chip 1 although that has been
/// erased and chip 2 has not. A batch may stay at home, a page by itself leaves.
#[rstest]
#[case("free", [1, 2])]
#[case("chip", [0, 1])]
fn without_time_all_take_their_turn(#[case] destination: &str, #[case] planes: [u32; 2]) {
    let mut ftl = three_chips(destination).written(24);
    common::trim(&mut ftl, [1, 4, 7, 10, 0, 3, 6, 12, 15, 18]);
    assert!(ftl.collect_now(PlaneId(1)), "it holds nothing: nothing is sent anywhere");
    assert!(ftl.collect_now(PlaneId(0)) && ftl.collect_now(PlaneId(0)));
    let plane =
        |page| ftl.geometry().plane_of(ftl.geometry().block_of(ftl.map().flash_copy(Lpn(page)).unwrap()));
    assert_eq!([9, 21].map(plane), planes.map(PlaneId));
}

/// The chip of a batch is chosen with its first page, whatever becomes of it then; the next batch has another.
#[test]
fn a_chip_is_chosen_once_for_each_batch() {
    let mut ftl = three_chips("chip").written(24);
    let slots = [0, 3, 6].map(|page| lifted(&mut ftl, page));
    let mut goes = |slot, pending: [u32; 3]| ftl.send_back(slot, PlaneId(0), &pending, false).unwrap().0;
    let first = [goes(slots[0], [1, 1, 0]), goes(slots[1], [0, 1, 1])];
    ftl.begin_batch();
    let second = ftl.send_back(slots[2], PlaneId(0), &[1, 0, 1], false).unwrap().0;
    assert_eq!((first, second), ([2, 2], 1));
}

/// Four chips of one plane, each with three full blocks at first: chip 2 has two of them erased, chip 3 one, without a
/// page that was moved. So they have 52, 52, 60 and 56 pages left. Pages of chip 0 go, each as a batch, where `chip`
/// says with so many operations at the chips; none at all is warm-up.
fn sent(chip: &str, ties: &str, loads: &[&[u32]]) -> Vec<u32> {
    let drive = three_chips("chip").set("geometry.channels", 4);
    let drive = drive.with(&[("gc.relocation.chip", chip), ("gc.relocation.ties", ties)]);
    let mut ftl = drive.written(48);
    common::trim(&mut ftl, [2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15]);
    assert!([2, 2, 3].map(PlaneId).iter().all(|plane| ftl.collect_now(*plane)));
    let mut send = |(page, load): (u32, &&[u32])| {
        let slot = lifted(&mut ftl, 4 * page);
        ftl.begin_batch();
        ftl.send_back(slot, PlaneId(0), load, false).unwrap().0
    };
    (0..).zip(loads).map(&mut send).collect()
}

/// Operations at the chips: at that of the pages alone, at all of them, at none.
const HOME_BUSY: &[u32] = &[5, 0, 0, 0];
const ALL_BUSY: &[u32] = &[5, 2, 3, 1];
const TWO_LEAST: &[u32] = &[5, 2, 1, 1];
const WARM_UP: &[u32] = &[];
const IDLE: &[u32] = &[0; 4];

#[rstest]
#[case("fewest-erases", "rotating", &[HOME_BUSY, HOME_BUSY, ALL_BUSY, &[0, 2, 0, 0]], &[1, 1, 0, 0])]
// Warm-up has a turn of its own.
#[case("fewest-erases", "rotating", &[WARM_UP, WARM_UP, WARM_UP, IDLE], &[0, 1, 2, 0])]
#[case("fewest-waiting", "rotating", &[HOME_BUSY, ALL_BUSY, &[1, 2, 3, 4]], &[1, 3, 0])]
#[case("fewest-waiting", "rotating", &[TWO_LEAST, TWO_LEAST, &[5, 1, 1, 2]], &[2, 3, 1])]
#[case("fewest-waiting", "lowest", &[TWO_LEAST, TWO_LEAST, &[5, 1, 1, 2]], &[2, 2, 1])]
#[case("fewest-waiting", "lowest", &[WARM_UP, WARM_UP, WARM_UP, IDLE], &[0, 1, 2, 0])]
// After four pages chip 2 has as many left as chip 3, which then takes one, or does not.
#[case("roomiest", "rotating", &[HOME_BUSY; 6], &[2, 2, 2, 2, 3, 2])]
#[case("roomiest", "lowest", &[HOME_BUSY; 6], &[2, 2, 2, 2, 2, 3])]
#[case("roomiest", "rotating", &[WARM_UP, ALL_BUSY, &[0, 0, 1, 1]], &[2, 0, 1])]
#[case("rotating", "lowest", &[HOME_BUSY, &[5, 1, 0, 0], HOME_BUSY, HOME_BUSY, ALL_BUSY], &[1, 2, 3, 1, 0])]
// One that was passed over because it was busy is the next.
#[case("rotating", "lowest", &[&[5, 1, 0, 0], HOME_BUSY, HOME_BUSY, HOME_BUSY], &[2, 1, 3, 2])]
#[case("rotating", "random", &[WARM_UP, IDLE, IDLE], &[0, 1, 2])]
fn the_chip_of_a_batch(
    #[case] chip: &str,
    #[case] ties: &str,
    #[case] loads: &[&[u32]],
    #[case] expected: &[u32],
) {
    assert_eq!(sent(chip, ties, loads), expected);
}

/// Three chips of two dies: 9, 6 and 7 operations, then 18, 7 and 8. Neither the die with the fewest nor the one with
/// the most of a chip says anything.
#[rstest]
#[case([0, 9, 3, 3, 2, 5])]
#[case([9, 9, 1, 6, 4, 4])]
fn operations_at_all_dies_of_a_chip_count(#[case] load: [u32; 6]) {
    let set = [("geometry.dies_per_chip", "2"), ("gc.relocation.chip", "fewest-waiting")];
    let mut ftl = three_chips("chip").with(&set).written(24);
    let slot = lifted(&mut ftl, 0);
    let plane = ftl.send_back(slot, PlaneId(0), &load, false).unwrap();
    assert_eq!(plane.0 / 2, 1, "{plane:?}");
}
