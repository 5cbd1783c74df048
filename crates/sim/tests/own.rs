//! Policies of a front end: what each kind is asked, and what comes of the answer. `victims.rs` has those that choose
//! blocks.

use crate::common::own::{asked, choice};
use crate::common::prelude::*;
use reclaim_sim::own::Fault;

/// Pages 0 to 31 over and over, one every 10 ms: whatever one of them causes has ended when the next arrives.
fn writes(count: u64) -> Vec<Record> {
    (0..count).map(|number| at(number * 10_000, Op::Write, number % 32, 1)).collect()
}

/// Three pages at once on two dies: page number modulo planes, so that pages 0 and 2 go to plane 0.
#[test]
fn an_allocation_is_told_the_page_what_waits_for_each_plane_and_which_have_room() {
    let drive = TestDrive::of([2, 1, 1, 1]).set("ftl.allocation", choice("noted"));
    asked("ftl.allocation");
    drive.run([0, 2, 1].map(|page| at(0, Op::Write, page, 1)).to_vec());
    let expected = [(vec![0], vec![0, 0, 1, 1]), (vec![2], vec![1, 0, 1, 1]), (vec![1], vec![2, 0, 1, 1])];
    // What comes after these was asked of a second drive, which measures an unloaded request.
    assert_eq!(asked("ftl.allocation")[..3], expected);
}

/// Two classes, of even and odd pages. Pages 0, 1 and 0 again: that was written two pages ago, as class 0; a page that
/// was never written is of the last class.
#[test]
fn a_separation_is_told_what_is_known_of_each_page() {
    let drive = TestDrive::one_plane().set("ftl.separation", choice("noted"));
    asked("ftl.separation");
    drive.run([0, 1, 0].iter().zip(0..).map(|(page, turn)| at(turn * 10_000, Op::Write, *page, 1)).collect());
    let of_host = |valid, page: [i64; 3]| (vec![0, 0, -1, valid, 2], page.to_vec());
    let expected = [of_host(0, [0, -1, 1]), of_host(1, [1, -1, 1]), of_host(2, [0, 2, 0])];
    assert_eq!(asked("ftl.separation")[..3], expected);
}

/// A plane of 16 blocks of 4 pages collects with one free block: when the 15th block is opened, by the 57th page.
#[test]
fn a_limit_is_told_who_wants_to_collect_and_who_does() {
    let drive = TestDrive::one_plane().set("gc.concurrency", choice("noted"));
    asked("gc.concurrency");
    drive.run(writes(57));
    let (numbers, rows) = asked("gc.concurrency").swap_remove(0);
    // Plane 0 of channel 0; 57 pages in use, 31 of them valid, because the last is not programmed yet and what it
    // overwrites is invalid already; a busy channel; no job on the only channel.
    assert_eq!((numbers, rows), (vec![0, 0, 57, 31, 0], vec![0]));
}

#[test]
fn a_trigger_is_told_what_is_free_and_what_could_be() {
    let drive = TestDrive::one_plane().set("gc.trigger", choice("noted"));
    asked("gc.trigger");
    drive.run(writes(33));
    let found = asked("gc.trigger");
    // Plane 0 with all 16 blocks free when the run begins, and when the first is opened; no job has ended.
    assert_eq!(found[..2], [(vec![0, 16, 0, 0, 16, 1, 0], vec![]), (vec![0, 15, 0, 0, 15, 0, 0], vec![])]);
    // The 33rd page opens the ninth block and leaves one of the first invalid, which is to be had.
    assert!(found.contains(&(vec![0, 7, 1, 0, 7, 0, 0], vec![])), "{found:?}");
}

/// Whatever it says, a plane is collected at `hard` free blocks, and no longer than it takes to have one more.
#[test]
fn a_trigger_that_never_wants_is_one_that_starts_and_stops_at_hard() {
    let jobs = |trigger: &str| {
        let outcome = TestDrive::one_plane().set("gc.trigger", trigger).run(writes(300));
        let log = outcome.gc_log.expect("it was asked for");
        (log.start_ns.clone(), log.victim_block.clone())
    };
    let never = choice("never").replace('}', ", start = \"4 blocks\", hard = \"2 blocks\" }");
    let levels =
        |free| format!("{{ kind = \"free-blocks\", start = \"{free} blocks\", hard = \"{free} blocks\" }}");
    let found = jobs(&never);
    assert!(found.0.len() > 10, "it must have collected");
    assert_eq!(found, jobs(&levels(2)));
    assert_ne!(found, jobs(&levels(1)));
    assert_ne!(found, jobs(&levels(3)));
}

/// A write that waits for a page is not kept waiting: what holds every job back is a gate that never opens.
#[test]
fn a_limit_that_never_lets_a_job_begin_is_a_gate_that_never_opens() {
    let found = |limit: &str| {
        let outcome = TestDrive::one_plane().set("gc.concurrency", limit).run(writes(300));
        let log = outcome.gc_log.expect("it was asked for");
        (log.start_ns.clone(), log.emergency.clone())
    };
    let never = found(&choice("never"));
    assert!(never.0.len() > 10 && never.1.iter().all(|emergency| *emergency == 1), "{never:?}");
    assert_eq!(never, found("{ kind = \"channels\", share = \"100%\", gate = \"100%\" }"));
}

/// The 57th page makes the plane want a job, which is held back. A read changes nothing that the limit is told: it asks
/// again once, when the die has nothing left to do. A write asks twice: its page is in use before it is valid.
#[test]
fn a_limit_that_holds_a_job_back_is_asked_again_when_what_it_is_told_has_changed() {
    let drive = TestDrive::one_plane().set("gc.concurrency", choice("noted_never"));
    let after = |op, more: u64| {
        let later = (0..more).map(|number| at(1_000_000 + number * 10_000, op, number, 1));
        asked("gc.concurrency");
        drive.run(writes(57).into_iter().chain(later).collect());
        asked("gc.concurrency").len()
    };
    let held_back = after(Op::Read, 0);
    assert!(held_back > 0);
    assert_eq!(after(Op::Read, 5), held_back + 5);
    assert_eq!(after(Op::Write, 3), held_back + 2 * 3);
}

/// After every event a limit that remembers is told the pages in use, those that are valid, and whether nothing
/// collects or waits to. The 57th page makes the plane want a job: it has one for a while; or it waits for one to the
/// end.
#[rstest]
#[case("notes", &[(1, 0), (0, 1), (1, 0)])]
#[case("notes_never", &[(1, 0), (0, 0)])]
fn a_limit_is_told_whether_all_is_drained(#[case] limit: &str, #[case] expected: &[(i64, i64)]) {
    let drive = TestDrive::one_plane().set("gc.concurrency", choice(limit));
    asked("gc.concurrency");
    drive.run(writes(57));
    let notes = asked("gc.concurrency");
    let mut seen: Vec<_> = notes.iter().map(|(numbers, jobs)| (numbers[2], jobs[0])).collect();
    seen.dedup();
    assert_eq!(seen, expected);
    // The first event after which something is wanted is the one that took the 57th page.
    let wanted = notes.iter().find(|(numbers, _)| numbers[2] == 0).unwrap();
    assert_eq!(wanted.0, [57, 31, 0]);
}

/// Four of five writes at once fill the block that the first of them opens, the last but one. The fifth finds no room,
/// is asked about when the job that this starts has erased a block, and not before.
#[test]
fn an_allocation_is_not_asked_about_a_page_for_which_no_plane_has_room() {
    let drive = TestDrive::one_plane().set("ftl.allocation", choice("any"));
    let burst = (0..5).map(|page| at(560_000, Op::Write, page, 1));
    let outcome = drive.run(writes(56).into_iter().chain(burst).collect());
    assert_eq!(counted(&outcome, "ftl.allocation", "deferred_placements"), 1);
    assert_eq!(outcome.results.gc.stalled_writes, 1);
}

/// Nothing is left that its one write could wait for: the run ends, and says what the answer was and why.
#[test]
fn an_allocation_that_never_names_a_plane_is_blamed() {
    let drive = TestDrive::one_plane().set("ftl.allocation", choice("nowhere"));
    let ended = std::panic::catch_unwind(|| drive.run(vec![at(0, Op::Write, 3, 1)]));
    let Fault(message) = *ended.map(drop).unwrap_err().downcast().expect("what a policy did wrong");
    assert!(message.contains("the answer -1 leaves nothing to do: for logical page 3"), "{message}");
}

/// Of four planes of 16 blocks of 4 pages two have 60 valid pages each, and no room beside the collector's block. The
/// next page goes to the second of them: it is that page and that plane which are named.
#[test]
fn an_allocation_that_names_a_full_plane_is_blamed() {
    let drive = TestDrive::of([4, 1, 1, 1]).set("ftl.allocation", choice("sixty_each"));
    let writes = (0..121).map(|page| at(page * 10_000, Op::Write, page, 1)).collect();
    let ended = std::panic::catch_unwind(|| drive.run(writes));
    let Fault(message) = *ended.map(drop).unwrap_err().downcast().expect("what a policy did wrong");
    let expected = "the answer 1 leaves nothing to do: for logical page 120: it is full of valid data";
    assert!(message.contains(expected), "{message}");
}

/// The second page waits because something waits for the plane, and is asked about again when that has begun.
#[test]
fn an_allocation_that_lets_a_page_wait_is_asked_again() {
    let drive = TestDrive::one_plane().set("ftl.allocation", choice("when_idle"));
    let alone = rows(&drive.run(vec![at(0, Op::Write, 3, 1)]))[0];
    let found = rows(&drive.run((0..3).map(|page| at(0, Op::Write, page, 1)).collect()));
    assert_eq!(found, [alone, 2 * alone, 3 * alone]);
}
