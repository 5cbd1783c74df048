//! The preset `mqsim-mirror` against latencies that MQSim itself gave, to the nanosecond: MQSim of 2022-10-05 (commit
//! 7ec40e3) with its known defects repaired, 4 channels x 8 chips x 2 dies x 2 planes, 333 MT/s.

use crate::common::prelude::*;

/// CWDP: page number to place.
const CHANNEL: u64 = 1;
const CHIP: u64 = 4;
const DIE: u64 = 32;
const PLANE: u64 = 64;

fn sectors(time_ns: u64, op: Op, page: u64, first: u64, count: u64) -> Record {
    Record { time_ns, offset_bytes: page * 4096 + first * 512, size_bytes: count * 512, op, stream: 0 }
}

/// Latencies, in the order of arrival and address.
fn latencies(kind: &str, records: Vec<Record>) -> Vec<u64> {
    run_rows(&config("mqsim-mirror-mini", &[("warmup.kind", kind)]), records)
}

#[rstest]
#[case::read(Op::Read, 8, 88_898)]
#[case::write(Op::Write, 8, 763_957)]
#[case::read_of_a_sector(Op::Read, 1, 77_054)]
#[case::write_of_a_sector_over_a_full_page(Op::Write, 1, 838_175)]
fn alone(#[case] op: Op, #[case] count: u64, #[case] expected: u64) {
    assert_eq!(latencies("filled", vec![sectors(0, op, 0, 0, count)]), [expected]);
}

#[rstest]
#[case::reads_in_different_dies_of_a_chip(Op::Read, DIE, [88_898, 176_496])]
#[case::writes_in_different_dies_of_a_chip(Op::Write, DIE, [763_974, 1_526_623])]
#[case::reads_in_different_planes_of_a_die(Op::Read, PLANE, [88_898, 176_496])]
#[case::writes_in_different_planes_of_a_die(Op::Write, PLANE, [763_974, 1_526_623])]
#[case::reads_in_different_chips_of_a_channel(Op::Read, CHIP, [88_898, 101_186])]
#[case::writes_in_different_chips_of_a_channel(Op::Write, CHIP, [763_974, 776_623])]
#[case::reads_on_different_channels(Op::Read, CHANNEL, [88_898, 90_157])]
fn two_at_the_same_instant(#[case] op: Op, #[case] apart: u64, #[case] expected: [u64; 2]) {
    let records = vec![sectors(0, op, 0, 0, 8), sectors(0, op, apart, 0, 8)];
    assert_eq!(latencies("filled", records), expected);
}

#[rstest]
#[case::same_die(PLANE)]
#[case::other_die_of_the_chip(DIE)]
fn a_read_waits_for_the_program_of_its_chip(#[case] apart: u64) {
    let records = vec![sectors(0, Op::Write, 0, 0, 8), sectors(100_000, Op::Read, apart, 0, 8)];
    assert_eq!(latencies("filled", records)[1], 752_803);
}

/// One request of 512 KiB: a page of every plane.
#[test]
fn a_request_over_all_planes() {
    assert_eq!(latencies("filled", vec![sectors(0, Op::Read, 0, 0, 1024)]), [704_932]);
    // Two multi-plane programs on every chip.
    assert_eq!(latencies("empty", vec![sectors(0, Op::Write, 0, 0, 1024)]), [1_891_581]);
    // MQSim's 2,654,230 belongs to a drive on which one plane of the last chip of a channel is a page ahead of its
    // partner, so that this chip needs three operations.
    let ahead = sectors(0, Op::Write, 7 * CHIP, 0, 8);
    let whole = sectors(10_000_000, Op::Write, 0, 0, 1024);
    assert_eq!(latencies("empty", vec![ahead, whole])[1], 2_654_230);
}
