//! Data integrity under every policy: random reads, writes (whole and partial), trims and flushes on small drives that
//! are short of space, with every write versioned and every invariant checked.

use crate::common::{TestDrive, run};
use proptest::prelude::*;
use reclaim_sim::ids::Lpn;
use reclaim_sim::random::RandomStream;
use reclaim_sim::{Results, RunOptions, simulate};
use reclaim_trace::{Op, Record, Trace};
use std::ops::ControlFlow;

/// A drive of 4 planes with 24 blocks of 16 pages: 1,536 pages, of which the host sees three quarters.
fn small(set: &[(&str, &str)]) -> reclaim_sim::Config {
    TestDrive::of([2, 1, 1, 2])
        .blocks(24, 16)
        .with(&[("geometry.spare_factor", "30%"), ("gc.trigger.start", "2 blocks")])
        .with(set)
        .config()
}

/// Random requests for all pages that the host sees of a drive, or the first of them.
fn random(seed: u64, count: usize, pages: u32, gap_us: u32) -> Trace {
    let mut stream = RandomStream::new(seed, "test");
    let mut now = 0;
    let request = |_| {
        now += u64::from(stream.below(2 * gap_us + 1)) * 1000;
        let page = u64::from(stream.below(pages - 4));
        let op = match stream.below(100) {
            0..30 => Op::Read,
            30..92 => Op::Write,
            92..97 => Op::Trim,
            _ => Op::Flush,
        };
        let sectors = u64::from(1 + stream.below(32));
        let aligned = stream.below(3) > 0;
        let (offset, size) = match op {
            Op::Flush => (0, 0),
            _ if aligned => (page * 4096, 4096 * (1 + sectors / 9)),
            _ => (page * 4096 + u64::from(stream.below(8)) * 512, sectors * 512),
        };
        let size_bytes = size.min(u64::from(pages) * 4096 - offset);
        Record { time_ns: now, offset_bytes: offset, size_bytes, op, stream: 0 }
    };
    Trace::from_records("random", (0..count).map(request).collect())
}

/// Plays as many on such a drive, checked.
fn audited(set: &[(&str, &str)]) -> Results {
    let config = small(&[&[("warmup.kind", "overwrite")], set].concat());
    let pages = reclaim_sim::derive_facts(&config, None).logical_pages;
    let results =
        run(&config, &random(7, 6_000, pages, 900)).unwrap_or_else(|e| panic!("{set:?}: {e}")).results;
    assert!(results.audit.as_ref().is_some_and(|audit| audit.passed), "{set:?}");
    results
}

fn victims() -> Vec<&'static str> {
    let members = reclaim_sim::gc::victim::MEMBERS.all.iter().filter(|member| member.stands_alone());
    let score = "{ kind = \"score\", score = \"valid / age - level_0 / erases\" }";
    members.map(|member| member.name).chain([score]).collect()
}

#[test]
fn every_victim_policy_with_every_relocation_and_interconnect() {
    let interconnects = ["bus", "serialized-channel", "ideal", "mesh"];
    for victim in victims() {
        for (relocation, interconnect) in
            ["controller", "copyback"].iter().flat_map(|way| interconnects.map(|net| (*way, net)))
        {
            let set = [("gc.victim", victim), ("gc.relocation", relocation), ("interconnect", interconnect)];
            let results = audited(&set);
            assert!(results.gc.jobs > 50, "{set:?}: only {} jobs", results.gc.jobs);
            assert!(results.flash.trimmed_pages > 0, "{set:?}");
            let all = &results.requests;
            assert_eq!(all.read.count + all.write.count + all.trim.count + all.flush.count, 6_000, "{set:?}");
        }
    }
}

/// Static wear levelling empties blocks that no policy chose; every policy must notice, on either path.
#[test]
fn every_victim_policy_with_static_wear_levelling() {
    for victim in victims() {
        for (dynamic, frontier, relocation) in [
            ("false", "separate", "controller"),
            ("true", "separate", "copyback"),
            ("true", "shared", "controller"),
        ] {
            let set = [
                ("gc.victim", victim),
                ("gc.relocation", relocation),
                ("ftl.gc_frontier", frontier),
                ("ftl.wear.dynamic", dynamic),
                ("ftl.wear.static_threshold", "0"),
            ];
            let flash = audited(&set).flash;
            let (programs, erases) = (flash.wear_programs, flash.wear_erases);
            assert!(programs > 20 && erases > 5, "{set:?}: {programs} pages moved, {erases} blocks erased");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for victim in victims() {
        let run_once = |seed: &str| {
            let config = small(&[("gc.victim", victim), ("warmup.kind", "overwrite"), ("seed", seed)]);
            serde_json::to_string(&run(&config, &random(3, 3_000, 1_000, 700)).unwrap().results).unwrap()
        };
        assert_eq!(run_once("1"), run_once("1"), "{victim}");
        assert_ne!(run_once("1"), run_once("2"), "{victim}: the seed must matter");
    }
}

#[test]
fn an_audit_sees_a_corrupted_mapping() {
    // The checker itself must be able to fail: a drive that lost a page is no good drive.
    let mut ftl = TestDrive::one_plane().written(20);
    assert!(reclaim_sim::audit::check(&ftl, true).is_ok());
    let _slot = ftl.accept_write(Lpn(5), false);
    assert!(reclaim_sim::audit::check(&ftl, false).is_ok(), "a page in the buffer is fine during a run");
    let left_over = reclaim_sim::audit::check(&ftl, true).unwrap_err();
    assert!(left_over.contains("still in the buffer"), "{left_over}");
}

#[test]
fn a_restored_state_goes_on_as_if_nothing_had_happened() {
    let path = std::env::temp_dir().join(format!("reclaim-state-{}", std::process::id()));
    for victim in victims() {
        for allocation in ["striping", "dynamic"] {
            let set = [("gc.victim", victim), ("ftl.allocation", allocation), ("warmup.kind", "overwrite")];
            let config = small(&set);
            let trace = random(11, 2_000, 1_000, 700);
            let mut options =
                RunOptions { audit: true, snapshot_out: Some(path.clone()), ..RunOptions::default() };
            let go_on = &mut |_: &_| ControlFlow::Continue(());
            let straight = simulate(&config, &trace, &options, go_on).unwrap().results;
            options.snapshot_in = options.snapshot_out.take();
            let restored = simulate(&config, &trace, &options, go_on).unwrap().results;
            assert_eq!(restored.audit.as_ref().map(|a| a.passed), Some(true));
            assert_eq!(straight, restored, "{victim} {allocation}");

            let other = small(&[("geometry.blocks_per_plane", "25"), ("warmup.kind", "overwrite")]);
            let error = simulate(&other, &trace, &options, go_on).unwrap_err().to_string();
            assert!(error.contains("another drive: geometry differs"), "{error}");
        }
    }
    std::fs::remove_file(path).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    /// Random configurations: whatever is combined, no invariant breaks and every breakdown adds up (the recorder
    /// asserts that for every request in this build).
    #[test]
    fn random_configurations(
        seed in 0_u64..1000,
        victim in prop::sample::select(victims()),
        scheduler in prop::sample::select(vec!["read-first", "fcfs"]),
        allocation in prop::sample::select(vec!["striping", "dynamic"]),
        relocation in prop::sample::select(vec!["controller", "copyback"]),
        interconnect in prop::sample::select(vec!["bus", "serialized-channel", "ideal", "mesh"]),
        frontier in prop::sample::select(vec!["separate", "shared"]),
        concurrency in prop::sample::select(vec!["all", "channels"]),
        multi_plane in prop::sample::select(vec!["off", "same-page", "any-page"]),
        warmup in prop::sample::select(vec!["empty", "filled", "overwrite"]),
        in_flight in 1_u32..8,
        buffer in prop::sample::select(vec!["4KiB", "40KiB", "16MiB", "unlimited"]),
        suspend in any::<bool>(),
        dynamic_wear in any::<bool>(),
        static_wear in prop::sample::select(vec![None, None, Some("0"), Some("1"), Some("3")]),
        closed in any::<bool>(),
        gap in prop::sample::select(vec![5_u32, 300, 2000]),
    ) {
        let in_flight = in_flight.to_string();
        let suspend = (suspend && interconnect != "serialized-channel").to_string();
        let mut set = vec![
            ("gc.victim", victim), ("scheduler", scheduler), ("ftl.allocation", allocation),
            ("gc.relocation", relocation), ("interconnect", interconnect), ("ftl.gc_frontier", frontier),
            ("gc.concurrency", concurrency), ("controller.write_buffer", buffer),
            ("flash.multi_plane", multi_plane), ("warmup.kind", warmup), ("gc.pages_in_flight", &in_flight),
            ("flash.suspend.program", &suspend), ("flash.suspend.erase", &suspend),
            ("host.mode", if closed { "closed-loop" } else { "open-loop" }),
            ("ftl.wear.dynamic", if dynamic_wear { "true" } else { "false" }),
        ];
        set.extend(static_wear.map(|threshold| ("ftl.wear.static_threshold", threshold)));
        let config = small(&set);
        let logical = reclaim_sim::derive_facts(&config, None).logical_pages;
        let trace = random(seed, 2_500, logical, gap);
        let options = RunOptions { audit: true, audit_every: Some(997), ..RunOptions::default() };
        let outcome = simulate(&config, &trace, &options, &mut |_| ControlFlow::Continue(()));
        prop_assert!(outcome.is_ok(), "{:?}: {}", set, outcome.unwrap_err());
    }
}
