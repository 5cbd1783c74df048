//! GC bypass whole: its scheme on a small drive under load, piece by piece, and what a power cut leaves of it.

use crate::common::prelude::*;

/// Two rows of four chips, two planes each, that collect most of the time. Writes and reads come of the whole drive,
/// one in four of half a page, half of them of an eighth of it.
fn run(key: &str, value: &str) -> Outcome {
    let drive = TestDrive::of([2, 4, 1, 2])
        .blocks(24, 16)
        .set("geometry.spare_factor", "30%")
        .set("warmup.kind", "overwrite")
        .set("gc.trigger", "{ kind = \"free-blocks\", start = \"4 blocks\", hard = \"1 block\" }")
        .set("ftl.allocation", "{ kind = \"dynamic\" }")
        .set("interconnect", "{ kind = \"venice-priority\", elevate_after = 2 }")
        .set("gc.relocation", "{ kind = \"buffered\", destination = \"chip\", host_writes = \"absorb\" }")
        .set("measure.power_cut_every", 9)
        .set(key, value);
    let pages = Geometry::new(&drive.config()).unwrap().logical_pages;
    let mut stream = RandomStream::new(1, "requests");
    let record = |k: u64| {
        let op = if stream.below(3) == 0 { Op::Read } else { Op::Write };
        let hot = if stream.below(2) == 0 { 8 } else { 1 };
        let whole = at(k * 60, op, u64::from(stream.below(pages / hot)), 1);
        Record { size_bytes: if stream.below(4) == 0 { 2048 } else { 4096 }, ..whole }
    };
    drive.run((0..12_000).map(record).collect())
}

/// With a capacitor nothing acknowledged is lost at any of many cuts, what the host wrote into the collector's buffer
/// included: a run in which a page is in no buffer either ends with an error.
#[test]
fn every_piece_does_something_and_can_be_left_out() {
    let (network, relocation) = ("interconnect", "gc.relocation");
    let whole = run("seed", "42");
    for (key, value, seam, counter) in [
        ("gc.relocation.host_writes", "replace", relocation, "absorbed_writes"),
        ("gc.relocation.hold", "transfer", network, "circuits_resumed"),
        ("gc.relocation.hold", "transfer", network, "preemptions"),
        ("gc.relocation.destination", "home", relocation, "redirected_pages"),
        ("gc.relocation.capacity", "40 blocks", relocation, "buffer_stalls"),
        ("interconnect.elevate_after", "1000000", network, "elevations"),
    ] {
        assert!(counters(&whole, seam, [counter]) > [0], "{counter}");
        assert_eq!(counters(&run(key, value), seam, [counter]), [0], "{key} = {value}");
    }
    assert!(whole.results.flash.buffer_hits > 10, "{} hits", whole.results.flash.buffer_hits);
    let cuts = whole.results.power_cuts.as_ref().expect("cuts were asked for");
    assert!(cuts.cuts > 3_000 && cuts.collector_pages > 0 && cuts.replaced_pages > 0, "{cuts:?}");
}
