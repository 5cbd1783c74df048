//! What results say of small runs whose every operation is known.

use crate::common::prelude::*;

fn close(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 1e-12, "{value} instead of {expected}");
}

/// One plane of 8 blocks of 4 pages, 16 of them for the host. The 25th write starts collection: block 0 is emptied of
/// page 3, block 2 of page 9, and block 7 takes both. Two more writes come when the drive is at rest.
#[test]
fn of_collection() {
    let mut records = history();
    records.extend([at(300_000, Op::Write, 14, 1), at(310_000, Op::Write, 15, 1)]);
    let outcome = TestDrive::one_plane().with(&[("geometry.blocks_per_plane", "8")]).run(records);
    let results = &outcome.results;
    let gc = &results.gc;
    assert_eq!((gc.jobs, gc.pages_moved, gc.dropped_moves), (2, 2, 0));
    assert_eq!(gc.valid_pages_per_victim, Some(1.0));
    // 27 pages of the host and 2 moved.
    close(gc.write_amplification.unwrap(), 29.0 / 27.0);
    // Block 7 was the last free one while page 3 moved.
    assert_eq!(gc.free_blocks_low_water, 0);
    assert_eq!((gc.stalled_writes, gc.host_write_stall_ns), (0, 0));
    let flash = &results.flash;
    assert_eq!((flash.host_programs, flash.gc_programs, flash.wear_programs), (27, 2, 0));
    assert_eq!((flash.gc_reads, flash.host_reads, flash.copybacks), (2, 0, 0));
    assert_eq!((flash.erases, flash.wear_erases), (2, 0));
    // A window of so short a run is a page. The 26th ends with page 26 and holds the moves before it.
    let mut windows = [1.0; 27];
    windows[25] = 3.0;
    assert_eq!(results.windows.write_amplification, windows);
    assert_eq!(results.windows.host_pages, (1..=27).collect::<Vec<u64>>());
    // Two blocks of four pages were reclaimed, 29 pages programmed.
    assert_eq!(results.windows.free_pages_gained[26], 8 - 29);
    assert_eq!(results.drift.free_pages_gained, 8 - 29);
    close(results.drift.capacities_written, 27.0 / 16.0);
    // Two of eight blocks were erased once: variance 1/4 * 3/4.
    let wear = &results.wear;
    assert_eq!((wear.min_erases, wear.max_erases, wear.mean_erases), (0, 1, 0.25));
    close(wear.stddev_erases, (0.25_f64 * 0.75).sqrt());
    // The last write ends everything; the die was busy with 27 writes, 2 reads, 2 programs and 2 erases.
    let elapsed = (310_000_000 + WRITE) as f64;
    close(results.utilisation.die, (29 * WRITE + 2 * READ + 2 * ERASE) as f64 / elapsed);
    close(results.utilisation.channel, (31 * TRANSFER + 2 * 5) as f64 / elapsed);
    assert_eq!(results.simulated_ns, 310_000_000 + WRITE);
    let log = outcome.gc_log.unwrap();
    assert_eq!((&log.plane[..], &log.cause[..]), (&[0, 0][..], &[0, 0][..]));
    assert_eq!(log.valid_pages, [1, 1]);
}

/// Two channels of two dies: page k goes to channel k % 2, die k / 2.
#[test]
fn of_how_busy_dies_and_channels_were() {
    let set = [("geometry.channels", "2"), ("geometry.chips_per_channel", "2"), ("warmup.kind", "filled")];
    // Die 0 (channel 0) reads twice, die 1 (channel 0) once, die 2 (channel 1) once, die 3 never.
    let records =
        [(0, 0), (1_000, 4), (2_000, 2), (3_000, 1)].map(|(time, page)| at(time, Op::Read, page, 1));
    let results = TestDrive::one_plane().with(&set).run(records.to_vec()).results;
    let used = &results.utilisation;
    let elapsed = (3_000_000 + READ) as f64;
    let busy = |reads: u64, each: u64| (reads * each) as f64 / elapsed;
    assert_eq!(used.per_die, [busy(2, READ), busy(1, READ), busy(1, READ), 0.0]);
    assert_eq!(used.per_channel, [busy(3, TRANSFER), busy(1, TRANSFER)]);
    close(used.die, busy(1, READ));
    assert_eq!(used.die_max, busy(2, READ));
    close(used.channel, busy(2, TRANSFER));
    assert_eq!(used.channel_max, busy(3, TRANSFER));
    assert_eq!(
        results.events, 12,
        "an arrival, the end of the array time and of the data, for each of four reads"
    );
}

#[test]
fn of_what_touched_no_flash() {
    let records = vec![
        at(0, Op::Write, 0, 1),
        // On its way to flash: answered from the buffer.
        at(100, Op::Read, 0, 1),
        // Never written.
        at(200, Op::Read, 1, 2),
        at(2_000, Op::Trim, 0, 4),
        at(2_000, Op::Trim, 0, 4),
        at(3_000, Op::Read, 0, 1),
    ];
    let results = TestDrive::one_plane().run(records).results;
    let flash = &results.flash;
    assert_eq!((flash.buffer_hits, flash.unmapped_reads, flash.trimmed_pages), (1, 3, 1));
    assert_eq!((flash.host_reads, flash.host_programs), (0, 1));
    assert_eq!(results.requests.read.max_ns, 0);
    assert_eq!(results.max_outstanding_requests, 2);
    assert_eq!(results.gc.write_amplification, Some(1.0));
    assert_eq!(results.gc.valid_pages_per_victim, None);
}
