//! A chip that was lost before the run is rebuilt on an erased one while the host goes on.

use crate::common::{TestDrive, at};
use proptest::prelude::*;
use reclaim_sim::Outcome;
use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::flash::{Geometry, Timing};
use reclaim_sim::random::RandomStream;
use reclaim_trace::{Op, Record};
use rstest::rstest;

/// Six chips in parity sets of three, everything written.
fn filled(order: &str, stripes: u32) -> TestDrive {
    TestDrive::of([6, 1, 1, 1])
        .blocks(16, 8)
        .set("geometry.spare_factor", "45%")
        .set("ftl.allocation", "striping")
        .set("redundancy", "raid5")
        .set("redundancy.stripe_chips", 3)
        .set("redundancy.rebuild_chip", 4)
        .set("redundancy.rebuild_order", order)
        .set("redundancy.rebuild_stripes", stripes)
        .set("warmup.kind", "filled")
}

fn counted(outcome: &Outcome, name: &str) -> u64 {
    outcome.results.policies["redundancy"][name].value
}

/// Pages of the chip that was lost: one of each stripe of its set.
fn rows(drive: &TestDrive) -> u64 {
    u64::from(Geometry::new(&drive.config()).unwrap().stripes.unwrap().rows)
}

/// Nothing else to do: page by page, two reads at once, then a program. The audit knows what every page held.
#[rstest]
#[case("host-first")]
#[case("rebuild-first")]
fn one_page_after_the_other(#[case] order: &str) {
    let drive = filled(order, 1);
    let timing = Timing::new(&drive.config());
    let page = timing.unloaded_read().0 + timing.unloaded_program().0;
    let outcome = drive.run(vec![at(1_000_000_000, Op::Read, 0, 1)]);
    assert_eq!(counted(&outcome, "rebuilt_pages"), rows(&drive));
    assert_eq!(counted(&outcome, "rebuild_ns"), rows(&drive) * page);
    assert_eq!(outcome.results.flash.parity_programs, rows(&drive), "rebuilt pages are not the host's");
    assert_eq!((outcome.results.flash.host_programs, outcome.results.flash.host_reads), (0, 1));
    assert_eq!(counted(&outcome, "rebuilding_reads"), 0, "the read came when all was there again");
}

/// Behind the host: five reads come while the second page is being programmed, all of the first one, which is on the
/// chip again. The third waits until the chip that it is to be written on has done them.
#[test]
fn a_rebuild_waits_for_the_die_that_it_writes_to() {
    let drive = filled("host-first", 1).set("flash.suspend.program", false);
    let timing = Timing::new(&drive.config());
    let (read, page) = (timing.unloaded_read().0, timing.unloaded_read().0 + timing.unloaded_program().0);
    let outcome = drive.run(vec![at((page + read) / 1_000 + 50, Op::Read, 3, 1); 5]);
    assert_eq!(counted(&outcome, "degraded_reads"), 0);
    assert_eq!(counted(&outcome, "rebuild_ns"), rows(&drive) * page + 5 * read);
}

/// A read of a lost page is made up from the rest of its stripe; once the page is back it is read as ever.
#[test]
fn a_lost_page_is_read_from_its_stripe_until_it_is_there() {
    let drive = filled("rebuild-first", 1);
    // Stripes lie in one set after the other; pages 2 and 3 are of the second set, on its chips 3 and 4.
    let outcome = drive.run(vec![at(0, Op::Read, 3, 1), at(1_000_000_000, Op::Read, 3, 1)]);
    assert_eq!(counted(&outcome, "degraded_reads"), 1);
    assert_eq!(counted(&outcome, "rebuilding_reads"), 1);
    let requests = outcome.requests.as_ref().unwrap();
    let latency = |row: usize| requests.completion_ns[row] - requests.arrival_ns[row];
    assert_eq!(counted(&outcome, "rebuilding_read_ns"), latency(0));
    assert!(latency(1) < latency(0));
}

fn mixed(pages: u32, count: u64, seed: u64) -> Vec<Record> {
    let mut stream = RandomStream::new(seed, "mixed");
    let record = |k| {
        let op = [Op::Read, Op::Read, Op::Write, Op::Write, Op::Trim][stream.below(5) as usize];
        let whole = at(k * 700, op, u64::from(stream.below(pages - 4)), 1 + u64::from(stream.below(3)));
        let is_part = op == Op::Write && stream.below(4) == 0;
        Record { size_bytes: whole.size_bytes - if is_part { 2048 } else { 0 }, ..whole }
    };
    (0..count).map(record).collect()
}

/// The host waits longer while stripes are rebuilt before it, and the rebuild takes longer behind the host.
#[test]
fn what_goes_first_is_faster() {
    let run = |order| {
        let drive = filled(order, 4);
        let reads = (0..200).map(|k| at(k * 300, Op::Read, 3 * k % 150, 1)).collect();
        let outcome = drive.run(reads);
        assert_eq!(counted(&outcome, "rebuilt_pages"), rows(&drive));
        let mean = counted(&outcome, "rebuilding_read_ns") / counted(&outcome, "rebuilding_reads");
        (counted(&outcome, "rebuild_ns"), mean)
    };
    let (host, rebuild) = (run("host-first"), run("rebuild-first"));
    assert!(host.0 > rebuild.0, "{host:?} {rebuild:?}");
    assert!(host.1 < rebuild.1, "{host:?} {rebuild:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever the host does meanwhile, with collection and redirected writes, every page is there at the end as it
    /// was written last: the audit knows what every page holds.
    #[test]
    fn every_page_comes_back(
        seed in 0..1_000_u64,
        chip in 0..6_u32,
        stripes in 1..9_u32,
        host_first in any::<bool>(),
        defers in any::<bool>(),
    ) {
        let mut drive = filled(if host_first { "host-first" } else { "rebuild-first" }, stripes)
            .set("redundancy.rebuild_chip", chip)
            .set("warmup.kind", "overwrite")
            .set("redundancy.read_around", seed % 2 == 0)
            .set("gc.trigger", "{ kind = \"free-blocks\", start = \"3 blocks\", hard = \"1 block\" }");
        if defers {
            drive = drive.set("gc.deferral", "{ kind = \"dgc\", redirect = \"busy\", idle = \"all\" }");
        }
        let pages = Geometry::new(&drive.config()).unwrap().logical_pages;
        let outcome = drive.run(mixed(pages, 800, seed));
        prop_assert!(counted(&outcome, "rebuilt_pages") > 0);
        prop_assert!(counted(&outcome, "rebuilt_pages") <= u64::from(pages));
        prop_assert!(counted(&outcome, "rebuild_ns") > 0);
    }
}

#[rstest]
#[case("redundancy.rebuild_chip", "6", "rebuild_chip 6: the drive has 6 chips")]
#[case("redundancy.rebuild_stripes", "0", "at least 1")]
#[case("redundancy.unreadable_chip", "1", "leave out unreadable_chip")]
#[case("measure.power_cut_every", "9", "leave out measure.power_cut_every")]
fn what_it_does_not_go_with_is_said(#[case] key: &str, #[case] value: &str, #[case] said: &str) {
    let stripes =
        [("redundancy", "raid5"), ("redundancy.stripe_chips", "2"), ("redundancy.rebuild_chip", "0")];
    let mut set =
        vec![("ftl.allocation", "striping"), ("geometry.channels", "6"), ("geometry.chips_per_channel", "1")];
    set.extend(stripes);
    set.push((key, value));
    let set = set.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let error = load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: vec![], set }).unwrap_err();
    assert!(error.to_string().contains(said), "{error}");
}
