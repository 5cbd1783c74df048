//! When a plane may collect and when it must wait, at the very page where the answer changes: `docs/model.md`, 5.3 and
//! 13.2.

use crate::common::prelude::*;

/// Channels of one plane of 25 blocks of 8 pages, 200 pages each.
fn channels(count: u32, concurrency: &str) -> Ftl {
    TestDrive::of([count, 1, 1, 1]).blocks(25, 8).set("gc.concurrency", format!("{{ {concurrency} }}")).ftl()
}

/// Of 200 pages 40 are programmed, those from `trimmed` on valid.
fn used(count: u32, concurrency: &str, trimmed: u32) -> Ftl {
    let mut ftl = channels(count, concurrency);
    write_pages(&mut ftl, 0..40);
    trim(&mut ftl, 0..trimmed);
    ftl
}

#[test]
fn the_gate_opens_at_its_share_of_what_is_in_use() {
    for (usage, gate, open) in [
        ("programmed", "20%", true),
        ("programmed", "20.1%", false),
        ("valid", "10%", true),
        ("valid", "10.1%", false),
    ] {
        let gate = format!("kind = \"channels\", gate = \"{gate}\", usage = \"{usage}\"");
        let mut ftl = used(1, &gate, 20);
        assert_eq!(ftl.channel_limit(&[0]), Some(u32::from(open)), "{gate}");
        assert_eq!(ftl.may_start(PLANE, &[0], true), open, "{gate}");
    }
}

/// Of 200 pages 40 are valid, the gate's 20 %; then ten less, then another, then as many as at first.
#[rstest]
#[case("", [true, false, false, true])]
#[case(", gate_memory = \"two-thresholds\", gate_close = \"15%\"", [true, true, false, true])]
#[case(", gate_memory = \"until-drained\"", [true, true, true, true])]
fn a_gate_remembers_what_it_is_told_to(#[case] memory: &str, #[case] expected: [bool; 4]) {
    let mut ftl = used(1, &format!("kind = \"channels\", gate = \"20%\", usage = \"valid\"{memory}"), 0);
    let mut found = Vec::new();
    for trimmed in [0..0, 0..10, 10..11, 0..0] {
        trim(&mut ftl, trimmed);
        if found.len() == 3 {
            write_pages(&mut ftl, 0..11);
        }
        ftl.look_at_limit(&[1], false);
        found.push(ftl.may_start(PLANE, &[0], true));
        assert_eq!(ftl.channel_limit(&[0]), Some(u32::from(found[found.len() - 1])));
    }
    assert_eq!(found, expected);
}

/// Nothing collects, nothing waits to, nothing is listed: each of the three alone keeps a gate open.
#[test]
fn a_gate_closes_when_it_is_drained() {
    for (nothing_waits, trimmed, open) in [(false, 7, true), (true, 8, true), (true, 7, false)] {
        let mut ftl = TestDrive::one_plane()
            .blocks(25, 8)
            .set("gc.trigger", "{ kind = \"invalid-ratio\", hard = \"1 block\", ratio = \"100%\" }")
            .set("gc.concurrency", "{ kind = \"channels\", gate = \"20%\", usage = \"valid\" }")
            .set("gc.concurrency.gate_memory", "until-drained")
            .ftl();
        write_pages(&mut ftl, 0..40);
        trim(&mut ftl, 0..trimmed);
        ftl.look_at_limit(&[0], nothing_waits);
        assert_eq!(ftl.channel_limit(&[0]), Some(u32::from(open)));
    }
    // Without time a gate is looked at after each page that is written.
    let memory = "gate = \"20%\", usage = \"valid\", gate_memory = \"until-drained\"";
    let mut ftl = used(1, &format!("kind = \"channels\", {memory}"), 2);
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
    let ftl = used(1, &format!("kind = \"adaptive\", {thetas}, usage = \"{usage}\""), 20);
    assert_eq!(ftl.channel_limit(&[0]), Some(limit));
}

/// Half of the channels, rounded down, and one at least.
#[test]
fn a_share_of_the_channels_is_rounded_down() {
    for (count, most) in [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2)] {
        let mut ftl = channels(count, "kind = \"channels\", share = \"50%\"");
        assert_eq!(ftl.channel_limit(&vec![0; count as usize]), Some(most));
        // As many as may collect do, from the first channel on: the last waits, the first goes on.
        let jobs: Vec<u32> = (0..count).map(|channel| u32::from(channel < most)).collect();
        assert!(ftl.may_start(PLANE, &jobs, true));
        assert_eq!(ftl.may_start(PlaneId(count - 1), &jobs, true), count == most);
    }
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

/// With `idle` the channel must rest, whatever the limit. A job that begins on a stalled plane of a channel at work is
/// an emergency then, although it is not beyond the limit.
#[rstest]
fn a_busy_channel_is_held_back_where_the_limit_waits_for_idle_ones(
    #[values("channels", "adaptive")] kind: &str,
    #[values(false, true)] waits: bool,
) {
    let more = if kind == "adaptive" { ", theta1 = \"0%\", theta2 = \"1%\"" } else { "" };
    let mut ftl = used(1, &format!("kind = \"{kind}\", idle = {waits}{more}"), 0);
    assert!(ftl.may_start(PLANE, &[0], true));
    assert_eq!(ftl.may_start(PLANE, &[0], false), !waits);
    let mut counted = |channel_idle| {
        ftl.note_emergency(PLANE, &[0], channel_idle);
        ftl.policy_readings().concurrency[1].count
    };
    assert_eq!([counted(true), counted(false)], [0, u64::from(waits)]);
}

/// The channel is at work when the plane is stalled: the write that is stalled waits there. So the job that begins for
/// it is an emergency: of block 6, which the writes before it have filled with versions of one page.
#[rstest]
#[case("{ kind = \"channels\", idle = true }")]
#[case("{ kind = \"adaptive\", idle = true, theta1 = \"0%\", theta2 = \"1%\" }")]
fn a_stalled_write_keeps_its_own_channel_at_work(#[case] concurrency: &str) {
    let mut records = history();
    records.extend([at_ns(records[24].time_ns + 1_000, Op::Write, 13); 4]);
    let drive = TestDrive::one_plane().set("geometry.blocks_per_plane", 8).set("gc.trigger.hard", "off");
    let outcome = drive.set("gc.concurrency", concurrency).run(records);
    assert_eq!(counted(&outcome, "gc.concurrency", "emergency_starts"), 1);
    let log = outcome.gc_log.unwrap();
    assert_eq!((log.victim_block[0], log.valid_pages[0]), (6, 0));
    assert_eq!((log.emergency[0], log.emergency.iter().sum::<u8>()), (1, 1));
}

/// Two channels of which one may collect: with the ninth write both planes want to, and one waits. It is refused when
/// it asks, and again when a job of the other has ended and that plane goes on; the pages that are moved meanwhile
/// change nothing that the limit goes by, and nobody asks.
#[test]
fn a_plane_that_waits_asks_when_jobs_end() {
    let records =
        (0..16).chain(NINE).enumerate().map(|(k, page)| at(k as u64 * 10_000, Op::Write, 2 * page, 2));
    let drive = TestDrive::of([2, 1, 1, 1]).set("geometry.blocks_per_plane", 8);
    let outcome =
        drive.set("gc.concurrency", "{ kind = \"channels\", share = \"50%\" }").run(records.collect());
    let log = outcome.gc_log.as_ref().unwrap();
    assert_eq!((&log.plane[..], &log.valid_pages[..]), (&[1, 1, 0, 0][..], &[1, 1, 1, 1][..]));
    assert_eq!(counted(&outcome, "gc.concurrency", "refused_starts"), 2);
}

/// What is looked at when something has happened, beside planes whose space has changed: channels that fall idle, for
/// the trigger or for the limit; a limit that holds jobs back, that changes, and that goes by what was, too.
#[test]
fn occasions_to_collect_are_looked_for_where_a_policy_asks_for_them() {
    let (trigger, limit) = ("gc.trigger", "gc.concurrency");
    let memory = "{ kind = \"channels\", gate = \"20%\", gate_memory = \"until-drained\" }";
    for (key, value, expected) in [
        (trigger, "free-blocks", [0; 6]),
        (trigger, "foreground", [0; 6]),
        (trigger, "frontier-filled", [0; 6]),
        (trigger, "{ kind = \"invalid-ratio\", idle = false }", [0; 6]),
        (trigger, "invalid-ratio", [1, 0, 0, 0, 0, 0]),
        (limit, "all", [0; 6]),
        (limit, "channels", [0, 0, 1, 0, 0, 0]),
        (limit, "{ kind = \"channels\", idle = true }", [1, 1, 1, 0, 0, 0]),
        (limit, "{ kind = \"channels\", gate = \"20%\" }", [0, 0, 1, 1, 0, 0]),
        (limit, memory, [0, 0, 1, 1, 1, 0]),
        (limit, "adaptive", [0, 0, 1, 1, 0, 0]),
        (limit, "{ kind = \"adaptive\", idle = true }", [1, 1, 1, 1, 0, 0]),
    ] {
        let ftl = TestDrive::one_plane().set("gc.trigger.hard", "1 block").set(key, value).ftl();
        let found = [
            ftl.waits_for_idle(),
            ftl.limit_waits_for_idle(),
            ftl.limits_jobs(),
            ftl.limit_changes(),
            ftl.limit_remembers(),
            // As only policies in Python do.
            ftl.limit_changes_with_everything(),
        ];
        assert_eq!(found.map(u8::from), expected, "{key} {value}");
        assert_eq!(ftl.has_occasions(), expected.contains(&1), "{key} {value}");
    }
}

/// Of four pages so many must be invalid: the share is never rounded down.
#[test]
fn a_block_is_listed_with_the_page_that_reaches_the_ratio() {
    for (ratio, invalid) in [("50%", 2), ("51%", 3), ("70%", 3), ("75%", 3), ("76%", 4)] {
        let trigger = format!("{{ kind = \"invalid-ratio\", hard = \"1 block\", ratio = \"{ratio}\" }}");
        let mut ftl = TestDrive::one_plane().set("gc.trigger", trigger).ftl();
        write_pages(&mut ftl, 0..8);
        trim(&mut ftl, 0..invalid - 1);
        assert_eq!((ftl.policy_readings().trigger[0].count, ftl.next_signal()), (0, None));
        trim(&mut ftl, invalid - 1..invalid);
        assert_eq!((ftl.policy_readings().trigger[0].count, ftl.next_signal()), (1, Some(PLANE)));
    }
}

/// Three blocks are listed, the first in plane 1 and the others in plane 0. Each time only the plane of the first is
/// signalled, so the erase of one must bring up the next.
#[test]
fn an_erase_has_the_next_listed_block_collected() {
    let mut ftl = TestDrive::of([1, 1, 1, 2])
        .set("gc.trigger", "{ kind = \"invalid-ratio\", hard = \"1 block\", ratio = \"75%\" }")
        .ftl();
    // Block b of plane p holds pages 8 b + p, + 2, + 4, + 6.
    write_pages(&mut ftl, 0..48);
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
