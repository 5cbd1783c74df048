//! What a power cut would destroy, at many random instants.

use crate::common::prelude::*;
use reclaim_sim::PowerCutResult;

/// Two channels of two dies whose planes collect most of the time, with a cut after so many events on the average.
fn drive(relocation: &str, events: u32) -> TestDrive {
    TestDrive::of([2, 1, 2, 1])
        .blocks(24, 8)
        .set("geometry.spare_factor", "35%")
        .set("gc.trigger", "{ kind = \"free-blocks\", start = \"4 blocks\", hard = \"1 block\" }")
        .set("gc.relocation", relocation)
        .set("ftl.allocation", "{ kind = \"dynamic\" }")
        .set("warmup.kind", "overwrite")
        .set("measure.power_cut_every", events)
}

/// Writes of the whole drive, one in eight a trim, one in four of half a page.
fn writes(count: u64, seed: u64) -> Vec<Record> {
    let mut stream = RandomStream::new(seed, "writes");
    let record = |k| {
        let op = if stream.below(8) == 0 { Op::Trim } else { Op::Write };
        let whole = at(k * 400, op, u64::from(stream.below(480)), 1);
        let size_bytes = if op == Op::Write && stream.below(4) == 0 { 2048 } else { whole.size_bytes };
        Record { size_bytes, ..whole }
    };
    (0..count).map(record).collect()
}

fn cuts(drive: &TestDrive, records: Vec<Record>) -> PowerCutResult {
    drive.run(records).results.power_cuts.unwrap()
}

const BUFFERED: &str = "{ kind = \"buffered\", capacity = \"4 blocks\", destination = \"free\" }";

/// Every page that is gone from flash at any of more than ten thousand cuts is in a buffer: the run would end with an
/// error otherwise.
#[test]
fn a_capacitor_saves_every_acknowledged_page() {
    let mut seen = 0;
    for seed in 0..4 {
        let found = cuts(&drive(BUFFERED, 5), writes(6_000, seed));
        assert!(found.collector_pages > 0, "{found:?}");
        assert!(found.losing_cuts > 0 && found.losing_cuts <= found.cuts, "{found:?}");
        assert!(u64::from(found.max_collector_pages) <= found.collector_pages, "{found:?}");
        seen += found.cuts;
    }
    assert!(seen > 10_000, "only {seen} cuts");
}

/// Where pages are programmed before their old block is erased, only those are lost that the host is overwriting.
#[rstest]
#[case("{ kind = \"controller\" }")]
#[case("{ kind = \"copyback\" }")]
fn without_the_collectors_buffer_only_replaced_pages_are_lost(#[case] relocation: &str) {
    let found = cuts(&drive(relocation, 5), writes(6_000, 1));
    assert_eq!((found.collector_pages, found.max_collector_pages), (0, 0));
    assert!(found.cuts > 2_000, "{found:?}");
    assert!(found.replaced_pages > 0, "{found:?}");
}

/// A drive at rest between its requests has everything in flash.
#[test]
fn nothing_is_lost_at_rest() {
    let slow = (0..500).map(|k| at(k * 1_000_000, Op::Write, k % 100, 1)).collect();
    let quiet = drive(BUFFERED, 5).set("warmup.kind", "empty");
    let found = cuts(&quiet, slow);
    assert!(found.cuts > 100, "{found:?}");
    assert_eq!(found.losing_cuts, 0, "{found:?}");
}

/// Whether anybody counts changes nothing for those who are counted.
#[test]
fn a_run_goes_on_as_if_nothing_had_happened() {
    let with = drive(BUFFERED, 5).run(writes(2_000, 3));
    let rarely = drive(BUFFERED, u32::MAX / 2).run(writes(2_000, 3));
    assert_eq!(rarely.results.power_cuts.unwrap().cuts, 0);
    assert_eq!(with.requests, rarely.requests);
    let again = drive(BUFFERED, 5).run(writes(2_000, 3));
    assert_eq!(with.results.power_cuts, again.results.power_cuts);
}

/// Stripes over chips of two planes, full enough to collect, with writes and trims of one page to more than a stripe.
fn stripes(width: u32, defers: bool, events: u32) -> TestDrive {
    let drive = TestDrive::of([6, 1, 1, 2])
        .blocks(16, 8)
        .set("geometry.spare_factor", "45%")
        .set("ftl.allocation", "striping")
        .set("redundancy", "raid5")
        .set("redundancy.stripe_chips", width)
        .set("gc.trigger", "{ kind = \"free-blocks\", start = \"3 blocks\", hard = \"1 block\" }")
        .set("warmup.kind", "overwrite")
        .set("measure.power_cut_every", events);
    if defers { drive.set("gc.deferral", "{ kind = \"dgc\", redirect = \"busy\" }") } else { drive }
}

fn pieces(pages: u32, count: u64, seed: u64) -> Vec<Record> {
    let mut stream = RandomStream::new(seed, "pieces");
    let record = |k| {
        let op = if stream.below(5) == 0 { Op::Trim } else { Op::Write };
        let whole = at(k * 900, op, u64::from(stream.below(pages - 8)), 1 + u64::from(stream.below(7)));
        let size_bytes = if stream.below(4) == 0 { whole.size_bytes - 2048 } else { whole.size_bytes };
        Record { size_bytes: if op == Op::Trim { whole.size_bytes } else { size_bytes }, ..whole }
    };
    (0..count).map(record).collect()
}

/// The write hole: at every cut each stripe is found in flash as it was acknowledged last, with a parity that fits
/// bit by bit; the run would end with an error otherwise. Writes were under way in part at many of these cuts.
#[rstest]
fn a_stripe_is_found_old_or_new_after_any_cut(
    #[values(2, 3)] width: u32,
    #[values(false, true)] defers: bool,
    #[values(1, 4, 11)] events: u32,
) {
    let drive = stripes(width, defers, events);
    let pages = Geometry::new(&drive.config()).unwrap().logical_pages;
    let found = cuts(&drive, pieces(pages, 600, u64::from(width + events)));
    assert!(found.cuts > 200 && found.losing_cuts == 0, "{found:?}");
    assert!(found.torn_stripes > 100 && found.max_torn_stripes > 1, "{found:?}");
}

/// Trims are not written down anywhere but in the parity of a stripe of which something is left.
#[test]
fn stripes_that_were_trimmed_whole_come_back() {
    let drive = stripes(3, false, 1).set("warmup.kind", "filled");
    let trim = |first, count| vec![at(0, Op::Trim, first, count), at(10_000_000, Op::Write, 100, 1)];
    let whole = cuts(&drive, trim(0, 2));
    assert!(whole.revived_pages > 0 && whole.revived_pages.is_multiple_of(2), "{whole:?}");
    // The parity of what is left is written at once: before that the trim is not answered, after it nothing comes back.
    let in_part = cuts(&drive, trim(0, 1));
    assert_eq!(in_part.revived_pages, 0, "{in_part:?}");
}
