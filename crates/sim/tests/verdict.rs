//! Verdicts that hold: which runs can be trusted, which figures of others are not established, and what settles them.

use crate::common::{Saved, TestDrive, at, config, run};
use reclaim_sim::random::RandomStream;
use reclaim_sim::results::{Code, Level, Remark, Verdict};
use reclaim_sim::{Results, derive_facts};
use reclaim_trace::{OnError, Op, OpenOptions, Record, Trace, UniformSpec};
use rstest::rstest;

/// Two channels of one die, 96 blocks of 32 pages each, a quarter of them spare.
fn drive(more: &[(&str, &str)]) -> reclaim_sim::Config {
    test_drive(more).config()
}

fn test_drive(more: &[(&str, &str)]) -> TestDrive {
    TestDrive::of([2, 1, 1, 1])
        .blocks(96, 32)
        .with(&[
            ("geometry.spare_factor", "25%"),
            ("gc.trigger.start", "5%"),
            ("controller.write_buffer", "128KiB"),
        ])
        .with(more)
}

fn pages() -> u64 {
    u64::from(derive_facts(&drive(&[]), None).logical_pages)
}

/// Writes of single pages, every page of the drive as likely as any other.
fn uniform(count: u64) -> Trace {
    Trace::uniform(UniformSpec {
        footprint_bytes: pages() * 4096,
        request_bytes: 4096,
        count,
        write_fraction: 1.0,
        trim_fraction: 0.0,
        mean_interarrival_ns: 4_000_000,
        seed: 9,
    })
}

/// Writes over the first tenth of the drive, in order and again from the beginning.
fn sweep(writes: u64) -> Trace {
    let hot = pages() / 10;
    let records = (0..writes).map(|k| at(4_000 * k, Op::Write, k % hot, 1));
    Trace::from_records("sweep", records.collect::<Vec<_>>())
}

fn results(set: &[(&str, &str)], trace: &Trace) -> Results {
    let outcome = run(&drive(set), trace).unwrap();
    assert!(outcome.results.audit.as_ref().is_some_and(|audit| audit.passed));
    outcome.results
}

fn doubt(verdict: &Verdict, code: Code) -> &Remark {
    let found = verdict.doubts.iter().find(|doubt| doubt.code == code);
    found.unwrap_or_else(|| panic!("no {} in {verdict:?}", code.text()))
}

fn codes(remarks: &[Remark]) -> Vec<Code> {
    remarks.iter().map(|remark| remark.code).collect()
}

/// Two writes of three pages, one of them again and in part, in a drive of so many pages.
#[test]
fn what_one_play_writes_is_counted_and_told_of_where_it_is_played_again() {
    let records = vec![at(0, Op::Write, 0, 3), at(4_000, Op::Read, 9, 1), at(8_000, Op::Write, 2, 3)];
    let trace = Trace::from_records("short", records);
    let once = results(&[], &trace);
    assert_eq!((once.one_play.pages_written, once.one_play.distinct_pages_written), (6, 5));
    assert_eq!(once.one_play.written_share, 6.0 / pages() as f64);
    assert_eq!(once.one_play.distinct_share, 5.0 / pages() as f64);
    assert!(!codes(&once.verdict.notes).contains(&Code::RepeatedTrace));

    let note = |set: &[(&str, &str)], trace: &Trace| {
        let found = results(set, trace);
        assert_eq!(found.one_play.pages_written, once.one_play.pages_written);
        let note = found.verdict.notes.into_iter().find(|note| note.code == Code::RepeatedTrace).unwrap();
        (note.message, note.remedy.unwrap())
    };
    let (message, remedy) = note(&[("trace.repeat", "20")], &trace);
    let share = |pages: u64, of: u64| format!("{:.1} %", pages as f64 * 100.0 / of as f64);
    let begins = format!(
        "One play of the trace writes {} of the user capacity, to {} of its pages. It was played 20 times, \
         always in the same order, so what is written often never changes",
        share(6, pages()),
        share(5, pages())
    );
    assert!(message.starts_with(&begins), "{message}");
    assert!(remedy.contains("--repeat-order shuffled"), "{remedy}");
    let (message, _) = note(&[("warmup.kind", "workload")], &trace);
    assert!(message.contains("Warm-up played it, too, always in the same order"), "{message}");
    let shuffled = [("warmup.kind", "workload"), ("trace.repeat", "2"), ("trace.repeat_order", "shuffled")];
    let (message, remedy) = note(&shuffled, &trace);
    assert!(message.contains("It was played 2 times, and in warm-up, too, each time in another order"));
    assert_eq!(remedy, "a longer trace");

    // A trace that writes the drive over is a workload of its own.
    let long = results(&[("trace.repeat", "2")], &uniform(pages()));
    assert_eq!(long.one_play.written_share, 1.0);
    assert!(!codes(&long.verdict.notes).contains(&Code::RepeatedTrace));
}

/// Every plane stands close before its next round of collection when warm-up ends, and a run of a few writes pays for
/// whole rounds.
#[test]
fn a_few_writes_after_warm_up_establish_nothing() {
    // 64 planes, which warm-up has filled in step: it ends with the last page of an open block in each.
    let trigger = ("gc.trigger", "{ kind = \"free-blocks\", start = \"5%\" }");
    let set = [("ftl.allocation", "dynamic"), trigger, ("warmup.kind", "steady")];
    let drive = config("deferred-raid-mini", &set);
    let trace = Trace::uniform(UniformSpec {
        footprint_bytes: u64::from(derive_facts(&drive, None).logical_pages) * 4096,
        request_bytes: 4096,
        count: 64,
        write_fraction: 1.0,
        trim_fraction: 0.0,
        mean_interarrival_ns: 100_000,
        seed: 1,
    });
    let results = run(&drive, &trace).unwrap().results;
    assert!(results.gc.write_amplification.unwrap() > 50.0, "{:?}", results.gc);
    let verdict = &results.verdict;
    assert_eq!(verdict.level, Level::NotEstablished, "{verdict:?}");
    let space = doubt(verdict, Code::FreeSpaceDrifts);
    for figure in ["gc.write_amplification", "requests.write.p99_ns", "gc.host_write_stall_ns"] {
        assert!(space.figures.iter().any(|known| known == figure), "{figure} in {space:?}");
    }
    assert!(
        space.remedy.as_ref().is_some_and(|remedy| remedy.contains("--measure-after first-round")),
        "{space:?}"
    );
}

/// The same run, measured from the end of those rounds on: what the rest costs, whatever the beginning did.
#[test]
fn measuring_after_the_first_round_leaves_those_rounds_out() {
    let warm = ("warmup.kind", "steady");
    let long = results(&[warm], &uniform(40_000)).gc.write_amplification.unwrap();
    let trace = uniform(2_000);
    let whole = results(&[warm], &trace);
    let rest = results(&[warm, ("measure.after", "first-round")], &trace);
    let amplification = |results: &Results| results.gc.write_amplification.unwrap();
    assert!((amplification(&rest) / long - 1.0).abs() < 0.10, "{} beside {long}", amplification(&rest));
    let counted = rest.requests.write.count;
    assert_eq!(counted + rest.measure.requests_before, 2_000);
    assert_eq!((rest.measure.planes_awaited, rest.measure.planes_ready), (2, 2));
    assert!(rest.measure.requests_before > 0);
    // What is left out is over, and what is counted began later.
    let from = rest.measure.from_ns.unwrap();
    assert_eq!(rest.simulated_ns + from, whole.simulated_ns);
    assert!(rest.gc.jobs < whole.gc.jobs && rest.flash.host_programs < whole.flash.host_programs);
    assert!(rest.utilisation.die <= 1.0 && rest.utilisation.channel <= 1.0);
    assert_eq!(whole.measure.requests_before, 0);
}

#[test]
fn measuring_after_a_share_counts_the_requests_after_it() {
    let set = [("warmup.kind", "steady"), ("measure.after", "25%")];
    let options = reclaim_sim::RunOptions { record_requests: true, audit: true, ..Default::default() };
    let trace = uniform(2_000);
    let go_on = &mut |_: &_| std::ops::ControlFlow::Continue(());
    let outcome = reclaim_sim::simulate(&drive(&set), &trace, &options, go_on).unwrap();
    let (results, table) = (outcome.results, outcome.requests.unwrap());
    assert_eq!((results.requests.write.count, results.measure.requests_before), (1_500, 500));
    assert_eq!(table.op.len(), 1_500, "recorded tables begin there, too");
    assert!(table.arrival_ns.iter().all(|arrival| *arrival >= results.measure.from_ns.unwrap()));
    assert_eq!(outcome.histograms[1].len(), 1_500);
    assert!(results.audit.is_some_and(|audit| audit.passed));
}

#[test]
fn a_run_that_is_never_measured_says_how_far_it_came() {
    let set = [("warmup.kind", "filled"), ("measure.after", "first-round")];
    // Only the plane of even pages is ever written.
    let writes = (0..4_000).map(|k| at(4_000 * k, Op::Write, 2 * (k % 100), 1));
    let results = results(&set, &Trace::from_records("even", writes.collect::<Vec<_>>()));
    assert_eq!(codes(&results.verdict.warnings), [Code::NeverMeasured]);
    assert!(results.verdict.warnings[0].message.contains("1 of 2 planes"), "{:?}", results.verdict);
    assert_eq!((results.requests.write.count, results.gc.jobs, results.measure.from_ns), (0, 0, None));
    assert_eq!(results.measure.requests_before, 4_000);
    assert_eq!(results.verdict.level, Level::NotTrustworthy);
}

#[test]
fn a_trace_that_ends_before_measuring_begins_has_no_figures() {
    // Everything arrives at once: when the first rounds end, no request is left to be measured.
    let records: Vec<_> = (0..200).map(|k| at(0, Op::Write, k * 7 % pages(), 1)).collect();
    let set = [("warmup.kind", "steady"), ("measure.after", "first-round")];
    let results = results(&set, &Trace::from_records("moment", records));
    assert_eq!(results.measure.planes_ready, 2);
    assert_eq!(codes(&results.verdict.warnings), [Code::NeverMeasured]);
    let says = "the last of the 200 requests arrived before the first round of collection was over.";
    assert!(results.verdict.warnings[0].message.ends_with(says), "{:?}", results.verdict);
}

/// Steady under uniform overwrites is not steady under this trace.
#[test]
fn the_state_another_workload_left_does_not_count() {
    let trace = sweep(1_500);
    let results_of = |kind| results(&[("warmup.kind", kind)], &trace);
    let steady = results_of("steady");
    assert_eq!(steady.verdict.level, Level::NotEstablished);
    let remark = doubt(&steady.verdict, Code::AnotherWorkload);
    assert_eq!(remark.remedy.as_deref(), Some("--warmup workload"));
    // 1,500 of 4,608 pages.
    assert_eq!(
        remark.message,
        "The drive was in the state that --warmup steady leaves, which is not that of this workload, and the \
         host wrote 0.33 drive capacities while it was measured, less than 2: write amplification is that of \
         a transition."
    );

    // Overwritten in order, blocks become empty as a whole: nothing has to be moved.
    let workload = results_of("workload");
    assert_eq!(workload.verdict.level, Level::Trustworthy, "{:?}", workload.verdict);
    assert!((workload.gc.write_amplification.unwrap() - 1.0).abs() < 0.01);
    assert!(steady.gc.write_amplification.unwrap() > 1.5);
    assert!(workload.gc.jobs > 0, "a write amplification of 1 with collection at work is a figure");
}

/// However often the trace is repeated after another workload's warm-up, the mean over the way is no figure.
#[test]
fn the_mean_over_a_transition_is_not_established() {
    let long = pages() * 21 / 10;
    let results = results(&[("warmup.kind", "steady"), ("gc.victim", "fifo")], &sweep(long));
    assert!(results.drift.capacities_written >= 2.0);
    let about_amplification = [Code::AmplificationDrifts, Code::AmplificationImprecise];
    let found = codes(&results.verdict.doubts);
    assert!(found.iter().any(|code| about_amplification.contains(code)), "{:?}", results.verdict);
}

/// From the state that uniform overwrites leave, a sweep over half of the drive amplifies less and less.
#[test]
fn amplification_that_falls_all_the_time_is_said_to_fall() {
    let (length, hot) = (pages() * 6 / 10, pages() / 2);
    let records = (0..length).map(|k| at(4_000 * k, Op::Write, k % hot, 1));
    let sweep = Trace::from_records("half", records.collect::<Vec<_>>());
    let results = results(&[("warmup.kind", "steady")], &sweep);
    let remark = doubt(&results.verdict, Code::AmplificationDrifts);
    assert!(
        remark.message.starts_with("Write amplification in pages fell by 67 % of its mean (2.07)"),
        "{remark:?}"
    );
    assert_eq!(remark.remedy.as_deref(), Some("--warmup workload"));
}

#[test]
fn warming_up_with_the_workload_goes_on_until_rounds_agree() {
    let trace = sweep(1_500);
    let results = results(&[("warmup.kind", "workload")], &trace);
    let warmup = &results.warmup;
    assert_eq!((warmup.kind.as_str(), warmup.steady), ("workload", Some(true)));
    assert!(warmup.rounds >= 3 && warmup.amplification_by_round.len() == warmup.rounds as usize);
    assert_eq!(warmup.write_amplification, warmup.amplification_by_round.last().copied());
    // Filled once; then rounds of four plays, which write a capacity at least.
    let plays = pages().div_ceil(1_500);
    assert_eq!(warmup.host_writes, pages() + u64::from(warmup.rounds) * plays * 1_500);
    assert_eq!(results.facts.gc_starts_after_pages, 0);
}

#[test]
fn warming_up_with_the_workload_gives_up_at_the_limit_and_says_so() {
    let results = results(&[("warmup.kind", "workload"), ("warmup.limit", "2.0")], &uniform(1_000));
    assert_eq!(results.warmup.steady, Some(false));
    let written = results.warmup.host_writes - pages();
    assert!(written >= 2 * pages() && written < 2 * pages() + 1_000, "{written} of {}", pages());
    let remark = doubt(&results.verdict, Code::WarmupNotSteady);
    assert!(remark.remedy.as_ref().is_some_and(|remedy| remedy.contains("warmup.limit")), "{remark:?}");
}

#[test]
fn a_repeated_trace_warms_up_with_single_plays() {
    let once = results(&[("warmup.kind", "workload")], &sweep(1_500)).warmup;
    let set = [("warmup.kind", "workload"), ("trace.repeat", "3")];
    assert_eq!(results(&set, &sweep(1_500)).warmup, once);
    // All that is played is replayed, as it says.
    let set = [("warmup.kind", "replay"), ("trace.repeat", "3")];
    assert_eq!(results(&set, &sweep(1_500)).warmup.host_writes, 3 * 1_500);
}

#[test]
fn reads_alone_fill_the_drive_and_end_the_warm_up() {
    let reads: Vec<_> = (0..500).map(|k| at(1_000 * k, Op::Read, k, 1)).collect();
    let results = results(&[("warmup.kind", "workload")], &Trace::from_records("reads", reads));
    assert_eq!((results.warmup.host_writes, results.warmup.rounds), (pages(), 0));
    assert_eq!((results.warmup.steady, results.flash.unmapped_reads), (None, 0));
    assert_eq!(results.verdict.level, Level::Trustworthy, "{:?}", results.verdict);
}

#[rstest]
#[case("workload")]
#[case("replay")]
fn a_saved_state_of_the_workload_goes_on_as_the_warm_up_itself(#[case] kind: &str) {
    let file = std::env::temp_dir().join(format!("reclaim-{kind}-{}.state", std::process::id()));
    let config = drive(&[("warmup.kind", kind), ("trace.remap", "compact"), ("trace.repeat", "2")]);
    // Reads of pages that are never written have places of their own, which a restored state must find again.
    let records = (0..3_000).map(|k| {
        let op = if k % 3 == 0 { Op::Read } else { Op::Write };
        at(2_000 * k, op, 1_000_000 + k * k % 613, 1)
    });
    let trace = Trace::from_records("squares", records.collect::<Vec<_>>());
    let go = |snapshot_in, snapshot_out| {
        let options =
            reclaim_sim::RunOptions { snapshot_in, snapshot_out, audit: true, ..Default::default() };
        let go_on = &mut |_: &_| std::ops::ControlFlow::Continue(());
        reclaim_sim::simulate(&config, &trace, &options, go_on).unwrap().results
    };
    let direct = go(None, Some(file.clone()));
    let restored = go(Some(file.clone()), None);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(direct, restored);
    assert_eq!(direct.warmup.kind, kind);
}

/// Rounds of a replay are known, too, and three that agree establish what a shorter one cannot.
#[test]
fn replays_count_in_rounds() {
    let of = |replays: &str| {
        let set = [("warmup.kind", "replay"), ("warmup.fill", "true"), ("warmup.replays", replays)];
        results(&set, &sweep(1_500))
    };
    // Four plays a round.
    let long = of("16");
    assert_eq!((long.warmup.rounds, long.warmup.steady), (4, Some(true)));
    assert_eq!(long.verdict.level, Level::Trustworthy, "{:?}", long.verdict);
    let short = of("6");
    assert_eq!((short.warmup.rounds, short.warmup.steady), (1, None));
    assert!(doubt(&short.verdict, Code::WarmupNotSteady).message.contains("1 whole rounds"));
}

#[test]
fn uniform_writes_after_uniform_overwrites_need_no_other_warm_up() {
    let results = results(&[("warmup.kind", "steady")], &uniform(8_000));
    assert!(results.drift.capacities_written < 2.0);
    assert_eq!(results.verdict.level, Level::Trustworthy, "{:?}", results.verdict);
    // Half of the drive is another workload.
    let half = Trace::uniform(UniformSpec {
        footprint_bytes: pages() * 2048,
        request_bytes: 4096,
        count: 8_000,
        write_fraction: 1.0,
        trim_fraction: 0.0,
        mean_interarrival_ns: 4_000_000,
        seed: 9,
    });
    let results = self::results(&[("warmup.kind", "overwrite")], &half);
    assert_ne!(results.verdict.level, Level::Trustworthy, "{:?}", results.verdict);
}

#[test]
fn collection_that_does_not_run_although_it_would_is_a_doubt() {
    let results = results(&[("warmup.kind", "workload")], &sweep(10));
    assert_eq!(results.gc.jobs, 0);
    // Two capacities are 9,216 pages, and a play writes ten.
    assert_eq!(pages(), 4_608);
    let remark = doubt(&results.verdict, Code::GcNeverRan);
    assert_eq!(remark.remedy.as_deref(), Some("--repeat 922"));
    assert_eq!(results.verdict.level, Level::NotEstablished);
}

#[test]
fn next_to_no_writes_are_no_reason_to_doubt_what_reads_experienced() {
    let mut records: Vec<_> = (0..2_000).map(|k| at(1_000 * k, Op::Read, k % 700, 1)).collect();
    records.push(at(2_000_000, Op::Write, 1, 1));
    let results = results(&[("warmup.kind", "steady")], &Trace::from_records("reads", records));
    assert_eq!(results.verdict.level, Level::Trustworthy, "{:?}", results.verdict);
    let note = results.verdict.notes.iter().find(|note| note.code == Code::FewWrites).unwrap();
    assert_eq!(note.figures, ["gc.nand_write_amplification", "gc.write_amplification"]);
}

/// A percentile with fewer than ten samples beyond it is marked at that percentile and spoils nothing else.
#[rstest]
#[case(100_000, &[])]
#[case(99_999, &["p99_99_ns"])]
#[case(6_835, &["p99_9_ns", "p99_99_ns"])]
#[case(1_000, &["p99_9_ns", "p99_99_ns"])]
#[case(999, &["p99_ns", "p99_9_ns", "p99_99_ns"])]
#[case(19, &["p50_ns", "p90_ns", "p95_ns", "p99_ns", "p99_9_ns", "p99_99_ns"])]
fn percentiles_of_few_samples_are_marked(#[case] reads: u64, #[case] expected: &[&str]) {
    let records: Vec<_> = (0..reads).map(|k| at(200 * k, Op::Read, k % 700, 1)).collect();
    let results = results(&[("warmup.kind", "filled")], &Trace::from_records("reads", records));
    assert_eq!(results.requests.read.not_established, expected);
    assert!(results.requests.write.not_established.is_empty(), "there were none");
    assert_eq!(results.verdict.level, Level::Trustworthy, "{:?}", results.verdict);
    let named: Vec<&String> = results
        .verdict
        .notes
        .iter()
        .filter(|n| n.code == Code::FewSamples)
        .flat_map(|n| &n.figures)
        .collect();
    let full: Vec<String> = expected.iter().map(|key| format!("requests.read.{key}")).collect();
    assert_eq!(named, full.iter().collect::<Vec<_>>());
}

/// A page in the buffer has made room in flash already, as spare space would.
#[test]
fn a_large_share_of_the_drive_in_the_buffer_is_a_doubt() {
    let burst: Vec<_> = (0..12_000).map(|k| at(0, Op::Write, k * 7919 % pages(), 1)).collect();
    let trace = Trace::from_records("burst", burst);
    let set = [("warmup.kind", "steady"), ("host.mode", "closed-loop"), ("host.queue_depth", "4096")];
    let unlimited = [&set[..], &[("controller.write_buffer", "unlimited")]].concat();
    let found = results(&unlimited, &trace);
    let remark = doubt(&found.verdict, Code::LargeBuffer);
    assert_eq!(remark.figures, ["gc.nand_write_amplification", "gc.write_amplification"]);
    // 32 pages are 0.7 % of the drive.
    let bounded = results(&set, &trace);
    assert_eq!(bounded.buffer.max_pages, 32);
    assert!(!codes(&bounded.verdict.doubts).contains(&Code::LargeBuffer));
    assert!(
        found.gc.write_amplification < bounded.gc.write_amplification,
        "which is why it is worth a doubt"
    );
}

/// Requests that come a little faster than they can be served: no backlog to speak of yet, but the queue only grows.
#[test]
fn a_queue_that_grows_is_a_doubt_before_it_is_a_backlog() {
    let set = [("warmup.kind", "filled"), ("geometry.channels", "1")];
    // A read takes 79.103 us.
    let reads = |interval_ns: u64| {
        let records: Vec<_> =
            (0..1_500).map(|k| Record { time_ns: k * interval_ns, ..at(0, Op::Read, k % 700, 1) }).collect();
        results(&set, &Trace::from_records("reads", records)).verdict
    };
    let growing = reads(76_000);
    let remark = doubt(&growing, Code::OutstandingDrifts);
    assert!(remark.figures.iter().any(|figure| figure == "requests.read.mean_ns"), "{remark:?}");
    assert_eq!(reads(80_000).level, Level::Trustworthy);
    assert_eq!(codes(&reads(60_000).warnings), [Code::UnboundedQueue]);
}

/// The first plays of a repeated trace meet a drive full of something else and wait for its collection; the others do
/// not.
#[test]
fn latencies_that_differ_from_play_to_play_are_a_doubt() {
    let trace = sweep(1_500);
    let fast = ("host.time_scale", "4.0");
    let of = |more: &[(&str, &str)]| {
        let set = [&[("warmup.kind", "steady"), ("trace.repeat", "16"), fast], more].concat();
        results(&set, &trace)
    };
    let all = of(&[]);
    let about_latency = [Code::OutstandingDrifts, Code::OutstandingImprecise];
    assert!(codes(&all.verdict.doubts).iter().any(|code| about_latency.contains(code)), "{:?}", all.verdict);
    let late = of(&[("measure.after", "50%")]);
    assert!(
        !codes(&late.verdict.doubts).iter().any(|code| about_latency.contains(code)),
        "{:?}",
        late.verdict
    );
    assert!((late.drift.plays - 8.0).abs() < 0.01, "{:?}", late.drift);
}

/// A filled drive has 24 free blocks in each of its two planes, and collects one block at a time from 4 on: 20 blocks
/// of 32 pages, 1,280 pages in all, are used up and not reclaimed, but for what is left of two open blocks and of the
/// block reclaimed last in each plane. Of 10,000 pages written that is more than a tenth, of 40,000 less than a
/// twentieth.
#[rstest]
#[case(10_000, true)]
#[case(40_000, false)]
fn space_that_is_used_up_is_a_doubt_like_space_that_is_gained(#[case] writes: u64, #[case] doubted: bool) {
    let found = results(&[("warmup.kind", "filled")], &uniform(writes));
    assert!(found.gc.jobs > 100);
    assert!((-1280..=-1280 + 2 * 3 * 32).contains(&found.drift.free_pages_gained), "{:?}", found.drift);
    let said = found.verdict.doubts.iter().find(|doubt| doubt.code == Code::FreeSpaceDrifts);
    assert_eq!(said.is_some(), doubted, "{:?}", found.verdict);
    assert!(said.is_none_or(|doubt| doubt.message.contains("is too low")), "{said:?}");
}

/// Warm-up plays overwrites all over the drive and then of its first tenth; measured are the latter alone, which cost
/// less than a round of warm-up did. That is no agreement: a difference counts in either direction.
#[test]
fn less_amplification_than_in_warm_up_is_a_doubt_like_more() {
    let mut stream = RandomStream::new(5, "pages");
    let mut writes: Vec<_> = (0..pages()).map(|_| u64::from(stream.below(pages() as u32))).collect();
    writes.extend((0..pages()).map(|k| k % (pages() / 10)));
    let writes = writes.into_iter().enumerate();
    let records: Vec<_> = writes.map(|(k, page)| at(4_000 * k as u64, Op::Write, page, 1)).collect();
    let set = [("warmup.kind", "workload"), ("warmup.tolerance", "10%"), ("measure.after", "50%")];
    let found = results(&set, &Trace::from_records("both", records));
    assert_eq!(found.warmup.steady, Some(true));
    let (measured, round) =
        (found.gc.write_amplification.unwrap(), found.warmup.write_amplification.unwrap());
    assert!(measured < 0.95 * round, "{measured} after {round}");
    assert!(!found.verdict.doubts.is_empty(), "{:?}", found.verdict);
}

/// Reads that come one by one and eight at once by turns: how many are in flight varies by what the trace does, which
/// is no difference from play to play.
#[test]
fn requests_in_flight_that_vary_with_the_trace_are_no_doubt() {
    let together = |k: u64| if (k / 200).is_multiple_of(2) { k } else { k / 8 * 8 };
    let records: Vec<_> = (0..3_200).map(|k| at(1_000 * together(k), Op::Read, k % 700, 1)).collect();
    let found = results(&[("warmup.kind", "filled")], &Trace::from_records("by turns", records));
    let trend = found.drift.outstanding.unwrap();
    assert!(trend.half_width_share > 0.2, "{trend:?}");
    assert_eq!(codes(&found.verdict.doubts), []);
}

/// Lines that are left out make it another trace where they are more than a hundredth of it.
#[rstest]
#[case(1, 99, Level::Trustworthy)]
#[case(1, 98, Level::NotTrustworthy)]
#[case(2, 198, Level::Trustworthy)]
fn lines_left_out_are_a_warning_above_a_hundredth(
    #[case] bad: usize,
    #[case] requests: usize,
    #[case] level: Level,
) {
    let path = std::env::temp_dir().join(format!("reclaim-left-out-{bad}-{requests}-{}", std::process::id()));
    let header = ["time_us,op,offset_bytes,size_bytes".to_owned()];
    let good = (0..requests).map(|k| format!("{},R,{},4096", 1_000 * k, 4096 * k));
    let lines = header.into_iter().chain(good).chain(vec!["rubbish".to_owned(); bad]);
    std::fs::write(&path, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let options = OpenOptions { on_error: OnError::Report, ..OpenOptions::default() };
    let found = results(&[("warmup.kind", "filled")], &Trace::open(&path, &options).unwrap()).verdict;
    std::fs::remove_file(&path).unwrap();
    assert_eq!(found.level, level, "{found:?}");
    let remarks = if level == Level::Trustworthy { &found.notes } else { &found.warnings };
    let remark = remarks.iter().find(|remark| remark.code == Code::BadLines).unwrap();
    let line = requests + 2;
    let says = format!(
        "Lines of the trace that could not be read and were left out, as asked for (--on-error report): \
         {bad}; first line {line}: time_us is missing or not a number (rubbish)."
    );
    assert_eq!(remark.message, says);
}

/// Reads of pages that hold nothing are worth a word where they are more than a hundredth, whether the pages were never
/// written or trimmed. A drive that was never filled can be.
#[rstest]
#[case("filled", 1, 99, None)]
#[case("filled", 1, 98, Some(", or trimmed before"))]
#[case("empty", 2, 98, Some(""))]
#[case("empty", 1, 99, None)]
fn reads_of_nothing_are_noted_above_a_hundredth(
    #[case] warmup: &str,
    #[case] of_nothing: u64,
    #[case] others: u64,
    #[case] trimmed: Option<&str>,
) {
    let mut records = Vec::new();
    // Page 0 holds something, and page 1 nothing.
    records.push(if warmup == "empty" { at(0, Op::Write, 0, 1) } else { at(0, Op::Trim, 1, 1) });
    let reads = (1..=of_nothing + others).map(|k| at(10_000 * k, Op::Read, u64::from(k <= of_nothing), 1));
    records.extend(reads);
    let found = results(&[("warmup.kind", warmup)], &Trace::from_records("reads", records));
    assert_eq!(found.flash.unmapped_reads, of_nothing);
    assert!(!codes(&found.verdict.doubts).contains(&Code::UnwrittenReads));
    let note = found.verdict.notes.iter().find(|note| note.code == Code::UnwrittenReads);
    assert_eq!(note.is_some(), trimmed.is_some(), "{:?}", found.verdict);
    let (Some(note), Some(trimmed)) = (note, trimmed) else { return };
    let share = if of_nothing == 1 { "1.0 %" } else { "2.0 %" };
    let says = format!(
        "{share} of the pages read were never written{trimmed}; they are answered at once, without touching \
         flash, and lower the read latencies."
    );
    assert_eq!(note.message, says);
    assert_eq!(note.remedy.as_deref(), (warmup == "empty").then_some("--warmup filled"));
}

/// Writes of single pages, far enough apart for any drive to follow.
fn single_pages(lpns: impl Iterator<Item = u64>) -> Trace {
    let records = (0..).zip(lpns).map(|(index, lpn)| at(4_000 * index, Op::Write, lpn, 1));
    Trace::from_records("pages", records.collect::<Vec<_>>())
}

/// Every page once, in an order drawn at random: fio's default.
fn permutation() -> Trace {
    single_pages(permuted().into_iter())
}

fn permuted() -> Vec<u64> {
    let mut order: Vec<u64> = (0..pages()).collect();
    let mut random = RandomStream::new(3, "permutation");
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u32 + 1) as usize);
    }
    order
}

const WORKLOAD: (&str, &str) = ("warmup.kind", "workload");

#[test]
fn a_permutation_that_is_replayed_depends_on_the_order_of_replay() {
    let found = results(&[WORKLOAD], &permutation());
    let order = found.warmup.order_of_replay.unwrap();
    assert_eq!((order.written_once_share, order.same), (1.0, Some(1.0)), "replays empty every victim");
    assert!(order.shuffled.unwrap() > 1.3, "{order:?}");
    let doubt = doubt(&found.verdict, Code::OrderOfReplay);
    assert!(doubt.figures.iter().any(|figure| figure == "gc.write_amplification"), "{doubt:?}");
    assert!(
        doubt.message.contains("it is 1.00 when the trace is always replayed in the same order"),
        "{doubt:?}"
    );
    // What the remedy says settles it.
    let settled = results(&[WORKLOAD, ("trace.repeat_order", "shuffled")], &permutation());
    assert!(settled.gc.write_amplification.unwrap() > 1.3);
    assert!(settled.warmup.order_of_replay.is_none());
    assert!(!codes(&settled.verdict.doubts).contains(&Code::OrderOfReplay));
}

#[test]
fn nothing_is_said_of_the_order_where_it_changes_nothing() {
    let cases = [
        ("sequential", single_pages(0..pages())),
        ("two streams at once", single_pages((0..pages()).map(|at| at / 2 + at % 2 * (pages() / 2)))),
        ("a hot half", single_pages((0..pages() * 4).map(|at| at * 7919 % (pages() / 2)))),
        ("random", uniform(pages())),
    ];
    for (name, trace) in cases {
        let found = results(&[WORKLOAD], &trace);
        let doubts = codes(&found.verdict.doubts);
        for code in [Code::OrderOfReplay, Code::EmptyVictims] {
            assert!(!doubts.contains(&code), "{name}: {:?}", found.warmup);
        }
    }
}

/// One run of writes, and many trims: runs without a write are all that some draws take.
#[test]
fn an_order_without_writes_has_an_end() {
    let records = (0..pages()).map(|lpn| at(4_000 * lpn, Op::Write, lpn, 1));
    let trims = (0..100).map(|k| at(4_000 * (pages() + k), Op::Trim, k * 13 % pages(), 1));
    let trace = Trace::from_records("trims", records.chain(trims).collect::<Vec<_>>());
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let found = results(&[("warmup.kind", "replay"), ("warmup.replays", "3"), ("seed", seed)], &trace);
        assert!(!codes(&found.verdict.doubts).contains(&Code::OrderOfReplay), "{:?}", found.warmup);
    }
}

/// The state that the timed run starts from is the same, and so is all that it measures.
#[test]
fn looking_at_the_order_changes_nothing_else() {
    let looked = results(&[WORKLOAD], &permutation());
    let not = results(&[WORKLOAD, ("warmup.order_check", "false")], &permutation());
    assert!(not.warmup.order_of_replay.is_none());
    assert_eq!(
        serde_json::to_string(&looked.requests).unwrap(),
        serde_json::to_string(&not.requests).unwrap()
    );
    assert_eq!(looked.gc.write_amplification, not.gc.write_amplification);
    assert_eq!(looked.warmup.amplification_by_round, not.warmup.amplification_by_round);
    // Nobody has looked, and every victim is empty.
    let doubt = doubt(&not.verdict, Code::EmptyVictims);
    assert!(doubt.message.contains("victims were empty"), "{doubt:?}");
}

/// What was found with a trace is of that trace: a drive that is restored for another says nothing of its order.
#[test]
fn what_is_known_of_the_order_of_replay_is_restored_for_the_same_trace_alone() {
    let drive = test_drive(&[WORKLOAD]);
    let written = |lpns: Vec<u64>| {
        (0..).zip(lpns).map(|(index, lpn)| at(4_000 * index, Op::Write, lpn, 1)).collect::<Vec<_>>()
    };
    let saved = Saved::new("order-of-replay");
    let found = saved.goes_on(&drive, &written(permuted()));
    assert!(found.warmup.order_of_replay.is_some());
    let other = saved.run(&drive, written(permuted().into_iter().rev().collect()), true).unwrap();
    assert!(other.warmup.order_of_replay.is_none());
}

/// The setting that says so is kept with the result.
#[test]
fn an_order_that_is_not_looked_at_is_told() {
    let set = |looks: &str| serde_json::to_value(drive(&[("warmup.order_check", looks)])).unwrap();
    assert_eq!(set("false")["warmup"]["order_check"], false);
    assert!(set("true")["warmup"].get("order_check").is_none(), "as before there was the setting");
}

/// Reads of page 0, which holds something, and of page 9, which holds nothing: where most are of nothing, so are the
/// figures of reads, and those alone.
#[rstest]
#[case(0, 3, true)]
#[case(3, 4, true)]
#[case(4, 4, false)]
fn reads_mostly_of_nothing_are_no_figures(
    #[case] others: u64,
    #[case] of_nothing: u64,
    #[case] doubted: bool,
) {
    let mut records = vec![at(0, Op::Write, 0, 1)];
    records.extend(
        (1..=others + of_nothing).map(|k| at(10_000 * k, Op::Read, if k <= others { 0 } else { 9 }, 1)),
    );
    let found = results(&[("warmup.kind", "empty")], &Trace::from_records("reads", records));
    assert_eq!((found.flash.unmapped_reads, found.requests.read.count), (of_nothing, others + of_nothing));
    let doubts = &found.verdict.doubts;
    assert_eq!(codes(doubts).contains(&Code::UnwrittenReads), doubted, "{doubts:?}");
    if doubted {
        let named = &doubt(&found.verdict, Code::UnwrittenReads).figures;
        assert!(named.contains(&"requests.read.mean_ns".to_owned()), "{named:?}");
        assert!(named.contains(&"requests.read.iops".to_owned()), "{named:?}");
        assert!(named.iter().all(|path| path.starts_with("requests.read.")), "{named:?}");
    }
}

/// Three trims, or flushes of nothing, with so many reads and writes among them: where they are most of the requests,
/// their figures are doubted, and no others.
#[rstest]
#[case(Op::Trim, 0, Some("3 trims of 3"))]
#[case(Op::Trim, 2, Some("3 trims of 5"))]
#[case(Op::Trim, 3, None)]
#[case(Op::Flush, 0, Some("3 flushes of 3"))]
fn what_nothing_serves_is_no_figure(#[case] op: Op, #[case] reads: u64, #[case] told: Option<&str>) {
    let one = |k: u64| match op {
        Op::Flush => Record { time_ns: k * 1_000_000, offset_bytes: 0, size_bytes: 0, op, stream: 0 },
        _ => at(1_000 * k, op, 20 + k, 1),
    };
    let records: Vec<_> =
        (0..3).map(one).chain((3..3 + reads).map(|k| at(1_000 * k, Op::Read, k, 1))).collect();
    let found = results(&[("warmup.kind", "filled")], &Trace::from_records("trims", records));
    assert_eq!(found.requests.trim.max_ns, 0);
    let doubts = &found.verdict.doubts;
    assert_eq!(codes(doubts).contains(&Code::NothingServed), told.is_some(), "{doubts:?}");
    let Some(told) = told else { return };
    assert_eq!(found.verdict.level, Level::NotEstablished);
    let doubt = doubt(&found.verdict, Code::NothingServed);
    assert!(doubt.message.starts_with(&format!("{told} requests took no time: ")), "{}", doubt.message);
    let class = if op == Op::Trim { "trim" } else { "flush" };
    for key in ["mean_ns", "p50_ns", "max_ns", "min_ns", "iops", "bandwidth_bytes_per_s"] {
        assert!(doubt.figures.contains(&format!("requests.{class}.{key}")), "{key}");
    }
    assert!(doubt.figures.iter().all(|path| path.starts_with(&format!("requests.{class}."))), "{doubt:?}");
}

/// Trims whose messages take time on the link are served by it.
#[test]
fn trims_on_a_link_take_time() {
    let records: Vec<_> = (0..3).map(|k| at(1_000 * k, Op::Trim, k, 1)).collect();
    let set = [("warmup.kind", "filled"), ("host.link.lanes", "4")];
    let found = results(&set, &Trace::from_records("trims", records));
    assert!(!codes(&found.verdict.doubts).contains(&Code::NothingServed), "{:?}", found.verdict);
}
