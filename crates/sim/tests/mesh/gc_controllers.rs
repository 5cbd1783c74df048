//! Controllers of the collector's own: what comes from where, and who is in whose way, to the nanosecond.

use super::{COMMAND, DATA, HOP, T_PROG, T_R, drive};
use crate::common::{at, spaced_writes};
use reclaim_sim::Outcome;
use reclaim_trace::{Op, Record};
use rstest::rstest;

/// Chips in a row, the host's controller at the first. The ninth of these writes to a chip has a job begun there, which
/// moves one page and erases the block when the write is done; another one does the same after it.
const WRITES: [u64; 9] = [0, 1, 2, 4, 6, 8, 10, 11, 13];
const T_ERASE: u64 = 3_800_000;
const ERASE: u64 = 5;

fn row_of(chips: u64, gc_controllers: &str, collected: u64, more: &[Record]) -> Outcome {
    let set = [
        ("geometry.blocks_per_plane", "8"),
        ("interconnect.controllers", "[[0, 0]]"),
        ("interconnect.gc_controllers", gc_controllers),
    ];
    let mut records = spaced_writes(&WRITES.map(|page| chips * page + collected));
    records.extend(more);
    drive([1, chips as u32, 1, 1], &set).run(records)
}

/// When the ninth write to a chip so many hops from the host's controller is done and the job gets its first read.
fn first_read(hops: u64) -> u64 {
    8 * 10_000_000 + COMMAND + DATA + hops * HOP + T_PROG
}

#[rstest]
#[case("[[0, 2]]", 2)]
#[case("[[0, 1]]", 1)]
// The nearer of two.
#[case("[[0, 3], [0, 1]]", 1)]
// None: it comes from where the host's do.
#[case("[]", 0)]
fn collection_comes_from_its_own_controllers(#[case] gc_controllers: &str, #[case] hops: u64) {
    let outcome = row_of(4, gc_controllers, 0, &[]);
    let log = outcome.gc_log.as_ref().expect("recorded");
    let way = hops * HOP;
    let moved = COMMAND + way + T_R + DATA + way + COMMAND + DATA + way + T_PROG;
    assert_eq!(log.end_ns[0], first_read(0) + moved + ERASE + way + T_ERASE);
    let latencies = super::latencies(&outcome);
    assert!(latencies.iter().all(|latency| *latency == COMMAND + DATA + T_PROG), "{latencies:?}");
    let controllers = 1 + gc_controllers.matches('[').count() - 1;
    assert_eq!(outcome.results.utilisation.per_channel.len(), controllers);
}

fn read_beside(chips: u64, gc_controllers: &str, collected: u64, hops: u64, after: u64) -> [u64; 4] {
    let came = first_read(hops) + after;
    let read = Record { time_ns: came, ..at(0, Op::Read, 1, 1) };
    let outcome = row_of(chips, gc_controllers, collected, &[read]);
    let table = outcome.requests.as_ref().unwrap();
    let row = (0..table.op.len()).find(|row| table.arrival_ns[*row] == came).unwrap();
    [table.queue_ns[row], table.gc_ns[row], table.transfer_ns[row], table.array_ns[row]]
}

/// Two chips, the collector's controller at the second: a page of the first goes over the only link, on which the
/// host's read of the second waits. Data from 75,017 to 79,123, the program behind it until 83,236.
#[rstest]
#[case(76_000, 83_236 - 76_000)]
#[case(80_000, 3_236)]
#[case(90_000, 0)]
fn a_link_that_the_collector_has_is_waited_for_on_its_account(#[case] after: u64, #[case] waited: u64) {
    let parts = read_beside(2, "[[0, 1]]", 0, 0, after);
    assert_eq!(parts, [0, waited, COMMAND + DATA + 2 * HOP, T_R]);
}

/// The last of three chips is collected from where it is: the read of the one in between meets nobody, though from one
/// controller it would wait.
#[rstest]
#[case("[[0, 2]]", 0)]
#[case("[]", 79_103 + 4 * HOP + COMMAND + DATA + 2 * HOP - 76_000)]
fn the_collector_goes_past_the_host(#[case] gc_controllers: &str, #[case] waited: u64) {
    let parts = read_beside(3, gc_controllers, 2, 2, 76_000);
    assert_eq!(parts, [0, waited, COMMAND + DATA + 2 * HOP, T_R]);
}
