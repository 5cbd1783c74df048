//! Victim lists of channels, and a limit of channels that grows with the usage: `invalid-ratio` and `adaptive`.

use std::collections::BTreeSet;

use crate::common::refusals::{names, refused};
use crate::common::{TestDrive, at, trim};
use reclaim_sim::Outcome;
use reclaim_sim::flash::Geometry;
use reclaim_sim::ids::{ChannelId, Lpn, PlaneId};
use reclaim_sim::random::RandomStream;
use reclaim_trace::{Op, Record};
use rstest::rstest;

/// Bursts of overwrites and trims, with rests between them.
fn bursts(pages: u32, count: u32) -> Vec<Record> {
    let mut stream = RandomStream::new(11, "bursts");
    let mut now_us = 0;
    (0..count)
        .map(|k| {
            now_us += if k % 200 == 0 { 20_000 } else { u64::from(stream.below(60)) };
            let op = if stream.below(20) == 0 { Op::Trim } else { Op::Write };
            at(now_us, op, u64::from(stream.below(pages - 4)), u64::from(1 + stream.below(4)))
        })
        .collect()
}

/// Collection may start long before a plane is out of space.
fn eight_channels(concurrency: &str, trigger: &str) -> TestDrive {
    let drive = TestDrive::of([8, 1, 1, 2])
        .blocks(24, 16)
        .set("geometry.spare_factor", "40%")
        .set("warmup.kind", "filled")
        .set("gc.concurrency.kind", concurrency)
        .set("gc.trigger", format!("{{ kind = \"{trigger}\" }}"))
        .set("gc.trigger.hard", "1 block");
    let (key, value) = if trigger == "invalid-ratio" { ("ratio", "25%") } else { ("start", "6 blocks") };
    drive.set(&format!("gc.trigger.{key}"), value)
}

/// Instants at which jobs begin, none of them an emergency, and how many of those at which more channels collect then
/// than G(t) lets, by the paper's formula, computed here anew from the largest number of pages in use that a job saw.
fn beyond(
    outcome: &Outcome,
    geometry: &Geometry,
    [theta1, theta2]: [f64; 2],
    max_channels: f64,
) -> [usize; 2] {
    let log = outcome.gc_log.as_ref().unwrap();
    let limit = |used: u64| {
        let usage = used as f64 / f64::from(geometry.pages());
        if usage < theta1 {
            0.0
        } else if usage >= theta2 {
            max_channels
        } else {
            (max_channels * (usage - theta1) / (theta2 - theta1)).ceil()
        }
    };
    let (mut starts, mut beyond) = (0, 0);
    for now in log.start_ns.iter().copied().collect::<BTreeSet<_>>() {
        let jobs = 0..log.start_ns.len();
        let begun: Vec<_> = jobs.clone().filter(|job| log.start_ns[*job] == now).collect();
        if begun.iter().any(|job| log.emergency[*job] == 1) {
            continue;
        }
        let active = jobs.filter(|job| log.start_ns[*job] <= now && now < log.end_ns[*job]);
        let channel = |job: usize| geometry.channel_of(geometry.die_of(PlaneId(log.plane[job])));
        let channels = active.map(channel).collect::<BTreeSet<_>>().len();
        let used = begun.iter().map(|job| log.used_pages[*job]).max().unwrap_or(0);
        starts += 1;
        beyond += usize::from(channels as f64 > limit(used));
    }
    [starts, beyond]
}

#[rstest]
fn no_more_channels_collect_than_the_usage_allows(
    #[values("free-blocks", "frontier-filled", "invalid-ratio")] trigger: &str,
    #[values([0.6, 0.95], [0.8, 0.8], [0.7, 1.0])] thetas: [f64; 2],
) {
    let percent = |theta: f64| format!("{}%", (theta * 100.0).round());
    let drive = eight_channels("adaptive", trigger)
        .set("gc.concurrency.theta1", percent(thetas[0]))
        .set("gc.concurrency.theta2", percent(thetas[1]));
    let geometry = Geometry::new(&drive.config()).unwrap();
    let outcome = drive.run(bursts(geometry.logical_pages, 6_000));
    let [starts, beyond] = beyond(&outcome, &geometry, thetas, 4.0);
    assert!(starts > 30, "only {starts} starts");
    assert_eq!(beyond, 0, "of {starts}");
}

/// Without the limit the same workload does pass it, so the test above can fail.
#[test]
fn without_the_limit_more_channels_collect() {
    let drive = eight_channels("all", "free-blocks");
    let geometry = Geometry::new(&drive.config()).unwrap();
    let outcome = drive.run(bursts(geometry.logical_pages, 6_000));
    let [starts, beyond] = beyond(&outcome, &geometry, [0.7, 1.0], 4.0);
    assert!(beyond > starts / 10, "{beyond} of {starts}");
}

/// One channel of two planes. Blocks are listed when three of their four pages are invalid, and collected in that
/// order, whichever plane they lie in; or the one that has lost its fourth page, too, before the others.
#[rstest]
#[case("first-listed", [0, 1])]
#[case("most-invalid", [1, 0])]
fn listed_blocks_are_collected_in_the_order_of_the_list(#[case] order: &str, #[case] places: [usize; 2]) {
    let drive =
        TestDrive::of([1, 1, 1, 2]).set("gc.trigger.kind", "invalid-ratio").set("gc.trigger.ratio", "75%");
    let drive = drive.set("gc.trigger.hard", "1 block").set("gc.trigger.order", order);
    let mut ftl = drive.written(48);
    // Striping puts even pages in plane 0 and odd ones in plane 1: block b of plane p holds pages 8 b + p, + 2, + 4,
    // + 6.
    let block = |lpn: u32| {
        let copy = ftl.map().flash_copy(Lpn(lpn)).unwrap();
        ftl.geometry().block_of(copy)
    };
    let [late, first, second] = [block(0), block(9), block(16)];
    for lpn in [0, 2, 9, 11, 13, 16, 18, 20, 4, 22] {
        ftl.trim(Lpn(lpn));
    }
    let mut collected = Vec::new();
    while let Some(plane) = ftl.next_signal() {
        if ftl.wants_collection(plane, false, true) {
            assert!(!ftl.wants_collection(plane, false, false), "only an idle channel collects");
            collected.extend(ftl.begin_collection(plane));
            // The next is asked for when a victim is erased: here, by hand.
            ftl.signal_all();
        }
    }
    let listed = [first, second];
    assert_eq!(
        collected[..2],
        places.map(|place| listed[place]),
        "and {late:?} follows when plane 0 is free again"
    );
}

/// Two chips on a channel; even pages lie on chip 0. A write of page 1 begins, and 10 us later pages 0, 2 and 4 are
/// trimmed, which lists their block: chip 0 has nothing to do, the channel has. With `idle` the block waits until the
/// write has ended, without it is collected at once.
#[rstest]
#[case(true, 7 + 4_096 + 750_000)]
#[case(false, 10_000)]
fn a_listed_block_waits_for_the_channel_only_with_idle(#[case] idle: bool, #[case] after_ns: u64) {
    let drive = TestDrive::of([1, 2, 1, 1])
        .set("gc.trigger", "{ kind = \"invalid-ratio\", hard = \"1 block\", ratio = \"75%\" }")
        .set("gc.trigger.idle", idle);
    let mut records: Vec<_> = (0..16).map(|page| at(page * 10_000, Op::Write, page, 1)).collect();
    records.push(at(1_000_000, Op::Write, 1, 1));
    let trims = [0, 2, 4].map(|page| at(1_000_010, Op::Trim, page, 1));
    records.extend(trims);
    let log = drive.run(records).gc_log.unwrap();
    assert_eq!(log.start_ns, [1_000_000_000 + after_ns]);
    assert_eq!(log.plane, [0]);
}

/// A limit that waits for idle channels brings no listed block up where the trigger does not wait for them.
#[test]
fn without_idle_a_listed_block_is_asked_for_once() {
    let set = "{ kind = \"invalid-ratio\", hard = \"1 block\", ratio = \"75%\", idle = false }";
    let mut ftl = TestDrive::one_plane()
        .set("gc.trigger", set)
        .set("gc.concurrency", "{ kind = \"channels\", idle = true }")
        .written(8);
    trim(&mut ftl, 0..3);
    assert_eq!(ftl.next_signal(), Some(PlaneId(0)));
    assert!(ftl.wants_collection(PlaneId(0), false, false), "the channel may be busy");
    ftl.note_idle(ChannelId(0));
    assert_eq!(ftl.next_signal(), None);
}

/// A deleted file of a whole stripe of blocks makes victims of all of them at once: they queue up behind each other.
#[test]
fn one_large_delete_queues_many_victims() {
    let drive = TestDrive::of([4, 1, 1, 1])
        .blocks(32, 16)
        .set("gc.trigger.kind", "invalid-ratio")
        .set("gc.trigger.ratio", "70%")
        .set("gc.concurrency", "{ kind = \"channels\", share = \"50%\", idle = true }");
    // Pages 0 to 1023 fill 16 blocks of each of the four channels; then 12 of them lose all they hold.
    let mut records: Vec<_> = (0..64).map(|file| at(file * 10_000, Op::Write, file * 16, 16)).collect();
    records.push(at(1_000_000, Op::Trim, 0, 768));
    let outcome = drive.run(records);
    let listed = outcome.results.policies["gc.trigger"]["blocks_listed"].value;
    assert_eq!(listed, 48);
    let log = outcome.gc_log.unwrap();
    assert_eq!(log.start_ns.len(), 48, "all of them are collected");
    assert!(log.valid_pages.iter().all(|valid| *valid == 0) && log.emergency.iter().all(|each| *each == 0));
    // Half of the channels at once, from the delete on, each erase right after the other.
    let erase_ns = log.end_ns[0] - log.start_ns[0];
    assert_eq!(log.start_ns.iter().filter(|start| **start == 1_000_000_000).count(), 2);
    let rounds: Vec<_> = log.start_ns.iter().map(|start| (start - 1_000_000_000) / erase_ns).collect();
    assert_eq!(rounds.iter().max(), Some(&23));
}

/// Whatever the trigger: with `idle` no job begins on a channel that has something to do.
#[rstest]
fn with_idle_a_job_begins_on_a_channel_that_rests(
    #[values("free-blocks", "frontier-filled", "invalid-ratio")] trigger: &str,
    #[values("channels", "adaptive")] concurrency: &str,
) {
    let theta = [("gc.concurrency.theta1", "30%")];
    let theta = if concurrency == "adaptive" { &theta[..] } else { &[] };
    let set = |idle: bool| eight_channels(concurrency, trigger).set("gc.concurrency.idle", idle).with(theta);
    let geometry = Geometry::new(&set(true).config()).unwrap();
    // Jobs of a channel that begin while a request of it is under way, emergencies apart.
    let early = |outcome: &Outcome| {
        let (log, rows) = (outcome.gc_log.as_ref().unwrap(), outcome.requests.as_ref().unwrap());
        let begins = |job: &usize| {
            let channel = geometry.channel_of(geometry.die_of(PlaneId(log.plane[*job])));
            (0..rows.op.len()).any(|row| {
                let page = rows.offset_bytes[row] / 4096;
                rows.size_bytes[row] == 4096
                    && page % 8 == u64::from(channel.0)
                    && rows.arrival_ns[row] < log.start_ns[*job]
                    && log.start_ns[*job] < rows.completion_ns[row]
            })
        };
        let jobs = (0..log.start_ns.len()).filter(|job| log.emergency[*job] == 0);
        (jobs.clone().count(), jobs.filter(begins).count())
    };
    let single = |record| Record { size_bytes: 4096, ..record };
    let singles: Vec<_> = bursts(geometry.logical_pages, 4_000).into_iter().map(single).collect();
    let (jobs, begun_early) = early(&set(true).run(singles.clone()));
    assert!(jobs > 20, "only {jobs} jobs");
    assert_eq!(begun_early, 0, "of {jobs}");
    if trigger != "invalid-ratio" {
        let (_, begun_early) = early(&set(false).run(singles));
        assert!(begun_early > 0, "the test can fail");
    }
}

#[test]
fn what_is_refused() {
    let both = [("gc.concurrency.kind", "adaptive"), ("gc.trigger.kind", "invalid-ratio")];
    for (key, value, parts) in [
        ("gc.concurrency.theta1", "90%", "theta1 90%, theta2 85%: must be in that order"),
        ("gc.concurrency.max_channels", "0", "max_channels = 0; at least 1"),
        ("gc.trigger.ratio", "101%", "ratio 101%"),
    ] {
        names(&refused("gc-bypass", &[&both[..], &[(key, value)]].concat()), parts);
    }
    let (close, memory) = ("gc.concurrency.gate_close", "gc.concurrency.gate_memory");
    let gate = [("gc.concurrency.kind", "channels"), ("gc.concurrency.gate", "70%")];
    for (set, parts) in [
        (&[(memory, "latched")][..], "valid: none, until-drained, two-thresholds"),
        (&[(memory, "two-thresholds")], "gate_close: must be given"),
        (&[(memory, "two-thresholds"), (close, "71%")], "gate_close 71%: must be at most gate, 70%"),
        (&[(close, "60%")], "gate_close: |gate_memory = \"two-thresholds\""),
        (&[(memory, "until-drained"), ("gc.concurrency.gate", "0%")], "a gate of 0%"),
    ] {
        names(&refused("gc-bypass", &[&gate[..], set].concat()), parts);
    }
}
