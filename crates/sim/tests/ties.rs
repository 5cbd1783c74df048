//! Where choices among equals go (`docs/model.md`, section 19), worked out by hand; and that `lowest` is what it was
//! before there was a choice.

use crate::common::prelude::*;

/// What a rule takes of so many that are equal, so many times.
fn taken(ties: &str, count: u32, choices: usize, stream: &str, seed: u64) -> Vec<u32> {
    let mut random = RandomStream::new(seed, stream);
    let mut one = |at: usize| match ties {
        "rotating" => at as u32 % count,
        "random" => random.below(count),
        _ => 0,
    };
    (0..choices).map(&mut one).collect()
}

/// Two chips of two planes. Pages 0 to 3 are in planes 0 to 3; page 0 is written 40 times, which fills ten blocks of
/// plane 0, and nothing else has anything to do.
#[test]
fn what_each_plane_does_is_counted() {
    let drive = TestDrive::of([2, 1, 1, 2])
        .set("ftl.allocation", "{ kind = \"striping\", order = \"PDWC\" }")
        .set("warmup.kind", "filled");
    let results = drive.run(spaced_writes(&[0; 40])).results;
    let planes = &results.planes;
    assert_eq!(planes.host_programs, [40, 0, 0, 0]);
    assert!(results.gc.jobs > 0, "a plane has 16 blocks, and half of them are full");
    assert_eq!(planes.jobs, [results.gc.jobs, 0, 0, 0]);
    assert_eq!(planes.erases, [results.flash.erases, 0, 0, 0]);
    assert_eq!(planes.relocated_pages, [results.flash.gc_programs, 0, 0, 0]);
    assert_eq!(planes.parity_programs, [0; 4]);
}

/// One plane in each of so many chips or dies of planes, whose collected pages go to others by a rule.
fn buffered(dimensions: [u32; 4], destination: &str, ties: &str) -> TestDrive {
    TestDrive::of(dimensions)
        .set("ftl.allocation", "{ kind = \"striping\", by = \"arrival\" }")
        .set("gc.relocation.kind", "buffered")
        .set("gc.relocation.destination", destination)
        .set("gc.relocation.ties", ties)
}

/// Four chips of one plane, none of them ever erased. Pages of chip 0 go to the others in turn, to the first of them,
/// or to any; the same by chips, of which that of the victim is one, where a batch is one page.
#[rstest]
fn a_lifted_page_goes_where_the_rule_says(
    #[values("free", "chip")] destination: &str,
    #[values("rotating", "lowest", "random")] ties: &str,
) {
    let drive = buffered([4, 1, 1, 1], destination, ties);
    let mut ftl = drive.ftl();
    write_pages(&mut ftl, 0..32);
    let by_chip = destination == "chip";
    let goes = [0, 4, 8, 12, 16, 20].map(|page| {
        let slot = ftl.lift(ftl.map().flash_copy(Lpn(page)).unwrap()).unwrap();
        if by_chip {
            ftl.begin_batch();
        }
        ftl.send_back(slot, PlaneId(0), &[0; 4], false).unwrap().0 - u32::from(!by_chip)
    });
    let (count, stream) = if by_chip { (4, "destination chip") } else { (3, "destination") };
    assert_eq!(goes.to_vec(), taken(ties, count, 6, stream, drive.config().seed));
}

/// Of two planes of a chip that owe nothing, the rule says which gets the one page of a batch. The page is written at
/// once, so that nothing is owed when the next batch comes; the chip of the victim is the only one.
#[rstest]
fn a_page_goes_to_the_plane_of_its_chip_that_the_rule_says(
    #[values("rotating", "lowest", "random")] ties: &str,
) {
    let drive = buffered([1, 1, 1, 2], "chip", ties);
    let mut ftl = drive.ftl();
    // Block 0 of plane 0 has pages 0, 2, 4 and 6: each job has one page left to write back.
    (0..40).for_each(|page| ftl.write_now(Lpn(page)));
    let mut goes = Vec::new();
    for job in 0..4 {
        let first = 8 * job;
        trim(&mut ftl, [first, first + 2, first + 4]);
        assert!(ftl.collect_now(PlaneId(0)));
        let page = ftl.map().flash_copy(Lpn(first + 6)).expect("it was written back");
        goes.push(ftl.geometry().plane_of(ftl.geometry().block_of(page)).0);
    }
    assert_eq!(goes, taken(ties, 2, 4, "destination", drive.config().seed));
}

fn across(outcome: &Outcome) -> u64 {
    outcome.results.policies["interconnect"]["transfers_across"].value
}

/// Chips 0, 1, 2 and 0 again are read one after the other; a read has two transfers, and both buses of its chip are
/// free: that of the row, 0, and that of the column, 2, 3 or 4. In turn: row, 2; 3, row; 4, row; 2 (longest ago), row.
#[test]
fn a_transfer_takes_the_bus_that_the_rule_says() {
    let run = |ties: &str| {
        let drive = TestDrive::of([2, 3, 1, 1])
            .with(&[
                ("ftl.allocation.order", "DWCP"),
                ("warmup.kind", "filled"),
                ("ftl.allocation", "striping"),
            ])
            .with(&[("interconnect", "pnssd"), ("interconnect.ties", ties)]);
        let chips = [0, 1, 2, 0].into_iter().enumerate();
        let reads = chips.map(|(k, page)| at(k as u64 * 10_000, Op::Read, page, 1)).collect();
        (across(&drive.run(reads)), drive.config().seed)
    };
    assert_eq!(run("lowest").0, 0);
    assert_eq!(run("rotating").0, 4);
    let (counted, seed) = run("random");
    assert_eq!(counted, u64::from(taken("random", 2, 8, "controller", seed).iter().sum::<u32>()));
}

/// Three routers in a column, a controller at both ends, and the chip in the middle: as far from one as from the other.
/// It is written five times, one transfer each.
#[rstest]
#[case("mesh", &[("interconnect.entry", "nearest-free")])]
#[case("venice", &[])]
#[case("smartnetssd", &[])]
#[case("venice-priority", &[("interconnect.gc_controller", "shared")])]
fn a_transfer_comes_from_the_controller_that_the_rule_says(
    #[case] kind: &str,
    #[case] more: &[(&str, &str)],
    #[values("rotating", "lowest", "random")] ties: &str,
) {
    let drive = TestDrive::of([3, 1, 1, 1])
        .with(&[("ftl.allocation.order", "DWCP"), ("warmup.kind", "filled"), ("ftl.allocation", "striping")])
        .with(&[("interconnect", kind), ("interconnect.controllers", "[[0, 0], [2, 0]]")])
        .with(&[("interconnect.ties", ties)])
        .with(more);
    let results = drive.run(spaced_writes(&[1; 5])).results;
    let [first, second] = results.utilisation.per_channel[..] else { panic!("two controllers") };
    let from_second = taken(ties, 2, 5, "controller", drive.config().seed).iter().sum::<u32>();
    let share = f64::from(from_second) / 5.0;
    assert!((second / (first + second) - share).abs() < 1e-9, "{first} and {second}, {share} expected");
}

/// The drive of `static_wear.rs`: one plane of 60 blocks, of which 1 to 55 hold what is never written again. At the
/// first look, after 8 erases, no block has been erased more than 3 times oftener than they: one of them is chosen, but
/// not moved. At the second look one is moved. In turn that is block 2, because block 1 was chosen before.
#[rstest]
#[case("lowest")]
#[case("rotating")]
#[case("random")]
fn wear_levelling_moves_the_block_that_the_rule_says(#[case] ties: &str) {
    let drive = TestDrive::one_plane()
        .blocks(60, 4)
        .set("geometry.user_capacity", "896KiB")
        .set("warmup.kind", "filled")
        .set("ftl.wear.static_threshold", "3")
        .set("ftl.wear.ties", ties);
    let log = drive.run((0..=92).map(|k| at(k * 20_000, Op::Write, k % 4, 1)).collect()).gc_log.unwrap();
    let moved: Vec<u32> =
        (0..log.cause.len()).filter(|row| log.cause[*row] == 1).map(|row| log.victim_block[row]).collect();
    assert_eq!(moved, [1 + taken(ties, 55, 2, "wear", drive.config().seed)[1]]);
}
