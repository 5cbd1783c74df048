//! Deferred collection on RAID-5 over chips: which writes leave their chip, where they go, what becomes of the chip
//! they left; and that no chip may be lost with anything on it.

use crate::common::prelude::*;
use reclaim_sim::Losses;

/// Chips of one plane in parity sets of so many, collected in the foreground as DiskSim's extension does.
fn foreground(chips: u32, of_set: u32) -> TestDrive {
    TestDrive::of([chips, 1, 1, 1])
        .set("ftl.allocation", "striping")
        .set("redundancy", "raid5")
        .set("redundancy.stripe_chips", of_set)
        .set("gc.trigger", "{ kind = \"foreground\", start = \"2 blocks\", waits_for = \"writes\" }")
        .set("gc.relocation", "copyback")
        .with(&[("scheduler", "fcfs"), ("scheduler.gc_first", "always")])
}

fn deferring(chips: u32, of_set: u32) -> TestDrive {
    foreground(chips, of_set).set("gc.deferral", "dgc")
}

fn deferral<const N: usize>(outcome: &Outcome, names: [&str; N]) -> [u64; N] {
    names.map(|name| counted(outcome, "gc.deferral", name))
}

/// After a fill a chip has 24 blocks, of which 8 are written, so 16 are free. With 13 blocks of 4 pages written
/// besides, 3 are free, one more than where collection starts, and no page of an open block is left: one write to go.
const DRAINING: u64 = 52;

fn of_example(drive: TestDrive) -> TestDrive {
    drive.blocks(24, 4).set("geometry.user_capacity", "786432B").set("warmup.kind", "filled")
}

/// Pages 0, 6 and 12 are on chip 0, with their parity on chips 3, 2 and 1. Chip 0 fills three times as fast.
fn draining(count: u64) -> Vec<Record> {
    (0..count).map(|k| at(k * 10_000, Op::Write, [0, 6, 12][(k % 3) as usize], 1)).collect()
}

/// The paper's figures 3 and 5: eight chips in sets of four. Chip 0 has room for one write before it is collected. W0
/// writes a whole stripe on chips 0 to 3; W1 a page on chips 6 and 7; W2 two pages on chips 0 and 1 with their parity
/// on chip 2, for which it reads chip 3.
#[test]
fn the_papers_example_step_by_step() {
    let raid5 = of_example(foreground(8, 4));
    let dgc = of_example(deferring(8, 4)).set("redundancy.unreadable_chip", 4);
    let timing = Timing::new(&raid5.config());
    let (read, program) = (timing.unloaded_read().0, timing.unloaded_program().0);
    let geometry = Geometry::new(&raid5.config()).unwrap();
    assert_eq!(geometry.logical_pages, 192, "eight blocks of every chip, a quarter of them parity");

    let mut records = draining(DRAINING);
    let (before, now) = (records.len(), 1_000_000);
    // Long after: is page 6 on chip 4, which cannot be read?
    records.extend([at(now, Op::Write, 0, 3), at(now, Op::Write, 5, 1), at(now, Op::Write, 6, 2)]);
    records.push(at(now + 100_000, Op::Read, 6, 1));
    let [stuck, outcome] = [&raid5, &dgc].map(|drive| drive.run(records.clone()));
    // W0 reads nothing, W1 (as all that was before) its page and the parity, W2 the page that it does not write.
    for outcome in [&stuck, &outcome] {
        let ways = ["full_stripe_writes", "update_writes", "rebuild_writes"];
        assert_eq!(counters(outcome, "redundancy", ways), [1, DRAINING + 1, 1]);
    }
    let late = |outcome: &Outcome| rows(outcome)[before..before + 3].to_vec();
    let (w0, w1) = (program, read + program);
    // W2 reads chip 3 when W0 has written its parity there, and then writes three chips: two programs one after the
    // other and a read. Without deferral it waits on chip 0 for a victim that holds nothing.
    let w2 = program + read + program;
    assert_eq!(late(&outcome), [w0, w1, w2]);
    assert_eq!(late(&stuck), [w0, w1, w2 + timing.unloaded_erase().0]);
    // Chip 0 is collected as soon as nothing waits for it: W0 is over by then.
    let names = ["warnings", "redirects", "refused_redirects", "deferred_jobs"];
    assert_eq!(deferral(&outcome, names), [1, 1, 0, 1]);
    assert_eq!(counted(&outcome, "redundancy", "degraded_reads"), 1, "page 6 is on chip 4");
    assert_eq!(outcome.gc_log.as_ref().unwrap().cause.len(), 1);
    assert_eq!([&outcome, &stuck].map(|outcome| outcome.results.gc.jobs), [1, 1]);
}

/// Random writes, reads and trims that keep a small drive busy.
fn records(drive: &TestDrive, count: u64, gap_us: u64, seed: u64) -> Vec<Record> {
    let pages = Geometry::new(&drive.config()).unwrap().logical_pages;
    let mut stream = RandomStream::new(seed, "pages");
    let mut record = |k| {
        let op = match stream.below(12) {
            0 => Op::Read,
            1 => Op::Trim,
            _ => Op::Write,
        };
        let length = 1 + stream.below(3);
        at(k * gap_us, op, u64::from(stream.below(pages - 3)), u64::from(length))
    };
    (0..count).map(&mut record).collect()
}

fn small(drive: TestDrive) -> TestDrive {
    drive.blocks(14, 4).set("geometry.spare_factor", "55%").set("warmup.kind", "overwrite")
}

#[test]
fn warned_chips_collect_when_idle() {
    let drive = small(deferring(8, 4));
    let outcome = drive.run(records(&drive, 4_000, 500, 4));
    let [deferred, idle] = deferral(&outcome, ["deferred_jobs", "idle_jobs"]);
    assert!(deferred > 5 && idle == deferred, "{deferred} of {idle}");
    let alone = drive.set("gc.deferral.redirect", "never").set("gc.deferral.idle", "all");
    let [redirects, idle] = deferral(&alone.run(records(&alone, 4_000, 500, 4)), ["redirects", "idle_jobs"]);
    assert!(redirects == 0 && idle > 20, "{redirects} {idle}");
}

/// The example's drive, of which every chip that has anything to win collects when it falls idle.
fn whenever_idle() -> TestDrive {
    of_example(deferring(8, 4)).set("gc.deferral.idle", "all").set("gc.deferral.restore", "15 blocks")
}

/// A stripe is written whole. Each of its chips then has a page to reclaim, but only chip 3 falls idle after that, and
/// collects. Reads have the others fall idle together, long after: one channel of eight may collect at a time, so
/// two are held back, and collect one after the other when a job ends, with nothing else going on.
#[test]
fn chips_that_were_held_back_collect_one_after_the_other() {
    let drive = whenever_idle().set("gc.concurrency", "{ kind = \"channels\", share = \"12.5%\" }");
    let outcome = drive.run(vec![at(0, Op::Write, 0, 3), at(10_000, Op::Read, 0, 3)]);
    assert_eq!(deferral(&outcome, ["idle_jobs"]), [4]);
    let log = outcome.gc_log.unwrap();
    assert_eq!((&log.plane[..], &log.valid_pages[..]), (&[3, 0, 1, 2][..], &[3; 4][..]));
    assert_eq!(log.start_ns[2..], log.end_ns[1..3]);
}

/// Foreground collection alone: nothing is collected while nothing waits. Until three blocks are free nothing may be
/// collected; from then on every request that comes waits for a job.
#[test]
fn the_foreground_waits_for_requests() {
    let drive = of_example(foreground(8, 4));
    let jobs = drive.run(draining(60)).results.gc.jobs;
    assert!((1..=3).contains(&jobs), "{jobs} jobs");
    let background = drive.set("gc.trigger", "free-blocks").set("gc.trigger.start", "2 blocks");
    assert!(background.run(draining(56)).results.gc.jobs > 0);
}

/// A stripe is written whole, and long after its page on chip 0 is read, which collects when it falls idle. Page 6 is
/// on chip 0 and read meanwhile: around the chip, but not if its stripe is being written, nor if other chips of the
/// stripe collect, too, as they do if their pages were read besides.
#[rstest]
#[case::alone(1, false, 1)]
#[case::stripe_busy(1, true, 0)]
#[case::others_collect(3, false, 0)]
fn reads_go_around_a_chip_only_if_the_rest_is_free(
    #[case] collect: u64,
    #[case] busy: bool,
    #[case] expected: u64,
) {
    let drive = whenever_idle().set("redundancy.read_around", true);
    let collecting = 10_000 + Timing::new(&drive.config()).unloaded_read().0 / 1_000 + 20;
    let mut records = vec![at(0, Op::Write, 0, 3), at(10_000, Op::Read, 0, collect)];
    records.extend(busy.then(|| at(collecting, Op::Write, 7, 1)));
    records.push(at(collecting + 1, Op::Read, 6, 1));
    let outcome = drive.run(records);
    assert_eq!(counted(&outcome, "redundancy", "read_arounds"), expected);
    let log = outcome.gc_log.as_ref().unwrap();
    let under_way = (0..log.plane.len())
        .filter(|job| log.start_ns[*job] < collecting * 1_000 && log.end_ns[*job] > (collecting + 1) * 1_000);
    assert_eq!(under_way.count() as u64, collect);
}

fn losses(drive: &TestDrive, writes: u64, gap_us: u64, moments: u64) -> Losses {
    let pages = Geometry::new(&drive.config()).unwrap().logical_pages;
    let mut stream = RandomStream::new(9, "pages");
    let one = |k| at(k * gap_us, Op::Write, u64::from(stream.below(pages)), 1);
    let trace = Trace::from_records("random", (0..writes).map(one).collect());
    // About ten events for each write of a page: reads and programs of the page and its parity, and collection.
    let options =
        RunOptions { audit: true, chip_losses: Some(10 * writes / moments), ..RunOptions::default() };
    let outcome = go(&drive.config(), &trace, &options);
    let redirects = deferral(&outcome, ["redirects", "same_stripe_redirects"]);
    eprintln!(
        "{:?}, {redirects:?} redirects, onto a chip with a page of the stripe",
        outcome.losses.unwrap()
    );
    outcome.losses.unwrap()
}

/// Whichever chip is lost, and whenever, every page is rebuilt bit by bit; and after a power cut every stripe is the
/// old one or the new one.
#[rstest]
#[case(foreground(8, 4))]
#[case(deferring(8, 4))]
#[case(deferring(8, 4).set("gc.deferral.redirect", "busy"))]
#[case(deferring(8, 2))]
fn any_chip_may_be_lost(#[case] drive: TestDrive) {
    let found = losses(&small(drive), 20_000, 120, 100);
    assert!(found.moments >= 25 && found.stripes_under_way > 0 && found.rebuilt_pages > 0, "{found:?}");
    assert_eq!((found.lost_pages, found.holes), (0, 0), "{found:?}");
}

/// The paper's rule lets two pages of a stripe meet on a chip of another set: then its loss loses both. Where pages
/// that leave prefer low numbers they meet soon.
#[test]
fn the_papers_rule_loses_pages() {
    let drive =
        small(deferring(8, 4)).set("gc.deferral.same_stripe", "allowed").set("gc.deferral.ties", "lowest");
    let found = losses(&drive, 20_000, 120, 100);
    assert!(found.lost_pages > 0 && found.holes == 0, "{found:?}");
}

/// The long run: a million random writes, a thousand random moments.
/// `cargo test --release --test sim deferral:: -- --ignored --nocapture` prints what was found.
#[rstest]
#[case(foreground(16, 8))]
#[case(deferring(16, 8))]
#[case(deferring(16, 8).set("gc.deferral.same_stripe", "allowed"))]
#[ignore = "minutes"]
fn a_million_writes(#[case] drive: TestDrive) {
    let allowed = drive.config().gc.deferral.parameters.contains_key("same_stripe");
    let drive = drive.blocks(48, 16).set("geometry.spare_factor", "30%").set("warmup.kind", "filled");
    let found = losses(&drive, 1_000_000, 300, 1_100);
    assert!(found.moments >= 1_000, "{found:?}");
    assert!(allowed || (found.lost_pages == 0 && found.holes == 0), "{found:?}");
}
