//! What is told of a drive at its best beside runs of the drive itself: the latency of single requests to the
//! nanosecond, and what sequential requests reach where many are outstanding.

use std::ops::ControlFlow;

use reclaim_sim::config::{Config, LoadRequest, load, presets};
use reclaim_sim::flash::Geometry;
use reclaim_sim::{RequestTable, RunOptions, derive_facts, peak_rates, simulate};
use reclaim_trace::{Op, Record, Trace};
use rstest::rstest;

/// How far what is told may be from what a run reaches.
const TOLERANCE: f64 = 0.05;

/// Times of the two levels of an MLC drive that are far apart.
const TWO_LEVELS: (&str, &str) = ("flash.t_program", "[\"200us\", \"900us\"]");

/// Outstanding requests for each plane and page of a program unit.
const DEPTH: u32 = 12;

fn drive(device: &str, schemes: &[&str], set: &[(&str, &str)]) -> Config {
    let schemes = schemes.iter().map(|each| (*each).to_owned()).collect();
    let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    load(&LoadRequest { device: device.to_owned(), schemes, set }).unwrap_or_else(|e| panic!("{device}: {e}"))
}

fn played(config: &Config, records: Vec<Record>) -> RequestTable {
    let options = RunOptions { record_requests: true, ..RunOptions::default() };
    let trace = Trace::from_records("requests", records);
    simulate(config, &trace, &options, &mut |_| ControlFlow::Continue(())).unwrap().requests.unwrap()
}

fn with(config: &Config, more: &[(&str, &str)]) -> Config {
    let mut set: Vec<_> = more.to_vec();
    set.insert(0, ("name", config.name.as_str()));
    let toml = config.to_toml();
    let folder = std::env::temp_dir().join(format!(
        "reclaim-peak-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("drive.toml");
    std::fs::write(&file, toml).unwrap();
    drive(file.to_str().unwrap(), &[], &set)
}

/// Told of single requests, and what one of each takes on the drive itself, ten seconds apart.
fn check_unloaded(config: &Config) {
    let geometry = Geometry::new(config).unwrap();
    let bytes = u64::from(geometry.page_bytes);
    let record = |k: u64, op| Record {
        time_ns: k * 10_000_000_000,
        offset_bytes: 0,
        size_bytes: bytes,
        op,
        stream: 0,
    };
    let kind = if geometry.stripes.is_some() { "filled" } else { "empty" };
    let table =
        played(&with(config, &[("warmup.kind", kind)]), vec![record(0, Op::Write), record(1, Op::Read)]);
    let measured = |row: usize| table.completion_ns[row] - table.arrival_ns[row];
    let facts = derive_facts(config, None);
    println!("{:<28} read {} ns, write {} ns", config.name, facts.unloaded_read_ns, facts.unloaded_write_ns);
    assert_eq!(
        (facts.unloaded_write_ns, facts.unloaded_read_ns),
        (measured(0), measured(1)),
        "{}",
        config.name
    );
}

/// Pages a second over the middle of a run of sequential requests.
fn measured_rate(config: &Config, op: Op) -> f64 {
    let geometry = Geometry::new(config).unwrap();
    let (planes, bytes) = (u64::from(geometry.planes()), u64::from(geometry.page_bytes));
    let stripe = geometry.stripes.as_ref().map_or(1, |stripes| u64::from(stripes.data_pages()));
    let pages = if op == Op::Write { stripe } else { 1 };
    let kind = if op == Op::Write && stripe == 1 { "empty" } else { "filled" };
    let depth = (DEPTH * geometry.planes() * geometry.unit_pages).to_string();
    let config =
        with(config, &[("warmup.kind", kind), ("host.mode", "closed-loop"), ("host.queue_depth", &depth)]);
    let count = (planes * 160).min(u64::from(geometry.logical_pages) / 2) / pages;
    let record = |k: u64| Record {
        time_ns: 0,
        offset_bytes: k * pages * bytes,
        size_bytes: pages * bytes,
        op,
        stream: 0,
    };
    let ends = played(&config, (0..count).map(record).collect()).completion_ns;
    let (first, last) = (ends.len() / 5, ends.len() * 4 / 5);
    (last - first) as f64 * pages as f64 * 1e9 / (ends[last] - ends[first]) as f64
}

fn check_rates(config: &Config) {
    let told = peak_rates(config);
    let (read, write) = (told.read_pages_per_s.unwrap(), told.write_pages_per_s.unwrap());
    let (read_run, write_run) = (measured_rate(config, Op::Read), measured_rate(config, Op::Write));
    println!(
        "{:<28} reads {read:.0}/s told, {read_run:.0} run; writes {write:.0}/s told, {write_run:.0} run",
        config.name
    );
    for (told, run, what) in [(read, read_run, "reads"), (write, write_run, "writes")] {
        let off = told / run - 1.0;
        assert!(
            off.abs() <= TOLERANCE,
            "{}: {what}: {told:.0} told, {run:.0} in a run ({off:+.3})",
            config.name
        );
    }
}

#[test]
fn every_preset_is_told_as_it_runs() {
    for preset in presets() {
        let config = drive(&preset.name, &[], &[]);
        check_unloaded(&config);
        if preset.name.ends_with("-mini") {
            check_rates(&config);
        }
    }
}

#[rstest]
#[case::staged(&[], &[("controller.acknowledge", "staged")])]
#[case::staged_in_a_small_buffer(
    &[], &[("controller.acknowledge", "staged"), ("controller.write_buffer", "64KiB")]
)]
#[case::small_buffer(&[], &[("controller.write_buffer", "64KiB")])]
#[case::word_lines(&[], &[("flash.program_unit", "word-line")])]
#[case::parts_of_pages(&[], &[("geometry.page_size", "16KiB"), ("geometry.mapping_unit", "4KiB")])]
#[case::staged_word_lines_of_all_planes(
    &[],
    &[
        ("flash.program_unit", "word-line"),
        ("flash.multi_plane", "any-page"),
        ("controller.acknowledge", "staged"),
    ]
)]
#[case::word_lines_of_three(
    &["copyback-fsp"],
    &[("flash.cell", "TLC"), ("geometry.pages_per_block", "240"), ("flash.flush_after", "300us")]
)]
#[case::ospada(&["ospada"], &[("flash.cell", "TLC"), ("geometry.pages_per_block", "240")])]
#[case::same_page(&[], &[("flash.multi_plane", "same-page")])]
#[case::same_page_anywhere(&[], &[("flash.multi_plane", "same-page-anywhere")])]
#[case::any_page(&[], &[("flash.multi_plane", "any-page"), TWO_LEVELS])]
#[case::by_level(&[], &[TWO_LEVELS, ("flash.t_read", "[\"30us\", \"70us\"]")])]
#[case::placed_by_level(&[], &[TWO_LEVELS, ("ftl.placement", "level-by-history")])]
#[case::long_word_lines(&[], &[("flash.pages_per_word_line", "96"), TWO_LEVELS])]
#[case::dies_in_turn(&[], &[("flash.dies_overlap", "false")])]
#[case::suspension(&["suspend"], &[])]
#[case::slow_channel(&[], &[("channel.rate", "40 MT/s")])]
#[case::buffer_on_the_channel(&[], &[("channel.host_buffer", "12us")])]
#[case::buffer_in_the_controller(
    &[], &[("channel.host_buffer", "12us"), ("channel.host_buffer_path", "controller")]
)]
#[case::cores(&[], &[("controller.command", "5us"), ("controller.cores", "4")])]
#[case::lookups(&[], &[("controller.lookup", "5us")])]
#[case::link(&[], &[("host.link.lanes", "1"), ("host.link.lane_rate", "250 MT/s")])]
#[case::dynamic(&[], &[("ftl.allocation", "dynamic")])]
#[case::shared(&[], &[("ftl.gc_frontier", "shared")])]
#[case::copyback(&["copyback-odd-even"], &[])]
#[case::serialized(&["serialized-channel"], &[])]
#[case::ideal(&["ideal-channel"], &[])]
#[case::mesh(&["mesh"], &[])]
#[case::pssd(&["pssd"], &[])]
#[case::pnssd(&["pnssd"], &[])]
#[case::nossd(&["nossd"], &[])]
#[case::venice(&["venice"], &[])]
#[case::smartnetssd(&["smartnetssd"], &[])]
#[case::gc_bypass(&["gc-bypass"], &[])]
#[case::raid5(&["raid5"], &[])]
#[case::raid5_with_sums(&["raid5"], &[("redundancy.xor", "10us"), ("redundancy.stripe_chips", "4")])]
#[case::dgc(&["dgc"], &[])]
fn drives_are_told_as_they_run(#[case] schemes: &[&str], #[case] set: &[(&str, &str)]) {
    let set = [&[("geometry.spare_factor", "30%")], set].concat();
    let config = drive("gc-bypass-mini", schemes, &set);
    check_unloaded(&config);
    check_rates(&config);
}

/// One of its parity sets is slower than the others, and in the end all requests that are outstanding wait there: how
/// fast a run is until then depends on how many there are.
#[test]
fn single_requests_of_a_drive_without_a_chip_are_told_as_they_run() {
    let set = [("geometry.spare_factor", "30%"), ("redundancy.unreadable_chip", "0")];
    check_unloaded(&drive("gc-bypass-mini", &["raid5"], &set));
}

#[test]
fn a_drive_of_too_many_planes_says_why_it_has_no_rates() {
    let set = [
        ("geometry.channels", "64"),
        ("geometry.chips_per_channel", "64"),
        ("geometry.blocks_per_plane", "16"),
    ];
    let told = peak_rates(&drive(
        "gc-bypass",
        &[],
        &[
            &set[..],
            &[
                ("geometry.pages_per_block", "16"),
                ("geometry.spare_factor", "50%"),
                ("gc.trigger.start", "1 block"),
            ],
        ]
        .concat(),
    ));
    assert_eq!((told.read_pages_per_s, told.write_pages_per_s), (None, None));
    let why = told.rates_unknown.unwrap();
    assert_eq!(why, "measured for drives of up to 4096 planes; this one has 16384");
}

#[rstest]
#[case(&["cost-benefit"], "no formula for gc.victim = \"cost-benefit\"")]
#[case(&["raid5"], "no formula for redundancy = \"raid5\"")]
#[case(&["adaptive"], "no formula for gc.trigger = \"invalid-ratio\"")]
#[case(&["copyback-odd-even"], "no formula for gc.relocation = \"copyback-odd-even\"")]
#[case(&["word-line"], "no formula for gc.victim = \"word-line\"")]
fn no_write_amplification_without_a_reason(#[case] schemes: &[&str], #[case] why: &str) {
    let facts = derive_facts(&drive("gc-bypass-mini", schemes, &[("geometry.spare_factor", "30%")]), None);
    assert_eq!(facts.light_load.write_amplification, None);
    assert_eq!(facts.write_amplification_unknown.as_deref(), Some(why));
    let greedy = derive_facts(&drive("gc-bypass-mini", &[], &[]), None);
    assert!(greedy.light_load.write_amplification.is_some());
    assert_eq!(greedy.write_amplification_unknown, None);
}
