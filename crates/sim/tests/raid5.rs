//! RAID-5 over chips: what is read before a stripe is written, who waits for whom, and that a stripe is never half new.

use crate::common::prelude::*;
use reclaim_sim::ids::ChipId;

/// A chip for each of so many channels, all of one stripe.
fn drive(chips: u32) -> TestDrive {
    TestDrive::of([chips, 1, 1, 1])
        .set("ftl.allocation", "{ kind = \"striping\", by = \"lpn\" }")
        .set("redundancy", format!("{{ kind = \"raid5\", stripe_chips = {chips} }}"))
}

fn filled(chips: u32) -> TestDrive {
    drive(chips).set("warmup.kind", "filled")
}

fn stripes<const N: usize>(outcome: &Outcome, names: [&str; N]) -> [u64; N] {
    counters(outcome, "redundancy", names)
}

/// Reads of stripes, programs of the host and of parity, and the ways in which stripes were written: whole, updated,
/// rebuilt.
fn summary(outcome: &Outcome) -> [u64; 6] {
    let ways = ["stripe_reads", "full_stripe_writes", "update_writes", "rebuild_writes"];
    let [reads, full, updates, rebuilds] = stripes(outcome, ways);
    let flash = &outcome.results.flash;
    [reads, flash.host_programs, flash.parity_programs, full, updates, rebuilds]
}

/// A read of a whole page, and a program, on an idle drive: ns.
fn times(drive: &TestDrive) -> (u64, u64) {
    let timing = Timing::new(&drive.config());
    (timing.unloaded_read().0, timing.unloaded_program().0)
}

/// Whatever is lost, read around or summed up is so because it was asked for; a drive without stripes has none of it.
#[test]
fn stripes_do_what_they_are_asked_to() {
    let all = drive(4)
        .set("redundancy.unreadable_chip", 2)
        .set("redundancy.xor", "3us")
        .set("redundancy.read_around", true)
        .set("redundancy.parity_blocks", "own");
    for (drive, unreadable, sum_ns, expected) in [
        (TestDrive::one_plane(), None, 0, false),
        (drive(4), None, 0, false),
        (all, Some(ChipId(2)), 3_000, true),
    ] {
        let ftl = drive.ftl();
        assert_eq!((ftl.unreadable_chip(), ftl.sum_time().0, ftl.rebuild()), (unreadable, sum_ns, None));
        assert_eq!([ftl.reads_around(), ftl.has_own_parity_blocks()], [expected; 2]);
    }
}

/// Fewest reads: what is replaced and the parity, or what is not replaced; nothing before a whole stripe.
#[rstest]
#[case(4)]
#[case(6)]
#[case(8)]
fn reads_before_a_write_are_the_fewest(#[case] chips: u32) {
    let drive = filled(chips);
    let (read, program) = times(&drive);
    let data = u64::from(chips - 1);
    for written in 1..=data {
        let outcome = drive.run(vec![at(0, Op::Write, data, written)]);
        let reads = if written == data { 0 } else { (written + 1).min(data - written) };
        let updates = u64::from(written < data && written < data - written);
        let full = u64::from(written == data);
        let expected = [reads, written, 1, full, updates, 1 - full - updates];
        assert_eq!(summary(&outcome), expected, "{written} of {data} pages");
        // Every page has a channel of its own.
        assert_eq!(rows(&outcome), [program + if reads > 0 { read } else { 0 }]);
    }
}

/// In a fresh stripe nothing is there: the first write reads nothing, the second what the first wrote. Of a page of
/// which only a part is written the rest is needed: it is read with the others.
#[test]
fn what_is_not_in_flash_is_not_read() {
    let outcome = drive(4).run(vec![at(0, Op::Write, 0, 1), at(10_000, Op::Write, 1, 1)]);
    // The parity alone would be an update of one read; so would the other page be. An update it is.
    assert_eq!(summary(&outcome), [1, 2, 2, 0, 2, 0]);
    let part = Record { offset_bytes: 512, size_bytes: 3 * 4096 - 512, ..at(0, Op::Write, 0, 1) };
    let outcome = filled(4).run(vec![part]);
    assert_eq!(summary(&outcome), [1, 3, 1, 0, 0, 1]);
    assert_eq!(outcome.results.flash.rmw_reads, 0);
}

/// Three of five pages of a stripe, of which so many are written in part. What is replaced, and the parity, are four
/// pages; what is not replaced are two, and those written in part. Of as many, what is replaced is read.
#[rstest]
#[case(0, [2, 0, 1])]
#[case(1, [3, 0, 1])]
#[case(2, [4, 1, 0])]
fn the_rest_of_a_page_written_in_part_is_among_what_is_not_replaced(
    #[case] in_part: u64,
    #[case] expected: [u64; 3],
) {
    let size_bytes = 3 * 4096 - 512 * in_part;
    let write = Record { offset_bytes: 512 * (in_part / 2), size_bytes, ..at(0, Op::Write, 0, 1) };
    let outcome = filled(6).run(vec![write]);
    assert_eq!(stripes(&outcome, ["stripe_reads", "update_writes", "rebuild_writes"]), expected);
}

/// Of four pages of a stripe some are trimmed: read are those and the parity, or those that stay, whichever are fewer;
/// of as many, or one more, those that stay.
#[rstest]
#[case(1, 2)]
#[case(2, 2)]
#[case(3, 1)]
fn reads_before_a_trim_are_the_fewest(#[case] trimmed: u64, #[case] reads: u64) {
    let outcome = filled(5).run(vec![at(0, Op::Trim, 0, trimmed)]);
    assert_eq!(stripes(&outcome, ["stripe_reads", "trim_updates"]), [reads, 1]);
}

/// Two chips: every page is a stripe, and has its parity on the other chip. The 25th write opens the last block but one
/// of both, and starts a job on each, of a block that holds nothing valid; a microsecond after it a page is written,
/// and waits for both erases. Whoever waits behind that write loses the same share of its time to collection: for its
/// stripe, or outside of a buffer that holds no more.
#[rstest]
#[case::for_its_stripe(30, "unlimited")]
#[case::outside(31, "8KiB")]
fn who_waits_for_a_write_shares_its_time(#[case] page: u64, #[case] buffer: &str) {
    let begin = 24 * 10_000_000 + WRITE;
    let mut records = spaced_writes(&(0..25).collect::<Vec<_>>());
    records.extend([at_ns(begin + 1_000, Op::Write, 30), at_ns(begin + 2_000, Op::Write, page)]);
    let outcome = filled(2).set("controller.write_buffer", buffer).run(records);
    let erase = ERASE - 1_000;
    assert_eq!(parts(&outcome, begin + 1_000), [0, erase, TRANSFER, T_PROG]);
    let waits = erase + WRITE - 1_000;
    let gc = waits * erase / (erase + WRITE);
    assert_eq!(parts(&outcome, begin + 2_000), [waits - gc, gc, TRANSFER, T_PROG]);
}

/// Two requests, and pages of different stripes of one request, are written by themselves; of one stripe by turns.
#[test]
fn a_stripe_is_written_by_one_at_a_time() {
    let drive = filled(4);
    let (read, program) = times(&drive);
    let turns = drive.run([0, 2, 1].map(|page| at(0, Op::Write, page, 1)).to_vec());
    // In the order in which they came: of pages 0, 1 and 2 the last comes second.
    assert_eq!(rows(&turns), [1, 3, 2].map(|turn| turn * (read + program)));
    assert_eq!(stripes(&turns, ["stripe_waits"]), [2]);
    // Pages 2 and 3 are the last of a stripe and the first of the next.
    let two = drive.run(vec![at(0, Op::Write, 2, 2)]);
    assert_eq!(summary(&two), [4, 2, 2, 0, 2, 0]);
    assert_eq!(stripes(&two, ["stripe_waits"]), [0]);
}

/// Until the last program has ended the new pages are in the buffer, and what they replace is valid; a read in between
/// never sees the old page again.
#[test]
fn a_stripe_changes_as_a_whole() {
    let drive = filled(4);
    let (read, program) = times(&drive);
    let between = (read + program / 2) / 1000;
    let reads = [(between, 0), (between, 1), (10_000, 0)].map(|(time, page)| at(time, Op::Read, page, 1));
    let flash = drive.run([vec![at(0, Op::Write, 0, 1)], reads.to_vec()].concat()).results.flash;
    // The page that is being written is a hit.
    assert_eq!((flash.buffer_hits, flash.host_reads), (1, 2));
}

/// A trim gives up stripes that it covers wholly, parity and all; of others it writes the parity anew, from what is
/// fewer: the pages that go and the parity, or those that stay.
#[test]
fn trims_take_their_pages_and_renew_parity() {
    let drive = filled(4);
    let reads = [1, 0].map(|page| at(9000, Op::Read, page, 1));
    let outcome =
        drive.run([vec![at(0, Op::Trim, 1, 6), at(3000, Op::Write, 3, 3)], reads.to_vec()].concat());
    assert_eq!(outcome.results.flash.trimmed_pages, 6);
    assert_eq!(outcome.results.flash.unmapped_reads, 1, "page 1, but not page 0");
    // Of the first stripe page 0 stays and is read; of the third page 6 goes, and is read with the parity. The second
    // goes as a whole, and what is written there then finds nothing.
    assert_eq!(stripes(&outcome, ["trim_updates"]), [2]);
    assert_eq!(summary(&outcome), [1 + 2, 3, 2 + 1, 1, 0, 0]);
    let (read, program) = times(&drive);
    assert!(rows(&outcome)[0] >= read + program, "a trim ends with its last parity");
}

/// Pages of a chip that cannot be read are rebuilt from the rest of their stripe; pages of others are read as ever.
#[test]
fn an_unreadable_chip_is_made_up_for() {
    // Stripe 0 has pages 0, 1, 2 on chips 0, 1, 2 and its parity on chip 3.
    let drive = filled(4).set("redundancy.unreadable_chip", 1);
    let (read, program) = times(&drive);
    let outcome =
        drive.run(vec![at(0, Op::Read, 1, 1), at(5_000, Op::Read, 2, 1), at(9_000, Op::Write, 1, 1)]);
    assert_eq!(rows(&outcome), [read, read, read + program]);
    assert_eq!(outcome.results.flash.host_reads, 1);
    // Three for the read; the write would read pages 0 and 2 to rebuild, or the old page, which it cannot, and parity:
    // that is not more, and in place of the old page come the others.
    assert_eq!(stripes(&outcome, ["degraded_reads", "stripe_reads"]), [1, 3 + 3]);
}

/// The host sees what parity leaves, and the warm-up writes parity, too. Half of 4 planes of 64 pages is stored; a
/// quarter of that is parity. One page more than a plane may hold is refused, however it is reached.
#[test]
fn parity_takes_space_and_is_warmed_up() {
    let mut ftl = drive(4).ftl();
    assert_eq!((ftl.geometry().stored_pages, ftl.geometry().logical_pages), (128, 96));
    let outcome = filled(4).run(vec![at(0, Op::Read, 95, 1)]);
    assert_eq!(outcome.results.flash.unmapped_reads, 0);
    let pages: Vec<Lpn> = (0..96).map(Lpn).collect();
    pages.chunks(3).for_each(|stripe| ftl.write_stripe_now(stripe));
    let most = ftl.settle_bound().unwrap();
    assert_eq!(ftl.plane(PLANE).valid_pages, 32);
    assert!(ftl.may_hold(PLANE) && most > 32, "{most}");
}

/// A whole stripe is three pages and one parity, a page of another stripe one and one: six programs for four pages.
#[test]
fn warm_up_writes_what_a_request_has_of_a_stripe_together() {
    let drive = drive(4).set("warmup.kind", "replay").set("warmup.replays", 1);
    let warmup = drive.run(vec![at(0, Op::Write, 0, 3), at(10_000, Op::Write, 3, 1)]).results.warmup;
    assert_eq!((warmup.host_writes, warmup.amplification_by_round), (4, vec![1.5]));
}
