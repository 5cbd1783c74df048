//! Which waiting operation a die takes, over every combination of waiting classes.

use crate::common::prelude::*;
use reclaim_sim::building::BuildContext;
use reclaim_sim::scheduler::Class::{Erase, GcRead, GcWrite, HostRead, HostWrite};
use reclaim_sim::scheduler::{Class, DieView, MEMBERS, Scheduler};
use reclaim_sim::settings::PolicyChoice;

fn scheduler(kind: &str, parameters: &[(&str, &str)]) -> Box<dyn Scheduler> {
    let mut choice = PolicyChoice::of(kind);
    for (key, value) in parameters {
        let value = serde_json::from_str(value).unwrap_or_else(|_| (*value).into());
        choice.parameters.insert((*key).to_owned(), value);
    }
    let config = config("gc-bypass", &[]);
    let geometry = Geometry::new(&config).unwrap();
    MEMBERS.build(&choice, &BuildContext::new(&config, &geometry)).unwrap()
}

/// Takes the class of lowest rank that waits, of equals the one that came first: for every set of waiting classes,
/// urgent or not, whoever came first.
fn takes(scheduler: &mut dyn Scheduler, rank: impl Fn(Class, bool) -> usize) {
    for gc_urgent in [false, true] {
        for arrivals in [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 5, 1, 4, 2]] {
            for set in 0..1_u32 << Class::COUNT {
                let oldest =
                    std::array::from_fn(
                        |class| {
                            if set >> class & 1 == 1 { arrivals[class] } else { u64::MAX }
                        },
                    );
                let waiting = Class::ALL.into_iter().filter(|class| oldest[*class as usize] != u64::MAX);
                let expected = waiting.min_by_key(|class| (rank(*class, gc_urgent), oldest[*class as usize]));
                let view = DieView { oldest, gc_urgent };
                assert_eq!(scheduler.pick(&view), expected, "{view:?}");
            }
        }
    }
}

const HOST_THEN_ERASE: [Class; 5] = [HostRead, HostWrite, Erase, GcWrite, GcRead];
const ERASE_THEN_HOST: [Class; 5] = [Erase, GcWrite, GcRead, HostRead, HostWrite];
const HOST_THEN_READ: [Class; 5] = [HostRead, HostWrite, GcRead, GcWrite, Erase];
const READ_THEN_HOST: [Class; 5] = [GcRead, GcWrite, Erase, HostRead, HostWrite];

#[test]
fn by_class() {
    let writes_first = r#"["host-write", "gc-write", ["host-read"], [], "gc-read", "erase"]"#;
    let writes = [HostWrite, GcWrite, HostRead, GcRead, Erase];
    for (kind, parameters, order, if_urgent) in [
        ("read-first", &[][..], HOST_THEN_ERASE, ERASE_THEN_HOST),
        ("type-first", &[], HOST_THEN_READ, READ_THEN_HOST),
        ("by-class", &[], HOST_THEN_ERASE, ERASE_THEN_HOST),
        ("by-class", &[("order", writes_first), ("urgent_order", "none")], writes, writes),
        ("by-class", &[("urgent_order", writes_first)], HOST_THEN_ERASE, writes),
        ("type-first", &[("gc_first", "always")], READ_THEN_HOST, READ_THEN_HOST),
    ] {
        takes(&mut *scheduler(kind, parameters), |class, urgent| {
            let order = if urgent { if_urgent } else { order };
            order.into_iter().position(|each| each == class).unwrap()
        });
    }
    takes(&mut *scheduler("fcfs", &[]), |_, _| 0);
    // Classes of one place go by arrival, urgent or not; those of other places before or behind them.
    let order = r#"["erase", ["host-read", "gc-write", "host-write"], "gc-read"]"#;
    let mut scheduler = scheduler("by-class", &[("order", order), ("urgent_order", "none")]);
    takes(&mut *scheduler, |class, _| match class {
        Erase => 0,
        GcRead => 2,
        _ => 1,
    });
    assert_eq!(scheduler.class_ranks(), Some([1, 1, 2, 1, 0]));
}

/// Waiting lines of channels can go by the ranks of a scheduler only where its order is the same for every operation
/// and one that a drive is given. By default by-class has host reads, host writes, erases, programs and reads of
/// collection, in that order.
#[test]
fn only_an_order_that_is_given_ranks_classes() {
    let ranks =
        ["read-first", "fcfs", "type-first", "by-class"].map(|kind| scheduler(kind, &[]).class_ranks());
    assert_eq!(ranks, [None, None, None, Some([0, 1, 4, 3, 2])]);
}

/// One plane of blocks of 4 pages, and a read a microsecond after the write that starts collection. With nine blocks
/// two are free and one is urgent: the read goes as soon as the write ends. With eight one is left, so both jobs go
/// first. The page that the first one moves takes the last free block, its erase gives one back; the second moves a
/// page into that same block and leaves two free.
#[rstest]
#[case(9, "2 blocks", 0)]
#[case(8, "1 block", 2 * (READ + WRITE + ERASE))]
fn a_read_waits_for_collection_only_where_that_is_urgent(
    #[case] blocks: u32,
    #[case] start: &str,
    #[case] jobs: u64,
) {
    let drive = TestDrive::one_plane().blocks(blocks, 4).set("geometry.user_capacity", "64KiB");
    let drive = drive.set("gc.trigger.start", start).set("gc.trigger.hard", "1 block");
    let outcome = drive.run([history(), vec![at(240_001, Op::Read, 5, 1)]].concat());
    assert_eq!(outcome.results.requests.read.max_ns, WRITE - 1_000 + jobs + READ);
    assert_eq!(outcome.gc_log.unwrap().victim_block[..2], [0, 2]);
}

/// Six reads of one page come together, and two writes a microsecond later. One read has begun before those wait; then
/// as many as the limit says go before each of them. `begun` are the operations that begin before each write.
#[rstest]
#[case(0, [6, 7], 0)]
#[case(1, [2, 4], 2)]
#[case(2, [3, 6], 2)]
#[case(4, [5, 7], 1)]
#[case(5, [6, 7], 0)]
fn a_write_that_waits_has_its_turn_after_so_many_reads(
    #[case] limit: u32,
    #[case] begun: [u64; 2],
    #[case] turns: u64,
    #[values("read-first", "type-first", "by-class")] scheduler: &str,
    #[values("shared", "independent")] plane_reads: &str,
) {
    let reads = (0..6).map(|_| at(20_000, Op::Read, 0, 1));
    let writes = [1, 2].map(|page| at(20_001, Op::Write, page, 1));
    let records = [spaced_writes(&[0])].concat().into_iter().chain(reads).chain(writes).collect();
    let drive = TestDrive::one_plane().set("scheduler", scheduler).set("flash.plane_reads", plane_reads);
    let outcome = drive.set("controller.reads_before_write", limit).run(records);
    let [first, second] = [begun[0] * READ + WRITE - 1_000, (begun[1] - 1) * READ + 2 * WRITE - 1_000];
    assert_eq!(rows(&outcome)[7..], [first, second], "{limit}");
    assert_eq!(outcome.results.flash.write_turns, turns);
}

/// Three chips on a channel. The array of a read on chip 0 is done at 75,007 ns, a write to chip 2 has the channel from
/// 74,000 to 78,103, and a write to chip 1 comes while it has. Who goes first then?
#[rstest]
#[case("reads-first", 74_500, true)]
#[case("writes-first", 74_500, false)]
#[case("writes-first", 76_000, false)]
#[case("first-come", 74_500, false)]
#[case("first-come", 76_000, true)]
#[case("collection-first", 74_500, true)]
fn the_channel_goes_to_the_class_that_goes_first(
    #[case] scheme: &str,
    #[case] write_ns: u64,
    #[case] read_first: bool,
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
    let schemes = vec![scheme.to_owned()];
    let config = load(&LoadRequest { device: "gc-bypass".to_owned(), schemes, set: owned(&set) }).unwrap();
    let records = vec![at(0, Op::Read, 0, 1), at(74, Op::Write, 2, 1), at_ns(write_ns, Op::Write, 1)];
    let found = run_rows(&config, records);
    let (read, write) = if read_first { (DATA, DATA) } else { (TRANSFER + DATA, 0) };
    assert_eq!([found[0], found[2]], [78_103 + read, 78_103 + write + WRITE - write_ns]);
}
