//! Verdicts that hold: which runs can be trusted, which figures of others are not established, and what settles them.

use crate::common::own::choice;
use crate::common::prelude::*;
use crate::common::short;
use reclaim_sim::results::{Code, Level, Remark, Verdict};
use reclaim_trace::OnError;

/// Two channels of one die, 96 blocks of 32 pages each, a quarter of them spare.
fn drive(more: &[(&str, &str)]) -> TestDrive {
    TestDrive::of([2, 1, 1, 1])
        .blocks(96, 32)
        .with(&[("geometry.spare_factor", "25%"), ("gc.trigger.start", "5%")])
        .set("controller.write_buffer", "128KiB")
        .with(more)
}

/// What the host sees of it.
const PAGES: u64 = 4_608;

const FILLED: (&str, &str) = ("warmup.kind", "filled");
const STEADY: (&str, &str) = ("warmup.kind", "steady");
const WORKLOAD: (&str, &str) = ("warmup.kind", "workload");
const REPLAY: (&str, &str) = ("warmup.kind", "replay");
const FIRST_ROUND: (&str, &str) = ("measure.after", "first-round");

/// Writes of single pages, every page of the drive as likely as any other.
fn uniform(count: u64) -> Trace {
    short::uniform(PAGES, count, 1.0, 4_000_000, 9)
}

/// Single pages, far enough apart for any drive to follow.
fn writes(lpns: impl IntoIterator<Item = u64>) -> Vec<Record> {
    (0..).zip(lpns).map(|(index, lpn)| at(4_000 * index, Op::Write, lpn, 1)).collect()
}

fn single_pages(lpns: impl IntoIterator<Item = u64>) -> Trace {
    Trace::from_records("pages", writes(lpns))
}

/// Writes over the first tenth of the drive, in order and again from the beginning.
fn sweep(count: u64) -> Trace {
    single_pages((0..count).map(|k| k % (PAGES / 10)))
}

fn results(set: &[(&str, &str)], trace: &Trace) -> Results {
    let outcome = run(&drive(set).config(), trace).unwrap();
    assert!(outcome.results.audit.as_ref().is_some_and(|audit| audit.passed));
    outcome.results
}

fn played(set: &[(&str, &str)], records: impl Iterator<Item = Record>) -> Results {
    results(set, &Trace::from_records("records", records.collect()))
}

fn doubt(verdict: &Verdict, code: Code) -> &Remark {
    let found = verdict.doubts.iter().find(|doubt| doubt.code == code);
    found.unwrap_or_else(|| panic!("no {} in {verdict:?}", code.text()))
}

fn note(verdict: &Verdict, code: Code) -> Option<&Remark> {
    verdict.notes.iter().find(|note| note.code == code)
}

fn doubts(results: &Results) -> Vec<Code> {
    results.verdict.doubts.iter().map(|remark| remark.code).collect()
}

fn warnings(results: &Results) -> Vec<Code> {
    results.verdict.warnings.iter().map(|remark| remark.code).collect()
}

fn names(remark: &Remark, figure: &str) -> bool {
    remark.figures.iter().any(|known| known == figure)
}

fn amplification(results: &Results) -> f64 {
    results.gc.write_amplification.unwrap()
}

fn is_trusted(results: &Results) {
    assert_eq!(results.verdict.level, Level::Trustworthy, "{:?}", results.verdict);
}

/// Two writes of three pages, one of them again and in part, in a drive of so many pages.
#[test]
fn what_one_play_writes_is_counted_and_told_of_where_it_is_played_again() {
    let records = vec![at(0, Op::Write, 0, 3), at(4_000, Op::Read, 9, 1), at(8_000, Op::Write, 2, 3)];
    let trace = Trace::from_records("short", records);
    let once = results(&[], &trace);
    assert_eq!((once.one_play.pages_written, once.one_play.distinct_pages_written), (6, 5));
    assert_eq!(once.one_play.written_share, 6.0 / PAGES as f64);
    assert_eq!(once.one_play.distinct_share, 5.0 / PAGES as f64);
    assert!(note(&once.verdict, Code::RepeatedTrace).is_none());
    let shuffled = ("trace.repeat_order", "shuffled");
    for (set, remedy) in [
        (&[("trace.repeat", "20")][..], "--repeat-order shuffled"),
        (&[WORKLOAD], "--repeat-order shuffled"),
        (&[WORKLOAD, ("trace.repeat", "2"), shuffled], "a longer trace"),
    ] {
        let found = results(set, &trace);
        assert_eq!(found.one_play.pages_written, 6);
        let note = note(&found.verdict, Code::RepeatedTrace).expect("it is told");
        assert!(note.remedy.as_ref().unwrap().contains(remedy), "{note:?}");
    }
    // A trace that writes the drive over is a workload of its own.
    let long = results(&[("trace.repeat", "2")], &uniform(PAGES));
    assert_eq!(long.one_play.written_share, 1.0);
    assert!(note(&long.verdict, Code::RepeatedTrace).is_none());
}

/// Every plane stands close before its next round of collection when warm-up ends, and a run of a few writes pays for
/// whole rounds.
#[test]
fn a_few_writes_after_warm_up_establish_nothing() {
    // 64 planes, which warm-up has filled in step: it ends with the last page of an open block in each.
    let trigger = ("gc.trigger", "{ kind = \"free-blocks\", start = \"5%\" }");
    let drive = config("deferred-raid-mini", &[("ftl.allocation", "dynamic"), trigger, STEADY]);
    let pages = u64::from(derive_facts(&drive, None).logical_pages);
    let found = run(&drive, &short::uniform(pages, 64, 1.0, 100_000, 1)).unwrap().results;
    assert!(amplification(&found) > 50.0, "{:?}", found.gc);
    assert_eq!(found.verdict.level, Level::NotEstablished, "{:?}", found.verdict);
    let space = doubt(&found.verdict, Code::FreeSpaceDrifts);
    for figure in ["gc.write_amplification", "requests.write.p99_ns", "gc.host_write_stall_ns"] {
        assert!(names(space, figure), "{figure} in {space:?}");
    }
    assert!(space.remedy.as_ref().unwrap().contains("--measure-after first-round"), "{space:?}");
}

/// The same run, measured from the end of those rounds on: what the rest costs, whatever the beginning did.
#[test]
fn measuring_after_the_first_round_leaves_those_rounds_out() {
    let long = amplification(&results(&[STEADY], &uniform(40_000)));
    let trace = uniform(2_000);
    let whole = results(&[STEADY], &trace);
    let rest = results(&[STEADY, FIRST_ROUND], &trace);
    assert!((amplification(&rest) / long - 1.0).abs() < 0.10, "{} beside {long}", amplification(&rest));
    assert_eq!(rest.requests.write.count + rest.measure.requests_before, 2_000);
    assert_eq!((rest.measure.planes_awaited, rest.measure.planes_ready), (2, 2));
    assert!(rest.measure.requests_before > 0);
    // What is left out is over, and what is counted began later.
    assert_eq!(rest.simulated_ns + rest.measure.from_ns.unwrap(), whole.simulated_ns);
    assert!(rest.gc.jobs < whole.gc.jobs && rest.flash.host_programs < whole.flash.host_programs);
    assert!(rest.utilisation.die <= 1.0 && rest.utilisation.channel <= 1.0);
    assert_eq!(whole.measure.requests_before, 0);
}

#[test]
fn measuring_after_a_share_counts_the_requests_after_it() {
    let outcome = drive(&[STEADY, ("measure.after", "25%")]).play(&uniform(2_000));
    let (results, table) = (outcome.results, outcome.requests.unwrap());
    assert_eq!((results.requests.write.count, results.measure.requests_before), (1_500, 500));
    assert_eq!(table.op.len(), 1_500, "recorded tables begin there, too");
    assert!(table.arrival_ns.iter().all(|arrival| *arrival >= results.measure.from_ns.unwrap()));
    assert_eq!(outcome.histograms[1].len(), 1_500);
}

#[test]
fn a_run_that_is_never_measured_says_how_far_it_came() {
    // Only the plane of even pages is ever written.
    let found = results(&[FILLED, FIRST_ROUND], &single_pages((0..4_000).map(|k| 2 * (k % 100))));
    assert_eq!(warnings(&found), [Code::NeverMeasured]);
    assert!(found.verdict.warnings[0].message.contains("1 of 2 planes"), "{:?}", found.verdict);
    assert_eq!((found.requests.write.count, found.gc.jobs, found.measure.from_ns), (0, 0, None));
    assert_eq!(found.measure.requests_before, 4_000);
    assert_eq!(found.verdict.level, Level::NotTrustworthy);
    // Everything arrives at once: when the first rounds end, no request is left to be measured.
    let records: Vec<_> = (0..200).map(|k| at(0, Op::Write, k * 7 % PAGES, 1)).collect();
    let found = results(&[STEADY, FIRST_ROUND], &Trace::from_records("moment", records));
    assert_eq!((found.measure.planes_ready, warnings(&found)), (2, vec![Code::NeverMeasured]));
    assert!(found.verdict.warnings[0].message.contains("200 requests"), "{:?}", found.verdict);
}

/// Steady under uniform overwrites is not steady under this trace.
#[test]
fn the_state_another_workload_left_does_not_count() {
    let trace = sweep(1_500);
    let steady = results(&[STEADY], &trace);
    assert_eq!(steady.verdict.level, Level::NotEstablished);
    let remark = doubt(&steady.verdict, Code::AnotherWorkload);
    assert_eq!(remark.remedy.as_deref(), Some("--warmup workload"));
    // 1,500 of 4,608 pages.
    assert!(remark.message.contains("0.33 drive capacities"), "{remark:?}");
    // Overwritten in order, blocks become empty as a whole: nothing has to be moved.
    let workload = results(&[WORKLOAD], &trace);
    is_trusted(&workload);
    assert!((amplification(&workload) - 1.0).abs() < 0.01 && amplification(&steady) > 1.5);
    assert!(workload.gc.jobs > 0, "a write amplification of 1 with collection at work is a figure");
    // However often the trace is repeated after another workload's warm-up, the mean over the way is no figure.
    let long = results(&[STEADY, ("gc.victim", "fifo")], &sweep(PAGES * 21 / 10));
    assert!(long.drift.capacities_written >= 2.0);
    let about_amplification = [Code::AmplificationDrifts, Code::AmplificationImprecise];
    assert!(doubts(&long).iter().any(|code| about_amplification.contains(code)), "{:?}", long.verdict);
    // A sweep over half of the drive amplifies less and less.
    let falls = results(&[STEADY], &single_pages((0..PAGES * 6 / 10).map(|k| k % (PAGES / 2))));
    let remark = doubt(&falls.verdict, Code::AmplificationDrifts);
    assert!(remark.message.contains("fell by 67 % of its mean (2.07)"), "{remark:?}");
    assert_eq!(remark.remedy.as_deref(), Some("--warmup workload"));
}

#[test]
fn warming_up_with_the_workload_goes_on_until_rounds_agree() {
    let once = results(&[WORKLOAD], &sweep(1_500));
    let warmup = &once.warmup;
    assert_eq!((warmup.kind.as_str(), warmup.steady), ("workload", Some(true)));
    assert!(warmup.rounds >= 3 && warmup.amplification_by_round.len() == warmup.rounds as usize);
    assert_eq!(warmup.write_amplification, warmup.amplification_by_round.last().copied());
    // Filled once; then rounds of four plays, which write a capacity at least.
    let plays = PAGES.div_ceil(1_500);
    assert_eq!(warmup.host_writes, PAGES + u64::from(warmup.rounds) * plays * 1_500);
    assert_eq!(once.facts.gc_starts_after_pages, 0);
    // A repeated trace warms up with single plays; replayed is all that is played.
    assert_eq!(results(&[WORKLOAD, ("trace.repeat", "3")], &sweep(1_500)).warmup, *warmup);
    assert_eq!(results(&[REPLAY, ("trace.repeat", "3")], &sweep(1_500)).warmup.host_writes, 3 * 1_500);
    // At the limit it gives up, and says so.
    let limited = results(&[WORKLOAD, ("warmup.limit", "2.0")], &uniform(1_000));
    assert_eq!(limited.warmup.steady, Some(false));
    let written = limited.warmup.host_writes - PAGES;
    assert!((2 * PAGES..2 * PAGES + 1_000).contains(&written), "{written}");
    let remark = doubt(&limited.verdict, Code::WarmupNotSteady);
    assert!(remark.remedy.as_ref().unwrap().contains("warmup.limit"), "{remark:?}");
    // Reads alone fill the drive and end it.
    let reads = played(&[WORKLOAD], (0..500).map(|k| at(1_000 * k, Op::Read, k, 1)));
    assert_eq!((reads.warmup.host_writes, reads.warmup.rounds), (PAGES, 0));
    assert_eq!((reads.warmup.steady, reads.flash.unmapped_reads), (None, 0));
    is_trusted(&reads);
}

/// Rounds of a replay are known, too, and three that agree establish what a shorter one cannot.
#[test]
fn replays_count_in_rounds() {
    let of = |replays: &str| {
        results(&[REPLAY, ("warmup.fill", "true"), ("warmup.replays", replays)], &sweep(1_500))
    };
    // Four plays a round.
    let (long, short) = (of("16"), of("6"));
    assert_eq!((long.warmup.rounds, long.warmup.steady), (4, Some(true)));
    is_trusted(&long);
    assert_eq!((short.warmup.rounds, short.warmup.steady), (1, None));
    doubt(&short.verdict, Code::WarmupNotSteady);
}

#[test]
fn uniform_writes_after_uniform_overwrites_need_no_other_warm_up() {
    let found = results(&[STEADY], &uniform(8_000));
    assert!(found.drift.capacities_written < 2.0);
    is_trusted(&found);
    // Half of the drive is another workload.
    let half = short::uniform(PAGES / 2, 8_000, 1.0, 4_000_000, 9);
    let found = results(&[("warmup.kind", "overwrite")], &half);
    assert_ne!(found.verdict.level, Level::Trustworthy, "{:?}", found.verdict);
}

#[test]
fn collection_that_does_not_run_although_it_would_is_a_doubt() {
    let found = results(&[WORKLOAD], &sweep(10));
    assert_eq!((found.gc.jobs, found.verdict.level), (0, Level::NotEstablished));
    // Two capacities are 9,216 pages, and a play writes ten.
    assert_eq!(u64::from(derive_facts(&drive(&[]).config(), None).logical_pages), PAGES);
    assert_eq!(doubt(&found.verdict, Code::GcNeverRan).remedy.as_deref(), Some("--plays 922"));
}

#[test]
fn next_to_no_writes_are_no_reason_to_doubt_what_reads_experienced() {
    let reads = (0..2_000).map(|k| at(1_000 * k, Op::Read, k % 700, 1));
    let found = played(&[STEADY], reads.chain([at(2_000_000, Op::Write, 1, 1)]));
    is_trusted(&found);
    let note = note(&found.verdict, Code::FewWrites).unwrap();
    assert_eq!(note.figures, ["gc.nand_write_amplification", "gc.write_amplification"]);
}

/// A percentile with fewer than ten samples beyond it is marked at that percentile and spoils nothing else.
#[test]
fn percentiles_of_few_samples_are_marked() {
    let all = ["p50_ns", "p90_ns", "p95_ns", "p99_ns", "p99_9_ns", "p99_99_ns"];
    for (reads, marked) in [(100_000, 0), (99_999, 1), (6_835, 2), (1_000, 2), (999, 3), (19, 6)] {
        let found = played(&[FILLED], (0..reads).map(|k| at(200 * k, Op::Read, k % 700, 1)));
        let expected = &all[all.len() - marked..];
        assert_eq!(found.requests.read.not_established, expected, "{reads} reads");
        assert!(found.requests.write.not_established.is_empty(), "there were none");
        is_trusted(&found);
        let few = found.verdict.notes.iter().filter(|note| note.code == Code::FewSamples);
        let named: Vec<&String> = few.flat_map(|note| &note.figures).collect();
        let full: Vec<String> = expected.iter().map(|key| format!("requests.read.{key}")).collect();
        assert_eq!(named, full.iter().collect::<Vec<_>>());
    }
}

/// A page in the buffer has made room in flash already, as spare space would.
#[test]
fn a_large_share_of_the_drive_in_the_buffer_is_a_doubt() {
    let burst: Vec<_> = (0..12_000).map(|k| at(0, Op::Write, k * 7919 % PAGES, 1)).collect();
    let trace = Trace::from_records("burst", burst);
    let set = [STEADY, ("host.mode", "closed-loop"), ("host.queue_depth", "4096")];
    let found = results(&[&set[..], &[("controller.write_buffer", "unlimited")]].concat(), &trace);
    let remark = doubt(&found.verdict, Code::LargeBuffer);
    assert_eq!(remark.figures, ["gc.nand_write_amplification", "gc.write_amplification"]);
    // 32 pages are 0.7 % of the drive.
    let bounded = results(&set, &trace);
    assert_eq!(bounded.buffer.max_pages, 32);
    assert!(!doubts(&bounded).contains(&Code::LargeBuffer));
    assert!(amplification(&found) < amplification(&bounded), "which is why it is worth a doubt");
}

/// Requests that come a little faster than they can be served: no backlog to speak of yet, but the queue only grows.
#[test]
fn a_queue_that_grows_is_a_doubt_before_it_is_a_backlog() {
    // A read takes 79.103 us.
    let reads = |interval_ns: u64| {
        let records = (0..1_500).map(|k| at_ns(k * interval_ns, Op::Read, k % 700));
        played(&[FILLED, ("geometry.channels", "1")], records)
    };
    let growing = reads(76_000);
    let remark = doubt(&growing.verdict, Code::OutstandingDrifts);
    assert!(names(remark, "requests.read.mean_ns"), "{remark:?}");
    is_trusted(&reads(80_000));
    assert_eq!(warnings(&reads(60_000)), [Code::UnboundedQueue]);
}

/// The first plays of a repeated trace meet a drive full of something else and wait for its collection; the others do
/// not.
#[test]
fn latencies_that_differ_from_play_to_play_are_a_doubt() {
    let of = |more: &[(&str, &str)]| {
        let set = [STEADY, ("trace.repeat", "16"), ("host.time_scale", "4.0")];
        results(&[&set, more].concat(), &sweep(1_500))
    };
    let about_latency = [Code::OutstandingDrifts, Code::OutstandingImprecise];
    let doubted = |found: &Results| doubts(found).iter().any(|code| about_latency.contains(code));
    let (all, late) = (of(&[]), of(&[("measure.after", "50%")]));
    assert!(doubted(&all) && !doubted(&late), "{:?} {:?}", all.verdict, late.verdict);
    assert!((late.drift.plays - 8.0).abs() < 0.01, "{:?}", late.drift);
}

/// A filled drive has 24 free blocks in each of its two planes, and collects one block at a time from 4 on: 20 blocks
/// of 32 pages, 1,280 pages in all, are used up and not reclaimed, but for what is left of two open blocks and of the
/// block reclaimed last in each plane. Of 10,000 pages written that is more than a tenth, of 40,000 less than a
/// twentieth.
#[test]
fn space_that_is_used_up_is_a_doubt_like_space_that_is_gained() {
    for (writes, doubted) in [(10_000, true), (40_000, false)] {
        let found = results(&[FILLED], &uniform(writes));
        assert!(found.gc.jobs > 100);
        assert!((-1280..=-1280 + 2 * 3 * 32).contains(&found.drift.free_pages_gained), "{:?}", found.drift);
        assert_eq!(doubts(&found).contains(&Code::FreeSpaceDrifts), doubted, "{:?}", found.verdict);
        if doubted {
            let remark = doubt(&found.verdict, Code::FreeSpaceDrifts);
            assert!(remark.message.contains("too low"), "{remark:?}");
        }
    }
}

/// Warm-up plays overwrites all over the drive and then of its first tenth; measured are the latter alone, which cost
/// less than a round of warm-up did. That is no agreement: a difference counts in either direction.
#[test]
fn less_amplification_than_in_warm_up_is_a_doubt_like_more() {
    let mut stream = RandomStream::new(5, "pages");
    let mut pages: Vec<_> = (0..PAGES).map(|_| u64::from(stream.below(PAGES as u32))).collect();
    pages.extend((0..PAGES).map(|k| k % (PAGES / 10)));
    let set = [WORKLOAD, ("warmup.tolerance", "10%"), ("measure.after", "50%")];
    let found = results(&set, &single_pages(pages));
    assert_eq!(found.warmup.steady, Some(true));
    let (measured, round) = (amplification(&found), found.warmup.write_amplification.unwrap());
    assert!(measured < 0.95 * round, "{measured} after {round}");
    assert!(!found.verdict.doubts.is_empty(), "{:?}", found.verdict);
}

/// Reads that come one by one and eight at once by turns: how many are in flight varies by what the trace does, which
/// is no difference from play to play.
#[test]
fn requests_in_flight_that_vary_with_the_trace_are_no_doubt() {
    let together = |k: u64| if (k / 200).is_multiple_of(2) { k } else { k / 8 * 8 };
    let found = played(&[FILLED], (0..3_200).map(|k| at(1_000 * together(k), Op::Read, k % 700, 1)));
    assert!(found.drift.outstanding.as_ref().unwrap().half_width_share > 0.2, "{:?}", found.drift);
    assert_eq!(doubts(&found), []);
}

/// Lines that are left out make it another trace where they are more than a hundredth of it.
#[test]
fn lines_left_out_are_a_warning_above_a_hundredth() {
    let path = std::env::temp_dir().join(format!("reclaim-left-out-{}", std::process::id()));
    for (bad, requests, level) in
        [(1, 99, Level::Trustworthy), (1, 98, Level::NotTrustworthy), (2, 198, Level::Trustworthy)]
    {
        let header = ["time_us,op,offset_bytes,size_bytes".to_owned()];
        let good = (0..requests).map(|k| format!("{},R,{},4096", 1_000 * k, 4096 * k));
        let lines = header.into_iter().chain(good).chain(vec!["rubbish".to_owned(); bad]);
        std::fs::write(&path, lines.collect::<Vec<_>>().join("\n")).unwrap();
        let options = OpenOptions { on_error: OnError::Report, ..OpenOptions::default() };
        let found = results(&[FILLED], &Trace::open(&path, &options).unwrap()).verdict;
        assert_eq!(found.level, level, "{found:?}");
        let remarks = if level == Level::Trustworthy { &found.notes } else { &found.warnings };
        let remark = remarks.iter().find(|remark| remark.code == Code::BadLines).unwrap();
        let says = [format!(": {bad}; "), format!("line {}", requests + 2), "rubbish".to_owned()];
        assert!(says.iter().all(|each| remark.message.contains(each)), "{remark:?}");
    }
    std::fs::remove_file(&path).unwrap();
}

/// Reads of pages that hold nothing are worth a word where they are more than a hundredth, whether the pages were never
/// written or trimmed. A drive that was never filled can be.
#[test]
fn reads_of_nothing_are_noted_above_a_hundredth() {
    for (warmup, of_nothing, others, share, remedy) in [
        ("filled", 1, 99, None, None),
        ("filled", 1, 98, Some("1.0 %"), None),
        ("empty", 2, 98, Some("2.0 %"), Some("--warmup filled")),
        ("empty", 1, 99, None, None),
    ] {
        // Page 0 holds something, and page 1 nothing.
        let first = if warmup == "empty" { at(0, Op::Write, 0, 1) } else { at(0, Op::Trim, 1, 1) };
        let read = |k| at(10_000 * k, Op::Read, u64::from(k <= of_nothing), 1);
        let reads = (1..=of_nothing + others).map(read);
        let found = played(&[("warmup.kind", warmup)], std::iter::once(first).chain(reads));
        assert_eq!(found.flash.unmapped_reads, of_nothing);
        assert!(!doubts(&found).contains(&Code::UnwrittenReads));
        let note = note(&found.verdict, Code::UnwrittenReads);
        assert_eq!(note.is_some(), share.is_some(), "{:?}", found.verdict);
        if let (Some(note), Some(share)) = (note, share) {
            assert!(note.message.contains(share), "{note:?}");
            assert_eq!(note.message.contains("trimmed"), warmup == "filled");
            assert_eq!(note.remedy.as_deref(), remedy);
        }
    }
}

/// Every page once, in an order drawn at random: fio's default.
fn permuted() -> Vec<u64> {
    let mut order: Vec<u64> = (0..PAGES).collect();
    let mut random = RandomStream::new(3, "permutation");
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u32 + 1) as usize);
    }
    order
}

#[test]
fn a_permutation_that_is_replayed_depends_on_the_order_of_replay() {
    let found = results(&[WORKLOAD], &single_pages(permuted()));
    let order = found.warmup.order_of_replay.as_ref().unwrap();
    assert_eq!((order.written_once_share, order.same), (1.0, Some(1.0)), "replays empty every victim");
    assert!(order.shuffled.unwrap() > 1.3, "{order:?}");
    assert!(names(doubt(&found.verdict, Code::OrderOfReplay), "gc.write_amplification"));
    // What is as ever is not said.
    assert!(serde_json::to_value(&found.config).unwrap()["warmup"].get("order_check").is_none());
    // A policy of the user's may remember what the copy of a drive would not know.
    let own = results(&[WORKLOAD, ("ftl.allocation", &choice("any"))], &single_pages(permuted()));
    assert!(own.warmup.order_of_replay.is_none());
    // What the remedy says settles it.
    let settled = results(&[WORKLOAD, ("trace.repeat_order", "shuffled")], &single_pages(permuted()));
    assert!(amplification(&settled) > 1.3 && settled.warmup.order_of_replay.is_none());
    assert!(!doubts(&settled).contains(&Code::OrderOfReplay));
    // Looking changes nothing else. Where nobody has looked, every victim is empty.
    let not = results(&[WORKLOAD, ("warmup.order_check", "false")], &single_pages(permuted()));
    assert!(not.warmup.order_of_replay.is_none());
    assert_eq!(found.requests, not.requests);
    assert_eq!(found.gc.write_amplification, not.gc.write_amplification);
    assert_eq!(found.warmup.amplification_by_round, not.warmup.amplification_by_round);
    doubt(&not.verdict, Code::EmptyVictims);
    assert_eq!(serde_json::to_value(not.config).unwrap()["warmup"]["order_check"], false);
}

/// Every play overwrites the drive once: what is programmed to look at the order is a sixth of what all plays
/// programmed, by one copy of the drive where the last plays were alike, and otherwise half of it by each of two.
#[rstest]
#[case::alike(&[WORKLOAD], 1)]
#[case::unknown(&[REPLAY, ("warmup.replays", "2")], 2)]
fn looking_at_the_order_programs_a_sixth_of_what_plays_did(
    #[case] set: &[(&str, &str)],
    #[case] copies: u64,
) {
    let mut budgets = Vec::new();
    let control = &mut |progress: &reclaim_sim::Progress| {
        if progress.phase == "order of replay" {
            budgets.push(progress.total);
        }
        ControlFlow::Continue(())
    };
    let trace = single_pages(permuted());
    let outcome = simulate(&drive(set).config(), &trace, &RunOptions::default(), control).unwrap();
    let plays = outcome.results.warmup.amplification_by_round;
    let programmed = (plays.iter().sum::<f64>() * PAGES as f64).round() as u64;
    budgets.dedup();
    assert_eq!(budgets, [programmed / 6 / copies]);
}

#[test]
fn nothing_is_said_of_the_order_where_it_changes_nothing() {
    let cases = [
        ("sequential", single_pages(0..PAGES)),
        ("two streams at once", single_pages((0..PAGES).map(|at| at / 2 + at % 2 * (PAGES / 2)))),
        ("a hot half", single_pages((0..PAGES * 4).map(|at| at * 7919 % (PAGES / 2)))),
        ("random", uniform(PAGES)),
    ];
    for (name, trace) in cases {
        let found = results(&[WORKLOAD], &trace);
        for code in [Code::OrderOfReplay, Code::EmptyVictims] {
            assert!(!doubts(&found).contains(&code), "{name}: {:?}", found.warmup);
        }
    }
    // One run of writes, and many trims: runs without a write are all that some draws take.
    let trims = (0..100).map(|k| at(4_000 * (PAGES + k), Op::Trim, k * 13 % PAGES, 1));
    let trace = Trace::from_records("trims", writes(0..PAGES).into_iter().chain(trims).collect());
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let found = results(&[REPLAY, ("warmup.replays", "3"), ("seed", seed)], &trace);
        assert!(!doubts(&found).contains(&Code::OrderOfReplay), "{:?}", found.warmup);
    }
}

/// What was found with a trace is of that trace: a drive that is restored for another says nothing of its order.
#[test]
fn what_is_known_of_the_order_of_replay_is_restored_for_the_same_trace_alone() {
    let saved = Saved::new();
    let found = saved.goes_on(&drive(&[WORKLOAD]), &writes(permuted()));
    assert!(found.warmup.order_of_replay.is_some());
    let other = writes(permuted().into_iter().rev());
    let other = saved.run(&drive(&[WORKLOAD]), other, true).unwrap();
    assert!(other.warmup.order_of_replay.is_none());
}

/// Reads of page 0, which holds something, and of page 9, which holds nothing: where most are of nothing, so are the
/// figures of reads, and those alone.
#[test]
fn reads_mostly_of_nothing_are_no_figures() {
    for (others, of_nothing, doubted) in [(0, 3, true), (3, 4, true), (4, 4, false)] {
        let read = |k| at(10_000 * k, Op::Read, if k <= others { 0 } else { 9 }, 1);
        let reads = (1..=others + of_nothing).map(read);
        let records = std::iter::once(at(0, Op::Write, 0, 1)).chain(reads);
        let found = played(&[("warmup.kind", "empty")], records);
        assert_eq!(
            (found.flash.unmapped_reads, found.requests.read.count),
            (of_nothing, others + of_nothing)
        );
        assert_eq!(doubts(&found).contains(&Code::UnwrittenReads), doubted, "{:?}", found.verdict);
        if doubted {
            let named = doubt(&found.verdict, Code::UnwrittenReads);
            assert!(names(named, "requests.read.mean_ns") && names(named, "requests.read.iops"));
            assert!(named.figures.iter().all(|path| path.starts_with("requests.read.")), "{named:?}");
        }
    }
}

/// Three trims, or flushes of nothing, with so many reads and writes among them: where they are most of the requests,
/// their figures are doubted, and no others.
#[test]
fn what_nothing_serves_is_no_figure() {
    for (op, reads, told) in [
        (Op::Trim, 0, Some("3 trims of 3")),
        (Op::Trim, 2, Some("3 trims of 5")),
        (Op::Trim, 3, None),
        (Op::Flush, 0, Some("3 flushes of 3")),
    ] {
        let flushes = op == Op::Flush;
        let one = |k: u64| at(1_000 * k, op, if flushes { 0 } else { 20 + k }, u64::from(!flushes));
        let records = (0..3).map(one).chain((3..3 + reads).map(|k| at(1_000 * k, Op::Read, k, 1)));
        let found = played(&[FILLED], records);
        assert_eq!(found.requests.trim.max_ns, 0);
        assert_eq!(doubts(&found).contains(&Code::NothingServed), told.is_some(), "{:?}", found.verdict);
        let Some(told) = told else { continue };
        assert_eq!(found.verdict.level, Level::NotEstablished);
        let doubt = doubt(&found.verdict, Code::NothingServed);
        assert!(doubt.message.contains(told), "{}", doubt.message);
        let class = if flushes { "flush" } else { "trim" };
        for key in ["mean_ns", "p50_ns", "max_ns", "min_ns", "iops", "bandwidth_bytes_per_s"] {
            assert!(names(doubt, &format!("requests.{class}.{key}")), "{key}");
        }
        assert!(doubt.figures.iter().all(|path| path.starts_with(&format!("requests.{class}."))));
    }
    // Trims whose messages take time on the link are served by it.
    let trims = (0..3).map(|k| at(1_000 * k, Op::Trim, k, 1));
    let found = played(&[FILLED, ("host.link.lanes", "4")], trims);
    assert!(!doubts(&found).contains(&Code::NothingServed), "{:?}", found.verdict);
}
