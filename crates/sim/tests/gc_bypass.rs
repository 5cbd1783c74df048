//! GC bypass whole: its scheme on a small drive under load, piece by piece, and what a power cut leaves of it.

use crate::common::{TestDrive, at};
use reclaim_sim::Outcome;
use reclaim_sim::flash::Geometry;
use reclaim_sim::random::RandomStream;
use reclaim_trace::{Op, Record};
use rstest::rstest;

/// Two rows of four chips, two planes each, that collect most of the time.
fn drive(set: &[(&str, &str)]) -> TestDrive {
    TestDrive::of([2, 4, 1, 2])
        .blocks(24, 16)
        .set("geometry.spare_factor", "30%")
        .set("warmup.kind", "overwrite")
        .set("gc.trigger", "{ kind = \"free-blocks\", start = \"4 blocks\", hard = \"1 block\" }")
        .set("ftl.allocation", "{ kind = \"dynamic\" }")
        .set("interconnect", "venice-priority")
        .set("gc.relocation", "{ kind = \"buffered\", destination = \"chip\", host_writes = \"absorb\" }")
        .with(set)
}

/// Writes and reads of the whole drive, one in four of half a page, half of them of an eighth of it.
fn requests(pages: u32, count: u64, gap_us: u64, seed: u64) -> Vec<Record> {
    let mut stream = RandomStream::new(seed, "requests");
    let record = |k| {
        let op = if stream.below(3) == 0 { Op::Read } else { Op::Write };
        let hot = if stream.below(2) == 0 { 8 } else { 1 };
        let whole = at(k * gap_us, op, u64::from(stream.below(pages / hot)), 1);
        let size_bytes = if stream.below(4) == 0 { 2048 } else { whole.size_bytes };
        Record { size_bytes, ..whole }
    };
    (0..count).map(record).collect()
}

fn run(drive: &TestDrive, gap_us: u64) -> Outcome {
    let pages = Geometry::new(&drive.config()).unwrap().logical_pages;
    drive.run(requests(pages, 12_000, gap_us, 1))
}

fn counted(outcome: &Outcome, seam: &str, names: &[&str]) -> Vec<u64> {
    names.iter().map(|name| outcome.results.policies[seam][*name].value).collect()
}

#[test]
fn under_load_everything_that_it_is_made_of_happens() {
    let outcome = run(&drive(&[("interconnect.elevate_after", "2")]), 60);
    let names = ["preemptions", "elevations", "circuits_resumed", "scouts_turned"];
    let network = counted(&outcome, "interconnect", &names);
    assert!(network.iter().all(|count| *count > 0), "{names:?} {network:?}");
    let names = ["absorbed_writes", "buffer_stalls", "redirected_pages", "lifted_pages"];
    let buffer = counted(&outcome, "gc.relocation", &names);
    assert!(buffer.iter().all(|count| *count > 0), "{names:?} {buffer:?}");
    assert!(outcome.results.flash.buffer_hits > 10, "{} hits", outcome.results.flash.buffer_hits);
}

/// Without `absorb` nothing is absorbed, without `hold` nothing rests, and so on: each piece is off by itself.
#[rstest]
#[case("gc.relocation.host_writes", "replace", "gc.relocation", "absorbed_writes")]
#[case("gc.relocation.hold", "transfer", "interconnect", "circuits_resumed")]
#[case("gc.relocation.hold", "transfer", "interconnect", "preemptions")]
#[case("gc.relocation.destination", "home", "gc.relocation", "redirected_pages")]
#[case("gc.relocation.capacity", "40 blocks", "gc.relocation", "buffer_stalls")]
#[case("interconnect.elevate_after", "1000000", "interconnect", "elevations")]
fn every_piece_can_be_left_out(
    #[case] key: &str,
    #[case] value: &str,
    #[case] seam: &str,
    #[case] counter: &str,
) {
    assert_eq!(counted(&run(&drive(&[(key, value)]), 120), seam, &[counter]), [0]);
}

/// Requests of the host come when collection is over: circuits that are kept between pages of a job are taken up again,
/// and given back with the last of them, so that nothing of the host ever has to remove one.
#[test]
fn circuits_are_given_back_with_the_last_page() {
    let drive = TestDrive::of([1, 4, 1, 1])
        .set("warmup.kind", "overwrite")
        .set("ftl.allocation", "{ kind = \"striping\", by = \"arrival\" }")
        .set("interconnect", "venice-priority")
        .set("gc.relocation", "{ kind = \"buffered\" }");
    let pages = Geometry::new(&drive.config()).unwrap().logical_pages;
    let outcome = drive.run(requests(pages, 600, 40_000, 3));
    let [resumed, preemptions] = counted(&outcome, "interconnect", &["circuits_resumed", "preemptions"])[..]
    else {
        unreachable!("two names")
    };
    assert!(resumed > 20, "{resumed} circuits, {} jobs", outcome.results.gc.jobs);
    assert_eq!(preemptions, 0);
}

/// Planes that are given as much as the others although they are full collect what is still valid; more so where the
/// odd page of each batch always goes to the first of them.
#[test]
fn planes_chosen_by_space_cost_less_than_all_alike() {
    let moved = |planes| {
        let set = [("gc.relocation.planes", planes), ("gc.relocation.ties", "lowest")];
        run(&drive(&set), 400).results.flash.gc_programs
    };
    let [even, by_space] = ["even", "by-space"].map(moved);
    assert!(by_space < even, "{by_space} pages, {even} if all planes of a chip get as many");
}

/// In batches a job holds the less of the buffer, so that more of them fit in beside each other; and writes back what
/// the host has not replaced, whatever the number.
#[rstest]
fn batches_lift_the_same_pages(
    #[values("1", "2", "3", "5")] batches: &str,
    #[values("home", "chip")] to: &str,
) {
    let outcome = run(&drive(&[("gc.relocation.batches", batches), ("gc.relocation.destination", to)]), 400);
    let [lifted, cancelled] =
        counted(&outcome, "gc.relocation", &["lifted_pages", "cancelled_write_backs"])[..]
    else {
        unreachable!("two names")
    };
    let programs = outcome.results.flash.gc_programs;
    assert!(lifted > 1000 && (lifted - cancelled..=lifted).contains(&programs), "{lifted} {programs}");
    assert!(outcome.results.gc.jobs > 100, "{} jobs", outcome.results.gc.jobs);
}

/// With a capacitor nothing acknowledged is lost at any of more than ten thousand cuts, what the host wrote into the
/// collector's buffer included: a run in which a page is in no buffer either ends with an error.
#[test]
fn a_capacitor_saves_every_acknowledged_page() {
    let mut seen = 0;
    for (seed, batches) in (0..4).zip(["1", "1", "2", "3"]) {
        let cutting = drive(&[("measure.power_cut_every", "9"), ("gc.relocation.batches", batches)]);
        let pages = Geometry::new(&cutting.config()).unwrap().logical_pages;
        let outcome = cutting.run(requests(pages, 8_000, 150, seed));
        let found = outcome.results.power_cuts.clone().expect("cuts were asked for");
        assert!(found.collector_pages > 0 && found.replaced_pages > 0, "{found:?}");
        assert!(counted(&outcome, "gc.relocation", &["absorbed_writes"])[0] > 0);
        seen += found.cuts;
    }
    assert!(seen > 10_000, "only {seen} cuts");
}
