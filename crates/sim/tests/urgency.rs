//! When collection goes before the host, and how many reads of the host meet that: `docs/model.md`, 5.1 and 14.1.

use crate::common::prelude::*;
use reclaim_sim::results::Code;

/// When the last write of the history comes, and when it lets go of the die and a job begins to work.
const JOB: u64 = 24 * 10_000_000 + WRITE;
const BOTH_JOBS: u64 = 2 * (READ + WRITE + ERASE);

/// One plane of 8 blocks of 4 pages, 16 of them for the host. Pages 0 to 15 in order, then nine again: the last opens
/// block 6, leaves one free and starts collection, of block 0 for page 3 and then of block 2 for page 9. The program of
/// page 3 takes the last free block, and the erase of block 0 gives one back. A read of page 5 comes so long after the
/// job has begun, behind as many reads of a quiet drive as are asked for.
fn read_during_the_job(hard: &str, scheduler: &str, after_ns: u64, quiet_reads: u64) -> Results {
    let mut records = history();
    let quiet = (0..quiet_reads).map(|k| at_ns(155_000_000 + k * 10_000, Op::Read, 5));
    records.extend(quiet);
    records.push(at_ns(JOB + after_ns, Op::Read, 5));
    records.sort_by_key(|record| record.time_ns);
    let drive = TestDrive::one_plane().blocks(8, 4).set("scheduler", scheduler);
    drive.set("gc.trigger.hard", hard).run(records).results
}

#[test]
fn a_read_waits_for_a_job_where_that_is_urgent() {
    // During the read of page 3 one block is free; during its program none is.
    for (hard, after_ns, waits_ns, urgent) in [
        ("1 block", 1_000, BOTH_JOBS - 1_000, 1),
        ("1 block", READ + 1_000, BOTH_JOBS - READ - 1_000, 1),
        ("0 blocks", 1_000, READ - 1_000, 0),
        ("0 blocks", READ + 1_000, WRITE - 1_000 + ERASE, 1),
        ("off", 1_000, READ - 1_000, 0),
        ("off", READ + 1_000, WRITE - 1_000, 0),
    ] {
        let results = read_during_the_job(hard, "read-first", after_ns, 0);
        assert_eq!(results.requests.read.max_ns, waits_ns + READ, "{hard} {after_ns}");
        assert_eq!((results.flash.queued_reads, results.flash.urgent_reads), (1, urgent));
    }
}

/// The share of urgent reads decides, where the scheduler makes them wait.
#[test]
fn many_urgent_reads_are_a_doubt() {
    for (hard, scheduler, quiet_reads, expected) in [
        ("1 block", "read-first", 8, [1, 0]),
        ("1 block", "read-first", 9, [0, 1]),
        ("1 block", "read-first", 98, [0, 1]),
        ("1 block", "read-first", 99, [0, 0]),
        ("off", "read-first", 0, [0, 0]),
        ("1 block", "fcfs", 0, [0, 0]),
    ] {
        let results = read_during_the_job(hard, scheduler, 1_000, quiet_reads);
        assert_eq!(results.flash.queued_reads, quiet_reads + 1);
        let verdict = &results.verdict;
        let found = [&verdict.doubts, &verdict.notes]
            .map(|remarks| remarks.iter().filter(|remark| remark.code == Code::UrgentReads).count());
        assert_eq!(found, expected, "{hard} {scheduler} {quiet_reads}");
    }
}

/// A plane out of space is collected all the same, with nothing listed and never before the host.
#[rstest]
#[case("off", false)]
#[case("1 block", true)]
fn with_victim_lists_a_plane_out_of_space_is_collected_in_any_case(#[case] hard: &str, #[case] urgent: bool) {
    let trigger = format!("{{ kind = \"invalid-ratio\", ratio = \"100%\", hard = \"{hard}\" }}");
    let mut ftl = TestDrive::one_plane().set("gc.trigger", trigger).ftl();
    // Eight blocks keep one valid page each, six are valid: none is listed. The next page opens the 15th of 16.
    (0..32).chain((0..32).filter(|lpn| lpn % 4 != 3)).for_each(|lpn| ftl.write_now(Lpn(lpn)));
    assert_eq!(ftl.counters().jobs, 0);
    ftl.write_now(Lpn(0));
    // One free block is left. The first job takes it for what it moves and gives one back, the second makes two.
    assert_eq!(ftl.counters().jobs, 2);
    let answers = ftl.policy_readings().trigger[1].count;
    assert_eq!(answers > 0, urgent);
}

#[test]
fn levels_that_coincide_are_told() {
    for (start, hard, blocks, coincide) in [
        ("1 block", "1 block", Some(1), true),
        ("2 blocks", "2 blocks", Some(2), true),
        ("2 blocks", "0.5%", Some(1), false),
        ("1 block", "0 blocks", Some(0), false),
        ("1 block", "off", None, false),
    ] {
        let drive = TestDrive::one_plane().set("gc.trigger.start", start).set("gc.trigger.hard", hard);
        let facts = derive_facts(&drive.config(), None);
        assert_eq!(facts.gc_urgent_blocks, blocks);
        let told = facts.urgent_from_the_start;
        assert_eq!(told.is_some_and(|text| text.matches(start).count() == 2), coincide, "{start} {hard}");
    }
    // Victim lists make collection start long before a level that is a last resort.
    let drive = TestDrive::one_plane().set("gc.trigger", "{ kind = \"invalid-ratio\" }");
    let facts = derive_facts(&drive.config(), None);
    assert_eq!((facts.gc_urgent_blocks, facts.urgent_from_the_start), (Some(1), None));
}
