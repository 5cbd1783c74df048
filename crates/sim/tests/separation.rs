//! Separation: which pages are kept in blocks apart from others (docs/model.md, 4.34 to 4.36).

use std::ops::ControlFlow;

use crate::common::{PLANE, Saved, TestDrive, spaced_writes};
use reclaim_sim::audit;
use reclaim_sim::config::{LoadRequest, load};
use reclaim_sim::ftl::{BlockState, Ftl, Place};
use reclaim_sim::ids::{BlockId, Lpn};
use reclaim_sim::{RunOptions, simulate};
use reclaim_trace::{Op, Record, Trace};
use rstest::rstest;

const KEY: &str = "ftl.separation";
const BY_CLASS: (&str, &str) = ("ftl.separation.relocated", "by-class");

/// One plane of 20 blocks of 4 pages; 40 logical pages.
fn drive(kind: &str) -> TestDrive {
    TestDrive::one_plane().set("geometry.blocks_per_plane", 20).set(KEY, kind)
}

/// Block and page of a logical page.
fn place(ftl: &Ftl, lpn: u32) -> (u32, u32) {
    let Place::Flash(ppn) = ftl.map().place(Lpn(lpn)) else { panic!("{lpn} is not in flash") };
    (ftl.geometry().block_of(ppn).0, ftl.geometry().page_in_block(ppn))
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

/// Number of written blocks that have valid pages of both streams: even pages and odd ones.
fn mixed_blocks(ftl: &Ftl) -> usize {
    let geometry = ftl.geometry();
    let has = |block: BlockId, odd: u32| {
        (0..geometry.pages_per_block).any(|page| {
            let ppn = geometry.page(block, page);
            ftl.map().is_valid(ppn) && ftl.map().owner(ppn).0 % 2 == odd
        })
    };
    (0..geometry.blocks()).map(BlockId).filter(|block| has(*block, 0) && has(*block, 1)).count()
}

/// Even pages are of stream 0 and written ten times as often. Relocated, they meet the odd ones in a block, or do not.
#[rstest]
fn collection_mixes_streams_unless_it_keeps_them_apart(
    #[values("together", "by-class")] relocated: &str,
    #[values(false, true)] audited: bool,
) {
    let made =
        drive("by-stream").set("ftl.separation.open_blocks", 2).set("ftl.separation.relocated", relocated);
    let config = made.set("geometry.spare_factor", "35%").config();
    let mut ftl = Ftl::new(&config, &reclaim_sim::flash::Geometry::new(&config).unwrap(), audited);
    for k in 0..3_000_u32 {
        let any = k.wrapping_mul(2_654_435_761) >> 16;
        let lpn = any % 26 * 2 + u32::from(k % 11 == 0);
        ftl.set_stream((lpn % 2) as u8);
        ftl.write_now(Lpn(lpn));
    }
    assert!(ftl.counters().gc_programs > 100, "{}", ftl.counters().gc_programs);
    assert_eq!(mixed_blocks(&ftl) == 0, relocated == "by-class", "{}", mixed_blocks(&ftl));
    let open = (0..20).filter(|block| ftl.blocks().state(BlockId(*block)) == BlockState::Open).count();
    assert!(open <= if relocated == "by-class" { 4 } else { 3 }, "{open}");
    let erased: u64 = (0..20)
        .map(BlockId)
        .filter(|block| matches!(ftl.blocks().state(*block), BlockState::Free | BlockState::Open))
        .map(|block| u64::from(4 - ftl.blocks().allocated(block)))
        .sum();
    assert_eq!(ftl.erased_pages(PLANE), erased);
    audit::check(&ftl, true).unwrap();
}

/// Writes faster than collection, now of one stream and now of the other, and trims.
fn records() -> Vec<Record> {
    let pages: Vec<u64> = (0..900).map(|k| if k % 3 == 0 { k * 7 % 40 } else { k * 5 % 9 }).collect();
    let mut found = spaced_writes(&pages);
    for (at, record) in found.iter_mut().enumerate() {
        record.time_ns = 0;
        record.stream = u8::from(record.offset_bytes >= 9 * 4096);
        if at % 90 == 50 {
            (record.op, record.size_bytes) = (Op::Trim, 5 * 4096);
        }
    }
    found
}

#[rstest]
fn a_restored_state_goes_on_as_if_nothing_had_happened(
    #[values("by-stream", "by-lifetime")] kind: &str,
    #[values("together", "by-class")] relocated: &str,
    #[values("overwrite", "replay")] warmup: &str,
) {
    let drive = drive(kind)
        .set("ftl.separation.relocated", relocated)
        .set("ftl.separation.open_blocks", 2)
        .set("warmup.kind", warmup)
        .set("gc.trigger.hard", "off");
    let results = Saved::new(&format!("separation-{kind}-{relocated}-{warmup}")).goes_on(&drive, &records());
    assert!(results.gc.jobs > 10, "{}", results.gc.jobs);
    let elsewhere = |metric: &str| results.policies[KEY][metric].value;
    assert!(elsewhere("host_pages_elsewhere") > 0, "collection leaves no block for some class");
}

#[rstest]
#[case(&[("ftl.placement", "level-by-history")], "both choose the open block of a page")]
#[case(&[("ftl.gc_frontier", "shared")], "classes: pages of the host have blocks of their own")]
#[case(&[("ftl.assign_pages", "on-arrival")], "classes: the block is chosen when the program starts")]
#[case(&[("flash.program_unit", "word-line")], "classes: pages of a unit would be of several")]
#[case(&[("flash.multi_plane", "same-page")], "classes: planes would have to agree on the next page")]
#[case(&[("redundancy", "raid5"), ("redundancy.stripe_chips", "2")], "classes: pages of a stripe")]
#[case(&[BY_CLASS, ("gc.relocation", "buffered")], "by-class: this gc.relocation plans for the one open")]
#[case(&[BY_CLASS, ("gc.relocation", "coupled")], "by-class: this gc.relocation plans for the one open")]
#[case(&[("ftl.separation.open_blocks", "1")], "open_blocks = 1; from 2 to 8 can be open")]
#[case(&[("ftl.separation.open_blocks", "9")], "open_blocks = 9; from 2 to 8 can be open")]
#[case(&[("geometry.spare_factor", "15%")], "5 open, 1 to collect; lower the user capacity")]
#[case(&[("geometry.spare_factor", "15%")], "or have fewer ftl.separation.open_blocks")]
#[case(&[BY_CLASS, ("ftl.separation.open_blocks", "8")], "16 open, 1 to collect")]
#[case(&[("ftl.separation.relocated", "apart")], "by-class")]
fn what_is_refused(
    #[case] set: &[(&str, &str)],
    #[case] says: &str,
    #[values("by-stream", "by-lifetime")] kind: &str,
) {
    let mut all =
        vec![("geometry.blocks_per_plane", "32"), ("geometry.spare_factor", "50%"), ("flash.cell", "MLC")];
    all.push((KEY, kind));
    all.extend(set);
    let set = all.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let error = load(&LoadRequest { device: "gc-bypass".to_owned(), schemes: vec![], set }).unwrap_err();
    assert!(error.to_string().contains(says), "{error}");
}

#[test]
fn a_stream_that_the_drive_has_not_is_refused() {
    let mut records = spaced_writes(&[1, 2, 3]);
    records[2].stream = 2;
    let trace = Trace::from_records("three", records);
    let config = drive("by-stream").set("ftl.separation.open_blocks", 2).config();
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    let error = simulate(&config, &trace, &RunOptions::default(), go_on).unwrap_err().to_string();
    assert_eq!(
        error,
        "trace \"three\": record 2 (from 0): stream 2 is none of the drive's, which are 0 to 1 with \
         ftl.separation.open_blocks = 2"
    );
    assert!(drive("by-lifetime").run(spaced_writes(&[1, 2, 3])).results.audit.is_some());
}
