//! The controller's write buffer: who waits outside, for how long, and what the rest of the drive sees meanwhile.

use crate::common;
use crate::common::prelude::*;

// 7 cycles of 1 ns, one byte per ns, 75 us, 750 us.

/// One die of one plane, filled.
fn outcome(set: &[(&str, &str)], buffer: &str, records: Vec<Record>) -> Outcome {
    TestDrive::one_plane()
        .blocks(64, 16)
        .with(&[("geometry.spare_factor", "25%"), ("gc.trigger.start", "5%"), ("warmup.kind", "filled")])
        .with(&[("flash.cell", "SLC"), ("scheduler", "fcfs")])
        .with(set)
        .set("controller.write_buffer", buffer)
        .run(records)
}

#[test]
fn a_page_outside_changes_nothing_until_it_is_let_in() {
    // Even pages lie on one die, odd ones on the other. Two pages find room; the third, alone on its die, waits until
    // the first is programmed. A read of its page finds the old data in flash; a flush waits for it.
    let records = || {
        vec![
            at(0, Op::Write, 2, 1),
            at(1, Op::Write, 4, 1),
            at(2, Op::Write, 3, 1),
            at(3, Op::Read, 3, 1),
            at(4, Op::Flush, 0, 0),
        ]
    };
    let two_dies = [("geometry.channels", "2")];
    let bounded = outcome(&two_dies, "8KiB", records());
    let expected = [WRITE, 2 * WRITE - 1_000, 2 * WRITE - 2_000, READ, 2 * WRITE - 4_000];
    assert_eq!(common::rows(&bounded), expected);
    let buffer = &bounded.results.buffer;
    assert_eq!((buffer.capacity_pages, buffer.max_pages), (Some(2), 2));
    assert_eq!((buffer.waits, buffer.wait_ns), (1, WRITE - 2_000));
    assert_eq!(bounded.results.flash.buffer_hits, 0);
    // Its time outside is waiting behind other host operations.
    assert_eq!(parts(&bounded, 2_000)[0], WRITE - 2_000);

    // Without a bound it is in the buffer at once, and the read finds it there.
    let unbounded = outcome(&two_dies, "unlimited", records());
    let expected = [WRITE, 2 * WRITE - 1_000, WRITE, 0, 2 * WRITE - 4_000];
    assert_eq!(common::rows(&unbounded), expected);
    assert_eq!(unbounded.results.buffer.capacity_pages, None);
    assert_eq!((unbounded.results.buffer.max_pages, unbounded.results.buffer.waits), (3, 0));
    assert_eq!(unbounded.results.flash.buffer_hits, 1);
}

#[test]
fn pages_come_in_one_by_one_in_the_order_of_arrival() {
    // One page of room: a request of three pages, then one of one page, then the first page once more.
    let records = vec![at(0, Op::Write, 1, 3), at(1, Op::Write, 9, 1), at(2, Op::Write, 1, 1)];
    let run = outcome(&[], "4KiB", records);
    assert_eq!(common::rows(&run), [3 * WRITE, 4 * WRITE - 1_000, 5 * WRITE - 2_000]);
    let buffer = &run.results.buffer;
    assert_eq!((buffer.max_pages, buffer.waits), (1, 4));
    assert_eq!(buffer.wait_ns, (1 + 2 + 3 + 4) * WRITE - 1_000 - 2_000);
}

#[test]
fn a_trim_does_not_reach_a_write_that_still_waits_outside() {
    let records = vec![
        at(0, Op::Write, 1, 1),
        at(1, Op::Write, 2, 1),
        // Page 2 is not in the drive yet: the trim forgets its old copy, and the write comes after it.
        at(2, Op::Trim, 2, 1),
        at(5_000, Op::Read, 2, 1),
    ];
    let run = outcome(&[], "4KiB", records);
    assert_eq!(run.results.flash.trimmed_pages, 1);
    assert_eq!(run.results.flash.unmapped_reads, 0);
    assert_eq!(common::rows(&run)[3], READ);
}

#[test]
fn a_partial_write_keeps_its_place_while_the_rest_is_read() {
    let half = Record { time_ns: 0, offset_bytes: 4096, size_bytes: 2048, op: Op::Write, stream: 0 };
    let run = outcome(&[], "4KiB", vec![half, at(1, Op::Write, 2, 1)]);
    assert_eq!(common::rows(&run), [READ + WRITE, READ + 2 * WRITE - 1_000]);
    assert_eq!(run.results.buffer.wait_ns, READ + WRITE - 1_000);
}

/// Four writes of page 1 and one of page 2, acknowledged when they are in the buffer. The die is at work on page 2 from
/// the first instant, so that the first write of page 1 waits for its program until `WRITE`.
fn merging(set: &[(&str, &str)], buffer: &str, later: &[Record]) -> Outcome {
    let mut records: Vec<Record> = [2, 1, 1, 1].map(|page| at(0, Op::Write, page, 1)).to_vec();
    records.extend(later);
    let merges = [("controller.acknowledge", "staged"), ("controller.merge_overwrites", "true")];
    outcome(&[&merges, set].concat(), buffer, records)
}

#[test]
fn a_page_replaces_an_older_one_that_waits_for_its_program() {
    let programs = |outcome: &Outcome| outcome.results.flash.host_programs;
    let plain = merging(&[("controller.merge_overwrites", "false")], "unlimited", &[]);
    assert_eq!((programs(&plain), plain.results.buffer.max_pages), (4, 4));
    let merged = merging(&[], "unlimited", &[]);
    assert_eq!((programs(&merged), merged.results.buffer.max_pages), (2, 2));
    assert_eq!(common::rows(&merged), [0, 0, 0, 0]);
    // What comes when the program has its page comes too late.
    let late = at(800, Op::Write, 1, 1);
    assert_eq!(programs(&merging(&[], "unlimited", &[late])), 3);
    // A part of a page is merged with a whole one.
    let part = Record { size_bytes: 512, ..at(100, Op::Write, 1, 1) };
    assert_eq!(programs(&merging(&[], "unlimited", &[part])), 2);
    // A page that a trim has forgotten is no version to replace.
    let trimmed = [at(100, Op::Trim, 1, 1), at(200, Op::Write, 1, 1)];
    assert_eq!(programs(&merging(&[], "unlimited", &trimmed)), 3);
}

/// Two pages fill the buffer; the others wait outside until the first program has ended. That makes room for one, and
/// then neither takes any.
#[test]
fn merged_pages_wait_outside_but_take_no_room() {
    let merged = merging(&[], "8KiB", &[]);
    assert_eq!(common::rows(&merged), [0, WRITE, WRITE, 0]);
    assert_eq!((merged.results.buffer.max_pages, merged.results.buffer.waits), (2, 2));
    assert_eq!(merged.results.flash.host_programs, 2);
}

/// A part of a page that waits for its rest is no whole version: nothing is merged with it.
#[test]
fn nothing_is_merged_with_part_of_a_page() {
    let parts = [1, 1].map(|page| Record { size_bytes: 512, ..at(0, Op::Write, page, 1) }).to_vec();
    let set = [("controller.acknowledge", "staged"), ("controller.merge_overwrites", "true")];
    let merged = outcome(&set, "unlimited", parts);
    assert_eq!(merged.results.flash.host_programs, 2);
}

/// Pages that are assigned on arrival have theirs at once: it is too late to replace what they hold.
#[test]
fn nothing_is_merged_with_a_write_that_has_its_page_on_arrival() {
    let merged = merging(&[("ftl.assign_pages", "on-arrival")], "unlimited", &[]);
    assert_eq!((merged.results.flash.host_programs, merged.results.buffer.max_pages), (4, 4));
}
