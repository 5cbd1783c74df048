//! Time on the host link is a part of a request's latency of its own.

use crate::common::prelude::*;

/// Four lanes of 1 GT/s; a payload of up to 128 bytes is a packet with 28 more.
const SHORT: u64 = 8;
const ENTRY: u64 = 23;
const COMPLETION: u64 = 11;
const PAGE: u64 = 32 * (128 + 28) / 4;

#[test]
fn parts_of_one_write_and_one_read_over_an_idle_link() {
    let records = vec![at(0, Op::Write, 0, 1), at(10_000, Op::Read, 0, 1)];
    let outcome = TestDrive::one_plane().set("host.link.lanes", 4).run(records);
    let table = outcome.requests.as_ref().unwrap();
    // Doorbell, fetch of the entry and the entry; for the write fetch of the data and the data; the completion.
    let write_link = SHORT + SHORT + ENTRY + SHORT + PAGE + COMPLETION;
    // The read's data goes up before its completion.
    let read_link = SHORT + SHORT + ENTRY + PAGE + COMPLETION;
    assert_eq!(table.link_ns, [write_link, read_link]);
    assert_eq!(table.transfer_ns, [TRANSFER, TRANSFER]);
    assert_eq!(table.array_ns, [750_000, 75_000]);
    assert_eq!((&table.queue_ns[..], &table.gc_ns[..]), (&[0, 0][..], &[0, 0][..]));
    assert_eq!(outcome.results.requests.read.breakdown.link_ns, read_link as f64);
    assert_eq!(outcome.results.requests.write.breakdown.link_ns, write_link as f64);
}

#[test]
fn a_drive_without_a_link_has_no_time_on_it() {
    let outcome = TestDrive::one_plane().run(vec![at(0, Op::Write, 0, 1)]);
    assert_eq!(outcome.requests.unwrap().link_ns, [0]);
}
