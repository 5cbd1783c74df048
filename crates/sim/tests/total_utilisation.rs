//! The time scale for a die utilisation in total under a scheme, and the utilisations that results set beside it.

use std::ops::ControlFlow;

use crate::common::{TestDrive, at, config, run};
use reclaim_sim::config::{Config, LoadRequest, load};
use reclaim_sim::{RunOptions, simulate};
use reclaim_trace::{Op, Trace, UniformSpec};
use rstest::rstest;

const MINI: &str = "gc-bypass-mini";
const TARGET: (&str, &str) = ("host.target_total_utilisation", "60%");
/// A drive that is warmed up in no time, and a target on it.
const SMALL: [(&str, &str); 6] = [
    ("host.target_total_utilisation", "30%"),
    GREEDY,
    ("geometry.blocks_per_plane", "12"),
    ("geometry.pages_per_block", "32"),
    ("geometry.spare_factor", "50%"),
    ("warmup.kind", "overwrite"),
];
const GREEDY: (&str, &str) = ("host.target_scheme", "greedy");

const FILLED: (&str, &str) = ("warmup.kind", "filled");
const RAID5: (&str, &str) = ("host.target_scheme", "raid5");

/// Four pages written in turn, one a millisecond: a block is full after four, and none of it is valid after eight.
fn in_turn() -> Trace {
    Trace::from_records("in turn", (0..4000).map(|k| at(k * 1000, Op::Write, k % 4, 1)).collect())
}

/// A program takes a millisecond and an erase four, so that every four writes, which fill a block, bring an erase as
/// long as they are. Half of the work is the host's.
fn slow_erases() -> TestDrive {
    TestDrive::one_plane().set("flash.t_program", "1ms").set("flash.t_erase", "4ms")
}

#[test]
fn half_of_the_work_is_erasing() {
    let drive = slow_erases().with(&[TARGET, GREEDY]);
    let results = drive.play(&in_turn()).results;
    assert_eq!(results.flash.gc_programs, 0);
    let used = &results.utilisation;
    assert!((used.die / 0.6 - 1.0).abs() <= 0.01, "{}", used.die);
    // The first blocks are written before any is erased.
    assert!((used.die_host - 0.3).abs() < 0.01, "{}", used.die_host);
    assert_eq!((used.die_asked, used.die_host_asked), (Some(0.6), None));
    // A millisecond of the host's work in every millisecond as recorded: 30 % of that.
    let scale = results.config.host.time_scale;
    assert!((scale - 0.3).abs() < 0.01, "{scale}");
    let told = "for a die utilisation of 60% in total under greedy";
    assert!(results.transforms[0].ends_with(told), "{:?}", results.transforms);
    // What the results say runs again as it ran.
    assert_eq!(
        results.config.host,
        reclaim_sim::settings::HostConfig { time_scale: scale, ..Default::default() }
    );
    let again = run(&results.config, &in_turn()).unwrap().results;
    assert_eq!((again.simulated_ns, again.requests), (results.simulated_ns, results.requests));
    assert_eq!(again.utilisation.die_asked, None);
}

#[test]
fn a_target_of_the_host_alone_leaves_collection_out() {
    let results = slow_erases().set("host.target_utilisation", "30%").play(&in_turn()).results;
    let used = &results.utilisation;
    assert_eq!((used.die_asked, used.die_host_asked), (None, Some(0.3)));
    assert!((used.die_host - 0.3).abs() < 0.005, "{}", used.die_host);
    assert!((used.die - 0.6).abs() < 0.02, "{}", used.die);
}

/// Without collection all that dies do is the host's, also where reads set programs aside.
#[test]
fn all_is_of_the_host_where_nothing_is_collected() {
    let settings =
        [("warmup.kind", "filled"), ("geometry.spare_factor", "50%"), ("flash.suspend.program", "true")];
    let results = run(&config(MINI, &settings), &uniform(20_000, 1 << 26)).unwrap().results;
    assert_eq!(results.gc.jobs, 0);
    assert!(results.flash.suspends > 0 && results.utilisation.die > 0.1);
    assert!((results.utilisation.die_host - results.utilisation.die).abs() < 1e-12);
}

fn uniform(count: u64, footprint_bytes: u64) -> Trace {
    Trace::uniform(UniformSpec {
        footprint_bytes,
        request_bytes: 4096,
        count,
        write_fraction: 0.5,
        trim_fraction: 0.0,
        mean_interarrival_ns: 20_000,
        seed: 3,
    })
}

fn loaded(schemes: &[&str], set: &[(&str, &str)]) -> Result<Config, String> {
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let schemes = schemes.iter().map(|name| (*name).to_owned()).collect();
    load(&LoadRequest { device: MINI.to_owned(), schemes, set }).map_err(|error| error.to_string())
}

#[test]
fn all_schemes_are_played_at_the_scale_of_one() {
    let set = &SMALL;
    let trace = uniform(8_000, 1 << 24);
    let of = |scheme: &str| run(&loaded(&[scheme], set).unwrap(), &trace).unwrap().results;
    let (greedy, random) = (of("greedy"), of("random"));
    assert_eq!(greedy.config.host, random.config.host);
    assert!((greedy.utilisation.die / 0.3 - 1.0).abs() <= 0.01, "{}", greedy.utilisation.die);
    assert!(random.utilisation.die > 0.32, "{}", random.utilisation.die);
    assert!(greedy.utilisation.die_host < 0.25, "{}", greedy.utilisation.die_host);
    // Written down and read again, the drive is looked for under the same scheme.
    let config = loaded(&["random"], set).unwrap();
    let again = Config::from_json(&serde_json::to_string(&config).unwrap()).unwrap();
    assert_eq!(run(&again, &trace).unwrap().results.config.host, greedy.config.host);
}

#[test]
fn a_saved_state_is_no_other_start_for_the_search() {
    let set = &SMALL;
    let (config, trace) = (loaded(&["random"], set).unwrap(), uniform(8_000, 1 << 24));
    let state = std::env::temp_dir().join(format!("reclaim-total-utilisation-{}", std::process::id()));
    let play = |config: &Config, options: &RunOptions| {
        simulate(config, &trace, options, &mut |_| ControlFlow::Continue(())).unwrap().results
    };
    let saved = play(&config, &RunOptions { snapshot_out: Some(state.clone()), ..RunOptions::default() });
    // Loaded into a drive without a warm-up of its own, too.
    let cold = loaded(&["random"], &SMALL[..5]).unwrap();
    for config in [&config, &cold] {
        let options = RunOptions { snapshot_in: Some(state.clone()), ..RunOptions::default() };
        assert_eq!(play(config, &options).config.host, saved.config.host);
    }
    std::fs::remove_file(&state).unwrap();
}

#[test]
fn the_search_is_told_while_it_goes_on() {
    let drive = slow_erases().with(&[TARGET, GREEDY]).config();
    let mut told = Vec::new();
    let told_of = &mut |progress: &reclaim_sim::Progress| {
        told.push(progress.to_string());
        ControlFlow::Continue(())
    };
    simulate(&drive, &in_turn(), &RunOptions::default(), told_of).unwrap();
    assert!(told.contains(&"time scale, run 1 of at most 12".to_owned()), "{told:?}");
    assert!(told.contains(&"time scale, run 2 of at most 12".to_owned()), "{told:?}");
    let mut calls = 0;
    let stops = &mut |_: &reclaim_sim::Progress| {
        calls += 1;
        if calls > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = simulate(&drive, &in_turn(), &RunOptions::default(), stops).unwrap_err();
    assert!(matches!(stopped, reclaim_sim::SimError::Interrupted), "{stopped}");
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
    let error = run(&loaded(&[], &slow).unwrap(), &uniform(5_000, 1 << 26)).unwrap_err().to_string();
    assert!(error.contains("90% in total under greedy is not reached to within 1 %"), "{error}");
}

#[rstest]
#[case(&[TARGET], "name one, as in host.target_scheme")]
#[case(&[GREEDY], "host.target_scheme: it says under which scheme")]
#[case(&[TARGET, ("host.target_scheme", "gredy")], "did you mean \"greedy\"")]
#[case(&[TARGET, ("host.target_scheme", "gredy")], "--set host.target_scheme=gredy")]
#[case(&[TARGET, GREEDY, ("host.target_utilisation", "30%")], "give one of them")]
#[case(&[TARGET, GREEDY, ("host.time_scale", "2.0")], "host.time_scale must not be given")]
#[case(&[TARGET, GREEDY, ("host.mode", "closed-loop")], "host.target_total_utilisation: a closed loop")]
#[case(&[("host.target_total_utilisation", "0%"), GREEDY], "more than 0%, and 100% at most")]
#[case(&[("host.target_total_utilisation", "100.1%"), GREEDY], "more than 0%, and 100% at most")]
#[case(&[TARGET, RAID5, ("geometry.channels", "1")], "a drive with raid5 cannot be: ")]
#[case(
    &[TARGET, RAID5, FILLED, ("warmup.scheme", "greedy"), ("geometry.spare_factor", "25%")],
    "has redundancy raid5, and the one that prepares it"
)]
fn what_cannot_be_meant_is_refused(#[case] set: &[(&str, &str)], #[case] says: &str) {
    let error = loaded(&[], set).unwrap_err();
    assert!(error.contains(says), "{error}");
}
