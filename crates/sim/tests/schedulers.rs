//! Which waiting operation a die takes, over every combination of waiting classes.

mod common;

use common::{TestDrive, at, spaced_writes};
use reclaim_sim::building::BuildContext;
use reclaim_sim::flash::Geometry;
use reclaim_sim::scheduler::Class::{Erase, GcRead, GcWrite, HostRead, HostWrite};
use reclaim_sim::scheduler::{Class, DieView, MEMBERS, Scheduler};
use reclaim_sim::settings::PolicyChoice;
use reclaim_trace::{Op, Record};
use rstest::rstest;

fn scheduler(kind: &str, parameters: &[(&str, &str)]) -> Box<dyn Scheduler> {
    let mut choice = PolicyChoice::of(kind);
    for (key, value) in parameters {
        choice.parameters.insert((*key).to_owned(), (*value).into());
    }
    let config = common::config("gc-bypass", &[]);
    let geometry = Geometry::new(&config).unwrap();
    MEMBERS.build(&choice, &BuildContext::new(&config, &geometry)).unwrap()
}

/// Every set of classes that wait, and the arrival numbers of their oldest operations.
fn every_view(arrivals: [u64; Class::COUNT], gc_urgent: bool) -> Vec<DieView> {
    let waiting =
        |set: u32| move |class: usize| if set >> class & 1 == 1 { arrivals[class] } else { u64::MAX };
    (0..1 << Class::COUNT)
        .map(|set| DieView { oldest: std::array::from_fn(waiting(set)), gc_urgent })
        .collect()
}

const HOST_THEN_ERASE: [Class; 5] = [HostRead, HostWrite, Erase, GcWrite, GcRead];
const ERASE_THEN_HOST: [Class; 5] = [Erase, GcWrite, GcRead, HostRead, HostWrite];
const HOST_THEN_READ: [Class; 5] = [HostRead, HostWrite, GcRead, GcWrite, Erase];
const READ_THEN_HOST: [Class; 5] = [GcRead, GcWrite, Erase, HostRead, HostWrite];

#[rstest]
#[case::read_first("read-first", &[], HOST_THEN_ERASE, ERASE_THEN_HOST)]
#[case::type_first("type-first", &[], HOST_THEN_READ, READ_THEN_HOST)]
#[case::type_first_always("type-first", &[("gc_first", "always")], READ_THEN_HOST, READ_THEN_HOST)]
fn by_class(
    #[case] kind: &str,
    #[case] parameters: &[(&str, &str)],
    #[case] order: [Class; 5],
    #[case] order_if_urgent: [Class; 5],
) {
    let mut scheduler = scheduler(kind, parameters);
    assert!(!scheduler.may_idle());
    for (gc_urgent, order) in [(false, order), (true, order_if_urgent)] {
        // Who came first makes no difference.
        for arrivals in [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]] {
            for view in every_view(arrivals, gc_urgent) {
                let expected = order.into_iter().find(|class| view.oldest[*class as usize] != u64::MAX);
                assert_eq!(scheduler.pick(&view), expected, "{view:?}");
            }
        }
    }
}

#[test]
fn by_arrival() {
    let mut scheduler = scheduler("fcfs", &[]);
    for gc_urgent in [false, true] {
        for arrivals in [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 5, 1, 4, 2]] {
            for view in every_view(arrivals, gc_urgent) {
                let first = view.oldest.iter().min().filter(|oldest| **oldest != u64::MAX);
                let expected = first
                    .map(|first| Class::ALL[view.oldest.iter().position(|oldest| oldest == first).unwrap()]);
                assert_eq!(scheduler.pick(&view), expected, "{view:?}");
            }
        }
    }
}

const READ: u64 = 7 + 75_000 + 4096;
const WRITE: u64 = 7 + 4096 + 750_000;
const ERASE: u64 = 5 + 3_800_000;

/// One plane of blocks of 4 pages; 16 pages are written in order, then nine of them again. The ninth opens block 6 and
/// starts collection: of block 0 for page 3, then of block 2 for page 9. A read comes a microsecond after it.
fn read_after_the_trigger(blocks: u32, start: &str) -> u64 {
    let pages: Vec<u64> = (0..16).chain([0, 1, 2, 4, 6, 8, 10, 11, 13]).collect();
    let mut records = spaced_writes(&pages);
    let trigger = records[24].time_ns;
    records.push(Record { time_ns: trigger + 1_000, ..at(0, Op::Read, 5, 1) });
    let drive = TestDrive::one_plane().blocks(blocks, 4).set("geometry.user_capacity", "64KiB");
    let outcome = drive.set("gc.trigger.start", start).set("gc.trigger.hard", "1 block").run(records);
    assert_eq!(outcome.gc_log.unwrap().victim_block[..2], [0, 2]);
    outcome.results.requests.read.max_ns
}

#[test]
fn a_read_waits_for_collection_only_where_that_is_urgent() {
    // Two free blocks are left and one is urgent: the read goes as soon as the write ends.
    assert_eq!(read_after_the_trigger(9, "2 blocks"), WRITE - 1_000 + READ);
    // One is left, so both jobs go first. The page that the first one moves takes the last free block, its erase gives
    // one back; the second moves a page into that same block and leaves two free.
    let jobs = 2 * (READ + WRITE + ERASE);
    assert_eq!(read_after_the_trigger(8, "1 block"), WRITE - 1_000 + jobs + READ);
}
