//! The time scale for a die utilisation in total under a scheme, and the utilisations that results set beside it.

use crate::common::prelude::*;
use reclaim_sim::Progress;

const MINI: &str = "gc-bypass-mini";
const TARGET: (&str, &str) = ("host.target_total_utilisation", "60%");
const GREEDY: (&str, &str) = ("host.target_scheme", "greedy");
const FILLED: (&str, &str) = ("warmup.kind", "filled");
/// A drive that is warmed up in no time, and a target on it.
const SMALL: [(&str, &str); 6] = [
    ("host.target_total_utilisation", "30%"),
    GREEDY,
    ("geometry.blocks_per_plane", "12"),
    ("geometry.pages_per_block", "32"),
    ("geometry.spare_factor", "50%"),
    ("warmup.kind", "overwrite"),
];

/// Four pages written in turn, one a millisecond: a block is full after four, and none of it is valid after eight.
fn in_turn() -> Trace {
    Trace::from_records("in turn", (0..4000).map(|k| at(k * 1000, Op::Write, k % 4, 1)).collect())
}

/// A program takes a millisecond and an erase four, so that every four writes, which fill a block, bring an erase as
/// long as they are. Half of the work is the host's.
fn slow_erases() -> TestDrive {
    TestDrive::one_plane().set("flash.t_program", "1ms").set("flash.t_erase", "4ms")
}

fn near(found: f64, expected: f64, off: f64) {
    assert!((found - expected).abs() <= off, "{found} instead of {expected}");
}

#[test]
fn half_of_the_work_is_erasing() {
    let results = slow_erases().with(&[TARGET, GREEDY]).play(&in_turn()).results;
    assert_eq!(results.flash.gc_programs, 0);
    let used = &results.utilisation;
    near(used.die, 0.6, 0.006);
    // The first blocks are written before any is erased.
    near(used.die_host, 0.3, 0.01);
    assert_eq!((used.die_asked, used.die_host_asked), (Some(0.6), None));
    // A millisecond of the host's work in every millisecond as recorded: 30 % of that.
    let scale = results.config.host.time_scale;
    near(scale, 0.3, 0.01);
    assert!(results.transforms[0].contains("60%") && results.transforms[0].contains("greedy"));
    // What the results say runs again as it ran.
    let host = reclaim_sim::settings::HostConfig { time_scale: scale, ..Default::default() };
    assert_eq!(results.config.host, host);
    let again = run(&results.config, &in_turn()).unwrap().results;
    assert_eq!((again.simulated_ns, again.requests), (results.simulated_ns, results.requests));
    assert_eq!(again.utilisation.die_asked, None);
    // A target of the host alone leaves collection out.
    let used = slow_erases().set("host.target_utilisation", "30%").play(&in_turn()).results.utilisation;
    assert_eq!((used.die_asked, used.die_host_asked), (None, Some(0.3)));
    near(used.die_host, 0.3, 0.005);
    near(used.die, 0.6, 0.02);
}

fn requests(count: u64, pages: u64) -> Trace {
    uniform(pages, count, 0.5, 20_000, 3)
}

/// Without collection all that dies do is the host's, also where reads set programs aside.
#[test]
fn all_is_of_the_host_where_nothing_is_collected() {
    let settings = [FILLED, ("geometry.spare_factor", "50%"), ("flash.suspend.program", "true")];
    let results = run(&config(MINI, &settings), &requests(20_000, 1 << 14)).unwrap().results;
    assert_eq!(results.gc.jobs, 0);
    assert!(results.flash.suspends > 0 && results.utilisation.die > 0.1);
    near(results.utilisation.die_host, results.utilisation.die, 1e-12);
}

fn loaded(schemes: &[&str], set: &[(&str, &str)]) -> Result<Config, String> {
    let schemes = schemes.iter().map(|name| (*name).to_owned()).collect();
    let request = LoadRequest { device: MINI.to_owned(), schemes, set: owned(set) };
    load(&request).map_err(|error| error.to_string())
}

#[test]
fn all_schemes_are_played_at_the_scale_of_one() {
    let trace = requests(8_000, 1 << 12);
    let of = |scheme: &str| run(&loaded(&[scheme], &SMALL).unwrap(), &trace).unwrap().results;
    let (greedy, random) = (of("greedy"), of("random"));
    assert_eq!(greedy.config.host, random.config.host);
    near(greedy.utilisation.die, 0.3, 0.003);
    assert!(random.utilisation.die > 0.32, "{}", random.utilisation.die);
    assert!(greedy.utilisation.die_host < 0.25, "{}", greedy.utilisation.die_host);
    // Written down and read again, the drive is looked for under the same scheme.
    let config = loaded(&["random"], &SMALL).unwrap();
    let again = Config::from_json(&serde_json::to_string(&config).unwrap()).unwrap();
    assert_eq!(run(&again, &trace).unwrap().results.config.host, greedy.config.host);
    // A saved state is no other start for the search; loaded into a drive without a warm-up of its own, too.
    let state = Saved::new();
    let saving = RunOptions { snapshot_out: Some(state.0.clone()), ..RunOptions::default() };
    assert_eq!(go(&config, &trace, &saving).results.config.host, greedy.config.host);
    for config in [&config, &loaded(&["random"], &SMALL[..5]).unwrap()] {
        let options = RunOptions { snapshot_in: Some(state.0.clone()), ..RunOptions::default() };
        assert_eq!(go(config, &trace, &options).results.config.host, greedy.config.host);
    }
}

#[test]
fn the_search_is_told_while_it_goes_on() {
    let drive = slow_erases().with(&[TARGET, GREEDY]).config();
    let mut told = Vec::new();
    let told_of = &mut |progress: &Progress| {
        told.push(progress.to_string());
        ControlFlow::Continue(())
    };
    simulate(&drive, &in_turn(), &RunOptions::default(), told_of).unwrap();
    for number in ["1", "2"] {
        assert!(told.contains(&format!("time scale, run {number} of at most 12")), "{told:?}");
    }
    let mut calls = 0;
    let stops = &mut |_: &Progress| {
        calls += 1;
        if calls > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = simulate(&drive, &in_turn(), &RunOptions::default(), stops).unwrap_err();
    assert!(matches!(stopped, SimError::Interrupted), "{stopped}");
}

#[test]
fn what_cannot_be_reached_is_an_error() {
    // Erasing comes in whole blocks and the host waits for it, but nothing else: dies are all but always busy.
    let trace = Trace::from_records("moment", vec![at(0, Op::Write, 0, 1), at(0, Op::Write, 1, 1)]);
    let drive = slow_erases().with(&[TARGET, GREEDY]).config();
    let error = run(&drive, &trace).unwrap_err().to_string();
    assert!(error.contains("host.target_total_utilisation: the trace has no time"), "{error}");
    // Dies of a channel that is the bottleneck are idle while it carries the data of others.
    let slow = [("channel.rate", "10 MT/s"), ("host.target_total_utilisation", "90%"), GREEDY];
    let error = run(&loaded(&[], &slow).unwrap(), &requests(5_000, 1 << 14)).unwrap_err().to_string();
    assert!(error.contains("90% in total under greedy"), "{error}");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    const RAID5: (&str, &str) = ("host.target_scheme", "raid5");
    let prepared = ("warmup.scheme", "greedy");
    let rows: [(&[(&str, &str)], &str); 11] = [
        (&[TARGET], "host.target_scheme"),
        (&[GREEDY], "host.target_scheme"),
        (&[TARGET, ("host.target_scheme", "gredy")], "did you mean \"greedy\""),
        (&[TARGET, ("host.target_scheme", "gredy")], "--set host.target_scheme=gredy"),
        (&[TARGET, GREEDY, ("host.target_utilisation", "30%")], "give one of them"),
        (&[TARGET, GREEDY, ("host.time_scale", "2.0")], "host.time_scale must not be given"),
        (&[TARGET, GREEDY, ("host.mode", "closed-loop")], "host.target_total_utilisation: a closed loop"),
        (&[("host.target_total_utilisation", "0%"), GREEDY], "more than 0%, and 100% at most"),
        (&[("host.target_total_utilisation", "100.1%"), GREEDY], "more than 0%, and 100% at most"),
        (&[TARGET, RAID5, ("geometry.channels", "1")], "a drive with raid5 cannot be: "),
        (&[TARGET, RAID5, FILLED, prepared, ("geometry.spare_factor", "25%")], "has redundancy raid5"),
    ];
    for (set, says) in rows {
        let error = loaded(&[], set).unwrap_err();
        assert!(error.contains(says), "{error}");
    }
}
