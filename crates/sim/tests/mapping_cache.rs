//! A mapping of which memory holds a part (docs/model.md, 4.49 to 4.53).

use crate::common::prelude::*;

const KEY: &str = "ftl.mapping_cache";

/// One plane of 16 blocks of 6 pages, 48 of them the user's: six translation pages of eight entries. An entry that is
/// held by itself takes 1 KiB.
fn drive(kind: &str, held: u32) -> TestDrive {
    let size = held * if kind == "pages" { 4096 } else { 1024 };
    TestDrive::one_plane()
        .blocks(16, 6)
        .set(KEY, kind)
        .set("ftl.mapping_cache.size", format!("{size}B"))
        .set("ftl.mapping_cache.entry", "512B")
}

/// Look-ups, misses, translation pages read and programmed.
fn counted(outcome: &Outcome) -> [u64; 4] {
    let counted = &outcome.results.policies[KEY];
    ["mapping_look_ups", "mapping_misses", "translation_reads", "translation_programs"]
        .map(|name| counted[name].value)
}

/// Requests ten milliseconds apart, for a page each.
fn spaced(requests: &[(Op, u64)]) -> Vec<Record> {
    (0..).zip(requests).map(|(k, (op, page))| at(k * 10_000, *op, *page, 1)).collect()
}

#[test]
fn a_read_whose_entry_is_not_held_waits_for_its_translation_page() {
    let requests = [(Op::Write, 0), (Op::Write, 8), (Op::Read, 0), (Op::Read, 0), (Op::Read, 8)];
    // Page 8 makes the entry of page 0 go, whose translation page was never written; and so on.
    let outcome = drive("dftl", 1).run(spaced(&requests));
    assert_eq!(rows(&outcome), [WRITE, WRITE, 2 * READ, READ, 2 * READ]);
    // The entries that went at the last two misses: changed the first time, and not the second.
    assert_eq!(counted(&outcome), [5, 4, 2, 2]);
    // Where two are held none is ever missed again.
    let outcome = drive("dftl", 2).run(spaced(&requests));
    assert_eq!(rows(&outcome), [WRITE, WRITE, READ, READ, READ]);
    assert_eq!(counted(&outcome), [5, 2, 0, 0]);
    assert!(drive("all", 1).loaded().unwrap_err().contains("ftl.mapping_cache"));
}

/// A request that misses brings the others of its translation page.
#[test]
fn pages_are_held_whole() {
    let requests = [(Op::Write, 0), (Op::Write, 1), (Op::Write, 8), (Op::Read, 1), (Op::Read, 0)];
    let outcome = drive("pages", 1).run(spaced(&requests));
    assert_eq!(rows(&outcome), [WRITE, WRITE, WRITE, 2 * READ, READ]);
    // Both pages that went were changed, and nothing is read before they are written.
    assert_eq!(counted(&outcome), [5, 3, 1, 2]);
}

/// What goes first has all entries of its translation page written that memory has changed.
#[test]
fn entries_of_a_translation_page_are_written_together() {
    let writes = [(Op::Write, 0), (Op::Write, 1), (Op::Write, 8), (Op::Write, 16)];
    let outcome = drive("dftl", 2).run(spaced(&writes));
    assert_eq!(counted(&outcome), [4, 4, 0, 1]);
    // The next one to go is of another, which was changed.
    let more = [&writes[..], &[(Op::Write, 24)]].concat();
    assert_eq!(counted(&drive("dftl", 2).run(spaced(&more))), [5, 5, 0, 2]);
    // One that was written before is read first.
    let more = [&writes[..], &[(Op::Write, 0), (Op::Read, 24), (Op::Read, 25)]].concat();
    let outcome = drive("dftl", 2).run(spaced(&more));
    // 0 misses, and its page is read; of 8, 16 and 0, which go then, all were changed.
    assert_eq!(counted(&outcome), [7, 7, 2, 4]);
    // They count as write amplification: five pages of the host, four of the mapping.
    assert_eq!(outcome.results.gc.write_amplification, Some(9.0 / 5.0));
    assert_eq!(outcome.results.written.nand_translation_bytes, 4 * 4096);
    assert_eq!(outcome.results.written.nand_bytes, 9 * 4096);
}

/// Whoever needs an entry of a page that is being read waits for that, whether it is held or not.
#[test]
fn a_translation_page_is_read_once_for_all_who_wait() {
    let fill = [(Op::Write, 0), (Op::Write, 1), (Op::Write, 8), (Op::Write, 16)];
    let mut records = spaced(&fill);
    let together = [0, 1, 0].map(|page| at(90_000, Op::Read, page, 1));
    records.extend(together);
    let outcome = drive("dftl", 2).run(records);
    let [.., first, third, second] = rows(&outcome)[..] else { panic!("seven requests") };
    // One translation page, and then the pages themselves, one after the other on the same die.
    assert_eq!([first, second, third], [2 * READ, 3 * READ, 4 * READ]);
    // Those of 8 and 16 are written, for the first time, because their entries go.
    assert_eq!(counted(&outcome), [7, 6, 1, 3]);
}

/// A trim of a page whose entry is not held leaves its translation page outdated, until something is looked up.
#[test]
fn what_changes_without_a_look_up_is_written_before_the_next_one() {
    let requests = [(Op::Write, 0), (Op::Write, 8), (Op::Trim, 0), (Op::Read, 8)];
    let outcome = drive("dftl", 1).run(spaced(&requests));
    // 0 has gone with its page written; it is read and written anew beside the read of 8, which is held.
    assert_eq!(counted(&outcome), [3, 2, 1, 2]);
    let held = [(Op::Write, 0), (Op::Write, 8), (Op::Trim, 8), (Op::Read, 8)];
    assert_eq!(counted(&drive("dftl", 1).run(spaced(&held))), [3, 2, 0, 1]);
}

/// The same pages are looked up without time, where what is to be written is written first and not afterwards.
#[test]
fn a_run_without_time_looks_up_the_same() {
    let mut random = RandomStream::new(5, "pages");
    let writes: Vec<_> = (0..400).map(|_| (Op::Write, u64::from(random.below(48)))).collect();
    let timed = drive("dftl", 4).run(spaced(&writes));
    let untimed = drive("dftl", 4).set("measure.untimed", true).run(spaced(&writes));
    let [timed, untimed] = [timed, untimed].map(|outcome| {
        assert!(outcome.results.gc.pages_moved > 0);
        counted(&outcome)
    });
    assert_eq!(timed[..2], untimed[..2]);
    for (timed, untimed) in timed[2..].iter().zip(&untimed[2..]) {
        assert!(timed.abs_diff(*untimed) < timed / 8, "{timed} and {untimed}");
    }
}

/// Translation pages have open blocks of their own.
#[test]
fn translation_pages_lie_apart() {
    let mut ftl = drive("pages", 1).written(12);
    ftl.write_now(Lpn(0));
    let map = ftl.map();
    let block = |lpn: u32| {
        let Place::Flash(page) = map.place(Lpn(lpn)) else { panic!("{lpn} is not in flash") };
        ftl.geometry().block_of(page)
    };
    // The first one went when page 8 was written, the second when page 0 was.
    assert_eq!(block(48), block(49));
    assert!((0..12).all(|lpn| block(lpn) != block(48)));
    assert_eq!(map.place(Lpn(50)), Place::Nowhere);
}

#[test]
fn no_formula_knows_what_translation_pages_take() {
    let facts = derive_facts(&drive("dftl", 3).config(), None);
    let why = "no formula for ftl.mapping_cache = \"dftl\"";
    assert_eq!(facts.write_amplification_unknown.as_deref(), Some(why));
}

/// The translation pages take of the spare ones, and need an open block more.
#[rstest]
#[case::no_room(&[(KEY, "dftl"), ("ftl.mapping_cache.size", "0B")], "\"0B\" holds nothing; at least 8B")]
#[case::no_page(&[(KEY, "pages"), ("ftl.mapping_cache.size", "4095B")], "holds nothing; at least 4096B")]
#[case::no_entry(&[(KEY, "dftl"), ("ftl.mapping_cache.entry", "0B")], "ftl.mapping_cache.entry: 0B; from 1B")]
#[case::entry(&[(KEY, "dftl"), ("ftl.mapping_cache.entry", "8KiB")], "entry: 8KiB; from 1B to a page, 4096B")]
#[case::space(&[(KEY, "dftl"), ("geometry.spare_factor", "31%")], "3 open, 1 to collect")]
#[case::parity(&[(KEY, "dftl"), ("redundancy", "raid5")], "they and parity would have the same numbers")]
#[case::lifted(&[(KEY, "dftl"), ("gc.relocation", "buffered")], "this gc.relocation learns from pages")]
#[case::shared(&[(KEY, "dftl"), ("ftl.gc_frontier", "shared")], "use ftl.gc_frontier = \"separate\"")]
fn what_cannot_be_is_refused(#[case] set: &[(&str, &str)], #[case] why: &str) {
    let refused = TestDrive::one_plane().with(set).loaded().unwrap_err();
    assert!(refused.contains(why), "{refused}");
}
