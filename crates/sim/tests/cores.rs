//! The controller's cores: each has one command at a time, and whoever comes waits for the first that is done.

use crate::common::{TestDrive, at, rows};
use reclaim_trace::{Op, Record};
use rstest::rstest;

const US: u64 = 1_000;
const WRITE: u64 = 7 + 4096 + 750_000;

/// Four reads at once and one 7 us later, of pages never written: nothing else takes time.
#[rstest]
#[case::one_core(&[], [5, 10, 15, 20, 18])]
#[case::two(&[("controller.cores", "2")], [5, 5, 10, 10, 8])]
#[case::enough(&[("controller.cores", "5")], [5, 5, 5, 5, 5])]
#[case::then_a_lookup(&[("controller.cores", "2"), ("controller.lookup", "1us")], [6, 6, 11, 11, 9])]
fn commands_wait_for_a_core(#[case] more: &[(&str, &str)], #[case] expected_us: [u64; 5]) {
    let records = [0, 0, 0, 0, 7].map(|time_us| at(time_us, Op::Read, 3, 1)).to_vec();
    let outcome = TestDrive::one_plane().set("controller.command", "5us").with(more).run(records);
    assert_eq!(rows(&outcome), expected_us.map(|us| us * US));
    let table = outcome.requests.as_ref().unwrap();
    assert_eq!(table.queue_ns, expected_us.map(|us| us * US), "all of it is waiting for the controller");
}

/// A write, a trim and a flush take a core like a read: the flush is third, and then waits for the write.
#[test]
fn every_request_is_a_command() {
    let flush = Record { size_bytes: 0, ..at(0, Op::Flush, 0, 1) };
    let records = vec![at(0, Op::Write, 0, 1), at(0, Op::Trim, 5, 1), flush, at(0, Op::Read, 9, 1)];
    let outcome = TestDrive::one_plane().set("controller.command", "5us").run(records);
    let table = outcome.requests.as_ref().unwrap();
    let ended: Vec<(u8, u64)> = table.op.iter().copied().zip(table.completion_ns.iter().copied()).collect();
    let write = 5 * US + WRITE;
    assert_eq!(ended, [(2, 10 * US), (0, 20 * US), (1, write), (3, write)]);
    assert_eq!(table.queue_ns, [10 * US, 20 * US, 5 * US, 0]);
}

/// Four cores of 5 us handle 800,000 commands a second, however many are outstanding.
#[test]
fn a_full_queue_gets_what_the_cores_can_do() {
    let set = [
        ("controller.command", "5us"),
        ("controller.cores", "4"),
        ("host.mode", "closed-loop"),
        ("host.queue_depth", "64"),
    ];
    let records = (0..1_000).map(|page| at(0, Op::Read, page % 16, 1)).collect();
    let outcome = TestDrive::one_plane().with(&set).run(records);
    assert_eq!(outcome.results.simulated_ns, 1_000 / 4 * 5 * US);
}
