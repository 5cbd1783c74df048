//! Circuits that rest between the pages written back to a chip, and who removes them: the network by itself, against
//! sequences worked out by hand (`docs/model.md`, 12.22a).

use crate::common::prelude::*;
use reclaim_sim::building::BuildContext;
use reclaim_sim::ids::{DieId, JobId};
use reclaim_sim::interconnect::{Busy, Direction, Interconnect, Lease, MEMBERS, Priority, Transfer};
use reclaim_sim::time::{Nanos, SimTime};

const BUSY: Result<Lease, Busy> = Err(Busy { until: None });

/// A row of four chips, the host's controller at the left end, the collector's at the right one.
fn row(set: &[(&str, &str)]) -> Box<dyn Interconnect> {
    let with = [&[("interconnect", "venice-priority"), ("interconnect.hop", "10ns")], set].concat();
    let config = TestDrive::of([1, 4, 1, 1]).with(&with).config();
    let context = BuildContext::new(&config, &Geometry::new(&config).unwrap());
    MEMBERS.build_checked(&config.interconnect, &context)
}

fn of_host(die: u32) -> Transfer {
    Transfer::new(DieId(die), false, Direction::ToFlash, JobId::NONE)
}

/// A page that is written back, with others to follow.
fn low(die: u32) -> Transfer {
    Transfer {
        priority: Priority::Low,
        keeps_circuit: true,
        ..Transfer::new(DieId(die), true, Direction::ToFlash, JobId::NONE)
    }
}

/// Takes a circuit for a transfer of so many ns, which must be free.
fn carry(network: &mut dyn Interconnect, now: u64, transfer: &Transfer, length: u64) -> u64 {
    let lease = network.reserve(SimTime(now), transfer).expect("free");
    network.send(SimTime(now), lease, transfer, Nanos(length)).0
}

fn count(network: &dyn Interconnect, name: &str) -> u64 {
    network.metrics().iter().find(|reading| reading.metric.name == name).unwrap().count
}

fn links(network: &dyn Interconnect, now: u64) -> u64 {
    let (reserved, released) = network.links().unwrap().reserved(SimTime(now));
    reserved - released
}

fn until(at: u64) -> Result<Lease, Busy> {
    Err(Busy { until: Some(SimTime(at)) })
}

#[test]
fn what_follows_to_the_same_chip_goes_on_over_the_circuit_that_rests_there() {
    let mut row = row(&[]);
    // Two links from the right end.
    assert_eq!(carry(&mut *row, 0, &low(1), 100), 100 + 2 * HOP);
    assert_eq!(row.reserve(SimTime(50), &low(1)), until(120), "in use");
    assert_eq!(row.reserve(SimTime(130), &low(2)), BUSY, "the collector's controller is kept");
    assert_eq!(links(&*row, 130), 2);
    assert_eq!(carry(&mut *row, 200, &low(1), 100), 320);
    assert_eq!(["circuits_resumed", "scouts_sent", "preemptions"].map(|name| count(&*row, name)), [1, 1, 0]);
    assert!(row.keeping().unwrap().end_hold(SimTime(330), DieId(1)), "it rested");
    assert_eq!(links(&*row, 330), 0);
    assert!(!row.keeping().unwrap().end_hold(SimTime(330), DieId(1)), "nothing rests any more");
    // The last one: nothing follows, which is known before its end.
    assert_eq!(carry(&mut *row, 400, &low(2), 100), 510);
    assert!(!row.keeping().unwrap().end_hold(SimTime(450), DieId(2)), "in use");
    assert_eq!(links(&*row, 510), 0);
    assert_eq!(carry(&mut *row, 510, &low(1), 100), 630);
}

#[test]
fn who_matters_more_removes_the_whole_circuit_that_rests_on_one_of_his_links_or_at_his_chip() {
    let mut row = row(&[]);
    // All three links.
    assert_eq!(carry(&mut *row, 0, &low(0), 100), 130);
    assert_eq!(row.reserve(SimTime(50), &of_host(1)), until(130), "what is in use is never taken away");
    assert_eq!(count(&*row, "preemptions"), 0);
    assert_eq!(carry(&mut *row, 200, &of_host(1), 100), 310);
    assert_eq!((count(&*row, "preemptions"), links(&*row, 250)), (1, 1), "the other two links are free, too");
    assert_eq!(carry(&mut *row, 210, &low(3), 50), 260, "and the controller");
    // A read for collection takes the controller from what rests there; the host the port of its chip.
    let read = Transfer::new(DieId(2), true, Direction::FromFlash, JobId(0));
    assert_eq!(carry(&mut *row, 400, &read, 100), 510);
    assert_eq!(count(&*row, "preemptions"), 2);
    assert_eq!(carry(&mut *row, 600, &low(1), 100), 720);
    assert_eq!(carry(&mut *row, 800, &of_host(1), 100), 910);
    assert_eq!((count(&*row, "preemptions"), links(&*row, 1000)), (3, 0));
}

/// Both ends belong to everybody: a page for chip 0 from the right end needs the link that a circuit to chip 1 from the
/// left end keeps.
#[rstest]
#[case::three_times("3", 3)]
#[case::once("1", 1)]
fn a_write_goes_before_what_rests_once_it_has_failed_often_enough(
    #[case] after: &str,
    #[case] failures: u64,
) {
    let mut row = row(&[
        ("interconnect.gc_controller", "shared"),
        ("interconnect.controllers", "[[0, 0], [0, 3]]"),
        ("interconnect.elevate_after", after),
    ]);
    assert_eq!(carry(&mut *row, 0, &low(1), 100), 110);
    for failure in 1..=failures {
        let now = 200 + 100 * failure;
        assert_eq!(row.reserve(SimTime(now), &low(0)), BUSY);
        assert_eq!(count(&*row, "scouts_turned"), failure);
        if failure < failures {
            assert_eq!(row.reserve(SimTime(now), &low(0)), BUSY, "nothing has changed: no scout goes");
            assert_eq!(count(&*row, "scouts_turned"), failure);
            carry(&mut *row, now + 1, &of_host(3), 10);
        }
    }
    assert_eq!(count(&*row, "elevations"), 0);
    assert_eq!(carry(&mut *row, 900, &low(0), 100), 1030);
    assert_eq!(["elevations", "preemptions"].map(|name| count(&*row, name)), [1, 1]);
    // That counts for chip 1 as a failure, and chip 0 begins anew.
    assert_eq!(row.reserve(SimTime(1100), &low(1)).is_ok(), failures == 1);
}
