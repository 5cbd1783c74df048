//! A drive that has nothing which drives can do without is compiled by itself, and must do what any drive does. Whoever
//! asks for looks at it while it runs, as `audit_every` does, gets the other.

use crate::common::prelude::*;
use reclaim_sim::Drive;
use reclaim_sim::metrics::Recorder;

const SMALL: &[(&str, &str)] = &[
    ("geometry.channels", "2"),
    ("geometry.chips_per_channel", "2"),
    ("geometry.dies_per_chip", "2"),
    ("geometry.blocks_per_plane", "16"),
    ("geometry.pages_per_block", "16"),
    ("geometry.spare_factor", "40%"),
    ("gc.trigger.start", "3 blocks"),
    ("warmup.kind", "overwrite"),
    ("warmup.overwrites", "1.0"),
    ("trace.remap", "wrap"),
];

fn with(set: &[(&str, &str)]) -> Config {
    config("gc-bypass-mini", &[SMALL, set].concat())
}

fn is_plain(config: &Config) -> bool {
    let ftl = Ftl::new(config, &Geometry::new(config).unwrap(), false);
    Drive::new(config, ftl, Recorder::new(false, false, false)).is_plain()
}

/// Parts of pages, trims, and so many requests at once that everything waits for everything.
fn trace() -> Trace {
    Trace::uniform(UniformSpec {
        footprint_bytes: 8 << 20,
        request_bytes: 6144,
        count: 2_000,
        write_fraction: 0.6,
        trim_fraction: 0.05,
        mean_interarrival_ns: 100_000,
        seed: 5,
    })
}

#[rstest]
#[case::as_shipped(&[])]
#[case::closed_loop(&[("host.mode", "closed-loop"), ("host.queue_depth", "64")])]
#[case::one_plane_a_die(&[("geometry.planes_per_die", "1")])]
#[case::four_planes_a_die(&[("geometry.planes_per_die", "4")])]
#[case::suspension(&[("flash.suspend.program", "true"), ("flash.suspend.erase", "true")])]
#[case::type_first(&[("scheduler", "type-first")])]
#[case::data_first(&[("channel.order", "data-first")])]
#[case::cost_benefit(&[("gc.victim", "cost-benefit")])]
#[case::never_urgent(&[("gc.trigger.hard", "off")])]
#[case::soon_urgent(&[("gc.trigger.hard", "2 blocks")])]
#[case::static_wear_levelling(&[("ftl.wear.static_threshold", "3")])]
#[case::a_small_write_buffer(&[("controller.write_buffer", "32KiB")])]
fn a_plain_drive_does_what_any_does(#[case] set: &[(&str, &str)]) {
    let config = with(set);
    assert!(is_plain(&config));
    let trace = trace();
    let [plain, any] = [None, Some(u64::MAX)].map(|audit_every| {
        let options =
            RunOptions { audit_every, record_requests: true, record_gc: true, ..RunOptions::default() };
        go(&config, &trace, &options)
    });
    assert!(plain.results.gc.jobs > 0);
    assert_eq!((&plain.requests, &plain.gc_log), (&any.requests, &any.gc_log));
    let told = [&plain, &any].map(|outcome| serde_json::to_value(&outcome.results).unwrap());
    assert_eq!(told[0], told[1]);
}

#[rstest]
#[case::a_mesh("interconnect", "mesh")]
#[case::packets_on_the_bus("interconnect", "pssd")]
#[case::no_channels("interconnect", "ideal")]
#[case::age_counts("scheduler", "fcfs")]
#[case::a_link("host.link", "{ lanes = 4 }")]
#[case::planes_together("flash.multi_plane", "same-page")]
#[case::copyback("gc.relocation", "copyback")]
#[case::time_for_lookups("controller.lookup", "1us")]
#[case::retries("flash.read_retry.rate", "1%")]
fn a_drive_that_needs_more_is_not_plain(#[case] key: &str, #[case] value: &str) {
    assert!(!is_plain(&with(&[(key, value)])));
}
