//! Controllers of the collector's own: what comes from where, and who is in whose way, to the nanosecond.

use super::drive;
use crate::common::prelude::*;

const T_ERASE: u64 = 3_800_000;

/// Chips in a row, the host's controller at the first. Nine writes to a chip have a job begun there.
fn row_of(chips: u64, gc_controllers: &str, collected: u64, more: &[Record]) -> Outcome {
    let set = [
        ("geometry.blocks_per_plane", "8"),
        ("interconnect.controllers", "[[0, 0]]"),
        ("interconnect.gc_controllers", gc_controllers),
    ];
    let mut records = spaced_writes(&NINE.map(|page| chips * page + collected));
    records.extend(more);
    drive([1, chips as u32, 1, 1], &set).run(records)
}

#[rstest]
#[case("[[0, 2]]", 2, 1)]
#[case("[[0, 1]]", 1, 1)]
// The nearer of two.
#[case("[[0, 3], [0, 1]]", 1, 2)]
// None: it comes from where the host's do.
#[case("[]", 0, 0)]
fn collection_comes_from_its_own_controllers(
    #[case] gc_controllers: &str,
    #[case] hops: u64,
    #[case] further: usize,
) {
    let outcome = row_of(4, gc_controllers, 0, &[]);
    let way = hops * HOP;
    let moved = COMMAND + way + T_R + DATA + way + COMMAND + DATA + way + T_PROG;
    assert_eq!(outcome.gc_log.as_ref().unwrap().end_ns[0], JOB + moved + 5 + way + T_ERASE);
    assert_eq!(rows(&outcome), [WRITE; 9]);
    assert_eq!(outcome.results.utilisation.per_channel.len(), 1 + further);
}

/// The parts of a read of the second chip so long after the job of a chip has begun, so many hops away.
fn read_beside(chips: u64, gc_controllers: &str, collected: u64, hops: u64, after: u64) -> [u64; 4] {
    let came = JOB + hops * HOP + after;
    parts(&row_of(chips, gc_controllers, collected, &[at_ns(came, Op::Read, 1)]), came)
}

/// Two chips, the collector's controller at the second: a page of the first goes over the only link, on which the
/// host's read of the second waits. Data from 75,017 to 79,123, the program behind it until 83,236.
#[rstest]
#[case(76_000, 83_236 - 76_000)]
#[case(80_000, 3_236)]
#[case(90_000, 0)]
fn a_link_that_the_collector_has_is_waited_for_on_its_account(#[case] after: u64, #[case] waited: u64) {
    assert_eq!(read_beside(2, "[[0, 1]]", 0, 0, after), [0, waited, TRANSFER + 2 * HOP, T_R]);
}

/// The last of three chips is collected from where it is: the read of the one in between meets nobody, though from one
/// controller it would wait.
#[rstest]
#[case("[[0, 2]]", 0)]
#[case("[]", 79_103 + 4 * HOP + COMMAND + DATA + 2 * HOP - 76_000)]
fn the_collector_goes_past_the_host(#[case] gc_controllers: &str, #[case] waited: u64) {
    assert_eq!(read_beside(3, gc_controllers, 2, 2, 76_000), [0, waited, TRANSFER + 2 * HOP, T_R]);
}
