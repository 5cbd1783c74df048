//! Which operations of a die's planes share a multi-plane operation, and how long that takes.

use crate::common::prelude::*;

/// One die of two planes, filled: page k lies in plane k % 2, block k / 8, page k / 2 % 4 of it.
fn two_planes(rule: &str, more: &[(&str, &str)], records: Vec<Record>) -> Outcome {
    let set = [("geometry.planes_per_die", "2"), ("flash.multi_plane", rule), ("warmup.kind", "filled")];
    TestDrive::one_plane().with(&[&set, more].concat()).run(records)
}

/// A read holds the die while three others come: of page number 1 in plane 0, then of 0 and of 1 in plane 1.
#[rstest]
#[case::one_at_a_time("off", [2 * READ, 3 * READ, 4 * READ], 0)]
// The head of plane 1 has another number, so all go alone.
#[case::heads_only("same-page", [2 * READ, 3 * READ, 4 * READ], 0)]
// The second of plane 1 is found behind its head.
#[case::out_of_turn("same-page-anywhere", [READ + PAIR, READ + PAIR + DATA + READ, READ + PAIR + DATA], 1)]
// The heads share an operation whatever their numbers.
#[case::any("any-page", [READ + PAIR, READ + PAIR + DATA, READ + PAIR + DATA + READ], 1)]
fn reads(#[case] rule: &str, #[case] ends: [u64; 3], #[case] together: u64) {
    let later = |time_ns: u64, page: u64| at_ns(time_ns, Op::Read, page);
    let records = vec![at(0, Op::Read, 8, 1), later(1_000, 2), later(2_000, 1), later(3_000, 3)];
    let outcome = two_planes(rule, &[], records);
    let expected = [READ, ends[0] - 1_000, ends[1] - 2_000, ends[2] - 3_000];
    assert_eq!(rows(&outcome), expected);
    assert_eq!(outcome.results.flash.multi_plane_operations, together);
}

/// Two commands, one array time, the data of the first.
const PAIR: u64 = 2 * COMMAND + T_R + DATA;

/// A read holds the die while two writes come, one for each plane, both for the same page of a fresh block.
#[rstest]
#[case("off", [READ + WRITE, READ + 2 * WRITE], 0)]
#[case("same-page", [READ + 2 * (COMMAND + DATA) + T_PROG; 2], 1)]
#[case("same-page-anywhere", [READ + 2 * (COMMAND + DATA) + T_PROG; 2], 1)]
#[case("any-page", [READ + 2 * (COMMAND + DATA) + T_PROG; 2], 1)]
fn programs(#[case] rule: &str, #[case] ends: [u64; 2], #[case] together: u64) {
    let records = vec![at(0, Op::Read, 8, 1), at(1, Op::Write, 0, 1), at(2, Op::Write, 1, 1)];
    let outcome = two_planes(rule, &[], records);
    assert_eq!(rows(&outcome), [READ, ends[0] - 1_000, ends[1] - 2_000]);
    assert_eq!(outcome.results.flash.multi_plane_operations, together);
}

/// Numbers differ, and with them levels: any pages take as long as the slowest; commands of the further plane their own
/// time.
#[test]
fn a_multi_plane_operation_takes_as_long_as_its_slowest_page() {
    let more = [
        ("flash.cell", "MLC"),
        ("flash.t_read", r#"["50us", "100us"]"#),
        ("channel.commands.read_further_plane", "3ns"),
    ];
    // Number 0 in plane 0 and number 1 in plane 1, behind a read of number 0.
    let records = vec![at(0, Op::Read, 8, 1), at(1, Op::Read, 0, 1), at(2, Op::Read, 3, 1)];
    let first = COMMAND + 50_000 + DATA;
    let both = first + COMMAND + 3 + 100_000 + DATA;
    let outcome = two_planes("any-page", &more, records);
    assert_eq!(rows(&outcome), [first, both - 1_000, both + DATA - 2_000]);
    // Waiting for the data of the other is waiting behind the host.
    assert_eq!(parts(&outcome, 2_000), [first - 2_000 + DATA, 0, COMMAND + 3 + DATA, 100_000]);
}

/// Dies of a chip that do not overlap are one LUN, but only planes of one die share an operation: planes 0 and 1 do, 2
/// does not.
#[test]
fn only_planes_of_one_die_share_an_operation() {
    let more = [("geometry.dies_per_chip", "2"), ("flash.dies_overlap", "false")];
    // Striped over dies first: page k lies in die k % 2, plane k / 2 % 2.
    let records = vec![
        at(0, Op::Read, 16, 1),
        at(1, Op::Read, 0, 1),
        at_ns(2_000, Op::Read, 1),
        at_ns(3_000, Op::Read, 2),
    ];
    let outcome = two_planes("any-page", &more, records);
    // Page 2 is in the other plane of page 0's die, page 1 in the other die.
    let expected = [READ, READ + PAIR - 1_000, READ + PAIR + DATA + READ - 2_000, READ + PAIR + DATA - 3_000];
    assert_eq!(rows(&outcome), expected);
}
