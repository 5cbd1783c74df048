//! Which waiting operation a die takes, over every combination of waiting classes.

use crate::common;
use crate::common::{TestDrive, at, spaced_writes};
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
        let value = serde_json::from_str(value).unwrap_or_else(|_| (*value).into());
        choice.parameters.insert((*key).to_owned(), value);
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

const WRITES_FIRST: &str = r#"["host-write", "gc-write", ["host-read"], [], "gc-read", "erase"]"#;

#[rstest]
#[case::read_first("read-first", &[], HOST_THEN_ERASE, ERASE_THEN_HOST)]
#[case::type_first("type-first", &[], HOST_THEN_READ, READ_THEN_HOST)]
#[case::by_class("by-class", &[], HOST_THEN_ERASE, ERASE_THEN_HOST)]
#[case::by_class_never_urgent(
    "by-class",
    &[("order", WRITES_FIRST), ("urgent_order", "none")],
    [HostWrite, GcWrite, HostRead, GcRead, Erase],
    [HostWrite, GcWrite, HostRead, GcRead, Erase]
)]
#[case::by_class_urgent(
    "by-class",
    &[("urgent_order", WRITES_FIRST)],
    HOST_THEN_ERASE,
    [HostWrite, GcWrite, HostRead, GcRead, Erase]
)]
#[case::type_first_always("type-first", &[("gc_first", "always")], READ_THEN_HOST, READ_THEN_HOST)]
fn by_class(
    #[case] kind: &str,
    #[case] parameters: &[(&str, &str)],
    #[case] order: [Class; 5],
    #[case] order_if_urgent: [Class; 5],
) {
    let mut scheduler = scheduler(kind, parameters);
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

/// Waiting lines of channels can go by the ranks of a scheduler only where its order is the same for every operation
/// and one that a drive is given. By default by-class has host reads, host writes, erases, programs and reads of
/// collection, in that order.
#[rstest]
#[case("read-first", None)]
#[case("fcfs", None)]
#[case("type-first", None)]
#[case("by-class", Some([0, 1, 4, 3, 2]))]
fn only_an_order_that_is_given_ranks_classes(
    #[case] kind: &str,
    #[case] expected: Option<[u8; Class::COUNT]>,
) {
    assert_eq!(scheduler(kind, &[]).class_ranks(), expected);
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

/// Classes of one place go by arrival, urgent or not; those of other places before or behind them.
#[test]
fn classes_of_one_place_go_by_arrival() {
    let order = r#"["erase", ["host-read", "gc-write", "host-write"], "gc-read"]"#;
    let mut scheduler = scheduler("by-class", &[("order", order), ("urgent_order", "none")]);
    for gc_urgent in [false, true] {
        for arrivals in [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 5, 1, 4, 2]] {
            for view in every_view(arrivals, gc_urgent) {
                let oldest = |class: Class| view.oldest[class as usize];
                let equal = [HostRead, GcWrite, HostWrite].into_iter().min_by_key(|class| oldest(*class));
                let expected = [Some(Erase), equal, Some(GcRead)]
                    .into_iter()
                    .flatten()
                    .find(|class| oldest(*class) != u64::MAX);
                assert_eq!(scheduler.pick(&view), expected, "{view:?}");
            }
        }
    }
    assert_eq!(scheduler.class_ranks(), Some([1, 1, 2, 1, 0]));
}

#[rstest]
#[case("order", "[\"host-read\"]", "order: \"host-write\" is missing")]
#[case("order", "\"host-read\"", "order: must be a list of host-read, host-write, gc-read, gc-write, erase")]
#[case(
    "order",
    "[\"host-raed\", \"host-write\", \"gc-read\", \"gc-write\", \"erase\"]",
    "order: \"host-raed\" is unknown; valid: host-read, host-write, gc-read, gc-write, erase; did you mean \
     \"host-read\"?"
)]
#[case("order", "[\"erase\", [\"erase\"]]", "order: \"erase\" is given twice")]
#[case("order", "[1]", "order: 1 is no class; valid: host-read")]
#[case("urgent_order", "never", "urgent_order: must be a list of classes as order is, or \"none\"")]
fn orders_that_are_refused(#[case] key: &str, #[case] value: &str, #[case] message: &str) {
    let set = [("scheduler.kind", "by-class"), (&format!("scheduler.{key}"), value)];
    let set = set.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    let request =
        reclaim_sim::config::LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set };
    let error = reclaim_sim::config::load(&request).unwrap_err().to_string();
    assert!(error.contains(message), "{error}");
}

#[test]
fn lines_by_class_need_a_scheduler_by_class() {
    let set = vec![("channel.order".to_owned(), "by-class".to_owned())];
    let request =
        reclaim_sim::config::LoadRequest { device: "gc-bypass".to_owned(), schemes: Vec::new(), set };
    let error = reclaim_sim::config::load(&request).unwrap_err().to_string();
    assert!(error.contains("use scheduler = { kind = \"by-class\" }"), "{error}");
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

/// Three chips on a channel. The array of a read on chip 0 is done at 75,007 ns, a write to chip 2 has the channel from
/// 74,000 to 78,103, and a write to chip 1 comes while it has. Who goes first then?
#[rstest]
#[case("reads-first", 74_500, [78_103 + 4_096, 78_103 + 4_096 + WRITE - 74_500])]
#[case("writes-first", 74_500, [78_103 + 7 + 4_096 + 4_096, 78_103 + WRITE - 74_500])]
#[case("writes-first", 76_000, [78_103 + 7 + 4_096 + 4_096, 78_103 + WRITE - 76_000])]
#[case("first-come", 74_500, [78_103 + 7 + 4_096 + 4_096, 78_103 + WRITE - 74_500])]
#[case("first-come", 76_000, [78_103 + 4_096, 78_103 + 4_096 + WRITE - 76_000])]
#[case("collection-first", 74_500, [78_103 + 4_096, 78_103 + 4_096 + WRITE - 74_500])]
fn the_channel_goes_to_the_class_that_goes_first(
    #[case] scheme: &str,
    #[case] write_ns: u64,
    #[case] expected: [u64; 2],
) {
    let set = [
        ("geometry.channels", "1"),
        ("geometry.chips_per_channel", "3"),
        ("geometry.planes_per_die", "1"),
        ("geometry.blocks_per_plane", "16"),
        ("geometry.pages_per_block", "4"),
        ("geometry.spare_factor", "60%"),
        ("gc.trigger.start", "1 block"),
        ("ftl.allocation", "striping"),
        ("warmup.kind", "filled"),
    ];
    let set = set.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    let request = reclaim_sim::config::LoadRequest {
        device: "gc-bypass".to_owned(),
        schemes: vec![scheme.to_owned()],
        set,
    };
    let config = reclaim_sim::config::load(&request).unwrap();
    let records = vec![
        at(0, Op::Read, 0, 1),
        at(74, Op::Write, 2, 1),
        Record { time_ns: write_ns, ..at(0, Op::Write, 1, 1) },
    ];
    let trace = reclaim_trace::Trace::from_records("three", records);
    let options =
        reclaim_sim::RunOptions { audit: true, record_requests: true, ..reclaim_sim::RunOptions::default() };
    let go_on = &mut |_: &_| std::ops::ControlFlow::Continue(());
    let rows = reclaim_sim::simulate(&config, &trace, &options, go_on).unwrap().requests.unwrap();
    let latency = |arrival: u64| {
        let row = rows.arrival_ns.iter().position(|each| *each == arrival).unwrap();
        rows.completion_ns[row] - arrival
    };
    assert_eq!([latency(0), latency(write_ns)], expected);
}
