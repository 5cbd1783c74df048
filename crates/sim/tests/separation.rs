//! Separation: which pages are kept in blocks apart from others (docs/model.md, 4.34 to 4.36).

use std::collections::BTreeSet;

use crate::common::prelude::*;

const KEY: &str = "ftl.separation";

/// One plane of 20 blocks of 4 pages; 40 logical pages.
fn drive(kind: &str) -> TestDrive {
    TestDrive::one_plane().set("geometry.blocks_per_plane", 20).set(KEY, kind)
}

/// Streams 1, 0, 1, 1 of four pages: blocks are opened in the order in which streams come, and one for each.
#[test]
fn each_stream_fills_a_block_of_its_own() {
    let mut ftl = drive("by-stream").set("ftl.separation.open_blocks", 3).ftl();
    for (lpn, stream) in [(0, 1), (1, 0), (2, 1), (3, 1), (4, 0), (5, 1), (6, 1)] {
        ftl.set_stream(stream);
        ftl.write_now(Lpn(lpn));
    }
    let places: Vec<_> = (0..7).map(|lpn| place(&ftl, lpn)).collect();
    // The fifth page of stream 1 finds its block full.
    assert_eq!(places, [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (0, 3), (2, 0)]);
    audit::check(&ftl, true).unwrap();
}

/// With base 4 and three classes: below 4 host pages, below 16, and the rest with what was never written.
#[test]
fn lifetimes_are_counted_in_pages_of_the_host() {
    let mut ftl =
        drive("by-lifetime").set("ftl.separation.open_blocks", 3).set("ftl.separation.base", 4).ftl();
    let mut write = |lpn: u32| {
        ftl.write_now(Lpn(lpn));
        place(&ftl, lpn)
    };
    assert_eq!(write(0), (0, 0), "never written: class 2");
    assert_eq!(write(0), (1, 0), "1 page later: class 0");
    assert_eq!([write(1), write(2)], [(0, 1), (0, 2)], "writes 3 and 4, class 2");
    assert_eq!(write(0), (1, 1), "3 pages later: still class 0");
    assert_eq!([write(3), write(4), write(5)], [(0, 3), (2, 0), (2, 1)], "writes 6 to 8; block 0 is full");
    assert_eq!(write(0), (3, 0), "4 pages later: class 1");
    assert_eq!(write(4), (1, 2), "3 pages later");
    // Pages 10 to 18 are written by writes 11 to 19.
    (10..19).for_each(|lpn| _ = write(lpn));
    assert_eq!(write(1), (5, 3), "17 pages later: class 2, behind 2 pages of block 2 and 9 more");
    assert_eq!(write(4), (3, 1), "11 pages later: class 1");
    // Write 4 of page 2 was 18 writes ago; its trim changes nothing of that.
    assert!(ftl.trim(Lpn(2)));
    ftl.write_now(Lpn(2));
    assert_eq!(place(&ftl, 2), (6, 0), "class 2");
    ftl.write_now(Lpn(2));
    assert_eq!(place(&ftl, 2), (1, 3), "1 page later: class 0");
    audit::check(&ftl, true).unwrap();
}

/// Even pages are of stream 0 and written ten times as often. Relocated, they meet the odd ones in a block, or do not.
#[rstest]
#[case("together", 3)]
#[case("by-class", 4)]
fn collection_mixes_streams_unless_it_keeps_them_apart(#[case] relocated: &str, #[case] most_open: usize) {
    let drive = drive("by-stream").set("ftl.separation.open_blocks", 2).set("geometry.spare_factor", "35%");
    let mut ftl = drive.set("ftl.separation.relocated", relocated).ftl();
    for k in 0..3_000_u32 {
        let any = k.wrapping_mul(2_654_435_761) >> 16;
        let lpn = any % 26 * 2 + u32::from(k % 11 == 0);
        ftl.set_stream((lpn % 2) as u8);
        ftl.write_now(Lpn(lpn));
    }
    assert!(ftl.counters().gc_programs > 100, "{}", ftl.counters().gc_programs);
    // Blocks of each stream.
    let blocks = [0, 1].map(|odd| (0..26).map(|page| place(&ftl, 2 * page + odd).0).collect::<BTreeSet<_>>());
    assert_eq!(blocks[0].is_disjoint(&blocks[1]), relocated == "by-class");
    let open = (0..20).filter(|block| ftl.blocks().state(BlockId(*block)) == BlockState::Open).count();
    assert!(open <= most_open, "{open}");
    audit::check(&ftl, true).unwrap();
}

#[test]
fn a_stream_that_the_drive_has_not_is_refused() {
    let mut records = spaced_writes(&[1, 2, 3]);
    records[2].stream = 2;
    let config = drive("by-stream").set("ftl.separation.open_blocks", 2).config();
    let error = run(&config, &Trace::from_records("three", records)).unwrap_err().to_string();
    let says = ["\"three\"", "record 2", "stream 2", "0 to 1", "ftl.separation.open_blocks = 2"];
    assert!(says.iter().all(|each| error.contains(each)), "{error}");
    assert!(drive("by-lifetime").run(spaced_writes(&[1, 2, 3])).results.audit.is_some());
}

/// Where the next page of a relocated logical page would lie.
fn relocated(ftl: &mut Ftl, lpn: u32, from: u32) -> (u32, u32) {
    let page = ftl.take_gc_page(PlaneId(0), Lpn(lpn), Ppn(from), Cause::Gc).0;
    (page / 4, page % 4)
}

/// Every write moves a page one region up, as far as there are three; every relocation one down.
#[test]
fn regions_go_by_how_often_a_page_is_written() {
    let mut ftl = drive("dac").set("ftl.separation.open_blocks", 3).ftl();
    let mut write = |lpn: u32| {
        ftl.write_now(Lpn(lpn));
        place(&ftl, lpn)
    };
    assert_eq!([write(0), write(0), write(0), write(0)], [(0, 0), (1, 0), (2, 0), (2, 1)]);
    assert_eq!([write(1), write(1)], [(0, 1), (1, 1)]);
    // Relocated pages have blocks of their own: of regions 1, 0 and 0.
    assert_eq!([relocated(&mut ftl, 0, 9), relocated(&mut ftl, 0, 9)], [(3, 0), (4, 0)]);
    assert_eq!(relocated(&mut ftl, 1, 5), (4, 1));
}

/// A write that replaces what was written a page ago is short-lived. What is relocated out of its block has a class,
/// and so has what comes from elsewhere, as long as no lifespan is known.
#[test]
fn what_replaces_young_data_has_a_block_and_so_has_what_is_relocated_out_of_that() {
    let mut ftl = drive("sepbit").set("ftl.separation.lifespans", 1).ftl();
    let mut write = |lpn: u32| {
        ftl.write_now(Lpn(lpn));
        place(&ftl, lpn)
    };
    // No more writes are remembered than pages are valid: none, one and two at the first three.
    assert_eq!([write(0), write(1), write(2)], [(0, 0), (0, 1), (0, 2)]);
    assert_eq!(write(0), (0, 3), "3 pages later, of which 2 are remembered");
    assert_eq!(write(0), (1, 0), "1 page later: short-lived");
    assert_eq!([write(3), write(0)], [(2, 0), (1, 1)]);
    assert_eq!(relocated(&mut ftl, 0, 5), (3, 0), "out of block 1");
    assert_eq!([relocated(&mut ftl, 1, 1), relocated(&mut ftl, 3, 8)], [(4, 0), (4, 1)]);
}

/// Requests of a chunk of four pages, each told of with its first page: the weight of that rises by 1 with each.
#[test]
fn requests_are_heard_of_with_their_first_page() {
    let mut ftl = drive("sfr").set("ftl.separation.chunk_pages", 4).ftl();
    let mut write = |pages: u32, lpn: u32| {
        ftl.set_request(0, pages);
        ftl.write_now(Lpn(lpn));
        place(&ftl, lpn)
    };
    assert_eq!([write(1, 8), write(2, 8), write(0, 9)], [(0, 0), (0, 1), (0, 2)], "two requests: class 0");
    assert_eq!([write(0, 8), write(1, 8)], [(0, 3), (1, 0)], "the third has the weight of class 1");
    assert_eq!([write(2, 9), write(0, 10)], [(1, 1), (1, 2)], "behind it");
    assert_eq!(write(1, 20), (2, 0), "another chunk");
}

/// The trace is 0 1 0 1: with the future known, the second play begins with what is written again two pages later.
#[test]
fn classes_by_the_future_are_those_of_the_trace() {
    let records = spaced_writes(&[0, 1, 0, 2, 2]);
    let outcome = drive("future-knowledge")
        .set("ftl.separation.open_blocks", 3)
        .set("ftl.separation.span", 1)
        .run(records);
    let elsewhere = counted(&outcome, "ftl.separation", "host_pages_elsewhere");
    assert_eq!(elsewhere, 0);
    assert!(outcome.results.audit.is_some());
}

/// A write of a page by a stream, 10 ms after the one before.
fn in_turn(writes: impl IntoIterator<Item = (u8, u64)>) -> Vec<Record> {
    let record = |(k, (stream, page)): (u64, _)| Record { stream, ..at_ns(k * 10_000_000, Op::Write, page) };
    (0..).zip(writes).map(record).collect()
}

/// Streams 1 and 2 write every other page of 8 blocks. Stream 3 overwrites those of stream 2, and half of them again,
/// a page of each of its four blocks in turn: all twelve blocks hold two valid pages then. The next write opens the
/// last block but one: the oldest is collected, with two pages of stream 1, and that which this write has left with
/// one page.
#[rstest]
#[case("false")]
#[case("true")]
fn what_is_relocated_counts_for_the_stream_that_wrote_it(#[case] untimed: &str) {
    let first = (0..32).map(|page| (1 + (page % 2) as u8, page));
    let over = (0..16).map(|k| (3, 2 * k + 1));
    let again = [1, 9, 17, 25, 3, 11, 19, 27, 5].map(|page| (3, page));
    let drive = TestDrive::one_plane().set("measure.untimed", untimed).set("warmup.kind", "empty");
    let outcome = drive.run(in_turn(first.chain(over).chain(again)));
    let results = &outcome.results;
    assert_eq!((results.gc.jobs, results.flash.gc_programs), (2, 3));
    let found: Vec<_> = results
        .streams
        .iter()
        .map(|each| (each.stream, each.host_bytes, each.relocated_bytes, each.nand_bytes, each.valid_pages))
        .collect();
    let page = 4096;
    let of_one = (1, 16 * page, 2 * page, 18 * page, 16);
    assert_eq!(found, [of_one, (2, 16 * page, 0, 16 * page, 0), (3, 25 * page, page, 26 * page, 16)]);
    assert_eq!(results.streams[0].write_amplification, Some(18.0 / 16.0));
    let fdp = results.fdp.as_ref().unwrap();
    let media = (fdp.media_bytes_with_metadata_written, fdp.media_bytes_erased);
    assert_eq!((fdp.host_bytes_with_metadata_written, media), (57 * page, (60 * page, 8 * page)));
    let latency =
        |stream: usize| results.streams[stream].write.as_ref().map(|write| (write.count, write.max_ns));
    let known = (untimed == "false").then_some((16, WRITE));
    assert_eq!((latency(0), latency(1)), (known, known));
}

/// Without a stream other than 0 nothing is said of streams.
#[test]
fn a_trace_without_streams_has_none() {
    let results = TestDrive::one_plane().run(in_turn([(0, 1), (0, 2)])).results;
    assert!(results.streams.is_empty() && results.fdp.is_none());
    let written = serde_json::to_value(&results).unwrap();
    assert!(written.get("streams").is_none() && written.get("fdp").is_none());
}

/// A drive that takes up a saved state knows which stream has written what it holds.
#[test]
fn a_saved_state_knows_streams() {
    let records = in_turn((0..200).map(|k| ((k % 3) as u8, k * 2_654_435_761 / 65_536 % 32)));
    let drive = TestDrive::one_plane().set("warmup.kind", "workload").set("warmup.limit", 3.0);
    let results = Saved::new().goes_on(&drive, &records);
    assert!(results.streams.iter().any(|each| each.relocated_bytes > 0));
}
