//! RAID-5 over chips: what is read before a stripe is written, who waits for whom, and that a stripe is never half new.

use crate::common;
use crate::common::{TestDrive, at, rows};
use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::flash::{Geometry, Timing};
use reclaim_sim::ids::{ChipId, Lpn};
use reclaim_sim::random::RandomStream;
use reclaim_sim::{Outcome, Results};
use reclaim_trace::{Op, Record};
use rstest::rstest;

/// A chip for each of so many channels, all of one stripe.
fn drive(chips: u32) -> TestDrive {
    TestDrive::of([chips, 1, 1, 1])
        .set("ftl.allocation", "striping")
        .set("ftl.allocation.by", "lpn")
        .set("redundancy", "raid5")
        .set("redundancy.stripe_chips", chips)
}

fn counted(results: &Results, name: &str) -> u64 {
    results.policies["redundancy"][name].value
}

/// Reads of the host, of stripes, programs, and the ways in which stripes were written: whole, updated, rebuilt.
fn summary(outcome: &Outcome) -> [u64; 6] {
    let results = &outcome.results;
    let ways = ["stripe_reads", "full_stripe_writes", "update_writes", "rebuild_writes"];
    let [reads, full, updates, rebuilds] = ways.map(|name| counted(results, name));
    [reads, results.flash.host_programs, results.flash.parity_programs, full, updates, rebuilds]
}

/// A read of a whole page, and a program, on an idle drive: ns.
fn times(drive: &TestDrive) -> (u64, u64) {
    let timing = Timing::new(&drive.config());
    (timing.unloaded_read().0, timing.unloaded_program().0)
}

/// Whatever is lost, read around or summed up is so because it was asked for; a drive without stripes has none of it.
#[rstest]
#[case::no_stripes(TestDrive::one_plane(), None, 0, [false, false])]
#[case::nothing_asked_for(drive(4), None, 0, [false, false])]
#[case::all_asked_for(
    drive(4)
        .set("redundancy.unreadable_chip", 2)
        .set("redundancy.xor", "3us")
        .set("redundancy.read_around", true)
        .set("redundancy.parity_blocks", "own"),
    Some(ChipId(2)),
    3_000,
    [true, true]
)]
fn stripes_do_what_they_are_asked_to(
    #[case] drive: TestDrive,
    #[case] unreadable: Option<ChipId>,
    #[case] sum_ns: u64,
    #[case] expected: [bool; 2],
) {
    let ftl = drive.ftl();
    assert_eq!((ftl.unreadable_chip(), ftl.sum_time().0, ftl.rebuild()), (unreadable, sum_ns, None));
    assert_eq!([ftl.reads_around(), ftl.has_own_parity_blocks()], expected);
}

/// Fewest reads: what is replaced and the parity, or what is not replaced; nothing before a whole stripe.
#[rstest]
#[case(4)]
#[case(6)]
#[case(8)]
fn reads_before_a_write_are_the_fewest(#[case] chips: u32) {
    let drive = drive(chips).set("warmup.kind", "filled");
    let (read, program) = times(&drive);
    let data = u64::from(chips - 1);
    for written in 1..=data {
        let outcome = drive.run(vec![at(0, Op::Write, data, written)]);
        let reads = if written == data { 0 } else { (written + 1).min(data - written) };
        let updates = u64::from(written < data && written < data - written);
        let full = u64::from(written == data);
        let expected = [reads, written, 1, full, updates, 1 - full - updates];
        assert_eq!(summary(&outcome), expected, "{written} of {data} pages");
        let latency = program + if reads > 0 { read } else { 0 };
        assert_eq!(rows(&outcome), [latency], "every page has a channel of its own");
    }
}

/// In a fresh stripe nothing is there: the first write reads nothing, the second what the first wrote.
#[test]
fn what_is_not_in_flash_is_not_read() {
    let outcome = drive(4).run(vec![at(0, Op::Write, 0, 1), at(10_000, Op::Write, 1, 1)]);
    // The parity alone would be an update of one read; so would the other page be. An update it is.
    assert_eq!(summary(&outcome), [1, 2, 2, 0, 2, 0]);
}

/// Of a page of which only a part is written the rest is needed: it is read with the others.
#[test]
fn a_page_written_in_part_is_read() {
    let drive = drive(4).set("warmup.kind", "filled");
    let part = Record { time_ns: 0, offset_bytes: 512, size_bytes: 3 * 4096 - 512, op: Op::Write, stream: 0 };
    let outcome = drive.run(vec![part]);
    assert_eq!(summary(&outcome), [1, 3, 1, 0, 0, 1]);
    assert_eq!(outcome.results.flash.rmw_reads, 0);
}

/// Two requests, and pages of different stripes of one request, are written by themselves; of one stripe by turns.
#[test]
fn a_stripe_is_written_by_one_at_a_time() {
    let drive = drive(4).set("warmup.kind", "filled");
    let (read, program) = times(&drive);
    let turns = drive.run(vec![at(0, Op::Write, 0, 1), at(0, Op::Write, 2, 1)]);
    assert_eq!(rows(&turns), [read + program, 2 * (read + program)]);
    assert_eq!(counted(&turns.results, "stripe_waits"), 1);
    // Pages 2 and 3 are the last of a stripe and the first of the next.
    let two = drive.run(vec![at(0, Op::Write, 2, 2)]);
    assert_eq!(summary(&two), [4, 2, 2, 0, 2, 0]);
    assert_eq!(counted(&two.results, "stripe_waits"), 0);
}

/// Until the last program has ended the new pages are in the buffer, and what they replace is valid; a read in between
/// never sees the old page again.
#[test]
fn a_stripe_changes_as_a_whole() {
    let drive = drive(4).set("warmup.kind", "filled");
    let (read, program) = times(&drive);
    let between = (read + program / 2) / 1000;
    let outcome = drive.run(vec![
        at(0, Op::Write, 0, 1),
        at(between, Op::Read, 0, 1),
        at(between, Op::Read, 1, 1),
        at(10_000, Op::Read, 0, 1),
    ]);
    assert_eq!(outcome.results.flash.buffer_hits, 1, "the page that is being written");
    assert_eq!(outcome.results.flash.host_reads, 2);
}

/// Collection moves old and new copies of stripes that are under way, and drives full to the brim go on.
#[rstest]
#[case("shared", "false")]
#[case("own", "false")]
#[case("shared", "true")]
fn overwrites_never_get_stuck(#[case] parity_blocks: &str, #[case] crowded: &str) {
    let drive = TestDrive::of([2, 2, 1, 2])
        .blocks(10, 4)
        .set("geometry.spare_factor", if crowded == "true" { "51%" } else { "62%" })
        .set("ftl.allocation", "striping")
        .set("redundancy", "raid5")
        .set("redundancy.stripe_chips", 4)
        .set("redundancy.parity_blocks", parity_blocks)
        .set("warmup.kind", "overwrite")
        .set("controller.write_buffer", "unlimited");
    let pages = Geometry::new(&drive.config()).unwrap().logical_pages;
    let mut stream = RandomStream::new(7, "pages");
    let records: Vec<_> = (0..6_000)
        .map(|k| {
            let op = if stream.below(5) == 0 { Op::Read } else { Op::Write };
            let length = 1 + stream.below(3);
            at(k * 40, op, u64::from(stream.below(pages - 3)), u64::from(length))
        })
        .collect();
    let results = drive.run(records).results;
    assert!(results.gc.jobs > 500, "{} jobs", results.gc.jobs);
    for name in ["stripe_reads", "full_stripe_writes", "update_writes", "rebuild_writes", "stripe_waits"] {
        assert!(counted(&results, name) > 0, "{name}");
    }
    assert!(counted(&results, "room_waits") > 0 || crowded == "false");
    assert!(results.flash.parity_programs >= results.flash.host_programs / 3);
}

/// A trim gives up stripes that it covers wholly, parity and all; of others it writes the parity anew, from what is
/// fewer: the pages that go and the parity, or those that stay.
#[test]
fn trims_take_their_pages_and_renew_parity() {
    let drive = drive(4).set("warmup.kind", "filled");
    let outcome = drive.run(vec![
        at(0, Op::Trim, 1, 6),
        at(3000, Op::Write, 3, 3),
        at(9000, Op::Read, 1, 1),
        at(9000, Op::Read, 0, 1),
    ]);
    assert_eq!(outcome.results.flash.trimmed_pages, 6);
    assert_eq!(outcome.results.flash.unmapped_reads, 1, "page 1, but not page 0");
    // Of the first stripe page 0 stays and is read; of the third page 6 goes, and is read with the parity. The second
    // goes as a whole, and what is written there then finds nothing.
    assert_eq!(counted(&outcome.results, "trim_updates"), 2);
    assert_eq!(summary(&outcome), [1 + 2, 3, 2 + 1, 1, 0, 0]);
    let (read, program) = times(&drive);
    assert!(rows(&outcome)[0] >= read + program, "a trim ends with its last parity");
}

/// Pages of a chip that cannot be read are rebuilt from the rest of their stripe; pages of others are read as ever.
#[test]
fn an_unreadable_chip_is_made_up_for() {
    // Stripe 0 has pages 0, 1, 2 on chips 0, 1, 2 and its parity on chip 3.
    let drive = drive(4).set("warmup.kind", "filled").set("redundancy.unreadable_chip", 1);
    let (read, program) = times(&drive);
    let outcome =
        drive.run(vec![at(0, Op::Read, 1, 1), at(5_000, Op::Read, 2, 1), at(9_000, Op::Write, 1, 1)]);
    assert_eq!(rows(&outcome), [read, read, read + program]);
    let results = &outcome.results;
    assert_eq!(results.flash.host_reads, 1);
    assert_eq!(counted(results, "degraded_reads"), 1);
    // Three for the read; the write would read pages 0 and 2 to rebuild, or the old page, which it cannot, and parity:
    // that is not more, and in place of the old page come the others.
    assert_eq!(counted(results, "stripe_reads"), 3 + 3);
}

/// The host sees what parity leaves, and the warm-up writes parity, too.
#[test]
fn parity_takes_space_and_is_warmed_up() {
    let drive = drive(4);
    let geometry = Geometry::new(&drive.config()).unwrap();
    // Half of 4 planes of 64 pages is stored; a quarter of that is parity.
    assert_eq!((geometry.stored_pages, geometry.logical_pages), (128, 96));
    let outcome = drive.set("warmup.kind", "filled").run(vec![at(0, Op::Read, 95, 1)]);
    let mapped = outcome.results.flash.unmapped_reads;
    assert_eq!(mapped, 0);
}

/// One page more than a plane may hold is refused, however it is reached.
#[test]
fn the_bound_of_a_plane_is_kept() {
    let ftl = {
        let mut ftl = drive(4).ftl();
        let pages: Vec<Lpn> = (0..ftl.geometry().logical_pages).map(Lpn).collect();
        pages.chunks(3).for_each(|stripe| ftl.write_stripe_now(stripe));
        ftl
    };
    let (most, plane) = (ftl.settle_bound().unwrap(), common::PLANE);
    assert_eq!(ftl.plane(plane).valid_pages, 32);
    assert!(ftl.may_hold(plane) && most > 32, "{most}");
}

#[rstest]
#[case("ftl.allocation.by", "arrival", "the stripe says where each page lives")]
#[case("gc.relocation", "buffered", "use gc.relocation = \"controller\"")]
#[case("ftl.assign_pages", "on-arrival", "use ftl.assign_pages = \"at-start\"")]
#[case("gc.block_victim_access", "true", "use gc.block_victim_access = false")]
#[case("controller.write_buffer", "4KiB", "it holds no whole stripe")]
#[case("redundancy.stripe_chips", "3", "32 chips can be divided into stripes of 2, 4, 8, 16, 32")]
#[case("redundancy.unreadable_chip", "32", "the drive has 32 chips, numbered from 0")]
fn refused(#[case] key: &str, #[case] value: &str, #[case] message: &str) {
    let set = [
        ("ftl.allocation", "striping"),
        ("redundancy", "raid5"),
        ("redundancy.stripe_chips", "4"),
        (key, value),
    ];
    let set = set.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    let error = load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: vec![], set }).unwrap_err();
    assert!(error.to_string().contains(message), "{error}");
}

/// A whole stripe is three pages and one parity, a page of another stripe one and one: six programs for four pages.
#[test]
fn warm_up_writes_what_a_request_has_of_a_stripe_together() {
    let drive = drive(4).set("warmup.kind", "replay").set("warmup.replays", 1);
    let outcome = drive.run(vec![at(0, Op::Write, 0, 3), at(10_000, Op::Write, 3, 1)]);
    let warmup = &outcome.results.warmup;
    assert_eq!(warmup.host_writes, 4);
    assert_eq!(warmup.amplification_by_round, [1.5]);
}
