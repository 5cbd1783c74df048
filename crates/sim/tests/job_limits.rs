//! When a plane may collect and when it must wait, at the very page where the answer changes: `docs/model.md`, 5.3 and
//! 13.2.

use crate::common::{PLANE, TestDrive, at, spaced_writes, trim};
use reclaim_sim::ftl::Ftl;
use reclaim_sim::ids::{Lpn, PlaneId};
use reclaim_trace::{Op, Record};
use rstest::rstest;

/// Channels of one plane of 25 blocks of 8 pages, 200 pages each.
fn channels(count: u32, concurrency: &str) -> Ftl {
    TestDrive::of([count, 1, 1, 1]).blocks(25, 8).set("gc.concurrency", format!("{{ {concurrency} }}")).ftl()
}

/// Of 200 pages 40 are programmed, 20 of them valid.
fn half_valid(concurrency: &str) -> Ftl {
    let mut ftl = channels(1, concurrency);
    (0..40).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, 0..20);
    ftl
}

#[rstest]
#[case("programmed", "20%", true)]
#[case("programmed", "20.1%", false)]
#[case("valid", "10%", true)]
#[case("valid", "10.1%", false)]
fn the_gate_opens_at_its_share_of_what_is_in_use(
    #[case] usage: &str,
    #[case] gate: &str,
    #[case] open: bool,
) {
    let mut ftl = half_valid(&format!("kind = \"channels\", gate = \"{gate}\", usage = \"{usage}\""));
    assert_eq!(ftl.channel_limit(&[0]), Some(u32::from(open)));
    assert_eq!(ftl.may_start(PLANE, &[0], true), open);
}

/// Of 200 pages 40 are valid, the gate's 20 %; then ten less, then another, then as many as at first.
#[rstest]
#[case("", [true, false, false, true])]
#[case("gate_memory = \"two-thresholds\", gate_close = \"15%\"", [true, true, false, true])]
#[case("gate_memory = \"until-drained\"", [true, true, true, true])]
fn a_gate_remembers_what_it_is_told_to(#[case] memory: &str, #[case] expected: [bool; 4]) {
    let comma = if memory.is_empty() { "" } else { ", " };
    let mut ftl =
        channels(1, &format!("kind = \"channels\", gate = \"20%\", usage = \"valid\"{comma}{memory}"));
    (0..40).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    let mut found = Vec::new();
    for trimmed in [0..0, 0..10, 10..11, 0..0] {
        trim(&mut ftl, trimmed);
        if found.len() == 3 {
            (0..11).for_each(|lpn| ftl.write_now(Lpn(lpn)));
        }
        ftl.look_at_limit(&[1], false);
        found.push(ftl.may_start(PLANE, &[0], true));
        assert_eq!(ftl.channel_limit(&[0]), Some(u32::from(found[found.len() - 1])));
    }
    assert_eq!(found, expected);
}

/// Nothing collects, nothing waits to, nothing is listed: each of the three alone keeps a gate open.
#[rstest]
#[case(false, false, true)]
#[case(true, true, true)]
#[case(true, false, false)]
fn a_gate_closes_when_it_is_drained(
    #[case] nothing_waits: bool,
    #[case] is_listed: bool,
    #[case] open: bool,
) {
    let mut ftl = TestDrive::one_plane()
        .blocks(25, 8)
        .set("gc.trigger", "{ kind = \"invalid-ratio\", hard = \"1 block\", ratio = \"100%\" }")
        .set("gc.concurrency", "{ kind = \"channels\", gate = \"20%\", usage = \"valid\" }")
        .set("gc.concurrency.gate_memory", "until-drained")
        .ftl();
    (0..40).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, if is_listed { 0..8 } else { 0..7 });
    ftl.look_at_limit(&[0], nothing_waits);
    assert_eq!(ftl.channel_limit(&[0]), Some(u32::from(open)));
}

/// Without time a gate is looked at after each page that is written.
#[test]
fn an_untimed_write_closes_a_drained_gate() {
    let memory = "gate = \"20%\", usage = \"valid\", gate_memory = \"until-drained\"";
    let mut ftl = channels(1, &format!("kind = \"channels\", {memory}"));
    (0..40).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, 0..2);
    assert_eq!(ftl.channel_limit(&[0]), Some(1));
    ftl.write_now(Lpn(0));
    assert_eq!(ftl.channel_limit(&[0]), Some(0));
}

/// With thetas of 5 % and 25 % and four channels, G of 20 % is 3 and G of 10 % is 1.
#[rstest]
#[case("programmed", 3)]
#[case("valid", 1)]
fn g_goes_by_what_counts_as_in_use(#[case] usage: &str, #[case] limit: u32) {
    let thetas = "theta1 = \"5%\", theta2 = \"25%\"";
    let ftl = half_valid(&format!("kind = \"adaptive\", {thetas}, usage = \"{usage}\""));
    assert_eq!(ftl.channel_limit(&[0]), Some(limit));
}

/// Half of the channels, rounded down, and one at least.
#[rstest]
#[case(1, 1)]
#[case(2, 1)]
#[case(3, 1)]
#[case(4, 2)]
#[case(5, 2)]
fn a_share_of_the_channels_is_rounded_down(#[case] count: u32, #[case] most: u32) {
    let mut ftl = channels(count, "kind = \"channels\", share = \"50%\"");
    assert_eq!(ftl.channel_limit(&vec![0; count as usize]), Some(most));
    // As many as may collect do, from the first channel on: the last waits, the first goes on.
    let jobs: Vec<u32> = (0..count).map(|channel| u32::from(channel < most)).collect();
    assert!(ftl.may_start(PLANE, &jobs, true));
    assert_eq!(ftl.may_start(PlaneId(count - 1), &jobs, true), count == most);
}

/// Jobs that nothing holds back count as emergencies only where the limit would have held them back.
#[rstest]
#[case::one_channel_may("kind = \"channels\", share = \"25%\"", [0, 0, 1, 1])]
#[case::g_is_one("kind = \"adaptive\", theta1 = \"0%\", theta2 = \"100%\", max_channels = 1", [0, 0, 1, 1])]
#[case::g_is_zero("kind = \"adaptive\", theta1 = \"100%\", theta2 = \"100%\"", [1, 1, 1, 1])]
fn only_jobs_beyond_the_limit_are_emergencies(#[case] concurrency: &str, #[case] expected: [u64; 4]) {
    // Jobs of channels 0 and 1 while a job of channel 1 begins.
    let found = [[0, 0], [0, 1], [1, 0], [2, 0]].map(|jobs| {
        let mut ftl = channels(2, concurrency);
        ftl.write_now(Lpn(0));
        ftl.note_emergency(PlaneId(1), &jobs, true);
        ftl.policy_readings().concurrency[1].count
    });
    assert_eq!(found, expected);
}

/// With `idle` the channel must rest, whatever the limit.
#[rstest]
fn a_busy_channel_is_held_back_where_the_limit_waits_for_idle_ones(
    #[values("channels", "adaptive")] kind: &str,
    #[values(false, true)] waits: bool,
) {
    let more = if kind == "adaptive" { ", theta1 = \"0%\", theta2 = \"1%\"" } else { "" };
    let mut ftl = channels(1, &format!("kind = \"{kind}\", idle = {waits}{more}"));
    (0..40).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    assert!(ftl.may_start(PLANE, &[0], true));
    assert_eq!(ftl.may_start(PLANE, &[0], false), !waits);
}

/// A job that begins on a stalled plane of a channel at work is an emergency where the limit waits for idle ones,
/// although it is not beyond the limit.
#[rstest]
fn a_job_that_does_not_wait_for_its_channel_is_an_emergency(
    #[values("channels", "adaptive")] kind: &str,
    #[values(false, true)] waits: bool,
) {
    let more = if kind == "adaptive" { ", theta1 = \"0%\", theta2 = \"1%\"" } else { "" };
    let mut ftl = channels(1, &format!("kind = \"{kind}\", idle = {waits}{more}"));
    (0..40).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    let mut counted = |channel_idle| {
        ftl.note_emergency(PLANE, &[0], channel_idle);
        ftl.policy_readings().concurrency[1].count
    };
    assert_eq!([counted(true), counted(false)], [0, u64::from(waits)]);
}

/// The channel is at work when the plane is stalled: the write that is stalled waits there. So the job that begins for
/// it is an emergency: of block 6, which the writes before it have filled with versions of one page.
#[rstest]
fn a_stalled_write_keeps_its_own_channel_at_work(#[values("channels", "adaptive")] kind: &str) {
    let pages: Vec<u64> = (0..16).chain([0, 1, 2, 4, 6, 8, 10, 11, 13]).collect();
    let mut records = spaced_writes(&pages);
    let time_ns = records[24].time_ns + 1_000;
    records.extend([Record { time_ns, ..at(0, Op::Write, 13, 1) }; 4]);
    let drive = TestDrive::one_plane().set("geometry.blocks_per_plane", 8).set("gc.concurrency", kind);
    let drive = if kind == "adaptive" {
        drive.set("gc.concurrency.theta1", "0%").set("gc.concurrency.theta2", "1%")
    } else {
        drive
    };
    let outcome = drive.set("gc.concurrency.idle", true).set("gc.trigger.hard", "off").run(records);
    let log = outcome.gc_log.unwrap();
    assert_eq!((log.victim_block[0], log.valid_pages[0]), (6, 0));
    assert_eq!(log.emergency.iter().position(|emergency| *emergency == 1), Some(0));
    assert_eq!(log.emergency.iter().sum::<u8>(), 1);
    assert_eq!(outcome.results.policies["gc.concurrency"]["emergency_starts"].value, 1);
}

/// What is looked at when something has happened, beside planes whose space has changed: channels that fall idle, for
/// the trigger or for the limit; a limit that holds jobs back, that changes, and that goes by what was, too.
#[rstest]
#[case::free_blocks("gc.trigger", "free-blocks", [false; 5])]
#[case::foreground("gc.trigger", "foreground", [false; 5])]
#[case::frontier_filled("gc.trigger", "frontier-filled", [false; 5])]
#[case::listed_at_once("gc.trigger", "{ kind = \"invalid-ratio\", idle = false }", [false; 5])]
#[case::listed("gc.trigger", "invalid-ratio", [true, false, false, false, false])]
#[case::all("gc.concurrency", "all", [false; 5])]
#[case::share("gc.concurrency", "channels", [false, false, true, false, false])]
#[case::share_of_idle(
    "gc.concurrency",
    "{ kind = \"channels\", idle = true }",
    [true, true, true, false, false]
)]
#[case::gate("gc.concurrency", "{ kind = \"channels\", gate = \"20%\" }", [false, false, true, true, false])]
#[case::gate_with_memory(
    "gc.concurrency",
    "{ kind = \"channels\", gate = \"20%\", gate_memory = \"until-drained\" }",
    [false, false, true, true, true]
)]
#[case::g("gc.concurrency", "adaptive", [false, false, true, true, false])]
#[case::g_of_idle("gc.concurrency", "{ kind = \"adaptive\", idle = true }", [true, true, true, true, false])]
fn occasions_to_collect_are_looked_for_where_a_policy_asks_for_them(
    #[case] key: &str,
    #[case] value: &str,
    #[case] expected: [bool; 5],
) {
    let ftl = TestDrive::one_plane().set("gc.trigger.hard", "1 block").set(key, value).ftl();
    let found = [
        ftl.waits_for_idle(),
        ftl.limit_waits_for_idle(),
        ftl.limits_jobs(),
        ftl.limit_changes(),
        ftl.limit_remembers(),
    ];
    assert_eq!(found, expected);
    assert_eq!(ftl.has_occasions(), expected.contains(&true));
}

/// Of four pages so many must be invalid: the share is never rounded down.
#[rstest]
#[case("50%", 2)]
#[case("51%", 3)]
#[case("70%", 3)]
#[case("75%", 3)]
#[case("76%", 4)]
fn a_block_is_listed_with_the_page_that_reaches_the_ratio(#[case] ratio: &str, #[case] invalid: u32) {
    let mut ftl = TestDrive::one_plane()
        .set("gc.trigger", format!("{{ kind = \"invalid-ratio\", hard = \"1 block\", ratio = \"{ratio}\" }}"))
        .ftl();
    (0..8).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, 0..invalid - 1);
    assert_eq!((ftl.policy_readings().trigger[0].count, ftl.next_signal()), (0, None));
    trim(&mut ftl, invalid - 1..invalid);
    assert_eq!((ftl.policy_readings().trigger[0].count, ftl.next_signal()), (1, Some(PLANE)));
}

/// Three blocks are listed, the first in plane 1 and the others in plane 0. Each time only the plane of the first is
/// signalled, so the erase of one must bring up the next.
#[test]
fn an_erase_has_the_next_listed_block_collected() {
    let mut ftl = TestDrive::of([1, 1, 1, 2])
        .set("gc.trigger", "{ kind = \"invalid-ratio\", hard = \"1 block\", ratio = \"75%\" }")
        .ftl();
    // Block b of plane p holds pages 8 b + p, + 2, + 4, + 6.
    (0..48).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    trim(&mut ftl, [9, 11, 13, 16, 18, 20, 0, 2, 4]);
    assert_eq!(ftl.counters().jobs, 0);
    ftl.write_now(Lpn(1));
    assert_eq!((ftl.counters().jobs, ftl.counters().erases), (3, 3));
}

/// One write after the other fills a plane down to two free blocks, its level. The read that comes then has it
/// collected, unless collection waits for writes; the next write has it collected in any case.
#[rstest]
#[case("any", 1)]
#[case("writes", 0)]
fn the_foreground_collects_for_what_it_waits_for(#[case] waits_for: &str, #[case] jobs_for_a_read: u64) {
    let trigger = format!("{{ kind = \"foreground\", start = \"2 blocks\", waits_for = \"{waits_for}\" }}");
    let drive = TestDrive::one_plane().set("gc.trigger", trigger);
    // The 53rd page opens the 14th of 16 blocks.
    let mut records: Vec<_> = (0..53).map(|k| at(k * 10_000, Op::Write, k % 32, 1)).collect();
    records.push(at(1_000_000, Op::Read, 30, 1));
    assert_eq!(drive.run(records.clone()).results.gc.jobs, jobs_for_a_read);
    records.push(at(2_000_000, Op::Write, 30, 1));
    assert_eq!(drive.run(records).results.gc.jobs, 1);
}
